/* A layer spec: a layer as plyfs.yaml or the command line requests it, before it is opened. */
#pragma once

#include <limits.h>

#include "arena.h"
#include "layer.h"
#include "problem.h"
#include "store_spec.h"

struct layer_spec {
	const char *name; /* NULL: layer_specs_name() makes it from the path */
	const char *path; /* as requested, for messages */
	const char *at;   /* the path for open(2) */
	/* the store, if we run a mirror for the layer; else NULL */
	const struct store_spec *store;
	/* letters of the specifiers (%H: 'H'; %{NAME}: '{') in the path as plyfs.yaml has it; NULL:
	 * none */
	const char *specifiers;
	/* number of bytes in `path` after the value of the first specifier other than %h */
	size_t behind;
	/* the name is from plyfs.yaml, not from the path */
	bool is_named;
	enum {
		LAYER_EXPECTED,
		LAYER_OPTIONAL, /* the directory may be missing */
		LAYER_REQUIRED, /* the directory must not be empty */
	} presence;
	/* a specifier in `path` has no value on this machine, so the layer, which must be optional,
	 * counts as missing */
	bool has_no_value;
	bool follow;
	const char *const *exclude; /* as in struct layer; NULL: the default */
	const struct node *place; /* where it is requested in plyfs.yaml; NULL: on a command line */
};

/* Greatest number of patterns that one layer may exclude. Each costs time for every path. */
#define LAYER_EXCLUDE_MAX 256

/**
 * Sets the members `path`, `specifiers`, `behind` and `has_no_value`. `text` is the path in
 * plyfs.yaml. Replaces the specifiers in it, such as %H (plyfs.yaml(5)), by their values. A
 * relative path begins at `directory`, which is "" or ends with a slash. If this machine has no
 * value for a specifier, an optional layer counts as missing, and its path keeps the specifier; a
 * layer that is not optional gives PROBLEM. Returns 0, with the texts in `arena`; PROBLEM at the
 * spec's place; or -ENOMEM.
 */
int layer_spec_expand(struct layer_spec *spec, const char *text, const char *directory,
	const struct settings_environment *around, struct arena *arena, struct problem *problem);

/**
 * Looks up the value of the specifier `letter`, such as 'H', for a rule. Returns 0; -ENOENT if
 * there is no such specifier, or it stands for a path; PROBLEM at `place` if its value can't be
 * found, or is no file name; or -ENOMEM.
 */
int layer_specifier(char letter, const struct settings_environment *around,
	const struct node *place, char ret[PATH_MAX], struct problem *problem);

/** Reads the switches `optional` and `required` of the layer's map. Returns 0 or PROBLEM. */
int layer_spec_read_presence(
	struct layer_spec *spec, const struct node *map, struct problem *problem);

/**
 * If a layer has no name yet, its name becomes the last part of its path, prefix or URL. If that
 * name is taken, -2, -3 … is added. Returns 0, PROBLEM if plyfs.yaml gives two layers the same
 * name, or -ENOMEM.
 */
int layer_specs_name(
	struct layer_spec *specs, size_t count, struct arena *arena, struct problem *problem);

/**
 * Opens a layer. Its spec must have a name. Returns 0 with *ret for layer_free(), PROBLEM with the
 * remedy, or -ENOMEM.
 */
int layer_spec_open(
	const struct layer_spec *spec, unsigned rank, struct layer **ret, struct problem *problem);
