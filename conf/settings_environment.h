/*
 * The environment that settings depend on, such as the working directory, the host and the user. A
 * NULL field stands for this process's own value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

struct settings_text;

/* Greatest number of --fact options. */
#define SETTINGS_FACTS_MAX 32

struct settings_environment {
	/* Absolute. Relative paths begin here. */
	const char *directory;

	/* Values of %H, %m and %u, to make the settings that another machine would have. */
	const char *host;
	const char *machine_id;
	const char *user; /* %h is the home of this user on this machine */

	/* NAME=VALUE of --fact. NULL follows the last one, unless the array is full. If a name
	 * comes twice, its last value counts. */
	const char *facts[SETTINGS_FACTS_MAX];
	uint32_t *used_facts; /* gets the bit 1 << i when facts[i] is looked up; or NULL */
	const struct settings_text *fact_file; /* the file of facts; NULL: none, or not read yet */

	/* The directory that our mount hides (absolute, without links; NULL: none), and a path that
	 * leads to this directory beneath the mount (NULL: none is known). */
	const char *mountpoint;
	const char *beneath;
};

/**
 * Copies `around` to *ret, with the texts in `arena`, but leaves ret->fact_file and
 * ret->used_facts as they are. If `around` is NULL, *ret stays unchanged. Returns 0 or -ENOMEM.
 */
int settings_environment_copy(const struct settings_environment *around, struct arena *arena,
	struct settings_environment *ret);

/**
 * Makes the path that messages show: a relative `path` gets `directory` in front. Returns 0 or
 * -ENOMEM. *ret lies in `arena`, or is `path` or `directory` itself.
 */
int settings_environment_absolute(const struct settings_environment *around, const char *path,
	struct arena *arena, const char **ret);

/**
 * As settings_environment_absolute(), for open(2): if the mount hides the path, and `beneath` is
 * known, *ret leads through `beneath`.
 */
int settings_environment_place(const struct settings_environment *around, const char *path,
	struct arena *arena, const char **ret);

/** Returns whether the environment names a host, a machine id, a user or a fact. */
bool settings_environment_is_other(const struct settings_environment *around);

/** Returns whether the mount hides `path` (absolute, or relative to the working directory). */
bool settings_environment_hides(const struct settings_environment *around, const char *path);
