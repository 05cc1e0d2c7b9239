/*
 * What an explanation tells: its values one by one, each with its KEY, or those at one KEY.
 */
#pragma once

#include "explain.h"
#include "key.h"
#include "merge.h"

/* A way down from the root, which is NULL. */
struct explained_place {
	const struct explained_place *up;
	struct key_step step;
};

/* One value, while it is told. Borrowed. */
struct explained_value {
	const struct node *value;
	const struct origin *origin; /* NULL: nobody else had a say */
	const struct explained_place *place;
	struct key_text *key; /* what is put behind it must be cut off again */
	size_t document;      /* counted from 0; only a file served byte for byte has several */
};

/**
 * Calls `each` for every value from `value` on, a map or list before what is in it, until one
 * returns non-zero, which is the result.
 */
int explained_each(const struct origins *origins, const struct explained_value *from,
	int (*each)(void *context, const struct explained_value *value), void *context);

/** The roots of what is explained. None for a file that is not read as values. */
size_t explained_roots(const struct explanation *explanation, const struct node *const **ret);

/**
 * Reads what `text` names in what is explained, or else in one of its sources (key_match.h), where
 * it may have lost. Returns 0 with *ret in `arena`, also when nothing has it; PROBLEM or -ENOMEM.
 */
int explained_key(const struct explanation *explanation, const char *text, struct arena *arena,
	struct key *ret, struct problem *problem);

/* Where a KEY leads. */
struct explained {
	struct explained_value at; /* `value` is NULL when it is gone; then `key` and `place` tell
				      where it was, or what it was in */
	const struct origin_removed *removed; /* gone: this was taken away */
	const struct node *in;    /* gone: from this, or, with nothing removed, replaced by it */
	struct origin_step *also; /* lost because a map or list around it was, outer ones first */
	uint32_t also_count;

	/* private: */
	uint32_t also_capacity;
	struct key_text key;
	struct arena *arena;
};

/* Positive result of explained_find(): there is not and was not such a value. */
#define EXPLAINED_ABSENT 2

/**
 * Finds `key`, in the first document that has it. *ret is for explained_fini(), whatever the result
 * is. With EXPLAINED_ABSENT ret->at is the map, list or scalar that has no parts[*depth].
 * Returns 0, EXPLAINED_ABSENT or -ENOMEM.
 */
int explained_find(const struct explanation *explanation, const struct key *key,
	struct explained *ret, size_t *depth);
void explained_fini(struct explained *explained);
