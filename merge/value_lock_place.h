/*
 * The places of a lock, matched step by step from the root. Each place is a sequence of words. A
 * set has a bit for each word of the lock, which is 1 if the next step may match that word.
 */
#pragma once

#include "value_lock.h"

enum value_lock_word_kind {
	VALUE_LOCK_KEY,
	VALUE_LOCK_ONE,  /* any one key or index */
	VALUE_LOCK_MANY, /* any number of them */
	VALUE_LOCK_END,  /* ends a place: a value reached here is locked */
};

struct value_lock_word {
	enum value_lock_word_kind kind;
	struct span key;          /* VALUE_LOCK_KEY */
	uint32_t index;           /* the key as an index; UINT32_MAX: it is none */
	const struct node *place; /* VALUE_LOCK_END: as written */
};

/* A step from a map, by a key, or from a list, by an index. */
struct value_lock_step {
	const struct value_lock_step *up; /* NULL: the first one */
	const struct node *key;           /* NULL: an index */
	uint32_t index;
};

/**
 * Reads a place, or a list of places, into the words of *ret. Returns 0, with the words in `arena`;
 * PROBLEM; or -ENOMEM.
 */
int value_lock_read_places(const struct node *places, struct arena *arena, struct value_lock *ret,
	struct problem *problem);

/**
 * Sets *ret to whether one value can be at both places, whose first words are `a` and `b`. With
 * `covers`, *ret also becomes true if a value at `a` can contain one at `b`. Returns 0 or -ENOMEM.
 */
int value_lock_places_meet(const struct value_lock_word *a, const struct value_lock_word *b,
	bool covers, struct arena *arena, bool *ret);

/** Returns the size of a set in 64-bit words: one bit for each word of the lock. */
size_t value_lock_set_size(const struct value_lock *lock);

/** Fills the set at the root; `set` must be all zero. */
void value_lock_set_begin(const struct value_lock *lock, uint64_t *set);

/** Computes the set after one step. */
void value_lock_set_step(const struct value_lock *lock, const uint64_t *from,
	const struct value_lock_step *step, uint64_t *ret);

/** Returns whether the set is empty: nothing is locked here or in the value here. */
bool value_lock_set_is_empty(const struct value_lock *lock, const uint64_t *set);

/** Returns the place that has been reached, as written; NULL: none. */
const struct node *value_lock_set_reached(const struct value_lock *lock, const uint64_t *set);

/**
 * Finds the lock that covers the place to which `step` leads, whether or not a value is there. If
 * several locks do, that of the lowest layer counts. *ret is NULL if none covers it. Returns 0 or
 * -ENOMEM.
 */
int value_lock_of_place(const struct value_locks *locks, const struct value_lock_step *step,
	struct arena *arena, const struct value_lock **ret);

/** Writes the path to a value in the form of a place, cut to `size` bytes; "." is the root. */
void value_lock_step_name(const struct value_lock_step *step, char *name, size_t size);
