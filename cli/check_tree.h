/*
 * What a check says of a tree as a whole, beyond its files: rules, patterns, layers and whiteouts
 * that do nothing, and references that more than one file answers.
 */
#pragma once

#include "check_report.h"
#include "offline.h"

/* The files that a rule or virtual file was seen to merge. */
struct merged {
	bool is_any;    /* a file is there */
	bool is_broken; /* one does not merge, so that not all that it has is known */
};

struct check_tree {
	struct offline *offline;
	char **paths; /* the files and links, in the order of the traversal */
	size_t count;
	size_t capacity;

	/* private: */
	struct findings findings; /* of the traversal */
	struct option_uses uses;  /* of all files */
	struct merged *rules;     /* for each */
	struct merged *files;     /* for each virtual file */
	struct asking *askings;
	size_t asking_count;
	size_t asking_capacity;
	struct arena *arena; /* of all texts */
};

/** For `offline`. Returns 0 or -ENOMEM; check_tree_fini() whatever it is. */
int check_tree_init(struct check_tree *tree, struct offline *offline);

/** Adds the files at `path` and below. Results as traverse(). */
int check_tree_traverse(struct check_tree *tree, const char *path);

/** Takes note of a file that was inspected; what is wrong with its patterns is told. 0 or -ENOMEM.
 */
int check_tree_note(struct check_tree *tree, struct check_report *report, const char *path,
	const struct inspection *inspection);

/** Whether `pattern` matches one of the files. */
bool check_tree_matches(const struct check_tree *tree, const char *pattern);

/** Tells the rest. `is_whole`: all files were inspected. 0 or -errno. */
int check_tree_tell(struct check_tree *tree, struct check_report *report, bool is_whole);

void check_tree_fini(struct check_tree *tree);
