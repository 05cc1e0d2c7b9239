#include "mountpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "layer.h"
#include "mount_table.h"
#include "path.h"
#include "probe.h"
#include "text.h"

/* Exit status of a child whose exec(3) failed, as in shells. */
#define NO_PROGRAM 127

struct search {
	const char *path;
	struct table_mount found; /* its id is 0 until there is one */
};

/* Takes each mount at the path, so the last one remains: it is on top. */
static bool match_path(void *context, const struct table_mount *mount)
{
	struct search *search = context;

	if (strcmp(mount->path, search->path) == 0)
		search->found = *mount;
	return false;
}

static bool has_found_plyfs(const struct search *search)
{
	return strcmp(search->found.type, "fuse.plyfs") == 0;
}

/* The kernel reuses ids. */
static bool match_dev(void *context, const struct table_mount *mount)
{
	const struct mountpoint *wanted = context;

	return mount->dev == wanted->dev && (!wanted->id || mount->id == wanted->id);
}

bool mountpoint_is_mounted(int mounts_fd, int mount_id, dev_t dev)
{
	struct mountpoint wanted = {.id = mount_id, .dev = dev};

	return mount_table_each(mounts_fd, match_dev, &wanted) != 0;
}

/* The mounts of one superblock, and whether another mount covers the path. */
struct cover_search {
	dev_t dev;
	const char *path; /* in the superblock */
	struct table_mount **mounts;
	size_t count;
	size_t capacity;
};

/* Stops if memory is short. */
static bool gather_mount(void *context, const struct table_mount *mount)
{
	struct cover_search *search = context;

	if (mount->dev != search->dev)
		return false;
	struct table_mount *copy = malloc(sizeof(*copy));
	if (!copy || array_grow(search->mounts, search->count, search->capacity) < 0) {
		free(copy);
		return true;
	}
	*copy = *mount;
	search->mounts[search->count++] = copy;
	return false;
}

/* Returns "/b" for "/a" and "/a/b"; NULL: `path` is not below `above`. */
static const char *path_beneath(const char *above, const char *path)
{
	size_t length = strcmp(above, "/") == 0 ? 0 : strlen(above);

	return strncmp(path, above, length) == 0 && path[length] == '/' ? path + length : NULL;
}

static bool match_cover(void *context, const struct table_mount *mount)
{
	const struct cover_search *search = context;

	for (size_t i = 0; i < search->count; i++) {
		const struct table_mount *below = search->mounts[i];
		char path[2 * PATH_MAX];
		const char *rest = path_beneath(below->path, mount->path);

		if (mount->parent != below->id || !rest)
			continue;
		snprintf(path, sizeof(path), "%s%s",
			strcmp(below->root, "/") == 0 ? "" : below->root, rest);
		if (strcmp(path + 1, search->path) == 0 || path_beneath(search->path, path + 1))
			return true;
	}
	return false;
}

bool mountpoint_is_covered(int mounts_fd, dev_t dev, const char *path)
{
	struct cover_search search = {.dev = dev, .path = path};

	/* A covering mount may be listed before the mount below it, if that was moved. */
	int r = mount_table_each(mounts_fd, gather_mount, &search);
	if (r == 0)
		r = mount_table_each(mounts_fd, match_cover, &search);
	for (size_t i = 0; i < search.count; i++)
		free(search.mounts[i]);
	free(search.mounts);
	return r != 0;
}

/* Resolves the path's directory. A dead mount itself can't be examined. */
static int resolve(const char *path, char **ret)
{
	CLEANUP(freep) char *copy = strdup(path), *parent = NULL;

	if (!copy)
		return -ENOMEM;
	size_t length = strlen(copy);
	while (length > 1 && copy[length - 1] == '/')
		copy[--length] = '\0';
	char *slash = strrchr(copy, '/');
	const char *name = slash ? slash + 1 : copy;
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return probe_real_path(PROBE_MS, path, ret);
	if (slash)
		*slash = '\0';
	int r = probe_real_path(PROBE_MS, !slash ? "." : slash == copy ? "/" : copy, &parent);
	if (r < 0)
		return r;
	return text_format(ret, "%s/%s", strcmp(parent, "/") == 0 ? "" : parent, name);
}

static int run_fusermount(const char *path, bool is_lazy)
{
	int status;

	/* fusermount3 needs /etc/mtab, and its exit status does not say if that is missing. */
	if (access("/etc/mtab", R_OK) < 0)
		return -ENXIO;
	pid_t pid = fork();
	if (pid == 0) {
		execlp("fusermount3", "fusermount3", is_lazy ? "-uqz" : "-uq", "--", path,
			(char *)NULL);
		_exit(NO_PROGRAM);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -errno;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM)
		return -ENOENT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EPERM;
}

static int clear_dead(const char *path, struct problem *problem)
{
	if (umount2(path, MNT_DETACH) == 0 || run_fusermount(path, true) == 0)
		return 0;
	return problem_set(problem, path, 0, 0,
		"a dead mount is in the way and can't be removed; unmount it as the user who "
		"mounted it: fusermount3 -uz %s",
		path);
}

/*
 * The directories of the system: for programs, their settings, their data, and the kernel's own. A
 * plyfs is read-only and hides everything beneath it. If it were mounted over one of these, users
 * could not log in, and programs could not start or write logs. A directory inside them, such as
 * /etc/app, is allowed.
 */
static const char *const system_places[] = {"/", "/bin", "/boot", "/dev", "/dev/pts", "/dev/shm",
	"/etc", "/home", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/root", "/run", "/sbin",
	"/sys", "/tmp", "/usr", "/usr/bin", "/usr/lib", "/usr/sbin", "/usr/share", "/var",
	"/var/lib", "/var/log", "/var/tmp"};

static bool is_directory(const char *path, const struct stat *directory)
{
	struct stat found;

	return stat(path, &found) == 0 && found.st_dev == directory->st_dev &&
	       found.st_ino == directory->st_ino;
}

/* Stops at one of our libraries below the directory: without it, no program starts. */
static int match_library(struct dl_phdr_info *library, size_t size, void *directory)
{
	char path[PATH_MAX];

	(void)size;
	if (!realpath(library->dlpi_name, path))
		return 0;
	for (char *slash; (slash = strrchr(path, '/')) && slash != path;) {
		*slash = '\0';
		if (is_directory(path, directory))
			return 1;
	}
	return 0;
}

/*
 * Returns the system place that `path` is; NULL: none. Compares inodes, as `path` may be another
 * name of the place, by a link or a bind mount. Directories of libraries and the kernel's file
 * systems count as well.
 */
static const char *system_place(const char *path, const struct stat *directory)
{
	for (size_t i = 0; i < sizeof(system_places) / sizeof(*system_places); i++)
		if (is_directory(system_places[i], directory))
			return system_places[i];
	if (dl_iterate_phdr(match_library, (void *)(uintptr_t)directory))
		return path;
	CLEANUP(closep) int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 && layer_is_kernels_own(fd) ? path : NULL;
}

/* Runs in a child. Writes a directory's path without links, a NUL and the system place that it is.
 * Writes nothing for another object. */
static int ask(void *context, int out)
{
	const char *path = context;
	struct statfs fs;
	struct stat found;
	char real[PATH_MAX];

	/* statfs(2) before stat(2): the kernel may answer stat(2) from its cache of a dead mount.
	 * ECONNABORTED: the mount died during the call. */
	if (statfs(path, &fs) < 0)
		return errno == ECONNABORTED ? -ENOTCONN : -errno;
	if (stat(path, &found) < 0 || !realpath(path, real))
		return -errno;
	if (!S_ISDIR(found.st_mode))
		return 0;
	const char *place = system_place(real, &found);
	int r = text_write(out, real, strlen(real) + 1);
	return r == 0 && place ? text_write(out, place, strlen(place)) : r;
}

struct making {
	char *path;
	mode_t mode;
};

static int make(void *context, int out)
{
	const struct making *making = context;
	char *made = making->path;
	int r = 0;

	(void)out;
	for (char *at = made; r == 0 && *at;) {
		at += strspn(at, "/");
		at += strcspn(at, "/");
		char rest = *at;
		*at = '\0';
		if (mkdir(made, making->mode) < 0 && errno != EEXIST)
			r = -errno;
		*at = rest;
	}
	return r;
}

int mountpoint_make(const char *path, unsigned mode)
{
	CLEANUP(freep) char *made = strdup(path);
	struct making making = {made, mode};

	return made ? probe_run(PROBE_MS, make, &making, NULL, NULL) : -ENOMEM;
}

/* Returns whether the paths are the same, or one of them lies below the other. */
static bool are_in_line(const char *a, const char *b)
{
	return path_within(a, b) || path_within(b, a);
}

bool mountpoint_is_for_programs(const char *path)
{
	static const char *const places[] = {"/bin", "/dev", "/etc/ld.so.cache", "/etc/plyfs",
		"/etc/systemd", "/lib", "/lib32", "/lib64", "/proc", "/run/systemd", "/sbin",
		"/sys", "/usr"};
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (are_in_line(path, places[i]))
			return true;
	program[length < 0 ? 0 : length] = '\0';
	return are_in_line(path, program);
}

static int refuse(const char *path, int result, struct problem *problem)
{
	switch (-result) {
	case ETIMEDOUT:
		return problem_set(problem, path, 0, 0,
			"the file system that is mounted there does not answer; unmount it: umount "
			"-f %s",
			path);
	case ENOENT:
		return problem_set(problem, path, 0, 0,
			"the mountpoint does not exist; create it: mkdir -p %s", path);
	case ENOMEM:
		return result;
	}
	return problem_set(
		problem, path, 0, 0, "the mountpoint can't be used: %s", text_error(result));
}

/* Examines the path in a child. If a dead mount is there, unmounts it first. */
static int ask_and_clear(const char *path, char **ret, size_t *len, struct problem *problem)
{
	int r = probe_run(PROBE_MS, ask, (void *)(uintptr_t)path, ret, len);

	if (r == -ENOTCONN) {
		CLEANUP(freep) char *dead = NULL;
		(void)resolve(path, &dead);
		r = clear_dead(dead ? dead : path, problem);
		if (r == 0)
			r = probe_run(PROBE_MS, ask, (void *)(uintptr_t)path, ret, len);
	}
	return r < 0 ? refuse(path, r, problem) : r;
}

int mountpoint_prepare(const char *path, bool may_be_system, char **ret, struct problem *problem)
{
	CLEANUP(freep) char *absolute = NULL;
	size_t len = 0;

	int r = ask_and_clear(path, &absolute, &len, problem);
	if (r != 0)
		return r;
	if (len == 0)
		return problem_set(
			problem, path, 0, 0, "the mountpoint is not a directory; name one");
	const char *place = absolute + strlen(absolute) + 1;
	if (*place && !may_be_system)
		return problem_set(problem, path, 0, 0,
			"is the system's own %s: a plyfs is read-only, and would hide all that is "
			"in it from every program; mount on a directory of its own, or give -o "
			"over_system",
			place);
	struct search search = {.path = absolute};
	r = mount_table_each(-1, match_path, &search);
	if (r < 0)
		return r;
	if (has_found_plyfs(&search))
		return problem_set(problem, path, 0, 0,
			"the mountpoint is busy: plyfs is mounted there; unmount it first: umount "
			"%s",
			path);
	*ret = take_ptr(absolute);
	return 0;
}

int mountpoint_take(const char *path, struct mountpoint *ret)
{
	CLEANUP(freep) char *resolved = strdup(path);
	struct search search = {0};
	int r = resolved ? 0 : -ENOMEM;

	/* Try the path as it is, then with the links of its directory resolved, then with all links
	 * resolved. A mount that does not answer can't be examined. */
	for (int try = 0; r == 0 && !search.found.id && try < 3; try++) {
		if (try > 0) {
			free(take_ptr(resolved));
			r = try == 1 ? resolve(path, &resolved)
				     : probe_real_path(PROBE_MS, path, &resolved);
		}
		search.path = resolved;
		if (r == 0)
			r = mount_table_each(-1, match_path, &search);
	}
	if (r < 0)
		return r;
	if (!has_found_plyfs(&search))
		return -ENOENT;
	*ret = (struct mountpoint){.path = take_ptr(resolved),
		.id = search.found.id,
		.dev = search.found.dev,
		.uid = search.found.uid,
		.gid = search.found.gid};
	return 0;
}

static int ask_for_size(void *context, int out)
{
	struct statfs fs;

	(void)out;
	return statfs(context, &fs) < 0 ? -errno : 0;
}

bool mountpoint_answers(const char *path)
{
	return probe_run(PROBE_OTHERS_MS, ask_for_size, (void *)(uintptr_t)path, NULL, NULL) == 0;
}

int mountpoint_end(const char *path, int flags)
{
	if (umount2(path, flags | UMOUNT_NOFOLLOW) == 0)
		return 0;
	return errno == EPERM ? run_fusermount(path, flags & MNT_DETACH) : -errno;
}
