/* The values of an explanation: a walk over all of them, and a search for the one at a KEY. */
#pragma once

#include "explain.h"
#include "key.h"
#include "merge.h"

/* A path from the root to a value: its last step, linked to the steps before. NULL: the root. */
struct explained_place {
	const struct explained_place *up;
	struct key_step step;
};

/* One value during a walk. All pointers are borrowed. */
struct explained_value {
	const struct node *value;
	const struct origin *origin; /* NULL: nothing is known except the value's place */
	const struct explained_place *place;
	struct key_text *key; /* a callback that appends to it must remove the addition */
	size_t document;      /* starting at 0 */
};

/**
 * Calls `each` for `from` and every value in it, a map or list before its entries. Stops at the
 * first non-zero result, and returns that; else 0.
 */
int explained_value_each(const struct origins *origins, const struct explained_value *from,
	int (*each)(void *context, const struct explained_value *value), void *context);

/**
 * Matches the KEY `text` (key_match.h) with the result. If the result has no such value, matches it
 * with the sources. Returns 0 with *ret in `arena`, also if no tree has the value; PROBLEM; or
 * -ENOMEM.
 */
int explained_value_key(const struct explanation *explanation, const char *text,
	struct arena *arena, struct key *ret, struct problem *problem);

/* The value at a KEY. */
struct explained {
	/* at.value NULL: the value is gone, and the other members have its former place. */
	struct explained_value at;
	/*
	 * If the value is gone: the entry that was removed, or NULL if the value was replaced. The
	 * `key` of a removed document is NULL.
	 */
	const struct origin_removed *removed;
	const struct node *in;    /* if it is gone: the value that it was in, or that replaced it */
	struct origin_step *also; /* values at the KEY, lost with a map or list around them */
	uint32_t also_count;

	/* private: */
	uint32_t also_capacity;
	struct key_text key;
	struct arena *arena;
};

/* Positive result of explained_value_find(): there is no such value, and there never was one. */
#define EXPLAINED_ABSENT 2

/**
 * Finds `key` in the document that it names, or in the only document that has or had it. The caller
 * calls explained_value_fini() for *ret, whatever the result is.
 *
 * Returns 0; PROBLEM if several documents have or had it; -ENOMEM; or EXPLAINED_ABSENT: then
 * ret->at is the value that has no key->parts[*depth]; ret->at.value is NULL if there is no such
 * document.
 */
int explained_value_find(const struct explanation *explanation, const struct key *key,
	struct explained *ret, size_t *depth, struct problem *problem);
void explained_value_fini(struct explained *explained);

/* A document that a layer has and the result does not have. */
struct explained_document {
	const struct node *name;
	struct origin_removed removed; /* its `key` is NULL */
};

/** Finds the removed documents of an explanation. Returns 0 with *ret in `arena`, or -ENOMEM. */
int explained_documents_gone(const struct explanation *explanation, struct arena *arena,
	struct explained_document **ret, size_t *count);
