/*
 * A schema as it is kept: subschemas, each of which is a list of keywords with all that was looked
 * up when they were read.
 *
 *      {"$ref": "#/$defs/port", "maximum": 100}    subschema ── keyword $ref ──▶ subschema
 *                                                           └── keyword maximum: 100
 *
 * A resource is a part of the document with a URI of its own, by its $id: the whole document is
 * one.
 */
#pragma once

#include "instance.h"
#include "pattern.h"
#include "problem.h"
#include "table.h"

/* Bits. */
enum schema_draft { DRAFT_7 = 1, DRAFT_2020_12 = 2, DRAFT_ANY = 3 };

struct subschema;
struct reading;
struct schema_run;
struct keyword;

struct dynamic_anchor {
	struct span name;
	struct subschema *target;
	struct dynamic_anchor *next;
};

struct resource {
	struct span uri;  /* absolute, or as far as it is known; without a fragment */
	const char *file; /* of its document, for messages */
	enum schema_draft draft;
	struct dynamic_anchor *dynamic;
};

struct subschema {
	const struct node *node;
	struct resource *resource;
	const struct subschema *parent; /* NULL: the root of a document */
	struct span step;               /* the keyword that leads here from the parent */
	const struct node *key;         /* then a key, or */
	uint32_t index;                 /* an item; UINT32_MAX: none */
	bool is_constant;               /* true or false */
	bool constant;
	bool has_unevaluated; /* some keyword wants to know what the others looked at */
	uint8_t visit;        /* by the search for loops */
	struct keyword *keywords;
	uint32_t count;
};

/* An entry of a keyword that is a map or list. */
struct member {
	struct span name;
	uint32_t hash;
	const struct node *value;
	struct subschema *target; /* NULL: none */
	struct pattern *pattern;  /* of patternProperties; the schema owns it */
	struct member *names;     /* of dependentRequired */
	uint32_t name_count;
};

struct keyword_spec {
	const char *name;
	unsigned drafts;  /* that know it */
	unsigned types;   /* of instances that it says something about */
	bool is_in_place; /* its subschemas are applied to the instance itself, always */
	bool is_last;     /* it wants to know what the others looked at */

	/* Takes keyword->value, whose place is for messages. 0, PROBLEM or -ENOMEM. */
	int (*read)(struct reading *reading, struct keyword *keyword);

	/* NULL: it is for other keywords, or for references. */
	bool (*check)(struct schema_run *run, const struct keyword *keyword,
		const struct node *instance, size_t evaluated);

	const char *message; /* fault.c says what % stands for */
};

struct keyword {
	const struct keyword_spec *spec;
	const struct subschema *owner;
	const struct node *value;
	uint32_t number; /* a limit, or bits of types */
	uint32_t more;   /* an upper limit */
	struct subschema *target;
	struct subschema *then; /* of `if`; NULL: none */
	struct subschema *otherwise;
	struct member *members;
	uint32_t count;
	const struct node *index; /* a map from a name to members[i] in that order; or NULL */
	struct pattern *pattern;
	struct span dynamic;   /* the anchor's name; `data` NULL: none */
	struct span reference; /* as written, for $ref and $dynamicRef */
};

/** All keywords, ending with one without a name. */
extern const struct keyword_spec keyword_specs[];

/** The keyword of that name in the subschema, or NULL. */
const struct keyword *subschema_keyword(const struct subschema *subschema, const char *name);
