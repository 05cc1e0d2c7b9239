/*
 * What rendered.c and generation.c share.
 */
#pragma once

#include "rendered.h"

struct layer;

#define STAGE_NAME "stage"

/* Bytes of a boot's name, with its NUL. */
#define BOOT_MAX 64

/* Room for the name of a generation. */
#define GENERATION_NAME_SIZE 64

struct rendered {
	struct rendered_options options;
	struct layer *place; /* a directory that is never left */
	struct layer *tree;  /* what shows the names: `place`, or a generation; NULL: none yet */
	struct manifest *manifest;
	int stage_fd;
	int own_fd; /* locked */
	uint64_t staged;
	char boot[BOOT_MAX];              /* this one; "": .plyfs/boot has it */
	bool has_rebooted;                /* since it was written last */
	char shown[GENERATION_NAME_SIZE]; /* --atomic: the name of `tree` */
	bool is_changed;    /* --atomic: another generation is to be made */
	bool has_old_links; /* --atomic: the links to it are to be looked at */
};

/** Room for a name in the stage. */
#define STAGED_MAX 32

/** Opens a directory as a layer of which nothing is excluded. Returns as layer_open(). */
int rendered_open_layer(const char *path, bool optional, struct layer **ret);

/** Gives an open file or directory its mode and owner, and `more`. 0 with *ret, or -errno. */
int rendered_dress(int fd, const struct stat *like, mode_t more, struct imprint *ret);

/** Writes the version to a new name. 0 with its imprint, or -errno and nothing is there. */
int rendered_write(
	int directory, const char *name, const struct version *version, struct imprint *ret);

/** What stands at a name of the manifest; nothing where that can't be reached. 0 or -errno. */
int rendered_look(
	const struct rendered *rendered, const struct owned *owned, struct imprint *ret);

/** Forgets all that is nowhere any more. 0 or -errno. */
int rendered_forget_gone(struct rendered *rendered);

/** The next name in the stage. */
void rendered_stage_name(struct rendered *rendered, char ret[STAGED_MAX]);

/** Tells what comes of a file or link. */
void rendered_tell_outcome(
	const struct rendered *rendered, enum outcome outcome, const struct owned *owned);

/** PROBLEM: something else stands at `path`. */
int rendered_refuse(const char *path, struct problem *problem);

/** Says what somebody has done to it, once. */
void rendered_report_drift(
	const struct rendered *rendered, struct owned *owned, const struct imprint *now);
