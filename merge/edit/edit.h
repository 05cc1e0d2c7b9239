/*
 * Edits: changes of a document's tree that change its text as little as possible. The new text
 * follows its neighbours: indentation, quotes, flow or block style, line ends. Outside of the
 * splices no byte changes, and only the comments of removed entries are lost: that of the entry's
 * line, and the lines directly above, as text_lines.h and editor.h define them. A new entry is put
 * where it gets no comment that was there before, except in YAML without entries. What an op adds
 * and a later op of the same edit removes leaves no trace (edit_undone.h).
 *
 * Each result is checked. The new text is read again, and its tree must be the wanted one. If it is
 * not, the map or list around the change is written anew, then the map or list around that one, and
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
	/* index of the item; for an insertion, of the item that will follow it, or EDIT_END */
	uint32_t index;
};

enum edit_kind {
	/* Sets the value. A new key goes to the end of its map. Missing maps on the way are made;
	 * an empty value on the way (`key:`) counts as a map. Without steps it sets the root, which
	 * may be missing. */
	EDIT_SET,
	/* Removes the pair or item; without steps, the document. If it is missing, the op fails. */
	EDIT_REMOVE,
	/* Inserts `value` before the item of the last step. If the key of the list is missing or
	 * empty, the list is made. */
	EDIT_INSERT,
};

/* How the value of a SET becomes the key's only value, if the format lets a key repeat (format.h)
 * and other sources add values to the key. */
enum edit_again {
	EDIT_AGAIN_NO,    /* the op fails instead */
	EDIT_AGAIN_LAST,  /* `value` becomes the last one, and only the last one counts */
	EDIT_AGAIN_RESET, /* an empty assignment before `value` resets the earlier values */
};

struct edit_op {
	enum edit_kind kind;
	/* index of the document in the text, starting at 0; SET may add a document at the end */
	size_t document;
	const struct edit_step *steps;
	size_t count; /* number of steps */
	/* of SET and INSERT. Its style is used if possible. Its place is ignored. */
	const struct node *value;
	/* SET: only a part of the old value differs. If the whole value must be written anew and a
	 * comment would be lost, the op fails. */
	bool keeps_comments;
	bool leaves_nothing;   /* REMOVE: even the only document may be removed */
	enum edit_again again; /* put (put.h) sets it */
};

struct edit_request {
	struct source source; /* for messages */
	struct span text;
	const struct document *document;    /* the text, read with extents; NULL: not read yet */
	const struct read_options *options; /* how it is read */
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

/* The part in which two lists differ: between the equal items at their beginnings and those at
 * their ends. */
struct edit_stretch {
	uint32_t first;   /* index where it begins, in both lists */
	uint32_t old_end; /* the index after it in the old list … */
	uint32_t new_end; /* … and in the new one */
};

/** Returns the part in which two lists differ. The order of keys in their items may differ. */
struct edit_stretch edit_find_stretch(const struct node *old, const struct node *new);
