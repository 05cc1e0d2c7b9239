#include "named_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "opening.h"

/*
 * A program that moves a tree again and again must not hold us up. Nor may it move the tree between
 * our two system calls each time: the kernel delays each call until a move has ended, so without
 * pauses of our own the calls would keep in step with the moves.
 */
#define TRIES 30
#define TRIES_AT_ONCE 4
#define PAUSE_NS 1000 /* times the number of the try: equal pauses keep in step, too */

/* Paths as the kernel has them. */
struct named_paths {
	char **items;
	size_t count;
	size_t capacity;
};

/* By their descriptors: what is moved is found by its new name. */
struct tree {
	int fd;
	dev_t dev;
	ino_t ino;
};

struct trees {
	struct tree *items;
	size_t count;
	size_t capacity;
};

struct named {
	struct trees trees; /* layers */
	struct named_paths files;
	bool is_following; /* some layer is: links lead anywhere */
	bool is_whole;     /* the settings could be read to their end */
};

struct named_files {
	const struct settings *settings; /* as they were when we began */
	pthread_mutex_t lock;
	struct named in_force; /* lock */
	struct named read;     /* lock: of the last look, and not in force yet, or never */
};

static void named_clear(struct named *named)
{
	for (size_t i = 0; i < named->trees.count; i++)
		close(named->trees.items[i].fd);
	for (size_t i = 0; i < named->files.count; i++)
		free(named->files.items[i]);
	free(named->trees.items);
	free(named->files.items);
	*named = (struct named){0};
}

static bool paths_have(const struct named_paths *paths, const char *path)
{
	for (size_t i = 0; i < paths->count; i++)
		if (strcmp(paths->items[i], path) == 0)
			return true;
	return false;
}

/* What can't be kept for lack of memory, or descriptors, is refused later. */
static void add_file(struct named_paths *paths, int fd)
{
	char path[PATH_MAX];

	if (descriptor_path(fd, path) < 0 || paths_have(paths, path) ||
		array_grow(paths->items, paths->count, paths->capacity) < 0)
		return;
	paths->items[paths->count] = strdup(path);
	if (paths->items[paths->count])
		paths->count++;
}

static void add_tree(struct trees *trees, int fd, const struct stat *stat)
{
	if (array_grow(trees->items, trees->count, trees->capacity) < 0)
		return;
	trees->items[trees->count] =
		(struct tree){fcntl(fd, F_DUPFD_CLOEXEC, 0), stat->st_dev, stat->st_ino};
	if (trees->items[trees->count].fd >= 0)
		trees->count++;
}

/* What is opened while settings are read is what they name. */
static void add_opened(void *context, int fd)
{
	struct named *named = context;
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return;
	if (S_ISDIR(stat.st_mode))
		add_tree(&named->trees, fd, &stat);
	else
		add_file(&named->files, fd);
}

/* Settings that can't be used name files all the same, up to the mistake: it may be in one of them.
 */
void named_files_look(struct named_files *files)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	struct named read = {0}, old;
	struct problem problem;

	opening_observe(add_opened, &read);
	read.is_whole = settings_again(files->settings, 0, &settings, &problem) == 0;
	opening_observe(NULL, NULL);
	for (size_t i = 0; read.is_whole && i < settings->layer_count; i++)
		read.is_following |= settings->layers[i]->follow;
	pthread_mutex_lock(&files->lock);
	old = files->read;
	files->read = read;
	pthread_mutex_unlock(&files->lock);
	named_clear(&old);
}

bool named_files_were_found(struct named_files *files, int directory, bool follows)
{
	const struct named *read = &files->read;
	struct stat stat;
	bool is_found = false;

	if (fstat(directory, &stat) < 0)
		return false;
	pthread_mutex_lock(&files->lock);
	for (size_t i = 0; read->is_whole && i < read->trees.count; i++)
		is_found |= read->trees.items[i].dev == stat.st_dev &&
			    read->trees.items[i].ino == stat.st_ino;
	is_found &= !follows || read->is_following;
	pthread_mutex_unlock(&files->lock);
	return is_found;
}

/* Where we have read less than who has taken them, there is an event for that, and so another look.
 */
void named_files_take(struct named_files *files)
{
	struct named old = {0};

	pthread_mutex_lock(&files->lock);
	if (files->read.is_whole) {
		old = files->in_force;
		files->in_force = files->read;
		files->read = (struct named){0};
	}
	pthread_mutex_unlock(&files->lock);
	named_clear(&old);
}

int named_files_new(const struct settings *settings, struct named_files **ret)
{
	struct named_files *files = calloc(1, sizeof(*files));

	if (!files)
		return -ENOMEM;
	files->settings = settings;
	pthread_mutex_init(&files->lock, NULL);
	/* At once: whoever begins a mount may unmount a layer when it is ready. */
	named_files_look(files);
	named_files_take(files);
	*ret = files;
	return 0;
}

static bool is_beneath(const char *path, const char *tree)
{
	size_t len = strlen(tree);

	if (len == 1)
		return true; /* the root directory */
	return strncmp(path, tree, len) == 0 && (path[len] == '/' || !path[len]);
}

static bool has(const struct named *named, int fd, const char *path)
{
	char tree[PATH_MAX];

	for (size_t i = 0; i < named->trees.count; i++)
		if (descriptor_path(named->trees.items[i].fd, tree) == 0 && is_beneath(path, tree))
			return true;
	if (paths_have(&named->files, path))
		return true;
	return named->is_following && !layer_is_kernels_own(fd);
}

bool named_files_has(struct named_files *files, int fd)
{
	char path[PATH_MAX];
	bool is_named = false;

	/* A tree that is moved between the two seems to be elsewhere. */
	for (int i = 0; i < TRIES && !is_named; i++) {
		if (descriptor_path(fd, path) < 0)
			return false;
		if (i >= TRIES_AT_ONCE)
			nanosleep(&(struct timespec){.tv_nsec = i * PAUSE_NS}, NULL);
		pthread_mutex_lock(&files->lock);
		is_named = has(&files->in_force, fd, path) || has(&files->read, fd, path);
		pthread_mutex_unlock(&files->lock);
	}
	return is_named;
}
