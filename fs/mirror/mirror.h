/*
 * A mirror: a process that keeps a directory equal to a store. This header has what mirrors of etcd
 * and of git share.
 *
 * In the following cases a mirror holds a new state back: the last good state stays, and the mirror
 * reports a fault.
 *
 *      - the store is not the same as before (etcd: another cluster; git: no common commit)
 *      - etcd: the revision is older than before
 *      - more than max_delete percent of the files would be removed at once
 *
 * An offer is a word that names the held state: a commit, or a cluster of etcd with a revision.
 * `plyfs mirror confirm` writes the word into STATE/confirm (replica.h), and wakes the mirror by
 * SIGHUP. The mirror then accepts this state, or a later revision of this cluster.
 */
#pragma once

#include "mirror_status.h"
#include "replica.h"
#include "sandbox.h"

/* The default of `max_delete`, in percent. */
#define MIRROR_MAX_DELETE 50

#define MIRROR_CONFIRM_NAME "confirm"

struct mirror_options {
	struct replica_options replica;
	unsigned max_delete; /* percent of the files that may be removed at once; 100: all */
	mode_t mode;         /* of the mirrored files */
	const struct mirror_access *access; /* set by etcd.c or git.c; must outlive the mirror */
	struct sandbox_switches switches;

	void (*log)(void *context, const char *line);
	/* Notifies a service manager: "READY=1", "STATUS=…". */
	void (*notify)(void *context, const char *text);
	void *context;
};

struct mirror {
	struct mirror_options options;
	struct replica *replica;
	struct mirror_status status;
	int signal_fd;     /* of SIGHUP, which makes the mirror compare with the store at once */
	unsigned attempts; /* failures since the store worked; etcd.c or git.c resets it */
	bool is_ready;
};

/* Positive results, besides those of replica.h. */
enum {
	MIRROR_HELD = 16, /* the new state is held back */
};

/**
 * Opens the replica with its present state, and enters the sandbox (sandbox.h). `kind`,
 * `source` (mirror_status.h) and the strings of `options` must outlive *ret. Returns 0 with *ret
 * for mirror_freep(), PROBLEM or -errno.
 */
int mirror_open(const struct mirror_options *options, const char *kind, const char *source,
	struct mirror **ret, struct problem *problem);
void mirror_freep(struct mirror **mirror);

/** Sleeps for `ms` milliseconds, or until SIGHUP. Returns whether SIGHUP has come. */
bool mirror_sleep(struct mirror *mirror, unsigned ms);

/** Returns whether SIGHUP has come, and consumes it. */
bool mirror_is_woken(struct mirror *mirror);

/**
 * Counts a failure. Returns the pause before the next attempt, in ms: 1 after each of the first
 * `endpoints` failures, as each attempt may use another endpoint; later a random time that grows.
 */
unsigned mirror_pause(struct mirror *mirror, unsigned endpoints);

/** Returns `ms`, changed at random by a quarter at most. */
unsigned mirror_jitter(unsigned ms);

/**
 * Begins or updates the fault of the subject (mirror_status.h). If the fault or its message is new,
 * logs it and writes the status. Lists at most MIRROR_FAULTS_MAX faults, and counts further ones.
 */
__attribute__((format(printf, 3, 4))) void mirror_fault(
	struct mirror *mirror, const char *subject, const char *format, ...);

/** Ends the fault of the subject. If there was a fault, logs its end, and writes the status. */
void mirror_mend(struct mirror *mirror, const char *subject);

/** Reads the word that `plyfs mirror confirm` has written; "": none. */
void mirror_read_confirmation(struct mirror *mirror, char ret[MIRROR_WORD_MAX]);

/** Holds back the state that `offer` names, for the reason in `format`. Returns MIRROR_HELD. */
__attribute__((format(printf, 3, 4))) int mirror_hold(
	struct mirror *mirror, const char *offer, const char *format, ...);

/**
 * Publishes the draft (replica.h) as the present tree, if the two differ or there is no state yet.
 * If more files would be removed than max_delete allows, holds the state `offer` back instead.
 * `offer` NULL: the user has confirmed the state. In each case the draft is gone afterwards.
 * Returns 0, MIRROR_HELD or -errno.
 */
int mirror_publish(struct mirror *mirror, const char *offer);

/**
 * Notes that the store has just answered. Call it even if the store's state is held back, or the
 * disk has no room for it. Ends the fault "store".
 */
void mirror_answered(struct mirror *mirror);

/**
 * Notes that the store has just answered, and the replica is complete at `revision`. Forgets the
 * offer and its confirmation, and ends the faults "suspicion", "store" and "disk". `is_changed`:
 * the caller has changed the present tree by replica_put() or replica_remove().
 */
void mirror_took(struct mirror *mirror, const char *revision, bool is_changed);

/** Writes the status, and sends it to the service manager. */
void mirror_put_status(struct mirror *mirror);
