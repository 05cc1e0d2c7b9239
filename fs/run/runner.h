/*
 * The runner: has the programs of plyfs.yaml run, by a process of its own (run_process.h), and
 * tells what came of each.
 *
 *      runner_run ──request, descriptor──▶ plyfs-run ──▶ guard ──▶ the program
 *          run->done ◀──a thread of its own────── answer ─┘
 *
 * Programs that check, and those that are run after a change, have RUN_SLOTS each, which nobody
 * here counts: who asks for more is refused.
 */
#pragma once

#include "run_message.h"
#include "settings.h"

struct runner;

/* A part of what it is about; the runner does not free it. */
struct run {
	/* By the runner's thread, or by who stops it; with no lock held. */
	void (*done)(struct run *run, const struct run_result *result);

	/* private to the runner */
	uint64_t id;
	struct run *next;
};

/**
 * Starts the process, before there are threads. It works with `settings` until runner_reload(),
 * which have an absolute path, and keeps the descriptor `kept` open (-1: none), which the way to
 * plyfs.yaml leads through. Returns 0 with *ret for runner_free(), or -errno.
 */
int runner_new(const struct settings *settings, int kept, struct runner **ret);

/** Begins to listen to it, in a thread. 0 or -errno. */
int runner_start(struct runner *runner);

/**
 * Has the program of that kind be run that is the path's, for what `fd`, which stays the caller's,
 * holds from its beginning. `run` must stay until it is done. Any thread may call it. Returns 0; or
 * -errno, and it will not be done.
 */
int runner_run(
	struct runner *runner, enum run_kind kind, const char *path, int fd, struct run *run);

/** Has it read plyfs.yaml again, before all that is asked for from now on. */
void runner_reload(struct runner *runner);

/** Joins the thread, if the process has gone: all that ran has been told so then. By who may stop
 * it. */
void runner_reap(struct runner *runner);

/** Ends it with all that runs. What is not done is told RUN_GONE. */
void runner_stop(struct runner *runner);

/** As runner_stop(), and frees it. NULL: nothing. */
void runner_free(struct runner *runner);
void runner_freep(struct runner **runner);

/** Runs one and waits for it. The runner was started. */
void runner_wait(struct runner *runner, enum run_kind kind, const char *path, int fd,
	struct run_result *ret);

/* Positive result of runner_check(), other than PROBLEM. */
#define RUNNER_UNCHECKED 2

/**
 * Has the check of `path`, if it has one, judge these bytes, and waits for it. The runner was
 * started; `map`, which may be NULL, tells where the lines are from, and *ret what came of it.
 * Returns 0; RUNNER_UNCHECKED, with a problem, if the check is optional and not installed; PROBLEM;
 * or -errno.
 */
int runner_check(struct runner *runner, const struct settings *settings, const char *path,
	struct span bytes, const struct line_map *map, struct run_result *ret,
	struct problem *problem);

/** An unnamed file with those bytes. Returns its descriptor or -errno. */
int runner_file(const char *data, size_t size);
