/*
 * The inode table. It finds the object of an inode number that the kernel knows.
 *
 * An object is in the table from its first lookup to its last forget (fuse_lowlevel.h, "forget").
 * After that, a new object whose path is the same, or has the same hash, may get the number.
 */
#pragma once

#include "version.h"

struct inode_table {
	struct inode **buckets;
	size_t size; /* a power of two */
	size_t count;
};

/** Makes an empty table. Returns 0 or -ENOMEM. inode_table_fini() does not free the objects. */
int inode_table_init(struct inode_table *table);
void inode_table_fini(struct inode_table *table);

/** Returns the object with that number, or NULL. */
struct inode *inode_table_find(const struct inode_table *table, uint64_t ino);

/** Adds an object that is not in the table. If memory is short, only makes the table slower. */
void inode_table_add(struct inode_table *table, struct inode *inode);

/** Takes out an object that is in the table. */
void inode_table_remove(struct inode_table *table, struct inode *inode);
