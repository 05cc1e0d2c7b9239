/* The system's log, for a process that must not wait. libc's syslog(3) may wait. */
#pragma once

/** Logs a line under this process's number. If the log's socket is full, the line is lost. */
void system_log(const char *line);
