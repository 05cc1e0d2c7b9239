/*
 * Layered files in memory, and the environment in which the pillar strategy looks for them.
 */
#pragma once

#include "merge.h"

#define PILLAR_TREE_FILES 1024
#define PILLAR_TREE_LAYERS 4

struct pillar_tree_file {
	char *path; /* "zones/a.yaml" */
	struct merge_input layers[PILLAR_TREE_LAYERS];
	struct document *documents[PILLAR_TREE_LAYERS];
	size_t count; /* layers that have it */
};

struct pillar_tree {
	struct pillar_tree_file files[PILLAR_TREE_FILES];
	size_t count;
	size_t questions; /* how often find() was called */
	int failure;      /* the result of find() instead, if not 0 */
	struct merge_environment environment;
	bool wants_origins;
};

void pillar_tree_init(struct pillar_tree *tree);
void pillar_tree_fini(struct pillar_tree *tree);

/** Adds a file, or the next higher layer of one. Copies both. The text must be well formed. */
void pillar_tree_add(struct pillar_tree *tree, const char *path, const char *text);

struct pillar_tree_file *pillar_tree_get(struct pillar_tree *tree, const char *path);

/**
 * Merges the file at `path` by the pillar strategy, with `options` as YAML text (NULL: none).
 * Results as merge_run().
 */
int pillar_tree_merge(struct pillar_tree *tree, const char *path, const char *options,
	struct limits limits, struct merge_result **ret, struct problem *problem);
