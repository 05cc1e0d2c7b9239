/*
 * The extents of YAML's nodes, from the begin and end marks of libyaml's events. For places that
 * have no mark, such as a dash, yaml_note() searches the text between two events.
 */
#pragma once

#include <yaml.h>

#include "builder.h"

struct yaml_extents {
	struct builder *builder;
	struct span text;
	size_t index;  /* the last converted mark, in characters */
	size_t offset; /* the same mark, in bytes */
	size_t behind; /* offset of the end of the text of earlier events, in bytes */
	size_t root;   /* offset where an empty root stands, in bytes */
};

/** Adds the extents of an event that the builder has taken. Returns 0 or -ENOMEM. */
int yaml_note(struct yaml_extents *extents, const yaml_event_t *event);
