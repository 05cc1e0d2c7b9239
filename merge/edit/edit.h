/*
 * Edits: changes of a document's tree that change its text as little as possible. New text follows
 * its neighbours: indentation, quotes, flow or block style, line ends. The result is a list of
 * splices; outside of them no byte changes.
 *
 * Only a removed entry loses its comments: the comment on its line, and the comment lines directly
 * above it, as text_lines.h and editor.h define them. A new entry never stands directly below old
 * comments, unless it is the only entry of the file, or the only one between its brackets. An edit
 * does a list of ops (struct edit_op). If one op adds an entry, and a later op removes that entry,
 * neither op leaves a trace.
 *
 * Each result is checked. The new text is read again, and its tree must be the wanted one. If the
 * trees differ, the map or list around the change is written anew, then the next one around it, and
 * so on, unless a comment would be lost. If nothing works, the edit is refused, with the place and
 * the reason.
 */
#pragma once

#include "document.h"

/* As an index: after the last item. */
#define EDIT_END UINT32_MAX

/* One step from a map or list to an entry of it. */
struct edit_step {
	const struct node *key; /* the key in a map; NULL: an item of a list */
	/* index of the item; for an insertion, of the item that will follow the new one, or
	 * EDIT_END */
	uint32_t index;
};

enum edit_kind {
	/* Sets the value. A new key goes to the end of its map. Missing maps on the way are made;
	 * an empty value on the way (`key:`) counts as a map. Without steps it sets the root, which
	 * may be missing. */
	EDIT_SET,
	/* Removes the pair or item; without steps, the document. Fails if it is missing. */
	EDIT_REMOVE,
	/* Inserts `value` before the item of the last step. If the list's key is missing, or has no
	 * value, the list is made. */
	EDIT_INSERT,
};

/* If a key may be repeated (format.h), other sources may add values to it. put_run() (put.h)
 * changes one source, the target. This enum says how it makes the target's values the only ones
 * that count. */
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
	/* of SET and INSERT: the new value. Its style is used if possible; its line and column are
	 * ignored. */
	const struct node *value;
	/* SET: if the whole value must be written anew and a comment would be lost, the op fails.
	 * Set it for a value that changes only in part. */
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
 * Edits a text. The request is borrowed during the call. The result owns its memory; free it with
 * edit_result_free().
 *
 * Returns 0 with *ret; PROBLEM if the text does not parse, an op's steps lead nowhere, or no text
 * gives the wanted tree; or -ENOMEM.
 */
int edit_run(const struct edit_request *request, struct edit_result **ret, struct problem *problem);

void edit_result_free(struct edit_result *result);
void edit_result_freep(struct edit_result **result);

/**
 * Returns whether both trees (or NULLs) are equal, including types. Numbers must have the same
 * text, too, as a user who changes 1.1 to 1.10 wants that change. If `minds_order`, the order of
 * keys must be the same, and a null must be written in both (`key: null`) or in neither (`key:`).
 */
bool edit_same(const struct node *a, const struct node *b, bool minds_order);

/* The part in which two lists differ: the items between an equal beginning and an equal end. */
struct edit_stretch {
	uint32_t first;   /* index of its first item, in both lists */
	uint32_t old_end; /* index after its last item in the old list … */
	uint32_t new_end; /* … and in the new list */
};

/** Returns the part in which two lists differ. The order of keys in an item does not count. */
struct edit_stretch edit_find_stretch(const struct node *old, const struct node *new);
