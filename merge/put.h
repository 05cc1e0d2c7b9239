/*
 * Put: the way back through a merge. A merge gives a result from its sources; put gives one source,
 * the target, the text with which the merge gives the result that is wanted.
 *
 *      vendor  port: 80                                  put port: 9090 into site
 *      site    log: debug      ── merge ──▶ port: 80     ── site: log: debug
 *                                           log: debug            port: 9090
 *
 * What is wanted is told as ops on the result's tree (edit.h). Each is done in the target at the
 * place that stands for it there: edited if it stands there, overridden if it stands in another
 * source, by a directive if the strategy and the target's format have one. Of several ways the one
 * that changes least comes first, and none is believed: all sources are merged again and must give
 * what is wanted. Otherwise the next way is tried, and at last nothing is changed and the problem
 * says what stands in the way.
 *
 * Laws (tests/model/put.py): what is there already changes no byte; what was put is what one gets;
 * putting twice is putting once.
 */
#pragma once

#include "edit/edit.h"
#include "merge.h"

struct put_request {
	const struct merge_request *merge; /* of a strategy that gives trees; inputs as for
					      merge_run() */
	size_t target; /* the number of the input whose text may change; one that does not exist yet
			  has no text */
	const struct edit_op *ops; /* of the result's tree; `document` is 0 */
	size_t count;

	/*
	 * Makes the ops instead, of the present result (NULL: nothing), which lives as long as
	 * `arena`; or NULL. A text in the result's format is read by `options`. 0, PROBLEM or -errno.
	 */
	int (*plan)(void *context, const struct node *present, const struct read_options *options,
		struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem);
	void *context;

	/*
	 * The ops remove values, and are of what the target says: it has no opinion of them any more,
	 * whatever shows then. A map or list that becomes empty by that goes, too.
	 */
	bool is_reset;
};

/* All of it lives until put_result_free(). */
struct put_result {
	struct arena *arena;
	bool is_changed;
	bool is_absent;   /* of a reset: neither the target nor the result has it, and nothing changes */
	bool is_empty;    /* of a reset: the target has nothing left, and was not merged */
	struct span text; /* of the target, NUL-terminated */
	const struct node
		*before; /* the result's tree as it was, and as it is now; NULL: nothing */
	const struct node *after;
	const struct node *below; /* if an op removes: what the inputs below the target give; NULL:
				     nothing, or it can't be told */

	/* private: what they lie in */
	struct put_intermediates *keep;
};

/**
 * Puts. All of the request is borrowed for the life of the result. Returns 0 with *ret for
 * put_result_free(), with `problem` filled if it is_absent; PROBLEM when a source does not parse or
 * merge, an op leads nowhere, or no text of the target gives what is wanted; or -errno.
 */
int put_run(const struct put_request *request, struct put_result **ret, struct problem *problem);

void put_result_free(struct put_result *result);
void put_result_freep(struct put_result **result);

/**
 * The same for a strategy that knows whole texts only, or for the target's text as it shall be,
 * comments included, where it alone is shown: `wanted` is the merged file. request->ops means
 * nothing. Returns 0 with *ret in `arena`; PROBLEM or -errno.
 */
int put_text(const struct put_request *request, struct span wanted, struct arena *arena,
	struct span *ret, struct problem *problem);

/**
 * The ops that make `wanted` of `present` (each may be NULL: nothing): the fewest values are set,
 * and of lists the fewest items inserted and removed. 0 with *ret in the arena, which refer to both
 * trees; or -ENOMEM.
 */
int put_compare(const struct node *present, const struct node *wanted, struct arena *arena,
	struct edit_op **ret, size_t *count);
