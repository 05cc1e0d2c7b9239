/* The result of a command of plyfs.yaml. */
#pragma once

#include "problem.h"
#include "program.h"
#include "workspace.h"

struct line_map;

/* Size of a command's stored output, in bytes: its beginning, and a NUL. */
#define RUN_OUTPUT_MAX 4096

/* The `output` of RUN_UNSTARTED if exec(3) itself failed. */
#define RUN_STARTING "starting it"

enum run_end {
	RUN_EXITED,    /* value: its exit status */
	RUN_KILLED,    /* value: the signal that it died of */
	RUN_TIMED_OUT, /* value: its time limit in milliseconds; it was killed */
	RUN_UNSTARTED, /* value: errno of the step that `output` names */
	RUN_GONE,      /* its guard was killed, or the runner was stopped */
};

struct run_result {
	enum run_end end;
	int value;
	char output[RUN_OUTPUT_MAX];
	char workspace[WORKSPACE_PATH_MAX]; /* its directory (workspace.h); "": none */
};

/** Returns the result of a command that could not be started; `error` is a -errno. */
struct run_result run_unstarted(int error);

/** Returns whether the command succeeded. */
bool run_is_good(const struct run_result *result);

/**
 * Returns whether a program is missing: `program`, or one that it runs. A shell, env(1) and
 * timeout(1) report that by the statuses 127 and 126. If so, `name` becomes the missing program's
 * name, and *why (static) "is not installed" or "can't be executed".
 */
bool run_is_missing(const struct run_result *result, const struct program *program,
	char name[PROGRAM_NAME_MAX], const char **why);

/** Returns the remedy. `why` is the text of run_is_missing(), or ends with that text. */
const char *run_missing_remedy(const char *why);

/** Returns the ms to wait after failure number `tries`, from 0 on: 1 s, 2 s, 4 s … 5 min. */
int64_t run_pause_ms(unsigned tries);

/* The purpose for which a program was run. */
struct run_subject {
	const char *path; /* NULL: no file */
	const char *what; /* the purpose, as messages name it: "the check" */
	const struct program *program;
	const struct line_map *map; /* of the file's lines; NULL: the sources are not known */
};

/**
 * Makes the problem of a failed command, with the remedy. If the output names a line of the file,
 * the problem has the place of that line in its source. Returns PROBLEM.
 */
int run_problem(const struct run_result *result, const struct run_subject *subject,
	struct problem *problem);
