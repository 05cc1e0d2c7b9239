/*
 * A version does not change: what a reader sees of it stays the same, or the reader gets an error.
 */
#include "version.h"
#include "bytes.h"
#include "source_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static struct version *bytes(const char *text)
{
	struct version *version = version_new(VERSION_BYTES);

	assert_non_null(version);
	version->data = bytes_dup(span_of(text));
	version->size = strlen(text);
	version->mode = S_IFREG | 0444;
	return version;
}

TEST(bytes_are_read_from_any_offset_and_not_beyond_the_end)
{
	struct version *version = bytes("0123456789");
	char buffer[16];

	assert_int_equal(version_read(version, buffer, 16, 0), 10);
	assert_memory_equal(buffer, "0123456789", 10);
	assert_int_equal(version_read(version, buffer, 4, 3), 4);
	assert_memory_equal(buffer, "3456", 4);
	assert_int_equal(version_read(version, buffer, 4, 8), 2);
	assert_int_equal(version_read(version, buffer, 4, 10), 0);
	assert_int_equal(version_read(version, buffer, 4, INT64_MAX), 0);
	assert_int_equal(version_read(version, buffer, 4, -1), 0);
	assert_int_equal(version_read(version, buffer, 0, 0), 0);
	version_unref(version);
}

TEST(broken_version_reads_as_an_error)
{
	struct version *version = version_new(VERSION_BROKEN);
	char buffer[16];

	assert_int_equal(version_read(version, buffer, 16, 0), -EIO);
	version_unref(version);
}

TEST(versions_are_the_same_when_a_reader_can_not_tell_them_apart)
{
	struct version *one = bytes("text");
	struct version *two = bytes("text");

	two->mtime.tv_sec = 5;
	two->inode.ino = 17;
	assert_true(version_same(one, two));
	two->data[0] = 'T';
	assert_false(version_same(one, two));
	two->data[0] = 't';
	two->mode = S_IFREG | 0400;
	assert_false(version_same(one, two));
	two->mode = one->mode;
	two->uid = 1;
	assert_false(version_same(one, two));
	two->uid = 0;
	two->gid = 1;
	assert_false(version_same(one, two));
	two->gid = 0;
	two->kind = VERSION_LINK;
	assert_false(version_same(one, two));
	two->kind = VERSION_BYTES;
	two->size = 3;
	assert_false(version_same(one, two));
	version_unref(one);
	version_unref(two);
}

TEST(empty_versions_are_the_same)
{
	struct version *one = bytes("");
	struct version *two = bytes("");

	assert_true(version_same(one, two));
	version_unref(one);
	version_unref(two);
}

TEST(stat_reports_what_the_version_is)
{
	struct version *version = bytes("text");
	struct stat stat;

	version->inode.ino = 42;
	version->uid = 3;
	version->gid = 4;
	version->mtime = (struct timespec){5, 6};
	version_stat(version, &stat);
	assert_int_equal(stat.st_ino, 42);
	assert_int_equal(stat.st_mode, S_IFREG | 0444);
	assert_int_equal(stat.st_nlink, 1);
	assert_int_equal(stat.st_uid, 3);
	assert_int_equal(stat.st_gid, 4);
	assert_int_equal(stat.st_size, 4);
	assert_int_equal(stat.st_blocks, 1);
	assert_int_equal(stat.st_mtim.tv_sec, 5);
	assert_int_equal(stat.st_mtim.tv_nsec, 6);
	version_unref(version);
}

static char path[] = "/tmp/plyfs-version-XXXXXX";

/* A version that is read through a descriptor, of a file with "0123456789" in it. */
static struct version *held(void)
{
	struct version *version = version_new(VERSION_HELD);
	struct stat stat;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	version->fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(version->fd, &stat), 0);
	version->stamps = calloc(1, sizeof(*version->stamps));
	version->stamps[0] = stamp_of(&stat);
	version->stamp_count = 1;
	version->size = 10;
	return version;
}

TEST(held_file_is_read_after_its_name_is_gone)
{
	struct version *version = held();
	char buffer[16];

	assert_int_equal(version_read(version, buffer, 16, 5), 5);
	assert_memory_equal(buffer, "56789", 5);
	unlink(path);
	assert_int_equal(version_read(version, buffer, 16, 0), 10);
	version_unref(version);
}

TEST(held_file_that_changes_in_place_is_stale_and_not_torn)
{
	struct version *version = held();
	char buffer[16];

	usleep(20000); /* more than a tick of any clock that stamps files here */
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "x", 1, 9), 1);
	close(fd);
	assert_int_equal(version_read(version, buffer, 16, 0), -ESTALE);
	version_unref(version);

	unlink(path);
	version = held();
	assert_int_equal(truncate(path, 3), 0);
	assert_int_equal(version_read(version, buffer, 16, 0), -ESTALE);
	version_unref(version);
	unlink(path);
}

TEST(version_lives_until_its_last_reference)
{
	struct version *version = bytes("text");

	for (int i = 0; i < 10; i++)
		assert_ptr_equal(version_ref(version), version);
	for (int i = 0; i < 10; i++) {
		version_unref(version);
		assert_memory_equal(version->data, "text", 4);
	}
	version_unref(version);
	version_unref(NULL);
}

TEST(held_file_can_be_narrowed_again_and_again)
{
	struct version *version = held();
	const struct mounter root = {0, 0};
	char buffer[16];

	for (int i = 0; i < 3; i++) {
		struct version *narrow = version_narrow(version, version, &root);
		assert_non_null(narrow);
		assert_null(narrow->data);
		assert_int_equal(narrow->size, 10);
		version_unref(version);
		version = narrow;
	}
	assert_int_equal(version_read(version, buffer, 16, 0), 10);
	assert_memory_equal(buffer, "0123456789", 10);
	unlink(path);
	version_unref(version);
}

TEST(narrowed_version_keeps_what_its_sources_fall_back_to)
{
	struct loaded loaded = {.references = 2};
	struct version *version = bytes("text"), *other = bytes("text");
	const struct mounter root = {0, 0};
	size_t count;

	version->has_refusals = true;
	other->stamps = calloc(2, sizeof(*other->stamps));
	other->stamps[1].size = 7;
	other->stamp_count = 2;
	other->fallbacks = calloc(1, sizeof(struct loaded *));
	other->fallbacks[other->fallback_count++] = loaded_ref(&loaded);
	version_take_sources(version, other);
	version_unref(other);

	struct version *narrow = version_narrow(version, version, &root);
	version_unref(version);
	assert_true(narrow->has_refusals);
	assert_int_equal(version_stamps(narrow, &count)[1].size, 7);
	assert_int_equal(count, 2);
	assert_int_equal(narrow->fallback_count, 1);
	assert_ptr_equal(narrow->fallbacks[0], &loaded);
	version_unref(narrow);
	assert_int_equal(loaded.references, 2);
}

TEST(narrowed_version_is_for_who_may_read_both)
{
	const struct mounter root = {0, 0};
	struct version *shown = bytes("text");
	struct version *other = bytes("");

	other->mode = S_IFREG | 0440;
	other->gid = 20;
	struct version *narrow = version_narrow(shown, other, &root);
	assert_memory_equal(narrow->data, "text", 4);
	assert_int_equal(narrow->mode, S_IFREG | 0440);
	assert_int_equal(narrow->gid, 20);
	version_unref(narrow);
	/* Now of two groups. */
	shown->mode = S_IFREG | 0440;
	narrow = version_narrow(shown, other, &root);
	assert_int_equal(narrow->mode, S_IFREG | 0400);
	version_unref(narrow);
	/* A link stays a link. */
	shown->kind = VERSION_LINK;
	shown->mode = S_IFLNK | 0777;
	narrow = version_narrow(shown, other, &root);
	assert_int_equal(narrow->mode & S_IFMT, S_IFLNK);
	version_unref(narrow);
	version_unref(shown);
	version_unref(other);
}
