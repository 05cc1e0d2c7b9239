/* The values of an explanation: a walk over all of them, and a search for the one at a KEY. */
#pragma once

#include "explain.h"
#include "key.h"
#include "merge.h"

/* A place: the last step to a value, linked to the steps before it. NULL: the root. */
struct explained_place {
	const struct explained_place *up;
	struct key_step step;
};

/* One value during a walk. All pointers are borrowed. */
struct explained_value {
	const struct node *value;
	const struct origin *origin; /* NULL: unknown */
	const struct explained_place *place;
	struct key_text *key; /* a callback that appends to it must remove the addition */
	size_t document;      /* starting at 0 */
};

/**
 * Calls `each` for `from` and every value in it, a map or list before its entries. Stops at the
 * first non-zero result of `each`, and returns it; else returns 0.
 */
int explained_value_each(const struct origins *origins, const struct explained_value *from,
	int (*each)(void *context, const struct explained_value *value), void *context);

/**
 * Matches the KEY `text` (key_match.h) with the merged result. If the result has no such value,
 * tries the sources. Returns 0 with *ret in `arena`, even if nothing matches; PROBLEM; or -ENOMEM.
 */
int explained_value_key(const struct explanation *explanation, const char *text,
	struct arena *arena, struct key *ret, struct problem *problem);

/* The value at a KEY. */
struct explained {
	/* at.value NULL: the value is gone. In that case, the other members of `at` belong to the
	 * map or list that the value was in. Exception: if another value has replaced the value,
	 * at.key is the value's own key. */
	struct explained_value at;
	/* If the value is gone: the removed entry (removed->key NULL: a document), or NULL if the
	 * value was replaced. */
	const struct origin_removed *removed;
	/* If the value is gone: the map or list that it was in, or the value that replaced it. */
	const struct node *in;
	size_t in_len; /* if `in` replaced the value: length of its own key, a prefix of at.key */
	/* values at the KEY in maps or lists that were overridden as a whole */
	struct origin_step *also;
	uint32_t also_count;

	/* private: */
	uint32_t also_capacity;
	const struct node *lost; /* the map or list that contained the last value in `also` */
	size_t lost_depth;       /* number of the KEY's parts that lead to it */
	struct key_text key;
	struct arena *arena;
};

/* Positive result of explained_value_find(): there is no such value, and there never was one. */
#define EXPLAINED_ABSENT 2

/**
 * Finds the value at `key`, in all documents or in the one that `key` names. The caller calls
 * explained_value_fini() for *ret, whatever the result is.
 *
 * Returns 0; PROBLEM if several documents have or had such a value; -ENOMEM; or EXPLAINED_ABSENT.
 * After EXPLAINED_ABSENT, ret->at is the value to which the first *depth parts of `key` lead; if
 * there is no document to search, ret->at.value is NULL.
 */
int explained_value_find(const struct explanation *explanation, const struct key *key,
	struct explained *ret, size_t *depth, struct problem *problem);
void explained_value_fini(struct explained *explained);

/**
 * Appends to `key`, the key of `in`, the part for a removed entry of `in`; nothing for a document.
 */
void explained_value_put_removed(
	const struct origin_removed *removed, const struct node *in, struct key_text *key);

/* A document that a layer has and the result does not have. */
struct explained_document {
	const struct node *name;       /* NULL: it was the only one of the file */
	struct origin_removed removed; /* its `key` is NULL */
};

/** Finds the removed documents of an explanation. Returns 0 with *ret in `arena`, or -ENOMEM. */
int explained_documents_gone(const struct explanation *explanation, struct arena *arena,
	struct explained_document **ret, size_t *count);
