#include "file_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "array.h"
#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "name_watch.h"
#include "path.h"
#include "version.h"

/*
 * Times in ms. A change is reported after a quiet period of the first length, but no later than
 * after the second.
 */
#define QUIET_MS 50
#define QUIET_MAX_MS 1000

/* ms between two polls, for file systems on which inotify does not work. */
#define POLL_MS 1000

#define EVENTS                                                                                     \
	(IN_MODIFY | IN_CLOSE_WRITE | IN_MOVE | IN_CREATE | IN_DELETE | IN_ATTRIB |                \
		IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

struct watched {
	char *path;
	struct stamp stamp; /* all zero: there is no such file */
};

struct file_watch {
	struct name_watch *names;
	struct watched *files;
	size_t count;
	size_t capacity;
};

int file_watch_new(struct file_watch **ret)
{
	CLEANUP(file_watch_freep) struct file_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	int r = name_watch_new(&watch->names);
	if (r < 0)
		return r;
	*ret = take_ptr(watch);
	return 0;
}

void file_watch_freep(struct file_watch **place)
{
	struct file_watch *watch = *place;

	if (!watch)
		return;
	name_watch_free(watch->names);
	for (size_t i = 0; i < watch->count; i++)
		free(watch->files[i].path);
	free(watch->files);
	free(watch);
}

static struct stamp look(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 ? stamp_of(&found) : (struct stamp){0};
}

/* Watches a name. If that fails, the file is still polled. */
static int watch_name(struct file_watch *watch, const char *directory, const char *name)
{
	CLEANUP(closep)
	int fd = open(*directory ? directory : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	return name_watch_add(watch->names, fd, name, EVENTS) == -ENOMEM ? -ENOMEM : 0;
}

int file_watch_add_directory(struct file_watch *watch, const char *directory)
{
	return watch_name(watch, directory, NULL);
}

static int watch_around(struct file_watch *watch, const char *file)
{
	CLEANUP(freep) char *directory = strndup(file, path_directory_length(file));

	return directory ? watch_name(watch, directory, path_name(file)) : -ENOMEM;
}

int file_watch_add(struct file_watch *watch, const char *file)
{
	CLEANUP(freep) char *real = realpath(file, NULL);
	struct watched watched = {.path = strdup(file)};

	if (!watched.path || array_push(watch->files, watch->count, watch->capacity, watched) < 0) {
		free(watched.path);
		return -ENOMEM;
	}
	int r = watch_around(watch, file);
	if (r == 0 && real)
		r = watch_around(watch, real);
	/* Only now: a later change causes an event, or differs from this stamp. */
	watch->files[watch->count - 1].stamp = look(file);
	return r;
}

static bool has_changed(const struct file_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++) {
		struct stamp now = look(watch->files[i].path);
		if (!stamp_equal(&now, &watch->files[i].stamp))
			return true;
	}
	return false;
}

/* Waits until there are no more events: a file may be half written, or another may follow. */
static void settle(const struct file_watch *watch)
{
	struct pollfd poll_fd = {.fd = name_watch_fd(watch->names), .events = POLLIN};
	long long end = clock_ms() + QUIET_MAX_MS;

	do
		name_watch_has_event(watch->names);
	while (poll(&poll_fd, 1, QUIET_MS) > 0 && clock_ms() < end);
}

int file_watch_wait(struct file_watch *watch, const int fds[2])
{
	struct pollfd poll_fds[] = {
		{.fd = name_watch_fd(watch->names), .events = POLLIN},
		{.fd = fds[0], .events = POLLIN},
		{.fd = fds[1], .events = 0},
	};

	for (;;) {
		int ready = poll(poll_fds, 3, POLL_MS);
		if (ready > 0 && (poll_fds[1].revents || poll_fds[2].revents))
			return FILE_WATCH_ENDED;
		/*
		 * A changed link on the way to a file causes no event, but leads to another file.
		 */
		if (name_watch_has_event(watch->names) || has_changed(watch)) {
			settle(watch);
			return FILE_WATCH_CHANGED;
		}
	}
}
