/*
 * The places of a lock, matched step by step while a caller walks a tree from the root. Each place
 * is a sequence of words. The state of the match is a set, an array of uint64_t with one bit for
 * each word of the lock. The bit of a word is 1 if the next step may match the word. The bit of a
 * VALUE_LOCK_END is 1 if the steps so far have led to the end of its place.
 */
#pragma once

#include "value_lock.h"

enum value_lock_word_kind {
	VALUE_LOCK_KEY,
	VALUE_LOCK_ONE,  /* any one key or index */
	VALUE_LOCK_MANY, /* any number of keys and indexes */
	VALUE_LOCK_END,  /* the end of a place: a value that is reached here is locked */
};

struct value_lock_word {
	enum value_lock_word_kind kind;
	struct span key;          /* VALUE_LOCK_KEY */
	uint32_t index;           /* the key as an index; UINT32_MAX: the key is no index */
	const struct node *place; /* VALUE_LOCK_END: as written */
};

/* A step into a map, by a key, or into a list, by an index. */
struct value_lock_step {
	const struct value_lock_step *up; /* the step before; NULL: this is the first step */
	const struct node *key;           /* NULL: an index */
	uint32_t index;
};

/**
 * Reads the word at `*at`, unescaped, into `out`, which must have room for the rest of the place.
 * Moves `*at` behind the next dot; without a dot, to NULL. Returns false for an invalid word.
 */
bool value_lock_next_word(const char **at, const char *end, char *out, struct value_lock_word *ret);

/** Reads one or more places into ret->words, in `arena`. Returns 0, PROBLEM or -ENOMEM. */
int value_lock_read_places(const struct node *places, struct arena *arena, struct value_lock *ret,
	struct problem *problem);

/**
 * Sets *ret to whether one value can be at two places; `a` and `b` are the first words of these
 * places. With `covers`, *ret also becomes true if a value at the place of `a` can contain a value
 * at the place of `b`. Returns 0 or -ENOMEM.
 */
int value_lock_places_meet(const struct value_lock_word *a, const struct value_lock_word *b,
	bool covers, struct arena *arena, bool *ret);

/** Returns the number of uint64_t in a set. */
size_t value_lock_set_size(const struct value_lock *lock);

/** Computes the set for the first step. `set` must be all zero. */
void value_lock_set_begin(const struct value_lock *lock, uint64_t *set);

/** Computes *ret, the set after `step`, from the set before the step. */
void value_lock_set_step(const struct value_lock *lock, const uint64_t *from,
	const struct value_lock_step *step, uint64_t *ret);

/** Returns true if no place can end at the value to which the steps have led, or within it. */
bool value_lock_set_is_empty(const struct value_lock *lock, const uint64_t *set);

/** If the steps have led to the end of a place, returns that place as written; otherwise NULL. */
const struct node *value_lock_set_reached(const struct value_lock *lock, const uint64_t *set);

/**
 * Finds the lock that covers the place to which `step` leads; of several locks, that of the lowest
 * layer. The place need not have a value. Returns 0 with *ret (NULL: no lock), or -ENOMEM.
 */
int value_lock_of_place(const struct value_locks *locks, const struct value_lock_step *step,
	struct arena *arena, const struct value_lock **ret);

/** Writes the place to which `step` leads, as text, cut to `size` bytes; "." is the root. */
void value_lock_step_name(const struct value_lock_step *step, char *name, size_t size);
