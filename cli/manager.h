/*
 * The service manager that has started us, if any (systemd, by the protocol of sd_notify(3)); and
 * the system's log.
 */
#pragma once

#include <stdbool.h>

/* Sent when we are ready (systemd.service(5), Type=notify). */
#define MANAGER_READY "READY=1"

/** Connects to the manager. Call it before this process enters a sandbox. */
void manager_find(void);

/**
 * Sends `text`, which has lines as in sd_notify(3). If `is_important`, waits up to 0.5 s
 * until the manager has room for it. If there is no room, drops the text.
 */
void manager_say(const char *text, bool is_important);

/** Implements supervisor_options.say: sends the mirrors' state as the status of the service. */
void manager_say_status(void *context, const char *text);

/**
 * Asks the manager to store the descriptor until we are started again (FDSTORE=1). Waits up to 5 s.
 * Returns 0 if the manager has read the request, which it may still refuse; or -EIO.
 */
int manager_store(int fd);

/**
 * Waits until the manager has read all earlier messages. Returns -ETIMEDOUT after 15 s; else 0,
 * even without a manager. Call it in a forked process that has closed manager_find()'s connection.
 */
int manager_ask(void);

/** Returns the stored descriptor for close(2), or -1. Call it before background_keep_standard(). */
int manager_take_stored(void);

/** Asks the manager to drop the stored descriptor. */
void manager_drop_stored(void);

/**
 * Logs a line under this process's number in the system's log. Never waits (libc's syslog(3) may
 * wait): if the log's socket is full, the line is lost.
 */
void manager_log(const char *line);
