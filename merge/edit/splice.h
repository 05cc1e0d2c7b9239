/*
 * A patched text: a text after several changes, with a record of its unchanged parts.
 *
 *      a: 1|b: 2|c: 3      pieces: of the original text, or new
 *      ╰──╯ b: 7 ╰──╯
 */
#pragma once

#include "edit.h"

struct splice_piece;

struct patched {
	struct arena *arena;
	struct span original;        /* borrowed from the caller of patched_begin() */
	struct span text;            /* the current text */
	struct splice_piece *pieces; /* the parts of `text`, in their order */
	size_t count;
};

/** Begins with `text`, unchanged. Borrows `text`. Returns 0 or -ENOMEM. */
int patched_begin(struct patched *patched, struct arena *arena, struct span text);

/**
 * Applies splices of patched->text. The splices may be in any order. At one offset, insertions come
 * before a replacement, and keep their order. *ret becomes the text after the change, and borrows
 * the texts of the splices. Returns 0; EDIT_CANNOT if two splices overlap; or -ENOMEM.
 */
int patched_splice(const struct patched *patched, const struct splice *splices, size_t count,
	struct patched *ret);

/** Returns all changes as splices of the original. Returns 0 with *ret in the arena, or -ENOMEM. */
int patched_splices(const struct patched *patched, struct splice **ret, size_t *count);
