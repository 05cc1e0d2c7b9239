#include "deferred.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"

/* Maximum delay of a generation while changes go on. */
#define GENERATION_MAX_MS 200

/* Delay between a change and the writing of the status. */
#define STATUS_MS 100

/* Times are those of clock_ms(), 0: nothing is due. */
struct deferred {
	int fd; /* timerfd */
	int64_t paths_ms;
	int64_t generation_ms;
	int64_t changed_ms; /* when the first change for the next generation was made */
	int64_t status_ms;
	struct deferred_paths paths;
};

int deferred_new(struct deferred **ret)
{
	struct deferred *deferred = calloc(1, sizeof(*deferred));

	if (!deferred)
		return -ENOMEM;
	deferred->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (deferred->fd < 0) {
		int r = -errno;
		free(deferred);
		return r;
	}
	*ret = deferred;
	return 0;
}

void deferred_free(struct deferred *deferred)
{
	if (!deferred)
		return;
	tdestroy(deferred->paths.some, free);
	close(deferred->fd);
	free(deferred);
}

int deferred_fd(const struct deferred *deferred)
{
	return deferred->fd;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Sets the timer to the earliest deadline. */
static void set_timer(const struct deferred *deferred)
{
	int64_t at = deferred->paths_ms;

	if (!at || (deferred->generation_ms && deferred->generation_ms < at))
		at = deferred->generation_ms;
	if (!at || (deferred->status_ms && deferred->status_ms < at))
		at = deferred->status_ms;
	const struct itimerspec when = {
		.it_value = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000}};
	timerfd_settime(deferred->fd, TFD_TIMER_ABSTIME, &when, NULL);
}

void deferred_look(struct deferred *deferred, const char *path, int64_t after_ms)
{
	int64_t at = clock_ms() + after_ms;
	char *copy = path ? strdup(path) : NULL;

	char **found = copy ? tsearch(copy, &deferred->paths.some, compare_paths) : NULL;
	if (!found)
		deferred->paths.are_all = true;
	if (!found || *found != copy)
		free(copy);
	if (!deferred->paths_ms || at < deferred->paths_ms) {
		deferred->paths_ms = at;
		set_timer(deferred);
	}
}

void deferred_commit(struct deferred *deferred, int64_t after_ms)
{
	int64_t now = clock_ms();

	if (!deferred->changed_ms)
		deferred->changed_ms = now;
	deferred->generation_ms = now + after_ms;
	if (after_ms <= GENERATION_MAX_MS &&
		deferred->generation_ms > deferred->changed_ms + GENERATION_MAX_MS)
		deferred->generation_ms = deferred->changed_ms + GENERATION_MAX_MS;
	set_timer(deferred);
}

void deferred_put_status(struct deferred *deferred)
{
	if (!deferred->status_ms) {
		deferred->status_ms = clock_ms() + STATUS_MS;
		set_timer(deferred);
	}
}

bool deferred_take(struct deferred *deferred, struct due *ret)
{
	int64_t now = clock_ms();
	bool is_status_due = deferred->status_ms && deferred->status_ms <= now;
	uint64_t count;

	(void)!read(deferred->fd, &count, sizeof(count));
	*ret = (struct due){0};
	if (deferred->generation_ms && deferred->generation_ms <= now) {
		ret->since_ms = deferred->changed_ms;
		deferred->generation_ms = 0;
	}
	if (deferred->paths_ms && deferred->paths_ms <= now) {
		ret->paths = deferred->paths;
		deferred->paths = (struct deferred_paths){0};
		deferred->paths_ms = 0;
	}
	if (is_status_due)
		deferred->status_ms = 0;
	set_timer(deferred);
	return is_status_due;
}

void deferred_commit_done(struct deferred *deferred, int64_t after_ms)
{
	if (after_ms)
		deferred->generation_ms = clock_ms() + after_ms;
	else
		deferred->changed_ms = 0;
	set_timer(deferred);
}
