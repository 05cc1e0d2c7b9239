/* The state that rendered.c, generation.c and generation_link.c share. */
#pragma once

#include "boot.h"
#include "rendered.h"

struct layer;

#define STAGE_NAME "stage"

/* Size of a generation's name, in bytes, with its NUL. */
#define GENERATION_NAME_SIZE 64

struct rendered {
	struct rendered_options options;
	struct layer *place; /* the rendered directory (rendered.h); lookups never leave it */
	struct layer *tree;  /* `place`; --atomic: the shown generation, or NULL: there is none */
	struct manifest *manifest;
	int stage_fd;
	int own_fd;          /* of .plyfs; locked */
	uint64_t staged;     /* number of names made in .plyfs/stage so far */
	char boot[BOOT_MAX]; /* id of this boot, for .plyfs/boot; "": unknown, or written already */
	bool has_rebooted;   /* the last complete state is of an earlier boot */
	char shown[GENERATION_NAME_SIZE]; /* --atomic: the name of `tree` */
	uint64_t seed;                    /* of the bases (bases.h); 0: none */
	bool has_new_bases;               /* .plyfs/bases must be written */
	/* --atomic: the work of the next rendered_commit() */
	enum {
		COMMIT_NOTHING,
		COMMIT_LINKS,      /* to examine the links beside `tree` */
		COMMIT_GENERATION, /* to make another generation, and then to examine its links */
	} work;
};

/* Size of a name in .plyfs/stage, in bytes, with its NUL. */
#define STAGED_MAX 32

/** Opens a directory as a layer that excludes nothing. Returns as layer_open(). */
int rendered_open_layer(const char *path, bool optional, struct layer **ret);

/**
 * Gives an open file or directory the owner and group of `like`, if we may, and the mode of `like`
 * plus the bits `more`. If we may not set the group, the group and others keep only the rights that
 * this mode gives to both. Returns 0 with *ret, whose `hash` stays unset; or -errno.
 */
int rendered_dress(int fd, const struct stat *like, mode_t more, struct fingerprint *ret);

/**
 * Returns whether an object with the fingerprint `is` has the bytes of `wanted`, and the group and
 * mode that rendered_dress() would give it. If plyfs can't set the owner of `wanted`, the owner
 * does not count.
 */
bool rendered_is_as_wanted(const struct fingerprint *wanted, const struct fingerprint *is);

/** Writes the version to a new name. Returns 0 with its fingerprint; or -errno, without a file. */
int rendered_write(
	int directory, const char *name, const struct version *version, struct fingerprint *ret);

/**
 * Takes the fingerprint of the object at the name `owned`. If there is no object, ret->mode becomes
 * 0. Returns 0 or -errno.
 */
int rendered_look(
	const struct rendered *rendered, const struct owned *owned, struct fingerprint *ret);

/** Removes from the manifest the names that no longer exist. Returns 0 or -errno. */
int rendered_forget_gone(struct rendered *rendered);

/** Makes up the next unused name for a file in .plyfs/stage. */
void rendered_stage_name(struct rendered *rendered, char ret[STAGED_MAX]);

/** Reports a file or link, and its outcome, to options.report. */
void rendered_report_outcome(
	const struct rendered *rendered, enum outcome outcome, const struct owned *owned);

/** Makes the problem of an object at `path` that is not ours. Returns PROBLEM. */
int rendered_refuse(const char *path, struct problem *problem);

/** Reports a change by another program at the name `owned`, if it was not reported before. */
void rendered_report_drift(
	const struct rendered *rendered, struct owned *owned, const struct fingerprint *now);
