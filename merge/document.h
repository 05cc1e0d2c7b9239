/*
 * A document: one source, read. Holds its arena, its name and its root nodes, and never changes.
 *
 * A YAML source may hold several YAML documents (roots); a JSON source holds one. An empty source,
 * or one of comments alone, has no root at all: it has no opinion.
 */
#pragma once

#include "budget.h"
#include "extent.h"
#include "format.h"
#include "limit.h"
#include "node.h"
#include "problem.h"

/*
 * Where the text stood, when it was cut out of a larger source: places are given in that source.
 * All zero: the text is the source.
 */
struct text_place {
	uint32_t lines;   /* before the text */
	uint32_t columns; /* before each of its lines, in characters */
	bool is_rewritten; /* it stood there in another form: all of it is at `lines`, `columns` */
};

/* How to read. A zero value is YAML 1.1 with later duplicate keys winning. */
struct read_options {
	const struct format *format;
	enum node_schema schema; /* of YAML; the others have one of their own */
	bool keep_duplicates;    /* a key that comes twice stays twice, for the salt strategy */
	bool as_pyyaml;          /* 1, 1.0 and true are one key; an anchor is defined once */
	bool wants_extents;      /* fill in the document's `extents` (extent.h) */
	struct limits limits;    /* all zero: LIMITS_DEFAULT */
	struct text_place place;
	const atomic_bool *is_cancelled; /* -ECANCELED when it is; NULL: it never is (budget.h) */

	/* Called for what is legal but suspicious (a key that comes twice); may be NULL. */
	void (*warn)(void *context, const struct problem *warning);
	void *context;
};

struct document {
	struct arena *arena;
	struct source source;      /* its strings lie in the arena */
	const struct node **roots; /* in the order of the text */
	size_t count;              /* roots */
	struct extent **extents;   /* of each root, if they were wanted */
	bool has_local_tags;       /* some node has a tag that begins with "!" */
	bool has_aliases;          /* some node may stand at more places than one */
	bool has_crlf;             /* the first line ends with "\r\n" */
	const enum node_schema *yaml; /* the version that a %YAML in it names; NULL: none does */
	const struct problem *doubt; /* what a merge with others might lose; NULL: nothing */
};

/**
 * Reads `text`. `source` is copied. Aliases become shared nodes; `<<` acts as in PyYAML
 * (SafeConstructor.flatten_mapping). Fills `problem` for text that does not parse, is not UTF-8,
 * goes over a limit, or has an alias to itself or to nothing.
 *
 * Returns 0 with *ret for document_free(), PROBLEM, -ENOMEM, or -ECANCELED.
 */
int document_read(const struct source *source, struct span text, const struct read_options *options,
	struct document **ret, struct problem *problem);

void document_free(struct document *document);
void document_freep(struct document **document);

/**
 * Writes `root` (NULL: nothing) to `arena`, in block style as it was read, numbers and quotes as
 * they were; always ends with a newline. Aliases are written out. As JSON, keys become strings and
 * tags that no schema knows are dropped. `limits` bounds depth and size.
 * Returns 0 with *ret NUL-terminated, PROBLEM for a value that the format has not or a limit, or
 * -ENOMEM.
 */
int document_write(const struct node *root, const struct format *format,
	const struct limits *limits, struct arena *arena, struct span *ret, struct problem *problem);
