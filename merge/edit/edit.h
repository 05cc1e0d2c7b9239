/*
 * Edits: changes of a document's tree that change its text as little as possible. New text follows
 * its neighbours: indentation, quotes, flow or block style, line ends. The result is a list of
 * splices; outside of them no byte changes.
 *
 * The comments of a removed entry are removed, too (text_lines.h, editor.h). Between brackets, a
 * comment behind several entries of one line belongs to none of them, and may stay when they go. A
 * new entry stands directly below old comments only if it is alone in its file or brackets. If one
 * op adds an entry, and a later op removes that entry, the result is the same as without both ops.
 *
 * The new text is read again, and its tree must be the wanted one. If the trees differ, the map or
 * list around the change is written anew. If they still differ, the map or list around that one is
 * written anew, and so on. If nothing works without the loss of a comment, the edit is refused.
 */
#pragma once

#include "document.h"

/* As an index: after the last item. */
#define EDIT_END UINT32_MAX

/* One step from a map or list to an entry of it. */
struct edit_step {
	const struct node *key; /* the key in a map; NULL: an item of a list */
	/* index of the item; for a new item, the index that it gets; or EDIT_END */
	uint32_t index;
};

enum edit_kind {
	/* Sets the value. A new key goes to the end of its map. Missing maps on the way are
	 * made; an empty value (`key:`) counts as a map. Without steps, sets the root. */
	EDIT_SET,
	/* Removes the pair or item; without steps, the document. Fails if it is missing. */
	EDIT_REMOVE,
	/* Inserts `value` before the item of the last step. Makes the list if there is none. */
	EDIT_INSERT,
};

/*
 * For a repeated key (format.h) that also has values in sources other than the target (put.h): how
 * put_run() makes only the target's values count.
 */
enum edit_again {
	EDIT_AGAIN_NO,    /* not at all: the op fails */
	EDIT_AGAIN_LAST,  /* `value` becomes the last one, as only the key's last value counts */
	EDIT_AGAIN_RESET, /* an empty value before the target's values drops all earlier values */
};

struct edit_op {
	enum edit_kind kind;
	/* index of the document in the text, starting at 0; SET may add a document at the end */
	size_t document;
	const struct edit_step *steps;
	size_t count; /* number of steps */
	/* SET, INSERT: the new value, in its style if possible; its line and column do not count */
	const struct node *value;
	/* SET: the op fails if a comment in the old value would be lost */
	bool keeps_comments;
	bool leaves_nothing;   /* REMOVE: even the only document may be removed */
	enum edit_again again; /* only for put_run() (put.h) */
};

struct edit_request {
	struct source source; /* for messages */
	struct span text;
	const struct document *document;    /* the text, read with extents; NULL: not read yet */
	const struct read_options *options; /* how `text` is read */
	const struct edit_op *ops;          /* each applies to the result of the one before it */
	size_t count;
};

/* A change of the text: `len` bytes at `offset` are replaced by `text`. */
struct splice {
	size_t offset;
	size_t len;
	struct span text;
};

struct edit_result {
	struct arena *arena;
	struct splice *splices;    /* in the order of the text; none overlap */
	size_t count;              /* 0: nothing changes */
	struct span text;          /* the new text; NUL-terminated */
	struct document *document; /* the new text, read without extents; NULL: nothing changes */
};

/**
 * Edits a text. Returns 0 with *ret for edit_result_free(); PROBLEM if the text does not parse, an
 * op's steps lead nowhere, or no text gives the wanted tree; or -ENOMEM.
 */
int edit_run(const struct edit_request *request, struct edit_result **ret, struct problem *problem);

void edit_result_free(struct edit_result *result);
void edit_result_freep(struct edit_result **result);

/**
 * Returns whether both trees (or NULLs) are equal, including types. Numbers must have the same
 * text: 1.1 and 1.10 differ. If `minds_order` is true, the order of keys must be the same, and a
 * null must be written in both trees (`key: null`) or in neither (`key:`).
 */
bool edit_same(const struct node *a, const struct node *b, bool minds_order);

/* The part in which two lists differ: the items between an equal beginning and an equal end. */
struct edit_stretch {
	uint32_t first;   /* index of its first item, in both lists */
	uint32_t old_end; /* index after its last item in the old list */
	uint32_t new_end; /* index after its last item in the new list */
};

/** Returns the part in which two lists differ. The order of keys in an item does not count. */
struct edit_stretch edit_find_stretch(const struct node *old, const struct node *new);
