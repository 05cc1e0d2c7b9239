/*
 * The lines of a YAML text that is edited, and what of a value stands on them.
 *
 * Offsets are those of the text. A byte order mark belongs to no line, nor does a line break to the
 * text of one.
 */
#pragma once

#include "editor.h"

/** The byte there; '\0' behind the text. */
static inline char yaml_at(const struct edit *edit, size_t offset)
{
	return offset < edit->text.len ? edit->text.data[offset] : '\0';
}

static inline bool yaml_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/** The text's first offset, behind a byte order mark. */
size_t yaml_text_begin(const struct edit *edit);

/** The offset of the line's first byte. */
size_t yaml_line_begin(const struct edit *edit, size_t offset);

/** The end of the line's text: in front of its line break. At least `offset`. */
size_t yaml_line_text_end(const struct edit *edit, size_t offset);

/** Whether the last line has a line break. */
bool yaml_ends_with_newline(const struct edit *edit);

/** A map or list in brackets, or a map without that stands in a list with them: [a: b]. */
bool yaml_is_flow(const struct extent *extent);

/** A text behind `|` or `>`; an alias for one is none. */
bool yaml_is_block_scalar(const struct extent *extent);

/** A map or list that is written in lines; an alias for one is none. */
bool yaml_is_block(const struct extent *extent);

/** Whether it has brackets of its own; a map that stands in a list without does not: [a: b]. */
bool yaml_has_brackets(const struct edit *edit, const struct extent *extent);

/** The last scalar, empty or bracketed value in it, with which its text ends; never NULL. */
const struct extent *yaml_last_leaf(const struct extent *extent);

/** The offset behind the indicator of a block scalar, `|` or `>`. Any other value's means nothing.
 */
size_t yaml_block_header(const struct edit *edit, const struct extent *scalar);

/** Whether the blank lines below are text of it: a block scalar with "+". */
bool yaml_keeps_lines(const struct edit *edit, const struct extent *scalar);

/** The offset behind the blank lines that follow; *has_blanks: one of them is not empty. */
size_t yaml_skip_blank_lines(const struct edit *edit, size_t offset, bool *has_blanks);

/** The offset behind the entry's last line: what follows it may begin there. */
size_t yaml_entry_after(const struct edit *edit, const struct extent *entry);

/** As edit_splice(), of the range from `begin` to `end`. */
int yaml_cut(struct edit *edit, size_t begin, size_t end, struct span text);
