/* A command of plyfs.yaml to run. The runner passes it to the guard, and the guard to the child. */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

#include "program.h"

enum run_kind {
	RUN_CHECK,     /* `file` has the bytes to judge */
	RUN_ON_CHANGE, /* `file` has the list of paths */
	RUN_KINDS,
};

/* Values that commands get: those that the daemon had at its start, not its present ones. */
struct run_origin {
	char *language; /* "LANG=…" */
	struct rlimit files;
	uint64_t slice_ns; /* slice.h */
};

struct run_command {
	enum run_kind kind;
	const struct program *program;
	const char *path; /* of the judged file, or of a changed one; relative to the root */
	int file;
	const struct run_origin *origin;
};
