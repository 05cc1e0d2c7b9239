/*
 * What a format's edit() is given, and gives back: one op, on a text whose extents are known.
 *
 * It finds the place, and splices; edit.c does the rest: it reads again, compares, tries the value
 * around instead, and puts several ops together. So an editor may be simple where that is rare:
 * what it gives is never believed.
 */
#pragma once

#include "edit.h"
#include "extent.h"

/* Positive result of format.edit: this can't be said in the text as it is; the value around is
 * tried. */
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

/** Puts `text`, which must live as long as edit->arena, in the place of the range. 0 or -ENOMEM. */
int edit_splice(struct edit *edit, struct range range, struct span text);

/** The problem of a byte of the text. Returns PROBLEM. */
__attribute__((format(printf, 3, 4))) int edit_problem(
	const struct edit *edit, size_t offset, const char *format, ...);

/**
 * The extent that the first `count` steps of the op lead to, or NULL: nothing is written there, or
 * one of several parts. Of a key that comes twice, the one that counts: the last.
 */
const struct extent *edit_follow(const struct edit *edit, const struct edit_op *op, size_t count);

/** The line end of the text: "\r\n" if its first line has it, else "\n". Static. */
struct span edit_line_end(const struct edit *edit);

/** The offset of the first byte of the line that `offset` is on. */
size_t edit_line_begin(const struct edit *edit, size_t offset);

/**
 * Where the comments of an entry begin, whose line begins at `begin`: the lines directly above it, as
 * deep as it is, that begin with one of `signs`, if a blank line or the start of the collection is
 * above them (`is_first`, or the text's start). Not above `floor`, where the
 * entry before it ends. Else `begin`.
 */
size_t edit_comments_above(
	const struct edit *edit, size_t begin, size_t floor, const char *signs, bool is_first);

/** The offset behind the line's end, or the text's. */
size_t edit_line_after(const struct edit *edit, size_t offset);
