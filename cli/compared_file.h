/*
 * A rendition: the text of one path of an offline view, to be compared with another one. It is what
 * a mount would show, without the header.
 *
 * A file that one layer alone has is shown byte for byte, comments and all, and a merged one is
 * written anew. Side by side, the two differ in more than what a layer says: so the first has a
 * second text, as it would be written.
 */
#pragma once

#include "offline.h"

struct compared_file {
	bool is_there;         /* there is a file, or a link, at the path */
	bool is_tree;          /* … that was written anew, from a tree */
	struct span text;      /* of a link: where it leads to */
	struct span rewritten; /* the second text; data NULL: there is none */
	char *sources;         /* of the highest layer: "/etc/app/app.yaml, …", for a label */
	unsigned highest;      /* the rank of that layer */

	/* private: what the texts lie in */
	char *texts[2];
};

/**
 * Makes the rendition of `path`, relative to the root and with no "." or "..". With
 * `on_error: skip-layer`, `problem->message` is not empty when a layer was left out.
 * Returns 0 with *ret for compared_file_fini(), also when there is no such file; PROBLEM; or -errno
 * (-EISDIR).
 */
int compared_file_make(struct offline *offline, const char *path, struct compared_file *ret,
	struct problem *problem);

/** The text to be compared with another one; `is_rewritten`: that one is written anew. */
struct span compared_file_text(const struct compared_file *rendition, bool is_rewritten);

void compared_file_fini(struct compared_file *rendition);
