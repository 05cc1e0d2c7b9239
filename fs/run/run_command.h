/* A command of plyfs.yaml, to be run by a guard (guard.h). */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

#include "program.h"

enum run_kind {
	RUN_CHECK,     /* `file` has the bytes to judge */
	RUN_ON_CHANGE, /* `file` has the list of paths */
	RUN_KINDS,
};

/* The values that commands inherit: see runner_new(), runner.h. */
struct run_origin {
	char *language;      /* "LANG=…" */
	struct rlimit files; /* the limit of descriptors */
	uint64_t slice_ns;   /* the time slice (slice.h) */
};

struct run_command {
	enum run_kind kind;
	const struct program *program;
	const char *path; /* of the judged file, or of a changed one; relative to the root */
	int file;         /* a descriptor; the guard's child copies its content for the program */
	const struct run_origin *origin;
};
