/* A layer spec: a layer as plyfs.yaml or the command line requests it, before it is opened. */
#pragma once

#include <limits.h>

#include "arena.h"
#include "layer.h"
#include "problem.h"
#include "store_spec.h"

struct layer_spec {
	const char *name; /* NULL until layer_specs_name() if plyfs.yaml gives none */
	const char *path; /* for messages; with the values of its specifiers */
	/* the path for open(2), from layer_spec_open(); "": a specifier in `path` has no value,
	 * so the layer counts as missing */
	const char *at;
	const struct store_spec *store; /* the store that a mirror copies the layer from, or NULL */
	/* letters of the specifiers in plyfs.yaml's path (%H: 'H'; %{NAME}: '{'); NULL: none */
	const char *specifiers;
	size_t behind; /* length of `path` behind the value of its first specifier other than %h */
	bool is_named; /* plyfs.yaml gives the name */
	enum {
		LAYER_EXPECTED,
		LAYER_OPTIONAL, /* the directory may be missing */
		LAYER_REQUIRED, /* the directory must not be empty */
	} presence;
	bool follow;
	const char *const *exclude; /* as in struct layer; NULL: the default */
	const struct node *place; /* of the layer in plyfs.yaml; NULL: it is from a command line */
};

/* Greatest number of patterns that one layer may exclude. */
#define LAYER_EXCLUDE_MAX 256

/**
 * Sets the members `path`, `specifiers` and `behind` from `text`, the path in plyfs.yaml. Replaces
 * specifiers such as %H (plyfs.yaml(5)) by their values. A relative path begins at `directory`,
 * which is "" or ends with a slash. If a specifier has no value on this machine, the path of an
 * optional layer keeps the specifier, and `at` becomes ""; for any other layer, that is a problem.
 * Returns 0, with the texts in `arena`; PROBLEM at the spec's place; or -ENOMEM.
 */
int layer_spec_expand(struct layer_spec *spec, const char *text, const char *directory,
	const struct settings_environment *around, struct arena *arena, struct problem *problem);

/**
 * Gets the value of the specifier `letter`, such as 'H', for a rule. Returns 0; -ENOENT: there is
 * no such specifier, or it stands for a path; PROBLEM at `place`: the value is missing, or is no
 * file name; or -ENOMEM.
 */
int layer_specifier(char letter, const struct settings_environment *around,
	const struct node *place, char ret[PATH_MAX], struct problem *problem);

/** Reads the switches `optional` and `required` of the layer's map. Returns 0 or PROBLEM. */
int layer_spec_read_presence(
	struct layer_spec *spec, const struct node *map, struct problem *problem);

/**
 * Names each layer without a name by the last part of its path, prefix or URL, with -2, -3 … if
 * that name is taken. Returns 0, PROBLEM if plyfs.yaml gives two layers one name, or -ENOMEM.
 */
int layer_specs_name(
	struct layer_spec *specs, size_t count, struct arena *arena, struct problem *problem);

/**
 * Opens a layer that has a name, and sets spec->at, in `arena`. Returns 0 with *ret for
 * layer_free(), PROBLEM or -ENOMEM.
 */
int layer_spec_open(struct layer_spec *spec, unsigned rank,
	const struct settings_environment *around, struct arena *arena, struct layer **ret,
	struct problem *problem);
