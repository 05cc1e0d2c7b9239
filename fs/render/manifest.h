/*
 * The manifest: what a rendered directory holds that is ours. A log on the disk, `.plyfs/manifest`,
 * with a line before each change, so that whoever starts after somebody was killed at any moment
 * can tell what that one did from what somebody else has changed:
 *
 *      plyfs render 2
 *      + 100444 0 0 3f2a6c0e11d09b54 app.yaml         (mode, owner, group, hash of the bytes)
 *      + 40755 0 0 0 sub
 *      =                                              (all that stands above is in its place)
 *      ? app.yaml                                     (it is to be taken away)
 *      - app.yaml                                     (nothing of it is anywhere: forget it)
 *
 * 1. A name is changed after its line is written, and one line's change is over before the next
 *    line of that name is written. So behind the last `=` a name stands as its last line says, or
 *    as the one before: it is in doubt. Of a generation, which is shown all at once, it stands as
 *    the last line says, or as the last one before `=`.
 * 2. What stands there already, and is given other rights, may have each of them, old or new.
 * 3. Who opens the directory looks at all that is in doubt, and writes down which it is, before he
 *    changes anything. So no doubt is older than a process.
 * 4. Where the log could not be written, it is made anew before the next line.
 *
 * A newline in a name is written `\n`, a backslash `\\`. A line without its end was not written.
 *
 * With "plyfs render 2 atomic" the names are those of a generation; "./NAME" is one beside it.
 */
#pragma once

#include <stddef.h>

#include "imprint.h"

struct version;

/* One name: of what is ours, or is to be. */
struct owned {
	struct imprint print;  /* what was put there last, or is about to be; mode 0: nothing */
	struct imprint former; /* … before that; it counts while the name is in doubt */
	uint32_t line;         /* private: when that was logged */
	bool is_logged;        /* private: the log has `print` */

	/* For the owners' use; nothing when it was read. */
	bool is_seen;
	bool is_changed;        /* --atomic: the next generation has something else there */
	bool is_gone;           /* --atomic: … nothing */
	bool is_kept_back;      /* somebody's change was left, and not what the layers say put */
	uint32_t reported;      /* hash of the drift that was told last */
	int failure;            /* why it could not be made; it is tried again */
	char *trouble;          /* … for people; owned */
	uint64_t ino;           /* the view's number of what is shown */
	struct version *wanted; /* --atomic; a reference */

	char path[]; /* relative to the rendered directory */
};

struct manifest;

/* What manifest_open() and manifest_read() say of a manifest of the other kind. */
#define MANIFEST_OTHER_KIND 2

/**
 * Reads the manifest in the directory `fd`, which the caller keeps, and begins it anew without what
 * is gone. Without one it is empty. Returns 0 with *ret for manifest_free(); MANIFEST_OTHER_KIND;
 * -EBADMSG when it is none of ours; or -errno.
 */
int manifest_open(int fd, bool is_atomic, struct manifest **ret);

/** The same, and no change is ever written. `fd` may be -1: there is none. */
int manifest_open_dry(int fd, bool is_atomic, struct manifest **ret);

/** The same for who looks only: -ENOENT where there is none. */
int manifest_read(int fd, struct manifest **ret);
void manifest_free(struct manifest *manifest); /* NULL is fine */

bool manifest_is_atomic(const struct manifest *manifest);

/** What is known of `path`, or NULL; and the same made where it is not. NULL: no memory. */
struct owned *manifest_find(const struct manifest *manifest, const char *path);
struct owned *manifest_get(struct manifest *manifest, const char *path);

/** Before that is put at the name, or nothing: it is taken away. 0 or -errno: nothing has changed. */
int manifest_put(struct manifest *manifest, struct owned *owned, const struct imprint *print);

/** When that could not be done after all: `before` is there still. */
void manifest_undo(struct manifest *manifest, struct owned *owned, const struct imprint *before);

/** Whether it may be as before still. */
bool manifest_is_in_doubt(const struct manifest *manifest, const struct owned *owned);

/** Ends the doubt by what stands there: one of both, or somebody has changed it. 0 or -errno. */
int manifest_settle(struct manifest *manifest, struct owned *owned, const struct imprint *now);

/** After the name has gone. It is known still, in memory. 0 or -errno. */
int manifest_drop(struct manifest *manifest, struct owned *owned);

/** Forgets a name that is not ours. */
void manifest_forget(struct manifest *manifest, struct owned *owned);

/** All that was put is in its place, and nothing in doubt. 0 or -errno; nothing is lost then. */
int manifest_seal(struct manifest *manifest);

/** What somebody has done to the name, as `now` stands there. */
enum drift manifest_drift(
	const struct manifest *manifest, const struct owned *owned, const struct imprint *now);

/**
 * What is known at `path` and below, "" for all, in byte order of the paths: so what is in a
 * directory comes behind it. 0 with *ret for free(3), or -ENOMEM.
 */
int manifest_list(
	const struct manifest *manifest, const char *path, struct owned ***ret, size_t *count);
