/*
 * The search of `plyfs merge` for files that a strategy needs in addition to the inputs. The search
 * goes breadth first, and takes the names in a directory in byte order. The search skips links to
 * directories, and directories whose names begin with a dot.
 */
#pragma once

#include "merge.h"
#include "typed_value.h"

struct data_search_tree;
struct data_search_file;

struct data_search {
	const struct merge_request *request; /* decides how documents are parsed */
	struct arena *arena;                 /* gets all that the search finds, except documents */
	struct typed_documents *documents;   /* gets the documents of the files */
	/* private: */
	struct data_search_tree *trees; /* directories that were searched */
	struct data_search_file *files; /* files that were found */
};

/**
 * For merge_environment.find: finds the first file `name` in `directory` or its subdirectories.
 * `context` is a struct data_search.
 */
int data_search_find(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem);

/** Returns the text of the found file that messages call `name`; an empty text: there is none. */
struct span data_search_text(const struct data_search *search, const char *name);
