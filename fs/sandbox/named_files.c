#include "named_files.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "opening.h"

/* Paths as the kernel has them. */
struct paths {
	char **items;
	size_t count;
	size_t capacity;
};

struct named {
	struct paths trees; /* layers */
	struct paths files;
	bool is_following; /* some layer is: links lead anywhere */
};

struct named_files {
	const struct settings *settings; /* as they were when we began */
	pthread_mutex_t lock;
	struct named now; /* lock */
};

void named_files_link(int fd, char ret[NAMED_FILES_LINK_MAX])
{
	snprintf(ret, NAMED_FILES_LINK_MAX, "/proc/self/fd/%d", fd);
}

/* Where the descriptor leads to by now; renamed, it is found by its new name. */
static bool path_of(int fd, char path[PATH_MAX])
{
	char link[NAMED_FILES_LINK_MAX];

	named_files_link(fd, link);
	ssize_t len = fd < 0 ? -1 : readlink(link, path, PATH_MAX - 1);
	if (len <= 0)
		return false;
	path[len] = '\0';
	return path[0] == '/';
}

static void paths_clear(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->items[i]);
	free(paths->items);
	*paths = (struct paths){0};
}

static bool paths_have(const struct paths *paths, const char *path)
{
	for (size_t i = 0; i < paths->count; i++)
		if (strcmp(paths->items[i], path) == 0)
			return true;
	return false;
}

/* One that can't be kept for lack of memory is refused later. */
static void paths_add(struct paths *paths, const char *path)
{
	if (paths_have(paths, path))
		return;
	if (paths->count == paths->capacity) {
		size_t capacity = paths->capacity ? 2 * paths->capacity : 16;
		char **items = realloc(paths->items, capacity * sizeof(*items));
		if (!items)
			return;
		paths->items = items;
		paths->capacity = capacity;
	}
	paths->items[paths->count] = strdup(path);
	if (paths->items[paths->count])
		paths->count++;
}

static void paths_add_all(struct paths *paths, const struct paths *others)
{
	for (size_t i = 0; i < others->count; i++)
		paths_add(paths, others->items[i]);
}

/* What is opened while settings are read is what they name. */
static void add_opened(void *context, int fd)
{
	struct named *named = context;
	char path[PATH_MAX];
	struct stat stat;

	if (fstat(fd, &stat) == 0 && path_of(fd, path))
		paths_add(S_ISDIR(stat.st_mode) ? &named->trees : &named->files, path);
}

/* Settings that can't be used name files all the same, up to the mistake: it may be in one of them.
 * Then what was named before stays, as it does in force. */
void named_files_look(struct named_files *files)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	struct named fresh = {0}, old;
	struct problem problem;

	opening_observe(add_opened, &fresh);
	int r = settings_again(files->settings, 0, &settings, &problem);
	opening_observe(NULL, NULL);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++)
		fresh.is_following |= settings->layers[i]->follow;
	pthread_mutex_lock(&files->lock);
	old = files->now;
	if (r != 0) {
		paths_add_all(&fresh.trees, &old.trees);
		paths_add_all(&fresh.files, &old.files);
		fresh.is_following = old.is_following;
	}
	files->now = fresh;
	pthread_mutex_unlock(&files->lock);
	paths_clear(&old.trees);
	paths_clear(&old.files);
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
	for (size_t i = 0; i < named->trees.count; i++)
		if (is_beneath(path, named->trees.items[i]))
			return true;
	if (paths_have(&named->files, path))
		return true;
	return named->is_following && !layer_is_kernels_own(fd);
}

bool named_files_has(struct named_files *files, int fd)
{
	char path[PATH_MAX];

	if (!path_of(fd, path))
		return false;
	pthread_mutex_lock(&files->lock);
	bool is_named = has(&files->now, fd, path);
	pthread_mutex_unlock(&files->lock);
	return is_named;
}
