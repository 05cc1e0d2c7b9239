/* The result of a command of plyfs.yaml. */
#pragma once

#include "backoff.h"
#include "problem.h"
#include "program.h"

struct line_map;

/* Size of the stored beginning of a command's output, in bytes, with its NUL. */
#define RUN_OUTPUT_MAX 4096

/*
 * Size of the path of a workspace: a directory with one file for a command of plyfs.yaml. The file
 * has the content to be checked, or the list of changed paths.
 */
#define WORKSPACE_PATH_MAX 64

/* The `output` of RUN_UNSTARTED if exec(3) itself failed. */
#define RUN_STARTING "starting it"

/* The `output` of RUN_UNSTARTED if there is no place for the command's files. */
#define RUN_PLACING "making its directory in /tmp"

enum run_end {
	RUN_EXITED,    /* value: its exit status */
	RUN_KILLED,    /* value: the signal that it died of */
	RUN_TIMED_OUT, /* value: its time limit in milliseconds; the command was killed */
	RUN_UNSTARTED, /* value: an errno; `output` names the step that has failed */
	RUN_GONE, /* its guard (guard.h) was killed, or runner_stop() ended the run; no value */
};

struct run_result {
	enum run_end end;
	int value;
	char output[RUN_OUTPUT_MAX];
	char workspace[WORKSPACE_PATH_MAX]; /* the command's directory (guard.h); "": none */
};

/** Returns the result of a command that could not be started; `error` is a -errno. */
struct run_result run_unstarted(int error);

/** Returns whether the command ended with status 0. */
bool run_is_good(const struct run_result *result);

/**
 * Returns whether the command failed because a program or shared library is missing or can't be
 * executed: exec(3) failed, or the status is 127 or 126, which shells, env(1) and timeout(1) use
 * for this. If so, sets `name` to that program or library, and *why (static) to "is not installed"
 * or "can't be executed".
 */
bool run_is_missing(const struct run_result *result, const struct program *program,
	char name[PROGRAM_NAME_MAX], const char **why);

/** Returns the remedy for a missing program. `why` contains the *why of run_is_missing(). */
const char *run_missing_remedy(const char *why);

/** The pauses before a failed command is tried again. */
extern const struct backoff run_pause_ms;

/* The purpose for which a program was run. */
struct run_subject {
	const char *path;              /* NULL: no file */
	const char *what;              /* the purpose, for messages: "the check" */
	const struct program *program; /* NULL: messages have `what` in place of its name */
	const struct line_map *map;    /* of the file's lines; NULL: the sources are not known */
};

/**
 * Makes the problem of a failed command, with the remedy. If the output of a command that exited
 * names a line of the file, the problem's place is the source of that line. Returns PROBLEM.
 */
int run_problem(const struct run_result *result, const struct run_subject *subject,
	struct problem *problem);
