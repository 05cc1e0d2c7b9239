/*
 * A schema: a document of JSON Schema, draft 4, 6, 7, 2019-09 or 2020-12, with the documents to
 * which it refers. A schema is read once, and then used to validate trees.
 *
 * schema_read() refuses a schema that can't be applied completely: one of another draft, one that
 * refers to a document that the library does not have, or one with a pattern that PCRE2 can't
 * express. Unknown keywords are ignored, as the drafts demand. The keyword `format` is checked
 * only with schema_library.validates_formats. `contentEncoding` is never checked.
 *
 * A schema is immutable once it is read. Any number of threads may use it.
 */
#pragma once

#include "document.h"

struct schema;

/* Greatest number of faults that are reported one by one. Further faults are only counted. */
#define FAULTS_MAX 100

/* A violation of the schema. Its texts lie in the arena that schema_validate() gets. */
struct schema_fault {
	const char *key;     /* where the value stands in the tree (key.h) */
	const char *message; /* says what is wrong, and which values are allowed */
	/* the keyword of the schema: "app.schema.json#/properties/port/maximum" */
	const char *rule;
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
	 * members live as long as the schema; PROBLEM; or -ENOMEM. The message of the problem has
	 * no subject, because schema_read() puts the quoted reference in front: "is another
	 * document, …" becomes "'a.json' is another document, …".
	 */
	int (*find)(
		void *context, struct span uri, struct schema_text *ret, struct problem *problem);
	void *context;
	bool validates_formats; /* whether the keyword `format` is checked */
};

/**
 * Reads a schema. If `library` is NULL, the schema may refer only to itself and to the drafts' own
 * schemas, and formats are not checked. Returns 0 with *ret, which the caller must free by
 * schema_free(); PROBLEM with the place; or -ENOMEM.
 */
int schema_read(const struct schema_text *text, const struct schema_library *library,
	struct schema **ret, struct problem *problem);

void schema_free(struct schema *schema); /* NULL is allowed */
void schema_freep(struct schema **schema);

/**
 * Finds the faults of `root`, and allocates them in `arena`. The faults refer to nodes of `root`.
 * Returns 0 with *ret, even if there are faults; PROBLEM with the place and the reason if the
 * validation takes too much work or nests too deep; or -ENOMEM, also if the arena's budget is
 * spent.
 */
int schema_validate(const struct schema *schema, const struct node *root, struct arena *arena,
	struct faults *ret, struct problem *problem);

/* Values that a schema marks by `writeOnly: true`, with all that is in them. */
struct secrets {
	const struct node **items; /* by address; for free(3) */
	size_t count, capacity;
};

/** Returns whether the schema marks any value, whatever tree it is applied to. NULL is allowed. */
bool schema_has_secrets(const struct schema *schema);

/** Adds the secrets in `root`, which need not be valid. Returns 0 or -ENOMEM. */
int schema_secrets(const struct schema *schema, const struct node *root, struct secrets *secrets);

bool secrets_have(const struct secrets *secrets, const struct node *value);

/** Fills `problem` with the fault, at the place of fault->at. Returns PROBLEM. */
int fault_problem(const struct schema_fault *fault, struct problem *problem);
