/*
 * An edit of a merged file. One source of one layer gets a new text (put.h), and its file is
 * replaced. After a failure nothing has changed. But if a store's reply is lost, the outcome is
 * unknown.
 *
 *      look, load, merge ── put ──▶ text ── write ──▶ the layer's file
 *      ╰──────────── the layer is locked ───────────╯
 *
 * This module locks the layer's directory (flock(2)) from the lookup to the end, so that two edits
 * do not overwrite each other. If a program that takes no lock, such as vi, changes the source
 * meanwhile, the edit begins again, a few times.
 *
 * Before the write, all layers are merged with the new text, and the result is checked. If a mirror
 * fills the layer, the edit changes the key in the store (layer_store.h), not the mirror's copy.
 */
#pragma once

#include "layer_store.h"
#include "offline.h"
#include "put.h"

enum layer_edit_mode {
	LAYER_EDIT_WRITES,
	LAYER_EDIT_DRY, /* writes nothing */
	/* as DRY, without the file's schema and check; reads the mirror's copy, not the store */
	LAYER_EDIT_TRIAL,
};

struct layer_edit_request {
	const char *path;  /* of the merged file, relative to the root and with no "." or ".." */
	const char *layer; /* the layer whose source may change; NULL: the highest one */
	enum layer_edit_mode mode;
	const struct store_access *access; /* NULL: as the mirror's record says (layer_store.h) */

	/*
	 * Makes the operations, as put_request.plan does. If the strategy does not read the file as
	 * a tree, `present` is the shown text, parsed in the file's format.
	 */
	int (*plan)(void *context, const struct stream *present, const struct read_options *options,
		struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem);
	void *context;

	/*
	 * A reset: `plan` removes values from the layer's sources, whatever the merge shows
	 * afterwards. A source that becomes empty is removed. Each call of layer_edit_make() edits
	 * one source, from the highest down. In the first call `resets_below` is SIZE_MAX; in each
	 * further call it is layer_edit.source of the previous call. 0: this is no reset.
	 */
	size_t resets_below;
	size_t made; /* number of changes that the same command has made before */

	/*
	 * The wanted text of the file, or NULL. It takes the place of `plan` if the strategy does
	 * not read the file as a tree, or if the file is a copy of its only source. For all other
	 * files, `plan` is called. A reset ignores `text`.
	 */
	const struct span *text;
	/*
	 * With `text`: the shown text from which the user made `text`; NULL: the text that is shown
	 * now. If another program has changed the file since then, that change is not overwritten:
	 * `plan` is called; or, if the strategy does not read the file as a tree, the edit fails.
	 */
	const struct span *shown;
};

struct layer_edit {
	const char *file; /* the edited source, as messages name it; NULL: a reset found none */
	struct layer *layer;
	bool is_new;            /* the file did not exist before */
	enum put_effect effect; /* PUT_EMPTIED: the file is removed */
	size_t source;          /* of a reset: the next call's resets_below; 0: no source is left */
	const char *copies;     /* the source of which the new file is an edited copy; or NULL */
	const char *hides;      /* if `file` is a new whiteout: the names that it hides; or NULL */
	const char *shown_by;  /* of a new whiteout: a drop-in that still shows the file; or NULL */
	uint64_t revision;     /* etcd's revision of the write; 0: unknown, or not in etcd */
	const char *unchecked; /* why the check could not run; NULL: it ran, or there is none */
	const char *unseen;    /* why the layer does not show the written key yet; or NULL */
	const struct schema *schema; /* of the merged file; NULL: none */
	const struct format *format; /* of the merged file; or NULL */
	struct span old;             /* the file's text before the edit */
	struct span new;             /* its text after the edit; none with PUT_EMPTIED */
	struct stream before; /* the merged file before the edit; empty: no file, or not parsed */
	struct stream after;  /* the merged file after the edit */
	struct stream below;  /* if values were removed: the merge of the lower sources, if known */
};

/**
 * Makes the edit. Returns 0 with *ret, which the caller frees by layer_edit_freep() before it calls
 * offline_free(); PROBLEM; or -errno as offline_read(). -ESTALE: a layer's directory was replaced;
 * the caller must open the layers again, and repeat the call.
 */
int layer_edit_make(const struct offline *offline, const struct layer_edit_request *request,
	struct layer_edit **ret, struct problem *problem);

/** Checks that request->layer can be edited at request->path. Returns 0, PROBLEM or -errno. */
int layer_edit_check(const struct offline *offline, const struct layer_edit_request *request,
	struct problem *problem);

void layer_edit_freep(struct layer_edit **edit);
