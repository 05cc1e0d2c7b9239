/*
 * A slot: where a value of YAML stands in lines, and how new text takes the old one's place there.
 * Comments beside the old value and between its lines stay.
 */
#pragma once

#include "yaml_style.h"

/* Where a value stands, or will. */
struct yaml_slot {
	const struct extent *in;  /* NULL: it is the root */
	const struct extent *old; /* the value and its entry; NULL: there is no root yet */
	size_t behind;            /* the colon, dash or "---": from here on is the value's */
	int indent;               /* of the map or list that it is in */
	enum yaml_spot spot;
	bool is_alone;  /* a root that nothing stands in front of */
	bool is_unsaid; /* of "? key", whose colon is missing */
};

/* New text, in two parts: what stands on the line that is begun already, and the lines below. */
struct yaml_slot_text {
	struct span first;
	struct span rest; /* begins with a line end, and has none at its end */
};

/**
 * That of `old`, to which the op's first `count` steps lead. EDIT_CANNOT: it is in brackets, or its
 * colon, dash or "---" is not where it is looked for. Else 0; *ret borrows the extents.
 */
int yaml_slot_of(const struct edit *edit, const struct edit_op *op, size_t count,
	const struct extent *old, struct yaml_slot *ret);

/**
 * Puts the text in the place of the old value, in a slot that neither is alone nor unsaid. The text
 * must live as long as edit->arena. 0 or -ENOMEM.
 */
int yaml_slot_replace(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text);

/** Likewise for a root that is alone: nothing stands in front of it on its line. */
int yaml_slot_replace_root(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text);
