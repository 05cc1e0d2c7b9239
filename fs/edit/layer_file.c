#include "layer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "absent_layer.h"
#include "cleanup.h"
#include "descriptor.h"
#include "dropin.h"
#include "layer_store.h"
#include "path.h"
#include "store.h"
#include "text.h"

/* Ten seconds: another edit may take that long. */
#define LOCK_TRIES 2000
#define LOCK_PAUSE_NS 5000000

#define NEW_MODE 0644
#define NEW_DIRECTORY_MODE 0755

enum { MADE = 1 };

static int complain_of_name(
	const struct settings *settings, const char *name, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const char *names = arena_new(&arena) < 0 ? NULL : "";

	for (size_t i = 0; names && i < settings->layer_count; i++)
		names = arena_printf(
			arena, "%s%s%s", names, i ? ", " : "", settings->layers[i]->name);
	return names ? problem_set(problem, NULL, 0, 0,
			       "there is no layer '%s'; the layers are: %s", name, names)
		     : -ENOMEM;
}

int target_layer_find(const struct settings *settings, const char *name,
	const struct store_access *access, struct layer **ret, struct layer_store **store,
	struct problem *problem)
{
	struct layer *found = *ret = settings_layer(settings, name);
	int r = name ? 0 : absent_layer_refuse(settings, problem);

	if (r == 0 && name && !found)
		r = complain_of_name(settings, name, problem);
	if (r == 0 && name && found->dirfd < 0 && settings->specs[found->rank].store)
		r = problem_set(problem, NULL, 0, 0,
			"the layer '%s' has no state on this machine yet; plyfs mount and plyfs "
			"render get it from the store",
			name);
	return r == 0 && store && !*store && found->dirfd >= 0
		       ? layer_store_open(found, access, store, problem)
		       : r;
}

/* Returns a descriptor that holds the lock; -EWOULDBLOCK: another process held it all the time; or
 * another -errno. On a file system without locks, the descriptor holds none. */
static int lock_layer(const struct layer *layer)
{
	CLEANUP(closep) int fd = openat(layer->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (int try = 0; try < LOCK_TRIES; try++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == EOPNOTSUPP)
			return take_fd(&fd);
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL);
	}
	return -EWOULDBLOCK;
}

int target_layer_lock(const struct layer *layer, int *ret, struct problem *problem)
{
	if (layer->dirfd < 0)
		return 0;
	*ret = lock_layer(layer);
	if (*ret >= 0)
		return 0;
	if (*ret == -EWOULDBLOCK)
		return problem_set(problem, layer->path, 0, 0,
			"is locked by another program that changes it, such as a plyfs whose check "
			"takes long; try again when that has ended: lslocks");
	return problem_set(
		problem, layer->path, 0, 0, "can't be locked for a change: %s", text_error(*ret));
}

bool target_layer_is_current(const struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++)
		if (settings->layers[i]->dirfd >= 0 && !layer_is_current(settings->layers[i]))
			return false;
	return true;
}

/*
 * Finds the path of the open file in the layer, without links; the layer itself is "". Returns 0
 * with *ret for free(3), PROBLEM if it lies outside of the layer, or -errno.
 */
static int place_in_layer(
	const struct layer_file *file, int fd, char **ret, struct problem *problem)
{
	char root[PATH_MAX], target[PATH_MAX];
	int r = descriptor_path(file->layer->dirfd, root);

	if (r == 0)
		r = descriptor_path(fd, target);
	if (r < 0)
		return r;
	const char *inner = path_within(target, root);
	if (!inner)
		return problem_set(problem, file->path, 0, 0,
			"is a link to %s, outside of the layer '%s'; change it there", target,
			file->layer->name);
	*ret = strdup(inner);
	return *ret ? 0 : -ENOMEM;
}

/*
 * Finds the path in the layer that leads to the file without a link. Returns 0 with *ret for
 * free(3), PROBLEM if it lies outside of the layer, or -errno: -ENOENT if there is no file.
 */
static int real_path(const struct layer_file *file, char **ret, struct problem *problem)
{
	CLEANUP(closep) int fd = layer_open_path(file->layer, file->path);

	return fd < 0 ? fd : place_in_layer(file, fd, ret, problem);
}

/* Returns whether the file is, byte for byte, what was read. */
static bool is_as_read(int fd, struct span old)
{
	char buffer[1 << 16];
	size_t done = 0;
	ssize_t n;

	while ((n = pread(fd, buffer, sizeof(buffer), (off_t)done)) > 0) {
		if ((size_t)n > old.len - done || memcmp(buffer, old.data + done, (size_t)n) != 0)
			return false;
		done += (size_t)n;
	}
	return n == 0 && done == old.len;
}

static int copy_attribute(int from, int to, const char *name)
{
	ssize_t size = fgetxattr(from, name, NULL, 0);
	CLEANUP(freep) char *value = NULL;

	if (size < 0)
		return errno == ENODATA ? 0 : -errno;
	value = malloc((size_t)size + 1);
	if (!value)
		return -ENOMEM;
	size = fgetxattr(from, name, value, (size_t)size);
	if (size < 0)
		return errno == ENODATA ? 0 : -errno;
	if (fsetxattr(to, name, value, (size_t)size, 0) == 0)
		return 0;
	/* The system gives files their security attributes, which we may not be allowed to copy. */
	return strncmp(name, "security.", strlen("security.")) == 0 ? 0 : -errno;
}

/* Copies the extended attributes, including access lists. Returns 0 or -errno. */
static int copy_attributes(int from, int to)
{
	ssize_t size = flistxattr(from, NULL, 0);
	CLEANUP(freep) char *names = NULL;

	if (size <= 0)
		return size < 0 && errno != ENOTSUP ? -errno : 0;
	names = malloc((size_t)size + 1);
	if (!names)
		return -ENOMEM;
	size = flistxattr(from, names, (size_t)size);
	if (size < 0)
		return -errno;
	for (const char *name = names; name < names + size; name += strlen(name) + 1) {
		int r = copy_attribute(from, to, name);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Sets the mode if it is wrong: not every file system can. Returns 0 or -errno. */
static int set_mode(int fd, mode_t mode)
{
	struct stat own;

	if (fstat(fd, &own) < 0)
		return -errno;
	return (own.st_mode & 07777) == mode || fchmod(fd, mode) == 0 ? 0 : -errno;
}

/*
 * Gives the file the owner and mode of `like`. The mode comes last, as chown(2) clears bits of it.
 * The access list that a new file inherits from its directory is removed first, as it may admit
 * others.
 */
static int be_like(int fd, const struct stat *like)
{
	struct stat own;

	if (fremovexattr(fd, "system.posix_acl_access") < 0 && errno != ENODATA && errno != ENOTSUP)
		return -errno;
	if (fstat(fd, &own) < 0)
		return -errno;
	if ((own.st_uid != like->st_uid || own.st_gid != like->st_gid) &&
		fchown(fd, like->st_uid, like->st_gid) < 0)
		return -errno;
	return set_mode(fd, like->st_mode & 07777);
}

/*
 * Gives rights to a new file or directory that overrides `like`, one of a lower layer. It belongs
 * to us: otherwise the lower one's owner, or another user that may write the lower one, could write
 * the layer above it. A user that can't read the lower one can't read the new one. The lower one's
 * group can still read it, if we are allowed to set that group.
 */
static int take_after(int fd, const struct stat *like)
{
	mode_t mode = like->st_mode & 0755, group = mode >> 3 & 05, others = mode & 05;
	struct stat own;

	if (fremovexattr(fd, "system.posix_acl_access") < 0 && errno != ENODATA && errno != ENOTSUP)
		return -errno;
	if (fstat(fd, &own) < 0)
		return -errno;
	if (group != others && own.st_gid != like->st_gid &&
		fchown(fd, (uid_t)-1, like->st_gid) < 0)
		mode &= 0700 | (group & others) << 3 | (group & others);
	int r = set_mode(fd, mode | (S_ISDIR(own.st_mode) ? own.st_mode & S_ISGID : 0));
	/* Without fixed modes, the mode may be wrong as long as it is not wider. */
	return r == -EPERM && !(own.st_mode & 0777 & ~mode) ? 0 : r;
}

/*
 * Gives rights to a new file or directory that overrides none: those that the umask leaves. It
 * keeps the group, and a directory's set-group-ID bit, that its parent gives. If the file system
 * can't set modes, its own mode stays.
 */
static int be_new(int fd, mode_t mode)
{
	mode_t mask = umask(077);
	struct stat own;

	umask(mask);
	if (fstat(fd, &own) < 0)
		return -errno;
	int r = set_mode(fd, (mode & ~mask) | (own.st_mode & S_ISGID));
	return r == -EPERM ? 0 : r;
}

/*
 * Makes and opens the directory of an absent layer, and missing ones above it. Its mode is no wider
 * than that of the layer `like` (NULL: the umask decides). Returns 0 with *ret for layer_free();
 * -EEXIST if the path exists already; or another -errno.
 */
static int make_layer(const struct layer *layer, const struct layer *like, struct layer **ret)
{
	CLEANUP(freep) char *path = strdup(layer->place);
	CLEANUP(closep) int fd = -1;
	struct stat stat;
	int r;

	if (!path)
		return -ENOMEM;
	for (size_t len = strlen(path); len > 1 && path[len - 1] == '/';)
		path[--len] = '\0';
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, NEW_DIRECTORY_MODE) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	if (mkdir(path, 0700) < 0)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = like && fstat(like->dirfd, &stat) == 0 ? take_after(fd, &stat)
						   : be_new(fd, NEW_DIRECTORY_MODE);
	return r == 0 ? layer_open(layer->name, path, layer->rank, 0, layer->follow, ret) : r;
}

/* Returns 0, or MADE, or -errno. */
static int make_directory(const struct layer_file *file, char *path)
{
	struct stat like;
	const char *name;
	CLEANUP(closep) int parent = layer_open_parent(file->layer, path, &name);

	if (parent < 0)
		return parent;
	if (mkdirat(parent, name, 0700) < 0)
		return errno == EEXIST ? 0 : -errno;
	CLEANUP(closep) int made = descriptor_open_directory(parent, name);
	int r = made;
	if (r >= 0)
		r = file->model && layer_stat(file->model, path, &like) == 0
			    ? take_after(made, &like)
			    : be_new(made, NEW_DIRECTORY_MODE);
	if (r < 0)
		unlinkat(parent, name, AT_REMOVEDIR);
	return r < 0 ? r : MADE;
}

/* Sets *ret_made to the length of the path of the first directory that is made; 0: none is. */
static int make_directories(const struct layer_file *file, char *path, size_t *ret_made)
{
	int r = 0;

	for (char *slash = strchr(path, '/'); r >= 0 && slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		r = make_directory(file, path);
		*slash = '/';
		if (r == MADE && !*ret_made)
			*ret_made = (size_t)(slash - path);
	}
	return r < 0 ? r : 0;
}

/* Removes the directories of the path that are empty, from the last to that of `first` bytes. */
static void remove_directories(const struct layer *layer, char *path, size_t first)
{
	for (char *slash; (slash = strrchr(path, '/')) && (size_t)(slash - path) >= first;) {
		const char *name;

		*slash = '\0';
		CLEANUP(closep) int parent = layer_open_parent(layer, path, &name);
		if (parent < 0 || unlinkat(parent, name, AT_REMOVEDIR) < 0)
			return;
	}
}

/*
 * Finds the path of a new file, without links, by the nearest parent directory that exists. Returns
 * 0 with *ret for free(3), PROBLEM if it would lie outside of the layer, or -errno.
 */
static int new_path(const struct layer_file *file, char **ret, struct problem *problem)
{
	CLEANUP(freep) char *above = strdup(file->path);
	CLEANUP(freep) char *place = NULL;
	int r = -ENOENT;

	if (!above)
		return -ENOMEM;
	for (char *slash; r == -ENOENT && (slash = strrchr(above, '/'));) {
		*slash = '\0';
		CLEANUP(closep) int fd = layer_open_path(file->layer, above);
		r = fd < 0 ? fd : place_in_layer(file, fd, &place, problem);
	}
	if (r != 0 && r != -ENOENT)
		return r;
	const char *rest = place ? file->path + strlen(above) + 1 : file->path;
	return path_join(place ? place : "", rest, ret);
}

/* Sets owner, mode and attributes: the old file's, or for a new file those that `like` allows. */
static int dress(int fd, int old, const struct layer_file *file)
{
	struct stat stat;

	if (old < 0)
		return file->like ? take_after(fd, file->like) : be_new(fd, NEW_MODE);
	if (fstat(old, &stat) < 0)
		return -errno;
	int r = be_like(fd, &stat);
	return r == 0 ? copy_attributes(old, fd) : r;
}

/* Creates the temporary file beside the file: hidden, and excluded as editors' backups are. */
static int open_beside(int parent, const char *name, char *ret, size_t size)
{
	uint32_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EAGAIN;
	/* Uses only the beginning of a long name, as the result must not exceed NAME_MAX. */
	snprintf(ret, size, ".%.*s.%08x~", NAME_MAX - 16, name, number);
	int fd = openat(parent, ret, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* Returns whether the name still is that file, and the file has the bytes that were read. */
static bool is_unmoved(const struct layer_file *file, int parent, const char *name, int old)
{
	struct stat at_name, was;

	return fstat(old, &was) == 0 && fstatat(parent, name, &at_name, AT_SYMLINK_NOFOLLOW) == 0 &&
	       was.st_ino == at_name.st_ino && was.st_dev == at_name.st_dev &&
	       is_as_read(old, file->old);
}

/*
 * Renames the temporary file to `name`. If `is_new`, a file that another process has made there is
 * not replaced. Returns 0, LAYER_FILE_MOVED or -errno.
 */
static int put_name(int parent, const char *beside, const char *name, bool is_new)
{
	if (renameat2(parent, beside, parent, name, is_new ? RENAME_NOREPLACE : 0) == 0)
		return 0;
	/* Not every file system knows RENAME_NOREPLACE. */
	if (is_new && errno == EINVAL && linkat(parent, beside, parent, name, 0) == 0) {
		unlinkat(parent, beside, 0);
		return 0;
	}
	return is_new && errno == EEXIST ? LAYER_FILE_MOVED : -errno;
}

/* Syncs a directory opened with O_PATH. Some file systems can't sync directories. */
static int sync_directory(int directory)
{
	CLEANUP(closep) int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || (fsync(fd) < 0 && errno != EINVAL) ? -errno : 0;
}

/* Replaces `name`, or makes it if `old` is -1. Returns 0, LAYER_FILE_MOVED or -errno. */
static int replace(const struct layer_file *file, int parent, const char *name, int old)
{
	char beside[NAME_MAX + 1];
	CLEANUP(closep) int fd = open_beside(parent, name, beside, sizeof(beside));
	int r;

	if (fd < 0)
		return fd;
	r = text_write(fd, file->new.data, file->new.len);
	if (r == 0)
		r = dress(fd, old, file);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && old >= 0 && !is_unmoved(file, parent, name, old))
		r = LAYER_FILE_MOVED;
	if (r == 0)
		r = put_name(parent, beside, name, old < 0);
	if (r != 0) {
		unlinkat(parent, beside, 0);
		return r;
	}
	return sync_directory(parent);
}

/* Writes the file at `path`, which is without links. */
static int write_at(const struct layer_file *file, const char *path, struct problem *problem)
{
	CLEANUP(closep) int old = -1;
	const char *name;
	CLEANUP(closep) int parent = layer_open_parent(file->layer, path, &name);

	if (parent < 0)
		return parent;
	int r = layer_store_refuse_copy(parent, file->path, problem);
	if (r != 0)
		return r;
	if (file->old.data) {
		old = descriptor_open_file(parent, name);
		if (old < 0)
			return old == -ENOENT || old == -ELOOP ? LAYER_FILE_MOVED : old;
	}
	return replace(file, parent, name, old);
}

/* After a failure the old text stays; but if the last step, fsync(2) of the directory, fails, the
 * new text is in place. */
static int write_file(const struct layer_file *file, struct problem *problem)
{
	CLEANUP(freep) char *path = NULL;
	size_t made = 0;
	int r = real_path(file, &path, problem);

	if (r == (file->old.data ? -ENOENT : 0))
		return LAYER_FILE_MOVED;
	if (r == -ENOENT) {
		r = new_path(file, &path, problem);
		if (r == 0)
			r = make_directories(file, path, &made);
	}
	if (r == 0)
		r = write_at(file, path, problem);
	if (r != 0 && made)
		remove_directories(file->layer, path, made);
	return r;
}

static int make(const struct settings *settings, const struct layer *layer, struct layer **ret,
	struct problem *problem)
{
	int r = make_layer(layer, settings_layer(settings, NULL), ret);

	if (r == 0 || r == -ENOMEM)
		return r;
	if (r == -EEXIST)
		return -ESTALE;
	return problem_set(problem, layer->path, 0, 0, "the layer's directory can't be made: %s",
		text_error(r));
}

int target_layer_write(const struct settings *settings, struct layer_file file, const char *name,
	struct problem *problem)
{
	CLEANUP(layer_freep) struct layer *made = NULL;
	const char *place = file.layer->place;
	int r = file.layer->dirfd < 0 ? make(settings, file.layer, &made, problem) : 0;

	if (made)
		file.layer = made;
	if (r == 0)
		r = write_file(&file, problem);
	if (r != 0 && made)
		(void)rmdir(place);
	if (r == LAYER_FILE_MOVED && made)
		return -ESTALE;
	if (r < 0 && r != -ENOMEM && r != -ESTALE)
		return problem_set(problem, name, 0, 0, "can't be written: %s", text_error(r));
	return r;
}

/* Removes the name, which is the file or a link to it. Returns 0, PROBLEM or -errno. */
static int remove_name(const struct layer *layer, const char *path, struct problem *problem)
{
	const char *name;
	CLEANUP(closep) int parent = layer_open_parent(layer, path, &name);

	if (parent < 0)
		return parent;
	int r = layer_store_refuse_copy(parent, path, problem);
	if (r != 0)
		return r;
	if (unlinkat(parent, name, 0) < 0)
		return -errno;
	return sync_directory(parent);
}

int layer_file_remove(const struct layer_file *file, struct problem *problem)
{
	CLEANUP(freep) char *path = NULL;
	const char *name;

	if (!file->old.data)
		return remove_name(file->layer, file->path, problem);
	int r = real_path(file, &path, problem);
	if (r != 0)
		return r == -ENOENT ? LAYER_FILE_MOVED : r;
	CLEANUP(closep) int parent = layer_open_parent(file->layer, path, &name);
	if (parent < 0)
		return parent;
	CLEANUP(closep) int old = descriptor_open_file(parent, name);
	if (old < 0)
		return old == -ENOENT || old == -ELOOP ? LAYER_FILE_MOVED : old;
	if (!is_unmoved(file, parent, name, old))
		return LAYER_FILE_MOVED;
	r = remove_name(file->layer, path, problem);
	if (r != 0 || strcmp(path, file->path) == 0)
		return r;
	/* A link that led to the file leads nowhere now. By a linked directory, it is gone. */
	r = remove_name(file->layer, file->path, problem);
	return r == -ENOENT ? 0 : r;
}

void layer_file_remove_dropins(const struct layer *layer, const char *path)
{
	CLEANUP(freep) char *directory = NULL;
	const char *name;

	if (asprintf(&directory, "%s" DROPIN_SUFFIX, path) < 0)
		return;
	CLEANUP(closep) int parent = layer_open_parent(layer, directory, &name);
	if (parent >= 0)
		(void)unlinkat(parent, name, AT_REMOVEDIR);
}

int layer_file_look(const struct layer *layer, const char *path, struct stat *ret)
{
	const char *name;
	CLEANUP(closep) int parent = layer->dirfd < 0 ? -1 : layer_open_parent(layer, path, &name);

	if (parent < 0)
		return layer->dirfd < 0 ? -ENOENT : parent;
	int r = layer_may_enter(parent, name);
	if (r < 0)
		return r;
	return fstatat(parent, name, ret, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}
