/*
 * The system's log (syslog(3)), for a process that must not wait. libc's syslog(3) waits while
 * no process reads the log's socket.
 */
#pragma once

/** Logs a line under this process's number. If the log's socket is full, the line is lost. */
void system_log(const char *line);
