/*
 * A schema: a document of JSON Schema, draft 4, 6, 7, 2019-09 or 2020-12, with the documents to
 * which it refers. A schema does not change after it is read.
 *
 * schema_read() refuses a schema that is of another draft, refers to a document that the library
 * does not have, or has a pattern that PCRE2 can't express. It ignores `contentEncoding` and, as
 * the drafts demand, unknown keywords. Any number of threads may use a schema.
 */
#pragma once

#include "document.h"

struct schema;

/* Greatest number of faults in faults.items. faults.more counts further faults. */
#define FAULTS_MAX 100

/* A violation of the schema. Its texts lie in the arena that schema_validate() gets. */
struct schema_fault {
	const char *key;       /* where the value stands in the tree (key.h) */
	const char *message;   /* what is wrong, and which values are allowed */
	const char *rule;      /* the keyword: "app.schema.json#/properties/port/maximum" */
	const struct node *at; /* the faulty value, or the map or list that lacks something */
};

struct faults {
	struct schema_fault *items;
	uint32_t count; /* 0: the tree is valid */
	uint64_t more;  /* number of faults that are not in `items` */
};

/* The text of a document. */
struct schema_text {
	struct source source; /* its name identifies the document */
	struct span text;
	const struct format *format; /* NULL: YAML, of which JSON is a part */
	struct span uri; /* absolute URI of the document, without a fragment; empty: unknown */
};

/* Greatest number of documents that a schema refers to, and the greatest sum of their bytes. */
#define SCHEMA_DOCUMENTS_MAX 1000
#define SCHEMA_BYTES_MAX (64u << 20)

/* The documents that a schema may refer to, besides the drafts' own schemas. */
struct schema_library {
	/**
	 * Finds the document of an absolute URI without a fragment. Returns 0 with *ret, whose
	 * members must live as long as the schema; PROBLEM; or -ENOMEM. The problem's message, such
	 * as "is another document", lacks a subject: schema_read() puts the reference before it.
	 */
	int (*find)(
		void *context, struct span uri, struct schema_text *ret, struct problem *problem);
	void *context;
	bool validates_formats; /* the keyword `format` is checked */
};

/**
 * Reads a schema. If `library` is NULL, the schema may refer to itself and the drafts' own schemas
 * alone, and formats are not checked. Returns 0 with *ret for schema_free(), PROBLEM or -ENOMEM.
 */
int schema_read(const struct schema_text *text, const struct schema_library *library,
	struct schema **ret, struct problem *problem);

void schema_free(struct schema *schema); /* NULL is allowed */
void schema_freep(struct schema **schema);

/**
 * Finds the faults of `root`, and allocates them in `arena`. The faults refer to nodes of `root`.
 * Returns 0 with *ret, even if there are faults; PROBLEM if the validation takes too much work or
 * nests too deeply; or -ENOMEM, which can mean that the arena's budget is spent.
 */
int schema_validate(const struct schema *schema, const struct node *root, struct arena *arena,
	struct faults *ret, struct problem *problem);

/* Values that a schema marks by `writeOnly: true`, with all that is in them. */
struct secrets {
	const struct node **items; /* sorted by address; for free(3) */
	size_t count, capacity;
};

/** Returns whether the schema has `writeOnly: true` anywhere. NULL is allowed. */
bool schema_has_secrets(const struct schema *schema);

/** Adds the secrets in `root`, even if it is not valid. Returns 0 or -ENOMEM. */
int schema_secrets(const struct schema *schema, const struct node *root, struct secrets *secrets);

bool secrets_have(const struct secrets *secrets, const struct node *value);

/** Sets `problem` to the fault, at the place of fault->at. Returns PROBLEM. */
int fault_problem(const struct schema_fault *fault, struct problem *problem);
