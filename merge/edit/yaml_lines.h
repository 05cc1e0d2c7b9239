/*
 * The lines of a YAML text that is edited, and the parts of its values on them.
 *
 * Offsets are byte offsets in the whole text. A byte order mark is before the first line. The text
 * of a line ends before the line break.
 */
#pragma once

#include "editor.h"

/** Returns the offset of the first line: the length of the byte order mark, or 0 without one. */
size_t yaml_text_begin(const struct edit *edit);

/** Returns the offset of the first byte of the line at `offset`. */
size_t yaml_line_begin(const struct edit *edit, size_t offset);

/** Returns the offset where the text of the line at `offset` ends, or `offset` if that is later. */
size_t yaml_line_text_end(const struct edit *edit, size_t offset);

/** Returns whether the text ends with a line break. */
bool yaml_ends_with_newline(const struct edit *edit);

/**
 * Returns whether the value is a map or list in brackets. This includes the map in [a: b], which
 * has no brackets of its own.
 */
bool yaml_is_flow(const struct extent *extent);

/** Returns whether the value is a text after `|` or `>`. Returns false for an alias of one. */
bool yaml_is_block_scalar(const struct extent *extent);

/** Returns whether the value is a map or list in block style. Returns false for an alias of one. */
bool yaml_is_block(const struct extent *extent);

/** Returns whether the value has brackets of its own. The map in [a: b] has none. */
bool yaml_has_brackets(const struct edit *edit, const struct extent *extent);

/**
 * Returns the last value in `extent` that is no block (yaml_is_block()). For a block this is its
 * last entry, or the last entry of that entry, and so on. Otherwise it is `extent` itself.
 */
const struct extent *yaml_last_leaf(const struct extent *extent);

/**
 * Returns the offset after a block scalar's indicator, `|` or `>`. Undefined for any other value.
 */
size_t yaml_block_header(const struct edit *edit, const struct extent *scalar);

/**
 * Returns whether the blank lines below `scalar` are part of its text. They are if `scalar` is a
 * block scalar with the indicator "+".
 */
bool yaml_keeps_lines(const struct edit *edit, const struct extent *scalar);

/**
 * Returns the offset after the empty lines that begin at `offset`, where a line of spaces and tabs
 * counts as empty. Sets *has_blanks to whether one of these lines has a space or a tab.
 */
size_t yaml_skip_blank_lines(const struct edit *edit, size_t offset, bool *has_blanks);

/** Returns the offset after the entry's last line, where the next entry may begin. */
size_t yaml_entry_after(const struct edit *edit, const struct extent *entry);

/** Calls edit_splice() for the range from `begin` to `end`. */
int yaml_cut(struct edit *edit, size_t begin, size_t end, struct span text);
