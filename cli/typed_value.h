/*
 * A typed value: VALUE as `plyfs set` is given it, and what it is in the file that it is for.
 *
 *      app.json   80 → 80   true → true   0644 → "0644"   yes → "yes"   [a, 1] → ["a", 1]
 *      my.cnf     80 → 80   [a, 1] → [a, 1]
 *
 * A format that knows only texts gets the text. Elsewhere VALUE is parsed if all of it is one map
 * or list in brackets, one text in quotes, or a number, a boolean or null as the file's format
 * writes it. It is the text itself otherwise, and no part of it is dropped.
 */
#pragma once

#include "document.h"

enum typed_kind {
	TYPED_AUTO,   /* as above */
	TYPED_STRING, /* it is the text */
	TYPED_YAML,   /* it is YAML, whatever the file is; an empty one is an empty text */
};

/* What it was made. */
enum typed_note {
	TYPED_AS_IT_IS,
	TYPED_STAYS_TEXT, /* a number or the like, which replaces a text and is one, too */
	TYPED_NO_LIST,    /* it begins like a map or list, and is none: it is a text */
};

/* The documents that values lie in, for document_free(). All zero: none. */
struct typed_documents {
	struct document **items;
	size_t count;
	size_t capacity;
};

struct typed_value {
	const char *key; /* that it is for, for messages */
	struct span text; /* NUL-terminated; borrowed */
	enum typed_kind kind;
	const struct read_options *options; /* how the merged file is read */
	const struct node *old;             /* what it replaces; NULL: nothing */
};

/**
 * Makes the node, which lives in `arena` and `documents`. Returns 0 with *ret, PROBLEM for YAML
 * that does not parse, or -ENOMEM.
 */
int typed_value_read(const struct typed_value *value, struct arena *arena,
	struct typed_documents *documents, const struct node **ret, enum typed_note *note,
	struct problem *problem);

void typed_documents_fini(struct typed_documents *documents);

/**
 * Reads what VALUE stands for: `-` is standard input, @FILE a file, without one line break at its
 * end; anything else is itself. Returns 0 with *ret, NUL-terminated, for free(3); PROBLEM; or
 * -ENOMEM.
 */
int typed_value_fetch(const char *text, char **ret, struct problem *problem);
