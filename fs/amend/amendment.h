/*
 * An amendment: a value of a merged file, changed where it belongs. One source of one layer gets
 * another text (put.h), and its file is replaced, or nothing happens and the problem says why.
 *
 *      look, load, merge ── put ──▶ text ── write ──▶ the layer's file
 *      ╰──────────── the layer is locked ───────────╯
 *
 * Whoever changes a layer by this holds a lock on its directory (flock(2)) from the look to the
 * end, so two changes never lose each other. Who knows nothing of that (an editor) is noticed: a
 * source that is not the one that was read is read again, a few times.
 *
 * A format gives splices (editor.h), by where values stand in the text (extent.h), and nothing that it
 * gives is believed: the text is read again, and all layers are merged again.
 *
 * A layer that a mirror keeps is recognised by where its directory lies (conf/store.h). There it is the
 * store's key that is read and written, by compare-and-swap (layer_store.h), and not the mirror's copy
 * of it.
 */
#pragma once

#include "layer_store.h"
#include "offline.h"
#include "put.h"

struct amendment_request {
	const char *path;  /* of the merged file, relative to the root and with no "." or ".." */
	const char *layer; /* the name of the one whose source may change; NULL: the highest one */
	bool is_dry;       /* nothing is written */
	const struct store_access *access; /* how stores are reached; NULL: as mirrors tell it */

	/* As put_request says; for a file that is no tree in its strategy, of the tree that its
	 * format makes of it. */
	int (*plan)(void *context, const struct node *present, const struct read_options *options,
		struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem);
	void *context;

	/*
	 * The plan removes values, and the layer's sources have no opinion of them any more, whatever
	 * shows then; a source that becomes empty is removed. Each call does it to one source: the
	 * highest of the layer's that has a lower number than `before`.
	 */
	bool resets;
	size_t before;

	/*
	 * What the merged file shall be, byte for byte: for a file that is no tree in its strategy,
	 * and for one that the layer's source alone makes, comments and all. Others are changed by
	 * `plan`. NULL: all are.
	 */
	const struct span *text;
	/* With `text`: what it was made from, so that what somebody else has changed since stays.
	 * NULL: what is shown now. */
	const struct span *shown;
};

struct amendment {
	const char *file; /* that was changed, as messages name a source; NULL: a reset found none */
	struct layer *layer;
	bool is_new;     /* it was not there before */
	bool is_changed; /* false: all is so already */
	bool is_removed; /* it was reset, has nothing left, and goes */
	bool is_absent;  /* of a reset: neither the source nor the merged file has what is named */
	size_t source;   /* of a reset: the number of the source; 0: there is none before it */
	const char *copies; /* the source of which the new one is a copy, but for the change; or NULL */
	const char *hides; /* of a whiteout: the names of what it hides; else NULL */
	uint64_t revision;  /* of a key in etcd: the one that was written; else 0 */
	const char *unseen; /* of such a key: why the layer doesn't show it yet; NULL: it does */
	struct span old;    /* its text, as it was, and as it is now */
	struct span new;
	const struct node *before; /* the merged tree; NULL: nothing, or no tree */
	const struct node *after;
	const struct node *below; /* where values were removed: what lower layers give; or NULL */
};

/**
 * Changes. Returns 0 with *ret for amendment_freep(), before `offline` is freed; PROBLEM; -ESTALE
 * when the directory of a layer was replaced meanwhile, and is to be opened again; or -errno as
 * offline_read(), or of the file system, with problem->source the file.
 */
int amendment_make(const struct offline *offline, const struct amendment_request *request,
	struct amendment **ret, struct problem *problem);

/**
 * Whether the layer of the request is one that can be changed, before somebody types what shall be
 * in it. Nothing but `path`, `layer` and `access` is looked at. Returns 0, PROBLEM or -errno.
 */
int amendment_check(const struct offline *offline, const struct amendment_request *request,
	struct problem *problem);

/** NULL in *amendment is fine. */
void amendment_freep(struct amendment **amendment);
