/*
 * keep_find() finds the last noted version, at every moment between the note and the disk. A path
 * that was reported as gone is not found, whatever is stored.
 *
 * The linker sends the calls that may fail here (--wrap).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <tdb.h>

#include "keep.h"
#include "keep_store.h"
#include "test.h"

#define ROUNDS 2000

static char directory[] = "/tmp/plyfs-keep.XXXXXX";
static char state_path[sizeof(directory) + 8];

static atomic_int begin_errno, end_errno, drop_errno; /* 0: success; -1: failure without an errno */
static atomic_uint failures;
static char log_text[4096];

static bool fails(atomic_int *number)
{
	int n = *number;

	failures += n != 0;
	if (n)
		errno = n < 0 ? 0 : n;
	return n;
}

int __real_tdb_transaction_start(struct tdb_context *tdb);
int __wrap_tdb_transaction_start(struct tdb_context *tdb);
int __wrap_tdb_transaction_start(struct tdb_context *tdb)
{
	return fails(&begin_errno) ? -1 : __real_tdb_transaction_start(tdb);
}

int __real_tdb_transaction_commit(struct tdb_context *tdb);
int __wrap_tdb_transaction_commit(struct tdb_context *tdb);
int __wrap_tdb_transaction_commit(struct tdb_context *tdb)
{
	if (!end_errno)
		return __real_tdb_transaction_commit(tdb);
	tdb_transaction_cancel(tdb);
	return fails(&end_errno) ? -1 : 0;
}

int __real_tdb_delete(struct tdb_context *tdb, TDB_DATA key);
int __wrap_tdb_delete(struct tdb_context *tdb, TDB_DATA key);
int __wrap_tdb_delete(struct tdb_context *tdb, TDB_DATA key)
{
	return fails(&drop_errno) ? -1 : __real_tdb_delete(tdb, key);
}

static int mend(void **context)
{
	(void)context;
	begin_errno = end_errno = drop_errno = 0;
	failures = 0;
	*log_text = '\0';
	return 0;
}

static void take_line(void *context, const char *line)
{
	(void)context;
	strncat(log_text, line, sizeof(log_text) - strlen(log_text) - 1);
}

static struct version *new_version(const char *text)
{
	struct version *version = version_new(VERSION_BYTES);

	assert_non_null(version);
	version->data = strdup(text);
	version->size = strlen(text);
	version->mode = 0640;
	version->uid = 7;
	version->gid = 8;
	version->mtime = (struct timespec){11, 12};
	version->ctime = (struct timespec){13, 14};
	version->strategy = "deep";
	version->layers = strdup("low:high");
	return version;
}

static void note(struct keep *keep, const char *path, const char *text, bool is_public)
{
	struct version *version = text ? new_version(text) : NULL;

	keep_note(keep, path, version, is_public);
	version_unref(version);
}

static void assert_kept(struct keep *keep, const char *path, const char *text)
{
	struct version *version;

	if (!text) {
		assert_int_equal(keep_find(keep, path, &version), -ENOENT);
		return;
	}
	assert_int_equal(keep_find(keep, path, &version), 0);
	assert_string_equal(version->data, text);
	assert_int_equal(version->size, strlen(text));
	assert_int_equal(version->mode, 0640);
	assert_int_equal(version->uid, 7);
	assert_int_equal(version->mtime.tv_nsec, 12);
	assert_int_equal(version->ctime.tv_sec, 13);
	assert_string_equal(version->strategy, "deep");
	assert_string_equal(version->layers, "low:high");
	version_unref(version);
}

static struct keep *open_keep(const char *name)
{
	struct keep *keep;
	struct problem problem;

	assert_int_equal(keep_open(&(struct keep_options){.directory = name, .log = take_line},
				 &keep, &problem),
		0);
	return keep;
}

/* Waits until so many versions are stored. */
static struct keep_counts wait_for_versions(struct keep *keep, size_t versions)
{
	struct keep_counts counts = {0};

	for (int i = 0; i < 20000; i++) {
		keep_count(keep, &counts);
		if (counts.versions == versions)
			break;
		usleep(10000);
	}
	assert_int_equal(counts.versions, versions);
	return counts;
}

static void wait_for_failures(unsigned count)
{
	for (int i = 0; i < 20000 && failures < count; i++)
		usleep(10000);
	assert_true(failures >= count);
	usleep(100000);
}

TEST(test_last_note_is_found_before_and_after_it_is_stored)
{
	const char *const places[] = {NULL, state_path};
	char text[32];

	for (size_t place = 0; place < 2; place++) {
		struct keep *keep = open_keep(places[place]);
		note(keep, "a", "waits", true);
		assert_kept(keep, "a", "waits");
		assert_int_equal(keep_start(keep), 0);
		for (int i = 0; i < ROUNDS; i++) {
			snprintf(text, sizeof(text), "a: %d\n", i);
			note(keep, "a", text, i % 3);
			note(keep, "b", i % 2 ? text : NULL, i % 5);
			assert_kept(keep, "a", text);
			assert_kept(keep, "b", i % 2 ? text : NULL);
		}
		keep_free(keep);
	}
}

TEST(test_state_is_found_by_the_next)
{
	char text[32];

	struct keep *keep = open_keep(state_path);
	assert_int_equal(keep_start(keep), 0);
	for (int i = 0; i < ROUNDS; i++) {
		snprintf(text, sizeof(text), "%d", i);
		note(keep, text, text, i % 2);
	}
	note(keep, "7", NULL, false);
	keep_free(keep);
	keep = open_keep(state_path);
	assert_kept(keep, "7", NULL);
	for (int i = 8; i < ROUNDS; i++) {
		snprintf(text, sizeof(text), "%d", i);
		assert_kept(keep, text, text);
	}
	keep_free(keep);
}

TEST(test_memory_for_what_is_not_public_is_bounded)
{
	struct keep *keep = open_keep(NULL);
	size_t size = KEEP_MEMORY_MAX / 4;
	char *text = malloc(size + 1);
	struct keep_counts counts;
	char name[8];

	assert_non_null(text);
	memset(text, 'x', size);
	text[size] = '\0';
	assert_int_equal(keep_start(keep), 0);
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "%d", i);
		note(keep, name, text, false);
	}
	for (int i = 0; i < 20000; i++) {
		keep_count(keep, &counts);
		if (counts.versions + counts.lost == 8)
			break;
		usleep(10000);
	}
	assert_int_equal(counts.versions + counts.lost, 8);
	assert_in_range(counts.versions, 1, 4);
	keep_free(keep);
	free(text);
}

TEST(test_room_of_what_was_dropped_is_used_again)
{
	enum { COUNT = 200, SIZE = 100000 };
	static char text[SIZE + 1];
	struct keep_counts counts = {0};
	char name[16];

	memset(text, 'x', SIZE);
	struct keep *keep = open_keep(NULL);
	assert_int_equal(keep_start(keep), 0);
	for (int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "%d", i);
		note(keep, name, text, false);
	}
	for (int i = 0; i < 20000 && counts.versions + counts.lost < COUNT; i++) {
		usleep(10000);
		keep_count(keep, &counts);
	}
	assert_in_range(counts.lost, 1, COUNT / 2);
	for (int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "%d", i);
		note(keep, name, NULL, false);
	}
	wait_for_versions(keep, 0);
	note(keep, "new", "x: 1", false);
	wait_for_versions(keep, 1);
	assert_kept(keep, "new", "x: 1");
	keep_free(keep);
}

/* A version that was found or noted later stays. */
TEST(test_what_was_used_longest_ago_makes_room)
{
	enum { SIZE = KEEP_MEMORY_MAX / 4 - 4096 };
	struct keep *keep = open_keep(NULL);
	char *text = malloc(SIZE + 1);
	struct keep_counts counts;
	char name[8];

	assert_non_null(text);
	memset(text, 'x', SIZE);
	text[SIZE] = '\0';
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%d", i);
		note(keep, name, text, i % 2);
	}
	assert_kept(keep, "0", text);
	for (int i = 4; i < 6; i++) {
		snprintf(name, sizeof(name), "%d", i);
		note(keep, name, text, i % 2);
	}
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "%d", i);
		assert_kept(keep, name, i == 1 || i == 2 ? NULL : text);
	}
	keep_count(keep, &counts);
	assert_int_equal(counts.versions, 4);
	assert_int_equal(counts.lost, 2);
	assert_in_range(counts.bytes, 4 * (size_t)SIZE, KEEP_MEMORY_MAX);
	keep_free(keep);
	free(text);
}

TEST(test_what_is_larger_than_the_limit_is_not_kept)
{
	struct keep *keep = open_keep(NULL);
	char *text = malloc(KEEP_MEMORY_MAX + 1);
	struct keep_counts counts;

	assert_non_null(text);
	memset(text, 'x', KEEP_MEMORY_MAX);
	text[KEEP_MEMORY_MAX] = '\0';
	note(keep, "a", "x: 1", true);
	note(keep, "b", "x: 2", true);
	note(keep, "a", text, true);
	assert_kept(keep, "a", NULL);
	assert_kept(keep, "b", "x: 2");
	keep_count(keep, &counts);
	assert_int_equal(counts.versions, 1);
	keep_free(keep);
	free(text);
}

TEST(test_damaged_record_is_not_found)
{
	const struct kept kept = {.strategy = {"deep", 4}, .bytes = {"some bytes of it", 16}};
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct keep_store *store;
	void *memory = NULL;
	bool is_damaged;
	struct kept found;
	char bytes[1 << 17];

	assert_int_equal(keep_store_open(fd, "store", &store, &is_damaged), 0);
	assert_int_equal(keep_store_put(store, "path", &kept), 0);
	assert_int_equal(keep_store_get(store, "path", &found, &memory), 0);
	assert_memory_equal(found.bytes.data, "some bytes of it", 16);
	free(memory);
	keep_store_free(store);

	int file = openat(fd, "store", O_RDWR | O_CLOEXEC);
	ssize_t n = pread(file, bytes, sizeof(bytes), 0);
	char *at = memmem(bytes, (size_t)n, "some bytes", 10);
	assert_non_null(at);
	assert_int_equal(pwrite(file, "S", 1, at - bytes), 1);
	close(file);
	assert_int_equal(keep_store_open(fd, "store", &store, &is_damaged), 0);
	assert_false(is_damaged);
	assert_int_equal(keep_store_get(store, "path", &found, &memory), -ENOENT);
	assert_int_equal(keep_store_put(store, "path", &kept), 0);
	assert_int_equal(keep_store_get(store, "path", &found, &memory), 0);
	free(memory);
	keep_store_free(store);

	/* A database that is not whole is made anew. */
	file = openat(fd, "store", O_RDWR | O_CLOEXEC);
	assert_int_equal(ftruncate(file, n / 2), 0);
	close(file);
	assert_int_equal(keep_store_open(fd, "store", &store, &is_damaged), 0);
	assert_true(is_damaged);
	assert_int_equal(keep_store_get(store, "path", &found, &memory), -ENOENT);
	keep_store_free(store);
	close(fd);
}

static void assert_lost(struct keep *keep, size_t lost)
{
	struct keep_counts counts;

	keep_count(keep, &counts);
	assert_int_equal(counts.lost, lost);
}

/* On a full disk the library gives up without an errno; on a disk that fails it gives one. */
TEST_WITH(test_what_a_disk_had_no_room_for_is_stored_when_it_has, mend, NULL)
{
	atomic_int *const steps[] = {&end_errno, &begin_errno};
	const int errors[] = {-1, EROFS};
	char name[sizeof(state_path) + 8];

	for (size_t i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s-full%zu", state_path, i);
		struct keep *keep = open_keep(name);
		assert_int_equal(keep_start(keep), 0);
		note(keep, "a", "x: 1", true);
		wait_for_versions(keep, 1);
		*log_text = '\0';
		failures = 0;
		*steps[i] = errors[i];
		note(keep, "a", "x: 2", true);
		note(keep, "b", "y: 1", true);
		wait_for_failures(1);
		assert_non_null(strstr(log_text, strerror(i == 0 ? ENOSPC : EROFS)));
		wait_for_versions(keep, 1);
		assert_lost(keep, 0);
		note(keep, "b", "y: 2", false);
		note(keep, "c", "z: 1", false);
		assert_kept(keep, "a", "x: 2");
		*steps[i] = 0;
		wait_for_versions(keep, 3);
		assert_lost(keep, 0);
		assert_non_null(strstr(log_text, "can be kept again"));
		keep_free(keep);
		keep = open_keep(name);
		wait_for_versions(keep, 3);
		assert_kept(keep, "a", "x: 2");
		assert_kept(keep, "b", "y: 2");
		assert_kept(keep, "c", "z: 1");
		keep_free(keep);
	}
}

TEST_WITH(test_disk_that_stays_full_does_not_keep_the_end, mend, NULL)
{
	char name[sizeof(state_path) + 8];

	snprintf(name, sizeof(name), "%s-end", state_path);
	struct keep *keep = open_keep(name);
	assert_int_equal(keep_start(keep), 0);
	note(keep, "a", "x: 1", true);
	wait_for_versions(keep, 1);
	end_errno = -1;
	note(keep, "a", "x: 2", true);
	keep_free(keep);
	end_errno = 0;
	keep = open_keep(name);
	assert_kept(keep, "a", "x: 1");
	keep_free(keep);
}

TEST_WITH(test_what_could_not_be_dropped_does_not_come_back, mend, NULL)
{
	char name[sizeof(state_path) + 8];

	snprintf(name, sizeof(name), "%s-drop", state_path);
	struct keep *keep = open_keep(name);
	assert_int_equal(keep_start(keep), 0);
	note(keep, "a", "x: 1", false);
	wait_for_versions(keep, 1);
	drop_errno = EIO;
	note(keep, "a", NULL, false);
	wait_for_failures(1);
	assert_kept(keep, "a", NULL);
	drop_errno = 0;
	wait_for_versions(keep, 0);
	assert_kept(keep, "a", NULL);
	assert_lost(keep, 0);
	keep_free(keep);
	keep = open_keep(name);
	assert_kept(keep, "a", NULL);
	keep_free(keep);
}

/* A new daemon, to which the mount was to be handed over, hangs and holds the directory. */
TEST_WITH(test_who_has_the_directory_is_not_waited_for, mend, NULL)
{
	char name[sizeof(state_path) + 8];

	snprintf(name, sizeof(name), "%s-held", state_path);
	struct keep *keep = open_keep(name);
	assert_int_equal(keep_start(keep), 0);
	note(keep, "a", "x: 1", true);
	keep_pause(keep);
	int other = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	alarm(60);
	assert_int_equal(keep_resume(keep), 0);
	alarm(0);
	assert_kept(keep, "a", "x: 1");
	note(keep, "a", "x: 2", true);
	for (int i = 0; i < 20000 && !strstr(log_text, strerror(EBUSY)); i++)
		usleep(10000);
	assert_non_null(strstr(log_text, strerror(EBUSY)));
	assert_kept(keep, "a", "x: 2");
	close(other);
	for (int i = 0; i < 20000 && !strstr(log_text, "can be kept again"); i++)
		usleep(10000);
	assert_non_null(strstr(log_text, "can be kept again"));
	assert_lost(keep, 0);
	/* No other process can get it now. */
	other = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	close(other);
	keep_free(keep);
	keep = open_keep(name);
	assert_kept(keep, "a", "x: 2");
	keep_free(keep);
}

int main(void)
{
	if (!mkdtemp(directory))
		return 1;
	snprintf(state_path, sizeof(state_path), "%s/state", directory);
	int failed = tests_run(NULL, NULL);
	char command[sizeof(directory) + 16];
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? failed : 1;
}
