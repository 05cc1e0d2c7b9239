/*
 * A forked process: its first steps, and how the process that forked it waits for its end.
 *
 * The new process must close the daemon's /dev/fuse before all else. While any process has it open,
 * a system call on the mount waits for ever if the daemon is killed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Functions for the new process. They allocate nothing. */

/**
 * Closes all descriptors but those in `kept`, and sorts that array. Then makes /dev/null the
 * standard input, and `output` (-1: /dev/null) the standard output and error. Closes the old number
 * of `output`, which must be in `kept`. Returns 0 or -errno.
 */
int forked_keep_only(int output, int *kept, size_t count);

/**
 * Makes the kernel kill this process when the thread that forked it ends. Returns false if the
 * process `parent` has ended already, or the kernel refuses; then the caller must end this process.
 */
bool forked_dies_with(pid_t parent);

/* Functions for the process that has forked the new one. */

/**
 * Reaps the child if it has ended. Returns whether it has ended. *status is as wait(2) sets it, but
 * unchanged if this process ignores SIGCHLD. `status` may be NULL.
 */
bool forked_reap(pid_t pid, int *status);

/** Returns whether a signal (SIGSTOP), or a debugger, has stopped the child. */
bool forked_is_stopped(pid_t pid);

/* Size of a process's name with its NUL (PR_SET_NAME). */
#define FORKED_NAME_MAX 16

/** Reads the name of any process; "": it has ended. */
void forked_name(pid_t pid, char ret[FORKED_NAME_MAX]);

/** As forked_reap(), but waits up to `timeout_ms`. `pidfd` is -1 if the kernel has no pidfds. */
bool forked_await(pid_t pid, int pidfd, int timeout_ms);
