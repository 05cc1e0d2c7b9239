/*
 * A schema in memory: subschemas, each with its keywords. A reference points to its target.
 *
 *      {"$ref": "#/$defs/port", "maximum": 100}    subschema ── keyword $ref ──▶ subschema
 *                                                           └── keyword maximum: 100
 *
 * A resource is the document, or a part of it to which $id gives a URI of its own.
 */
#pragma once

#include "instance.h"
#include "pattern.h"
#include "problem.h"
#include "table.h"

/* Bits, in the order of the drafts. */
enum schema_draft {
	DRAFT_4 = 1,
	DRAFT_6 = 2,
	DRAFT_7 = 4,
	DRAFT_2019_09 = 8,
	DRAFT_2020_12 = 16,
};

struct subschema;
struct reading;
struct schema_run;
struct string_format;
struct keyword;

/* An anchor that $dynamicAnchor or $recursiveAnchor defines. */
struct dynamic_anchor {
	struct span name; /* "": $recursiveAnchor */
	struct subschema *target;
	struct dynamic_anchor *next;
};

struct resource {
	struct span uri;  /* no fragment; may be relative if the document's URI is unknown */
	const char *file; /* name of its document, for messages */
	enum schema_draft draft;
	struct dynamic_anchor *dynamic; /* a list; NULL: none */
};

struct subschema {
	const struct node *node;
	struct resource *resource;
	const struct subschema *parent; /* NULL: the root of a document */
	/* the keyword of `parent` that contains this subschema; or, if only a reference leads to
	 * this subschema, the JSON Pointer from `parent` to it, without the first slash */
	struct span step;
	const struct node *key; /* of the subschema in a map of schemas; or NULL */
	uint32_t index;         /* of the subschema in a list of schemas; or UINT32_MAX */
	/* SECRET: a map with `writeOnly: true`; no message quotes the value */
	enum { SCHEMA_MAP, SCHEMA_SECRET, SCHEMA_TRUE, SCHEMA_FALSE } form;
	uint8_t visit; /* state of the search for loops (schema.c) */
	struct keyword *keywords;
	uint32_t count;
};

/* An entry of a keyword's value that is a map or list. */
struct member {
	struct span name;
	uint32_t hash;
	const struct node *value;
	struct subschema *target; /* the value as a subschema; NULL: it is not one */
	struct pattern *pattern;  /* of patternProperties and additionalProperties */
	struct member *names;     /* of dependentRequired and dependencies: the required keys */
	uint32_t name_count;
};

enum keyword_role {
	KEYWORD_USUAL,
	KEYWORD_IN_PLACE, /* its subschemas apply to the instance itself */
	KEYWORD_LAST,     /* checked last, as it depends on what the other keywords evaluate */
};

/* The result of keyword_spec.read if the keyword has no effect. */
#define KEYWORD_IDLE 2

struct keyword_spec {
	const char *name;
	unsigned drafts; /* bits: the drafts that define the keyword */
	unsigned types;  /* bits: the types of instances to which the keyword applies */
	enum keyword_role role;

	/* Checks keyword->value, and sets the fields of *keyword that stand below `value`. In draft
	 * 4, `exclusiveMaximum: true` gets the value of `maximum`, and `exclusiveMinimum: true`
	 * that of `minimum`. NULL: any value is allowed. Returns 0, KEYWORD_IDLE, PROBLEM or
	 * -ENOMEM. */
	int (*read)(struct reading *reading, struct keyword *keyword);

	/* Returns whether the instance satisfies the keyword (check.h). NULL: it always does. */
	bool (*check)(struct schema_run *run, const struct keyword *keyword,
		const struct node *instance, size_t evaluated);

	const char *message; /* of a fault; fault.c lists the meaning of each % */
};

struct keyword {
	const struct keyword_spec *spec;
	const struct subschema *owner;
	const struct node *value;
	/* a limit; the index of the first item to check; a boolean; or bits of types */
	uint32_t number;
	uint32_t more;            /* of `contains`: the upper limit; `number` is the lower limit */
	struct subschema *target; /* the value as a subschema, or the target of a reference */
	struct subschema *then;   /* of `if`; NULL: none */
	struct subschema *otherwise; /* `else`; NULL: none */
	struct member *members;      /* of a value that is a map or list */
	uint32_t count;              /* of `members` */
	/* A map; its key i is the name of members[i]. But for additionalProperties, its keys are
	 * the names in `properties`, and `members` are those of `patternProperties`. NULL: none. */
	const struct node *index;
	struct pattern *pattern;
	const struct string_format *format;
	struct span dynamic;   /* name of the dynamic anchor of a reference; `data` NULL: none */
	struct span reference; /* of $ref, $dynamicRef and $recursiveRef, as written */
};

/** All keywords. The array ends with an entry without a name. */
extern const struct keyword_spec keyword_specs[];
