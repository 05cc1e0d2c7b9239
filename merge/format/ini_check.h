/*
 * What a file of INI, and a tree that is one, must be: keys that are one to the program come once, or
 * are a list; and where the program is not known nothing is merged that might be lost.
 */
#pragma once

#include "ini_dialect.h"
#include "line.h"

/** As builder->repeat. */
int ini_repeat(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again);

/** Notes what a merge with other files would lose, once for each document. 0 or -ENOMEM. */
int ini_doubt(const struct line_reader *lines, const char *at, const char *message);

/** PROBLEM for what the dialect would not read back as it is: names, and keys that are one. */
int ini_check_tree(const struct writer *writer, const struct node *root);

/** As format.check_merged. */
int ini_check_merged(const struct format *format, const struct node *root,
	const struct document *document, struct arena *arena, struct problem *problem);

/** As format.check_merged: of groups that one program reads, no lower layer's may come last. */
int ini_check_groups(const struct format *format, const struct node *root,
	const struct document *document, struct arena *arena, struct problem *problem);
