/*
 * Making settings: shared by the ways in which they can be made, and nobody's else.
 */
#pragma once

#include "document.h"
#include "layer_spec.h"
#include "settings.h"

/**
 * Settings with all defaults, no layers and no rules; one reference. `around` may be NULL. Returns
 * 0 or -ENOMEM.
 */
int settings_new(const struct surroundings *around, struct settings **ret);

/**
 * Makes room for `count` rules, which the caller fills, and puts the built-in ones behind them.
 * Returns 0 or -ENOMEM.
 */
int settings_set_rules(struct settings *settings, size_t count);

/**
 * Opens and reads the file at `place`, which messages call `path`, as YAML; a directory, a pipe or
 * a file that is too large is a problem, and so is a key that comes twice. Returns 0 with *ret for
 * document_free(), and *stat of the file; PROBLEM or -ENOMEM.
 */
int settings_text_read(const char *path, const char *place, struct stat *stat,
	struct document **ret, struct problem *problem);

/**
 * Takes `schema:` of the rule or virtual file `map`, a file relative to the directory that plyfs.yaml
 * is in, and reads it unless another rule has named it. Returns 0 with *ret, or as it was when
 * nothing is given; PROBLEM, in the schema itself if that is wrong; or -ENOMEM.
 */
int settings_read_schema(struct settings *settings, const struct node *map,
	const struct schema_file **ret, struct problem *problem);

/**
 * Takes a YAML version, `name` to people. Returns 0 with *ret, static, or as it was when nothing is
 * given; or PROBLEM.
 */
int settings_read_yaml(const struct node *node, const char *name, const enum node_schema **ret,
	struct problem *problem);

/** Opens the layers of the specs, which have names. Returns 0, PROBLEM or -ENOMEM. */
int settings_set_layers(struct settings *settings, struct problem *problem);

/**
 * Takes `exclude:` of a layer, a pattern or a list of them. Returns 0 with *ret, in `arena`, or
 * as it was when nothing is given; PROBLEM; or -ENOMEM.
 */
int settings_read_exclude(const struct node *node, struct arena *arena, const char *const **ret,
	struct problem *problem);

/**
 * Checks that rules name only layers that there are, where an option names layers, and tells locks
 * the ranks of theirs. Returns 0 or PROBLEM.
 */
int settings_check_layer_names(const struct settings *settings, struct problem *problem);

/** Takes `presets:` of a plyfs.yaml; NULL: none. Returns 0, PROBLEM or -ENOMEM. */
int settings_read_presets(
	struct settings *settings, const struct node *node, struct problem *problem);

/**
 * Takes `rules:` of a plyfs.yaml; NULL: none; and behind them those of its presets. Returns 0,
 * PROBLEM or -ENOMEM.
 */
int settings_read_rules(
	struct settings *settings, const struct node *node, struct problem *problem);

/** Takes `files:` of a plyfs.yaml; NULL: none. Returns 0, PROBLEM or -ENOMEM. */
int settings_read_files(
	struct settings *settings, const struct node *node, struct problem *problem);
