/*
 * The checks of an INI file that is read, and of a tree that is written as an INI file. If the
 * program that reads the file is not known, a merge that might lose something is refused.
 */
#pragma once

#include "ini_dialect.h"
#include "line.h"

/** See builder->repeat. */
int ini_repeat(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again);

/**
 * For a file of an unknown program. `above` is the text of the key and value above the line at
 * `place`. If `above` ends with a backslash, but not with a path of Windows, notes a doubt
 * (builder_doubt()): the line may continue the value. Returns 0 or -ENOMEM.
 */
int ini_check_goes_on(struct builder *builder, struct place place, struct span above);

/**
 * For a file of an unknown program: notes a doubt if the meaning of the line depends on the
 * program. `rest` is the line's text from the separator on, or empty. Returns 0 or -ENOMEM.
 */
int ini_check_line(struct builder *builder, struct place place, struct span key, struct span rest);

/**
 * Checks that the dialect would read the tree back unchanged: the dialect must allow the names of
 * the sections, and no two keys may fold to the same key (spelling.h). Returns 0, PROBLEM or
 * -ENOMEM.
 */
int ini_check_tree(const struct writer *writer, const struct node *root);

/** Returns the rank of the layer that the node comes from. */
unsigned ini_rank(const struct node *node);

/** See format.check_merged. */
int ini_check_merged(const struct format *format, const struct node *root,
	const struct document *document, struct arena *arena, struct problem *problem);

/**
 * See format.check_merged. Several keys may set one option: innodb and skip-innodb, or the same key
 * in sections that one program reads as one (ini_sections.together). The program takes the last
 * key, so this key must come from the highest layer that sets the option.
 */
int ini_check_groups(const struct format *format, const struct node *root,
	const struct document *document, struct arena *arena, struct problem *problem);
