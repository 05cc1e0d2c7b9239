/*
 * Origins: which sources had a say in a value of the result, and what decided between them.
 *
 *      port: 9090          the value: a node, whose own place is the winner's, host.yaml:3:9
 *       ├─ 80    LOST      vendor.yaml:2:9, the later value replaces
 *       └─ 8080  LOST      site.yaml:7:9, the later value replaces
 *
 * They are noted only when the request asks for them. A strategy notes each decision where it makes
 * it, about the node that stands in the tree from then on: the address of a node is the name of a
 * place in the result. So, while origins are noted, no node that something is noted about may stand
 * at two places where different things happen to it: origins_unshare() writes aliases out, and what
 * is used again (pillar) is copied before something is noted about it.
 *
 * A contributor that comes by two ways is told once, and a value is not its own contributor: one is
 * like another when it was read from the same place.
 *
 * Noting can't fail and costs a test of a pointer where nobody asks: the functions that note take
 * NULL for "nobody does", and keep a lack of memory for origins_check().
 *
 * Everything lives as long as the arena that the origins were made in and the sources.
 */
#pragma once

#include "document.h"

struct origins;

/* What became of a contributor. */
enum origin_fate {
	ORIGIN_LOST,    /* replaced, or not taken: nothing of it is in the value */
	ORIGIN_PART,    /* in the value, together with others: of a map, a list, a joined string */
	ORIGIN_REMOVED, /* took away what lay below it: a directive, or a null */
};

/* What decided. */
struct origin_why {
	const char *rule;      /* a phrase: "the later value replaces", "lists: append" */
	const struct node *by; /* where the source or the options say so, if they do; or NULL */
};

/* One contributor besides the value itself, in the order in which the strategy met them. */
struct origin_step {
	struct origin_step *next; /* for origin_next() */
	const struct node *value; /* of a source; or made, and its place is its first one's */
	struct origin_why why;
	enum origin_fate fate;
};

struct origin_places;

/* What a map or list had and has no more. */
struct origin_removed {
	struct origin_removed *next;
	const struct node *key;    /* of the pair; of an item, what items are matched by */
	struct origin_step *first; /* the last one took it away */
	struct origin_step *last;
	uint32_t count; /* steps */

	struct origin_places *places; /* private; as in struct origin */
};

struct origin {
	const struct node *value;
	struct origin_step *first; /* NULL: nobody else had a say */
	struct origin_step *last;
	struct origin_removed *removed; /* from a map or list, the latest first */
	uint32_t count;                 /* steps */

	/* private: */
	struct origin_step *part;     /* the first ORIGIN_PART; NULL: none */
	struct origin_places *places; /* of the steps, if there are many; NULL: not needed yet */
};

/* A part of the result's text that is a source's own, byte for byte. */
struct origin_piece {
	struct origin_piece *next;
	size_t offset; /* bytes, in the result */
	size_t len;
	const struct source *source;
	uint32_t line; /* of the source, starting at 1, which is the piece's first */
};

/** NULL: no memory. */
struct origins *origins_new(struct arena *arena);

/** -ENOMEM if something could not be noted, else 0. */
int origins_check(const struct origins *origins);

/**
 * The document with its aliases written out; itself where it has none, or `origins` is NULL.
 * Returns 0; -EFBIG when what they stand for is too much, in all; or -ENOMEM.
 */
int origins_unshare(
	struct origins *origins, const struct document *document, const struct document **ret);

/* Noting. */

/** `value` stands where `lost` stood, which may be NULL, and takes over what is known of it. */
void origin_replace(struct origins *origins, const struct node *value, const struct node *lost,
	struct origin_why why);

/**
 * As origin_replace(), with that fate, for a map that is made anew in the place of the map
 * `before`: what `before` had and has no more, `value` has no more either.
 */
void origin_take_over(struct origins *origins, const struct node *value, const struct node *before,
	enum origin_fate fate, struct origin_why why);

/**
 * `other`, with all that is known of it, was merged into `value`, or came to nothing there: then
 * so did what was a part of it.
 */
void origin_note(struct origins *origins, const struct node *value, const struct node *other,
	enum origin_fate fate, struct origin_why why);

/** `to` stands where `from` stood and is the same value: a copy. */
void origin_move(struct origins *origins, const struct node *from, const struct node *to);

/** `lost` at `key` was taken out of the map or list `from`, by `why.by`. */
void origin_remove(struct origins *origins, const struct node *from, const struct node *key,
	const struct node *lost, struct origin_why why);

/** `value` is at `key` in `in`, which may have had another one there that was removed. */
void origin_restore(struct origins *origins, const struct node *in, const struct node *key,
	const struct node *value);

/** `in` has `key` after all, from elsewhere: nothing is known of its removal any more. */
void origin_forget(struct origins *origins, const struct node *in, const struct node *key);

/** `copy` is the value that others know as `value`: what is known of it there is known here. */
void origin_import(struct origins *origins, const struct origins *others,
	const struct node *value, const struct node *copy);

/** `len` bytes of the result, from `offset` on, are the whole of `source`. */
void origin_text(struct origins *origins, size_t offset, size_t len, const struct source *source);

/** The same of lines of `source`, from `line` on, but for how they end. */
void origin_text_at(struct origins *origins, size_t offset, size_t len,
	const struct source *source, uint32_t line);

/* Asking. */

/** What is known of a value of the result; NULL: nothing but its place. */
const struct origin *origin_of(const struct origins *origins, const struct node *value);

/** The step after `step`, beginning with NULL and ending with NULL. */
const struct origin_step *origin_next(const struct origin *origin, const struct origin_step *step);

/** The same for something removed. */
const struct origin_step *origin_removed_next(
	const struct origin_removed *removed, const struct origin_step *step);

/** The pieces in the order of the text; NULL when it was written anew. */
const struct origin_piece *origin_pieces(const struct origins *origins);
