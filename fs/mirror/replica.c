#include "replica.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "recycled_tree.h"
#include "store.h"
#include "text.h"
#include "unsynced.h"

#define TREE_PREFIX STORE_TREE_PREFIX
#define DRAFT STORE_DRAFT_NAME
#define NEW "new"
#define LOCK STORE_LOCK_NAME

/*
 * Maximum number of changed files that are synced one by one. For more, the whole file system is
 * synced, which takes long if other programs have written much.
 */
#define WRITTEN_SINGLY 8

struct replica {
	char *directory; /* absolute; the link */
	char *turned;    /* absolute; the name under which the link is made */
	char *state;     /* absolute */
	int state_fd;
	int lock_fd;
	int tree_fd;  /* -1: there is no state yet */
	int draft_fd; /* -1: none */
	uint64_t number;
	size_t count;
	size_t written;                    /* new files of the draft that are not on the disk yet */
	char revision[STORE_REVISION_MAX]; /* of files that are put; "": none */

	/* If there are any, the draft began as a copy of the present tree, and may differ from it
	 * at these paths alone. */
	struct path_list changes;
	struct recycled_tree recycled;
};

static bool is_copy(const struct replica *replica)
{
	return replica->changes.count > 0;
}

void replica_freep(struct replica **place)
{
	struct replica *replica = *place;

	if (!replica)
		return;
	recycled_tree_fini(&replica->recycled);
	path_list_fini(&replica->changes);
	closep(&replica->draft_fd);
	closep(&replica->tree_fd);
	closep(&replica->lock_fd);
	closep(&replica->state_fd);
	free(replica->directory);
	free(replica->turned);
	free(replica->state);
	free(replica);
}

bool replica_is_filled(const struct replica *replica)
{
	return replica->tree_fd >= 0;
}

size_t replica_count(const struct replica *replica)
{
	return replica->count;
}

int replica_state_fd(const struct replica *replica)
{
	return replica->state_fd;
}

const char *replica_state_path(const struct replica *replica)
{
	return replica->state;
}

const char *replica_directory(const struct replica *replica)
{
	return replica->directory;
}

/* Makes the paths absolute. The parent of the given directory must exist. */
static int set_paths(
	struct replica *replica, const struct replica_options *options, struct problem *problem)
{
	CLEANUP(freep) char *given = strdup(options->directory);
	CLEANUP(freep) char *parent = NULL;
	size_t len = given ? strlen(given) : 0;

	if (!given)
		return -ENOMEM;
	while (len > 1 && given[len - 1] == '/')
		given[--len] = '\0';
	char *slash = strrchr(given, '/');
	const char *name = slash ? slash + 1 : given;
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return problem_set(problem, options->directory, 0, 0,
			"can't be made a mirror; give a name in a directory");
	if (slash)
		*slash = '\0';
	parent = realpath(!slash ? "." : *given ? given : "/", NULL);
	if (!parent)
		return problem_set(problem, slash && *given ? given : "/", 0, 0,
			"%s; make the directory for the mirror", strerror(errno));
	const char *base = strcmp(parent, "/") == 0 ? "" : parent;
	if (asprintf(&replica->directory, "%s/%s", base, name) < 0 ||
		asprintf(&replica->turned, "%s/.%s.turned", base, name) < 0)
		return -ENOMEM;
	if (!options->state)
		return asprintf(&replica->state, "%s/.%s.mirror", base, name) < 0 ? -ENOMEM : 0;
	return 0;
}

/* Returns the number of names in the open directory, 2 for more than that, or -errno. */
static int count_names(int fd)
{
	CLEANUP(dir_closep) DIR *directory = descriptor_list(fd);
	int count = directory ? -2 : -errno; /* for "." and ".." */

	while (directory && count < 2 && readdir(directory))
		count++;
	return count;
}

static int open_state(
	struct replica *replica, const struct replica_options *options, struct problem *problem)
{
	const char *path = options->state ? options->state : replica->state;

	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return problem_set(problem, path, 0, 0, "can't be made: %s", text_error(-errno));
	replica->state_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	replica->recycled.state_fd = replica->state_fd;
	if (replica->state_fd < 0)
		return problem_set(problem, path, 0, 0, "can't be opened: %s", text_error(-errno));
	if (options->state)
		replica->state = realpath(path, NULL);
	if (!replica->state)
		return -errno;
	if (faccessat(replica->state_fd, LOCK, F_OK, 0) < 0 && count_names(replica->state_fd) != 0)
		return problem_set(problem, path, 0, 0,
			"has other things in it; give --state a directory of its own");
	replica->lock_fd =
		openat(replica->state_fd, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (replica->lock_fd < 0)
		return problem_set(problem, path, 0, 0, "can't be locked: %s", text_error(-errno));
	int how = options->stands_by ? LOCK_EX : LOCK_EX | LOCK_NB, r;
	do
		r = flock(replica->lock_fd, how);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return problem_set(problem, path, 0, 0,
			"belongs to a mirror that is running; end that one, give another --state, "
			"or wait for its end: --standby");
	return 0;
}

/* Returns whether the name is "tree.N", and N. */
static bool tree_number(const char *name, uint64_t *ret)
{
	size_t len = strlen(TREE_PREFIX);
	char *end;

	if (strncmp(name, TREE_PREFIX, len) != 0 || name[len] < '1' || name[len] > '9')
		return false;
	errno = 0;
	*ret = strtoumax(name + len, &end, 10);
	return !*end && errno == 0;
}

static void tree_name(uint64_t number, char name[64])
{
	snprintf(name, 64, TREE_PREFIX "%" PRIu64, number);
}

/* Calls `each` for every existing tree. Returns 0 or -errno. */
static int for_each_tree(
	struct replica *replica, void (*each)(struct replica *replica, uint64_t number))
{
	CLEANUP(dir_closep) DIR *directory = descriptor_list(replica->state_fd);
	uint64_t number;

	if (!directory)
		return -errno;
	for (struct dirent *entry; (entry = readdir(directory));)
		if (tree_number(entry->d_name, &number))
			each(replica, number);
	return 0;
}

static void take_higher(struct replica *replica, uint64_t number)
{
	if (number > replica->number)
		replica->number = number;
}

/* Returns whether a command holds the tree. If not, none can as long as `fd` is open. */
static bool is_held(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static void remove_other(struct replica *replica, uint64_t number)
{
	char name[64];

	if (number == replica->number)
		return;
	tree_name(number, name);
	CLEANUP(closep) int fd = descriptor_open_directory(replica->state_fd, name);
	bool is_recent = number < replica->number && replica->number - number <= REPLICA_HELD_MAX;
	/* If descriptors are short, it is unknown whether the tree is held. */
	if (!is_recent || fd == -ENOENT || fd == -ENOTDIR || (fd >= 0 && !is_held(fd)))
		(void)tree_remove(replica->state_fd, name);
}

/* Opens the last tree, unless a power failure may have destroyed a part of it. */
static int take_up(struct replica *replica)
{
	char name[64];

	int r = unsynced_is_lost(replica->state_fd) ? 0 : for_each_tree(replica, take_higher);
	if (r < 0 || !replica->number)
		return r;
	if (unsynced_is_marked(replica->state_fd))
		unsynced_end_beside(replica->state_fd, replica->lock_fd);
	tree_name(replica->number, name);
	replica->tree_fd = descriptor_open_directory(replica->state_fd, name);
	return replica->tree_fd < 0 ? replica->tree_fd : 0;
}

int replica_turn_link(struct replica *replica)
{
	CLEANUP(freep) char *target = NULL;
	char present[PATH_MAX];
	ssize_t len = readlink(replica->directory, present, sizeof(present));

	if (asprintf(&target, "%s/" TREE_PREFIX "%" PRIu64, replica->state,
		    replica->number ? replica->number : 1) < 0)
		return -ENOMEM;
	if (len >= 0 && span_equal(span_of(target), (struct span){present, (size_t)len}))
		return 0;
	(void)unlink(replica->turned);
	if (symlink(target, replica->turned) < 0)
		return -errno;
	int r = rename(replica->turned, replica->directory) < 0 ? -errno : 0;
	/* The user may have made an empty directory for the mirror. */
	if (r == -EISDIR || r == -EEXIST) {
		r = rmdir(replica->directory) < 0 ? -errno : 0;
		if (r == 0 && rename(replica->turned, replica->directory) < 0)
			r = -errno;
	}
	if (r < 0)
		(void)unlink(replica->turned);
	return r;
}

/* Checks that DIRECTORY is missing, a link that a mirror has made, or an empty directory. */
static int check_directory(const struct replica *replica, struct problem *problem)
{
	char target[PATH_MAX];
	uint64_t number;
	ssize_t len = readlink(replica->directory, target, sizeof(target) - 1);

	if (len < 0 && errno == ENOENT)
		return 0;
	if (len < 0) {
		CLEANUP(closep) int fd = descriptor_open_directory(AT_FDCWD, replica->directory);
		if (fd >= 0 && count_names(fd) == 0)
			return 0;
		return problem_set(problem, replica->directory, 0, 0,
			"exists already; a mirror needs a new name, or an empty directory");
	}
	target[len] = '\0';
	const char *slash = strrchr(target, '/');
	if (slash && tree_number(slash + 1, &number))
		return 0;
	return problem_set(problem, replica->directory, 0, 0,
		"is a link that no mirror has made; give another name, or remove it");
}

static int fill(
	struct replica *replica, const struct replica_options *options, struct problem *problem)
{
	struct tree_difference difference;

	int r = set_paths(replica, options, problem);
	if (r == 0)
		r = check_directory(replica, problem);
	if (r == 0)
		r = open_state(replica, options, problem);
	if (r == 0)
		r = take_up(replica);
	if (r == 0)
		r = replica_turn_link(replica);
	/* Only now: the link may have led to one of them. */
	if (r == 0)
		r = for_each_tree(replica, remove_other);
	if (r == 0) {
		replica_discard(replica);
		(void)unlinkat(replica->state_fd, NEW, 0);
	}
	if (r == 0 && replica->tree_fd >= 0) {
		r = tree_compare(-1, replica->tree_fd, &difference);
		replica->count = r == 0 ? difference.count : 0;
	}
	return r;
}

int replica_open(
	const struct replica_options *options, struct replica **ret, struct problem *problem)
{
	CLEANUP(replica_freep) struct replica *replica = malloc(sizeof(*replica));

	if (!replica)
		return -ENOMEM;
	*replica = (struct replica){.state_fd = -1,
		.lock_fd = -1,
		.tree_fd = -1,
		.draft_fd = -1,
		.recycled = {.fd = -1}};
	int r = fill(replica, options, problem);
	if (r == 0)
		*ret = take_ptr(replica);
	return r;
}

void replica_revise(struct replica *replica, const char *revision)
{
	snprintf(replica->revision, sizeof(replica->revision), "%s", revision);
}

/* Sets the attribute, or removes it for "". Returns false if it still has another value. */
static bool stamp(int fd, const char *revision)
{
	char present[STORE_REVISION_MAX];

	store_read_attribute(fd, present);
	if (strcmp(present, revision) == 0)
		return true;
	if (*revision &&
		fsetxattr(fd, STORE_REVISION_ATTRIBUTE, revision, strlen(revision), 0) == 0)
		return true;
	return fremovexattr(fd, STORE_REVISION_ATTRIBUTE) == 0 || errno == ENODATA ||
	       errno == EOPNOTSUPP;
}

void replica_mark(const struct replica *replica, const char *revision)
{
	(void)stamp(replica->draft_fd >= 0 ? replica->draft_fd : replica->tree_fd, revision);
}

/* Marks a file of ours with its revision, even if its mode forbids writing. Results as stamp(). */
static bool stamp_file(const struct replica *replica, int parent, const char *name, mode_t mode)
{
	if (S_ISLNK(mode))
		return true;
	CLEANUP(closep) int fd = descriptor_open_file(parent, name);
	if (fd < 0)
		return false;
	if (stamp(fd, replica->revision))
		return true;
	bool is_stamped = fchmod(fd, mode | S_IWUSR) == 0 && stamp(fd, replica->revision);
	return fchmod(fd, mode) == 0 && is_stamped;
}

/* Returns whether the file has these bytes and this mode, and marks it with the revision. */
static bool has(
	const struct replica *replica, int parent, const char *name, struct span bytes, mode_t mode)
{
	return tree_has(parent, name, bytes, mode) && stamp_file(replica, parent, name, mode);
}

/* Finds the type at `name`, such as S_IFREG; 0: nothing. Returns 0 or -errno. */
static int type_of(int fd, const char *name, mode_t *ret)
{
	struct stat stat;

	*ret = 0;
	if (fstatat(fd, name, &stat, AT_SYMLINK_NOFOLLOW) == 0)
		*ret = stat.st_mode & S_IFMT;
	else if (errno != ENOENT)
		return -errno;
	return 0;
}

int replica_put(
	struct replica *replica, const char *path, struct span bytes, mode_t mode, bool *is_changed)
{
	const char *name;
	mode_t type;

	*is_changed = false;
	if (replica->tree_fd < 0)
		return REPLICA_NEEDS_DRAFT;
	CLEANUP(closep) int parent = tree_open_parent(replica->tree_fd, path, &name, NULL);
	if (parent == -ENOENT || parent == -ENOTDIR)
		return REPLICA_NEEDS_DRAFT;
	int r = parent < 0 ? parent : type_of(parent, name, &type);
	if (r < 0)
		return r;
	if (type == S_IFDIR)
		return REPLICA_NEEDS_DRAFT;
	if (has(replica, parent, name, bytes, mode))
		return 0;
	(void)unlinkat(replica->state_fd, NEW, 0);
	r = tree_write(replica->state_fd, NEW, bytes, mode, true);
	if (r == 0)
		(void)stamp_file(replica, replica->state_fd, NEW, mode);
	if (r == 0 && renameat(replica->state_fd, NEW, parent, name) < 0) {
		r = -errno;
		(void)unlinkat(replica->state_fd, NEW, 0);
	}
	if (r < 0)
		return r;
	*is_changed = true;
	replica->count += !type;
	recycled_tree_note(&replica->recycled, path);
	return 0;
}

int replica_remove(struct replica *replica, const char *path, bool *is_changed)
{
	const char *name;
	mode_t type;

	*is_changed = false;
	if (replica->tree_fd < 0)
		return REPLICA_NEEDS_DRAFT;
	CLEANUP(closep) int parent = tree_open_parent(replica->tree_fd, path, &name, NULL);
	if (parent == -ENOENT || parent == -ENOTDIR)
		return 0;
	int r = parent < 0 ? parent : type_of(parent, name, &type);
	if (r < 0 || !type || type == S_IFDIR)
		return r;
	/* The directory would become empty, and must go with the file. */
	if (name != path && count_names(parent) < 2)
		return REPLICA_NEEDS_DRAFT;
	if (unlinkat(parent, name, 0) < 0)
		return -errno;
	*is_changed = true;
	replica->count--;
	recycled_tree_note(&replica->recycled, path);
	return 0;
}

static void drop_draft(struct replica *replica)
{
	closep(&replica->draft_fd);
	replica->written = 0;
	path_list_clear(&replica->changes);
	(void)tree_remove(replica->state_fd, DRAFT);
}

void replica_discard(struct replica *replica)
{
	drop_draft(replica);
	recycled_tree_drop(&replica->recycled);
}

void replica_put_back(struct replica *replica)
{
	if (is_copy(replica)) {
		recycled_tree_keep(&replica->recycled, DRAFT, replica->draft_fd, &replica->changes);
		replica->draft_fd = -1;
	}
	drop_draft(replica);
}

static int make_draft(struct replica *replica)
{
	if (mkdirat(replica->state_fd, DRAFT, 0755) < 0)
		return -errno;
	replica->draft_fd = descriptor_open_directory(replica->state_fd, DRAFT);
	if (replica->draft_fd < 0)
		return replica->draft_fd;
	/* The umask must not matter. */
	return fchmod(replica->draft_fd, 0755) < 0 ? -errno : 0;
}

/* Begins a draft as the recycled tree, or as a copy of all. */
static int begin_copy(struct replica *replica, struct path_list *changes)
{
	path_list_sort(changes);
	int r = path_list_add_all(&replica->changes, changes);
	if (r < 0)
		return r;
	if (recycled_tree_is_worth_it(&replica->recycled, changes->count)) {
		r = recycled_tree_take(&replica->recycled, DRAFT, replica->tree_fd, changes);
		replica->draft_fd = r;
		return r < 0 ? r : 0;
	}
	r = make_draft(replica);
	return r < 0 ? r : tree_link(replica->tree_fd, replica->draft_fd);
}

int replica_begin(struct replica *replica, struct path_list *changes)
{
	drop_draft(replica);
	/* An earlier attempt may have failed, or another program may have removed the link. */
	int r = replica_turn_link(replica);
	if (r < 0)
		return r;
	return changes && replica->tree_fd >= 0 ? begin_copy(replica, changes)
						: make_draft(replica);
}

/*
 * Makes a hard link of the present tree's file, if that has these bytes and this mode. Returns 0;
 * or 1 if it must be written.
 */
static int link_same(
	struct replica *replica, int draft, const char *path, struct span bytes, mode_t mode)
{
	const char *name;

	if (replica->tree_fd < 0)
		return 1;
	CLEANUP(closep) int parent = tree_open_parent(replica->tree_fd, path, &name, NULL);
	/* If the file can't have more links, it is written again. */
	return parent < 0 || !has(replica, parent, name, bytes, mode) ||
	       linkat(parent, name, draft, name, 0) < 0;
}

int replica_draft_put(
	struct replica *replica, const char *path, struct span bytes, mode_t mode, size_t *clash)
{
	const char *name;
	mode_t type;
	CLEANUP(closep) int parent = tree_open_parent(replica->draft_fd, path, &name, clash);

	int r = parent < 0 ? parent : type_of(parent, name, &type);
	if (r == 0 && *clash && is_copy(replica))
		r = path_list_add(&replica->changes, path, *clash);
	if (r < 0)
		return r;
	if (type == S_IFDIR)
		return TREE_CLASH;
	if (type && has(replica, parent, name, bytes, mode))
		return 0;
	if (type && unlinkat(parent, name, 0) < 0)
		return -errno;
	r = link_same(replica, parent, path, bytes, mode);
	if (r != 1)
		return r;
	bool is_synced = is_copy(replica) && replica->changes.count <= WRITTEN_SINGLY;
	replica->written += !is_synced;
	r = tree_write(parent, name, bytes, mode, is_synced);
	if (r == 0)
		(void)stamp_file(replica, parent, name, mode);
	return r;
}

int replica_draft_remove(struct replica *replica, const char *path)
{
	return tree_unlink(replica->draft_fd, path);
}

int replica_compare(struct replica *replica, struct tree_difference *ret)
{
	if (is_copy(replica)) {
		path_list_sort(&replica->changes);
		return tree_compare_at(replica->tree_fd, replica->draft_fd, &replica->changes,
			replica->count, ret);
	}
	return tree_compare(replica->tree_fd, replica->draft_fd, ret);
}

/*
 * Makes the tree that was the present one the recycled one, or drops the recycled one. Then removes
 * every tree but the present one and the recent ones that a command holds.
 */
static void retire(struct replica *replica, const char *name, int fd)
{
	if (fd >= 0 && is_copy(replica) && replica->changes.count <= RECYCLED_TREE_STALE_MAX &&
		!is_held(fd)) {
		recycled_tree_keep(&replica->recycled, name, fd, &replica->changes);
	} else {
		recycled_tree_drop(&replica->recycled);
		closep(&fd);
	}
	(void)for_each_tree(replica, remove_other);
}

int replica_publish(struct replica *replica, const struct tree_difference *difference)
{
	bool is_first = replica->tree_fd < 0;
	int old_fd = replica->tree_fd;
	char name[64], old[64];
	int r;

	/* A power failure must not leave names without their bytes. */
	if (!is_first && replica->written && syncfs(replica->draft_fd) < 0)
		return -errno;
	if (is_first && (r = unsynced_mark(replica->state_fd)) < 0)
		return r;
	tree_name(replica->number, old);
	tree_name(replica->number + 1, name);
	(void)tree_remove(replica->state_fd, name);
	if (renameat(replica->state_fd, DRAFT, replica->state_fd, name) < 0)
		return -errno;
	replica->tree_fd = replica->draft_fd;
	replica->draft_fd = -1;
	replica->number++;
	replica->count = difference->count;
	r = replica_turn_link(replica);
	/* If a full disk keeps the link from turning, readers still get the old tree: it stays. */
	if (r == 0)
		retire(replica, old, old_fd);
	else
		closep(&old_fd);
	/* The first state was served without waiting for the disk: sync it now. */
	if (is_first)
		unsynced_end_beside(replica->state_fd, replica->lock_fd);
	return r;
}
