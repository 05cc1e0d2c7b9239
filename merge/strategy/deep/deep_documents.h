/*
 * The documents of a file: how a layer's documents are matched with those of the layers below.
 *
 *      vendor              site                     the file
 *      kind: Service       kind: Deployment         kind: Service
 *      ---                 spec: {replicas: 3}      ---
 *      kind: Deployment                             kind: Deployment
 *                                                   spec: {replicas: 3}
 *
 * The option `documents` names keys by which documents are matched; or it says that they are
 * matched by their position, or that all are merged into one, or that several documents in one
 * source are refused. Without the option, documents that all have `kind` and `metadata.name` are
 * matched by these two keys, as Kubernetes names objects. Other sources with several documents are
 * refused. If there is one source, its documents stay the same.
 */
#pragma once

#include "deep.h"

struct deep_documents {
	/*
	 * From a document's values at `by`, or its position, to the document, in the order of the
	 * file. OWNED (deep.h): a removed document has the value `gone`, and keeps its place.
	 */
	struct node *map;
	const struct node *by; /* sequence of KEYs; NULL: match by position, or `is_one` is set */
	struct key *keys;      /* of `by` */
	const char *names;     /* of `by`, for messages */
	bool is_one;           /* all documents become one, or no source has a second document */
	bool is_alone;         /* one source has all documents, so no two are matched */
	uint32_t *inputs;      /* for each document: number of its last input, starting at 1 */
	uint32_t capacity;     /* of `inputs` */
};

/** Checks the form of the option. Returns 0, PROBLEM or -ENOMEM. */
int deep_documents_check(const struct options *options, struct problem *problem);

/**
 * Decides how the documents of this merge are matched. Returns 0; PROBLEM if a source has several
 * documents and nothing says how they match those of another source; or -ENOMEM.
 */
int deep_documents_init(struct deep *deep, struct deep_documents *ret);

/**
 * Finds the document into which `said`, the root of document `n` of input `i`, is merged. Returns 0
 * with the index of its pair in `map`, whose deep_value() is NULL if no earlier document matches;
 * PROBLEM if `said` has none of the keys, or two documents of the input have the same values at the
 * keys; or -ENOMEM.
 */
int deep_documents_find(struct deep *deep, struct deep_documents *documents, size_t i, size_t n,
	const struct node *said, uint32_t *ret);

/**
 * Sets *ret to whether a "!delete" at the root `said` removes the document. Returns 0; or PROBLEM
 * if it does, and `said` has values besides those by which documents are matched.
 */
int deep_documents_check_removal(struct deep *deep, const struct deep_documents *documents,
	const struct node *said, bool *ret);

/**
 * Sets *ret to the sealed result: NULL if there is no document; the document if there is one; else
 * a sequence of the documents with the style NODE_STREAM. Returns 0 or -ENOMEM.
 */
int deep_documents_give(
	struct deep *deep, const struct deep_documents *documents, const struct node **ret);

/** As match_document() of struct strategy. */
int deep_documents_match(const struct merge_request *request, const struct node *root, size_t n,
	const struct node *const *roots, size_t count, struct arena *arena, size_t *ret,
	const struct node **named);

/** As name_documents() of struct strategy. */
int deep_documents_name(const struct merge_request *request, const struct node *const *roots,
	size_t count, struct arena *arena, const struct node **names, const struct node **by);
