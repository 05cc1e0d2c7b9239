/*
 * The type of a scalar. A plain scalar's type follows from its text and its schema: YAML 1.1 as
 * PyYAML's SafeLoader resolves it (resolver.py), the core schema of YAML 1.2.2 (section 10.3.2),
 * JSON (RFC 8259), or TOML 1.1.0. TOML's dates and local times are timestamps. A quoted or block
 * scalar is a string. A core tag, such as !!int, overrules the text. The tag "!" means string.
 */
#pragma once

#include <stdbool.h>

#include "node.h"

/* The beginning of a core tag, which YAML also writes as "!!" (YAML 1.2.2, 6.8.2). */
#define SCALAR_CORE_PREFIX "tag:yaml.org,2002:"

enum scalar_type {
	SCALAR_NULL,
	SCALAR_BOOL,
	SCALAR_INT,
	SCALAR_FLOAT,
	SCALAR_STRING,
	SCALAR_TIMESTAMP,
	SCALAR_BINARY,
	SCALAR_FOREIGN, /* the tag is unknown, or does not fit the text (!!int x) */
};

/** Returns the name in a core tag: "int" of !!int. NULL: `tag` is NULL, or no core tag. */
static inline const char *scalar_core_name(const char *tag)
{
	size_t len = sizeof(SCALAR_CORE_PREFIX) - 1;

	return tag && strncmp(tag, SCALAR_CORE_PREFIX, len) == 0 && tag[len] ? tag + len : NULL;
}

/** Returns the type of a node of kind NODE_SCALAR. */
enum scalar_type scalar_type(const struct node *scalar);

/** Returns the type for messages, such as "null" or "a number". */
const char *scalar_type_name(enum scalar_type type);

/** Returns the type or kind of a node for messages, such as "a map" or "a number". */
const char *scalar_or_kind_name(const struct node *node);

bool scalar_is_string(const struct node *node);

/** Returns whether the node is a scalar of type null. Its text may be empty. */
bool scalar_is_null(const struct node *node);

/** Returns whether the node is a plain scalar of YAML with no text and no tag, as in `key:`. */
bool scalar_is_empty(const struct node *node);

/** Returns the value of a scalar of type bool. */
bool scalar_bool(const struct node *scalar);

/**
 * Returns a static key of another type that equals `key` in Python: a number for a boolean, a
 * boolean for a number that is 0 or 1. NULL: there is none.
 */
const struct node *scalar_twin(const struct node *key);

/** Returns the double that is nearest to the value of an int or float in any notation. */
double scalar_number(const struct node *scalar);

/**
 * Gives the scalar's value as JSON text: numbers in decimal (0644 -> 420), strings without quotes
 * and escapes. Returns 0 with *ret, NUL-terminated, which may lie in `arena` or in the scalar;
 * -ENOMEM; or -ERANGE for .inf, .nan, and over NUMBER_DIGITS_MAX digits in a base other than 10.
 */
int scalar_json(const struct node *scalar, struct arena *arena, struct span *ret);

/**
 * Gives a plain scalar without a tag the value that its text has in the schema `from`. Does nothing
 * if the text has the same value in scalar->schema. A string gets quotes: the `no` of YAML 1.2
 * becomes 'no' in YAML 1.1. Any other value gets JSON's text and schema. If JSON can't express the
 * value (.inf, a date), the text stays and the schema becomes `from`. Returns 0 or -ENOMEM.
 */
int scalar_translate(struct node *scalar, enum node_schema from, struct arena *arena);

/**
 * Returns whether the scalars, which have the same text, differ as values of .env: a "$" in the
 * text may begin a variable in one of them, but not in the other, which is NODE_SINGLE.
 */
bool scalar_differs_in_dollars(const struct node *a, const struct node *b);

/**
 * Typed equality of two scalars; part of node_equal(). Integers are compared exactly, and other
 * numbers as doubles. NaN equals nothing. Timestamps are compared by their texts. Texts of .env
 * with a "$" are equal only if it may begin a variable in both, or in none.
 */
bool scalar_equal(const struct node *a, const struct node *b);

/** Returns a hash. Equal scalars have equal hashes. Part of node_hash(). */
uint32_t scalar_hash(const struct node *scalar);
