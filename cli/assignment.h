/*
 * An assignment, as `plyfs set` and `plyfs unset` take it: KEY=VALUE, KEY and VALUE, or a KEY to be
 * removed; and what it comes to in a tree.
 *
 *      server.port=9090    hosts[0]=a    hosts[+]=c    hosts[name=web].port=80
 *
 * The file decides what KEY and VALUE mean: key_match.h, typed_value.h. What the tree lacks is
 * made: a name is a key of a map, [0] an item of a list, [+] one more item at its end, [name=web]
 * the item that has that.
 */
#pragma once

#include "edit/edit.h"
#include "key.h"
#include "typed_value.h"

struct assignment {
	const char *text;  /* of the KEY */
	const char *typed; /* the VALUE; NULL: it is to be removed */
	enum typed_note note; /* when it has been planned */

	/* in the tree that it is planned for: */
	struct key key;
	const struct node *value;
};

struct assignments {
	struct assignment *items;
	size_t count;
	size_t capacity;
	enum typed_kind kind; /* of all VALUEs that are added from now on */
	struct arena *arena;  /* of all of them */
	struct typed_documents documents;
};

/**
 * Adds one; `value` NULL: KEY is to be removed. But for TYPED_STRING, `-` and @FILE are read. 0,
 * PROBLEM or -ENOMEM.
 */
int assignments_add(struct assignments *assignments, const char *key, const char *value,
	struct problem *problem);

/** Where "KEY=VALUE" has the "=" that is in no brackets and no quotes; NULL: it has none. */
const char *assignment_equals(const char *text);

void assignments_fini(struct assignments *assignments);

/** For amendment_request.plan; `context` is a struct assignments. */
int assignments_plan(void *context, const struct node *present, const struct read_options *options,
	struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem);
