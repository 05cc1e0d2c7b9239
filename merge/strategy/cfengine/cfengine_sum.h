/*
 * CFEngine's JsonMerge(): containers merged from left to right, two at a time.
 *
 * Two arrays are concatenated. With an object on either side the result is an object, in which an
 * array's items have its offsets "0", "1"… as keys: of two objects the last key wins, and an
 * array's offsets win over an object's keys on either side. Nothing goes deeper than that.
 */
#pragma once

#include "origin.h"

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
