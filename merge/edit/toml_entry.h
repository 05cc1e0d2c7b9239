/*
 * Edits of the entries of a TOML text. A new entry is written like its neighbours: under a header,
 * as a dotted key, or between braces. An entry is removed with its lines.
 *
 * Functions that change the text return 0; EDIT_CANNOT if the map or list around the change must be
 * written anew; PROBLEM if the value can't be written; or -ENOMEM.
 */
#pragma once

#include "flow.h"
#include "text_lines.h"
#include "toml_place.h"

/* An edit of a TOML text. */
struct toml_editor {
	struct edit *edit;
	struct text_lines lines;
	const struct extent *root;
	struct span above; /* comment lines to be put above the next new pair */
};

/** Returns whether entries of `in` have lines of their own: true for the root and a header. */
bool toml_entry_has_lines(const struct toml_editor *editor, const struct extent *in);

/** Returns the offset of a header's line, or of the first comment line that belongs to it. */
size_t toml_entry_line_above(const struct toml_editor *editor, const struct extent *header);

/** Returns the offset after the last line of the table and of the tables in it. */
size_t toml_entry_end_of_place(const struct toml_editor *editor, const struct toml_place *place);

/**
 * Returns whether the value can be written as tables under headers: it is a map, or a list of one
 * or more maps.
 */
bool toml_entry_is_tables(const struct node *value);

/** Removes place->headers, their pairs, and all but the first of place->pairs, with comments. */
int toml_entry_remove_others(const struct toml_editor *editor, const struct toml_place *place);

/** Removes all entries of a table or list. If `keeps_above`, the comments above entries stay. */
int toml_entry_remove_place(
	const struct toml_editor *editor, const struct toml_place *place, bool keeps_above);

/** Adds a table or list of tables at `offset`, the beginning of a line or the end of the text. */
int toml_entry_add_tables(const struct toml_editor *editor, struct toml_target target,
	const struct node *value, size_t offset);

/**
 * Writes a table in place of the first of place->headers, and removes the other headers, with their
 * pairs. place->headers must not be empty. The comments above each header stay.
 */
int toml_entry_replace_headers(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *place, const struct node *value);

/**
 * Adds the target's last key with `value` to the table at `in`, the place of the target's parent.
 * If `is_dotted`, a map becomes dotted keys, perhaps on several lines; if not, an inline table.
 */
int toml_entry_add_pair(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *in, const struct node *value, bool is_dotted);

/**
 * Inserts items before entry `i` of an array or inline table; if there is no entry `i`, at the end.
 */
int toml_entry_insert(const struct toml_editor *editor, const struct extent *in, uint32_t i,
	const struct span *items, uint32_t count);

/** Adds a key that its table does not have, written like its neighbours. */
int toml_entry_add(
	const struct toml_editor *editor, struct toml_target target, const struct node *value);
