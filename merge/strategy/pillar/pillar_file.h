/*
 * The files of one pillar merge: each is looked for once, built once, and known by its source's
 * name, whatever it was called.
 *
 *      host ──_merge──▶ zone ──_parent──▶ site
 *        └──_neighbours──▶ other ──_merge──▶ zone (built already)
 *
 * Most files are the same wherever they are named, so what was built once serves ever after. The
 * exception are neighbours that name each other: one that is being built is left out, so what a
 * file becomes can depend on the files that are being built around it. Such a result remembers
 * which files those were, and serves again only where they are the same.
 */
#pragma once

#include "merge.h"

/* The ending of all files that references lead to. */
#define PILLAR_SUFFIX ".yaml"

struct pillar_built;

struct pillar_file {
	const char *name;                 /* first; the source's, of the highest layer */
	const struct merge_input *inputs; /* lowest layer first */
	size_t count;
	size_t number;              /* starting at 0, in the order in which they were found */
	struct pillar_built *built; /* what it became, the newest first */
};

/* A set of files, by their numbers. All zero is the empty set. */
struct pillar_set {
	uint64_t *words;
	size_t count; /* words; what lies behind them is not in the set */
};

/* What a file became. */
struct pillar_built {
	struct pillar_built *next;
	const struct node *root;    /* NULL: nothing, an empty file */
	struct pillar_set looked;   /* files of which it matters whether they are being built */
	struct pillar_set was_open; /* those among them that were being built */
};

struct pillar_files {
	struct arena *arena;
	const struct merge_environment *environment; /* may be NULL: there is nothing to find */
	const char *directory;                       /* where files are looked for */
	struct pillar_set open;                      /* the files that are being built */

	/* private: */
	size_t count;
	void *calls; /* tsearch(3) trees of struct pillar_name and struct pillar_file */
	void *files;
};

void pillar_files_fini(struct pillar_files *files);

/** The file whose sources are `inputs`. Returns 0 or -ENOMEM. */
int pillar_files_add(struct pillar_files *files, const struct merge_input *inputs, size_t count,
	struct pillar_file **ret);

/**
 * The file that references call `name`: NAME.yaml, beneath the directory; "inner/a" is a.yaml
 * beneath its directory "inner". `name` is a path (see path_fault()) and lives as long as
 * `files`. Returns 0, MERGE_ABSENT, PROBLEM with `problem` filled, or -errno.
 */
int pillar_files_find(struct pillar_files *files, const char *name, struct pillar_file **ret,
	struct problem *problem);

/**
 * What the file became before, when that holds with the files that are open now; or NULL. Adds to
 * *work what looking cost.
 */
struct pillar_built *pillar_file_built(
	const struct pillar_files *files, const struct pillar_file *file, size_t *work);

bool pillar_set_has(const struct pillar_set *set, const struct pillar_file *file);
bool pillar_set_is_empty(const struct pillar_set *set);

/** Return 0 or -ENOMEM. */
int pillar_set_add(struct pillar_set *set, const struct pillar_file *file, struct arena *arena);
int pillar_set_add_all(struct pillar_set *set, const struct pillar_set *other, struct arena *arena);
int pillar_set_common(const struct pillar_set *a, const struct pillar_set *b, struct arena *arena,
	struct pillar_set *ret);

void pillar_set_remove(struct pillar_set *set, const struct pillar_file *file);
