/*
 * Put: the way back through a merge. A merge makes a result from its sources. Put finds the text of
 * one source, the target, with which the merge gives the wanted result.
 *
 *      vendor  port: 80                                  put port: 9090 into site
 *      site    log: debug      ── merge ──▶ port: 80     ── site: log: debug
 *                                           log: debug            port: 9090
 *
 * The wanted result is given as ops on the result's tree (edit.h). Put carries out each op in the
 * target. If the value stands in the target, put edits it there. If it stands in another source,
 * put overrides it in the target, by a directive if the strategy and the target's format have one.
 * Put tries the smallest change first, and merges all sources again to check the result. If that is
 * not the wanted one, put tries the next larger change. If no change works, put changes nothing,
 * and the problem gives the cause.
 *
 * Laws (tests/model/put.py): to put a value that is there already changes no byte; a value that was
 * put is the value that is read; to put twice is to put once.
 */
#pragma once

#include "edit/edit.h"
#include "merge.h"
#include "stream.h"

struct put_request {
	/* Of a strategy that gives trees; inputs as for merge_run(). */
	const struct merge_request *merge;
	/* Index of the input whose text may change; that of a file that does not exist is empty. */
	size_t target;
	const struct edit_op *ops; /* on the result's documents */
	size_t count;

	/*
	 * If not NULL, makes the ops: `ops` and `count` above are ignored. `present` has the
	 * documents of the present result, which live as long as `arena`. The value of a new
	 * document must include its name. `options` are for reading text in the format of these
	 * documents. Returns 0, PROBLEM or -errno. If plan() returns PROBLEM, a reset calls it once
	 * more, with the target's documents.
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

/* Everything lives until put_result_free(). */
struct put_result {
	struct arena *arena;
	bool is_changed;
	bool is_absent; /* of a reset: neither the target nor the result has the value; no change */
	bool is_empty; /* of a reset: the target has no values left; `after` is merged without it */
	struct span text;     /* of the target, NUL-terminated */
	struct stream before; /* the merged file's documents, before and after the change */
	struct stream after;
	/* if an op removes: the documents that the inputs below the target give, if they merge */
	struct stream below;

	/* private: owns the memory of the trees */
	struct put_intermediates *keep;
};

/**
 * Carries out the request. Everything in it is borrowed for the life of the result. Returns 0 with
 * *ret for put_result_free(), and with `problem` filled if is_absent; PROBLEM if a source does not
 * parse or merge, an op leads nowhere, or no text of the target gives the wanted result; or -errno.
 */
int put_run(const struct put_request *request, struct put_result **ret, struct problem *problem);

void put_result_free(struct put_result *result);
void put_result_freep(struct put_result **result);

/**
 * As put_run(), but with the wanted text of the merged file. Ignores the request's ops. Use it if
 * the strategy handles only whole texts; or if the merged file is the target's text, so that
 * comments can change, too. Returns 0 with *ret, the target's new text, which may be the old one
 * or a part of `wanted`; PROBLEM; or -errno.
 */
int put_text(const struct put_request *request, struct span wanted, struct arena *arena,
	struct span *ret, struct problem *problem);

/**
 * Makes the ops that turn the documents of `present` into those of `wanted`: as few settings of a
 * value, and as few insertions and removals of list items, as possible. Documents are matched by
 * their names, or else by their position. Returns 0 with *ret in the arena, which refers to both
 * streams; or -ENOMEM.
 */
int put_compare(const struct stream *present, const struct stream *wanted, struct arena *arena,
	struct edit_op **ret, size_t *count);
