/*
 * A helper: a process for tasks that its parent must not do itself. It has a socket to its parent,
 * and ends when the parent does. A guard is the helper that runs one command (guard.h).
 *
 * Fork a guard by coroutine_fork(), and any other helper before its parent has coroutines
 * (coroutine.h). A process has at most one helper of each helper_kind; each guard is a kind of its
 * own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Maximum number of guards that run at a time. */
#define HELPER_GUARDS 4

enum helper_kind {
	HELPER_PUBLISH, /* fs/driver/mount_process.h */
	HELPER_STATE,   /* fs/last_good/state_process.h */
	HELPER_GUARD,   /* fs/run/guard.h: the first of HELPER_GUARDS */
	HELPER_GUARD_LAST = HELPER_GUARD + HELPER_GUARDS - 1,
	HELPER_KINDS,
};

enum helper_state {
	HELPER_RUNS,
	HELPER_STOPPED, /* by a signal (SIGSTOP) or a debugger */
	HELPER_ENDED,   /* although the parent needs it */
};

/* Size of the text of helper_text(). */
#define HELPER_TEXT_MAX 256

/** Returns the helper's name, as `ps -e` shows it. */
const char *helper_name(enum helper_kind kind);

/**
 * In the helper, before all else: closes all descriptors but `socket` and `kept` (-1: none), opens
 * /dev/null as standard streams, sets the process's name, changes to the root directory, and
 * ignores the signals that ask the parent to end. `kept` keeps its number. Returns the socket's new
 * number. If a step fails, ends the process.
 */
int helper_begin(enum helper_kind kind, int socket, int kept);

/** In a forked process, before exec(3): resets all signals to their defaults, and unblocks them. */
void helper_reset_signals(void);

/* For the parent: */

/* Maximum number of children that helper_inherit() notes. Further ones are not reaped. */
#define HELPERS_INHERITED_MAX 64

/**
 * After a take-over: notes the children of the previous program, and continues them if they are
 * stopped. They end by themselves; helper_watch() and helper_take() reap them. Call this function
 * before any fork.
 */
void helper_inherit(void);

/** Notes the helper `pid`, which was just forked. */
void helper_began(enum helper_kind kind, pid_t pid);

/** Returns the helper's process number; 0: there is none. */
pid_t helper_pid(enum helper_kind kind);

/** Returns a descriptor that is readable when the helper has ended; -1: none. Do not close it. */
int helper_fd(enum helper_kind kind);

/** Returns the helper's state. HELPER_RUNS: also if there is no helper, or a guard has ended. */
enum helper_state helper_state(enum helper_kind kind);

/** Writes a line about the state of the helper. If the helper has ended, the line has `remedy`. */
void helper_text(enum helper_kind kind, enum helper_state state, const char *remedy,
	char ret[HELPER_TEXT_MAX]);

/**
 * Returns a descriptor, for close(2), that becomes readable when a helper may have stopped, gone on
 * or ended; or -errno. Blocks SIGCHLD in this thread.
 */
int helper_watch(void);

/** Reads the `fd` of helper_watch(). Logs each change of a helper's state since the last call. */
void helper_take(
	int fd, const char *remedy, void (*log)(void *context, const char *line), void *context);

/** Continues all stopped helpers, and those with a SIGSTOP that is still pending. */
void helper_wake(void);

/**
 * Ends the helper, if there is one. If `patience_ms` is 0, kills it at once. Otherwise continues it
 * if it is stopped, waits at most `patience_ms` for its end, then kills it. Waits at most 5 s for
 * the end of a killed helper. Before a call with another `patience_ms` than 0, close the helper's
 * socket, or shut it down (shutdown(2)).
 */
void helper_end(enum helper_kind kind, int patience_ms);
