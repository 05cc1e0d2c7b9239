/*
 * Put: the opposite of a merge. A merge makes a result from its sources. Put changes the text of
 * one source, the target, so that the merge gives the wanted result.
 *
 *      vendor  port: 80                                  put port: 9090 into site
 *      site    log: debug      ── merge ──▶ port: 80     ── site: log: debug
 *                                           log: debug            port: 9090
 *
 * The caller gives the wanted result as ops on the result's tree (edit.h). If the target has the
 * value, put edits it there. If another source has it, put overrides it in the target. Put tries
 * the smallest change first, and merges all sources again to check the result. If the result is not
 * the wanted one, put tries the next larger change. If no change works, put changes nothing, and
 * the problem gives the cause.
 *
 * Laws (tests/model/put.py): putting a value that is there already changes no byte; after a put,
 * the merge gives the value that was put; putting twice is the same as putting once.
 */
#pragma once

#include "edit/edit.h"
#include "merge.h"
#include "stream.h"

/* put_request.plan returns this, and fills `problem`, if an op may be meant for several values. */
#define PUT_UNCLEAR 2

struct put_request {
	/* As for merge_run(). For put_run() the strategy must give trees. */
	const struct merge_request *merge;
	/* Index of the input whose text may change. If its file is absent, its text is empty, with
	 * data NULL. */
	size_t target;
	const struct edit_op *ops; /* on the result's documents */
	size_t count;

	/*
	 * Makes the ops; NULL: `ops` and `count` above give them. `present` has the documents of
	 * the present result, which live as long as `arena`. `options` are for reading text in the
	 * format of these documents. The value of a new document must include its name (stream.h).
	 * Returns 0 with *count ops at *ops, PROBLEM, PUT_UNCLEAR or -errno. If is_reset is set,
	 * and plan() returns PROBLEM, put_run() calls plan() again, with the target's documents as
	 * `present`.
	 */
	int (*plan)(void *context, const struct stream *present, const struct read_options *options,
		struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem);
	void *context;

	/*
	 * A reset: `plan` makes ops that remove values from the target, and lower values may show
	 * afterwards. A map or list that becomes empty is removed, too.
	 */
	bool is_reset;
};

/* The effect of a request on the target. PUT_CHANGED and PUT_EMPTIED change its text. */
enum put_effect {
	PUT_UNCHANGED, /* the result is as wanted already */
	PUT_ABSENT,    /* of a reset: neither the target nor the result has the value */
	PUT_CHANGED,
	/* of a reset: the target has no values left; put_result.after is merged without it */
	PUT_EMPTIED,
};

/* Everything lives until put_result_free(). */
struct put_result {
	struct arena *arena;
	enum put_effect effect;
	struct span text;     /* of the target, NUL-terminated */
	struct stream before; /* the merged file's documents before the change */
	struct stream after;  /* the merged file's documents after the change */
	/* the documents merged from the inputs below the target; set if an op removes a value, and
	 * never for a reset */
	struct stream below;

	/* private: owns the memory of the trees */
	struct put_intermediates *keep;
};

/**
 * Carries out the request. The result borrows the request and everything in it. Returns 0 with *ret
 * for put_result_free(); with PUT_ABSENT, `problem` has the reason. Returns PROBLEM if a source
 * does not parse or merge, an op's steps lead nowhere, or no text gives the result; else -errno.
 */
int put_run(const struct put_request *request, struct put_result **ret, struct problem *problem);

/**
 * Gives the merge that `after` is from. `merge` is put_request.merge with the target's new text; or
 * without the target, if the result is PUT_EMPTIED. It must have several inputs. Returns 0 with
 * *ret, which has a root and a text, and belongs to `result`; or as merge_run().
 */
int put_write(const struct put_result *result, const struct merge_request *merge,
	const struct merge_result **ret, struct problem *problem);

void put_result_free(struct put_result *result);
void put_result_freep(struct put_result **result);

/**
 * As put_run(), but the caller gives the wanted text of the merged file, and no ops. Call it for a
 * strategy that merges whole texts; or, with any strategy, if the merged file is the target's text,
 * byte for byte. Returns 0, PROBLEM or -errno. *ret becomes the target's new text, which is in
 * `arena`, or borrows the target's old text or `wanted`. After a failure, *ret has no meaning.
 */
int put_text(const struct put_request *request, struct span wanted, struct arena *arena,
	struct span *ret, struct problem *problem);

/**
 * Makes the ops that turn the documents of `present` into those of `wanted`, by as few changes as
 * possible. Documents are matched by their names, or else by their position. Returns 0 with *count
 * ops at *ret, or -ENOMEM. The ops are in `arena`, and refer to both streams.
 */
int put_compare(const struct stream *present, const struct stream *wanted, struct arena *arena,
	struct edit_op **ret, size_t *count);
