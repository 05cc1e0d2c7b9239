/* The messages between the runner and plyfs-run: packets over a socket. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "run_result.h"

enum run_kind {
	RUN_CHECK,     /* with a descriptor of the bytes to judge */
	RUN_ON_CHANGE, /* with a descriptor of the list of paths */
	RUN_RELOAD,    /* read plyfs.yaml again; not answered */
};

/* Maximum number of commands of each kind that run at the same time. */
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
