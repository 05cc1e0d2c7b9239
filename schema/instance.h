/*
 * An instance: a node as JSON Schema sees it. JSON has six types, and each node counts as one of
 * them: a date or a tagged scalar is the string that it is written as, a key counts by its text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "node.h"

/* Bits. A whole number is INSTANCE_INTEGER as well as INSTANCE_NUMBER. */
enum instance_type {
	INSTANCE_NULL = 1 << 0,
	INSTANCE_BOOLEAN = 1 << 1,
	INSTANCE_OBJECT = 1 << 2,
	INSTANCE_ARRAY = 1 << 3,
	INSTANCE_NUMBER = 1 << 4,
	INSTANCE_STRING = 1 << 5,
	INSTANCE_INTEGER = 1 << 6,
};
#define INSTANCE_ANY 0x7F

/* The bits of a node's type. */
unsigned instance_type(const struct node *node);

/** "a map", "a list", "a string" …, for messages. */
const char *instance_type_name(const struct node *node);

/** Equal as JSON: numbers by value, strings and keys by text, maps whatever their order. */
bool instance_equal(const struct node *a, const struct node *b);

/** Equal instances have equal hashes. */
uint64_t instance_hash(const struct node *node);

/** The text of a key; "" for one that is a map or list. */
struct span instance_key(const struct node *key);

/** The last pair of the map whose key has that text, or NULL; `hash` is that of such a string. */
const struct pair *instance_find(const struct node *map, struct span name, uint32_t hash);

/** node_hash() of a string. */
uint32_t instance_name_hash(struct span name);

/** Characters, which are code points. */
uint64_t instance_length(struct span text);
