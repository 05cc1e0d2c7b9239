/*
 * The inode memory: a few bytes for each path whose directory the kernel has forgotten. If such a
 * path is looked up again, an unchanged object has the same number and times as before. A changed
 * object has others.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The fingerprint and times of the object that a path showed last. */
struct last_inode {
	uint64_t print; /* fingerprint of the content, or of the layers' directories; 0: unknown */
	struct timespec mtime;
	struct timespec ctime;
};

struct inode_memory_item {
	uint64_t path; /* hash of the path; 0: the item is free */
	uint64_t ino;  /* the number that the next object may get */
	struct last_inode last;
};

struct inode_memory {
	struct inode_memory_item *items;
	size_t size; /* a power of two, or 0 */
	size_t count;
};

/*
 * Maximum number of paths (60 MB). When there would be more, all are dropped: unchanged files may
 * then get other numbers.
 */
#define INODE_MEMORY_MAX (1u << 19)

/** Notes the item, in place of an older one of the same path. If memory is short, does nothing. */
void inode_memory_note(struct inode_memory *memory, const struct inode_memory_item *item);

/** Returns the item of a path, or NULL. It lives until the next inode_memory_note(). */
const struct inode_memory_item *inode_memory_find(const struct inode_memory *memory, uint64_t path);

void inode_memory_fini(struct inode_memory *memory);
