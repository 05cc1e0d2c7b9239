/*
 * Generations: with --atomic, each state of the tree is a directory of its own, as in a volume of
 * Kubernetes, and all names lead through one link that a rename switches.
 *
 *      DIRECTORY/..data         -> ..2026_11_22_12_00_00.123456789
 *      DIRECTORY/..2026_…/      app.yaml, sub/x.yaml: the generation
 *      DIRECTORY/app.yaml       -> ..data/app.yaml
 *      DIRECTORY/sub            -> ..data/sub
 *
 * A file that has not changed is the same file (a hard link) in the next one. The old one goes as
 * soon as nothing leads there: what was taken away from somebody must not stay there for him.
 */
#pragma once

#include "rendered.h"

#define GENERATION_LINK "..data"

/* In the manifest, before the names of what stands beside the generation. */
#define GENERATION_BESIDE "./"

bool generation_is_beside(const struct owned *owned);

/** Whether it is a name that a generation's may be taken for: "..2026_…". */
bool generation_has_name(const char *name);

/** Opens the one that is shown, if there is one. 0, PROBLEM or -errno. */
int generation_open(struct rendered *rendered, struct problem *problem);

/** Removes what a death has left of others than the one that is shown. 0 or -errno. */
int generation_clear(struct rendered *rendered);

/* As in rendered.h, seen with the next generation. */
int generation_put(struct rendered *rendered, struct owned *owned, const struct version *version,
	struct problem *problem);
int generation_put_directory(struct rendered *rendered, struct owned *owned,
	const struct stat *stat, struct problem *problem);
int generation_remove(struct rendered *rendered, struct owned *owned);

/** Makes and shows it, if something has changed. 0, PROBLEM or -errno. */
int generation_commit(struct rendered *rendered, struct problem *problem);
