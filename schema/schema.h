/*
 * A schema: a document of JSON Schema, draft 7 or 2020-12, read once, and asked then whether trees
 * are as it says.
 *
 * What can't be carried out is refused when it is read, with its place: other drafts, references to
 * other documents (but the two drafts' own schemas), patterns that PCRE2 can't take. Keywords that
 * the drafts don't know say nothing, as they demand; nor do `format` and `contentEncoding`, which
 * are notes for readers.
 *
 * Immutable once read: any number of threads may ask.
 */
#pragma once

#include "document.h"

struct schema;

/* Faults that are told one by one; of more, only the number is. */
#define FAULTS_MAX 100

/* What a tree says that its schema does not allow. All of it lies in the arena that was given. */
struct schema_fault {
	const char *key;     /* where the value stands in the tree (key.h) */
	const char *message; /* what is wrong, and what is right */
	const char
		*rule; /* the keyword of the schema: "app.schema.json#/properties/port/maximum" */
	const struct node *at; /* the value at fault, or the map or list that lacks something */
};

struct faults {
	struct schema_fault *items;
	uint32_t count; /* 0: the tree is as it should be */
	uint64_t more;  /* that are not told */
};

/**
 * Reads a schema. `source` names it in messages; `format` NULL is YAML, which JSON is as well.
 * Returns 0 with *ret for schema_free(), PROBLEM or -ENOMEM.
 */
int schema_read(const struct source *source, struct span text, const struct format *format,
	struct schema **ret, struct problem *problem);

void schema_free(struct schema *schema); /* NULL is fine */
void schema_freep(struct schema **schema);

/**
 * Finds all that is wrong in `root`, which must outlive the faults. Returns 0; PROBLEM when that
 * takes too much work, with the place and the reason; or -ENOMEM, also when the arena has a budget
 * that is spent.
 */
int schema_validate(const struct schema *schema, const struct node *root, struct arena *arena,
	struct faults *ret, struct problem *problem);

/** The fault in one line, at the place of its value, as far as that has one. Returns PROBLEM. */
int fault_problem(const struct schema_fault *fault, struct problem *problem);
