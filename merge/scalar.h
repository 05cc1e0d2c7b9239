/*
 * What type a scalar has: asked only where a rule needs to know.
 *
 * A plain scalar's type follows from its text and its schema: YAML 1.1 as PyYAML's SafeLoader
 * resolves it (its resolver.py), or the core schema of YAML 1.2.2 (section 10.3.2), or RFC 8259, or
 * TOML 1.0.0, where a local time is a timestamp as well as a date. A quoted or block scalar is a
 * string. A core tag (!!str, !!int …) decides over both; "!" means string. Any other tag, and a
 * core tag that the text does not fit (!!int x), makes the scalar SCALAR_FOREIGN.
 */
#pragma once

#include <stdbool.h>

#include "node.h"

enum scalar_type {
	SCALAR_NULL,
	SCALAR_BOOL,
	SCALAR_INT,
	SCALAR_FLOAT,
	SCALAR_STRING,
	SCALAR_TIMESTAMP,
	SCALAR_BINARY,
	SCALAR_FOREIGN, /* has a tag that no schema knows */
};

/** The type of a node of kind NODE_SCALAR. */
enum scalar_type scalar_type(const struct node *scalar);

/** "null", "a boolean", "a number", "a string" …, for messages. */
const char *scalar_type_name(enum scalar_type type);

/** What a node is, for messages: "a map", "a list", "a number" … */
const char *scalar_or_kind_name(const struct node *node);

/** True for a scalar of type string. False for every other kind of node. */
bool scalar_is_string(const struct node *node);

/** True for a scalar of type null, written or empty. False for every other kind of node. */
bool scalar_is_null(const struct node *node);

/** True for a scalar of type null with no text and no tag: `key:`. */
bool scalar_is_empty(const struct node *node);

/** The value of a scalar of type bool. */
bool scalar_bool(const struct node *scalar);

/** What Python takes for the same key: true is 1 and false is 0. NULL: there is none. */
const struct node *scalar_twin(const struct node *key);

/** The value of an int or float, as near as a double comes to it; sexagesimal and _ understood. */
double scalar_number(const struct node *scalar);

/**
 * The scalar's value as JSON text: a number keeps its text where RFC 8259 allows it, and is
 * written in decimal otherwise (0644 -> 420, any size). Strings are returned without quotes.
 * Returns 0 with *ret NUL-terminated, in `arena` or the scalar's own text; -ENOMEM; -ERANGE for
 * .inf and .nan, which JSON has not, and for a number in another base of more than 2048 digits.
 */
int scalar_json(const struct node *scalar, struct arena *arena, struct span *ret);

/**
 * Makes a plain scalar without a tag, read by the schema `from`, one that its own schema reads as the
 * same value: `no` of YAML 1.2 is 'no' in YAML 1.1. 0 or -ENOMEM.
 */
int scalar_translate(struct node *scalar, enum node_schema from, struct arena *arena);

/**
 * Typed equality of two scalars; part of node_equal(). Numbers are equal by value, integers exactly
 * and others as doubles; NaN equals nothing. Timestamps are equal when their text is.
 */
bool scalar_equal(const struct node *a, const struct node *b);

/** Equal scalars have equal hashes; part of node_hash(). */
uint32_t scalar_hash(const struct node *scalar);
