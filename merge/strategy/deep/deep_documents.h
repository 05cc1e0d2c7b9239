/*
 * The documents of a file: how a layer's documents are matched with those of the layers below.
 *
 *      vendor              site                     the file
 *      kind: Service       kind: Deployment         kind: Service
 *      ---                 spec: {replicas: 3}      ---
 *      kind: Deployment                             kind: Deployment
 *                                                   spec: {replicas: 3}
 *
 * The option `documents` says which documents of two sources become one:
 *
 *      {by: KEY}, {by: [KEY, …]}   those with the same values at all KEYs
 *      position                    those with the same position in their files
 *      merge                       all
 *      refuse                      each source's only document; a second document is an error
 *
 * Without the option, `kind` and `metadata.name` (Kubernetes's names) are the KEYs if all documents
 * have them; if not, `refuse` applies. If only one source has documents, `refuse` accepts several.
 */
#pragma once

#include "deep.h"

enum deep_documents_match {
	DEEP_DOCUMENTS_BY_POSITION,
	DEEP_DOCUMENTS_BY_KEYS,
	DEEP_DOCUMENTS_ARE_ONE, /* all become one, or no source has a second document */
};

struct deep_documents {
	enum deep_documents_match match;
	/* the documents in the order of the file, OWNED (deep.h): the key of a document is the list
	 * of its values at `by`, or its position; deep_value() of a removed document is NULL */
	struct node *map;
	const struct node *by; /* list of KEYs (key.h); NULL: not matched by keys */
	struct key *keys;      /* the KEYs of `by`, parsed */
	const char *names;     /* the KEYs of `by`, for messages */
	uint32_t *inputs;      /* for each document: the last input that has it, counted from 1 */
	uint32_t capacity;     /* of `inputs` */
};

/** Checks the form of the option `documents`. Returns 0, PROBLEM or -ENOMEM. */
int deep_documents_check(const struct options *options, struct problem *problem);

/**
 * Decides how the documents of this merge are matched. Returns 0; PROBLEM if a source has several
 * documents, and no rule says how they match those of another source; or -ENOMEM.
 */
int deep_documents_init(struct deep *deep, struct deep_documents *ret);

/**
 * Finds the document of the result into which `said`, the root of document `n` of input `i`, is
 * merged. If no earlier document matches, adds a document, whose deep_value() is NULL. Returns 0
 * with the index of the document's pair in documents->map; PROBLEM if `said` can't be matched, or
 * another document of the input has the same values at the KEYs; or -ENOMEM.
 */
int deep_documents_find(struct deep *deep, struct deep_documents *documents, size_t i, size_t n,
	const struct node *said, uint32_t *ret);

/**
 * Sets *ret to whether `said`, a document's root, has a "!delete" that removes the matching
 * document of lower sources. Returns 0; or PROBLEM if `said` has such a tag, and values besides
 * those at the KEYs.
 */
int deep_documents_check_removal(struct deep *deep, const struct deep_documents *documents,
	const struct node *said, bool *ret);

/**
 * Sets *ret to the result, an ordinary tree: NULL if there is no document, the root of a single
 * one, or a sequence of the roots with the style NODE_STREAM. Returns 0 or -ENOMEM.
 */
int deep_documents_give(
	struct deep *deep, const struct deep_documents *documents, const struct node **ret);

/** Implements match_document() of struct strategy. */
int deep_documents_match(const struct merge_request *request, const struct node *root, size_t n,
	const struct node *const *roots, size_t count, struct arena *arena, size_t *ret,
	const struct node **named);

/** Implements name_documents() of struct strategy. */
int deep_documents_name(const struct merge_request *request, const struct node *const *roots,
	size_t count, struct arena *arena, const struct node **names, const struct node **by);
