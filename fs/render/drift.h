/* Drift: the changes in a rendered tree that plyfs did not make. */
#pragma once

#include "fingerprint.h"

/* A difference between the tree and its manifest (manifest.h). */
struct drifted {
	char *path;             /* relative to the root */
	bool is_beside;         /* --atomic: a link beside the generations (generation.h) */
	enum drift drift;       /* DRIFT_NONE: the file can't be read */
	int error;              /* -errno: why the file can't be read; or 0 */
	struct fingerprint was; /* the fingerprint in the manifest */
};

/* All zero: empty. */
struct drift_list {
	struct drifted *items;
	size_t count;
	size_t capacity;
};

/**
 * Finds the drift of the rendered tree in the directory `root`. *ret must be empty. Returns 0;
 * -ENOENT if plyfs has not rendered the directory; -EBADMSG if another version of plyfs has
 * rendered it; or another -errno. In any case call drift_list_fini().
 */
int drift_find(const char *root, struct drift_list *ret);
void drift_list_fini(struct drift_list *list);

/** Returns whether the tree's names lead through a generation (generation.h). */
bool drift_is_atomic(const char *root);

/** Returns whether a process is rendering the tree now. */
bool drift_is_rendered_now(const char *root);
