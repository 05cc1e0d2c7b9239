/*
 * The documents of a file: how a layer's documents are matched with those of the layers below.
 *
 *      vendor              site                     the file
 *      kind: Service       kind: Deployment         kind: Service
 *      ---                 spec: {replicas: 3}      ---
 *      kind: Deployment                             kind: Deployment
 *                                                   spec: {replicas: 3}
 *
 * The option `documents` says what is done with them: they are matched by keys that it names or by
 * their position, all merged into one, or refused. Without the option, documents that all have
 * `kind` and `metadata.name` are matched by these, as Kubernetes names objects. Otherwise a source
 * with several documents is refused, unless it is the only one: then its documents stay the same.
 */
#pragma once

#include "deep.h"

struct deep_documents {
	/*
	 * From a document's name to the document, in the order of the file. OWNED (deep.h): a
	 * removed document has the value `gone`, and keeps its place.
	 */
	struct node *map;
	const struct node *by; /* sequence of KEYs; NULL: they are matched by position, or is_one */
	struct key *keys;      /* of `by` */
	const char *names;     /* of `by`, for messages */
	bool is_one;           /* all documents become one */
	bool is_alone;         /* there is one source: no document is matched with another */
	uint32_t *inputs;      /* for each document: number of its last input, starting at 1 */
	uint32_t capacity;     /* of `inputs` */
};

/** Checks the form of the option. Returns 0, PROBLEM or -ENOMEM. */
int deep_documents_check(const struct options *options, struct problem *problem);

/**
 * Decides how the documents of this merge are matched. Returns 0; PROBLEM if several documents
 * would become one and no option says so; or -ENOMEM.
 */
int deep_documents_init(struct deep *deep, struct deep_documents *ret);

/**
 * Finds the document into which document `n` of input `i`, with the root `said`, is merged. Returns
 * 0 with its index in `map` in *ret; PROBLEM if a key is missing, or the input has the document
 * twice; or -ENOMEM. If no earlier document matches, the value (deep_value()) there is NULL.
 */
int deep_documents_find(struct deep *deep, struct deep_documents *documents, size_t i, size_t n,
	const struct node *said, uint32_t *ret);

/**
 * Sets *ret to whether a "!delete" at the root `said` removes the document. Returns 0; PROBLEM if
 * it does, but `said` has other keys than those by which documents are matched; or -errno.
 */
int deep_documents_check_removal(struct deep *deep, const struct deep_documents *documents,
	const struct node *said, bool *ret);

/**
 * Gives the sealed result: NULL if there is no document, the document if there is one, else a
 * sequence of the documents in the style NODE_STREAM.
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
