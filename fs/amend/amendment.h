/*
 * An amendment: an edit of a merged file. One source of one layer gets a new text (put.h), and its
 * file is replaced. If the edit fails, the problem says why, and nothing has changed. If a store's
 * reply is lost, the problem says that the outcome is unknown.
 *
 *      look, load, merge ── put ──▶ text ── write ──▶ the layer's file
 *      ╰──────────── the layer is locked ───────────╯
 *
 * Every process that edits a layer's files by this module locks the layer's directory (flock(2))
 * from the lookup to the end, so no edit overwrites another. If a program that does not take the
 * lock, such as vi, has changed the source since it was read, the source is read again, a few
 * times.
 *
 * Before the file is written, all layers are merged with the new text, to check the result. If a
 * mirror fills the layer, the edit does not touch the mirror's copy: it reads and writes the key in
 * the store, by compare-and-swap (layer_store.h).
 */
#pragma once

#include "layer_store.h"
#include "offline.h"
#include "put.h"

enum amendment_mode {
	AMENDMENT_WRITES,
	AMENDMENT_DRY, /* writes nothing */
	/*
	 * Only finds out whether the edit is possible: writes nothing, the file's schema and check
	 * do not judge the result, and the mirror's copy is read instead of the store.
	 */
	AMENDMENT_TRIAL,
};

struct amendment_request {
	const char *path;  /* of the merged file, relative to the root and with no "." or ".." */
	const char *layer; /* the layer whose source may change; NULL: the highest one */
	enum amendment_mode mode;
	const struct store_access *access; /* NULL: as the mirror's record says (layer_store.h) */

	/*
	 * Makes the operations of the edit, as put_request.plan does. If the strategy does not
	 * read the file as a tree, `present` is the shown text, parsed in the file's format.
	 */
	int (*plan)(void *context, const struct stream *present, const struct read_options *options,
		struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem);
	void *context;

	/*
	 * A reset: `plan` removes values from the layer's sources, whatever the merge shows
	 * afterwards. A source that becomes empty is removed. Each call of amendment_make() edits
	 * one of the layer's sources, from the highest down. `before` is SIZE_MAX in the first
	 * call; in each further call it is the amendment.source that the previous call returned.
	 */
	bool resets;
	size_t before;

	/*
	 * The wanted text of the whole merged file; or NULL. Used if the strategy does not read the
	 * file as a tree, or shows the only source unchanged. Otherwise `plan` is used.
	 */
	const struct span *text;
	/*
	 * With `text`: the shown text that the user changed into `text`. Changes that another
	 * program has made since then are kept. NULL: the text that is shown now.
	 */
	const struct span *shown;
};

struct amendment {
	const char *file; /* the edited source, as messages name it; NULL: a reset found none */
	struct layer *layer;
	bool is_new;            /* the file did not exist before */
	enum put_effect effect; /* PUT_EMPTIED: the file is removed */
	size_t source;      /* of a reset: the next call's `before`; 0: no source is left to edit */
	const char *copies; /* the source of which the new file is an edited copy; or NULL */
	const char *hides;  /* the names of the files that `file`, a new whiteout, hides; or NULL */
	uint64_t revision;  /* etcd's revision of the write; 0: unknown, or not in etcd */
	/* why no check ran ("promtool is not installed"); NULL: it ran, or there is none */
	const char *unchecked;
	const char *unseen; /* of an etcd key: why the layer does not show it yet; or NULL */
	const struct schema *schema; /* of the merged file; NULL: none */
	struct span old;             /* the file's text before the edit */
	struct span new;             /* its text after the edit; none with PUT_EMPTIED */
	struct stream before; /* the merged file before the edit; empty: no file, or not parsed */
	struct stream after;  /* the merged file after the edit */
	/* if values were removed: the merge of the sources lower than `file`, if known */
	struct stream below;
};

/**
 * Makes the edit. Returns 0 with *ret, which the caller frees by amendment_freep() before it calls
 * offline_free(). Returns PROBLEM, or -errno as offline_read(). -ESTALE: a layer's directory was
 * replaced meanwhile, so the caller must open the layers again, and repeat the call.
 */
int amendment_make(const struct offline *offline, const struct amendment_request *request,
	struct amendment **ret, struct problem *problem);

/**
 * Checks, before the user types the new text, that the layer of the request can be edited. Only
 * `path`, `layer` and `access` are used. Returns 0, PROBLEM or -errno.
 */
int amendment_check(const struct offline *offline, const struct amendment_request *request,
	struct problem *problem);

void amendment_freep(struct amendment **amendment);
