/*
 * The service manager that has started us, if there is one: systemd, by the protocol of
 * sd_notify(3).
 */
#pragma once

#include <stdbool.h>

/**
 * Notifies a service manager that waits for it (systemd.service(5), Type=notify) that we are ready.
 */
void manager_ready(void);

/** Connects to the manager. Call it before a sandbox is entered, which forbids it. */
void manager_find(void);

/**
 * Sends `text` to the manager, lines as in sd_notify(3). If the manager does not read, waits only
 * if it is_important.
 */
void manager_say(const char *text, bool is_important);

/**
 * Asks the manager to store the descriptor until we are started again (FDSTORE=1). Returns whether
 * the manager has read the request. It may still have closed the descriptor instead.
 */
bool manager_store(int fd);

/**
 * Returns the stored descriptor, which is then the caller's; -1: there is none. Call it before
 * inherited descriptors are closed.
 */
int manager_take_stored(void);

/** Asks the manager to drop the stored descriptor. */
void manager_drop_stored(void);
