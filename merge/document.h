/*
 * A document: one source after it has been read. It holds its arena, its name and its root nodes,
 * and never changes.
 *
 * A YAML source may hold several YAML documents (roots); any other source holds one. A source that
 * is empty or has only comments has no root; in TOML it has an empty table.
 */
#pragma once

#include "budget.h"
#include "extent.h"
#include "format.h"
#include "limit.h"
#include "node.h"
#include "problem.h"

/*
 * The place of a text that was cut out of a larger source. Problems and nodes get their places in
 * that source. All zero: the text is the whole source.
 */
struct text_place {
	uint32_t lines;    /* in front of the text */
	uint32_t columns;  /* in front of each of its lines, in characters */
	bool is_rewritten; /* the source encodes the text: every node is at `lines`, `columns` */
};

/* How to read. All zero: YAML 1.1, and the last of equal keys wins. */
struct read_options {
	const struct format *format;
	enum node_schema schema; /* of YAML; each other format has its own */
	bool keep_duplicates;    /* a repeated key keeps all its pairs; for the salt strategy */
	/* 1, 1.0 and true are one key; an anchor may be defined only once */
	bool as_pyyaml;
	bool wants_extents;   /* fill in the document's `extents` (extent.h) */
	struct limits limits; /* all zero: LIMITS_DEFAULT */
	struct text_place place;
	const atomic_bool *is_cancelled; /* when set, reading fails with -ECANCELED; NULL: never */

	/* Called for text that is legal but suspicious (a key that comes twice). May be NULL. */
	void (*warn)(void *context, const struct problem *warning);
	void *context;
};

struct document {
	struct arena *arena;
	struct source source;         /* its strings lie in the arena */
	const struct node **roots;    /* in the order of the text */
	size_t count;                 /* number of roots */
	struct extent **extents;      /* one tree per root, if they were wanted */
	bool has_local_tags;          /* some node has a tag that begins with "!" */
	bool has_aliases;             /* some node may stand at more than one place */
	bool has_crlf;                /* the first line ends with "\r\n" */
	const enum node_schema *yaml; /* the version that a %YAML directive names; NULL: none */
	const struct problem *doubt; /* what a merge with other sources might lose; NULL: nothing */
};

/**
 * Reads `text`. Copies `source`. Aliases become shared nodes; `<<` acts as in PyYAML
 * (SafeConstructor.flatten_mapping). Fills `problem` if the text does not parse, is not UTF-8,
 * exceeds a limit, or has an alias to itself or to nothing.
 *
 * Returns 0 with *ret for document_free(), PROBLEM, -ENOMEM, or -ECANCELED.
 */
int document_read(const struct source *source, struct span text, const struct read_options *options,
	struct document **ret, struct problem *problem);

void document_free(struct document *document);
void document_freep(struct document **document);

/**
 * Writes `root` (NULL: nothing) into `arena`, with the styles, numbers and quotes as they were
 * read. A text that is not empty ends with a newline. Aliases are written out. In JSON, keys become
 * strings, and tags that no schema knows are dropped. `limits` bounds depth and size.
 * Returns 0 with *ret NUL-terminated, PROBLEM for a value that the format can't hold or for an
 * exceeded limit, or -ENOMEM.
 */
int document_write(const struct node *root, const struct format *format,
	const struct limits *limits, struct arena *arena, struct span *ret,
	struct problem *problem);
