/*
 * The past: what paths showed when the kernel forgot them, with all of their directory. A disk
 * gives a file that nobody changed the same number and time however long nobody looked at it, and
 * one that was changed others; so must we. A few words are kept for each such path.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct past_item {
	uint64_t path; /* its hash; 0: a free place */
	uint64_t ino;
	uint64_t print; /* of the content */
	struct timespec mtime;
};

struct past {
	struct past_item *items;
	size_t size; /* a power of two, or 0 */
	size_t count;
};

/* Paths remembered: 40 MB at the most. Then all is forgotten, which only such a poller notices as
 * takes every new number for a new file. */
#define PAST_MAX (1u << 20)

/** Notes the item, in place of an older one of the same path. Does nothing without memory. */
void past_note(struct past *past, const struct past_item *item);

/** What is known of a path, or NULL. Lives until the next note. */
const struct past_item *past_of(const struct past *past, uint64_t path);

void past_fini(struct past *past);
