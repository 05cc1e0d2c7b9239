/*
 * Where YAML's nodes stand, from libyaml's events.
 *
 * What its marks do not tell is looked for in the text: they count characters and not bytes, a
 * block collection ends where the next token begins, and a dash, a question mark or the place of a
 * value that is not there has no mark at all. Between two events stand only blanks, comments and
 * such signs, and each stretch is looked at once.
 */
#pragma once

#include <yaml.h>

#include "builder.h"

struct yaml_extents {
	struct builder *builder;
	struct span text;
	size_t index;  /* so many characters … */
	size_t offset; /* … are before this byte: as it was for the last mark */
	size_t behind; /* what stands before this byte belongs to earlier events */
	size_t root;   /* where the document's root is if nothing is written */
};

/** Notes what an event says, which the builder has taken already. 0 or -ENOMEM. */
int yaml_note(struct yaml_extents *extents, const yaml_event_t *event);
