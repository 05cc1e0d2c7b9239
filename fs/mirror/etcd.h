/*
 * A mirror of a prefix in etcd.
 *
 *      read all keys of one revision, page by page ─▶ a draft ─▶ published
 *      watch from the next revision on ─▶ events that arrive together are applied together
 *      every `compare_s` seconds, and when events may have been lost: read all keys and apply the
 *      differences
 *
 * A draft is the next tree, while it is made (replica.h). Each key becomes a file; the part of the
 * key after the prefix is the path. Each key that can't be a file is a fault of its own.
 */
#pragma once

#include "gateway.h"
#include "mirror.h"

struct etcd_options {
	struct gateway_options gateway; /* etcd_mirror() sets gateway.wake_fd */
	const char *prefix;             /* a slash is added at the end if it is missing */
	unsigned compare_s;             /* seconds between two full comparisons */
};

/** Keeps the mirror up to date. Returns only on a failure: PROBLEM or -errno. */
int etcd_mirror(const struct etcd_options *options, const struct mirror_options *mirror,
	struct problem *problem);
