/*
 * An assignment of `plyfs set` and `plyfs unset`: KEY=VALUE, KEY and VALUE, or a KEY to be removed.
 * assignments_plan() turns it into an edit of a tree.
 *
 *      server.port=9090    hosts[0]=a    hosts[+]=c    hosts[name=web].port=80
 *
 * The file decides what KEY and VALUE mean: key_match.h, typed_value.h. Missing parts of the tree
 * are made: a name is a key of a map, [0] an item of a list, [+] a new item at its end, [name=web]
 * the item that has this pair.
 */
#pragma once

#include "edit/edit.h"
#include "key.h"
#include "stream.h"
#include "typed_value.h"

struct assignment {
	const char *text;     /* the KEY */
	const char *typed;    /* the VALUE; NULL: the KEY is to be removed */
	enum typed_note note; /* set by the planning */

	/* for the tree of the last planning: */
	struct key key;
	const struct node *value;
};

struct assignments {
	struct assignment *items;
	size_t count;
	size_t capacity;
	enum typed_kind kind; /* of all VALUEs that are added from now on */
	struct arena *arena;  /* of all assignments */
	struct typed_documents documents;
};

/**
 * Adds an assignment; `value` NULL: KEY is to be removed. Unless the kind is TYPED_STRING, `-` and
 * @FILE are read. Returns 0, PROBLEM or -ENOMEM.
 */
int assignments_add(struct assignments *assignments, const char *key, const char *value,
	struct problem *problem);

/** Returns the "=" of "KEY=VALUE" that is in no brackets and no quotes; NULL: there is none. */
const char *assignment_equals(const char *text);

void assignments_fini(struct assignments *assignments);

/** Plans the edits, as amendment_request.plan; `context` is a struct assignments. */
int assignments_plan(void *context, const struct stream *present,
	const struct read_options *options, struct arena *arena, struct edit_op **ops,
	size_t *count, struct problem *problem);
