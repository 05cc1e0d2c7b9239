/*
 * An assignment, as `plyfs set` and `plyfs unset` take it: KEY=VALUE, KEY and VALUE, or a KEY to be
 * removed; and what it comes to in a tree.
 *
 *      server.port=9090    hosts[0]=a    hosts[+]=c    hosts[name=web].port=80
 *
 * VALUE is YAML. What the tree lacks is made: a name is a key of a map, [0] an item of a list, [+]
 * one more item at its end, [name=web] the item that has that.
 */
#pragma once

#include "edit/edit.h"
#include "key.h"

struct assignment {
	const char *text; /* of the KEY */
	struct key key;
	const struct node *value; /* NULL: it is to be removed */
};

struct assignments {
	struct assignment *items;
	size_t count;
	size_t capacity;
	struct arena *arena; /* of all of them */
	struct document **documents;
	size_t document_count;
	size_t document_capacity;
};

/** Adds one; `value` NULL: KEY is to be removed. 0, PROBLEM or -ENOMEM. */
int assignments_add(struct assignments *assignments, const char *key, const char *value,
	struct problem *problem);

/** Where "KEY=VALUE" has the "=" that is in no brackets and no quotes; NULL: it has none. */
const char *assignment_equals(const char *text);

void assignments_fini(struct assignments *assignments);

/** For amendment_request.plan; `context` is a struct assignments. */
int assignments_plan(void *context, const struct node *present, struct arena *arena,
	struct edit_op **ops, size_t *count, struct problem *problem);
