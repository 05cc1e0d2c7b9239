/*
 * The reading of a schema: nodes become subschemas, in the order of the document; but in each map,
 * the keywords of the role KEYWORD_LAST come last. Afterwards the references are resolved, and the
 * documents to which they lead are read.
 */
#pragma once

#include "keyword.h"
#include "schema.h"

struct schema {
	struct arena *arena;
	struct document **documents; /* the schema's own, then those to which it refers */
	uint32_t document_count;
	uint32_t document_capacity;
	struct pattern **patterns;
	uint32_t pattern_count;
	uint32_t pattern_capacity;
	struct subschema *root;
	bool has_secrets; /* a subschema is a SCHEMA_SECRET */

	struct table resources; /* from a URI, or URI#ANCHOR, to the subschema that it names */
	struct table places;    /* from a node and its resource to the subschema of that node */
};

/* A document that was read and has a URI. */
struct reading_document {
	const char *name;
	struct span uri;
	struct subschema *root;
};

struct reading {
	struct schema *schema;
	const struct schema_library *library; /* NULL: none */
	struct reading_document **documents;
	uint32_t document_count;
	uint32_t document_capacity;
	size_t bytes; /* sum of the texts that came from the library */
	struct problem *problem;
	struct table specs;       /* from a keyword's name to its specification */
	struct subschema **found; /* all subschemas, in the order in which they were found */
	uint32_t found_count;
	uint32_t found_capacity;
	struct keyword **references; /* the keywords that reading_resolve() resolves */
	uint32_t reference_count;
	uint32_t reference_capacity;
	unsigned depth; /* of the subschema that is being read */
};

/* The position of a subschema in its parent; see struct subschema. */
struct reading_step {
	const struct subschema *parent;
	struct span step;
	const struct node *key;
	uint32_t index;
};

/**
 * Gives the subschema of `node` at the position `step`; reads it if it was not read before. Returns
 * 0 with *ret, which the schema owns; PROBLEM; or -ENOMEM.
 */
int reading_subschema(struct reading *reading, const struct node *node,
	const struct reading_step *step, struct subschema **ret);

/** Returns the subschema of `node` in `resource`; NULL: it was not read yet. */
struct subschema *reading_find(
	const struct schema *schema, const struct node *node, const struct resource *resource);

/** Returns the key of the anchor `name` in schema->resources; NULL: memory is short. */
char *reading_anchor(struct schema *schema, const struct resource *resource, struct span name);

/** Makes a pattern, which the schema owns. Returns 0 with *ret, PROBLEM at `node`, or -ENOMEM. */
int reading_pattern(
	struct reading *reading, const struct node *node, struct span text, struct pattern **ret);

/** Adds the keyword to reading->references. Returns 0 or -ENOMEM. */
int reading_refer(struct reading *reading, struct keyword *keyword);

/** Gives every keyword in reading->references its target. Returns 0, PROBLEM or -ENOMEM. */
int reading_resolve(struct reading *reading);

/**
 * Reads a document, which the schema then owns. *ret becomes the subschema of its root. If the
 * document does not name its draft, `draft` applies. Returns 0, PROBLEM or -ENOMEM.
 */
int reading_document(struct reading *reading, const struct schema_text *text,
	enum schema_draft draft, struct subschema **ret);
