#include "layer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access_list.h"
#include "ancestors.h"
#include "cleanup.h"
#include "descriptor.h"
#include "followed_path.h"
#include "glob.h"
#include "outside.h"
#include "path.h"
#include "store.h"
#include "text.h"

/* The kernel returns EAGAIN if a rename raced with a resolution beneath a directory. A process that
 * renames without end must not hold plyfs up for ever. */
#define RESOLVE_ATTEMPTS 16

/* Files that git, vim, emacs and kate keep beside the user's files, of no use to readers. */
static const char *const default_exclude[] = {"**/.git", "**/.git/**", "**/?*~", "**/.{,*.}sw?",
	"**/#*#", "**/.#*", "**/.*.kate-swp", NULL};

/* With `follow`, the layer may be a Kubernetes volume: the names that it consists of are hidden. */
static bool is_hidden(bool follow, const char *name)
{
	return follow && name[0] == '.' && name[1] == '.';
}

/*
 * Checks a path before any link is read. Returns -EXDEV for a path that itself leads out, -ENOENT
 * for one with a hidden name, else 0.
 */
static int check_path(bool follow, const char *path)
{
	if (path[0] == '/')
		return -EXDEV;

	for (const char *name = path;; name++) {
		size_t len = strcspn(name, "/");

		if (len == 2 && name[0] == '.' && name[1] == '.')
			return -EXDEV;
		if (is_hidden(follow, name))
			return -ENOENT;
		name += len;
		if (!*name)
			return 0;
	}
}

static int (*guard)(const char *path, enum layer_use use);

void layer_guard(int (*may_use)(const char *path, enum layer_use use))
{
	guard = may_use;
}

static int (*opener)(int path_fd, int flags);

void layer_open_elsewhere(int (*open)(int path_fd, int flags))
{
	opener = open;
}

static const struct layer_delegate *delegate;

void layer_delegate(const struct layer_delegate *named)
{
	delegate = named;
	followed_path_stay_local(named != NULL);
}

/* Returns whether the path leads to a remote file system, so that the delegate must go on. */
static bool is_for_delegate(int result)
{
	return result == -EREMOTE && delegate;
}

enum layer_silence layer_note_silence(const struct layer *layer, enum layer_silence silence)
{
	atomic_int *noted = (atomic_int *)(uintptr_t)&layer->silence;
	int before = atomic_load(noted);

	while (!(before == LAYER_IS_SILENT && silence == LAYER_IS_SLOW) &&
		!atomic_compare_exchange_weak(noted, &before, silence))
		;
	return (enum layer_silence)before;
}

enum layer_silence layer_silence(const struct layer *layer)
{
	return (enum layer_silence)atomic_load(&layer->silence);
}

void layer_note_remote(const struct layer *layer)
{
	atomic_store((atomic_bool *)(uintptr_t)&layer->is_remote, true);
}

bool layer_is_delegated(const struct layer *layer)
{
	return delegate && atomic_load(&layer->is_remote);
}

/* Returns whether the file lies in a file system of one of the types, a list that ends with 0. */
static bool is_of_type(int fd, const unsigned long *types)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	while (*types && (unsigned long)fs.f_type != *types)
		types++;
	return *types;
}

/* statfs(2)'s magic numbers, linux/magic.h and the file systems' own headers. */
bool layer_fd_is_remote(int fd)
{
	static const unsigned long types[] = {
		0x6969,     /* NFS */
		0x65735546, /* FUSE, virtiofs */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB 2 */
		0x517b,     /* SMB */
		0x01021997, /* 9p */
		0x00c36400, /* Ceph */
		0x5346414f, /* AFS */
		0x73757245, /* Coda */
		0x7461636f, /* OCFS2 */
		0x01161970, /* GFS2 */
		0x0bd00bd0, /* Lustre */
		0,
	};

	return is_of_type(fd, types);
}

/* Asks the guard about the path `name`, which may be "", in the directory. */
static int ask_guard(int dirfd, const char *name, enum layer_use use)
{
	char path[PATH_MAX];

	if (!guard)
		return 0;
	int r = descriptor_path(dirfd, path);
	if (r < 0)
		return 0; /* the directory is gone, and no mount lies in it */
	size_t len = strcmp(path, "/") == 0 ? 0 : strlen(path);
	if (len + strlen(name) + 2 > sizeof(path))
		return 0;
	if (*name)
		sprintf(path + len, "/%s", name);
	return guard(path, use);
}

int layer_may_enter(int dirfd, const char *name)
{
	return ask_guard(dirfd, name, LAYER_NAME);
}

bool layer_is_kernels_own(int fd)
{
	static const unsigned long types[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC,
		TRACEFS_MAGIC, SECURITYFS_MAGIC, BPF_FS_MAGIC, CGROUP_SUPER_MAGIC,
		CGROUP2_SUPER_MAGIC, 0};

	return is_of_type(fd, types);
}

bool layer_is_shortage(int result)
{
	return result == -ENOMEM || result == -EMFILE || result == -ENFILE;
}

bool layer_has_timed_out(int result)
{
	return result == -ETIMEDOUT || result == -LAYER_LATE;
}

bool layer_has_failed(int result)
{
	static const int facts[] = {ENOENT, ENOTDIR, ENAMETOOLONG, EACCES, EPERM, ELOOP, EXDEV,
		EINVAL, EREMOTE, ECANCELED};

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (result == -facts[i])
			return false;
	return result < 0 && !layer_is_shortage(result);
}

static int open_path(int dirfd, bool follow, const char *path, int flags)
{
	struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

	if (!follow) {
		how.flags |= O_NOFOLLOW;
		how.resolve |= RESOLVE_BENEATH;
	}

	/* The kernel refuses to cross a mount before it asks the server; walks ask the guard. */
	if (guard)
		how.resolve |= RESOLVE_NO_XDEV;

	for (int attempt = 0; attempt < RESOLVE_ATTEMPTS; attempt++) {
		long fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
		int error = errno;

		/* Most names lead through no link, so try without following first. ENOSYS, EPERM:
		 * the kernel, or the seccomp filter of a container runtime, has no openat2(2). */
		bool is_walked = error == ENOSYS || error == EPERM || (guard && error == EXDEV);
		if (fd < 0 && ((follow && error == ELOOP) || is_walked)) {
			fd = followed_path_open(dirfd, path, flags, follow);
			error = fd < 0 ? (int)-fd : 0;
		}
		if (fd >= 0)
			return (int)fd;
		if (error == EINTR || error == EAGAIN)
			continue;
		/* Without `follow`, a link on the way is no directory. */
		if (error == ELOOP && !follow)
			return -ENOTDIR;
		/* A directory on the way was moved out meanwhile: no path leads out. */
		if (error == EXDEV && !follow)
			return -ENOENT;
		return -error;
	}

	return -EAGAIN;
}

/* Has another process open the file that a link leads to. */
static int open_elsewhere(int dirfd, const char *path, int flags)
{
	CLEANUP(closep)
	int found = open_path(dirfd, true, path, O_PATH | (flags & (O_DIRECTORY | O_NOFOLLOW)));

	return found < 0 ? found : opener(found, flags);
}

/* Asks the guard about a path before it is opened: about its names, then about the file itself. */
static int ask_guard_to_open(int dirfd, bool follow, const char *path, int flags)
{
	CLEANUP(closep) int fd = -1;

	if (!guard)
		return 0;
	int r = layer_may_enter(dirfd, path);
	if (r < 0 || (flags & O_PATH))
		return r;
	fd = open_path(dirfd, follow, *path ? path : ".", O_PATH);
	return fd < 0 ? fd : ask_guard(fd, "", flags & O_DIRECTORY ? LAYER_LIST : LAYER_READ);
}

/*
 * Opens `path` from `dirfd`. Without `follow`, no link is followed: O_PATH | O_NOFOLLOW opens a
 * link itself if it is the last name.
 */
static int open_at(int dirfd, bool follow, const char *path, int flags)
{
	if (dirfd < 0)
		return -ENOENT;
	int r = check_path(follow, path);
	if (r < 0)
		return r;

	r = ask_guard_to_open(dirfd, follow, path, flags);
	if (r < 0)
		return r;
	if (!path[0])
		path = ".";
	int fd = open_path(dirfd, follow, path, flags);
	if (fd == -EACCES && follow && opener && !(flags & O_PATH))
		fd = open_elsewhere(dirfd, path, flags);
	if (fd >= 0 && follow && layer_is_kernels_own(fd)) {
		closep(&fd);
		fd = -EACCES;
	}
	return fd;
}

static int open_in(const struct layer *layer, const char *path, int flags)
{
	return layer_excludes(layer, path) ? -ENOENT
					   : open_at(layer->dirfd, layer->follow, path, flags);
}

/* As open_in(), but returns -EREMOTE if the delegate looks into the layer. */
static int open_or_delegate(const struct layer *layer, const char *path, int flags)
{
	return layer_is_delegated(layer) && !layer_excludes(layer, path)
		       ? -EREMOTE
		       : open_in(layer, path, flags);
}

/* The state of layer_stay(): the directory, and a descriptor of it in each layer (by its dirfd). */
static _Thread_local struct {
	char directory[PATH_MAX]; /* "": none */
	size_t length;
	unsigned count;
	struct stay_item {
		int dirfd;
		int fd; /* -1: it can't be opened */
		/* whether it may have such names; set by layer_stay_may_have() */
		enum { STAY_UNKNOWN, STAY_HAS_NONE, STAY_MAY_HAVE } names;
	} items[LAYERS_MAX + 1];
} stay;

void layer_stay(const char *directory)
{
	while (stay.count)
		closep(&stay.items[--stay.count].fd);
	stay.length = strlen(directory);
	if (stay.length >= sizeof(stay.directory))
		stay.length = 0;
	memcpy(stay.directory, directory, stay.length);
	stay.directory[stay.length] = '\0';
}

/* Returns the directory in a layer, if it can be opened; or NULL. */
static struct stay_item *stay_item(int dirfd)
{
	unsigned i = 0;

	while (i < stay.count && stay.items[i].dirfd != dirfd)
		i++;
	if (i == sizeof(stay.items) / sizeof(*stay.items))
		return NULL;
	if (i == stay.count) {
		int fd = open_at(dirfd, false, stay.directory, O_PATH | O_DIRECTORY);

		stay.items[stay.count++] =
			(struct stay_item){.dirfd = dirfd, .fd = fd < 0 ? -1 : fd};
	}
	return stay.items[i].fd < 0 ? NULL : &stay.items[i];
}

/* Returns the descriptor from which to look `*path` up, which becomes the rest of the path. */
static int stay_near(int dirfd, const char **path)
{
	if (!stay.length || strncmp(*path, stay.directory, stay.length) != 0 ||
		(*path)[stay.length] != '/' || strchr(*path + stay.length + 1, '/'))
		return dirfd;
	const struct stay_item *item = stay_item(dirfd);
	if (!item)
		return dirfd;
	*path += stay.length + 1;
	return item->fd;
}

/* Calls descriptor_stat() by the rules of open_at(). */
static int stat_at(int dirfd, bool follow, const char *path, struct stat *ret)
{
	CLEANUP(closep) int fd = -1;

	if (dirfd >= 0 && !guard && !follow)
		dirfd = stay_near(dirfd, &path);
	/* Without a slash, no link can be on the way: one system call instead of three. */
	if (dirfd >= 0 && !guard && !follow && !strchr(path, '/') && check_path(false, path) == 0)
		return descriptor_stat(dirfd, path, ret);

	fd = open_at(dirfd, follow, path, O_PATH);
	return fd < 0 ? fd : descriptor_stat(fd, "", ret);
}

int layer_open(const char *name, const char *path, unsigned rank, unsigned wanted, bool follow,
	struct layer **ret)
{
	CLEANUP(layer_freep) struct layer *layer = malloc(sizeof(*layer));
	struct outside_directory directory;

	if (!layer)
		return -ENOMEM;
	*layer = (struct layer){
		.rank = rank, .follow = follow, .dirfd = -1, .exclude = default_exclude};

	layer->name = strdup(name);
	layer->path = strdup(path);
	layer->place = strdup(path);
	if (!layer->name || !layer->path || !layer->place)
		return -ENOMEM;

	int r = outside_open(path, wanted, &directory);
	if (r < 0)
		return r;
	layer->dirfd = directory.fd;
	layer->dev = directory.stat.st_dev;
	layer->ino = directory.stat.st_ino;
	layer->store = directory.store;
	*ret = take_ptr(layer);
	return 0;
}

bool layer_is(const struct layer *layer, const struct stat *directory)
{
	return layer->dirfd >= 0 && layer->dev == directory->st_dev &&
	       layer->ino == directory->st_ino;
}

bool layer_is_current(const struct layer *layer)
{
	struct stat now;

	return layer->dirfd >= 0 && !store_is_replaced(layer->dirfd) &&
	       stat(layer->place, &now) == 0 && layer_is(layer, &now);
}

bool layer_was_replaced(const struct layer *layer)
{
	struct stat now;

	if (layer->dirfd < 0)
		return false;
	if (layer->store)
		return store_is_replaced(layer->dirfd);
	if (stat(layer->place, &now) < 0)
		return errno == ENOENT || errno == ENOTDIR;
	return !layer_is(layer, &now);
}

int layer_set_text(char **text, const char *to)
{
	char *copy = strdup(to);

	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

void layer_closed_above(const struct layer *layer, const char *beside, char ret[PATH_MAX])
{
	char path[PATH_MAX];
	struct stat stat;
	char *slash;

	*ret = '\0';
	/* Another directory may lie at the layer's path by now. */
	if (descriptor_path(layer->dirfd, path) < 0)
		return;
	while ((slash = strrchr(path, '/')) && slash > path) {
		*slash = '\0';
		if (lstat(path, &stat) == 0 && S_ISDIR(stat.st_mode) && !(stat.st_mode & S_IXOTH) &&
			!path_within(beside, path))
			strcpy(ret, path);
	}
}

int layer_cover(struct layer *layer, const char *mountpoint)
{
	char root[PATH_MAX];

	free(layer->covered);
	layer->covered = NULL;
	const char *inner =
		descriptor_path(layer->dirfd, root) < 0 ? NULL : path_within(mountpoint, root);
	if (!inner || !*inner)
		return 0;
	layer->covered = strdup(inner);
	return layer->covered ? 0 : -ENOMEM;
}

bool layer_is_at(const struct layer *layer, const char *path)
{
	char place[PATH_MAX];
	struct stat found;

	if (stat(path, &found) == 0 && layer_is(layer, &found))
		return true;
	int r = layer->dirfd < 0 ? outside_find_missing(layer->place, place)
				 : descriptor_path(layer->dirfd, place);
	const char *inner = r < 0 ? NULL : path_within(place, path);
	/* The names of generations (fs/render/generation.h) begin with "..", and ".." is none. */
	return inner &&
	       (!*inner || (strncmp(inner, "..", 2) == 0 && inner[2] && !strchr(inner, '/')));
}

bool layer_is_covered(const struct layer *layer, const char *path)
{
	return layer->covered && path_within(path, layer->covered);
}

void layer_free(struct layer *layer)
{
	if (!layer)
		return;
	closep(&layer->dirfd);
	free(layer->covered);
	free(layer->name);
	free(layer->path);
	store_freep(&layer->store);
	free(layer->place);
	free(layer);
}

void layer_freep(struct layer **layer)
{
	layer_free(*layer);
}

/* Returns whether the default patterns may match: they cost as much as a system call. */
static bool may_be_default(const char *path)
{
	for (const char *at = path; *at; at++)
		if (((*at == '.' || *at == '#') && (at == path || at[-1] == '/')) ||
			(*at == '~' && !at[1]))
			return true;
	return false;
}

bool layer_excludes(const struct layer *layer, const char *path)
{
	if (!*path || (layer->exclude == default_exclude && !may_be_default(path)))
		return false;
	for (const char *const *at = layer->exclude; *at; at++)
		if (glob_match(*at, path))
			return true;
	return false;
}

bool layer_delegates(const struct layer *layer, const char *path)
{
	struct stat ignored;

	return layer_is_delegated(layer) ||
	       (layer->follow && is_for_delegate(stat_at(layer->dirfd, true, path, &ignored)));
}

int layer_stat(const struct layer *layer, const char *path, struct stat *ret)
{
	if (layer_excludes(layer, path))
		return -ENOENT;
	int r = layer_is_delegated(layer) ? -EREMOTE
					  : stat_at(layer->dirfd, layer->follow, path, ret);
	if (is_for_delegate(r))
		return delegate->stat(layer, path, ret);
	return r == 0 && S_ISDIR(ret->st_mode) ? layer_stat_rights(layer, path, ret) : r;
}

static int narrow(void *context, const struct stat *directory)
{
	ancestors_narrow(context, directory);
	return 0;
}

static int find_rights(const struct layer *layer, const char *path, struct stat *ret)
{
	CLEANUP(closep) int fd = layer_open_path(layer, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, ret) < 0)
		return -errno;
	int r = access_list_heed(fd, ret);
	return r == 0 && layer->follow ? ancestors_each_closed(layer, path, fd, narrow, ret) : r;
}

int layer_stat_rights(const struct layer *layer, const char *path, struct stat *ret)
{
	int r = layer_is_delegated(layer) ? -EREMOTE : find_rights(layer, path, ret);

	return is_for_delegate(r) ? delegate->stat_rights(layer, path, ret) : r;
}

int layer_open_file(const struct layer *layer, const char *path, struct stat *ret)
{
	struct stat stat;

	if (layer_excludes(layer, path))
		return -ENOENT;
	/* Call stat before open: an open alone wakes a pipe's writer or arms a watchdog. */
	int r = stat_at(layer->dirfd, layer->follow, path, &stat);
	if (r < 0)
		return r;
	return S_ISREG(stat.st_mode) ? layer_open_found(layer, path, ret) : -ENOENT;
}

int layer_open_found(const struct layer *layer, const char *path, struct stat *ret)
{
	/* O_NONBLOCK and a second check: the file may have been replaced since it was looked at. */
	CLEANUP(closep) int fd = open_in(layer, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat stat;

	if (fd == -ENXIO || fd == -ENODEV)
		return -ENOENT;
	if (fd < 0)
		return fd;
	if (fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -ENOENT;
	int r = access_list_heed(fd, &stat);
	if (r < 0)
		return r;

	*ret = stat;
	return take_fd(&fd);
}

int layer_open_directory(const struct layer *layer, const char *path)
{
	return open_in(layer, path, O_PATH | O_DIRECTORY);
}

int layer_open_parent(const struct layer *layer, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	CLEANUP(freep) char *parent = strndup(path, slash ? (size_t)(slash - path) : 0);

	*name = slash ? slash + 1 : path;
	return parent ? layer_open_directory(layer, parent) : -ENOMEM;
}

int layer_open_path(const struct layer *layer, const char *path)
{
	return open_in(layer, path, O_PATH);
}

static bool join(const char *directory, const char *name, char ret[PATH_MAX])
{
	int n = snprintf(ret, PATH_MAX, "%s%s%s", directory, *directory ? "/" : "", name);

	return n >= 0 && n < PATH_MAX;
}

/*
 * Finds the d_type of an entry if readdir(3) does not know it (some file systems never do), and of
 * a link's target in a layer with `follow`. Returns false if layer_stat() would not find the entry.
 */
static bool entry_type(const struct layer *layer, const char *directory, int dirfd,
	const struct dirent *entry, unsigned char *ret)
{
	char path[PATH_MAX];
	struct stat stat;
	int r;

	*ret = entry->d_type;
	if (*ret != DT_UNKNOWN && !(layer->follow && *ret == DT_LNK))
		return true;

	r = stat_at(dirfd, layer->follow, entry->d_name, &stat);
	if (is_for_delegate(r) && join(directory, entry->d_name, path))
		r = delegate->stat(layer, path, &stat);
	if (r == 0)
		*ret = (unsigned char)IFTODT(stat.st_mode);
	/* An entry with any other error is listed, so that its readers get the error. */
	return r != -ENOENT && r != -ENOTDIR;
}

static bool excludes_name(const struct layer *layer, const char *directory, const char *name)
{
	char path[PATH_MAX];

	/* The default patterns that are about a directory have excluded the whole of it. */
	if (layer->exclude == default_exclude && !may_be_default(name))
		return false;
	return join(directory, name, path) && layer_excludes(layer, path);
}

int layer_list(const struct layer *layer, const char *path,
	int (*each)(void *context, const char *name, unsigned char type), void *context)
{
	CLEANUP(dir_closep) DIR *dir = NULL;
	int fd = open_or_delegate(layer, path, O_RDONLY | O_DIRECTORY), r;

	if (is_for_delegate(fd))
		return delegate->list(layer, path, each, context);
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		(void)close(fd);
		return r;
	}

	for (;;) {
		const struct dirent *entry;
		unsigned char type;

		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return -errno;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
			is_hidden(layer->follow, entry->d_name))
			continue;
		if (excludes_name(layer, path, entry->d_name))
			continue;
		if (!entry_type(layer, path, fd, entry, &type))
			continue;
		r = each(context, entry->d_name, type);
		if (r != 0)
			return r;
	}
}

static int begins(void *context, const char *name, unsigned char type)
{
	const char *prefix = context;

	(void)type;
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool layer_stay_may_have(const struct layer *layer, const char *directory, const char *prefix)
{
	struct stay_item *item = NULL;

	if (stay.length && strcmp(directory, stay.directory) == 0 && layer->dirfd >= 0 && !guard &&
		!layer->follow && !layer_is_delegated(layer))
		item = stay_item(layer->dirfd);
	if (item && item->names == STAY_UNKNOWN)
		item->names = layer_list(layer, directory, begins, (void *)prefix) == 0
				      ? STAY_HAS_NONE
				      : STAY_MAY_HAVE;
	return !item || item->names == STAY_MAY_HAVE;
}

int layer_read_link(const struct layer *layer, const char *path, char **ret)
{
	/* O_NOFOLLOW for the last name even with `follow`: the link is wanted, not its target. */
	CLEANUP(closep) int fd = open_or_delegate(layer, path, O_PATH | O_NOFOLLOW);
	char target[2 * PATH_MAX];
	struct stat stat;

	if (is_for_delegate(fd))
		return delegate->read_link(layer, path, ret);
	if (fd < 0)
		return fd;
	if (fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISLNK(stat.st_mode))
		return -EINVAL;

	/* The link's st_size is not used: it is 0 on some file systems. */
	ssize_t len = readlinkat(fd, "", target, sizeof(target));
	if (len < 0)
		return -errno;
	if ((size_t)len == sizeof(target))
		return -ENAMETOOLONG;
	*ret = strndup(target, (size_t)len);
	return *ret ? 0 : -ENOMEM;
}

int layer_source_name(const struct layer *layer, const char *path, char **ret)
{
	size_t len = strlen(layer->path);
	bool needs_slash = path[0] != '\0' && len > 0 && layer->path[len - 1] != '/';

	return text_format(ret, "%s%s%s", layer->path, needs_slash ? "/" : "", path);
}

int layer_source_place(
	const struct layer *layer, const char *path, int fd, char **original, char **place)
{
	CLEANUP(freep) char *name = NULL;
	char revision[STORE_REVISION_MAX];

	*original = *place = NULL;
	if (!layer->store || layer->store->kind == STORE_UNKNOWN)
		return 0;
	store_read_revision(layer->store, fd, revision);
	int r = store_name(layer->store, path, &name);
	if (r == 0)
		r = store_place(layer->store, name, "", original);
	if (r < 0)
		return r;
	r = store_place(layer->store, name, revision, place);
	if (r < 0) {
		free(*original);
		*original = NULL;
	}
	return r;
}
