/*
 * Origins: which sources contributed to a value of the result, and which rules decided between
 * them.
 *
 *      port: 9090          the value: a node, whose own place is the winner's, host.yaml:3:9
 *       ├─ 80    LOST      vendor.yaml:2:9, the later value replaces
 *       └─ 8080  LOST      site.yaml:7:9, the later value replaces
 *
 * Origins are recorded only if the request asks for them. A strategy records each decision where it
 * makes it, for the node that stands in the tree from then on: the address of a node identifies a
 * place in the result. So, while origins are recorded, a node with recorded steps must not stand at
 * two places that develop differently. Therefore origins_unshare() writes aliases out, and a
 * strategy that uses a value again (pillar) copies it before it records something for it.
 *
 * A contributor that arrives on two paths is reported once, and a value is not its own contributor.
 * Two contributors are the same if they were read from the same place.
 *
 * Recording can't fail, and costs one test of a pointer if origins are off: the recording functions
 * take NULL for "off", and leave a lack of memory to origins_check().
 *
 * Everything lives as long as both the arena of the origins and the sources.
 */
#pragma once

#include "document.h"

struct origins;

/* The outcome for a contributor. */
enum origin_fate {
	ORIGIN_LOST,    /* replaced, or not taken: nothing of it is in the value */
	ORIGIN_PART,    /* in the value, together with others: of a map, a list, a joined string */
	ORIGIN_REMOVED, /* removed the value below it: a directive, or a null */
};

/* The reason of a decision. */
struct origin_why {
	const char *rule;      /* a phrase: "the later value replaces", "lists: append" */
	const struct node *by; /* the value in the source or the options that says so; or NULL */
};

/* A contributor other than the value itself. Steps are in the order in which they were met. */
struct origin_step {
	struct origin_step *next; /* only for origin_next() */
	/* Of a source; or a made node, with the place of its first part. */
	const struct node *value;
	struct origin_why why;
	enum origin_fate fate;
};

struct origin_places;

/* A value that a map or list had and has no longer. */
struct origin_removed {
	struct origin_removed *next;
	const struct node *key; /* of the pair; for an item, the value by which items are matched */
	struct origin_step *first;
	struct origin_step *last; /* the step that removed the value */
	uint32_t count;           /* steps */

	struct origin_places *places; /* private; as in struct origin */
};

struct origin {
	const struct node *value;
	struct origin_step *first; /* NULL: no other contributor */
	struct origin_step *last;
	struct origin_removed *removed; /* values of a map or list, the latest first */
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
 * Writes out the aliases of a document. *ret is the document itself if it has none, or `origins` is
 * NULL. Returns 0; -EFBIG if all aliases together stand for too many values; or -ENOMEM.
 */
int origins_unshare(
	struct origins *origins, const struct document *document, const struct document **ret);

/* Recording. */

/** Records that `value` replaces `lost`, which may be NULL. `value` gets the steps of `lost`. */
void origin_replace(struct origins *origins, const struct node *value, const struct node *lost,
	struct origin_why why);

/**
 * As origin_replace(), with `fate`, for a map `value` that is made to replace the map `before`.
 * Everything removed from `before` counts as removed from `value`.
 */
void origin_take_over(struct origins *origins, const struct node *value, const struct node *before,
	enum origin_fate fate, struct origin_why why);

/**
 * Records that `other` was merged into `value`, and gives its steps to `value`. With ORIGIN_LOST,
 * nothing of `other` was taken, and its parts are lost, too.
 */
void origin_note(struct origins *origins, const struct node *value, const struct node *other,
	enum origin_fate fate, struct origin_why why);

/** Records that `to` stands where `from` stood and is the same value: a copy. */
void origin_move(struct origins *origins, const struct node *from, const struct node *to);

/** Records that `lost` at `key` was removed from the map or list `from`, because of `why.by`. */
void origin_remove(struct origins *origins, const struct node *from, const struct node *key,
	const struct node *lost, struct origin_why why);

/**
 * Records that `in` has `value` at `key`. If another value was removed there, `value` takes over
 * its steps.
 */
void origin_restore(struct origins *origins, const struct node *in, const struct node *key,
	const struct node *value);

/** Forgets the removal of `key` from `in`: the key is there again, from another source. */
void origin_forget(struct origins *origins, const struct node *in, const struct node *key);

/** Records for `copy` the steps that `others` has for `value`. */
void origin_import(struct origins *origins, const struct origins *others, const struct node *value,
	const struct node *copy);

/** Records that `len` bytes of the result, from `offset` on, are the whole of `source`. */
void origin_text(struct origins *origins, size_t offset, size_t len, const struct source *source);

/** As origin_text(), for lines of `source`, from `line` on. Their line ends may differ. */
void origin_text_at(struct origins *origins, size_t offset, size_t len, const struct source *source,
	uint32_t line);

/* Reading. */

/** Returns the steps of a value of the result. NULL: nothing is known except its place. */
const struct origin *origin_of(const struct origins *origins, const struct node *value);

/** Returns the step after `step`. NULL gives the first one; after the last one, returns NULL. */
const struct origin_step *origin_next(const struct origin *origin, const struct origin_step *step);

/** As origin_next(), for a removed value. */
const struct origin_step *origin_removed_next(
	const struct origin_removed *removed, const struct origin_step *step);

/** Returns the pieces in the order of the text. NULL: no part of it was copied from a source. */
const struct origin_piece *origin_pieces(const struct origins *origins);
