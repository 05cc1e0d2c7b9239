/*
 * The inode table: the objects whose inode numbers the kernel knows. An object is in the table from
 * its first lookup to its last forget (fuse_lowlevel.h, "forget"). After the last forget another
 * object may get the number.
 */
#pragma once

#include "union.h"
#include "version.h"

struct inode_table {
	struct inode **buckets;
	size_t size; /* a power of two */
	size_t count;
};

/** Makes an empty table. Returns 0 or -ENOMEM. inode_table_fini() does not free the objects. */
int inode_table_init(struct inode_table *table);
void inode_table_fini(struct inode_table *table);

/** Returns the object with the number `ino`, or NULL. */
struct inode *inode_table_find(const struct inode_table *table, uint64_t ino);

/** Adds an object that is not in the table. If memory is short, the table gets slower. */
void inode_table_add(struct inode_table *table, struct inode *inode);

/** Removes an object that is in the table. */
void inode_table_remove(struct inode_table *table, struct inode *inode);

/* The fingerprint and times of the object that a path showed last. */
struct last_inode {
	uint64_t fingerprint; /* of the content, or of the layers' directories; 0: unknown */
	struct timespec mtime;
	struct timespec ctime;
};

/** Returns a version's fingerprint. Only a version with an equal one gets a forgotten number. */
uint64_t inode_fingerprint(const struct version *version);

#define INODE_NO_PLACES 14695981039346656037u

/** Adds the place of a layer's directory to the hash `places`. Begin with the lowest layer. */
uint64_t inode_add_place(uint64_t places, dev_t dev, ino_t ino);

/** Returns the hash of the places that the lookup has found. */
uint64_t inode_places(const struct union_lookup *found);

struct inode_memory_item {
	uint64_t path; /* hash of the path; 0: the item is free */
	uint64_t ino;  /* the number for the path's next object, unless another object has it */
	struct last_inode last;
};

/*
 * The inode memory: a few bytes for each path that the kernel has forgotten with its directory. An
 * unchanged object at such a path has its former number and times when it is looked up again.
 */
struct inode_memory {
	struct inode_memory_item *items;
	size_t size; /* a power of two, or 0 */
	size_t count;
};

/* Maximum number of paths (60 MB). One more path drops all items; files may get new numbers. */
#define INODE_MEMORY_MAX (1u << 19)

/** Notes the item, in place of an older one of its path. If memory is short, does nothing. */
void inode_memory_note(struct inode_memory *memory, const struct inode_memory_item *item);

/** Returns the item of a path, or NULL. It lives until the next inode_memory_note(). */
const struct inode_memory_item *inode_memory_find(const struct inode_memory *memory, uint64_t path);

void inode_memory_fini(struct inode_memory *memory);
