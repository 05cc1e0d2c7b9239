/*
 * A layer spec: a layer as it is asked for, not opened yet.
 */
#pragma once

#include "arena.h"
#include "layer.h"
#include "problem.h"
#include "store_spec.h"

struct layer_spec {
	const char *name; /* NULL: from the path, by layer_specs_name() */
	const char *path; /* as it is asked for, for messages */
	const char *at;   /* where that is */
	const struct store_spec *store; /* that it is a mirror of; NULL: none that we run */
	const char *specifiers; /* the letters of those in the path as plyfs.yaml has it; NULL: none */
	size_t behind; /* bytes of the path behind what the first of %H, %m and %u stood for */
	bool is_named; /* by plyfs.yaml, and not by its path */
	bool optional;
	bool has_no_value; /* optional, and its path needs what this machine lacks: it is missing */
	bool follow;
	const char *const *exclude; /* as in struct layer; NULL: the default */
	const struct node
		*place; /* where it is asked for, in plyfs.yaml; NULL: on a command line */
};

/* Patterns that one layer excludes. Each costs time for every path. */
#define LAYER_EXCLUDE_MAX 256

/**
 * Sets the path of a layer in a plyfs.yaml, and its specifiers: %H, %m, %h, %u and %% in `text` replaced
 * (plyfs.yaml(5)), and taken from `directory` when relative. `directory` may be "", or ends with a
 * slash. If this machine has no machine id, say, an optional layer is missing, and its path keeps
 * the %m. Returns 0, with the path in `arena`; PROBLEM at the spec's place; or -ENOMEM.
 */
int layer_spec_expand(struct layer_spec *spec, const char *text, const char *directory,
	const struct surroundings *around, struct arena *arena, struct problem *problem);

/**
 * Names the layers that have no name by the last part of their path, prefix or URL, with -2, -3 … behind it where
 * that is taken. Returns 0, PROBLEM when two have been given the same name, or -ENOMEM.
 */
int layer_specs_name(
	struct layer_spec *specs, size_t count, struct arena *arena, struct problem *problem);

/**
 * Opens a layer, whose spec has a name. Returns 0 with *ret for layer_free(), PROBLEM with the
 * remedy, or -ENOMEM.
 */
int layer_spec_open(
	const struct layer_spec *spec, unsigned rank, struct layer **ret, struct problem *problem);
