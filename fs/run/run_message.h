/* The messages between the runner and plyfs-run, whole packets over a socket. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "run_result.h"

enum run_kind {
	RUN_CHECK,     /* the candidate comes with it as a descriptor */
	RUN_ON_CHANGE, /* the list of paths likewise */
	RUN_RELOAD,    /* plyfs.yaml is to be read again; not answered */
};

/* Commands of a kind that may run at once. */
#define RUN_SLOTS 2

struct run_request {
	enum run_kind kind;
	uint64_t id;
	char path[PATH_MAX]; /* relative to the root; sent up to its NUL */
};

struct run_answer {
	uint64_t id;
	struct run_result result;
};
