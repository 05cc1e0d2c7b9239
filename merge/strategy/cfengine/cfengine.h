/*
 * What mergedata() is made of: its arguments in JSON, and its sum.
 */
#pragma once

#include "origin.h"
#include "problem.h"

/*
 * CFEngine's inline JSON: the text of an argument that begins with `{` or `[`.
 *
 * It is JSON in which a bare name stands for the value of a container, as in `[ name ]` and
 * `{ "key": name[index] }`, and it is read as CFEngine reads it: keys need no quotes, a comma may
 * be missing between values or stand before a closing bracket, and what follows the last bracket
 * is not looked at. `true`, `false` and `null` are never names.
 */
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

/*
 * CFEngine's JsonMerge(): containers merged from left to right, two at a time.
 *
 * Two arrays are concatenated. With an object on either side the result is an object, in which an
 * array's items have its offsets "0", "1"… as keys: of two objects the last key wins, and an
 * array's offsets win over an object's keys on either side. Nothing goes deeper than that.
 */
/*
 * What has been merged so far. A single value is passed through as it is; of two the result is a
 * node of our own. A key counts as its text in JSON: 1 and "1" are one key, and the first stays.
 */
struct cfengine_sum {
	const struct node *value; /* NULL: nothing yet */
	struct node *own;         /* = value, when we made it; the keys of a map are all strings */
	struct node *odd;         /* those keys that were no strings, by their text; or NULL */
	struct origins *origins;  /* for the decisions; NULL: nobody asks */
};

/** Merges a list or a map into the sum. Returns 0 or -ENOMEM. */
int cfengine_sum_add(struct cfengine_sum *sum, struct arena *arena, const struct node *value);

/** The value of a sum that has one, with the keys as they were written. Returns 0 or -ENOMEM. */
int cfengine_sum_end(const struct cfengine_sum *sum, struct arena *arena, const struct node **ret);

/** The key as a string: itself, if it is one already or is none at all. Returns 0 or -ENOMEM. */
int cfengine_string_key(struct arena *arena, const struct node *key, const struct node **ret);
