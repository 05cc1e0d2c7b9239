/*
 * Entries of a TOML text: how one is put in, under a header, by a dotted key or between braces, as
 * its neighbours are, and how one is taken out, with its lines.
 *
 * Functions that change the text return 0; EDIT_CANNOT, when the entry can't stand there; PROBLEM,
 * when the value can't be written; or -ENOMEM.
 */
#pragma once

#include "text_lines.h"
#include "toml_place.h"

/* An edit, and what its text is to TOML. */
struct toml_editor {
	struct edit *edit;
	struct text_lines lines;
	const struct extent *root;
};

/** Whether entries of `in` have lines of their own, as those of headers and the root. */
bool toml_entry_has_lines(const struct toml_editor *editor, const struct extent *in);

/** Where the entry's first line begins. */
size_t toml_entry_line(const struct toml_editor *editor, const struct extent *entry);

/** Where a header begins, with the comments above it. */
size_t toml_entry_line_above(const struct toml_editor *editor, const struct extent *header);

/** Where what is in the table ends, as a line. */
size_t toml_entry_end_of_place(const struct toml_editor *editor, const struct toml_place *place);

/** Whether all that is written is maps: one, or a list of them. */
bool toml_entry_is_tables(const struct node *value);

/** Takes out an entry: of a header, its pairs, too. */
int toml_entry_remove(const struct toml_editor *editor, struct toml_part part);

/** Takes out all that a table or list is written as, in the order of the text. */
int toml_entry_remove_place(const struct toml_editor *editor, const struct toml_place *place);

/** Puts a table, or a list of them, under headers where a line begins, or the text ends. */
int toml_entry_add_tables(const struct toml_editor *editor, struct toml_target target,
	const struct node *value, size_t offset);

/**
 * Puts the target's last key into the table `in`, which is its parent's place, as a pair. A map is
 * an inline table, unless it `is_dotted`: then it may be several lines.
 */
int toml_entry_add_pair(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *in, const struct node *value, bool is_dotted);

/** Puts in a key that its table has not, written as its neighbours are. */
int toml_entry_add(
	const struct toml_editor *editor, struct toml_target target, const struct node *value);
