/*
 * Edits: a text and what is to change in its tree; out comes the least change of the text. What
 * stands around it decides how the new is written: indentation, quotes, flow or block, line ends.
 * Outside of the splices no byte changes, and no comment is lost but those of what is removed.
 *
 * Nothing is believed: the text that comes out is read again, and is the tree that was wanted, or
 * the next larger value around is written anew if no comment stands in it, or the edit is refused
 * with the place and what stands in the way.
 */
#pragma once

#include "document.h"

/* In the place of an index: behind the last item. */
#define EDIT_END UINT32_MAX

/* One step from a map or list into it. */
struct edit_step {
	const struct node *key; /* of a map; NULL: an item of a list */
	uint32_t index; /* of the item; to insert: of the one before which it is put, or EDIT_END */
};

enum edit_kind {
	EDIT_SET, /* `value` stands there from now on. A map that lacks the key gets it at its end,
		     and so do those on the way to it; what stands there as empty (`key:`) counts as
		     a map. An empty path is the root, which may be missing */
	EDIT_REMOVE, /* the pair or item; one that is not there is a problem */
	EDIT_INSERT, /* `value` is put before the item of the last step; a list that lies at a key
			that its map lacks, or is empty, is made */
};

/* To SET the text of a key that may come again (format.h, repeats), where it can't be all of it. */
enum edit_again {
	EDIT_AGAIN_NO,
	EDIT_AGAIN_LAST,  /* it is the last of them, as that alone counts */
	EDIT_AGAIN_RESET, /* what came before is taken away, by an assignment of nothing */
};

struct edit_op {
	enum edit_kind kind;
	size_t document; /* of several in one text, starting at 0 */
	const struct edit_step *steps;
	size_t count;             /* steps */
	const struct node *value; /* SET and INSERT; its style is a wish, its place means nothing */
	bool keeps_comments; /* SET: what stands there is written anew for a change of a part of it,
				and not at all if a comment would go with it */
	enum edit_again again; /* for put.h */
};

struct edit_request {
	struct source source; /* for messages */
	struct span text;
	const struct document *document;    /* the text, read with extents; or NULL: not yet */
	const struct read_options *options; /* how it is read */
	const struct edit_op *ops;          /* each begins with what the one before it left */
	size_t count;
};

/* `len` bytes at `offset` of the text give way to `text`. */
struct splice {
	size_t offset;
	size_t len;
	struct span text;
};

struct edit_result {
	struct arena *arena;
	struct splice *splices;    /* in the order of the text; none overlap */
	size_t count;              /* 0: nothing changes */
	struct span text;          /* with all of them done; NUL-terminated */
	struct document *document; /* of that text, without extents; NULL: nothing changes */
};

/**
 * Edits. All of the request is borrowed for the time of the call; the result owns its memory.
 * Returns 0 with *ret for edit_result_free(); PROBLEM when the text does not parse, an op has no
 * place, or nothing that can be written is what was wanted; or -ENOMEM.
 */
int edit_run(const struct edit_request *request, struct edit_result **ret, struct problem *problem);

void edit_result_free(struct edit_result *result);
void edit_result_freep(struct edit_result **result);

/**
 * Whether both say the same (either may be NULL): typed, and numbers by their text as well, since
 * who changes 1.1 into 1.10 means it. With `minds_order` keys have the same order, too, and a null
 * is written in both (`key: null`) or in none (`key:`).
 */
bool edit_same(const struct node *a, const struct node *b, bool minds_order);

/* Where two lists differ: what is left of each without the items that are the same at both ends. */
struct edit_stretch {
	uint32_t first; /* of it, in both */
	uint32_t old_end;
	uint32_t new_end;
};

/** The stretch of two lists that edit_same() does not call the same. */
struct edit_stretch edit_find_stretch(
	const struct node *old, const struct node *new, bool minds_order);
