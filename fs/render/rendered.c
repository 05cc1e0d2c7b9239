#include "rendered.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "layer.h"
#include "text.h"
#include "view.h"

#define STAGE_NAME "stage"

#define COPY_BYTES (1u << 16)

struct rendered {
	struct rendered_options options;
	struct layer *place; /* a directory that is never left */
	struct manifest *manifest;
	int stage_fd;
	int own_fd; /* locked */
	uint64_t staged;
};

static int is_empty_but_own(void *context, const char *name, unsigned char type)
{
	(void)context;
	(void)type;
	return strcmp(name, PLYFS_NAME) == 0 ? 0 : 1;
}

static int make_directory(int at, const char *name, mode_t mode, int *ret)
{
	if (mkdirat(at, name, mode) < 0 && errno != EEXIST)
		return -errno;
	*ret = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *ret < 0 ? -errno : 0;
}

/* What was staged when somebody was killed. */
static int clear_stage(int fd)
{
	CLEANUP(closep) int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!dir)
		return -errno;
	copy = -1;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(fd, entry->d_name, 0);
	closedir(dir);
	return 0;
}

static int open_own(struct rendered *rendered, struct problem *problem)
{
	const char *name = rendered->options.directory;
	static const char *const nothing[] = {NULL};
	bool is_empty;

	if (mkdir(name, 0755) < 0 && errno != EEXIST)
		return -errno;
	int r = layer_open("", name, 0, false, false, &rendered->place);
	if (r < 0)
		return r;
	layer_exclude(rendered->place, nothing);
	r = layer_list(rendered->place, "", is_empty_but_own, NULL);
	if (r < 0)
		return r;
	is_empty = r == 0;
	if (!is_empty && faccessat(rendered->place->dirfd, PLYFS_NAME "/manifest", F_OK,
				 AT_SYMLINK_NOFOLLOW) < 0)
		return problem_set(problem, name, 0, 0,
			"is not empty, and was not rendered by plyfs; give an empty directory");
	r = make_directory(rendered->place->dirfd, PLYFS_NAME, 0700, &rendered->own_fd);
	if (r < 0)
		return r;
	if (flock(rendered->own_fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return problem_set(
			problem, name, 0, 0, "is being rendered by another plyfs already");
	r = make_directory(rendered->own_fd, STAGE_NAME, 0700, &rendered->stage_fd);
	if (r == 0)
		r = clear_stage(rendered->stage_fd);
	if (r == 0)
		r = manifest_open(rendered->own_fd, &rendered->manifest);
	if (r == -EBADMSG)
		return problem_set(problem, name, 0, 0,
			"has a manifest that this plyfs can't read; remove the directory");
	return r;
}

int rendered_open(
	const struct rendered_options *options, struct rendered **ret, struct problem *problem)
{
	struct rendered *rendered = calloc(1, sizeof(*rendered));

	if (!rendered)
		return -ENOMEM;
	rendered->options = *options;
	rendered->stage_fd = rendered->own_fd = -1;
	int r = open_own(rendered, problem);
	if (r == 0)
		*ret = rendered;
	else
		rendered_free(rendered);
	return r;
}

void rendered_free(struct rendered *rendered)
{
	if (!rendered)
		return;
	manifest_free(rendered->manifest);
	closep(&rendered->stage_fd);
	closep(&rendered->own_fd);
	layer_free(rendered->place);
	free(rendered);
}

struct manifest *rendered_manifest(struct rendered *rendered)
{
	return rendered->manifest;
}

/* Nobody may read it who may not read the version, whoever it can be given to. */
static int dress(int fd, const struct stat *like, mode_t more)
{
	mode_t mode = (like->st_mode & 07777) | more;
	struct stat own;

	if (fstat(fd, &own) < 0)
		return -errno;
	if (own.st_uid != like->st_uid || own.st_gid != like->st_gid) {
		if (fchown(fd, like->st_uid, like->st_gid) == 0) {
			own.st_uid = like->st_uid;
			own.st_gid = like->st_gid;
		} else if (errno != EPERM) {
			return -errno;
		}
	}
	if (own.st_gid != like->st_gid)
		mode &= ~(mode_t)0070;
	if ((own.st_mode & 07777) == mode)
		return 0;
	return fchmod(fd, mode) < 0 ? -errno : 0;
}

static int copy_bytes(int fd, const struct version *version)
{
	char buffer[COPY_BYTES];
	off_t offset = 0;
	ssize_t n;
	int r = 0;

	if (version->kind == VERSION_BYTES)
		return text_write(fd, version->data, version->size);
	while (r == 0 && (n = version_read(version, buffer, sizeof(buffer), offset)) != 0) {
		r = n < 0 ? (int)n : text_write(fd, buffer, (size_t)n);
		offset += n;
	}
	return r;
}

/* Whether the open file has just the version's bytes. */
static bool has_bytes(int fd, const struct version *version)
{
	char own[COPY_BYTES], wanted[COPY_BYTES];
	off_t offset = 0;
	struct stat stat;

	if (fstat(fd, &stat) < 0 || (uint64_t)stat.st_size != version->size)
		return false;
	while ((uint64_t)offset < version->size) {
		ssize_t n = version_read(version, wanted, sizeof(wanted), offset);

		if (n <= 0 || pread(fd, own, (size_t)n, offset) != n ||
			memcmp(own, wanted, (size_t)n) != 0)
			return false;
		offset += n;
	}
	return true;
}

static bool has_target(int parent, const char *name, const struct version *version)
{
	char target[COPY_BYTES];
	ssize_t n = readlinkat(parent, name, target, sizeof(target));

	return n >= 0 && (uint64_t)n == version->size &&
	       memcmp(target, version->data, version->size) == 0;
}

/* Whether what stands there is the version already; its attributes are put right then. */
static bool is_there(int parent, const char *name, const struct version *version)
{
	struct stat stat;

	if (version->kind == VERSION_LINK)
		return has_target(parent, name, version);
	CLEANUP(closep)
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || !has_bytes(fd, version))
		return false;
	version_stat(version, &stat);
	return dress(fd, &stat, 0) == 0;
}

/* Makes it in the stage. 0 with the name, or -errno. */
static int stage(struct rendered *rendered, const struct version *version, char *ret, size_t size)
{
	struct stat stat;

	snprintf(ret, size, "new-%" PRIu64, ++rendered->staged);
	if (version->kind == VERSION_LINK) {
		int r = symlinkat(version->data, rendered->stage_fd, ret);
		return r < 0 ? -errno : 0;
	}
	version_stat(version, &stat);
	CLEANUP(closep)
	int fd = openat(rendered->stage_fd, ret,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : copy_bytes(fd, version);
	if (r == 0)
		r = dress(fd, &stat, 0);
	if (r == 0 && futimens(fd, (struct timespec[]){stat.st_mtim, stat.st_mtim}) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(rendered->stage_fd, ret, 0);
	return r;
}

static int refuse_foreign(const char *path, struct problem *problem)
{
	return problem_set(problem, path, 0, 0,
		"stands in the way and is not plyfs'; move it away, or adopt it if its bytes are "
		"right (--adopt)");
}

/* What stands at the name: it may be replaced if it is ours. 0, PROBLEM or -errno. */
static int make_way(struct rendered *rendered, const char *path, int parent, const char *name,
	bool for_directory, struct problem *problem)
{
	struct stat stat;

	if (fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!manifest_find(rendered->manifest, path))
		return for_directory && S_ISDIR(stat.st_mode) && rendered->options.adopts
			       ? 0
			       : refuse_foreign(path, problem);
	if (S_ISDIR(stat.st_mode) != for_directory)
		return rendered_remove(rendered, path, problem);
	return 0;
}

int rendered_put(struct rendered *rendered, const char *path, const struct version *version,
	struct owned **ret, struct problem *problem)
{
	struct owned *owned = manifest_find(rendered->manifest, path), *unused;
	char staged[32];
	const char *name;

	if (!ret)
		ret = &unused;
	if (version->kind == VERSION_BROKEN)
		return -EIO;
	CLEANUP(closep) int parent = layer_open_parent(rendered->place, path, &name);
	if (parent < 0)
		return parent;
	if ((owned || rendered->options.adopts) && is_there(parent, name, version))
		return manifest_add(rendered->manifest, path, false, ret);
	int r = make_way(rendered, path, parent, name, false, problem);
	if (r == 0)
		r = stage(rendered, version, staged, sizeof(staged));
	if (r != 0)
		return r;
	r = manifest_add(rendered->manifest, path, false, ret);
	if (r == 0 && renameat(rendered->stage_fd, staged, parent, name) == 0) {
		(*ret)->is_changed = true;
		return 0;
	}
	if (r == 0)
		r = -errno;
	unlinkat(rendered->stage_fd, staged, 0);
	return r;
}

int rendered_put_directory(struct rendered *rendered, const char *path, const struct stat *stat,
	struct owned **ret, struct problem *problem)
{
	/* Who is not root could put nothing into a directory without it. */
	mode_t more = geteuid() == 0 ? 0 : 0200;
	struct owned *unused;
	const char *name;

	if (!ret)
		ret = &unused;
	CLEANUP(closep) int parent = layer_open_parent(rendered->place, path, &name);
	if (parent < 0)
		return parent;
	int r = make_way(rendered, path, parent, name, true, problem);
	if (r == 0)
		r = manifest_add(rendered->manifest, path, true, ret);
	if (r == 0 && mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
		r = -errno;
	if (r != 0)
		return r;
	CLEANUP(closep)
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : dress(fd, stat, more);
}

/* Whatever somebody has put in the place of what was ours. */
static int unlink_any(int parent, const char *name, bool is_directory)
{
	if (unlinkat(parent, name, is_directory ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT)
		return 0;
	if (errno == ENOTDIR || errno == EISDIR)
		return unlinkat(parent, name, is_directory ? 0 : AT_REMOVEDIR) == 0 ? 0 : -errno;
	return -errno;
}

static int remove_owned(struct rendered *rendered, struct owned *owned)
{
	const char *name;
	CLEANUP(closep) int parent = layer_open_parent(rendered->place, owned->path, &name);

	if (parent < 0 && parent != -ENOENT && parent != -ENOTDIR)
		return parent;
	int r = parent < 0 ? 0 : unlink_any(parent, name, owned->is_directory);
	if (r < 0)
		return r;
	return manifest_drop(rendered->manifest, owned);
}

/* All of ours below the directory, the deepest first; it itself last. */
static int remove_tree(struct rendered *rendered, const char *path)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int r = manifest_list(rendered->manifest, path, &all, &count);

	for (size_t i = count; r == 0 && i-- > 0;)
		r = remove_owned(rendered, all[i]);
	return r;
}

int rendered_remove(struct rendered *rendered, const char *path, struct problem *problem)
{
	struct owned *owned = manifest_find(rendered->manifest, path);
	CLEANUP(freep) char *copy = strdup(path); /* it may be the manifest's */
	int r;

	if (!owned || !copy)
		return owned ? -ENOMEM : 0;
	r = owned->is_directory ? remove_tree(rendered, copy) : remove_owned(rendered, owned);
	if (r == -ENOTEMPTY || r == -EEXIST)
		return problem_set(problem, copy, 0, 0,
			"can't be removed: something in it is not plyfs'; move it away");
	return r;
}
