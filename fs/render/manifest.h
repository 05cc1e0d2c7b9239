/*
 * The manifest: the names in a rendered directory that belong to plyfs. It is a log on the disk,
 * `.plyfs/manifest`. plyfs writes a line before each change. So even if plyfs is killed, the next
 * plyfs can distinguish the changes of the killed one from those of other programs:
 *
 *      plyfs render 2
 *      + 100444 0 0 3f2a6c0e11d09b54 app.yaml         (mode, owner, group, hash of the bytes)
 *      + 40755 0 0 0 sub
 *      =                                              (the changes of all lines above are complete)
 *      ? app.yaml                                     (app.yaml is about to be removed)
 *      - app.yaml                                     (app.yaml is removed: forget it)
 *
 * 1. A name with a line after the last `=` is in doubt: its object is as the name's last line says,
 *    or as the name's last line but one says. The names of a generation change all at once: either
 *    each is as its last line says, or each is as its last line above the last `=` says.
 * 2. A file in doubt whose rights were changed may have any mixture of the old and the new rights.
 * 3. Before a process changes anything in the directory, it settles all names in doubt.
 * 4. If a line could not be written, the log is made anew before the next line.
 *
 * A newline in a name is written `\n`, a backslash `\\`. A line without a final newline is ignored.
 *
 * If the first line is "plyfs render 2 atomic", the names are those in a generation; "./NAME" is a
 * name beside the generation.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "fingerprint.h"

struct version;

/* A name that belongs to plyfs, or soon will. */
struct owned {
	/* of the object that plyfs put there last, or is about to put there; mode 0: none */
	struct fingerprint fingerprint;
	struct fingerprint former; /* of the previous object; used while the name is in doubt */
	uint32_t line;             /* private: the number of the name's last line */
	bool is_logged;            /* private: the log has `fingerprint` */

	/* For the manifest's caller; zero after reading. */
	uint64_t basis; /* of the sources that gave `fingerprint` (bases.h); 0: unknown */
	uint64_t stamp; /* hash of the stamp (bases.h) of the object there; 0: unknown */
	bool is_seen;   /* this process found the name in the layers, or the lookup failed */
	/* --atomic: what the next generation has there */
	enum fate { FATE_SAME, FATE_CHANGED /* another object */, FATE_GONE /* none */ } fate;
	bool is_kept_back;  /* another program has changed the object, and the change stays */
	bool is_closed;     /* a directory that gets more rights after its contents are written */
	bool may_be_older;  /* an object of an earlier state may be at the name, or below it */
	uint32_t reported;  /* hash of the drift that was last reported */
	int failure;        /* result of the last operation on the name; 0: it did not fail */
	bool is_publishing; /* the publisher will retry a failed change of the name (failure.c) */
	char *fault;        /* the failure's message, from malloc(3); NULL: none */
	uint64_t ino;       /* the view's inode number of the shown object */
	struct version *wanted; /* --atomic: the next generation's version; a reference is held */

	char path[]; /* relative to the rendered directory */
};

struct manifest;

/* Positive result of manifest_open(): the manifest has the other value of `is_atomic`. */
#define MANIFEST_OTHER_KIND 2

/* The message for -EBADMSG. */
#define MANIFEST_UNREADABLE "has a manifest that this plyfs can't read; remove the directory"

/**
 * Reads the manifest in the directory `fd`, which stays the caller's. If there is no manifest, or
 * `fd` is negative, makes an empty one. If `is_dry` is true, no function writes *ret to the disk;
 * only then may `fd` be negative. Returns 0 with *ret for manifest_freep(); MANIFEST_OTHER_KIND;
 * -EBADMSG if this plyfs can't read the manifest; or another -errno.
 */
int manifest_open(int fd, bool is_atomic, bool is_dry, struct manifest **ret);

/**
 * Reads a manifest of any kind. Writes nothing. Returns 0 with *ret for manifest_freep(); -ENOENT
 * if there is no manifest; -EBADMSG if this plyfs can't read it; or another -errno.
 */
int manifest_read(int fd, struct manifest **ret);
void manifest_freep(struct manifest **manifest);

/** Returns whether the names are those in a generation. */
bool manifest_is_atomic(const struct manifest *manifest);

/** Returns the entry of `path`; NULL: none. An entry lives until manifest_forget(). */
struct owned *manifest_find(struct manifest *manifest, const char *path);

/** Returns the entry of `path`, and adds the entry if it is missing. NULL: no memory. */
struct owned *manifest_get(struct manifest *manifest, const char *path);

/**
 * Logs that the caller is about to put an object with the fingerprint `wanted` at the name; or, if
 * wanted->mode is 0, to remove the name. Returns 0; or -errno with nothing logged.
 */
int manifest_put(struct manifest *manifest, struct owned *owned, const struct fingerprint *wanted);

/** Undoes manifest_put() after a failure. `before` is the fingerprint of the object still there. */
void manifest_undo(
	struct manifest *manifest, struct owned *owned, const struct fingerprint *before);

/** Returns whether the name is in doubt (rule 1 above). */
bool manifest_is_in_doubt(const struct manifest *manifest, const struct owned *owned);

/**
 * Settles a name in doubt: logs `now`, the present object's fingerprint, if `now` is owned->former
 * or a mixture (rule 2). When all names are settled, call manifest_seal(). Returns 0 or -errno.
 */
int manifest_settle(struct manifest *manifest, struct owned *owned, const struct fingerprint *now);

/** Logs that the name has gone. Its entry stays in memory. Returns 0 or -errno. */
int manifest_drop(struct manifest *manifest, struct owned *owned);

/** Removes the entry of a name that does not belong to plyfs. */
void manifest_forget(struct manifest *manifest, struct owned *owned);

/** Logs that all changes are complete. Returns 0 or -errno. */
int manifest_seal(struct manifest *manifest);

/** Returns how the object with the fingerprint `now` differs from the one that plyfs put there. */
enum drift manifest_drift(
	const struct manifest *manifest, const struct owned *owned, const struct fingerprint *now);

/** Writes a path and a newline, as in the manifest. */
void manifest_put_path(FILE *out, const char *path);

/** Reads a hexadecimal number in lower case, and moves *at behind it. */
uint64_t manifest_read_hash(char **at);

/** Decodes the path in `line` (without a newline) in place. Returns `line`; NULL: malformed. */
char *manifest_read_path(char *line);

/** Returns entry `index`, from 0 on, in byte order of the paths; NULL: `index` is too large. */
struct owned *manifest_at(const struct manifest *manifest, size_t index);

/**
 * Lists the entries at and below `path` ("": all) in byte order of their paths. Returns 0 with *ret
 * for free(3), or -ENOMEM.
 */
int manifest_list(struct manifest *manifest, const char *path, struct owned ***ret, size_t *count);
