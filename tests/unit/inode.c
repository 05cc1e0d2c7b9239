/*
 * The table of inodes finds an inode from its addition to its removal, whatever the table's size.
 */
#include "inode.h"

#include <stdbool.h>
#include <stdlib.h>

#include "test.h"

#define COUNT 20000

TEST(what_was_added_is_found_until_it_is_removed)
{
	struct inode_table table;
	struct inode *inodes = calloc(COUNT, sizeof(*inodes));

	assert_non_null(inodes);
	assert_int_equal(inode_table_init(&table), 0);
	for (size_t i = 0; i < COUNT; i++) {
		inodes[i].ino = 16 + i * 3;
		inode_table_add(&table, &inodes[i]);
	}
	assert_int_equal(table.count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		assert_ptr_equal(inode_table_find(&table, 16 + i * 3), &inodes[i]);
		assert_null(inode_table_find(&table, 17 + i * 3));
	}
	for (size_t i = 0; i < COUNT; i += 2)
		inode_table_remove(&table, &inodes[i]);
	for (size_t i = 0; i < COUNT; i++)
		assert_ptr_equal(inode_table_find(&table, 16 + i * 3), i % 2 ? &inodes[i] : NULL);
	assert_int_equal(table.count, COUNT / 2);
	inode_table_fini(&table);
	free(inodes);
}

TEST(numbers_that_share_a_bucket_are_told_apart)
{
	struct inode_table table;
	struct inode inodes[100] = {0};

	assert_int_equal(inode_table_init(&table), 0);
	for (size_t i = 0; i < 100; i++) {
		inodes[i].ino = 7 + (i << 32);
		inode_table_add(&table, &inodes[i]);
	}
	inode_table_remove(&table, &inodes[50]);
	inode_table_remove(&table, &inodes[0]);
	inode_table_remove(&table, &inodes[99]);
	for (size_t i = 0; i < 100; i++)
		assert_ptr_equal(inode_table_find(&table, 7 + (i << 32)),
			i == 0 || i == 50 || i == 99 ? NULL : &inodes[i]);
	inode_table_fini(&table);
}

TEST(nothing_is_found_in_an_empty_table)
{
	struct inode_table table;

	assert_int_equal(inode_table_init(&table), 0);
	assert_null(inode_table_find(&table, 0));
	assert_null(inode_table_find(&table, 1));
	inode_table_fini(&table);
}
