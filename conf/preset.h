/*
 * Presets: ready-made rules for a program. plyfs.yaml names them: `presets: [docker]`.
 *
 *      description: Docker's daemon.json
 *      rules: [...]            as in plyfs.yaml
 *
 * A preset is a file NAME.yaml. If several directories have the file, plyfs reads only the first
 * one. The environment variable PLYFS_PRESETS lists the directories, separated by colons. The
 * default is /etc/plyfs/presets, then the directory of the presets that are installed with plyfs.
 */
#pragma once

#include "path_list.h"
#include "settings_environment.h"
#include "settings_text.h"

struct preset {
	const char *name;
	struct settings_text text;
	const char *description;
	const struct node *rules; /* a list */
	const struct node *place; /* where plyfs.yaml names it; NULL: nowhere */
};

/**
 * Reads the preset `name`, which plyfs.yaml names at `node` (NULL: nowhere), also beneath the mount
 * of `around` (NULL: there is none). Returns 0 with *ret for preset_fini() (its strings lie in
 * `arena`); PROBLEM; or -errno for a shortage of memory or descriptors. After an error,
 * ret->text.read is set if the file was read.
 */
int preset_read(const char *name, const struct node *node,
	const struct settings_environment *around, struct arena *arena, struct preset *ret,
	struct problem *problem);

void preset_fini(struct preset *preset);

/** Returns the directories that are searched, separated by colons. */
const char *preset_directories(void);

/* If these have no preset at all. */
#define PRESET_REMEDY "install plyfs, or set PLYFS_PRESETS to the sources' data/presets"

/**
 * Lists the names of all presets, in byte order. *ret must be empty. Returns 0, or -errno for a
 * shortage of memory or descriptors. In both cases call path_list_fini().
 */
int preset_names(struct path_list *ret);
