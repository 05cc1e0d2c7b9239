/*
 * The part of `plyfs check` that concerns a whole tree: finds rules, patterns, layers and whiteouts
 * that have no effect. Also finds references that several files match. A reference (inspect.h) is a
 * merge's request for a file by its name.
 */
#pragma once

#include "check_report.h"
#include "offline.h"
#include "table.h"

/* Whether the files of a rule, or a virtual file, merge. Of several states, the greatest counts. */
enum merged {
	MERGED_NONE,   /* there is no such file */
	MERGED_ALL,    /* all such files merge */
	MERGED_BROKEN, /* one such file does not merge, or merges only without a source */
};

struct check_tree {
	struct offline *offline;
	char **paths; /* of the files and links, in the order of the traversal */
	size_t count;
	size_t capacity;

	/* private: */
	struct findings findings; /* of the traversal */
	struct option_uses uses;  /* of all files */
	enum merged *rules;       /* one for each rule */
	enum merged *files;       /* one for each virtual file */
	struct asking *askings;   /* the references of all merges, each once */
	struct table asked;       /* their directories and names */
	size_t asking_count;
	size_t asking_capacity;
	struct arena *arena; /* holds these members, except `findings`, `uses`, `askings` */
};

/** Borrows `offline`. Returns 0 or -ENOMEM; in both cases call check_tree_fini(). */
int check_tree_init(struct check_tree *tree, struct offline *offline);

/** Adds the files at `path` and below. Returns as offline_traverse(). */
int check_tree_traverse(struct check_tree *tree, const char *path);

/**
 * Adds a file's inspection (inspect.h). If the file is virtual, reports its patterns that match
 * nothing. Returns 0 or -ENOMEM.
 */
int check_tree_note(struct check_tree *tree, struct check_report *report, const char *path,
	const struct inspection *inspection);

/** Returns whether `pattern` matches one of the files. */
bool check_tree_matches(const struct check_tree *tree, const char *pattern);

/**
 * Reports the findings of the tree. If `is_whole` (all files were inspected), also reports settings
 * that have no effect. Returns 0 or -errno.
 */
int check_tree_report(struct check_tree *tree, struct check_report *report, bool is_whole);

void check_tree_fini(struct check_tree *tree);
