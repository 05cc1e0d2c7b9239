/*
 * The places of a lock, and how far the way from the root has come along them.
 */
#pragma once

#include "locks.h"

enum lock_word_kind {
	LOCK_KEY,
	LOCK_ONE,  /* any one key or index */
	LOCK_MANY, /* any number of them */
	LOCK_END,  /* of a place: what has come here is locked */
};

struct lock_word {
	enum lock_word_kind kind;
	struct span key;          /* LOCK_KEY */
	uint32_t index;           /* … as an index; UINT32_MAX: it is none */
	const struct node *place; /* LOCK_END: as written */
};

/* A step from a map, by a key, or from a list, by an index. */
struct lock_step {
	const struct lock_step *up; /* NULL: the first one */
	const struct node *key;     /* NULL: an index */
	uint32_t index;
};

/** 64-bit words that a set of places has: one bit for each word of the lock. */
size_t lock_set_size(const struct lock *lock);

/** The set at the root; `set` is all zero before. */
void lock_set_begin(const struct lock *lock, uint64_t *set);

/** The set behind one step. */
void lock_set_step(
	const struct lock *lock, const uint64_t *from, const struct lock_step *step, uint64_t *ret);

/** Whether nothing from here on is locked. */
bool lock_set_is_empty(const struct lock *lock, const uint64_t *set);

/** The place that has been reached, as written; NULL: none. */
const struct node *lock_set_reached(const struct lock *lock, const uint64_t *set);

/**
 * The lock that binds what `step` leads to, of the lowest layer, whether or not it has anything to
 * keep away. *ret is NULL for none. 0 or -ENOMEM.
 */
int lock_of_place(const struct locks *locks, const struct lock_step *step, struct arena *arena,
	const struct lock **ret);

/** The way to a value as people write a place, cut to `size` bytes; "." is the root. */
void lock_step_name(const struct lock_step *step, char *name, size_t size);
