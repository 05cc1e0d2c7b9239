/*
 * A mirror: a process that keeps a directory equal to what a store has. Here is what the stores
 * have in common: the replica, what is said about it, and when a new state is not believed.
 *
 * Nothing is ever emptied on suspicion. A state that looks like a mishap, not like somebody's will,
 * is held back, the last good one stays, and a trouble says so with its time:
 *
 *      - the store is another one than before
 *      - its revision is older than the one that it had
 *      - more than max_delete percent of the files would go away at once
 *
 * What is held back is an offer, a word of the store's. `plyfs mirror confirm` writes it into
 * STATE/confirm and wakes the mirror by SIGHUP; the store then takes a state that matches.
 */
#pragma once

#include "mirror_status.h"
#include "replica.h"
#include "sandbox.h"

/* Suspicion, without an option: percent. */
#define MIRROR_MAX_DELETE 50

#define MIRROR_CONFIRM_NAME "confirm"

struct mirror_options {
	struct replica_options replica;
	unsigned max_delete; /* percent of the files that may go away at once; 100: all */
	mode_t mode;         /* of files */
	const struct mirror_access *access; /* set by the source; must outlive the mirror */
	struct sandbox_switches switches;

	void (*log)(void *context, const char *line);
	/* For a service manager: "READY=1", "STATUS=…". */
	void (*notify)(void *context, const char *text);
	void *context;
};

struct mirror {
	struct mirror_options options;
	struct replica *replica;
	struct mirror_status status;
	int signal_fd;     /* SIGHUP: look again, at once */
	unsigned attempts; /* that have failed in a row; the source resets it */
	bool is_ready;
};

/* Positive results, besides those of replica.h. */
enum {
	MIRROR_HELD = 16, /* the new state is held back */
};

/**
 * Takes up what there is. From then on the process is in a sandbox (sandbox.h), and writes nothing but
 * that. `kind` and `source` (mirror_status.h) must outlive *ret. Returns 0,
 * PROBLEM or -errno.
 */
int mirror_open(const struct mirror_options *options, const char *kind, const char *source,
	struct mirror **ret, struct problem *problem);
void mirror_freep(struct mirror **mirror);

/** Sleeps; true: it was woken by SIGHUP. */
bool mirror_sleep(struct mirror *mirror, unsigned ms);

/** Whether SIGHUP has come; it is taken. */
bool mirror_is_woken(struct mirror *mirror);

/**
 * The pause before the next attempt, in ms, after one more that has failed. The first `ways` come
 * at once, as each may be by another way; then it grows, and no two machines' are alike.
 */
unsigned mirror_pause(struct mirror *mirror, unsigned ways);

/** `ms`, give or take a quarter. */
unsigned mirror_jitter(unsigned ms);

/** Milliseconds of a clock that only goes forward. */
uint64_t mirror_now(void);

/** A trouble of the subject begins or goes on; and ends. Changes are logged and told. */
__attribute__((format(printf, 3, 4))) void mirror_trouble(
	struct mirror *mirror, const char *subject, const char *format, ...);
void mirror_mend(struct mirror *mirror, const char *subject);

/** Reads what `plyfs mirror confirm` has written: "" for nothing. */
void mirror_read_confirmation(struct mirror *mirror, char ret[MIRROR_WORD_MAX]);

/** Holds back what is offered; the message says why. Returns MIRROR_HELD. */
__attribute__((format(printf, 3, 4))) int mirror_hold(
	struct mirror *mirror, const char *offer, const char *format, ...);

/**
 * The draft becomes the present tree, if it is different. With `offer` it is held back when too
 * much would go away; NULL: that was confirmed. Returns 0, MIRROR_HELD or -errno, without the
 * draft.
 */
int mirror_publish(struct mirror *mirror, const char *offer);

/** The replica is complete at this revision, and the store has been heard of just now. */
void mirror_took(struct mirror *mirror, const char *revision, bool is_changed);

/** Writes the status after something in it was changed. */
void mirror_tell(struct mirror *mirror);
