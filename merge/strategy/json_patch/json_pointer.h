/* A JSON Pointer (RFC 6901), as Python's jsonpointer reads it: "/a/0" has the parts a and 0. */
#pragma once

#include "arena.h"
#include "node.h"
#include "problem.h"

struct json_pointer {
	const struct node *node; /* the pointer as it is written */
	struct span *parts;
	size_t count; /* 0: the document as a whole */
};

/** Reads `node`, the member `name` of an operation. Returns 0, PROBLEM or -ENOMEM. */
int json_pointer_read(const struct node *node, const char *name, struct arena *arena,
	struct problem *problem, struct json_pointer *ret);

/** Returns whether both have `count` parts or more, and their first `count` parts are equal. */
bool json_pointer_begin_equal(
	const struct json_pointer *a, const struct json_pointer *b, size_t count);

/** Returns the part as the key of a map. The key borrows `part`. */
struct node json_pointer_key(struct span part);

/** Returns the pair of `map` whose key is json_pointer_key(part), or NULL. */
const struct pair *json_pointer_find(const struct node *map, struct span part);

/** Reads the part as an index. *ret is UINT32_MAX for any larger index. Returns 0 or PROBLEM. */
int json_pointer_index(const struct json_pointer *pointer, struct span part,
	struct problem *problem, uint32_t *ret);

/** Sets *ret to the value of the entry `part` of `node`. Returns 0; PROBLEM: no such entry. */
int json_pointer_step(const struct json_pointer *pointer, const struct node *node, struct span part,
	struct problem *problem, const struct node **ret);

/** Finds the value to which the first `count` parts lead. Returns 0 or PROBLEM. */
int json_pointer_walk(const struct json_pointer *pointer, size_t count, const struct node *root,
	struct problem *problem, const struct node **ret);

/** Decodes ~1 to a slash and ~0 to a tilde, in place; another ~ stays. Returns the new length. */
size_t json_pointer_unescape(char *text, size_t len);
