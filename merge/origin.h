/*
 * Origins: which sources contributed to a value of the result, and which rules decided between
 * them.
 *
 *      port: 9090          the value: a node, at the place of the value that won, host.yaml:3:9
 *       ├─ 80    LOST      vendor.yaml:2:9, the later value replaces
 *       └─ 8080  LOST      site.yaml:7:9, the later value replaces
 *
 * Origins are recorded if merge_request.wants_origins is set (merge.h). A strategy records each
 * decision when it decides, as a step of the node that it puts into the result's tree. The address
 * of that node stands for its place in the result, so a node with steps must not stand at two
 * places that later get different steps. origins_unshare() replaces aliases by copies. A strategy
 * that uses a value twice copies the value before it records a step.
 *
 * A value has one step for each contributor, and none for itself. Two nodes that were read at one
 * place are one contributor.
 *
 * The recording functions return no error: origins_check() reports a lack of memory afterwards. If
 * origins are off, `origins` is NULL. Everything is valid while the origins' arena and the sources'
 * documents live.
 */
#pragma once

#include "document.h"

struct origins;

/* The outcome for a contributor. */
enum origin_fate {
	ORIGIN_LOST,    /* replaced, or not taken: nothing of it is in the value */
	ORIGIN_PART,    /* a part of the value; the value is a map, a list or a joined string */
	ORIGIN_REMOVED, /* a node that removed the value of lower sources: a null, a !delete … */
};

/* The reason of a decision. */
struct origin_why {
	const char *rule;      /* a phrase: "the later value replaces", "lists: append" */
	const struct node *by; /* the node that decided, of a source or of the options; or NULL */
};

/* A contributor other than the value itself. Steps are in the order in which the merge met them. */
struct origin_step {
	struct origin_step *next; /* only for origin_next() */
	/* A node of a source; or a node that the merge made, with the place of its first part. */
	const struct node *value;
	struct origin_why why;
	enum origin_fate fate;
};

struct origin_places;

/* A value that a map or list had and has no longer. */
struct origin_removed {
	struct origin_removed *next;
	const struct node *key;    /* for an item of a list: the value by which it was matched */
	struct origin_step *first; /* not NULL */
	struct origin_step *last;  /* not NULL; has ORIGIN_REMOVED if the removing node is known */
	uint32_t count;            /* steps */

	struct origin_places *places; /* private; as in struct origin */
};

struct origin {
	const struct node *value;
	struct origin_step *first; /* NULL: no other contributor */
	struct origin_step *last;
	struct origin_removed *removed; /* values removed from this map or list, the latest first */
	uint32_t count;                 /* steps */

	/* private: */
	struct origin_step *part;     /* the first ORIGIN_PART; NULL: none */
	struct origin_places *places; /* finds a step by its place; NULL: not needed yet */
};

/* A part of the result's text that was copied from a source. Its line ends may be changed. */
struct origin_piece {
	struct origin_piece *next;
	size_t offset; /* bytes, in the result */
	size_t len;
	const struct source *source;
	uint32_t line; /* the line of the source at which the piece begins; starting at 1 */
};

/** Makes empty origins. Returns NULL when there is no memory. */
struct origins *origins_new(struct arena *arena);

/** Returns -ENOMEM if something could not be recorded, otherwise 0. */
int origins_check(const struct origins *origins);

/**
 * Copies a document into the origins' arena, with a copy of the value in place of each alias. If
 * the document has no alias, or `origins` is NULL, *ret is the document itself. Returns 0; -EFBIG
 * if all copied documents together would have more than 2^21 values; or -ENOMEM.
 */
int origins_unshare(
	struct origins *origins, const struct document *document, const struct document **ret);

/* Recording. */

/** Records that `value` replaces `lost` (may be NULL), and gives `value` the steps of `lost`. */
void origin_replace(struct origins *origins, const struct node *value, const struct node *lost,
	struct origin_why why);

/**
 * Records that the map `value` was made in place of the map `before`, which gets this fate. Gives
 * `value` the steps and removals of `before`.
 */
void origin_take_over(struct origins *origins, const struct node *value, const struct node *before,
	enum origin_fate fate, struct origin_why why);

/**
 * Records `other` as a contributor of `value`, with this fate, and gives `value` the steps of
 * `other`. If `fate` is ORIGIN_LOST, the fate ORIGIN_PART in these steps becomes ORIGIN_LOST.
 */
void origin_note(struct origins *origins, const struct node *value, const struct node *other,
	enum origin_fate fate, struct origin_why why);

/**
 * Moves the steps and removals of a value, `from`, to its copy, `to`, which replaces the value in
 * the result. The caller may change the copy. If the copy is lost later, the step that records the
 * loss has the value as it was read, without the caller's changes.
 */
void origin_move(struct origins *origins, const struct node *from, const struct node *to);

/**
 * Records that `lost` at `key` was removed from the map or list `from`. The removal has the steps
 * of `lost`, a step for `lost` itself if it was read from a source, and, as the last, a step for
 * why.by unless that is NULL. There must be at least one step.
 */
void origin_remove(struct origins *origins, const struct node *from, const struct node *key,
	const struct node *lost, struct origin_why why);

/**
 * Records that the map or list `in` has `value` at `key` again: gives `value` the steps of the
 * removed value, and forgets the removal. Finds only the latest few hundred removals from `in`.
 */
void origin_restore(struct origins *origins, const struct node *in, const struct node *key,
	const struct node *value);

/** Forgets the removal of `key` from the map or list `in`: the caller has set the key again. */
void origin_forget(struct origins *origins, const struct node *in, const struct node *key);

/** Gives `copy` the steps and removals that `value` has in `others`. */
void origin_import(struct origins *origins, const struct origins *others, const struct node *value,
	const struct node *copy);

/** Records that `len` bytes of the result, from `offset` on, are the whole of `source`. */
void origin_text(struct origins *origins, size_t offset, size_t len, const struct source *source);

/** As origin_text(), but for a part of `source` that begins at `line`. */
void origin_text_at(struct origins *origins, size_t offset, size_t len, const struct source *source,
	uint32_t line);

/* Reading. */

/** Returns the steps and removals of a value of the result; NULL: it has none. */
const struct origin *origin_of(const struct origins *origins, const struct node *value);

/** Returns the step after `step`, or the first step if `step` is NULL; NULL after the last step. */
const struct origin_step *origin_next(const struct origin *origin, const struct origin_step *step);

/** As origin_next(), for a removed value. */
const struct origin_step *origin_removed_next(
	const struct origin_removed *removed, const struct origin_step *step);

/** Returns the pieces in the order of the text; NULL: no part of the text was copied. */
const struct origin_piece *origin_pieces(const struct origins *origins);
