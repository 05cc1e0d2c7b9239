#include "mountpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"

/* A daemon that is about to end takes this long at most, in seconds, to give its memory back. */
#define ANSWER_S 5

/* A line of mountinfo is shorter up to where its file system's type stands: it has two paths, in
 * which a byte may be four. */
#define LINE_BYTES ((size_t)8 * PATH_MAX + 256)

/* The exit status of a child that could not become another program, as of shells. */
#define NO_PROGRAM 127

struct mount {
	int id;
	int parent; /* the id of the mount that it stands on */
	dev_t dev;
	uid_t uid; /* who mounted; of a FUSE mount */
	gid_t gid;
	char root[PATH_MAX]; /* the directory of the file system that is mounted */
	char path[PATH_MAX];
	char type[64];
};

/* mountinfo writes space, tab, newline and backslash as \ooo. A path that was too long may end
 * within one. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '\\' && strspn(from + 1, "01234567") >= 3) {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
				       (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* Of the file system's options; 0 where it has not that one. */
static unsigned option_number(const char *options, const char *name)
{
	const char *at = strstr(options, name);

	return at ? (unsigned)strtoul(at + strlen(name), NULL, 10) : 0;
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw" */
static bool parse_mount(const char *line, struct mount *mount)
{
	unsigned major_id;
	unsigned minor_id;

	if (sscanf(line, "%d %d %u:%u %4095s %4095s", &mount->id, &mount->parent, &major_id, &minor_id,
		    mount->root, mount->path) != 6)
		return false;
	const char *rest = strstr(line, " - ");
	if (!rest || sscanf(rest + 3, "%63s", mount->type) != 1)
		return false;
	unescape(mount->root);
	unescape(mount->path);
	mount->uid = option_number(rest, "user_id=");
	mount->gid = option_number(rest, "group_id=");
	mount->dev = makedev(major_id, minor_id);
	return true;
}

/* The table of mounts, line by line. It takes no memory and no descriptor, so that none can be
 * short. */
struct table {
	int fd;
	off_t offset; /* behind what was read */
	size_t begin; /* what was read and is no line yet */
	size_t end;
	bool is_rest; /* of a line that was too long */
	char bytes[LINE_BYTES + 1];
};

/* 1 with the next line, the beginning of one that is too long; 0 behind the last; or -errno. */
static int next_line(struct table *table, const char **ret)
{
	for (;;) {
		char *line = table->bytes + table->begin;
		char *end = memchr(line, '\n', table->end - table->begin);
		bool is_rest = table->is_rest;

		if (end || table->end - table->begin == LINE_BYTES) {
			table->is_rest = !end;
			end = end ? end : line + LINE_BYTES;
			*end = '\0';
			table->begin =
				table->is_rest ? table->end : (size_t)(end + 1 - table->bytes);
			*ret = line;
			if (is_rest)
				continue;
			return 1;
		}
		table->end -= table->begin;
		table->begin = 0;
		memmove(table->bytes, line, table->end);
		ssize_t n = pread(table->fd, table->bytes + table->end, LINE_BYTES - table->end,
			table->offset);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return 0;
		table->end += n > 0 ? (size_t)n : 0;
		table->offset += n > 0 ? n : 0;
	}
}

/*
 * Calls `each` for every mount, in mountinfo's order, until it returns true. `mounts_fd` is
 * mountinfo, -1: it is opened. Returns 0 or -errno.
 */
static int each_mount(
	int mounts_fd, bool (*each)(void *context, const struct mount *mount), void *context)
{
	CLEANUP(closep)
	int opened = mounts_fd < 0 ? open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC) : -1;
	struct table table = {.fd = mounts_fd < 0 ? opened : mounts_fd};
	struct mount mount;
	const char *line = NULL;
	int r;

	if (table.fd < 0)
		return -errno;
	while ((r = next_line(&table, &line)) > 0)
		if (parse_mount(line, &mount) && each(context, &mount))
			return 0;
	return r;
}

struct search {
	const char *path;
	int id;
	dev_t dev;
	uid_t uid;
	gid_t gid;
	bool is_found;
	bool is_plyfs;
};

/* The last one is on top. */
static bool match_path(void *context, const struct mount *mount)
{
	struct search *search = context;

	if (strcmp(mount->path, search->path) == 0) {
		search->is_found = true;
		search->id = mount->id;
		search->dev = mount->dev;
		search->uid = mount->uid;
		search->gid = mount->gid;
		search->is_plyfs = strcmp(mount->type, "fuse.plyfs") == 0;
	}
	return false;
}

static bool match_id(void *context, const struct mount *mount)
{
	struct search *search = context;

	search->is_found = mount->id == search->id && mount->dev == search->dev;
	return search->is_found;
}

static bool match_dev(void *context, const struct mount *mount)
{
	struct search *search = context;

	search->is_found = mount->dev == search->dev;
	return search->is_found;
}

int mountpoint_find(const char *path, int *mount_id, dev_t *dev)
{
	struct search search = {.path = path};

	int r = each_mount(-1, match_path, &search);
	if (r < 0)
		return r;
	if (!search.is_found)
		return -ENOENT;
	*mount_id = search.id;
	*dev = search.dev;
	return 0;
}

bool mountpoint_is_mounted(int mounts_fd, int mount_id, dev_t dev)
{
	struct search search = {.id = mount_id, .dev = dev};

	return each_mount(mounts_fd, match_id, &search) < 0 || search.is_found;
}

/* The mounts of one superblock, and what stands on them. */
struct cover_search {
	dev_t dev;
	const char *path; /* in the superblock */
	struct mount **mounts;
	size_t count;
	size_t capacity;
	bool is_found; /* or it can't be told */
};

static bool gather_mount(void *context, const struct mount *mount)
{
	struct cover_search *search = context;

	if (mount->dev != search->dev)
		return false;
	struct mount *copy = malloc(sizeof(*copy));
	if (!copy || array_grow(search->mounts, search->count, search->capacity) < 0) {
		free(copy);
		search->is_found = true;
		return true;
	}
	*copy = *mount;
	search->mounts[search->count++] = copy;
	return false;
}

/* "/a" and "/a/b": "/b"; NULL where it is not beneath. */
static const char *path_beneath(const char *above, const char *path)
{
	size_t length = strcmp(above, "/") == 0 ? 0 : strlen(above);

	return strncmp(path, above, length) == 0 && path[length] == '/' ? path + length : NULL;
}

static bool match_cover(void *context, const struct mount *mount)
{
	struct cover_search *search = context;

	for (size_t i = 0; i < search->count; i++) {
		const struct mount *below = search->mounts[i];
		char path[2 * PATH_MAX];
		const char *rest = path_beneath(below->path, mount->path);

		if (mount->parent != below->id || !rest)
			continue;
		snprintf(path, sizeof(path), "%s%s", strcmp(below->root, "/") == 0 ? "" : below->root, rest);
		search->is_found |= strcmp(path + 1, search->path) == 0 ||
				    path_beneath(search->path, path + 1);
	}
	return search->is_found;
}

bool mountpoint_is_covered(int mounts_fd, dev_t dev, const char *path)
{
	struct cover_search search = {.dev = dev, .path = path};

	/* What stands on a mount that was moved may be listed before it. */
	int r = each_mount(mounts_fd, gather_mount, &search);
	if (r == 0 && !search.is_found)
		r = each_mount(mounts_fd, match_cover, &search);
	for (size_t i = 0; i < search.count; i++)
		free(search.mounts[i]);
	free(search.mounts);
	return r < 0 || search.is_found;
}

/* The path of a dead mount can't be looked at itself, but the directory that it is in can. */
static char *resolve(const char *path)
{
	CLEANUP(freep) char *copy = strdup(path);
	char parent[PATH_MAX];
	char *resolved;

	if (!copy)
		return NULL;
	size_t length = strlen(copy);
	while (length > 1 && copy[length - 1] == '/')
		copy[--length] = '\0';
	char *slash = strrchr(copy, '/');
	const char *name = slash ? slash + 1 : copy;
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return realpath(path, NULL);
	if (slash)
		*slash = '\0';
	if (!realpath(!slash ? "." : slash == copy ? "/" : copy, parent))
		return NULL;
	if (asprintf(&resolved, "%s/%s", strcmp(parent, "/") == 0 ? "" : parent, name) < 0)
		return NULL;
	return resolved;
}

static int run_fusermount(const char *path, bool is_lazy)
{
	int status;

	/* It looks there for the mount, and fails the same way whatever it misses. */
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
		"a dead mount is in the way and can't be taken away; unmount it as the user who "
		"mounted it: fusermount3 -uz %s",
		path);
}

/*
 * What is mounted at `path` is asked, by a child: where the daemon is about to end, the answer
 * comes when it has, but where it is stopped never. Returns 0, -ENOTCONN for a dead mount,
 * -ETIMEDOUT, or another -errno.
 */
static int ask(const char *path)
{
	struct statfs stat;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(ANSWER_S);
		/* Not stat(2): the kernel may answer that from what it cached while the mount
		 * lived. ECONNABORTED: it died while we asked. */
		_exit(statfs(path, &stat) < 0 && (errno == ENOTCONN || errno == ECONNABORTED));
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -errno;
	if (!WIFEXITED(status))
		return -ETIMEDOUT;
	return WEXITSTATUS(status) ? -ENOTCONN : 0;
}

int mountpoint_make(const char *path)
{
	CLEANUP(freep) char *made = strdup(path);
	int r = 0;

	if (!made)
		return -ENOMEM;
	for (char *at = made; r == 0 && *at;) {
		at += strspn(at, "/");
		at += strcspn(at, "/");
		char rest = *at;
		*at = '\0';
		if (mkdir(made, 0755) < 0 && errno != EEXIST)
			r = -errno;
		*at = rest;
	}
	return r;
}

/* Whether one of them is the other, or lies beneath it. */
static bool are_in_line(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (!*a && (!*b || *b == '/' || a[-1] == '/')) || (!*b && *a == '/');
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

int mountpoint_prepare(const char *path, char **ret, struct problem *problem)
{
	struct stat stat_now;
	int r = ask(path);

	if (r == -ETIMEDOUT)
		return problem_set(problem, path, 0, 0,
			"what is mounted there does not answer; unmount it: umount -f %s", path);
	if (r == -ENOTCONN) {
		CLEANUP(freep) char *dead = resolve(path);
		r = clear_dead(dead ? dead : path, problem);
	}
	if (r != 0)
		return r;
	if (stat(path, &stat_now) < 0) {
		if (errno == ENOENT)
			return problem_set(problem, path, 0, 0,
				"the mountpoint does not exist; create it: mkdir -p %s", path);
		return problem_set(
			problem, path, 0, 0, "the mountpoint can't be used: %s", strerror(errno));
	}
	if (!S_ISDIR(stat_now.st_mode))
		return problem_set(
			problem, path, 0, 0, "the mountpoint is not a directory; name one");

	CLEANUP(freep) char *absolute = realpath(path, NULL);
	if (!absolute)
		return -errno;
	struct search search = {.path = absolute};
	r = each_mount(-1, match_path, &search);
	if (r < 0)
		return r;
	if (search.is_found && search.is_plyfs)
		return problem_set(problem, path, 0, 0,
			"the mountpoint is busy: plyfs is mounted there; unmount it first: umount "
			"%s",
			path);
	*ret = take_ptr(absolute);
	return 0;
}

int mountpoint_forbid_links(const char *path)
{
	struct mount_attr attributes = {.attr_set = MOUNT_ATTR_NOSYMFOLLOW};

	return mount_setattr(AT_FDCWD, path, 0, &attributes, sizeof(attributes)) < 0 ? -errno : 0;
}

int mountpoint_clone(const char *path)
{
	int fd = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0)
		return -errno;

	struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
	if (mount_setattr(AT_FDCWD, path, 0, &attributes, sizeof(attributes)) < 0) {
		int error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

int mountpoint_take(const char *path, struct mountpoint *ret)
{
	CLEANUP(freep) char *resolved = resolve(path);
	struct search search = {.path = resolved};

	if (!resolved)
		return -errno;
	int r = each_mount(-1, match_path, &search);
	if (r == 0 && !search.is_found) {
		/* Only now, as a mount that does not answer can't be looked at: is it a link? */
		free(resolved);
		search.path = resolved = realpath(path, NULL);
		if (!resolved)
			return -errno;
		r = each_mount(-1, match_path, &search);
	}
	if (r < 0)
		return r;
	if (!search.is_found || !search.is_plyfs)
		return -ENOENT;
	*ret = (struct mountpoint){take_ptr(resolved), search.dev, search.uid, search.gid};
	return 0;
}

bool mountpoint_is_elsewhere(dev_t dev)
{
	struct search search = {.dev = dev};

	return each_mount(-1, match_dev, &search) < 0 || search.is_found;
}

int mountpoint_end(const char *path, int flags)
{
	if (umount2(path, flags | UMOUNT_NOFOLLOW) == 0)
		return 0;
	return errno == EPERM ? run_fusermount(path, flags & MNT_DETACH) : -errno;
}
