/*
 * What came of running a program of plyfs.yaml.
 */
#pragma once

#include "problem.h"
#include "program.h"
#include "workspace.h"

struct line_map;

/* Bytes of its output that are kept, from the beginning, with a NUL behind them. */
#define RUN_OUTPUT_MAX 4096

/* In `output` of RUN_UNSTARTED: all was prepared, and exec(3) failed. */
#define RUN_STARTING "starting it"

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
	char workspace[WORKSPACE_PATH_MAX]; /* the directory that the file was in; "": none */
};

/** Whether it ended well. */
bool run_is_good(const struct run_result *result);

/**
 * Whether there was no program to run: it is not installed, or nobody may execute it. A shell,
 * env(1) and timeout(1) tell that of what they start by the statuses 127 and 126. `why` becomes "is
 * not installed" or "can't be executed", and `name` which program that is.
 */
bool run_is_missing(const struct run_result *result, const struct program *program,
	char name[PROGRAM_NAME_MAX], const char **why);

/** Returns the remedy, by the `why` of run_is_missing(), in front of which the name may stand. */
const char *run_missing_remedy(const char *why);

/** Milliseconds until it is tried again when `tries` before it came to nothing: 1 s, 2 s, 4 s … 5
 * min.
 */
int64_t run_pause_ms(unsigned tries);

/* What a program was run for. */
struct run_subject {
	const char *path; /* NULL: no file */
	const char *what; /* "the check" */
	const struct program *program;
	const struct line_map *map; /* of the file's lines; NULL: not known */
};

/**
 * The problem of the subject whose program ended so, with the remedy: where the output tells a
 * place in the file, that of the source's line. Returns PROBLEM.
 */
int run_problem(const struct run_result *result, const struct run_subject *subject,
	struct problem *problem);
