/* The parts of mergedata(): its arguments in JSON, and its sum. */
#pragma once

#include "origin.h"
#include "problem.h"

/*
 * CFEngine's inline JSON: the text of an argument that begins with `{` or `[`.
 *
 * In this JSON a bare name stands for the value of a container, which is the layer of that name, as
 * in `[ name ]` and `{ "key": name[index] }`. As in CFEngine, keys need no quotes, a comma may be
 * missing between values or stand before a closing bracket, and text after the last bracket is
 * ignored. `true`, `false` and `null` are never names.
 */
struct cfengine_json {
	struct arena *arena;
	const struct node *argument; /* a scalar; all nodes that are made get its place */
	/* of the nodes that are made: a copy of argument->source that lives longer */
	const struct source *source;
	unsigned depth; /* greatest allowed nesting of collections */
	struct problem *problem;

	/*
	 * Finds the value of `name`, which may have an index behind it. Returns 0, PROBLEM or
	 * -ENOMEM.
	 */
	int (*find)(void *context, const struct node *argument, struct span name,
		const struct node **ret);
	/* Returns whether a layer has exactly this name, even if CFEngine allows no such name. */
	bool (*is_name)(void *context, struct span name);
	void *context;
};

/** Returns whether the argument is inline JSON, not a name. */
bool cfengine_json_is(struct span text);

/**
 * Reads the argument. *ret refers only to memory of the arena and to values from find(). Returns 0,
 * PROBLEM or -ENOMEM.
 */
int cfengine_json_read(const struct cfengine_json *json, const struct node **ret);

/*
 * CFEngine's JsonMerge(): containers merged from left to right, two at a time.
 *
 * Two arrays are concatenated. If either side is an object, the result is an object; an array's
 * items get their offsets "0", "1"… as keys. If two objects have a key, the right one's value wins.
 * An array's offsets win over an object's keys, on either side. Deeper values are not merged.
 *
 * A sum has the containers so far. The sum of one container is that container; from the second on,
 * it is a node of our own. 1 and "1" have the same text in JSON, so they are one key, which stays
 * as it was written first.
 */
struct cfengine_sum {
	const struct node *value; /* NULL: nothing yet */
	struct node *own;         /* = value, if we made it; the keys of a map are all strings */
	struct node *odd; /* from a key's text to the key, for keys that are no strings; or NULL */
	struct origins *origins; /* records the decisions; NULL: off */
};

/** Merges a list or a map into the sum. Returns 0 or -ENOMEM. */
int cfengine_sum_add(struct cfengine_sum *sum, struct arena *arena, const struct node *value);

/**
 * Gives the value of the sum, with the keys as they were written; NULL if nothing was added.
 * Returns 0 or -ENOMEM.
 */
int cfengine_sum_end(const struct cfengine_sum *sum, struct arena *arena, const struct node **ret);

/**
 * Turns the key into a string. *ret is the key itself if it is a string or no scalar, or has a
 * foreign tag. Returns 0 or -ENOMEM.
 */
int cfengine_string_key(struct arena *arena, const struct node *key, const struct node **ret);
