/*
 * A mirror of a prefix in etcd.
 *
 *      read all keys of one revision, page by page ─▶ a draft ─▶ published
 *      watch from the next revision on ─▶ what comes together is done together
 *      every few minutes, or when anything is in doubt: read all again; what is different is a
 * change
 *
 * Keys are files below the directory, named by what stands behind the prefix. One that can't be a
 * file is a trouble of its own and changes nothing else.
 */
#pragma once

#include "gateway.h"
#include "mirror.h"

struct etcd_options {
	struct gateway_options gateway; /* wake_fd is set here */
	const char *prefix;             /* a slash at its end is added */
	unsigned compare_s;             /* seconds between two full comparisons */
};

/** Keeps the mirror up to date until the process ends. Returns PROBLEM or -errno only. */
int etcd_mirror(const struct etcd_options *options, const struct mirror_options *mirror,
	struct problem *problem);
