/*
 * A helper: a process that is forked before its parent enters a sandbox, for tasks that the sandbox
 * forbids. It has a socket to its parent and ends with it.
 *
 * A process has at most one helper of each kind. It can query the state of each at any time, gets
 * changes reported by a descriptor (SIGCHLD, sigaction(2)), and never waits for the end of one that
 * does not run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum helper_kind {
	HELPER_PUBLISH, /* fs/driver/mount_process.h */
	HELPER_RUN,     /* fs/run/runner.h */
	HELPER_KEEP,    /* fs/supervisor/supervisor.h */
	HELPER_MONITOR, /* monitor.h */
	HELPER_RENEW,   /* fs/handover/successor.h */
	HELPER_STATE,   /* fs/keep/state_process.h */
	HELPER_KINDS,
};

enum helper_state {
	HELPER_RUNS,
	HELPER_STOPPED, /* by a signal (SIGSTOP), or by a debugger that has left it so */
	HELPER_ENDED,   /* although its parent needs it */
};

/* Size of the text of helper_text(). */
#define HELPER_TEXT_MAX 256

/** Returns the name, as `ps -e` shows it. */
const char *helper_name(enum helper_kind kind);

/**
 * Prepares the new process: closes all descriptors but `socket` and `kept` (-1: none), which keeps
 * its number; opens /dev/null as standard streams; sets the process's name; changes to the root
 * directory; ignores signals that end the parent. Returns the socket.
 */
int helper_begin(enum helper_kind kind, int socket, int kept);

/** Resets signals in a process that a helper has forked, before exec(3). */
void helper_reset_signals(void);

/* The parent's. */

/** Notes a forked helper, before the parent enters its sandbox, which then may end only helpers. */
void helper_began(enum helper_kind kind, pid_t pid);

/** Returns its process number; 0: there is none. Any thread. */
pid_t helper_pid(enum helper_kind kind);

/** Returns its state; HELPER_RUNS if there is none. Any thread. */
enum helper_state helper_state(enum helper_kind kind);

/** Writes its fault and the remedy; `remedy` is that for an ended helper. */
void helper_text(enum helper_kind kind, enum helper_state state, const char *remedy,
	char ret[HELPER_TEXT_MAX]);

/**
 * Returns a descriptor that becomes readable when a helper may have stopped, gone on or ended; the
 * caller closes it. Or -errno. The calling thread has SIGCHLD blocked from then on.
 */
int helper_watch(void);

/**
 * Reads the descriptor, and calls `log` for each helper that stopped, went on or ended since the
 * last call. One thread at a time.
 */
void helper_take(
	int fd, const char *remedy, void (*log)(void *context, const char *line), void *context);

/** Continues all stopped helpers, which the parent's end needs. */
void helper_wake(void);

/**
 * Waits until the helper, whose socket was closed or shut down, has ended. Continues a stopped one.
 * Kills it after `patience_ms`. One that waits for a disk that hangs can't be killed, and is left.
 * Does nothing if there is none.
 */
void helper_end(enum helper_kind kind, int patience_ms);

/** As helper_end(), but does not wait for a killed helper: nothing depends on its end. */
void helper_leave(enum helper_kind kind, int patience_ms);
