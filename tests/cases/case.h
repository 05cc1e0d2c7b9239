/* clang-format off */
/*
 * A golden case: one folder, whose name is the rule that it protects.
 *
 *      10-base.yaml …   the sources, lowest precedence first: all files but the following, in byte
 *                       order of their names; a layer's name is the file's without "10-" and ending
 *      rule.yaml        strategy, options, to, schema, path, header, limits, needs, lock; all may be
 *                       missing; and `refuses`, the places that the lock refuses: "10-base.yaml:1:2"
 *                       or a list of them. Without a strategy it is the one whose name the folder's
 *                       begins with, behind "should-fail-", or else deep
 *      tree/            the files that merge_environment.find searches
 *      expect.yaml, expect.json, expect.txt   the merged file, byte for byte
 *      expect.err       or else the message, one line
 */
/* clang-format on */
#pragma once

#include "cleanup.h"
#include "merge.h"

struct case_file {
	char *name; /* relative to the case's folder */
	char *layer;
	char *text; /* NUL-terminated */
	size_t len;
};

struct case_files {
	struct case_file *data;
	size_t count;
};

struct golden {
	char *folder;
	struct case_files sources;
	struct case_files tree;  /* breadth first, names in byte order */
	struct case_file rule;   /* name NULL: none */
	struct case_file expect; /* name NULL: none; its ending tells the kind */
	bool has_second_expect;
	struct document *rule_document;
	struct merge_request request; /* without inputs */
	struct options options;
	const struct node *refuses; /* NULL: nothing */
	char *needs;                /* NULL: nothing */
	struct arena *arena;        /* of the lock; NULL: there is none */
};

/** Reads the files of `folder`. Returns 0 with *ret for golden_free(), or -errno. */
int golden_read(const char *folder, struct golden **ret);

/** Reads the rule into golden->request. Returns 0, PROBLEM (of a source "rule.yaml") or -errno. */
int golden_read_rule(struct golden *golden, struct problem *problem);

/* Looks at a result while it exists; returns 0, PROBLEM or -errno. */
typedef int golden_look_fn(void *context, const struct merge_request *request,
	const struct merge_result *result, struct problem *problem);

/** Merges, and calls `look`. Returns its result, PROBLEM, or -errno. */
int golden_look(
	struct golden *golden, golden_look_fn *look, void *context, struct problem *problem);

/** Merges. Returns 0 with *ret for free(3), PROBLEM, or -errno. */
int golden_merge(struct golden *golden, char **ret, size_t *ret_len, struct problem *problem);

/** The ending that the expected file has when the merge succeeds: "yaml", "json" or "txt". */
const char *golden_ending(const struct golden *golden);

void golden_free(struct golden *golden);
void golden_freep(struct golden **golden);
