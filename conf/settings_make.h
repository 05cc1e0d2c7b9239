/* The functions that read the parts of settings. Only conf's own files use them. */
#pragma once

#include "document.h"
#include "layer_spec.h"
#include "settings.h"

/**
 * Makes settings with one reference: all defaults, no layers, no rules. `around` may be NULL.
 * Returns 0 or -ENOMEM.
 */
int settings_new(const struct settings_environment *around, struct settings **ret);

/**
 * Makes room for `count` rules, which the caller fills, and adds the built-in rules behind them.
 * Returns 0 or -ENOMEM.
 */
int settings_set_rules(struct settings *settings, size_t count);

/**
 * Reads the file that `facts:` names in `root`, a plyfs.yaml's map, into settings->facts. Then
 * calls settings_expand_facts() for rules, files and options. Returns 0, PROBLEM or -ENOMEM.
 */
int settings_read_facts(
	struct settings *settings, const struct node *root, struct problem *problem);

/**
 * Replaces each %{NAME} in the patterns, paths, schemas and commands of `list`. `list` has rules or
 * virtual files, or is a map such as `options`, or NULL. Also replaces specifiers such as %H, but
 * not in commands. Returns 0, PROBLEM or -ENOMEM.
 */
int settings_expand_facts(
	const struct settings *settings, const struct node *list, struct problem *problem);

/**
 * Reads `schemas:` of a plyfs.yaml (NULL: none), a list of schema files. Each schema of the
 * settings may refer to such a file by the file's '$id'. Returns 0, PROBLEM or -ENOMEM.
 */
int settings_read_schemas(
	struct settings *settings, const struct node *node, struct problem *problem);

/**
 * Reads `schema:` of `map`, a rule or virtual file. A relative path begins at the directory of the
 * plyfs.yaml or preset. Reads the file only once, even if several rules name it. Returns 0 with
 * *ret (unchanged if no schema is given); PROBLEM, which has the place in the schema if the schema
 * is wrong; or -ENOMEM.
 */
int settings_read_schema(struct settings *settings, const struct node *map,
	const struct schema_file **ret, struct problem *problem);

/**
 * Reads a YAML version. Messages call it `name`. Returns 0 with *ret, which is static (unchanged if
 * nothing is given); or PROBLEM.
 */
int settings_read_yaml(const struct node *node, const char *name, const enum node_schema **ret,
	struct problem *problem);

/**
 * Completes settings of settings_outline(): opens their layers. They are then as settings_read()
 * makes them. Returns 0, PROBLEM or -ENOMEM.
 */
int settings_open(struct settings *settings, struct problem *problem);

/** Opens the layers of settings->specs; each spec needs a name. Returns 0, PROBLEM or -ENOMEM. */
int settings_set_layers(struct settings *settings, struct problem *problem);

/**
 * Reads `exclude:` of a layer: one pattern, or a list of patterns. Returns 0 with *ret in `arena`
 * (unchanged if nothing is given); PROBLEM; or -ENOMEM.
 */
int settings_read_exclude(const struct node *node, struct arena *arena, const char *const **ret,
	struct problem *problem);

/**
 * Checks that layers named in the options of rules exist, and gives value locks the ranks of their
 * layers. Returns 0 or PROBLEM.
 */
int settings_check_layer_names(const struct settings *settings, struct problem *problem);

/** Reads `presets:` of a plyfs.yaml; NULL: none. Returns 0, PROBLEM or -ENOMEM. */
int settings_read_presets(
	struct settings *settings, const struct node *node, struct problem *problem);

/**
 * Reads `rules:` of a plyfs.yaml (NULL: none), and adds the rules of its presets behind them.
 * Returns 0, PROBLEM or -ENOMEM.
 */
int settings_read_rules(
	struct settings *settings, const struct node *node, struct problem *problem);

/** Reads `files:` of a plyfs.yaml; NULL: none. Returns 0, PROBLEM or -ENOMEM. */
int settings_read_files(
	struct settings *settings, const struct node *node, struct problem *problem);
