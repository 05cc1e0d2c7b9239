/*
 * The interface of editors. An editor is the edit() of a format (format.h). It finds the place of
 * one op in a text with extents, and adds splices.
 *
 * An editor may handle rare cases in a simple way, because edit.c checks the result. If the result
 * is wrong, edit.c tries to set the whole map or list around the place.
 */
#pragma once

#include "edit.h"
#include "extent.h"

/* Positive result of format.edit: the map or list around the change must be written anew. */
#define EDIT_CANNOT 2

struct edit {
	struct span text;
	const struct document *document; /* of the text, with extents */
	const struct read_options *options;
	struct arena *arena; /* for new text; lives as long as the result */
	struct problem *problem;

	struct splice *splices; /* those added so far, in any order */
	uint32_t count;
	uint32_t capacity;
};

/** Replaces the range by `text`, which must live as long as edit->arena. Returns 0 or -ENOMEM. */
int edit_splice(struct edit *edit, struct range range, struct span text);

/** Reports a problem at a byte of the text. Returns PROBLEM. */
__attribute__((format(printf, 3, 4))) int edit_problem(
	const struct edit *edit, size_t offset, const char *format, ...);

/**
 * Returns the extent that the first `count` steps of the op lead to. NULL: nothing is written
 * there, or the value is written in several parts. If a key comes twice, the last one counts.
 */
const struct extent *edit_follow(const struct edit *edit, const struct edit_op *op, size_t count);

/** Returns the line end of the text: "\r\n" if its first line has it, else "\n". Static. */
struct span edit_line_end(const struct edit *edit);

/** Returns where the first line begins: behind the byte order mark, if there is one. */
size_t edit_text_begin(const struct edit *edit);

/** Returns the offset of the first byte of the line that contains `offset`. */
size_t edit_line_begin(const struct edit *edit, size_t offset);

/** Returns the offset behind the line that contains `offset`: the next line, or the text's end. */
size_t edit_line_after(const struct edit *edit, size_t offset);

/**
 * Writes `tree` (NULL: returns -ENOMEM) as a text of its own, and reads that text with extents.
 * Returns 0 with *text in the edit's arena, and *ret for document_free(); PROBLEM; or -ENOMEM.
 */
int edit_sample(
	struct edit *edit, const struct node *tree, struct span *text, struct document **ret);

/**
 * Turns `old`, the map or list at the op's place, into op->value by ops that change one entry each.
 * `old` and op->value must be of the same kind. Exception: all items to insert come in one op, with
 * a list of them as its value. `apply` carries out an op, as format.edit does. Returns 0; the first
 * non-zero result of `apply`, at which edit_split() stops; or -ENOMEM.
 */
int edit_split(const struct edit *edit, const struct edit_op *op, const struct node *old,
	int (*apply)(const void *context, const struct edit_op *op), const void *context);

/** Returns the byte at `offset`; NUL at the text's end. */
static inline char edit_at(const struct edit *edit, size_t offset)
{
	return offset < edit->text.len ? edit->text.data[offset] : '\0';
}

/** Returns whether `c` is a space or a tab. */
static inline bool edit_is_blank(char c)
{
	return c == ' ' || c == '\t';
}
