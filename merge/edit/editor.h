/*
 * The interface of an editor: a format's edit(). An editor gets one op, and a text with extents.
 *
 * The editor finds the place and adds splices. Then edit.c reads the new text, and compares its
 * tree with the wanted one. If they differ, edit.c sets the whole map or list around the place. So
 * an editor may handle rare cases in a simple way, as its result is always checked.
 */
#pragma once

#include "edit.h"
#include "extent.h"

/* Positive result of format.edit: the text can't express the change. The caller tries to write the
 * map or list around the change anew. */
#define EDIT_CANNOT 2

struct edit {
	struct span text;
	const struct document *document; /* of the text, with extents */
	const struct read_options *options;
	struct arena *arena; /* for new text; lives as long as the result */
	struct problem *problem;

	struct splice *splices; /* so far, in any order */
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

/** Returns the offset of the first byte of the line that contains `offset`. */
size_t edit_line_begin(const struct edit *edit, size_t offset);

/**
 * Returns where the comments of an entry begin. If it has none, returns `begin`, where the entry's
 * line begins.
 *
 * An entry's comments are the lines directly above it, after `floor` (the end of the entry before),
 * that have its indentation and then one of `signs`. If another entry of the collection stands
 * before it (`is_first` is false), they count only if a blank line is above them, or if they begin
 * the text.
 */
size_t edit_comments_above(
	const struct edit *edit, size_t begin, size_t floor, const char *signs, bool is_first);

/** Returns where the line after that of `offset` begins, or the text's end. */
size_t edit_line_after(const struct edit *edit, size_t offset);
