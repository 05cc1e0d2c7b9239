/*
 * The processes that the supervisor forks:
 *
 * - A mirror, `plyfs mirror`, with no more rights than it needs.
 * - plyfs-report, without the daemon's descriptors. This process makes one status line of the
 *   reports of all mirrors, for the service manager.
 */
#pragma once

#include <sys/types.h>

#include "sandbox.h"
#include "settings.h"
#include "store_spec.h"

/* The user that a store's mirror runs as. */
struct mirror_identity {
	uid_t uid;
	gid_t gid;
	const char *name;
	const char *home;
	char *text; /* contains `name` and `home`; for free(3), even after a failure */
};

/** Finds the user for a store's mirror. Returns 0; PROBLEM, if none is usable; or -errno. */
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

/* Exit status of a process that could not become a mirror. Its messages say why. */
#define MIRROR_NOT_STARTED 127

/**
 * Forks a process that closes all our descriptors, finds the user, prepares the directories, and
 * becomes the mirror. The kernel kills it when the calling thread ends. Returns the pid with *log,
 * the nonblocking read end of a pipe with the mirror's messages, for close(2); or -errno.
 */
pid_t mirror_process_start(const struct mirror_start *start, int *log);

/* Size of a status line, in bytes. */
#define MIRROR_REPORTER_LINE 2048

/**
 * Forks plyfs-report. This process writes a line whenever the status has changed, and ends if no
 * mirror fills a layer. The kernel kills it when the calling thread ends. Returns the pid with
 * *lines, the nonblocking read end of the pipe with the lines, for close(2); or -errno.
 */
pid_t mirror_reporter_start(
	const struct settings *settings, const struct sandbox_switches *switches, int *lines);
