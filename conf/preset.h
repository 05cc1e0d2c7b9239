/*
 * Presets: ready rules for a program, by a name that plyfs.yaml says: `presets: [docker]`.
 *
 *      description: Docker's daemon.json
 *      rules: [...]            as in plyfs.yaml
 *
 * A preset is a file NAME.yaml in one of a few directories, the first of which that has it counts:
 * those that PLYFS_PRESETS names, with a colon between two; else /etc/plyfs/presets, and where
 * plyfs is installed. It has rules and nothing else: no layers, and no options of a mount.
 */
#pragma once

#include <sys/stat.h>

#include "document.h"

struct preset {
	const char *name;
	const char *path; /* of its file */
	const char *description;
	const struct node *rules; /* a list */
	const struct node *place; /* where it is named; NULL: nowhere */
	struct document *document;
	struct stat read; /* of the file, as it was read */
};

/**
 * Reads the preset that is called `name`, which is written at `node` (NULL: nowhere). Returns 0
 * with *ret for preset_fini(), whose strings lie in `arena`; PROBLEM, with the nearest name and all
 * there are where there is none; or -ENOMEM.
 */
int preset_read(const char *name, const struct node *node, struct arena *arena, struct preset *ret,
	struct problem *problem);

void preset_fini(struct preset *preset);

/** Where they are looked for: directories, a colon between two. */
const char *preset_directories(void);

/** The names of all presets, in byte order, with NULL behind the last. 0 or -ENOMEM. */
int preset_names(struct arena *arena, const char *const **ret);
