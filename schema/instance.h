/*
 * An instance: a node as JSON Schema sees it. Each node counts as one of JSON's six types. Dates,
 * binary data, scalars with an unknown tag, and keys count as strings, by their texts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "node.h"

/* Bits. A whole number has both INSTANCE_INTEGER and INSTANCE_NUMBER. */
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

/** Returns the bits of a node's type. */
unsigned instance_type(const struct node *node);

/** Returns the name of a node's type for messages, such as "a map". */
const char *instance_type_name(const struct node *node);

/** Returns whether both are equal as JSON. The order of keys does not count. */
bool instance_equal(const struct node *a, const struct node *b);

/** Returns a hash, the same for instances that instance_equal() finds equal. */
uint64_t instance_hash(const struct node *node);

/** Returns the text of a key; "" if the key is a map or list. */
struct span instance_key(const struct node *key);

/**
 * Returns the pair whose key has the text `name`, or NULL. `hash` is instance_name_hash(name).
 * A key that is a string ("80") takes precedence over a key of another type (80). Of equal keys,
 * the last one counts.
 */
const struct pair *instance_find(const struct node *map, struct span name, uint32_t hash);

/** Returns node_hash() of the string `name`. */
uint32_t instance_name_hash(struct span name);

/** Returns the number of code points in `text`. */
uint64_t instance_length(struct span text);
