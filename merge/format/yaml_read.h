/*
 * The parts of YAML's reader: the explanation of a syntax error (yaml_fault.c), and the extents of
 * nodes (yaml_extent.c), from the begin and end marks of libyaml's events. For places that have no
 * mark, such as a dash, yaml_note() searches the text between two events.
 */
#pragma once

#include <yaml.h>

#include "builder.h"
#include "utf8.h"

struct yaml_extents {
	struct builder *builder;
	struct span text;
	size_t index;  /* the last mark that yaml_offset() has converted, in characters */
	size_t offset; /* the same mark, in bytes */
	size_t behind; /* end of the text of earlier events: offset in bytes */
	size_t root;   /* where an empty root stands: offset in bytes */
};

/**
 * Converts a mark, which counts characters, to an offset in bytes. Marks come nearly in order, so
 * all of them together cost about one walk through the text. Uses only the members `text`, `index`
 * and `offset` of *extents, and changes the last two.
 */
size_t yaml_offset(struct yaml_extents *extents, const yaml_mark_t *mark);

/** Returns the length in bytes of the line break (of YAML 1.1 or 1.2) at `p`; 0: there is none. */
size_t yaml_break_length(const char *p, const char *end);

/** Adds the extents of an event that the builder has taken. Returns 0 or -ENOMEM. */
int yaml_note(struct yaml_extents *extents, const yaml_event_t *event);

/**
 * Reports the syntax error at which `parser` stopped in `text`, with the remedy, at the place to be
 * corrected. Returns PROBLEM.
 */
int yaml_fault(const struct builder *builder, struct span text, const yaml_parser_t *parser);

/**
 * Moves the place past `byte`. Lines end at a newline only, as for grep and git. libyaml's marks
 * can't be used: for libyaml, lines also end at a lone carriage return, and at the line breaks of
 * YAML 1.1 beyond ASCII.
 */
static inline void yaml_pass(struct place *place, char byte)
{
	if (byte == '\n')
		*place = (struct place){place->line + 1, 1};
	else if (!utf8_is_tail((unsigned char)byte))
		place->column++;
}

/** Returns the place of a byte of the text. */
struct place yaml_place(const struct builder *builder, struct span text, size_t offset);
