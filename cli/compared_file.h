/*
 * A compared file: the text of one path of an offline tree (offline.h), as a mount would show it.
 * The caller switches off the comment that names the sources (settings.options.header).
 *
 * A file that only one layer has is shown byte for byte, with its comments; a merged file is
 * written anew. The two forms differ even where the values are equal. So a file that is shown byte
 * for byte has a second text, in the form of a merged file.
 */
#pragma once

#include "offline.h"

struct compared_file {
	bool is_there;         /* the path is a file or a link */
	bool is_tree;          /* the text was written anew, from merged values */
	struct span text;      /* of a link: "link to TARGET" */
	struct span rewritten; /* the second text; data NULL: there is none */
	/* the sources of the highest layer that has any, for a label: "/etc/app/app.yaml, …" */
	char *sources;
	unsigned highest; /* the rank of that layer */

	/* private: the storage of the texts */
	char *texts[2];
};

/**
 * Makes the texts of `path`, relative to the root and with no "." or "..". Returns 0 with *ret for
 * compared_file_fini(), even if there is no such file; PROBLEM; -EISDIR; or another -errno. If
 * the result is 0, but `on_error: skip-layer` has left out a layer, *problem says why. Make
 * problem->message empty before the call.
 */
int compared_file_make(struct offline *offline, const char *path, struct compared_file *ret,
	struct problem *problem);

/** Returns the text. With `is_rewritten`, returns the second text instead, if there is one. */
struct span compared_file_text(const struct compared_file *compared, bool is_rewritten);

void compared_file_fini(struct compared_file *compared);
