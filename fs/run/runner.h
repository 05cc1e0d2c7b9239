/*
 * The runner: runs commands of plyfs.yaml, each in a process group of its own below a guard
 * (guard.h), and passes on the results.
 *
 *      runner_run ──fork──▶ guard ──fork──▶ the program
 *          run->done ◀──the runner's coroutine── result, end of the guard (pidfd)
 *
 * - A check judges exactly the bytes of the given descriptor. New settings do not change a running
 *   command.
 * - The guard kills everything that the command has started, and removes the command's directory
 *   (run_result.h), at the first of these events: the program ends; the command's time limit is
 *   over; runner_stop() is called; the process of the runner ends in any way.
 * - If a guard is killed, its run fails (RUN_GONE), and the runner removes the directory. The
 *   runner kills a guard that has not ended some seconds after its command's time limit.
 *
 * A process has one runner at a time.
 */
#pragma once

#include "guard.h"
#include "run_result.h"
#include "settings.h"

/* Maximum number of commands of each kind that run at the same time. */
#define RUN_SLOTS 2

struct runner;

/* A run. The caller puts it into a larger struct. */
struct run {
	/* called once, with a `result` that lives as long as the call; may free `run` */
	void (*done)(struct run *run, const struct run_result *result);
};

/**
 * Makes a runner. Its commands get the LANG, the limit of descriptors and the time slice that this
 * process has now. Returns 0 with *ret for runner_free(), or -ENOMEM.
 */
int runner_new(struct runner **ret);

/**
 * Starts the program for `path`, with the content of `fd` from its beginning. `run` must live until
 * run->done is called; the caller may free the other arguments after this call. Returns 0; -EBUSY
 * if RUN_SLOTS commands of this kind run already; -ECANCELED if runner_stop() was called or
 * `runner` is NULL; or another -errno. After an error, run->done is never called.
 */
int runner_run(struct runner *runner, enum run_kind kind, const struct program *program,
	const char *path, int fd, struct run *run);

/**
 * Makes the guards kill all commands, gives RUN_GONE to the unfinished runs, and does not wait for
 * the guards. Afterwards the runner starts no command.
 */
void runner_stop(struct runner *runner);

/** Returns whether runner_stop() was called. NULL: false. */
bool runner_is_stopped(const struct runner *runner);

/** Calls runner_stop(), waits for the guards and frees the runner. NULL: does nothing. */
void runner_free(struct runner *runner);
void runner_freep(struct runner **runner);

/** Calls runner_run(), and waits for the result: RUN_UNSTARTED if runner_run() fails. */
void runner_wait(struct runner *runner, enum run_kind kind, const struct program *program,
	const char *path, int fd, struct run_result *ret);

/* Positive result of runner_check(), other than PROBLEM. */
#define RUNNER_UNCHECKED 2

/**
 * Runs the check of `path`, if there is one, on `bytes`, and waits for its end. `map` has the
 * lines' origins; NULL is allowed. Returns 0 if the check accepts the bytes, or there is none;
 * RUNNER_UNCHECKED, with a problem, if the check is optional and can't be run; PROBLEM; or -errno.
 */
int runner_check(struct runner *runner, const struct settings *settings, const char *path,
	struct span bytes, const struct line_map *map, struct run_result *ret,
	struct problem *problem);

/** Makes an unnamed file with the bytes. Returns its descriptor, for close(2), or -errno. */
int runner_file(const char *data, size_t size);
