/*
 * The service manager that has started us, if there is one: systemd, by the protocol of
 * sd_notify(3).
 */
#pragma once

#include <stdbool.h>

/** Tells the manager that we are ready (systemd.service(5), Type=notify). */
void manager_ready(void);

/**
 * Connects to the manager. Call it before this process enters a sandbox, in which it can't connect.
 */
void manager_find(void);

/**
 * Sends the manager `text`, which has lines as in sd_notify(3). If `is_important`, waits until the
 * text can be sent. Otherwise drops the text if it can't be sent at once.
 */
void manager_say(const char *text, bool is_important);

/**
 * Asks the manager to store the descriptor until we are started again (FDSTORE=1). Waits up to 5 s
 * until the manager has read the request, and returns whether it has. Even then the manager may
 * have refused to store the descriptor.
 */
bool manager_store(int fd);

/**
 * Waits up to 15 s until the manager has read all messages that were sent to it. Returns -ETIMEDOUT
 * if the time runs out; otherwise 0, even if there is no manager. Call it in a forked process that
 * has closed the connection of manager_find().
 */
int manager_ask(void);

/**
 * Returns the stored descriptor, which is then the caller's; -1: there is none. Call it before
 * inherited descriptors are closed.
 */
int manager_take_stored(void);

/** Asks the manager to drop the stored descriptor. */
void manager_drop_stored(void);
