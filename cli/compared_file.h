/*
 * A compared file: the text of one path of an offline tree (offline.h), as a mount would show it.
 * The caller switches off the comment that names the sources (settings.options.header).
 *
 * A mount shows a file of one layer byte for byte, and writes a merged file anew. If a file is
 * shown byte for byte, it may have a second text, written anew, to be compared with a merged file.
 */
#pragma once

#include "offline.h"

struct compared_file {
	enum {
		COMPARED_ABSENT, /* the path is neither a file nor a link */
		COMPARED_BROKEN, /* set by callers alone: the file does not merge */
		COMPARED_TEXT,
		COMPARED_WRITTEN, /* the text was written anew, from merged values */
	} kind;
	struct span text;      /* of a link: "link to TARGET" */
	struct span rewritten; /* the second text; data NULL: there is none */
	const char *sources;   /* names of the sources in the layer `highest`, for a label */
	unsigned highest;      /* rank of the highest layer that has a source */
	struct arena *arena;   /* private: holds the texts */
};

/**
 * Makes the texts of `path`, relative to the root and with no "." or "..". Returns 0, even if there
 * is no such file; PROBLEM; -EISDIR; or another -errno. After 0, free *ret with
 * compared_file_fini(). problem->message must be empty before the call. If `on_error: skip-layer`
 * leaves out a layer, the result is 0, and problem->message has the reason.
 */
int compared_file_make(struct offline *offline, const char *path, struct compared_file *ret,
	struct problem *problem);

/** Returns the second text if `is_rewritten` is set and there is one, or else the text. */
struct span compared_file_text(const struct compared_file *compared, bool is_rewritten);

void compared_file_fini(struct compared_file *compared);
