/*
 * The extents of YAML's nodes, from libyaml's events.
 *
 * libyaml gives each event two marks, its begin and its end, but these do not suffice. They count
 * characters, not bytes. The end mark of a block collection is where the next token begins. A dash,
 * a question mark and an empty value have no mark at all. yaml_note() searches the text between two
 * events for the missing places. Only blanks, comments and punctuation stand there.
 */
#pragma once

#include <yaml.h>

#include "builder.h"

struct yaml_extents {
	struct builder *builder;
	struct span text;
	size_t index;  /* the last mark that was converted, in characters */
	size_t offset; /* the same mark, in bytes */
	size_t behind; /* offset in bytes; the text before it belongs to earlier events */
	size_t root;   /* offset in bytes of the root, if the root is empty */
};

/** Adds the extents of an event that the builder has taken. Returns 0 or -ENOMEM. */
int yaml_note(struct yaml_extents *extents, const yaml_event_t *event);
