/*
 * A mirror's process: `plyfs mirror …`, started with no more rights than it needs.
 */
#pragma once

#include <sys/types.h>

#include "sandbox.h"
#include "store_spec.h"

/* Whom a store's mirror runs as. */
struct mirror_identity {
	bool is_other; /* than who we are */
	uid_t uid;
	gid_t gid;
	char name[256];
	char home[4096];
};

/** Finds it. Returns 0; or PROBLEM, when there is no such user, with the remedy. */
int mirror_identity_find(
	const struct store_spec *store, struct mirror_identity *ret, struct problem *problem);

/** Makes the directories that it needs, and its own his. Returns 0, PROBLEM or -errno. */
int mirror_process_prepare(const struct store_spec *store, const struct mirror_identity *identity,
	struct problem *problem);

struct mirror_start {
	const struct store_spec *store;
	const struct mirror_identity *identity;
	const struct sandbox_switches *switches;
	int program; /* our own, open with O_PATH */
};

/**
 * Starts it. *log is the end of a pipe with what it says. Returns its pid, or -errno. It is killed
 * when we die.
 */
pid_t mirror_process_start(const struct mirror_start *start, int *log);
