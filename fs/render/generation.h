/*
 * Generations: with --atomic, each state of the tree is a directory of its own, as in a volume of
 * Kubernetes. All names lead through one link, which rename(2) switches.
 *
 *      DIRECTORY/..data         -> ..2026_11_22_12_00_00.123456789
 *      DIRECTORY/..2026_…/      app.yaml, sub/x.yaml: the generation
 *      DIRECTORY/app.yaml       -> ..data/app.yaml
 *      DIRECTORY/sub            -> ..data/sub
 *
 * A file that has not changed is the same file (a hard link) in the next generation. The old
 * generation is removed as soon as no link leads to it.
 */
#pragma once

#include "rendered.h"

#define GENERATION_LINK "..data"

/* The prefix, in the manifest, of names beside the generations. */
#define GENERATION_BESIDE "./"

/** Returns whether the name is in DIRECTORY itself: a link, or the directory of a generation. */
bool generation_is_beside(const struct owned *owned);

/** Returns owned->path without GENERATION_BESIDE: a path in DIRECTORY, or in the generation. */
const char *generation_path(const struct owned *owned);

/** Returns the entry of `name` in DIRECTORY itself; adds it if it is missing. NULL: no memory. */
struct owned *generation_get_beside(struct rendered *rendered, const char *name);

/** Returns whether the next generation will have the name, by the changes noted so far. */
bool generation_shows(const struct owned *owned);

/** Returns whether the name begins with "..", as a generation's does. */
bool generation_has_name(const char *name);

/** Opens the generation that is shown, if there is one. Returns 0, PROBLEM or -errno. */
int generation_open(struct rendered *rendered, struct problem *problem);

/** Removes all generations but the shown one: a killed process leaves some. Returns 0 or -errno. */
int generation_clear(struct rendered *rendered);

/* As rendered_put(), rendered_put_directory() and rendered_remove(), for the next generation. */
int generation_put(struct rendered *rendered, struct owned *owned, const struct version *version,
	struct problem *problem);
int generation_put_directory(struct rendered *rendered, struct owned *owned,
	const struct stat *stat, struct problem *problem);
int generation_remove(struct rendered *rendered, struct owned *owned);

/** Makes and shows the next generation, if there are changes. Returns 0, PROBLEM or -errno. */
int generation_commit(struct rendered *rendered, struct problem *problem);
