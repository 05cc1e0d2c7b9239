/*
 * A schema in memory: subschemas, each with a list of keywords whose references are resolved.
 *
 *      {"$ref": "#/$defs/port", "maximum": 100}    subschema ── keyword $ref ──▶ subschema
 *                                                           └── keyword maximum: 100
 *
 * A resource is the whole document, or a part of it that has a URI of its own, by its $id.
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
	const struct subschema *parent; /* NULL: this is the root of a document */
	struct span step;               /* the keyword of `parent` that contains this subschema */
	const struct node *key;         /* the key in the keyword's value; NULL: see `index` */
	uint32_t index;                 /* the index in the keyword's value; UINT32_MAX: none */
	bool is_constant;               /* the schema is `true` or `false` */
	bool constant;
	bool has_unevaluated; /* a keyword needs to know which entries the others have evaluated */
	uint8_t visit;        /* state of the search for loops */
	struct keyword *keywords;
	uint32_t count;
};

/* An entry of a keyword whose value is a map or list. */
struct member {
	struct span name;
	uint32_t hash;
	const struct node *value;
	struct subschema *target; /* NULL: none */
	struct pattern *pattern;  /* of (additional|pattern)Properties; owned by the schema */
	struct member *names;     /* of dependentRequired and dependencies */
	uint32_t name_count;
};

struct keyword_spec {
	const char *name;
	unsigned drafts;  /* the drafts that define it */
	unsigned types;   /* the types of instances that it applies to */
	bool is_in_place; /* its target and members always apply to the instance itself */
	bool is_last;     /* it needs to know which entries the others have evaluated */

	/* Reads keyword->value, and may replace it by the node that messages name. NULL: any value
	 * will do. Returns 0, PROBLEM or -ENOMEM. */
	int (*read)(struct reading *reading, struct keyword *keyword);

	/* Returns whether the instance fits. NULL: only other keywords or references use it. */
	bool (*check)(struct schema_run *run, const struct keyword *keyword,
		const struct node *instance, size_t evaluated);

	const char *message; /* fault.c lists what each % stands for */
};

struct keyword {
	const struct keyword_spec *spec;
	const struct subschema *owner;
	const struct node *value;
	uint32_t number; /* a limit, or bits of types */
	uint32_t more;   /* an upper limit */
	bool is_idle;    /* it has no effect */
	struct subschema *target;
	struct subschema *then; /* of `if`; NULL: none */
	struct subschema *otherwise;
	struct member *members;
	uint32_t count;
	/* map: key i names members[i]; for additionalProperties: ignored keys; NULL: none */
	const struct node *index;
	struct pattern *pattern;
	const struct string_format *format;
	struct span dynamic;   /* name of the dynamic anchor; `data` NULL: none */
	struct span reference; /* as written, for $ref and $dynamicRef */
};

/** All keywords. The array ends with an entry without a name. */
extern const struct keyword_spec keyword_specs[];

/** Returns the subschema's keyword of that name, or NULL. */
const struct keyword *subschema_keyword(const struct subschema *subschema, const char *name);
