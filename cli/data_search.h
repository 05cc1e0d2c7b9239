/*
 * What a strategy asks for beyond its inputs, looked for on the disk: the environment of
 * `plyfs merge`, which has no layers. A directory is taken from the current one, and is searched
 * breadth first: top directories first, names in byte order. Names that begin with a dot are left
 * out, and links to directories are not followed, so that a search always ends.
 */
#pragma once

#include "merge.h"

struct file_watch;
struct data_search_tree;
struct data_search_file;

struct data_search {
	const struct merge_request *request; /* says how documents are read */
	struct data_search_tree *trees;      /* directories that were searched before */
	struct data_search_file *files;      /* that were found */
};

/** For merge_environment.find, with a struct data_search as the context. */
int data_search_find(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem);

/** The text of the file that messages call `name`, when it was found; else empty. */
struct span data_search_text(const struct data_search *search, const char *name);

/** How many directories were searched. */
size_t data_search_count(const struct data_search *search);

/** Watches every directory that was searched, and every file that was found there. 0 or -ENOMEM. */
int data_search_watch(const struct data_search *search, struct file_watch *watch);

void data_search_fini(struct data_search *search);
