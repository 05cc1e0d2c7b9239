/*
 * The extents of YAML's nodes, from libyaml's events.
 *
 * libyaml's marks do not suffice. They count characters, not bytes. A block collection's mark ends
 * where the next token begins. A dash, a question mark, and the place of an empty value have no
 * mark at all. yaml_note() searches the text for the missing places. Between two events the text
 * has only blanks, comments, dashes, question marks and colons, and no part is searched twice.
 */
#pragma once

#include <yaml.h>

#include "builder.h"

struct yaml_extents {
	struct builder *builder;
	struct span text;
	size_t index;  /* the last mark in characters … */
	size_t offset; /* … and in bytes */
	size_t behind; /* offset in bytes; the text before it belongs to earlier events */
	size_t root;   /* the document's root is here if nothing is written */
};

/** Notes an event that the builder has taken already. Returns 0 or -ENOMEM. */
int yaml_note(struct yaml_extents *extents, const yaml_event_t *event);
