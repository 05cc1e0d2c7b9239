/*
 * The extents of YAML's nodes, from libyaml's events.
 *
 * libyaml's marks do not suffice. They count characters, not bytes. A block collection's mark ends
 * where the next token begins. A dash, a question mark, and the place of an empty value have no
 * mark at all. The missing places are searched in the text. Between two events the text has only
 * blanks, comments and such indicators, and no part of it is searched twice.
 */
#pragma once

#include <yaml.h>

#include "builder.h"

struct yaml_extents {
	struct builder *builder;
	struct span text;
	size_t index;  /* of the last mark: this many characters … */
	size_t offset; /* … stand before this byte */
	size_t behind; /* the bytes before this one belong to earlier events */
	size_t root;   /* the document's root is here if nothing is written */
};

/** Notes an event that the builder has taken already. Returns 0 or -ENOMEM. */
int yaml_note(struct yaml_extents *extents, const yaml_event_t *event);
