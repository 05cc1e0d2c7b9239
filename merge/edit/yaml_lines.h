/*
 * The lines of a YAML text that is edited, and the parts of its values on them.
 *
 * Offsets are those of the text. A byte order mark belongs to no line, and a line break does not
 * belong to its line's text.
 */
#pragma once

#include "editor.h"

/** Returns the byte at `offset`; '\0' after the text. */
static inline char yaml_at(const struct edit *edit, size_t offset)
{
	return offset < edit->text.len ? edit->text.data[offset] : '\0';
}

static inline bool yaml_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/** Returns the text's first offset, after a byte order mark. */
size_t yaml_text_begin(const struct edit *edit);

/** Returns the offset of the first byte of the line at `offset`. */
size_t yaml_line_begin(const struct edit *edit, size_t offset);

/** Returns the end of the text of the line at `offset`, before its break; at least `offset`. */
size_t yaml_line_text_end(const struct edit *edit, size_t offset);

/** Returns whether the last line has a line break. */
bool yaml_ends_with_newline(const struct edit *edit);

/**
 * Returns whether the value is a map or list in brackets, or a map without brackets in a list with
 * them: [a: b].
 */
bool yaml_is_flow(const struct extent *extent);

/** Returns whether the value is a text after `|` or `>`. An alias is none. */
bool yaml_is_block_scalar(const struct extent *extent);

/** Returns whether the value is a map or list in block style. An alias is none. */
bool yaml_is_block(const struct extent *extent);

/** Returns whether the value has brackets of its own. A map in a list may have none: [a: b]. */
bool yaml_has_brackets(const struct edit *edit, const struct extent *extent);

/** Goes from each block to its last entry. Returns the first value that is no block. */
const struct extent *yaml_last_leaf(const struct extent *extent);

/**
 * Returns the offset after a block scalar's indicator, `|` or `>`. Undefined for any other value.
 */
size_t yaml_block_header(const struct edit *edit, const struct extent *scalar);

/** Returns whether the blank lines below belong to the value's text: a block scalar with "+". */
bool yaml_keeps_lines(const struct edit *edit, const struct extent *scalar);

/**
 * Returns the offset after the blank lines at `offset`. *has_blanks becomes true if one of these
 * lines has blanks in it, and otherwise false.
 */
size_t yaml_skip_blank_lines(const struct edit *edit, size_t offset, bool *has_blanks);

/** Returns the offset after the entry's last line, where the next entry may begin. */
size_t yaml_entry_after(const struct edit *edit, const struct extent *entry);

/** As edit_splice(), for the range from `begin` to `end`. */
int yaml_cut(struct edit *edit, size_t begin, size_t end, struct span text);
