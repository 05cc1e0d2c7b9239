#include "agenda.h"

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
struct agenda {
	int fd; /* timerfd */
	int64_t paths_ms;
	int64_t generation_ms;
	int64_t changed_ms; /* when the first change for the next generation was made */
	int64_t status_ms;
	struct agenda_paths paths;
};

int agenda_new(struct agenda **ret)
{
	struct agenda *agenda = calloc(1, sizeof(*agenda));

	if (!agenda)
		return -ENOMEM;
	agenda->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (agenda->fd < 0) {
		int r = -errno;
		free(agenda);
		return r;
	}
	*ret = agenda;
	return 0;
}

void agenda_free(struct agenda *agenda)
{
	if (!agenda)
		return;
	tdestroy(agenda->paths.some, free);
	close(agenda->fd);
	free(agenda);
}

int agenda_fd(const struct agenda *agenda)
{
	return agenda->fd;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Sets the timer to the earliest deadline. */
static void set_timer(const struct agenda *agenda)
{
	int64_t at = agenda->paths_ms;

	if (!at || (agenda->generation_ms && agenda->generation_ms < at))
		at = agenda->generation_ms;
	if (!at || (agenda->status_ms && agenda->status_ms < at))
		at = agenda->status_ms;
	const struct itimerspec when = {
		.it_value = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000}};
	timerfd_settime(agenda->fd, TFD_TIMER_ABSTIME, &when, NULL);
}

void agenda_look(struct agenda *agenda, const char *path, int64_t after_ms)
{
	int64_t at = clock_ms() + after_ms;
	char *copy = path ? strdup(path) : NULL;

	char **found = copy ? tsearch(copy, &agenda->paths.some, compare_paths) : NULL;
	if (!found)
		agenda->paths.are_all = true;
	if (!found || *found != copy)
		free(copy);
	if (!agenda->paths_ms || at < agenda->paths_ms) {
		agenda->paths_ms = at;
		set_timer(agenda);
	}
}

void agenda_commit(struct agenda *agenda, int64_t after_ms)
{
	int64_t now = clock_ms();

	if (!agenda->changed_ms)
		agenda->changed_ms = now;
	agenda->generation_ms = now + after_ms;
	if (after_ms <= GENERATION_MAX_MS &&
		agenda->generation_ms > agenda->changed_ms + GENERATION_MAX_MS)
		agenda->generation_ms = agenda->changed_ms + GENERATION_MAX_MS;
	set_timer(agenda);
}

void agenda_put_status(struct agenda *agenda)
{
	if (!agenda->status_ms) {
		agenda->status_ms = clock_ms() + STATUS_MS;
		set_timer(agenda);
	}
}

bool agenda_take(struct agenda *agenda, struct due *ret)
{
	int64_t now = clock_ms();
	bool is_status_due = agenda->status_ms && agenda->status_ms <= now;
	uint64_t count;

	(void)!read(agenda->fd, &count, sizeof(count));
	*ret = (struct due){0};
	if (agenda->generation_ms && agenda->generation_ms <= now) {
		ret->since_ms = agenda->changed_ms;
		agenda->generation_ms = 0;
	}
	if (agenda->paths_ms && agenda->paths_ms <= now) {
		ret->paths = agenda->paths;
		agenda->paths = (struct agenda_paths){0};
		agenda->paths_ms = 0;
	}
	if (is_status_due)
		agenda->status_ms = 0;
	set_timer(agenda);
	return is_status_due;
}

void agenda_commit_done(struct agenda *agenda, int64_t after_ms)
{
	if (after_ms)
		agenda->generation_ms = clock_ms() + after_ms;
	else
		agenda->changed_ms = 0;
	set_timer(agenda);
}
