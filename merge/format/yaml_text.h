/*
 * YAML's reader, its editor, and the writers of a part, a scalar and a tag.
 *
 * A scalar keeps its style if its text is certainly legal in that style at that place. Otherwise
 * the scalar gets single or double quotes.
 */
#pragma once

#include "builder.h"
#include "output.h"

/** Implements read() of struct format. */
int yaml_read(struct builder *builder, struct span text);

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
	int list;  /* of a list under a key, relative to the key */
};

#define YAML_LAYOUT ((struct yaml_layout){.width = 2, .list = 0})

/* A value to be written; with YAML_AS_KEY or YAML_AS_FLOW_KEY, a pair. */
struct yaml_part {
	const struct node *key; /* of a pair */
	const struct node *value;
	int indent; /* of the map or list around the value, in spaces */
	enum yaml_spot spot;
	struct yaml_layout layout;
};

/**
 * Writes a part on the current line, with a newline at the end. With YAML_IN_FLOW or
 * YAML_AS_FLOW_KEY, the part has one line and no newline. Returns 0 or PROBLEM.
 */
int yaml_put(struct writer *writer, const struct yaml_part *part);

/** Implements edit() of struct format. In edit/yaml_edit.c. */
int yaml_edit(struct edit *edit, const struct edit_op *op);

/** Returns whether the text, written without quotes, is a string in YAML 1.1 and in YAML 1.2. */
bool yaml_is_plain_string(struct span text, bool is_flow);

/** Returns the offset behind the blanks, line breaks and comments at `offset`. */
size_t yaml_skip_blank(struct span text, size_t offset);

/** Returns the offset of the value behind the tags, anchors, blanks and comments at `offset`. */
size_t yaml_skip_properties(struct span text, size_t offset);

/** Writes the tag as a source has it: "!x", "!!str", "!<tag:example.org,2000:x>". */
void yaml_put_tag(struct output *output, const char *tag);

/**
 * Writes the scalar without its tag and without a newline. `indent` is the indentation, in spaces,
 * of the map or list around it. Returns 0, or -EILSEQ if the text is not UTF-8.
 */
int yaml_put_scalar(
	struct output *output, const struct node *scalar, int indent, enum yaml_spot spot);

/** Returns whether the scalar can be written as a key without "? ". */
bool yaml_is_simple_key(const struct node *scalar);
