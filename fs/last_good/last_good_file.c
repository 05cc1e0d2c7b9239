#include "last_good_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "bytes.h"
#include "cleanup.h"
#include "descriptor.h"
#include "layer.h"
#include "text.h"
#include "version_record.h"

/* Changes when the content of the files does. */
#define FORMAT 0x706c7932u

#define NEW_SUFFIX ".new"

/* Bytes of a number and the suffix. */
#define NAME_MAX_BYTES 32

/* Bytes of a record, besides the version's. */
#define RECORD_MORE ((size_t)64 << 10)

struct found_file {
	uint64_t number;
	off_t size;
	struct timespec mtime;
};

struct found_files {
	struct found_file *files;
	size_t count;
	size_t capacity;
};

static void format_name(uint64_t number, const char *suffix, char ret[NAME_MAX_BYTES])
{
	snprintf(ret, NAME_MAX_BYTES, "%" PRIu64 "%s", number, suffix);
}

/* Returns whether it is the exact name of a file of ours, with the suffix or without. */
static bool parse_name(const char *name, uint64_t *number, bool *is_new)
{
	char again[NAME_MAX_BYTES];
	char *end;

	errno = 0;
	*number = strtoull(name, &end, 10);
	*is_new = *end;
	/* Larger numbers could not be counted up. */
	if (errno || *number >= UINT64_MAX / 2)
		return false;
	format_name(*number, *is_new ? NEW_SUFFIX : "", again);
	return strcmp(name, again) == 0;
}

static int add_file(int directory, const char *name, uint64_t number, struct found_files *found)
{
	struct stat stat;

	if (fstatat(directory, name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (array_grow(found->files, found->count, found->capacity) < 0)
		return -ENOMEM;
	found->files[found->count++] = (struct found_file){number, stat.st_size, stat.st_mtim};
	return 0;
}

static int find_files(
	int directory, struct found_files *found, struct last_good_file_report *report)
{
	CLEANUP(dir_closep) DIR *dir = descriptor_list(directory);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return -errno;
	while (r == 0 && (errno = 0, entry = readdir(dir))) {
		uint64_t number;
		bool is_new;

		if (!parse_name(entry->d_name, &number, &is_new))
			continue;
		if (is_new)
			(void)unlinkat(directory, entry->d_name, 0);
		else
			r = add_file(directory, entry->d_name, number, found);
		report->last = number > report->last ? number : report->last;
	}
	return r ? r : -errno;
}

static int compare_ages(const void *a, const void *b)
{
	const struct found_file *one = a, *other = b;

	if (time_is_later(one->mtime, other->mtime))
		return 1;
	return time_is_later(other->mtime, one->mtime) ? -1 : 0;
}

/* Returns 0; -EBADMSG: it is no regular file, or too large or too short; or another -errno. */
static int read_bytes(int directory, uint64_t number, size_t max, char **ret, size_t *size)
{
	char name[NAME_MAX_BYTES];
	struct stat stat;

	format_name(number, "", name);
	CLEANUP(closep)
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &stat) < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	if (!S_ISREG(stat.st_mode) || stat.st_size <= 0 ||
		(uint64_t)stat.st_size > max + RECORD_MORE)
		return -EBADMSG;
	CLEANUP(bytes_freep) char *data = bytes_new((size_t)stat.st_size);
	if (!data)
		return -ENOMEM;
	for (*size = 0; *size < (size_t)stat.st_size;) {
		ssize_t n = read(fd, data + *size, (size_t)stat.st_size - *size);
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		*size += (size_t)n;
	}
	*ret = take_ptr(data);
	return 0;
}

/* Reads a version. Returns 0; -EBADMSG: it is damaged; -EPROTONOSUPPORT: another version of plyfs
 * wrote it; or another -errno. */
static int read_file(
	int directory, uint64_t number, size_t max, char **path, struct version **version)
{
	CLEANUP(record_freep) struct record *record = NULL;
	CLEANUP(version_unrefp) struct version *taken = NULL;
	char *data = NULL;
	size_t size = 0;

	int r = read_bytes(directory, number, max, &data, &size);
	if (r == 0)
		r = record_read(FORMAT, data, size, -1, &record);
	if (r < 0)
		return r;
	CLEANUP(freep) char *name = record_get_text(record);
	taken = version_take(record);
	/* The store has only bytes. */
	if (!name || !taken || taken->kind != VERSION_BYTES)
		record_spoil(record);
	r = record_end(record);
	if (r < 0)
		return r;
	*path = take_ptr(name);
	*version = take_ptr(taken);
	return 0;
}

int last_good_file_load(int directory, size_t max,
	void (*each)(void *context, uint64_t number, const char *path, struct version *version),
	void *context, struct last_good_file_report *ret)
{
	struct found_files found = {0};
	struct version *version = NULL;
	size_t first, sum = 0;

	*ret = (struct last_good_file_report){0};
	int r = find_files(directory, &found, ret);
	if (found.count)
		qsort(found.files, found.count, sizeof(*found.files), compare_ages);
	for (first = found.count; first > 0; first--) {
		size_t size = (size_t)found.files[first - 1].size;

		/* A file that is too large alone is damaged. */
		sum += size <= max + RECORD_MORE ? size : 0;
		if (sum > max + RECORD_MORE)
			break;
	}
	for (size_t i = 0; r == 0 && i < found.count; i++) {
		CLEANUP(freep) char *path = NULL;
		uint64_t number = found.files[i].number;

		int is_bad = i < first ? 0 : read_file(directory, number, max, &path, &version);
		if (layer_is_shortage(is_bad))
			r = is_bad;
		else if (i < first || is_bad)
			(void)last_good_file_remove(directory, number);
		else
			each(context, number, path, version);
		ret->damaged += is_bad && !r;
	}
	free(found.files);
	return r;
}

int last_good_file_make(const char *path, const struct version *version)
{
	CLEANUP(record_freep) struct record *record = NULL;
	int r = record_new(FORMAT, &record);

	if (r < 0)
		return r;
	record_put_text(record, path);
	version_put(record, version);
	return record_file(record);
}

int last_good_file_write(int directory, uint64_t number, int source)
{
	char name[NAME_MAX_BYTES];

	format_name(number, NEW_SUFFIX, name);
	CLEANUP(closep)
	int fd = openat(
		directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : text_copy(source, fd);
}

int last_good_file_sync(int directory)
{
	return syncfs(directory) < 0 ? -errno : 0;
}

int last_good_file_rename(int directory, uint64_t number)
{
	char from[NAME_MAX_BYTES], to[NAME_MAX_BYTES];

	format_name(number, NEW_SUFFIX, from);
	format_name(number, "", to);
	return renameat(directory, from, directory, to) < 0 && errno != ENOENT ? -errno : 0;
}

int last_good_file_remove(int directory, uint64_t number)
{
	static const char *const suffixes[] = {NEW_SUFFIX, ""};
	char name[NAME_MAX_BYTES];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		format_name(number, suffixes[i], name);
		if (unlinkat(directory, name, 0) < 0 && errno != ENOENT)
			return -errno;
	}
	return 0;
}
