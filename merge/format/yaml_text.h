/*
 * YAML's reader and writer, for the entry in the table of formats; and how one scalar, or one tag,
 * is written.
 *
 * A scalar keeps its style where its text is legal in that style and place; in doubt it becomes
 * 'single' or "double" quoted, which can hold anything.
 */
#pragma once

#include "builder.h"
#include "output.h"

int yaml_read(struct builder *builder, struct span text);
int yaml_write(struct writer *writer, const struct node *root);

/* Where a node is written. */
enum yaml_spot {
	YAML_AT_ROOT,
	YAML_BEHIND_KEY,  /* "key:" */
	YAML_BEHIND_DASH, /* "-", or the "?" and ":" of a key that is not simple */
	YAML_IN_FLOW,     /* inside [] or {} */
	YAML_AS_KEY,      /* of a block map */
	YAML_AS_FLOW_KEY,
};

/* How far blocks are indented, in spaces. */
struct yaml_layout {
	int width; /* a map under a key, more than the key */
	int list;  /* a list likewise */
};

#define YAML_LAYOUT ((struct yaml_layout){.width = 2, .list = 0})

/* A node as it stands in a text, and maybe its key. */
struct yaml_part {
	const struct node *key; /* for the spots of keys: the pair is meant */
	const struct node *value;
	int indent; /* of the map or list that it is in */
	enum yaml_spot spot;
	struct yaml_layout layout;
};

/**
 * Writes a part: in blocks, behind what stands on the line already, up to the end of its last line;
 * in brackets, on one line. 0 or PROBLEM.
 */
int yaml_put(struct writer *writer, const struct yaml_part *part);

/** As struct format's edit(): edit/yaml_edit.c. */
int yaml_edit(struct edit *edit, const struct edit_op *op);

/** Whether the text is a string without quotes, to YAML 1.1 and to 1.2. */
bool yaml_is_plain_string(struct span text, bool is_flow);

/** Bytes of the line break at `p`; 0: none stands there. YAML 1.1 has three beyond ASCII. */
size_t yaml_break_length(const char *p, const char *end);

/** The offset behind the blanks, line breaks and comments that stand there. */
size_t yaml_skip_blank(struct span text, size_t offset);

/**
 * Behind the tags and the anchors, and the blanks and comments behind each of them, where the value
 * that they are of begins: its first entry, or its indicator.
 */
size_t yaml_skip_properties(struct span text, size_t offset);

/** The tag as it is written in a source: "!x", "!!str", "!<tag:example.org,2000:x>". */
void yaml_put_tag(struct output *output, const char *tag);

/**
 * The scalar without its tag and without a last newline. `indent` is that of the map or list that
 * it is in. Writes nothing for an empty plain scalar where a line ends behind it.
 * Returns 0, or -EILSEQ for text that is not UTF-8.
 */
int yaml_put_scalar(
	struct output *output, const struct node *scalar, int indent, enum yaml_spot spot);

/** Whether the scalar, as a key, can do without "? ". */
bool yaml_is_simple_key(const struct node *scalar);
