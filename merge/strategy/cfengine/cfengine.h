/*
 * The parts of CFEngine's mergedata(): arguments that are JSON, and the sum of all arguments.
 * "Container" is CFEngine's word for a list or map, such as a layer's value.
 */
#pragma once

#include "origin.h"
#include "problem.h"

/*
 * CFEngine's inline JSON: the text of an argument that begins with `{` or `[`.
 *
 * In `[ name ]` and `{ "key": name[index] }`, the bare name stands for the value of the layer with
 * that name. As in CFEngine, keys need no quotes. The colon after a quoted key may be missing.
 * Commas may be missing, except the comma before a list or map in a list. A comma may stand before
 * a closing bracket. Text after the last bracket is ignored. `true`, `false` and `null` are never
 * names.
 */
struct cfengine_json {
	struct arena *arena;
	const struct node *argument; /* a scalar; new nodes get its line and column */
	/* the source of new nodes: a copy of argument->source that lives as long as they do */
	const struct source *source;
	unsigned depth; /* greatest allowed nesting of collections */
	struct problem *problem;

	/* Finds the value of `name`, perhaps with an [index]. Returns 0, PROBLEM or -ENOMEM. */
	int (*find)(void *context, const struct node *argument, struct span name,
		const struct node **ret);
	/* Returns whether a layer has this name, even if CFEngine does not allow such a name. */
	bool (*is_name)(void *context, struct span name);
	void *context;
};

/** Returns whether the argument is inline JSON, not a name. */
bool cfengine_json_is(struct span text);

/** Reads the argument into the arena. Returns 0 with *ret, PROBLEM or -ENOMEM. */
int cfengine_json_read(const struct cfengine_json *json, const struct node **ret);

/*
 * CFEngine's JsonMerge(): containers merged from left to right, two at a time.
 *
 * Two lists are concatenated. If one or both are maps, the result is a map; the keys of a list's
 * items are their offsets "0", "1"…. If both maps have the same key, the right map's value wins. If
 * an offset in a list equals a key of a map, the list's value wins. Deeper values are not merged.
 *
 * The sum of one container is this container. The sum of several is a new node. 1 and "1" have the
 * same text in JSON, so they are one key. The result has the key as it was written first.
 */
struct cfengine_sum {
	const struct node *value; /* NULL: nothing yet */
	/* `value` if it is a new node, with keys from cfengine_string_key(); NULL if it is not */
	struct node *own;
	/* maps a key of `own` to the key as it was written, if that is no string; NULL: none */
	struct node *odd;
	struct origins *origins; /* records the decisions; NULL: off */
};

/** Merges a list or a map into the sum. Returns 0 or -ENOMEM. */
int cfengine_sum_add(struct cfengine_sum *sum, struct arena *arena, const struct node *value);

/** Sets *ret to the sum, with the keys as written (NULL: nothing added). Returns 0 or -ENOMEM. */
int cfengine_sum_end(const struct cfengine_sum *sum, struct arena *arena, const struct node **ret);

/**
 * Turns the key into a string. *ret is the key itself if it is a string, a SCALAR_FOREIGN
 * (scalar.h), or no scalar. Returns 0 or -ENOMEM.
 */
int cfengine_string_key(struct arena *arena, const struct node *key, const struct node **ret);
