/*
 * What a strategy asks for beyond its inputs, looked for on the disk: the environment of
 * `plyfs merge`, which has no layers. A directory is taken from the current one, and is searched
 * breadth first: top directories first, names in byte order. Names that begin with a dot are left
 * out, and links to directories are not followed, so that a search always ends.
 */
#pragma once

#include "merge.h"

struct file_watch;
struct search_tree;
struct search_file;

struct search {
	const struct merge_request *request; /* says how documents are read */
	struct search_tree *trees;           /* directories that were searched before */
	struct search_file *files;           /* that were found */
};

/** For merge_environment.find, with a struct search as the context. */
int search_find(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem);

/** The text of the file that messages call `name`, when it was found; else empty. */
struct span search_text(const struct search *search, const char *name);

/** How many directories were searched. */
size_t search_count(const struct search *search);

/** Watches every directory that was searched, and every file that was found there. 0 or -ENOMEM. */
int search_watch(const struct search *search, struct file_watch *watch);

void search_fini(struct search *search);
