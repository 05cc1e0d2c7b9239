/*
 * The runner: runs commands of plyfs.yaml, each in a process group of its own below a guard
 * (guard.h), and passes on the results.
 *
 *      runner_run ──fork──▶ guard ──fork──▶ the program
 *          run->done ◀──the runner's coroutine── result, end of the guard (pidfd)
 *
 * Contract:
 *
 * - A check judges exactly the bytes of the given descriptor, by the given program: that of the
 *   settings that were in force when the check was started. New settings change no command that
 *   runs.
 * - No caller waits for a command, but one of runner_wait() and runner_check().
 * - At most RUN_SLOTS checks, and as many change hooks, run at a time. The callers count them.
 * - When the program ends, its time limit is over, runner_stop() is called or the process of the
 *   runner ends, however that happens, the guard kills everything that the command has started, and
 *   removes its workspace.
 * - If a guard is killed, its own run alone fails (RUN_GONE), and the runner removes the workspace.
 *   A guard that is stopped beyond its command's time limit is continued, then killed.
 *
 * Guards are helpers (helper.h), so that the status and the log report one that is stopped. A
 * process has one runner at a time.
 */
#pragma once

#include "run_command.h"
#include "run_result.h"
#include "settings.h"

/* Maximum number of commands of each kind that run at the same time. */
#define RUN_SLOTS 2

struct runner;

/* A run, inside of a larger struct. The runner does not free it. */
struct run {
	/* Called by the runner's coroutine, or by runner_stop(). */
	void (*done)(struct run *run, const struct run_result *result);
};

/**
 * Makes a runner. Commands will have the environment, the limits and the time slice that the
 * process has now. Returns 0 with *ret for runner_free(), or -ENOMEM.
 */
int runner_new(struct runner **ret);

/**
 * Runs the program for `path`, with the content of `fd` from its beginning. Only `run` must live
 * until run->done is called. Returns 0; or -errno: run->done will not be called; -EBUSY: RUN_SLOTS
 * run already; -ECANCELED: the runner is stopped, or
 * NULL.
 */
int runner_run(struct runner *runner, enum run_kind kind, const struct program *program,
	const char *path, int fd, struct run *run);

/** Has the guards kill all commands, for which it does not wait. Unfinished runs get RUN_GONE. */
void runner_stop(struct runner *runner);

/** Stops the runner, waits for the guards and frees the runner. NULL: does nothing. */
void runner_free(struct runner *runner);
void runner_freep(struct runner **runner);

/** Runs a command and waits for it. */
void runner_wait(struct runner *runner, enum run_kind kind, const struct program *program,
	const char *path, int fd, struct run_result *ret);

/* Positive result of runner_check(), other than PROBLEM. */
#define RUNNER_UNCHECKED 2

/**
 * Runs the check of `path`, if it has one, on `bytes`, and waits for its end. `map` has the origins
 * of the lines, and may be NULL; *ret gets the result. Returns 0; RUNNER_UNCHECKED, with a problem,
 * if the check is optional and not installed; PROBLEM; or -errno.
 */
int runner_check(struct runner *runner, const struct settings *settings, const char *path,
	struct span bytes, const struct line_map *map, struct run_result *ret,
	struct problem *problem);

/** Makes an unnamed file with the bytes. Returns its descriptor, for close(2), or -errno. */
int runner_file(const char *data, size_t size);
