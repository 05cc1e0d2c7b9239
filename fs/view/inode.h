/*
 * Inodes: the numbers under which the kernel knows our objects, and how often it does.
 *
 * A number is given once and never again in the life of a mount, except to an object that turns out
 * to be the very one the kernel had forgotten. An object is in the table from its first lookup to
 * its last forget (fuse_lowlevel.h, "forget"). Everything here is guarded by the view's lock.
 */
#pragma once

#include "version.h"

struct inode_table {
	struct inode **buckets;
	size_t size; /* a power of two */
	size_t count;
};

/** An empty table: 0 or -ENOMEM. Ended by inode_table_fini(), which leaves the objects alone. */
int inode_table_init(struct inode_table *table);
void inode_table_fini(struct inode_table *table);

/** The object with that number, or NULL. */
struct inode *inode_table_find(const struct inode_table *table, uint64_t ino);

/** Adds an object that is not in the table. Can't fail: a table that can't grow gets slower. */
void inode_table_add(struct inode_table *table, struct inode *inode);

/** Takes out an object that is in the table. */
void inode_table_remove(struct inode_table *table, struct inode *inode);
