/*
 * last_good_find() finds the last noted version, at every moment between the note and the disk. A
 * path that was reported as gone is not found, whatever is stored.
 *
 * The linker sends the calls that may fail here (--wrap). The process plyfs-state makes them: what
 * decides is in memory that the test shares with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bytes.h"
#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "helper.h"
#include "last_good.h"
#include "last_good_file.h"
#include "moved_clock.h"
#include "test.h"

#define ROUNDS 2000

static char directory[] = "/tmp/plyfs-keep.XXXXXX";
static char state_path[sizeof(directory) + 8];
static char probe_path[sizeof(directory) + 8];

struct shared {
	atomic_int write_errno, sync_errno, remove_errno; /* 0: success */
	atomic_uint failures;
	atomic_int probes;                  /* 1: plyfs-state is to try what it may not do */
	atomic_int read_errno, other_errno; /* what that gave */
};

static struct shared *shared;

static char log_text[4096];

static bool fails(atomic_int *number)
{
	int n = *number;

	shared->failures += n != 0;
	errno = n ? n : errno;
	return n;
}

/* Tries to open it. */
static int errno_of(int at, const char *path, int flags)
{
	CLEANUP(closep) int fd = openat(at, path, flags | O_CLOEXEC, 0600);

	return fd < 0 ? errno : 0;
}

int __real_syncfs(int fd);
int __wrap_syncfs(int fd);
int __wrap_syncfs(int fd)
{
	if (shared->probes) {
		shared->read_errno = errno_of(fd, "1", O_RDONLY);
		shared->other_errno = errno_of(AT_FDCWD, probe_path, O_WRONLY | O_CREAT);
		shared->probes++;
	}
	return fails(&shared->sync_errno) ? -1 : __real_syncfs(fd);
}

int __real_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode)
{
	if (!(flags & O_CREAT))
		return __real_openat64(at, path, flags);
	return fails(&shared->write_errno) ? -1 : __real_openat64(at, path, flags, mode);
}

int __real_unlinkat(int at, const char *path, int flags);
int __wrap_unlinkat(int at, const char *path, int flags);
int __wrap_unlinkat(int at, const char *path, int flags)
{
	return fails(&shared->remove_errno) ? -1 : __real_unlinkat(at, path, flags);
}

/* Returns a path that no test had before. Static. */
static const char *new_state(void)
{
	static char path[sizeof(state_path) + 16];
	static unsigned count;

	snprintf(path, sizeof(path), "%s-%u", state_path, count++);
	return path;
}

/* Returns the number as text. Static. */
static const char *name_of(int number)
{
	static char name[16];

	snprintf(name, sizeof(name), "%d", number);
	return name;
}

/* Returns so many bytes of text, for free(3). */
static char *long_text(size_t size)
{
	char *text = calloc(1, size + 1);

	assert_non_null(text);
	memset(text, 'x', size);
	return text;
}

static int mend(void **context)
{
	(void)context;
	*shared = (struct shared){0};
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
	version->data = bytes_dup(span_of(text));
	version->size = strlen(text);
	version->mode = S_IFREG | 0640;
	version->uid = 7;
	version->gid = 8;
	version->mtime = (struct timespec){11, 12};
	version->ctime = (struct timespec){13, 14};
	version->strategy = "deep";
	version->layers = strdup("low:high");
	return version;
}

static void note(struct last_good *last_good, const char *path, const char *text)
{
	struct version *version = text ? new_version(text) : NULL;

	last_good_note(last_good, path, version);
	version_unref(version);
}

static void assert_kept(struct last_good *last_good, const char *path, const char *text)
{
	struct version *version;

	if (!text) {
		assert_int_equal(last_good_find(last_good, path, &version), -ENOENT);
		return;
	}
	assert_int_equal(last_good_find(last_good, path, &version), 0);
	assert_string_equal(version->data, text);
	assert_int_equal(version->size, strlen(text));
	assert_int_equal(version->mode, S_IFREG | 0640);
	assert_int_equal(version->uid, 7);
	assert_int_equal(version->mtime.tv_nsec, 12);
	assert_int_equal(version->ctime.tv_sec, 13);
	assert_string_equal(version->strategy, "deep");
	assert_string_equal(version->layers, "low:high");
	version_unref(version);
}

static struct last_good *open_keep(const char *name)
{
	const struct last_good_options options = {.directory = name, .log = take_line};
	struct last_good *last_good;
	struct problem problem;

	assert_int_equal(last_good_open(&options, &last_good, &problem), 0);
	assert_int_equal(last_good_load(last_good, &problem), 0);
	return last_good;
}

/* As the daemon does, for a moment. */
static void serve(struct last_good *last_good)
{
	struct pollfd polled = {.fd = last_good_fd(last_good), .events = POLLIN};

	if (poll(&polled, 1, 10) > 0)
		last_good_take(last_good);
}

/* Waits until so many versions are stored. */
static struct last_good_counts wait_for_versions(struct last_good *last_good, size_t versions)
{
	struct last_good_counts counts = {0};

	for (int i = 0; i < 20000; i++) {
		last_good_count(last_good, &counts);
		if (counts.versions == versions)
			break;
		serve(last_good);
	}
	assert_int_equal(counts.versions, versions);
	return counts;
}

static void wait_for_failures(struct last_good *last_good, unsigned count)
{
	for (int i = 0; i < 20000 && shared->failures < count; i++)
		serve(last_good);
	assert_true(shared->failures >= count);
	for (int i = 0; i < 10; i++)
		serve(last_good);
}

static void wait_for_line(struct last_good *last_good, const char *line)
{
	for (int i = 0; i < 20000 && !strstr(log_text, line); i++)
		serve(last_good);
	assert_non_null(strstr(log_text, line));
}

TEST(test_last_note_is_found_before_and_after_it_is_stored)
{
	const char *const places[] = {NULL, state_path};
	char text[32];

	for (size_t place = 0; place < 2; place++) {
		struct last_good *last_good = open_keep(places[place]);
		note(last_good, "a", "waits");
		assert_kept(last_good, "a", "waits");
		for (int i = 0; i < ROUNDS; i++) {
			snprintf(text, sizeof(text), "a: %d\n", i);
			note(last_good, "a", text);
			note(last_good, "b", i % 2 ? text : NULL);
			last_good_take(last_good);
			assert_kept(last_good, "a", text);
			assert_kept(last_good, "b", i % 2 ? text : NULL);
		}
		last_good_freep(&last_good);
	}
}

TEST(test_state_is_found_by_the_next)
{
	struct last_good *last_good = open_keep(state_path);

	for (int i = 0; i < ROUNDS; i++)
		note(last_good, name_of(i), name_of(i));
	note(last_good, "7", NULL);
	last_good_freep(&last_good);
	last_good = open_keep(state_path);
	assert_kept(last_good, "7", NULL);
	for (int i = 8; i < ROUNDS; i++)
		assert_kept(last_good, name_of(i), name_of(i));
	last_good_freep(&last_good);
}

TEST(test_memory_for_what_is_not_public_is_bounded)
{
	struct last_good *last_good = open_keep(NULL);
	size_t size = LAST_GOOD_MEMORY_MAX / 4;
	char *text = long_text(size);
	struct last_good_counts counts;

	for (int i = 0; i < 8; i++)
		note(last_good, name_of(i), text);
	for (int i = 0; i < 20000; i++) {
		last_good_count(last_good, &counts);
		if (counts.versions + counts.lost == 8)
			break;
		usleep(10000);
	}
	assert_int_equal(counts.versions + counts.lost, 8);
	assert_in_range(counts.versions, 1, 4);
	last_good_freep(&last_good);
	free(text);
}

TEST(test_room_of_what_was_dropped_is_used_again)
{
	enum { COUNT = 200, SIZE = 100000 };
	static char text[SIZE + 1];
	struct last_good_counts counts = {0};

	memset(text, 'x', SIZE);
	struct last_good *last_good = open_keep(NULL);
	for (int i = 0; i < COUNT; i++)
		note(last_good, name_of(i), text);
	for (int i = 0; i < 20000 && counts.versions + counts.lost < COUNT; i++) {
		usleep(10000);
		last_good_count(last_good, &counts);
	}
	assert_in_range(counts.lost, 1, COUNT / 2);
	for (int i = 0; i < COUNT; i++)
		note(last_good, name_of(i), NULL);
	wait_for_versions(last_good, 0);
	note(last_good, "new", "x: 1");
	wait_for_versions(last_good, 1);
	assert_kept(last_good, "new", "x: 1");
	last_good_freep(&last_good);
}

/* A version that was found or noted later stays. */
TEST(test_what_was_used_longest_ago_makes_room)
{
	enum { SIZE = LAST_GOOD_MEMORY_MAX / 4 - 4096 };
	struct last_good *last_good = open_keep(NULL);
	char *text = long_text(SIZE);
	struct last_good_counts counts;

	for (int i = 0; i < 4; i++)
		note(last_good, name_of(i), text);
	assert_kept(last_good, "0", text);
	for (int i = 4; i < 6; i++)
		note(last_good, name_of(i), text);
	for (int i = 0; i < 6; i++)
		assert_kept(last_good, name_of(i), i == 1 || i == 2 ? NULL : text);
	last_good_count(last_good, &counts);
	assert_int_equal(counts.versions, 4);
	assert_int_equal(counts.lost, 2);
	assert_in_range(counts.bytes, 4 * (size_t)SIZE, LAST_GOOD_MEMORY_MAX);
	last_good_freep(&last_good);
	free(text);
}

TEST(test_what_is_larger_than_the_limit_is_not_kept)
{
	struct last_good *last_good = open_keep(NULL);
	char *text = long_text(LAST_GOOD_MEMORY_MAX);
	struct last_good_counts counts;

	note(last_good, "a", "x: 1");
	note(last_good, "b", "x: 2");
	note(last_good, "a", text);
	assert_kept(last_good, "a", NULL);
	assert_kept(last_good, "b", "x: 2");
	last_good_count(last_good, &counts);
	assert_int_equal(counts.versions, 1);
	last_good_freep(&last_good);
	free(text);
}

/* Returns the file of the path that was stored first. */
static int open_file(const char *name, char path[PATH_MAX])
{
	for (int i = 0; i < 100; i++) {
		snprintf(path, PATH_MAX, "%s/%d", name, i);
		int fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	}
	fail_msg("there is no file");
	return -1;
}

static void store_one(const char *name, const char *text)
{
	struct last_good *last_good = open_keep(name);

	note(last_good, "path", text);
	last_good_freep(&last_good);
}

TEST_WITH(test_damaged_file_is_not_found, mend, NULL)
{
	char path[PATH_MAX], bytes[4096];

	for (int damage = 0; damage < 4; damage++) {
		const char *name = new_state();
		struct last_good *last_good = open_keep(name);
		note(last_good, "path", "some bytes of it");
		wait_for_versions(last_good, 1);
		note(last_good, "other", "x: 1");
		last_good_freep(&last_good);
		CLEANUP(closep) int fd = open_file(name, path);
		ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
		char *at = memmem(bytes, (size_t)n, "some bytes", 10);
		assert_non_null(at);
		if (damage == 0)
			assert_int_equal(pwrite(fd, "S", 1, at - bytes), 1);
		else if (damage == 1)
			assert_int_equal(ftruncate(fd, n / 2), 0);
		else if (damage == 2)
			assert_int_equal(ftruncate(fd, 0), 0);
		else
			assert_int_equal(ftruncate(fd, (off_t)LAST_GOOD_MEMORY_MAX * 2), 0);
		*log_text = '\0';
		last_good = open_keep(name);
		assert_kept(last_good, "path", NULL);
		assert_kept(last_good, "other", "x: 1");
		assert_non_null(strstr(log_text, "1 of its files could not be read"));
		assert_int_equal(access(path, F_OK), -1);
		last_good_freep(&last_good);
	}
}

TEST_WITH(test_link_in_the_directory_is_not_followed, mend, NULL)
{
	char path[PATH_MAX], other[PATH_MAX + 8];
	const char *name = new_state();
	store_one(name, "x: 1");
	close(open_file(name, path));
	snprintf(other, sizeof(other), "%s/other", directory);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink(other, path), 0);
	struct last_good *last_good = open_keep(name);
	assert_kept(last_good, "path", NULL);
	assert_int_equal(access(other, F_OK), 0);
	last_good_freep(&last_good);
}

/* A crash has left a new file, or the file of a path that another one replaced. */
TEST_WITH(test_of_two_files_of_a_path_the_newer_counts, mend, NULL)
{
	char path[PATH_MAX], other[PATH_MAX];
	const char *name = new_state();
	store_one(name, "x: 1");
	close(open_file(name, path));
	snprintf(other, sizeof(other), "%s/70", name);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(utimensat(AT_FDCWD, other, (struct timespec[]){{1, 0}, {1, 0}}, 0), 0);
	char aside[sizeof(other)];
	snprintf(aside, sizeof(aside), "%s/aside", name);
	assert_int_equal(rename(other, aside), 0);
	store_one(name, "x: 2");
	assert_int_equal(rename(aside, other), 0);
	snprintf(aside, sizeof(aside), "%s/99.new", name);
	close(open(aside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	struct last_good *last_good = open_keep(name);
	assert_kept(last_good, "path", "x: 2");
	assert_int_equal(access(other, F_OK), -1);
	assert_int_equal(access(aside, F_OK), -1);
	note(last_good, "path", "x: 3");
	last_good_freep(&last_good);
	last_good = open_keep(name);
	assert_kept(last_good, "path", "x: 3");
	last_good_freep(&last_good);
}

TEST_WITH(test_directory_has_no_more_than_the_memory, mend, NULL)
{
	enum { SIZE = LAST_GOOD_MEMORY_MAX / 4 - 4096, COUNT = 7 };
	char path[PATH_MAX];
	char *text = long_text(SIZE);
	size_t files = 0;

	const char *name = new_state();
	struct last_good *last_good = open_keep(name);
	for (int i = 0; i < COUNT; i++)
		note(last_good, name_of(i), text);
	last_good_freep(&last_good);
	for (int i = 0; i < 2 * COUNT; i++) {
		snprintf(path, sizeof(path), "%s/%d", name, i);
		files += access(path, F_OK) == 0;
	}
	assert_int_equal(files, 4);
	last_good = open_keep(name);
	for (int i = 0; i < COUNT; i++)
		assert_kept(last_good, name_of(i), i < COUNT - 4 ? NULL : text);
	last_good_freep(&last_good);
	free(text);
}

/* It writes no more. What it has not written is for a daemon that takes over. */
static void count_each(void *context, const char *path, struct version *version)
{
	size_t *counts = context;

	(void)path;
	counts[version ? 0 : 1]++;
}

TEST_WITH(test_end_of_the_process_delays_nothing, mend, NULL)
{
	size_t counts[2] = {0};

	const char *name = new_state();
	struct last_good *last_good = open_keep(name);
	note(last_good, "a", "x: 1");
	note(last_good, "b", "x: 1");
	wait_for_versions(last_good, 2);
	kill(helper_pid(HELPER_STATE), SIGKILL);
	for (int i = 0; i < 1000 && last_good_fd(last_good) >= 0; i++)
		serve(last_good);
	assert_int_equal(last_good_fd(last_good), -1);
	note(last_good, "a", "x: 2");
	note(last_good, "b", NULL);
	assert_kept(last_good, "a", "x: 2");
	int64_t begun = clock_ms();
	last_good_pause(last_good);
	last_good_each(last_good, count_each, counts);
	assert_int_equal(counts[0], 1);
	assert_int_equal(counts[1], 1);
	last_good_freep(&last_good);
	assert_in_range(clock_ms() - begun, 0, 4500); /* a wait for an answer takes 5 s */
}

/* … while it is being written, in one batch. */
TEST_WITH(test_path_that_goes_and_comes_is_stored_as_it_was_last, mend, NULL)
{
	const char *name = new_state();
	struct last_good *last_good = open_keep(name);

	for (int i = 0; i < 200; i++) {
		note(last_good, "a", "x: 1");
		serve(last_good);
		note(last_good, "a", NULL);
		serve(last_good);
	}
	note(last_good, "b", "x: 2");
	last_good_freep(&last_good);
	last_good = open_keep(name);
	assert_kept(last_good, "a", NULL);
	assert_kept(last_good, "b", "x: 2");
	last_good_freep(&last_good);
}

/* Where the kernel has Landlock. Its twin is a process without it, which can do both. */
TEST_WITH(test_process_writes_in_the_directory_and_nowhere_else, mend, NULL)
{
	struct problem problem;
	long landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);

	for (int is_free = 0; is_free < 2; is_free++) {
		const char *name = new_state();
		const struct last_good_options options = {.directory = name,
			.switches = {.has_no_landlock = is_free},
			.log = take_line};
		struct last_good *last_good;
		assert_int_equal(last_good_open(&options, &last_good, &problem), 0);
		assert_int_equal(last_good_load(last_good, &problem), 0);
		note(last_good, "a", "x: 1");
		wait_for_versions(last_good, 1);
		shared->probes = 1;
		note(last_good, "b", "x: 1");
		wait_for_versions(last_good, 2);
		assert_true(shared->probes > 1);
		int expected = landlock >= 1 && !is_free ? EACCES : 0;
		/* The first file that a directory has is "1". */
		assert_int_equal(shared->read_errno, expected);
		assert_int_equal(shared->other_errno, expected);
		last_good_freep(&last_good);
		shared->probes = 0;
		(void)unlink(probe_path);
	}
}

TEST_WITH(test_process_that_is_stopped_does_not_keep_the_end, mend, NULL)
{
	const char *name = new_state();
	struct last_good *last_good = open_keep(name);
	kill(helper_pid(HELPER_STATE), SIGSTOP);
	while (helper_state(HELPER_STATE) != HELPER_STOPPED)
		usleep(1000);
	note(last_good, "a", "x: 1");
	assert_kept(last_good, "a", "x: 1");
	int64_t begun = clock_ms();
	last_good_freep(&last_good);
	assert_in_range(clock_ms() - begun, 0, 4500);
}

static void assert_lost(struct last_good *last_good, size_t lost)
{
	struct last_good_counts counts;

	last_good_count(last_good, &counts);
	assert_int_equal(counts.lost, lost);
}

TEST_WITH(test_what_a_disk_had_no_room_for_is_stored_when_it_has, mend, NULL)
{
	atomic_int *const steps[] = {&shared->write_errno, &shared->sync_errno};
	const int errors[] = {ENOSPC, EROFS};

	for (size_t i = 0; i < 2; i++) {
		const char *name = new_state();
		struct last_good *last_good = open_keep(name);
		note(last_good, "a", "x: 1");
		wait_for_versions(last_good, 1);
		*log_text = '\0';
		shared->failures = 0;
		*steps[i] = errors[i];
		note(last_good, "a", "x: 2");
		note(last_good, "b", "y: 1");
		wait_for_failures(last_good, 1);
		assert_non_null(strstr(log_text, strerror(errors[i])));
		wait_for_versions(last_good, 1);
		assert_lost(last_good, 0);
		note(last_good, "b", "y: 2");
		note(last_good, "c", "z: 1");
		assert_kept(last_good, "a", "x: 2");
		*steps[i] = 0;
		wait_for_versions(last_good, 3);
		assert_lost(last_good, 0);
		assert_non_null(strstr(log_text, "can be kept again"));
		last_good_freep(&last_good);
		last_good = open_keep(name);
		wait_for_versions(last_good, 3);
		assert_kept(last_good, "a", "x: 2");
		assert_kept(last_good, "b", "y: 2");
		assert_kept(last_good, "c", "z: 1");
		last_good_freep(&last_good);
	}
}

TEST_WITH(test_disk_that_stays_full_does_not_keep_the_end, mend, NULL)
{
	const char *name = new_state();
	struct last_good *last_good = open_keep(name);
	note(last_good, "a", "x: 1");
	wait_for_versions(last_good, 1);
	shared->sync_errno = ENOSPC;
	note(last_good, "a", "x: 2");
	last_good_freep(&last_good);
	shared->sync_errno = 0;
	last_good = open_keep(name);
	assert_kept(last_good, "a", "x: 1");
	last_good_freep(&last_good);
}

TEST_WITH(test_what_could_not_be_dropped_does_not_come_back, mend, NULL)
{
	const char *name = new_state();
	struct last_good *last_good = open_keep(name);
	note(last_good, "a", "x: 1");
	wait_for_versions(last_good, 1);
	shared->remove_errno = EIO;
	note(last_good, "a", NULL);
	wait_for_failures(last_good, 1);
	assert_kept(last_good, "a", NULL);
	shared->remove_errno = 0;
	wait_for_versions(last_good, 0);
	assert_kept(last_good, "a", NULL);
	assert_lost(last_good, 0);
	last_good_freep(&last_good);
	last_good = open_keep(name);
	assert_kept(last_good, "a", NULL);
	last_good_freep(&last_good);
}

/* A new daemon, to which the mount was to be handed over, hangs and holds the directory. */
TEST_WITH(test_who_has_the_directory_is_not_waited_for, mend, NULL)
{
	const char *name = new_state();
	struct last_good *last_good = open_keep(name);
	note(last_good, "a", "x: 1");
	last_good_pause(last_good);
	int other = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	alarm(60);
	last_good_resume(last_good);
	alarm(0);
	assert_kept(last_good, "a", "x: 1");
	note(last_good, "a", "x: 2");
	wait_for_line(last_good, strerror(EBUSY));
	assert_kept(last_good, "a", "x: 2");
	close(other);
	wait_for_line(last_good, "can be kept again");
	assert_lost(last_good, 0);
	/* No other process can get it now. */
	other = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	close(other);
	last_good_freep(&last_good);
	last_good = open_keep(name);
	assert_kept(last_good, "a", "x: 2");
	last_good_freep(&last_good);
}

int main(void)
{
	are_waits_real = true;
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || !mkdtemp(directory))
		return 1;
	snprintf(state_path, sizeof(state_path), "%s/state", directory);
	snprintf(probe_path, sizeof(probe_path), "%s/probe", directory);
	int failed = tests_run(NULL, NULL);
	char command[sizeof(directory) + 16];
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? failed : 1;
}
