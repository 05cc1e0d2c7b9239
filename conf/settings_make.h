/*
 * The functions that read the parts of settings. Only conf's own files use them. Each returns 0,
 * PROBLEM or -ENOMEM. If a part is not given, its `node` is NULL.
 */
#pragma once

#include "document.h"
#include "layer_spec.h"
#include "settings.h"

/** Makes settings with one reference: all defaults, no layers, no rules. `around` may be NULL. */
int settings_new(const struct settings_environment *around, struct settings **ret);

/** Makes room for `count` rules that the caller will fill in, and adds the built-in rules. */
int settings_set_rules(struct settings *settings, size_t count);

/**
 * Reads the file that `facts:` names in `root`, a plyfs.yaml's map, into settings->facts. Then
 * calls settings_expand_facts() for `rules`, `files` and `options` in `root`.
 */
int settings_read_facts(
	struct settings *settings, const struct node *root, struct problem *problem);

/**
 * Replaces each %{NAME} in the patterns, paths, schemas and commands of `list`: rules, virtual
 * files, a map such as `options`, or NULL. Also replaces specifiers such as %H, except in commands.
 * The mark of a replaced pattern has its bits enum pattern_owner.
 */
int settings_expand_facts(
	const struct settings *settings, const struct node *list, struct problem *problem);

/** Reads `schemas:` of a plyfs.yaml: files to which each schema may refer by their '$id'. */
int settings_read_schemas(
	struct settings *settings, const struct node *node, struct problem *problem);

/**
 * Reads `schema:` of `map`, a rule or virtual file, into *ret. Without `schema:`, *ret does not
 * change. A relative path begins at the directory of the plyfs.yaml or preset.
 */
int settings_read_schema(struct settings *settings, const struct node *map,
	const struct schema_file **ret, struct problem *problem);

/**
 * Reads a YAML version. Messages call the value `name`. If a version is given, *ret becomes the
 * address of a static object that has the version.
 */
int settings_read_yaml(const struct node *node, const char *name, const enum node_schema **ret,
	struct problem *problem);

/**
 * Reads the plyfs.yaml of `old` again, as settings_read() does. But if a bad file was just written,
 * returns PROBLEM at once, without further attempts: the caller reads again when the file changes.
 * *outline becomes what the plyfs.yaml says, even if a layer can't be opened.
 */
int settings_read_again(const struct settings *old, struct settings **outline,
	struct settings **ret, struct problem *problem);

/** Opens the layers of settings->specs; each spec needs a name. */
int settings_set_layers(struct settings *settings, struct problem *problem);

/** Reads `exclude:` of a layer into *ret, in `arena`. Without `exclude:`, *ret does not change. */
int settings_read_exclude(const struct node *node, struct arena *arena, const char *const **ret,
	struct problem *problem);

/** Reads `presets:` of a plyfs.yaml. */
int settings_read_presets(
	struct settings *settings, const struct node *node, struct problem *problem);

/** Reads `rules:` of a plyfs.yaml, and adds the rules of its presets behind them. */
int settings_read_rules(
	struct settings *settings, const struct node *node, struct problem *problem);

/** Reads `files:` of a plyfs.yaml. */
int settings_read_files(
	struct settings *settings, const struct node *node, struct problem *problem);
