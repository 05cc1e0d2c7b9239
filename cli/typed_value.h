/*
 * A typed value: the VALUE of `plyfs set`, converted for the file in which it is set.
 *
 *      app.json   80 → 80   true → true   0644 → "0644"   yes → "yes"   [a, 1] → ["a", 1]
 *      my.cnf     80 → 80   [a, 1] → [a, 1]
 *
 * A format that knows only texts gets VALUE as a text. For other formats VALUE is parsed if all of
 * it is one map or list in brackets, one text in quotes, or a number, a boolean or null as the
 * file's format writes it. Otherwise the value is the whole VALUE as a text.
 */
#pragma once

#include "document.h"

enum typed_kind {
	TYPED_AUTO,   /* by the rules of this header */
	TYPED_STRING, /* a text, whatever it looks like */
	TYPED_YAML,   /* YAML, whatever the file's format is; an empty VALUE is an empty text */
};

/* The result of the conversion. */
enum typed_note {
	TYPED_AS_IT_IS,
	/* looks like a number, boolean or null, but is set as a text, because the old value is a
	 * text */
	TYPED_STAYS_TEXT,
	TYPED_NO_LIST, /* begins like a map or list, but is a text */
};

/* The documents that hold the values, for document_free(). All zero: none. */
struct typed_documents {
	struct document **items;
	size_t count;
	size_t capacity;
};

struct typed_value {
	const char *key;  /* the KEY, for messages */
	struct span text; /* NUL-terminated; borrowed */
	enum typed_kind kind;
	const struct read_options *options; /* how the merged file is parsed */
	const struct node *old;             /* the value that it replaces; NULL: none */
};

/**
 * Makes the node, which lives in `arena` and `documents`. Returns 0 with *ret; PROBLEM for YAML
 * that does not parse, or for a value that the format can't hold; or -ENOMEM.
 */
int typed_value_read(const struct typed_value *value, struct arena *arena,
	struct typed_documents *documents, const struct node **ret, enum typed_note *note,
	struct problem *problem);

void typed_documents_fini(struct typed_documents *documents);

/**
 * Reads the text of VALUE. `-` stands for the text of standard input, and @FILE for that of FILE; a
 * line break at the end is removed. Any other VALUE is its own text. Returns 0 with *ret,
 * NUL-terminated, for free(3); PROBLEM; or -ENOMEM.
 */
int typed_value_fetch(const char *text, char **ret, struct problem *problem);
