/* A mirror's process: `plyfs mirror …`, started with no more rights than it needs. */
#pragma once

#include <sys/types.h>

#include "sandbox.h"
#include "store_spec.h"

/* The user that a store's mirror runs as. */
struct mirror_identity {
	bool is_other; /* not the calling process's user */
	uid_t uid;
	gid_t gid;
	char name[256];
	char home[4096];
};

/** Finds the user for a store's mirror. Returns 0; or PROBLEM, if none is usable. */
int mirror_identity_find(
	const struct store_spec *store, struct mirror_identity *ret, struct problem *problem);

/**
 * Makes the directories that the mirror needs. The mirror's user becomes the owner of store->home.
 * Returns 0, PROBLEM or -ENOMEM.
 */
int mirror_process_prepare(const struct store_spec *store, const struct mirror_identity *identity,
	struct problem *problem);

struct mirror_start {
	const struct store_spec *store;
	const struct sandbox_switches *switches;
	int program; /* our own program, open with O_PATH; greater than 2 */
};

/* Exit status of a mirror that could not be started. Its messages say why. */
#define MIRROR_NOT_STARTED 127

/**
 * Makes a pipe, and sets *written to its write end. Then coroutine_fork() forks a process that runs
 * run(context). *written must be a member of *context, where `run` finds it. Returns the pid with
 * *ret, the nonblocking read end, for close(2); or -errno.
 */
pid_t mirror_process_fork(void (*run)(void *context), void *context, int *written, int *ret);

/**
 * Forks the mirror's process. That process closes all our descriptors, finds its user, prepares the
 * directories, and starts the program. The kernel kills it when the calling thread ends. Returns
 * the pid with *log, the nonblocking read end of a pipe with the mirror's messages, for close(2);
 * or -errno.
 */
pid_t mirror_process_start(const struct mirror_start *start, int *log);
