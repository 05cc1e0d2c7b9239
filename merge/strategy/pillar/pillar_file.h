/*
 * The files of one pillar merge. The files that a file's reference keys name are merged into it.
 * The files that its neighbour key names are its neighbours: their values are put into it, each
 * under the neighbour's name.
 *
 *      host ──_merge──▶ zone ──_parent──▶ site
 *        └──_neighbours──▶ other ──_merge──▶ zone (built already)
 *
 * The name of a file's source identifies the file. To build a file is to make its value from its
 * sources and the files that its keys name. A file that is being built is put into no file as a
 * neighbour. So a result depends on which other files are being built. The result records them, and
 * is used again while the same ones are being built.
 */
#pragma once

#include "merge.h"
#include "table.h"

/* The suffix of all files that references lead to. */
#define PILLAR_SUFFIX ".yaml"

struct pillar_built;

struct pillar_file {
	const char *name;                 /* of the source in the highest layer */
	const struct merge_input *inputs; /* lowest layer first */
	size_t count;
	size_t number;              /* starting at 0, in the order in which files were found */
	struct pillar_built *built; /* the file's results, the newest first */
};

/* A set of files, by their numbers. All zero: empty. */
struct pillar_set {
	uint64_t *words;
	size_t count; /* number of words; numbers beyond them are not in the set */
};

/* A result of a file. */
struct pillar_built {
	struct pillar_built *next;
	const struct node *root;    /* NULL: nothing, an empty file */
	struct pillar_set looked;   /* the files on which the result depends */
	struct pillar_set was_open; /* the files in `looked` that were being built */
};

struct pillar_files {
	struct arena *arena;
	const struct merge_environment *environment; /* NULL: no other file can be found */
	const char *directory;                       /* where files are searched for */
	struct pillar_set open;                      /* the files that are being built */

	/* private: */
	size_t count;
	struct table calls; /* from a name that references used to its file */
	struct table files; /* from pillar_file.name to the file */
};

/**
 * Adds the file with the sources `inputs`, which are borrowed. If a file with the name of the
 * highest source is there already, *ret is this file. Returns 0 or -ENOMEM.
 */
int pillar_files_add(struct pillar_files *files, const struct merge_input *inputs, size_t count,
	struct pillar_file **ret);

/**
 * Finds the file for a reference to `name`. "a" is a.yaml, at any depth in files->directory.
 * "inner/a" is a.yaml, at any depth in the directory "inner" of files->directory. `name` is a path
 * (path.h) and must live as long as `files`. Returns 0, MERGE_ABSENT, PROBLEM or -errno.
 */
int pillar_files_find(struct pillar_files *files, const char *name, struct pillar_file **ret,
	struct problem *problem);

/** Returns a result of `file` valid for files->open, or NULL. Adds the search's steps to *work. */
struct pillar_built *pillar_file_built(
	const struct pillar_files *files, const struct pillar_file *file, size_t *work);

bool pillar_set_has(const struct pillar_set *set, const struct pillar_file *file);
bool pillar_set_is_empty(const struct pillar_set *set);

/** Adds a file to the set; adds all files of another set. Both return 0 or -ENOMEM. */
int pillar_set_add(struct pillar_set *set, const struct pillar_file *file, struct arena *arena);
int pillar_set_add_all(struct pillar_set *set, const struct pillar_set *other, struct arena *arena);

/** Sets *ret to the files that are in both sets. Returns 0 or -ENOMEM. */
int pillar_set_common(const struct pillar_set *a, const struct pillar_set *b, struct arena *arena,
	struct pillar_set *ret);

void pillar_set_remove(struct pillar_set *set, const struct pillar_file *file);
