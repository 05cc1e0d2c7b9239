/*
 * The places of a lock, and how far the way from the root has come along them.
 */
#pragma once

#include "value_lock.h"

enum value_lock_word_kind {
	VALUE_LOCK_KEY,
	VALUE_LOCK_ONE,  /* any one key or index */
	VALUE_LOCK_MANY, /* any number of them */
	VALUE_LOCK_END,  /* of a place: what has come here is locked */
};

struct value_lock_word {
	enum value_lock_word_kind kind;
	struct span key;          /* VALUE_LOCK_KEY */
	uint32_t index;           /* … as an index; UINT32_MAX: it is none */
	const struct node *place; /* VALUE_LOCK_END: as written */
};

/* A step from a map, by a key, or from a list, by an index. */
struct value_lock_step {
	const struct value_lock_step *up; /* NULL: the first one */
	const struct node *key;           /* NULL: an index */
	uint32_t index;
};

/** 64-bit words that a set of places has: one bit for each word of the lock. */
size_t value_lock_set_size(const struct value_lock *lock);

/** The set at the root; `set` is all zero before. */
void value_lock_set_begin(const struct value_lock *lock, uint64_t *set);

/** The set behind one step. */
void value_lock_set_step(const struct value_lock *lock, const uint64_t *from,
	const struct value_lock_step *step, uint64_t *ret);

/** Whether nothing from here on is locked. */
bool value_lock_set_is_empty(const struct value_lock *lock, const uint64_t *set);

/** The place that has been reached, as written; NULL: none. */
const struct node *value_lock_set_reached(const struct value_lock *lock, const uint64_t *set);

/**
 * The lock that binds what `step` leads to, of the lowest layer, whether or not it has anything to
 * keep away. *ret is NULL for none. 0 or -ENOMEM.
 */
int value_lock_of_place(const struct value_locks *locks, const struct value_lock_step *step,
	struct arena *arena, const struct value_lock **ret);

/** The way to a value as people write a place, cut to `size` bytes; "." is the root. */
void value_lock_step_name(const struct value_lock_step *step, char *name, size_t size);
