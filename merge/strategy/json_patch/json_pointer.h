/*
 * A JSON Pointer (RFC 6901), as Python's module jsonpointer reads it for cloud-init: "/a/0" has the
 * parts "a" and "0". Problems have the place where the pointer is written.
 */
#pragma once

#include "arena.h"
#include "node.h"
#include "problem.h"

struct json_pointer {
	const struct node *node; /* where it is written */
	struct span *parts;
	size_t count; /* 0: the document as a whole */
};

/**
 * Reads the pointer in `node`, the member `name` of an operation. Returns 0, PROBLEM or -ENOMEM.
 */
int json_pointer_read(const struct node *node, const char *name, struct arena *arena,
	struct problem *problem, struct json_pointer *ret);

/** Returns whether both have at least `count` parts, and the first `count` are equal. */
bool json_pointer_begin_equal(
	const struct json_pointer *a, const struct json_pointer *b, size_t count);

/** Makes the key of a map that the part stands for. The key borrows `part`. */
struct node json_pointer_key(struct span part);

/** Returns the pair of the map whose key the part stands for, or NULL. */
const struct pair *json_pointer_find(const struct node *map, struct span part);

/** Reads the part as an index of a list, UINT32_MAX at most. Returns 0 or PROBLEM. */
int json_pointer_index(const struct json_pointer *pointer, struct span part,
	struct problem *problem, uint32_t *ret);

/** Goes one step, from `node` to its entry `part`. Returns 0 or PROBLEM. */
int json_pointer_step(const struct json_pointer *pointer, const struct node *node, struct span part,
	struct problem *problem, const struct node **ret);

/**
 * Finds the value that all parts but the last lead to, and sets *last to the last part. The pointer
 * must have a part. Returns 0 or PROBLEM.
 */
int json_pointer_parent(const struct json_pointer *pointer, const struct node *root,
	struct problem *problem, const struct node **ret, struct span *last);

/** Finds the value that the pointer leads to. Returns 0 or PROBLEM. */
int json_pointer_walk(const struct json_pointer *pointer, const struct node *root,
	struct problem *problem, const struct node **ret);
