/*
 * Origins: which sources contributed to a value of the result, and which rules decided between
 * them.
 *
 *      port: 9090          the value: a node, whose own place is the winner's, host.yaml:3:9
 *       ├─ 80    LOST      vendor.yaml:2:9, the later value replaces
 *       └─ 8080  LOST      site.yaml:7:9, the later value replaces
 *
 * Origins are recorded only if the request asks for them. A strategy records each decision where it
 * decides, as a step of the node that stands in the tree from then on: a node's address identifies
 * a place in the result. So a node that has steps must not stand at two places which later get
 * different steps. Therefore origins_unshare() replaces aliases by copies, and a strategy that uses
 * a value again (pillar) copies the value before it records a step for it.
 *
 * A value has one step for each contributor, even if the contributor reaches it in two ways. A
 * value is not its own contributor. Contributors that were read from one place are the same.
 *
 * Recording can't fail, and costs one test of a pointer if origins are off: the recording functions
 * take NULL for "off", and leave a lack of memory to origins_check().
 *
 * Everything is valid while the arena of the origins and the sources both live.
 */
#pragma once

#include "document.h"

struct origins;

/* The outcome for a contributor. */
enum origin_fate {
	ORIGIN_LOST,    /* replaced, or not taken: nothing of it is in the value */
	ORIGIN_PART,    /* a part of the value, which is a map, a list or a joined string */
	ORIGIN_REMOVED, /* a directive or a null that removed the value of lower sources */
};

/* The reason of a decision. */
struct origin_why {
	const char *rule;      /* a phrase: "the later value replaces", "lists: append" */
	const struct node *by; /* the value in a source or the options that decided; or NULL */
};

/* A contributor other than the value itself. Steps are in the order in which the merge met them. */
struct origin_step {
	struct origin_step *next; /* only for origin_next() */
	/* A source's node; or one that the merge made, with the place of its first part. */
	const struct node *value;
	struct origin_why why;
	enum origin_fate fate;
};

struct origin_places;

/* A value that a map or list had and has no longer. */
struct origin_removed {
	struct origin_removed *next;
	const struct node *key; /* of the pair; for an item, the value by which it was matched */
	struct origin_step *first;
	struct origin_step *last; /* the step that removed the value */
	uint32_t count;           /* steps */

	struct origin_places *places; /* private; as in struct origin */
};

struct origin {
	const struct node *value;
	struct origin_step *first; /* NULL: no other contributor */
	struct origin_step *last;
	struct origin_removed *removed; /* from this map or list, the last removal first */
	uint32_t count;                 /* steps */

	/* private: */
	struct origin_step *part;     /* the first ORIGIN_PART; NULL: none */
	struct origin_places *places; /* of the steps, if they are many; NULL: not needed yet */
};

/* A part of the result's text that was copied from a source, byte for byte. */
struct origin_piece {
	struct origin_piece *next;
	size_t offset; /* bytes, in the result */
	size_t len;
	const struct source *source;
	uint32_t line; /* of the source, where the piece begins; starting at 1 */
};

/** Makes empty origins. Returns NULL when there is no memory. */
struct origins *origins_new(struct arena *arena);

/** Returns -ENOMEM if something could not be recorded, otherwise 0. */
int origins_check(const struct origins *origins);

/**
 * Copies a document with a copy of its value in place of each alias, into the arena of the origins.
 * *ret is the document itself if it has no alias, or `origins` is NULL. Returns 0; -EFBIG if the
 * documents copied so far would have more than 2^21 values together; or -ENOMEM.
 */
int origins_unshare(
	struct origins *origins, const struct document *document, const struct document **ret);

/* Recording. */

/** Records that `value` replaces `lost`, which may be NULL. `value` also gets `lost`'s steps. */
void origin_replace(struct origins *origins, const struct node *value, const struct node *lost,
	struct origin_why why);

/**
 * As origin_replace(), with `fate`, for a map `value` that is made to replace the map `before`.
 * Everything removed from `before` counts as removed from `value`.
 */
void origin_take_over(struct origins *origins, const struct node *value, const struct node *before,
	enum origin_fate fate, struct origin_why why);

/**
 * Records that `other` was merged into `value`, which also gets the steps of `other`. With
 * ORIGIN_LOST, nothing of `other` was taken: its steps with ORIGIN_PART become ORIGIN_LOST, too.
 */
void origin_note(struct origins *origins, const struct node *value, const struct node *other,
	enum origin_fate fate, struct origin_why why);

/** Records that `to`, a copy of `from`, stands in its place: gives it the steps and removals. */
void origin_move(struct origins *origins, const struct node *from, const struct node *to);

/** Records that `lost` at `key` was removed from the map or list `from`, by why.by if not NULL. */
void origin_remove(struct origins *origins, const struct node *from, const struct node *key,
	const struct node *lost, struct origin_why why);

/**
 * Records that the map or list `in` has `value` at `key` again: `value` gets the steps of the value
 * that was removed there, and the removal is forgotten. Does nothing if none is recorded.
 */
void origin_restore(struct origins *origins, const struct node *in, const struct node *key,
	const struct node *value);

/** Forgets the removal of `key` from `in`, for a key that another source has set again. */
void origin_forget(struct origins *origins, const struct node *in, const struct node *key);

/** Records for `copy` the steps that `others` has for `value`. */
void origin_import(struct origins *origins, const struct origins *others, const struct node *value,
	const struct node *copy);

/** Records that `len` bytes of the result, from `offset` on, are the whole of `source`. */
void origin_text(struct origins *origins, size_t offset, size_t len, const struct source *source);

/** As origin_text(), for lines of `source` from `line` on, whose line ends may differ. */
void origin_text_at(struct origins *origins, size_t offset, size_t len, const struct source *source,
	uint32_t line);

/* Reading. */

/** Returns the steps and removals of a value of the result; NULL: it has none. */
const struct origin *origin_of(const struct origins *origins, const struct node *value);

/** Returns the step after `step`. NULL gives the first one; after the last one, returns NULL. */
const struct origin_step *origin_next(const struct origin *origin, const struct origin_step *step);

/** As origin_next(), for a removed value. */
const struct origin_step *origin_removed_next(
	const struct origin_removed *removed, const struct origin_step *step);

/** Returns the pieces in the order of the text. NULL: no part of it was copied from a source. */
const struct origin_piece *origin_pieces(const struct origins *origins);
