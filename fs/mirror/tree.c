#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "text.h"

/* All users may enter the directories of a tree; the files' modes decide about reading. */
#define DIRECTORY_MODE 0755

static const char *refuse_part(struct span part)
{
	if (!part.len)
		return "has a part with no name; two slashes in a row, or one at its end, make no "
		       "file";
	if (span_is(part, ".") || span_is(part, ".."))
		return "has a part that is . or .., which would lead elsewhere; rename it";
	if (part.len > NAME_MAX)
		return "has a part of more than 255 bytes, which no file may have; shorten it";
	if (memchr(part.data, '\0', part.len))
		return "has a NUL byte in it, which no file may have; rename it";
	return NULL;
}

const char *tree_path_refuse(struct span path)
{
	const char *why = NULL;
	unsigned depth = 0;

	if (!path.len)
		return "is the prefix itself; a file needs a name behind it";
	if (path.len > TREE_PATH_MAX)
		return "is longer than 3500 bytes, which no path may be; shorten it";
	for (bool is_last = false; !is_last && !why; depth++) {
		const char *slash = memchr(path.data, '/', path.len);
		size_t len = slash ? (size_t)(slash - path.data) : path.len;

		why = refuse_part((struct span){path.data, len});
		is_last = !slash;
		path.data += len + !is_last;
		path.len -= len + !is_last;
	}
	if (!why && depth > TREE_DEPTH_MAX)
		why = "lies in more than 100 directories; shorten it";
	return why;
}

static int for_each(int fd, int (*each)(void *context, int fd, const char *name, bool is_directory),
	void *context)
{
	CLEANUP(dir_closep) DIR *directory = descriptor_list(fd);
	struct dirent *entry;
	int r = 0;

	if (!directory)
		return -errno;
	while (r == 0 && (errno = 0, entry = readdir(directory))) {
		struct stat stat;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		bool is_directory = entry->d_type == DT_DIR;
		if (entry->d_type == DT_UNKNOWN)
			is_directory =
				fstatat(fd, entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
				S_ISDIR(stat.st_mode);
		r = each(context, fd, entry->d_name, is_directory);
	}
	return r ? r : -errno;
}

static int remove_one(void *context, int fd, const char *name, bool is_directory)
{
	(void)context;
	if (is_directory)
		return tree_remove(fd, name);
	return unlinkat(fd, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

int tree_remove(int fd, const char *name)
{
	CLEANUP(closep) int inner = descriptor_open_directory(fd, name);

	if (inner == -ENOENT)
		return 0;
	if (inner == -ENOTDIR || inner == -ELOOP)
		return unlinkat(fd, name, 0) < 0 ? -errno : 0;
	int r = inner < 0 ? inner : for_each(inner, remove_one, NULL);
	if (r == 0 && unlinkat(fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		r = -errno;
	return r;
}

static int link_one(void *context, int fd, const char *name, bool is_directory)
{
	int to = *(int *)context;

	if (!is_directory)
		return linkat(fd, name, to, name, 0) < 0 ? -errno : 0;
	if (mkdirat(to, name, DIRECTORY_MODE) < 0)
		return -errno;
	CLEANUP(closep) int inner = descriptor_open_directory(fd, name);
	CLEANUP(closep) int made = descriptor_open_directory(to, name);
	return inner < 0 ? inner : made < 0 ? made : tree_link(inner, made);
}

int tree_link(int from, int to)
{
	return for_each(from, link_one, &to);
}

/* Makes the directory, in place of a file (*is_clash). Returns a descriptor or -errno. */
static int make_directory(int fd, const char *name, bool *is_clash)
{
	struct stat stat;

	*is_clash = false;
	if (mkdirat(fd, name, DIRECTORY_MODE) < 0) {
		if (errno != EEXIST)
			return -errno;
		if (fstatat(fd, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(stat.st_mode)) {
			*is_clash = true;
			if (unlinkat(fd, name, 0) < 0 || mkdirat(fd, name, DIRECTORY_MODE) < 0)
				return -errno;
		}
	}
	/* The umask must not matter. */
	int made = descriptor_open_directory(fd, name);
	if (made >= 0)
		(void)fchmod(made, DIRECTORY_MODE);
	return made;
}

int tree_link_file(int from, int to, const char *path)
{
	const char *name;
	struct stat stat;
	size_t clash;

	int r = tree_stat(from, path, &stat);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	CLEANUP(closep) int old = tree_open_parent(from, path, &name, NULL);
	CLEANUP(closep) int new = tree_open_parent(to, path, &name, &clash);
	if (old < 0 || new < 0)
		return old < 0 ? old : new;
	return linkat(old, name, new, name, 0) < 0 ? -errno : 0;
}

static int move_one(void *context, int fd, const char *name, bool is_directory)
{
	(void)is_directory;
	return renameat(fd, name, *(int *)context, name) < 0 ? -errno : 0;
}

int tree_renew(int fd, const char *path, int stage_fd, const char *name)
{
	const char *last;
	bool is_clash;
	CLEANUP(closep) int parent = tree_open_parent(fd, path, &last, NULL);
	CLEANUP(closep) int old = parent < 0 ? parent : descriptor_open_directory(parent, last);

	if (old < 0)
		return old == -ELOOP ? -ENOTDIR : old;
	CLEANUP(closep) int new = make_directory(stage_fd, name, &is_clash);
	if (new < 0)
		return new;
	int r = for_each(old, move_one, &new);
	/* The old directory is empty now. */
	return r == 0 && renameat(stage_fd, name, parent, last) < 0 ? -errno : r;
}

int tree_stat(int fd, const char *path, struct stat *ret)
{
	const char *name;
	CLEANUP(closep) int parent = tree_open_parent(fd, path, &name, NULL);

	if (parent < 0)
		return parent == -ENOTDIR ? -ENOENT : parent;
	if (fstatat(parent, name, ret, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return S_ISDIR(ret->st_mode) ? -ENOENT : 0;
}

bool tree_is_same(const struct stat *one, const struct stat *other)
{
	return one->st_ino == other->st_ino && one->st_dev == other->st_dev;
}

struct tree_comparison {
	int other; /* the directory of the first tree; -1: it does not exist */
	struct tree_difference *difference;
};

/* Compares a name of the second tree. */
static int compare_new(void *context, int fd, const char *name, bool is_directory)
{
	const struct tree_comparison *comparison = context;
	struct tree_difference *difference = comparison->difference;
	struct stat old, new;

	if (is_directory) {
		CLEANUP(closep) int inner = descriptor_open_directory(fd, name);
		CLEANUP(closep)
		int other = comparison->other < 0
				    ? -1
				    : descriptor_open_directory(comparison->other, name);
		struct tree_comparison below = {other, difference};
		return inner < 0 ? inner : for_each(inner, compare_new, &below);
	}
	if (fstatat(fd, name, &new, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	difference->count++;
	if (comparison->other < 0 ||
		fstatat(comparison->other, name, &old, AT_SYMLINK_NOFOLLOW) < 0 ||
		S_ISDIR(old.st_mode))
		difference->added++;
	else if (tree_is_same(&old, &new))
		difference->same++;
	else
		difference->changed++;
	return 0;
}

static int count_one(void *context, int fd, const char *name, bool is_directory)
{
	size_t *count = context;

	*count += !is_directory;
	if (!is_directory)
		return 0;
	CLEANUP(closep) int inner = descriptor_open_directory(fd, name);
	return inner < 0 ? inner : for_each(inner, count_one, context);
}

int tree_compare(int from, int to, struct tree_difference *ret)
{
	struct tree_difference difference = {0};
	struct tree_comparison comparison = {from, &difference};
	size_t before = 0;

	int r = from < 0 ? 0 : for_each(from, count_one, &before);
	if (r == 0)
		r = for_each(to, compare_new, &comparison);
	if (r < 0)
		return r;
	difference.removed = before - difference.same - difference.changed;
	*ret = difference;
	return 0;
}

int tree_compare_at(
	int from, int to, const struct path_list *paths, size_t before, struct tree_difference *ret)
{
	struct tree_difference difference = {0};

	for (size_t i = 0; i < paths->count; i++) {
		struct stat old, new;
		int was = tree_stat(from, paths->paths[i], &old);
		int is = tree_stat(to, paths->paths[i], &new);

		if ((was < 0 && was != -ENOENT) || (is < 0 && is != -ENOENT))
			return was < 0 && was != -ENOENT ? was : is;
		difference.added += was < 0 && is == 0;
		difference.removed += was == 0 && is < 0;
		difference.changed += was == 0 && is == 0 && !tree_is_same(&old, &new);
	}
	difference.count = before + difference.added - difference.removed;
	difference.same = before - difference.removed - difference.changed;
	*ret = difference;
	return 0;
}

int tree_open_parent(int fd, const char *path, const char **name, size_t *clash)
{
	CLEANUP(closep) int parent = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	const char *at = path;

	if (parent < 0)
		return -errno;
	if (clash)
		*clash = 0;
	for (const char *slash; (slash = strchr(at, '/')); at = slash + 1) {
		char part[NAME_MAX + 1];
		size_t len = (size_t)(slash - at);
		bool is_clash = false;

		if (len > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(part, at, len);
		part[len] = '\0';
		int inner = descriptor_open_directory(parent, part);
		if (clash && inner < 0)
			inner = make_directory(parent, part, &is_clash);
		if (inner < 0)
			return inner == -ELOOP ? -ENOTDIR : inner;
		if (is_clash)
			*clash = (size_t)(slash - path);
		close(parent);
		parent = inner;
	}
	*name = at;
	return take_fd(&parent);
}

static bool has_mode(const struct stat *stat, mode_t mode)
{
	return S_ISLNK(mode) ? S_ISLNK(stat->st_mode)
			     : S_ISREG(stat->st_mode) && (stat->st_mode & 07777) == mode;
}

static bool link_is(int fd, const char *name, struct span target)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(fd, name, text, sizeof(text));

	return len >= 0 && span_equal(target, (struct span){text, (size_t)len});
}

bool tree_has(int fd, const char *name, struct span bytes, mode_t mode)
{
	CLEANUP(freep) char *text = NULL;
	struct stat stat;
	size_t len;

	if (fstatat(fd, name, &stat, AT_SYMLINK_NOFOLLOW) < 0 || !has_mode(&stat, mode) ||
		(size_t)stat.st_size != bytes.len)
		return false;
	if (S_ISLNK(mode))
		return link_is(fd, name, bytes);
	CLEANUP(closep) int file = descriptor_open_file(fd, name);
	return file >= 0 && text_read(file, bytes.len, &text, &len) == 0 &&
	       span_equal(bytes, (struct span){text, len});
}

static int write_link(int fd, const char *name, struct span target)
{
	char text[PATH_MAX];

	if (target.len >= sizeof(text) || memchr(target.data, '\0', target.len))
		return -ENAMETOOLONG;
	memcpy(text, target.data, target.len);
	text[target.len] = '\0';
	return symlinkat(text, fd, name) < 0 ? -errno : 0;
}

int tree_write(int fd, const char *name, struct span bytes, mode_t mode, bool is_synced)
{
	if (S_ISLNK(mode))
		return write_link(fd, name, bytes);
	CLEANUP(closep)
	int file = openat(fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return -errno;
	int r = text_write(file, bytes.data, bytes.len);
	if (r == 0 && fchmod(file, mode) < 0)
		r = -errno;
	if (r == 0 && is_synced && fdatasync(file) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(fd, name, 0);
	return r;
}

int tree_unlink(int fd, const char *path)
{
	char rest[TREE_PATH_MAX + 1];
	const char *name;
	CLEANUP(closep) int parent = tree_open_parent(fd, path, &name, NULL);

	if (parent == -ENOENT || parent == -ENOTDIR)
		return 0;
	if (parent < 0)
		return parent;
	if (unlinkat(parent, name, 0) < 0)
		return errno == ENOENT || errno == EISDIR ? 0 : -errno;
	snprintf(rest, sizeof(rest), "%s", path);
	for (char *slash; (slash = strrchr(rest, '/')); *slash = '\0') {
		*slash = '\0';
		CLEANUP(closep) int above = tree_open_parent(fd, rest, &name, NULL);
		if (above < 0 || unlinkat(above, name, AT_REMOVEDIR) < 0)
			break;
	}
	return 0;
}
