/*
 * The runner: has the commands of plyfs.yaml run by the process plyfs-run (run_process.h), and
 * passes on the results.
 *
 *      runner_run ──request, descriptor──▶ plyfs-run ──▶ guard ──▶ the program
 *          run->done ◀──a thread of its own────── answer ─┘
 *
 * Checks and change hooks have RUN_SLOTS slots each. The runner does not count them: plyfs-run
 * refuses more.
 */
#pragma once

#include "run_message.h"
#include "settings.h"

struct runner;

/* A run, inside of a larger struct. The runner does not free it. */
struct run {
	/* Called by the runner's thread, or by runner_stop(); with no lock held. */
	void (*done)(struct run *run, const struct run_result *result);

	/* private to the runner */
	uint64_t id;
	struct run *next;
};

/**
 * Starts the process, before there are threads. It uses `settings`, which have an absolute path,
 * until runner_reload(). It keeps open the descriptor `kept`, through which plyfs.yaml is found;
 * -1: none. Returns 0 with *ret for runner_free(), or -errno.
 */
int runner_new(const struct settings *settings, int kept, struct runner **ret);

/** Starts the thread that reads its answers. Returns 0 or -errno. */
int runner_start(struct runner *runner);

/**
 * Runs the path's command of that kind for the content of `fd`, from its beginning; `fd` stays the
 * caller's. `run` must live until run->done is called. Any thread. Returns 0; or -errno: run->done
 * will not be called.
 */
int runner_run(
	struct runner *runner, enum run_kind kind, const char *path, int fd, struct run *run);

/** Makes plyfs-run read plyfs.yaml again, before all later requests. */
void runner_reload(struct runner *runner);

/**
 * Joins the thread if the process has ended, after all runs got their results. For the thread that
 * may stop the runner.
 */
void runner_reap(struct runner *runner);

/** Ends the process with all its commands. Unfinished runs get RUN_GONE. */
void runner_stop(struct runner *runner);

/** As runner_stop(), and frees it. NULL: nothing. */
void runner_free(struct runner *runner);
void runner_freep(struct runner **runner);

/** Runs a command and waits for it. The runner must be started. */
void runner_wait(struct runner *runner, enum run_kind kind, const char *path, int fd,
	struct run_result *ret);

/* Positive result of runner_check(), other than PROBLEM. */
#define RUNNER_UNCHECKED 2

/**
 * Judges these bytes by the check of `path`, if it has one, and waits for it. The runner must be
 * started. `map` has the origins of the lines, and may be NULL; *ret gets the result. Returns 0;
 * RUNNER_UNCHECKED, with a problem, if the check is optional and not installed; PROBLEM; or -errno.
 */
int runner_check(struct runner *runner, const struct settings *settings, const char *path,
	struct span bytes, const struct line_map *map, struct run_result *ret,
	struct problem *problem);

/** Makes an unnamed file with these bytes. Returns its descriptor or -errno. */
int runner_file(const char *data, size_t size);
