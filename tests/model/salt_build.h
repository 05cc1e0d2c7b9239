/*
 * Nodes with Salt's tags, built in one piece: if there is no memory, the test ends.
 */
#pragma once

#include "node.h"

#include <stdlib.h>
#include <string.h>

static const char MAP[] = "!aggr-map", LIST[] = "!aggr-seq", SCALAR[] = "!aggr-scalar";
static const char ANY[] = "!aggregate", RESET[] = "!reset";

static inline void *check(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static inline bool equals(const char *tag, const char *name)
{
	return tag && strcmp(tag, name) == 0;
}

static inline bool is_tag(const struct node *node, const char *tag)
{
	return equals(node->tag, tag);
}

static inline struct node *new_like(struct arena *arena, const struct node *node, const char *tag)
{
	struct node *copy = check(
		node_is_map(node) ? node_new_map(arena, NULL) : node_new_sequence(arena, NULL));

	copy->tag = tag;
	return copy;
}

static inline void add(
	struct arena *arena, struct node *map, const struct node *key, const struct node *value)
{
	const struct pair pair = {key, value, node_hash(key)};

	if (node_append(arena, map, &pair) < 0)
		abort();
}

static inline void push(struct arena *arena, struct node *list, const struct node *item)
{
	if (node_push(arena, list, item) < 0)
		abort();
}
