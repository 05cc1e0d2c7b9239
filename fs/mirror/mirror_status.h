/*
 * The status of a mirror, in STATE/status.json (replica.h): for other processes, and for the mirror
 * itself when it starts again. The file is replaced as a whole, by rename(2).
 *
 * A fault is a line for people about a subject, and the time when the fault began. The subject is
 * "store", "suspicion", "disk", "history" or "signature"; for a key or file that can't be shown, it
 * is "key KEY" or "file PATH".
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "mirror_report.h"
#include "problem.h"
#include "sandbox.h"
#include "store.h"

/* Size of an identity, a revision, an endpoint or an offer, in bytes, with its NUL. */
#define MIRROR_WORD_MAX 256

/*
 * Maximum number of listed faults. Once the list is full, faults of further keys and files are left
 * out. Faults of other subjects are still added.
 */
#define MIRROR_FAULTS_MAX 200

/*
 * A field of the status, such as "endpoints", that says how to reach the store (store.h). The text
 * is no secret, but may name a file with a secret.
 */
struct mirror_access {
	const char *name; /* NULL: the end of a list */
	const char *text; /* or NULL */
};

struct mirror_fault {
	char *subject;
	char *message;
	time_t since;
	bool is_swept; /* the sweep under way will end the fault unless it is set again */
};

/* All zero: nothing is known. */
struct mirror_status {
	int fd;             /* STATE; lent */
	const char *kind;   /* "etcd" or "git"; lent, as `source` and `directory` are */
	const char *source; /* the prefix, or the reference and path */
	const char *directory;
	const struct mirror_access *access; /* a list; lent; NULL: none */
	char identity[MIRROR_WORD_MAX];     /* of the store: the cluster's id; or "" */
	char revision[MIRROR_WORD_MAX];     /* of the state: a number or a commit; "": none yet */
	char endpoint[MIRROR_WORD_MAX];     /* the endpoint that answered last */
	char offer[MIRROR_WORD_MAX]; /* the word that `plyfs mirror confirm` needs; "": none */
	size_t files;                /* number of files in the state */
	time_t changed;              /* time of the state's last change; 0: never */
	time_t contact;              /* time of the store's last good answer; 0: never */
	bool is_connected;
	struct sandbox_state sandbox; /* the parts in force */

	struct mirror_fault *faults;
	size_t fault_count;
	size_t fault_capacity;
	const char *sweep;  /* the prefix of the sweep that is under way; lent; NULL: none */
	size_t unlisted;    /* number of faults beyond those listed, in the last sweep */
	uint64_t uncounted; /* hash of the last subject in `unlisted`: counts once */
};

void mirror_status_fini(struct mirror_status *status);

/**
 * Reads identity, revision, endpoint and times from the existing file. Returns 0, even if no file
 * can be read; PROBLEM if a mirror with another `kind` or `source` wrote the file.
 */
int mirror_status_read(struct mirror_status *status, struct problem *problem);

/** Writes the file. Returns 0, or -errno with the old file in place. */
int mirror_status_write(const struct mirror_status *status);

/** Sets the fault of the subject. Returns true if the list gets a new fault, or a new message. */
bool mirror_status_fault(struct mirror_status *status, const char *subject, const char *message);

/** Ends the subject's fault. Returns whether there was one. */
bool mirror_status_mend(struct mirror_status *status, const char *subject);

/** Begins a sweep of the faults whose subject begins with `prefix`, which is lent. */
void mirror_status_sweep_begin(struct mirror_status *status, const char *prefix);

/** Ends the sweep, and each of its faults that was not set again meanwhile. */
void mirror_status_sweep_end(struct mirror_status *status);
