/* The values of an explanation: all of them one by one, each with its KEY, or those at one KEY. */
#pragma once

#include "explain.h"
#include "key.h"
#include "merge.h"

/* A path from the root to a value, as a list from the end. The root is NULL. */
struct explained_place {
	const struct explained_place *up;
	struct key_step step;
};

/* One value during a walk. All pointers are borrowed. */
struct explained_value {
	const struct node *value;
	const struct origin *origin; /* NULL: only one source gave the value */
	const struct explained_place *place;
	struct key_text *key; /* a callback that appends to it must cut that off again */
	size_t document;      /* from 0 */
};

/**
 * Calls `each` for every value from `value` on, a map or list before its entries. Stops at the
 * first non-zero result, and returns it.
 */
int explained_value_each(const struct origins *origins, const struct explained_value *from,
	int (*each)(void *context, const struct explained_value *value), void *context);

/**
 * Reads the KEY `text` against the explained result, or else against one of its sources
 * (key_match.h), where the value may have been overridden. Returns 0 with *ret in `arena`, also if
 * no tree has the value; PROBLEM or -ENOMEM.
 */
int explained_value_key(const struct explanation *explanation, const char *text,
	struct arena *arena, struct key *ret, struct problem *problem);

/* The value at a KEY. */
struct explained {
	struct explained_value at; /* `value` NULL: it is gone; the rest is where it was */
	/* gone: the removed entry; of a document, its `key` is NULL */
	const struct origin_removed *removed;
	const struct node *in;    /* gone: the value it was in; if not removed, its replacement */
	struct origin_step *also; /* lost with the map or list around them, outer ones first */
	uint32_t also_count;

	/* private: */
	uint32_t also_capacity;
	struct key_text key;
	struct arena *arena;
};

/* Positive result of explained_value_find(): there is no such value, and there never was one. */
#define EXPLAINED_ABSENT 2

/**
 * Finds `key` in its document, or in the only document that has or had it. The caller calls
 * explained_value_fini() for *ret, whatever the result is. With EXPLAINED_ABSENT, ret->at is the
 * map, list or scalar that has no parts[*depth]; its value is NULL if there is no such document.
 * Returns 0; EXPLAINED_ABSENT; PROBLEM if several documents had it; or -ENOMEM.
 */
int explained_value_find(const struct explanation *explanation, const struct key *key,
	struct explained *ret, size_t *depth, struct problem *problem);
void explained_value_fini(struct explained *explained);

/* A document that layers had and the result has not. */
struct explained_document {
	const struct node *name;
	struct origin_removed removed; /* its `key` is NULL */
};

/** Finds the removed documents of an explanation. Returns 0 with *ret in `arena`, or -ENOMEM. */
int explained_documents_gone(const struct explanation *explanation, struct arena *arena,
	struct explained_document **ret, size_t *count);
