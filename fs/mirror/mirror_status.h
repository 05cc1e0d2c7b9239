/*
 * What a mirror says about itself, in STATE/status.json: for whoever asks how it is, and for the
 * mirror itself when it is started again. It is replaced whole, by rename(2).
 *
 * A trouble is a line for people about a subject, with the time since which it is there: "store",
 * "suspicion", "disk", or a key or file that can't be shown.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "mirror_report.h"
#include "problem.h"
#include "sandbox.h"
#include "store.h"

/* Bytes of an identity, a revision and an endpoint, each with its NUL. */
#define MIRROR_WORD_MAX 256

/* Troubles that are listed; the others are counted. */
#define MIRROR_TROUBLES_MAX 200

/* How the store is reached: for who writes to it, or tells what is in it (store.h). Never a secret,
 * but the names of files with some. */
struct mirror_access {
	const char *name; /* NULL: the end of a list */
	const char *text; /* or NULL */
};

struct mirror_trouble {
	char *subject;
	char *message;
	time_t since;
	bool is_swept; /* it goes, unless it is told again */
};

/* All zero: nothing is known. */
struct mirror_status {
	int fd;             /* STATE; lent */
	const char *kind;   /* "etcd" or "git"; lent, as the next two */
	const char *source; /* the prefix, or the reference and path */
	const char *directory;
	const struct mirror_access *access; /* lent; NULL: none */
	char identity[MIRROR_WORD_MAX]; /* of the store: the cluster's id; "" */
	char revision[MIRROR_WORD_MAX]; /* of the state: a number or a commit; "": none yet */
	char endpoint[MIRROR_WORD_MAX]; /* that answered last */
	char offer[MIRROR_WORD_MAX];    /* what could be confirmed; "": nothing */
	size_t files;
	time_t changed; /* when the state came; 0: never */
	time_t contact; /* when the store was known to have nothing newer; 0: never */
	bool is_connected;
	struct sandbox_state sandbox; /* what is in force */

	struct mirror_trouble *troubles;
	size_t trouble_count;
	size_t trouble_capacity;
	size_t unlisted; /* troubles more than are listed */
};

void mirror_status_fini(struct mirror_status *status);

/**
 * Takes identity, revision and times from the file that there is. 0, also when there is none or it
 * can't be read; PROBLEM when it is that of another source; or -ENOMEM.
 */
int mirror_status_read(struct mirror_status *status, struct problem *problem);

/** Writes the file. 0 or -errno, with the old one in place. */
int mirror_status_write(const struct mirror_status *status);

/** Sets the trouble of the subject. Returns whether there was none, or another, and it is listed.
 */
bool mirror_status_trouble(struct mirror_status *status, const char *subject, const char *message);

/** Ends it. Returns whether there was one. */
bool mirror_status_mend(struct mirror_status *status, const char *subject);

/** Troubles whose subject begins with `prefix`: marks all; and ends those not told since. */
void mirror_status_sweep_begin(struct mirror_status *status, const char *prefix);
void mirror_status_sweep_end(struct mirror_status *status);
