/*
 * Reading a schema: from nodes to subschemas. Subschemas are read as they stand in the document;
 * references are followed when all of it is known.
 */
#pragma once

#include "keyword.h"
#include "schema.h"

struct schema {
	struct arena *arena;
	struct document **documents; /* its own, then those of the drafts that it refers to */
	uint32_t document_count;
	uint32_t document_capacity;
	struct pattern **patterns;
	uint32_t pattern_count;
	uint32_t pattern_capacity;
	struct subschema *root;

	struct table resources; /* from a URI to the subschema, and from URI#ANCHOR */
	struct table places;    /* from a node in its resource to the subschema */
};

struct reading {
	struct schema *schema;
	struct problem *problem;
	struct table specs;       /* from a keyword's name */
	struct subschema **found; /* in the order in which they were found */
	uint32_t found_count;
	uint32_t found_capacity;
	struct keyword **references; /* that have no target yet */
	uint32_t reference_count;
	uint32_t reference_capacity;
	unsigned depth;
};

/* How a subschema is led to. */
struct reading_step {
	const struct subschema *parent;
	struct span step;
	const struct node *key;
	uint32_t index;
};

/** The subschema that `node` is, read now if it was not yet. Returns 0, PROBLEM or -ENOMEM. */
int reading_subschema(struct reading *reading, const struct node *node,
	const struct reading_step *step, struct subschema **ret);

/** A pattern that the schema owns; `node` is its place. Returns 0, PROBLEM or -ENOMEM. */
int reading_pattern(
	struct reading *reading, const struct node *node, struct span text, struct pattern **ret);

/** Remembers a keyword with a `reference`. Returns 0 or -ENOMEM. */
int reading_refer(struct reading *reading, struct keyword *keyword);

/** Gives every reference its target. Returns 0, PROBLEM or -ENOMEM. */
int reading_resolve(struct reading *reading);

/** Reads a document that is JSON or YAML, with its root as a subschema. 0, PROBLEM or -ENOMEM. */
int reading_document(struct reading *reading, const struct source *source, struct span text,
	const struct format *format, struct subschema **ret);
