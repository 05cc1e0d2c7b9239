/*
 * What came of running a program of plyfs.yaml.
 */
#pragma once

#include "problem.h"
#include "program.h"

/* Bytes of its output that are kept, from the beginning, with a NUL behind them. */
#define RUN_OUTPUT_MAX 4096

enum run_end {
	RUN_EXITED,    /* value: its exit status */
	RUN_KILLED,    /* value: the signal that it died of */
	RUN_TIMED_OUT, /* value: its time limit in milliseconds; it was killed */
	RUN_UNSTARTED, /* value: errno of what could not be done; `output` says what that was */
	RUN_UNNAMED,   /* the settings name no such program for the path, or no more */
	RUN_GONE,      /* there is no process that could run it */
};

struct run_result {
	enum run_end end;
	int value;
	char output[RUN_OUTPUT_MAX];
};

/** Whether it ended well. */
bool run_is_good(const struct run_result *result);

/** Milliseconds until it is tried again when `tries` before it came to nothing: 1 s, 2 s, 4 s … 5
 * min.
 */
int64_t run_pause_ms(unsigned tries);

/**
 * The problem of `path` whose program, called `what` ("check"), ended so, with the remedy. Returns
 * PROBLEM.
 */
int run_problem(const struct run_result *result, const char *path, const char *what,
	const struct program *program, struct problem *problem);
