/*
 * YAML's reader and writer, for the entry in the table of formats; and the writers of a single
 * scalar and a single tag.
 *
 * A scalar keeps its style if its text is legal in that style at that place. Otherwise, and in
 * doubt, it becomes 'single' or "double" quoted, which can hold any text.
 */
#pragma once

#include "builder.h"
#include "output.h"

int yaml_read(struct builder *builder, struct span text);
int yaml_write(struct writer *writer, const struct node *root);

/* The position in which a node is written. */
enum yaml_spot {
	YAML_AT_ROOT,
	YAML_BEHIND_KEY,  /* "key:" */
	YAML_BEHIND_DASH, /* "-", or the "?" and ":" of a key that is not simple */
	YAML_IN_FLOW,     /* inside [] or {} */
	YAML_AS_KEY,      /* of a block map */
	YAML_AS_FLOW_KEY,
};

/* The indentation of blocks, in spaces. */
struct yaml_layout {
	int width; /* of a map under a key, relative to the key */
	int list;  /* of a list under a key, likewise */
};

#define YAML_LAYOUT ((struct yaml_layout){.width = 2, .list = 0})

/* A value to be written, or a pair if the spot is that of a key. */
struct yaml_part {
	const struct node *key; /* only for YAML_AS_KEY and YAML_AS_FLOW_KEY */
	const struct node *value;
	int indent; /* of the map or list around it */
	enum yaml_spot spot;
	struct yaml_layout layout;
};

/**
 * Writes a part. In block style it begins behind the text already on the line, and ends at the end
 * of its last line. In flow style it is one line. Returns 0 or PROBLEM.
 */
int yaml_put(struct writer *writer, const struct yaml_part *part);

/** See struct format's edit(). Defined in edit/yaml_edit.c. */
int yaml_edit(struct edit *edit, const struct edit_op *op);

/** Returns whether the text, without quotes, is a string in both YAML 1.1 and YAML 1.2. */
bool yaml_is_plain_string(struct span text, bool is_flow);

/**
 * Returns the length of the line break at `p`, in bytes; 0: there is none. YAML 1.1 has three line
 * breaks beyond ASCII.
 */
size_t yaml_break_length(const char *p, const char *end);

/** Returns the offset after the blanks, line breaks and comments at `offset`. */
size_t yaml_skip_blank(struct span text, size_t offset);

/**
 * Skips the tags and anchors at `offset`, with the blanks and comments after each. Returns the
 * offset behind them, where their value begins.
 */
size_t yaml_skip_properties(struct span text, size_t offset);

/** Writes the tag as a source has it: "!x", "!!str", "!<tag:example.org,2000:x>". */
void yaml_put_tag(struct output *output, const char *tag);

/**
 * Writes the scalar without its tag and without a last newline. `indent` is that of the map or list
 * around it. Writes nothing for an empty plain scalar at the end of a line. Returns 0, or -EILSEQ
 * for text that is not UTF-8.
 */
int yaml_put_scalar(
	struct output *output, const struct node *scalar, int indent, enum yaml_spot spot);

/** Returns whether the scalar, as a key, needs no "? ". */
bool yaml_is_simple_key(const struct node *scalar);
