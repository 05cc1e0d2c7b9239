/*
 * The manifest: what a rendered directory holds that is ours. A log on the disk, `.plyfs/manifest`,
 * with a line before each name that is made and one after each that is gone, so that whoever is
 * killed at any moment knows afterwards what was his:
 *
 *      plyfs render 1
 *      + app.yaml
 *      + sub/
 *      - app.yaml
 *
 * A newline in a name is written `\n`, a backslash `\\`. A line without its end was not written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One name that is ours. */
struct owned {
	const char *path; /* relative to the rendered directory */
	bool is_directory;
	bool is_seen; /* for the owner's use; false when it was read */
	bool is_changed; /* likewise */
	uint64_t ino; /* likewise; 0 */
};

struct manifest;

/**
 * Reads the manifest in the directory `fd`, which the caller keeps, and begins it anew without what
 * is gone. Without one it is empty. Returns 0 with *ret for manifest_free(); -EBADMSG
 * when it is none of ours; or -errno.
 */
int manifest_open(int fd, struct manifest **ret);
void manifest_free(struct manifest *manifest); /* NULL is fine */
void manifest_freep(struct manifest **manifest);

/** What is ours at `path`, or NULL. Lives until it is dropped. */
struct owned *manifest_find(const struct manifest *manifest, const char *path);

/** Before the name is made; found if it is ours already. 0 with *ret, or -errno. */
int manifest_add(
	struct manifest *manifest, const char *path, bool is_directory, struct owned **ret);

/** After the name has gone. 0 or -errno. */
int manifest_drop(struct manifest *manifest, struct owned *owned);

/**
 * What is ours at `path` and below, "" for all, in byte order of the paths: so what is in a
 * directory comes behind it. 0 with *ret for free(3), or -ENOMEM.
 */
int manifest_list(
	const struct manifest *manifest, const char *path, struct owned ***ret, size_t *count);
