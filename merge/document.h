/*
 * A document: one source after it has been read. It never changes.
 *
 * A YAML source may hold several YAML documents, each with its root. Any other source has one root.
 * A source with nothing but comments has no root, except in TOML: its root is an empty table.
 */
#pragma once

#include "budget.h"
#include "extent.h"
#include "format.h"
#include "limit.h"
#include "node.h"
#include "problem.h"

/*
 * The place of a text that was cut out of a larger source. Nodes and problems of the text have
 * places in the larger source. All zero: the text is the whole source.
 */
struct text_place {
	uint32_t lines;   /* number of the source's lines in front of the text */
	uint32_t columns; /* number of characters in front of each line of the text */
	/* the text is encoded in the source (base64). Then every node and problem of the text has
	 * the line number `lines` and the column number `columns`, which are 1 or more. */
	bool is_rewritten;
};

/* How to read. All zero: YAML 1.1, and the last of equal keys wins. */
struct read_options {
	const struct format *format;
	enum node_schema schema; /* the version of YAML; ignored for other formats */
	bool keep_duplicates;    /* a repeated key keeps all its pairs; for the salt strategy */
	bool as_pyyaml;          /* 1, 1.0 and true are one key; a repeated anchor is a problem */
	bool wants_extents;      /* fill in the document's `extents` (extent.h) */
	struct limits limits;    /* all zero: LIMITS_DEFAULT */
	struct text_place place;
	/* not for document_read(): the version of YAML of the file that an edit changes. This
	 * version decides the types of new values (put_request.plan, put.h) */
	enum node_schema edited;
	const atomic_bool *is_cancelled; /* true: reading fails with -ECANCELED; NULL: never */

	/* called for legal but suspicious text, such as a repeated key; may be NULL */
	void (*warn)(void *context, const struct problem *warning);
	void *context;
};

struct document {
	struct arena *arena;
	struct source source;         /* its strings lie in the arena */
	const struct node **roots;    /* in the order of the text */
	size_t count;                 /* number of roots */
	struct extent **extents;      /* one tree per root, if they were wanted */
	bool has_local_tags;          /* a node has a tag that begins with "!" */
	bool has_aliases;             /* the tree may have one node at several places */
	bool has_crlf;                /* the first line ends with "\r\n" */
	const enum node_schema *yaml; /* the version that a %YAML directive names; NULL: none */
	/* why this document can't be merged with others, or written in another format; NULL: it
	 * can be both */
	const struct problem *doubt;
};

/**
 * Reads `text`. *ret borrows nothing. Aliases become shared nodes; `<<` acts as in PyYAML
 * (SafeConstructor.flatten_mapping). Returns 0 with *ret for document_free(); PROBLEM if the text
 * does not parse, is not UTF-8, or exceeds a limit; -ENOMEM; or -ECANCELED.
 */
int document_read(const struct source *source, struct span text, const struct read_options *options,
	struct document **ret, struct problem *problem);

/** Returns the version of YAML that the %YAML directive names, or `otherwise` if there is none. */
static inline enum node_schema document_schema(
	const struct document *document, enum node_schema otherwise)
{
	return document->yaml ? *document->yaml : otherwise;
}

void document_free(struct document *document);
void document_freep(struct document **document);

/**
 * Writes `root` (NULL: an empty text) into `arena`, with the styles, numbers and quotes as they
 * were read, and a newline at the end. Each alias becomes a copy of its value. In JSON, keys become
 * strings, and tags are dropped. Returns 0 with *ret NUL-terminated; PROBLEM if the format can't
 * hold `root`, or a limit is exceeded; or -ENOMEM.
 */
int document_write(const struct node *root, const struct format *format,
	const struct limits *limits, struct arena *arena, struct span *ret,
	struct problem *problem);
