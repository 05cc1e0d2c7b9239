/*
 * A helper: a process that is forked before its parent enters a sandbox, and does for it what that
 * forbids. It has a socket to its parent and ends with it.
 *
 * A process has one helper of each kind at most. It can ask at any time what each does, has a
 * descriptor that reports changes of that (SIGCHLD, sigaction(2)), and never waits for the end of
 * one that does not run.
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

/* Length of what helper_text() makes. */
#define HELPER_TEXT_MAX 256

/** Returns the name, as `ps -e` shows it. */
const char *helper_name(enum helper_kind kind);

/**
 * In the new process: nothing of the parent's is left but `socket` and the descriptor `kept` (-1:
 * none), which keeps its number; standard streams are /dev/null; it has the name of its kind, works
 * in the root directory, and leaves it to the parent to be ended by signals. Returns the socket.
 */
int helper_begin(enum helper_kind kind, int socket, int kept);

/** In what a helper has forked, before it becomes a program: what was set for us is not its
 * business. */
void helper_reset_signals(void);

/* The parent's. */

/** Notes that the process was forked. Before the parent's sandbox, which may end these alone. */
void helper_began(enum helper_kind kind, pid_t pid);

/** Returns its process number; 0: there is none. Any thread. */
pid_t helper_pid(enum helper_kind kind);

/** Returns what it does; HELPER_RUNS if there is none. Any thread. */
enum helper_state helper_state(enum helper_kind kind);

/** Writes what is wrong with it, and the remedy; `remedy` is that of one that has ended. */
void helper_text(enum helper_kind kind, enum helper_state state, const char *remedy,
	char ret[HELPER_TEXT_MAX]);

/**
 * Returns a descriptor that becomes readable when a helper may have stopped, gone on or ended; the
 * caller closes it. Or -errno. The calling thread has SIGCHLD blocked from then on.
 */
int helper_watch(void);

/**
 * Takes what made the descriptor readable, and calls `log` for each helper that stopped, goes on or
 * ended since the last call. One thread at a time.
 */
void helper_take(
	int fd, const char *remedy, void (*log)(void *context, const char *line), void *context);

/** Lets all go on that are stopped: the parent's end needs them. */
void helper_wake(void);

/**
 * Waits until the helper, whose socket was closed or shut down, has ended; one that is stopped goes
 * on for that. After `patience_ms` it is killed. One that waits for a disk that hangs can't be
 * killed, and is left. Does nothing if there is none.
 */
void helper_end(enum helper_kind kind, int patience_ms);

/** As helper_end(), but one that is killed is not waited for: nothing depends on its end. */
void helper_leave(enum helper_kind kind, int patience_ms);
