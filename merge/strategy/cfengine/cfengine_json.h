/*
 * CFEngine's inline JSON: the text of an argument that begins with `{` or `[`.
 *
 * It is JSON in which a bare name stands for the value of a container, as in `[ name ]` and
 * `{ "key": name[index] }`, and it is read as CFEngine reads it: keys need no quotes, a comma may
 * be missing between values or stand before a closing bracket, and what follows the last bracket
 * is not looked at. `true`, `false` and `null` are never names.
 */
#pragma once

#include "node.h"
#include "problem.h"

struct cfengine_json {
	struct arena *arena;
	const struct node *argument; /* a scalar; its place is the place of what is read */
	const struct source *source; /* of what is read; as argument->source, but lives longer */
	unsigned depth;              /* collections in each other that are allowed */
	struct problem *problem;

	/* The value of `name`, in which an index may follow. 0, PROBLEM or -ENOMEM. */
	int (*find)(void *context, const struct node *argument, struct span name,
		const struct node **ret);
	/* Whether a container has this very name, which CFEngine would not take for a name. */
	bool (*is_name)(void *context, struct span name);
	void *context;
};

/** Whether the argument is inline JSON, and not a name. */
bool cfengine_json_is(struct span text);

/**
 * Reads the argument. *ret refers to no memory but the arena and what find() gave.
 * Returns 0, PROBLEM or -ENOMEM.
 */
int cfengine_json_read(const struct cfengine_json *json, const struct node **ret);
