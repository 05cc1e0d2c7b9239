/*
 * Finds lines, and parts of values, in a YAML text that is edited. Offsets are in bytes. A byte
 * order mark is before the first line. A line's text ends before its line break.
 */
#pragma once

#include "editor.h"

/**
 * Returns the offset where the text of the line at `offset` ends; `offset` itself if it is in the
 * break of the line.
 */
size_t yaml_line_text_end(const struct edit *edit, size_t offset);

/** Returns whether the text ends with a line break. */
bool yaml_ends_with_newline(const struct edit *edit);

/** Returns whether the value is a map or list in flow style, such as the map in [a: b]. */
bool yaml_is_flow(const struct extent *extent);

/** Returns whether the value is a text after `|` or `>`; false for an alias. */
bool yaml_is_block_scalar(const struct extent *extent);

/** Returns whether the value is a map or list in block style; false for an alias. */
bool yaml_is_block(const struct extent *extent);

/** Returns whether the value has brackets of its own. The map in [a: b] has none. */
bool yaml_has_brackets(const struct edit *edit, const struct extent *extent);

/**
 * Goes down from `extent`, always to the last entry. Returns the first value on the way for which
 * yaml_is_block() is false.
 */
const struct extent *yaml_last_leaf(const struct extent *extent);

/** Returns the offset after the indicator, `|` or `>`, of a block scalar. */
size_t yaml_block_header(const struct edit *edit, const struct extent *scalar);

/** Returns whether `scalar` is a block scalar with "+", which keeps the blank lines below it. */
bool yaml_keeps_lines(const struct edit *edit, const struct extent *scalar);

/** Returns the offset after the blank lines at `offset`. *has_blanks: a line has a space or tab. */
size_t yaml_skip_blank_lines(const struct edit *edit, size_t offset, bool *has_blanks);

/** Returns the offset after the entry's last line, where the next entry may begin. */
size_t yaml_entry_after(const struct edit *edit, const struct extent *entry);
