/*
 * A typed value: the VALUE of `plyfs set`, converted for the file in which it is set.
 *
 *      app.json   80 → 80   true → true   0644 → "0644"   yes → "yes"   [a, 1] → ["a", 1]
 *      my.cnf     80 → 80   [a, 1] → [a, 1]
 *
 * VALUE is parsed if it is a map or list in brackets, or a text in quotes, or if the file's format
 * reads it as a number, a boolean or null. Any other VALUE is a text. If the format has only texts,
 * every VALUE is a text.
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
	TYPED_STAYS_TEXT, /* a number, boolean or null became a text, as the old value is a text */
	TYPED_NO_LIST,    /* VALUE begins like a map or list, but is a text */
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
	const struct node *old;             /* the value to be replaced; NULL: none */
};

/**
 * Converts the value. Returns 0 with *ret, which lives as long as `arena`, `documents` and
 * value->old; PROBLEM for YAML that does not parse, or a value that the format can't hold; or
 * -ENOMEM.
 */
int typed_value_read(const struct typed_value *value, struct arena *arena,
	struct typed_documents *documents, const struct node **ret, enum typed_note *note,
	struct problem *problem);

/** Adds the document. Returns 0; or -ENOMEM, after freeing the document. */
int typed_documents_take(struct typed_documents *documents, struct document *document);

void typed_documents_fini(struct typed_documents *documents);

/**
 * Reads the text of VALUE: standard input for `-`, FILE for @FILE, both without a line break at the
 * end; any other VALUE itself. Returns 0 with *ret for free(3), PROBLEM or -ENOMEM.
 */
int typed_value_fetch(const char *text, char **ret, struct problem *problem);
