/*
 * The memory: what paths showed when the kernel forgot them, with all of their directory. A disk
 * gives a file that nobody changed the same number and time however long nobody looked at it, and
 * one that was changed others; so must we. A few words are kept for each such path.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct inode_memory_item {
	uint64_t path; /* its hash; 0: a free place */
	uint64_t ino;
	uint64_t print; /* of the content, or of the layers' directories */
	struct timespec mtime;
	struct timespec ctime;
};

struct inode_memory {
	struct inode_memory_item *items;
	size_t size; /* a power of two, or 0 */
	size_t count;
};

/* Paths remembered: 60 MB at the most. Then all is forgotten, which only such a poller notices as
 * takes every new number for a new file. */
#define INODE_MEMORY_MAX (1u << 19)

/** Notes the item, in place of an older one of the same path. Does nothing without memory. */
void inode_memory_note(struct inode_memory *memory, const struct inode_memory_item *item);

/** What is known of a path, or NULL. Lives until the next note. */
const struct inode_memory_item *inode_memory_find(const struct inode_memory *memory, uint64_t path);

void inode_memory_fini(struct inode_memory *memory);
