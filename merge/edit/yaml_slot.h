/*
 * A slot: the place in the lines of a YAML text where a value stands, or where a missing one will
 * stand. A missing value is a root, or the value of a key that is written as "? key" alone. New
 * text that replaces a value keeps the comments beside and above the value.
 */
#pragma once

#include "editor.h"
#include "format/yaml_text.h"

/* The place of a value, present or future. */
struct yaml_slot {
	const struct extent *in;  /* the map or list around the value; NULL for the root */
	const struct extent *old; /* the extent of the present value; NULL: the root is missing */
	/* the offset after the colon, dash or "---", where the slot begins */
	size_t behind;
	int indent; /* of the map or list around the value */
	enum yaml_spot spot;
	enum {
		YAML_SLOT_BEHIND, /* text stands before it on its line */
		YAML_SLOT_ALONE, /* the value is a root, and no text stands before it on its line */
		YAML_SLOT_UNSAID, /* no colon follows "? key": the value is missing */
	} form;
};

/* New text in two parts: `first` completes a line that has begun, `rest` is the lines below it. */
struct yaml_slot_text {
	struct span first;
	struct span rest; /* begins with a line end, and has none at its end */
};

/**
 * Finds the slot of `old`, to which the op's first `count` steps lead. *ret borrows the extents.
 * Returns 0; or EDIT_CANNOT if `old` is in brackets, or if another text stands where its colon,
 * dash or "---" is expected.
 */
int yaml_slot_of(const struct edit *edit, const struct edit_op *op, size_t count,
	const struct extent *old, struct yaml_slot *ret);

/**
 * Replaces the old value by the text. The form must be YAML_SLOT_BEHIND. The text
 * must live as long as edit->arena. Returns 0 or -ENOMEM.
 */
int yaml_slot_replace(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text);

/** As yaml_slot_replace(), for YAML_SLOT_ALONE. */
int yaml_slot_replace_root(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text);

/*
 * The next three functions write new text. They return 0 with *ret in the edit's arena; PROBLEM if
 * the value can't be written or is too large; or -ENOMEM.
 */

/** Writes `part`, a value or a pair (yaml_text.h), with "\n" as line ends. */
int yaml_new_put(const struct edit *edit, const struct yaml_part *part, struct span *ret);

/**
 * Writes the lines of the op's new entry, for the map or list `in`, which is in block style. Leaves
 * out the first line's indentation, and the last line's end. `after` is the offset of the text that
 * will follow these lines.
 */
int yaml_new_entry(const struct edit *edit, const struct edit_op *op, const struct extent *in,
	size_t after, struct span *ret);

/** Writes the text of `value` for `slot` in the op's document. */
int yaml_new_value(const struct edit *edit, const struct edit_op *op, const struct yaml_slot *slot,
	const struct node *value, struct yaml_slot_text *ret);

/* yaml_style.c: the style of the text around a new value, and a value in that style. */

/* The place of a new value. */
struct yaml_spot_around {
	const struct extent *in;  /* the map or list around the new value; NULL: none */
	const struct extent *old; /* the value that the new one replaces; NULL: none */
	bool is_before_comment;   /* a comment follows, which a block scalar would take as text */
};

/** Returns the column of `offset`, in characters, starting at 0. */
int yaml_column(const struct edit *edit, size_t offset);

/**
 * Returns the indentation of maps, and that of lists, in block style: each as in the collection
 * `in`, else as in `root`, else YAML_LAYOUT's. If neither has indented maps, lists indented by more
 * than one blank decide for maps, too. `in` and `root` may be NULL.
 */
struct yaml_layout yaml_find_layout(
	const struct edit *edit, const struct extent *in, const struct extent *root);

/**
 * Gives `value` the quotes and brackets of the values around it. Returns 0 with *ret (`value`
 * itself, or a copy in the arena), or -ENOMEM.
 */
int yaml_adapt(const struct edit *edit, const struct yaml_spot_around *around,
	const struct node *value, const struct node **ret);

/** As yaml_adapt(), for a key. */
int yaml_adapt_key(const struct edit *edit, const struct extent *in, const struct node *key,
	const struct node **ret);
