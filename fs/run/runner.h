/*
 * The runner: has the commands of plyfs.yaml run by the process plyfs-run (run_process.h), and
 * passes on the results.
 *
 *      runner_run ──request, descriptor──▶ plyfs-run ──▶ guard ──▶ the program
 *          run->done ◀──the runner's coroutine─── answer ─┘
 *
 * At most RUN_SLOTS checks, and as many change hooks, run at a time. The callers count them;
 * plyfs-run refuses more.
 */
#pragma once

#include "run_message.h"
#include "settings.h"

struct runner;

/* A run, inside of a larger struct. The runner does not free it. */
struct run {
	/* Called by the runner's coroutine, or by runner_stop(). */
	void (*done)(struct run *run, const struct run_result *result);

	/* private to the runner */
	uint64_t id;
	struct run *next;
};

/**
 * Starts plyfs-run, before there are coroutines (helper.h). Until runner_reload(), plyfs-run uses
 * its copy of `settings`, which have an absolute path. It keeps the descriptor `kept` open (-1:
 * none), through which plyfs.yaml is found. Returns 0 with *ret for runner_free(), or -errno.
 */
int runner_new(const struct settings *settings, int kept, struct runner **ret);

/** Starts the coroutine that reads plyfs-run's answers. Returns 0 or -ENOMEM. */
int runner_start(struct runner *runner);

/**
 * Runs the command of the kind `kind` for `path`, with the content of `fd` from its beginning; `fd`
 * stays the caller's. `run` must live until run->done is called. Returns 0; or -errno: run->done
 * will not be called.
 */
int runner_run(
	struct runner *runner, enum run_kind kind, const char *path, int fd, struct run *run);

/** Makes plyfs-run read plyfs.yaml again, before all later requests. */
void runner_reload(struct runner *runner);

/**
 * Joins the runner's coroutine if plyfs-run has ended; then all runs have got their results. Only
 * the coroutine that may stop the runner calls it.
 */
void runner_reap(struct runner *runner);

/** Ends plyfs-run with all its commands. Unfinished runs get RUN_GONE. */
void runner_stop(struct runner *runner);

/** Stops and frees the runner. NULL: does nothing. */
void runner_free(struct runner *runner);
void runner_freep(struct runner **runner);

/** Runs a command and waits for it. The runner must be started. */
void runner_wait(struct runner *runner, enum run_kind kind, const char *path, int fd,
	struct run_result *ret);

/* Positive result of runner_check(), other than PROBLEM. */
#define RUNNER_UNCHECKED 2

/**
 * Runs the check of `path`, if it has one, on `bytes`, and waits for its end. The runner must be
 * started. `map` has the origins of the lines, and may be NULL; *ret gets the result. Returns 0;
 * RUNNER_UNCHECKED, with a problem, if the check is optional and not installed; PROBLEM; or -errno.
 */
int runner_check(struct runner *runner, const struct settings *settings, const char *path,
	struct span bytes, const struct line_map *map, struct run_result *ret,
	struct problem *problem);

/** Makes an unnamed file with the bytes. Returns its descriptor, for close(2), or -errno. */
int runner_file(const char *data, size_t size);
