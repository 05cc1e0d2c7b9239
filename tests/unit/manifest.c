/*
 * After any death the manifest knows which files plyfs wrote, and which of them another program has
 * changed.
 */
#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "test.h"

static char place[] = "/tmp/plyfs-manifest-XXXXXX";
static int directory;
static const struct fingerprint first = {.mode = S_IFREG | 0444, .uid = 1, .gid = 2, .hash = 10};
static const struct fingerprint second = {.mode = S_IFREG | 0444, .uid = 1, .gid = 2, .hash = 20};
static const struct fingerprint third = {.mode = S_IFREG | 0444, .uid = 1, .gid = 2, .hash = 30};
static const struct fingerprint nothing = {0};

/* Number of calls until fdatasync(2) fails once; 0: it does not. */
static int failing;

/* Replaces the one of libc. */
int fdatasync(int fd)
{
	if (failing == 0 || --failing > 0)
		return fsync(fd);
	errno = EIO;
	return -1;
}

static int begin(void **state)
{
	(void)state;
	strcpy(place + strlen(place) - 6, "XXXXXX");
	directory = mkdtemp(place) ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return directory < 0;
}

static int end(void **state)
{
	(void)state;
	unlinkat(directory, "manifest", 0);
	unlinkat(directory, "manifest.new", 0);
	close(directory);
	return rmdir(place);
}

static struct manifest *open_manifest(bool is_atomic)
{
	struct manifest *manifest;

	assert_int_equal(manifest_open(directory, is_atomic, false, &manifest), 0);
	return manifest;
}

static struct owned *put(
	struct manifest *manifest, const char *path, const struct fingerprint *print)
{
	struct owned *owned = manifest_get(manifest, path);

	assert_non_null(owned);
	assert_int_equal(manifest_put(manifest, owned, print), 0);
	return owned;
}

static off_t size_of_log(void)
{
	struct stat stat;

	assert_int_equal(fstatat(directory, "manifest", &stat, 0), 0);
	return stat.st_size;
}

/* Reads the manifest again, as it was left. */
static struct manifest *again(struct manifest *manifest, bool is_atomic)
{
	manifest_freep(&manifest);
	return open_manifest(is_atomic);
}

TEST_WITH(what_was_put_and_dropped_is_known_again, begin, end)
{
	struct manifest *manifest = open_manifest(false);
	put(manifest, "a\nb\\c", &first);
	put(manifest, "sub", &(struct fingerprint){.mode = S_IFDIR | 0755});
	struct owned *gone = put(manifest, "gone", &second);
	assert_int_equal(manifest_drop(manifest, gone), 0);
	manifest = again(manifest, false);

	const struct owned *owned = manifest_find(manifest, "a\nb\\c");
	assert_non_null(owned);
	assert_true(fingerprint_equal(&owned->fingerprint, &first));
	assert_true(S_ISDIR(manifest_find(manifest, "sub")->fingerprint.mode));
	assert_null(manifest_find(manifest, "gone"));
	manifest_freep(&manifest);
}

TEST_WITH(until_it_is_in_place_what_was_there_before_is_no_drift, begin, end)
{
	struct manifest *manifest = open_manifest(false);
	struct owned *owned = put(manifest, "a", &first);
	/* plyfs was killed before the file was there; this is the next run. */
	assert_int_equal(manifest_drift(manifest, owned, &nothing), DRIFT_NONE);
	assert_int_equal(manifest_seal(manifest), 0);
	assert_int_equal(manifest_drift(manifest, owned, &nothing), DRIFT_REMOVED);
	put(manifest, "a", &second);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(manifest_drift(manifest, owned, &first), DRIFT_NONE);
		assert_int_equal(manifest_drift(manifest, owned, &second), DRIFT_NONE);
		assert_int_equal(manifest_drift(manifest, owned, &third), DRIFT_EDITED);
		manifest = again(manifest, false);
		owned = manifest_find(manifest, "a");
	}
	assert_int_equal(manifest_seal(manifest), 0);
	assert_int_equal(manifest_drift(manifest, owned, &first), DRIFT_EDITED);
	manifest = again(manifest, false);
	owned = manifest_find(manifest, "a");
	assert_int_equal(manifest_drift(manifest, owned, &first), DRIFT_EDITED);
	assert_int_equal(manifest_drift(manifest, owned, &second), DRIFT_NONE);
	manifest_freep(&manifest);
}

TEST_WITH(until_it_has_its_owner_and_group_it_may_have_either, begin, end)
{
	struct manifest *manifest = open_manifest(false);
	struct owned *owned = put(manifest, "a", &first);
	assert_int_equal(manifest_seal(manifest), 0);
	put(manifest, "a", &(struct fingerprint){S_IFREG | 0440, 3, 4, 10});
	const struct fingerprint mixed = {S_IFREG | 0444, 1, 4, 10};
	const struct fingerprint other = {S_IFREG | 0444, 1, 5, 10};
	assert_int_equal(manifest_drift(manifest, owned, &mixed), DRIFT_NONE);
	assert_int_equal(manifest_drift(manifest, owned, &other), DRIFT_RIGHTS);
	manifest_freep(&manifest);
}

TEST_WITH(what_is_about_to_go_may_be_there_or_not, begin, end)
{
	struct manifest *manifest = open_manifest(false);
	struct owned *owned = put(manifest, "a", &first);
	assert_int_equal(manifest_seal(manifest), 0);
	assert_int_not_equal(manifest_drift(manifest, owned, &nothing), DRIFT_NONE);
	assert_int_equal(manifest_put(manifest, owned, &nothing), 0);
	assert_int_equal(manifest_drift(manifest, owned, &nothing), DRIFT_NONE);
	manifest = again(manifest, false);
	owned = manifest_find(manifest, "a");
	assert_non_null(owned);
	assert_true(manifest_is_in_doubt(manifest, owned));
	assert_true(fingerprint_equal(&owned->former, &first));
	assert_int_equal(manifest_drift(manifest, owned, &nothing), DRIFT_NONE);
	assert_int_equal(manifest_drift(manifest, owned, &first), DRIFT_NONE);
	assert_int_not_equal(manifest_drift(manifest, owned, &second), DRIFT_NONE);
	manifest_freep(&manifest);
}

/* The kernel reports a failed write once: a second fdatasync(2) of the same file would succeed. */
TEST_WITH(what_may_not_be_on_the_disk_is_written_to_a_new_file, begin, end)
{
	struct manifest *manifest = open_manifest(false);
	struct stat before, now;

	put(manifest, "a", &first);
	assert_int_equal(fstatat(directory, "manifest", &before, 0), 0);
	failing = 1;
	assert_int_equal(manifest_seal(manifest), -EIO);
	assert_int_equal(failing, 0);
	assert_int_equal(manifest_seal(manifest), 0);
	assert_int_equal(fstatat(directory, "manifest", &now, 0), 0);
	assert_int_not_equal(now.st_ino, before.st_ino);
	manifest = again(manifest, false);
	const struct owned *owned = manifest_find(manifest, "a");
	assert_false(manifest_is_in_doubt(manifest, owned));
	assert_true(fingerprint_equal(&owned->fingerprint, &first));
	manifest_freep(&manifest);
}

/* If two generations were logged, neither may be there: the one before both is. */
TEST_WITH(of_generations_the_one_that_is_shown_counts, begin, end)
{
	struct manifest *manifest = open_manifest(true);
	put(manifest, "a", &first);
	assert_int_equal(manifest_seal(manifest), 0);
	put(manifest, "a", &second);
	put(manifest, "a", &third);
	manifest = again(manifest, true);
	const struct owned *owned = manifest_find(manifest, "a");
	assert_int_equal(manifest_drift(manifest, owned, &first), DRIFT_NONE);
	assert_int_equal(manifest_drift(manifest, owned, &third), DRIFT_NONE);
	manifest_freep(&manifest);
	assert_int_equal(manifest_open(directory, false, false, &manifest), MANIFEST_OTHER_KIND);
}

TEST_WITH(what_was_not_put_there_after_all_is_as_before, begin, end)
{
	struct manifest *manifest = open_manifest(false);
	manifest_undo(manifest, put(manifest, "new", &first), &nothing);
	put(manifest, "old", &first);
	assert_int_equal(manifest_seal(manifest), 0);
	manifest_undo(manifest, put(manifest, "old", &second), &first);
	manifest = again(manifest, false);
	assert_null(manifest_find(manifest, "new"));
	assert_true(fingerprint_equal(&manifest_find(manifest, "old")->fingerprint, &first));
	manifest_freep(&manifest);
}

TEST_WITH(half_a_line_was_not_written_and_garbage_is_refused, begin, end)
{
	struct manifest *manifest = open_manifest(false);
	put(manifest, "a", &first);
	put(manifest, "b", &first);
	manifest_freep(&manifest);
	CLEANUP(closep) int fd = openat(directory, "manifest", O_RDWR | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, size_of_log() - 1), 0);
	manifest = open_manifest(false);
	assert_non_null(manifest_find(manifest, "a"));
	assert_null(manifest_find(manifest, "b"));
	manifest_freep(&manifest);

	static const char *const bad[] = {"", "+ a\n", "+ 0 0 0 0 a\n", "+ 100444 0 0 1 /etc\n",
		"+ 100444 0 0 1 \n", "* a\n", "-\n", "+ 100444 0 0 1 a\0b\n"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CLEANUP(closep)
		int out = openat(directory, "manifest", O_WRONLY | O_TRUNC | O_CLOEXEC);
		size_t len = i == 7 ? 19 : strlen(bad[i]);
		if (i)
			assert_int_equal(write(out, "plyfs render 2\n", 15), 15);
		assert_int_equal(write(out, bad[i], len), len);
		assert_int_equal(manifest_open(directory, false, false, &manifest), -EBADMSG);
	}
}

/* Otherwise it would grow without end. */
TEST_WITH(log_of_many_changes_is_written_anew, begin, end)
{
	struct manifest *manifest = open_manifest(false);
	for (int i = 0; i < 20000; i++) {
		put(manifest, "a", i % 2 ? &first : &second);
		/* Each seal waits for the disk. */
		if (i % 100 == 99)
			assert_int_equal(manifest_seal(manifest), 0);
	}
	assert_in_range(size_of_log(), 1, 100000);
	struct owned *owned = manifest_find(manifest, "a");
	assert_int_equal(manifest_drift(manifest, owned, &first), DRIFT_NONE);
	assert_int_equal(manifest_drift(manifest, owned, &second), DRIFT_EDITED);
	manifest = again(manifest, false);
	assert_true(fingerprint_equal(&manifest_find(manifest, "a")->fingerprint, &first));
	manifest_freep(&manifest);
}

TEST_WITH(list_of_a_directory_has_it_and_what_is_below, begin, end)
{
	static const char *const paths[] = {"a", "a-b", "a/x", "a/x/y", "ab", "b"};
	struct manifest *manifest = open_manifest(false);
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;

	for (size_t i = 0; i < 6; i++)
		put(manifest, paths[5 - i], &(struct fingerprint){.mode = S_IFDIR | 0755});
	assert_int_equal(manifest_list(manifest, "a", &all, &count), 0);
	assert_int_equal(count, 3);
	assert_string_equal(all[0]->path, "a");
	assert_string_equal(all[1]->path, "a/x");
	assert_string_equal(all[2]->path, "a/x/y");
	manifest_freep(&manifest);
}

TEST_WITH(names_in_any_order_are_found_and_listed_in_theirs, begin, end)
{
	struct manifest *manifest = open_manifest(false);
	CLEANUP(freep) struct owned **all = NULL;
	char path[8];
	size_t count;

	/* 37 and 100 have no common divisor: each number comes once. */
	for (unsigned i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "n%02u", i * 37 % 100);
		put(manifest, path, &first);
	}
	for (unsigned i = 0; i < 100; i += 3) {
		snprintf(path, sizeof(path), "n%02u", i * 37 % 100);
		manifest_forget(manifest, manifest_find(manifest, path));
		assert_null(manifest_find(manifest, path));
	}
	assert_int_equal(manifest_list(manifest, "", &all, &count), 0);
	assert_int_equal(count, 66);
	for (size_t i = 0; i < count; i++) {
		assert_ptr_equal(manifest_find(manifest, all[i]->path), all[i]);
		assert_true(i == 0 || strcmp(all[i - 1]->path, all[i]->path) < 0);
	}
	manifest_freep(&manifest);
}
