/*
 * YAML's reader and editor (read() and edit() of struct format), and the writers of a single scalar
 * and a single tag.
 *
 * A scalar keeps its style if its text is certainly legal in that style at that place. Otherwise
 * the scalar becomes 'single' or "double" quoted.
 */
#pragma once

#include "builder.h"
#include "output.h"

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
	const struct node *key; /* only of a pair */
	const struct node *value;
	int indent; /* of the map or list around the value, in spaces */
	enum yaml_spot spot;
	struct yaml_layout layout;
};

/**
 * Writes a part behind the text that is on the line already, with a newline at the end. With
 * YAML_IN_FLOW or YAML_AS_FLOW_KEY, the part has one line, and no newline. Returns 0 or PROBLEM.
 */
int yaml_put(struct writer *writer, const struct yaml_part *part);

/** See struct format's edit(). Defined in edit/yaml_edit.c. */
int yaml_edit(struct edit *edit, const struct edit_op *op);

/** Returns whether the text, written without quotes, is a string in both YAML 1.1 and YAML 1.2. */
bool yaml_is_plain_string(struct span text, bool is_flow);

/**
 * Returns the length of the line break at `p`, in bytes; 0: there is none. The line breaks that
 * only YAML 1.1 has (U+0085, U+2028, U+2029) count, too.
 */
size_t yaml_break_length(const char *p, const char *end);

/** Returns the offset behind the blanks, line breaks and comments at `offset`. */
size_t yaml_skip_blank(struct span text, size_t offset);

/**
 * Returns the offset behind the tags and anchors at `offset`, and behind the blanks and comments
 * after each of them. The value begins there.
 */
size_t yaml_skip_properties(struct span text, size_t offset);

/** Writes the tag as a source has it: "!x", "!!str", "!<tag:example.org,2000:x>". */
void yaml_put_tag(struct output *output, const char *tag);

/**
 * Writes the scalar without its tag, and no newline after it. `indent` is the indentation of the
 * map or list around the scalar. Behind a key or a dash, writes nothing for an empty plain scalar
 * (`key:`). Returns 0, or -EILSEQ if the text is not UTF-8.
 */
int yaml_put_scalar(
	struct output *output, const struct node *scalar, int indent, enum yaml_spot spot);

/** Returns whether the scalar can be written as a key without "? ". */
bool yaml_is_simple_key(const struct node *scalar);
