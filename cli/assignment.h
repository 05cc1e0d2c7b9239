/*
 * An assignment: KEY=VALUE, or KEY and VALUE in two arguments of `plyfs set`; or a KEY that `plyfs
 * unset` removes.
 *
 *      server.port=9090    hosts[0]=a    hosts[+]=c    hosts[name=web].port=80
 *
 * In a KEY, a name is a key of a map, [0] an item of a list, [+] a new item at its end, and
 * [name=web] the item that has this pair. `plyfs set` makes missing maps and lists on the way to
 * the value. key_match.h and typed_value.h say how KEY and VALUE are read.
 */
#pragma once

#include "edit/edit.h"
#include "key.h"
#include "stream.h"
#include "typed_value.h"

struct assignment {
	const char *text;     /* the KEY */
	const char *typed;    /* the VALUE; NULL: remove the KEY */
	enum typed_note note; /* set by assignments_plan() */

	/* private to assignments_plan(): */
	struct key key;
	const struct node *value;
};

struct assignments {
	struct assignment *items;
	size_t count;
	size_t capacity;
	enum typed_kind kind;  /* of all VALUEs; set by the caller before assignments_add() */
	const char *input_key; /* the KEY whose VALUE was standard input; NULL: none */
	struct arena *arena;   /* holds the VALUEs; the first assignments_add() makes it */
	struct typed_documents documents;
};

/**
 * Adds an assignment. Borrows `key`, and copies `value`. If `value` is NULL, the assignment removes
 * the KEY. If the kind is not TYPED_STRING, "-" stands for the text of standard input, and "@FILE"
 * for the text of FILE. Returns 0; PROBLEM, also for a second "-"; or -ENOMEM.
 */
int assignments_add(struct assignments *assignments, const char *key, const char *value,
	struct problem *problem);

/** Returns the first "=" of `text` outside of brackets and quotes; NULL: there is none. */
const char *assignment_equals(const char *text);

void assignments_fini(struct assignments *assignments);

/** For layer_edit_request.plan: makes the edits. `context` is a struct assignments. */
int assignments_plan(void *context, const struct stream *present,
	const struct read_options *options, struct arena *arena, struct edit_op **ops,
	size_t *count, struct problem *problem);
