/*
 * A mirror: a process that keeps a directory equal to a store. This file has what all stores share:
 * the replica, the mirror's status, and the rules for holding a new state back.
 *
 * A mirror never removes files on suspicion. It holds back a state that looks like an accident
 * rather than an intention, keeps the last good one, and reports the fault with its time:
 *
 *      - the store is another one than before (etcd: another cluster; git: no common commit)
 *      - etcd: the revision is older than before (git accepts that, and reports it)
 *      - more than max_delete percent of the files would go away at once
 *
 * The offer is a word that names the state held back, made by etcd.c or git.c. `plyfs mirror
 * confirm` writes that word into STATE/confirm and wakes the mirror by SIGHUP. The mirror then
 * accepts the state that the word names: of git, that commit; of etcd, that cluster at that
 * revision or a later one.
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
	unsigned max_delete; /* percent of the files that may go away at once; 100: all */
	mode_t mode;         /* of files */
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
	int signal_fd;     /* of SIGHUP, which makes the mirror compare again at once */
	unsigned attempts; /* consecutive failures; etcd.c or git.c resets it */
	bool is_ready;
};

/* Positive results, besides those of replica.h. */
enum {
	MIRROR_HELD = 16, /* the new state is held back */
};

/**
 * Opens the replica as it is, and enters the sandbox (sandbox.h): the process may write only in
 * STATE and to /dev/null, and make links and remove names in the directory that contains DIRECTORY.
 * `kind`, `source` (mirror_status.h) and the strings of `options` must outlive *ret. Returns 0 with
 * *ret for mirror_freep(), PROBLEM or -errno.
 */
int mirror_open(const struct mirror_options *options, const char *kind, const char *source,
	struct mirror **ret, struct problem *problem);
void mirror_freep(struct mirror **mirror);

/** Sleeps for `ms` milliseconds, or until SIGHUP. Returns whether SIGHUP has come. */
bool mirror_sleep(struct mirror *mirror, unsigned ms);

/** Returns whether SIGHUP has come, and consumes it. */
bool mirror_is_woken(struct mirror *mirror);

/**
 * Counts a failure, and returns the pause before the next attempt, in ms. After each of the first
 * `endpoints` failures it is 1 ms, as each attempt may use another endpoint. Then the pause grows,
 * and is random, so that machines do not retry at the same time.
 */
unsigned mirror_pause(struct mirror *mirror, unsigned endpoints);

/** Returns `ms`, randomly changed by up to a quarter. */
unsigned mirror_jitter(unsigned ms);

/**
 * Begins or updates the fault of the subject. If the fault is listed (MIRROR_FAULTS_MAX) and is new
 * or has a new message, logs it and writes the status.
 */
__attribute__((format(printf, 3, 4))) void mirror_fault(
	struct mirror *mirror, const char *subject, const char *format, ...);

/** Ends the fault of the subject, if there is one; logs that, and writes the status. */
void mirror_mend(struct mirror *mirror, const char *subject);

/** Reads the word that `plyfs mirror confirm` has written; "": none. */
void mirror_read_confirmation(struct mirror *mirror, char ret[MIRROR_WORD_MAX]);

/** Holds back the state that `offer` names. The message is the reason. Returns MIRROR_HELD. */
__attribute__((format(printf, 3, 4))) int mirror_hold(
	struct mirror *mirror, const char *offer, const char *format, ...);

/**
 * Publishes the draft as the present tree, if they differ or there is no state yet. If too many
 * files would go away, drops the draft instead, and holds its state back by mirror_hold() with
 * `offer`. `offer` NULL: the user has confirmed the state, so it is not held back. Afterwards there
 * is no draft. Returns 0, MIRROR_HELD or -errno.
 */
int mirror_publish(struct mirror *mirror, const char *offer);

/**
 * Notes that the replica is complete at `revision`, and that the store has just answered. Forgets
 * the held offer and its confirmation, and ends the faults "store" and "disk". `is_changed`: the
 * caller has changed files of the present tree itself; mirror_publish() notes its own changes.
 */
void mirror_took(struct mirror *mirror, const char *revision, bool is_changed);

/** Writes the status, which has changed, and sends it to the service manager. */
void mirror_put_status(struct mirror *mirror);
