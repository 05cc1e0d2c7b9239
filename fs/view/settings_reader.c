#include "settings_reader.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "await.h"
#include "coroutine.h"
#include "descriptor.h"
#include "followed_path.h"

#define PAGES (SETTINGS_READERS_MAX * PATH_MAX)

/* Exit status of a process that met a layer for which an earlier one waits. */
#define IS_SILENT 1

/* The arguments of the new process. */
struct first_reading {
	const struct settings_reader *reader;
	size_t own_place; /* of the process */
	const struct settings *old;
	dev_t own;
};

/* In the new process. */
static const struct first_reading *reading;

/* In the new process, before a layer's directory is opened. */
static void note_layer(const char *path)
{
	const struct settings_reader *reader = reading->reader;

	snprintf(reader->layers[reading->own_place], PATH_MAX, "%s", path);
	for (size_t i = 0; i < SETTINGS_READERS_MAX; i++)
		if (i != reading->own_place && reader->processes[i].pid &&
			strcmp(reader->layers[i], path) == 0)
			_exit(IS_SILENT);
}

/* In the new process. */
static void read_first(void *context)
{
	int kept = followed_path_beneath();
	struct settings *settings;
	struct problem ignored;

	reading = context;
	descriptor_close_except(&kept, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "plyfs-settings");
	layer_observe(note_layer);
	(void)settings_again(reading->old, reading->own, NULL, &settings, &ignored);
	_exit(0);
}

static void forget(struct settings_reader *reader, size_t place)
{
	closep(&reader->processes[place].pidfd);
	reader->processes[place].pid = 0;
}

/* Returns whether there is no process, or none any more; then with its exit status. */
static bool reap(struct settings_reader *reader, size_t place, int *status)
{
	siginfo_t info = {0};
	pid_t pid = reader->processes[place].pid;

	if (!pid)
		return true;
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) == 0 && info.si_pid == 0)
		return false;
	*status = info.si_status;
	forget(reader, place);
	return true;
}

/* The problem names no source: its file system may be the one that does not answer. */
static int report(const char *layer, struct problem *problem)
{
	if (!*layer)
		return problem_set(problem, NULL, 0, 0,
			"the settings can't be read again: their file system does not answer; look "
			"after that");
	return problem_set(problem, NULL, 0, 0,
		"the settings can't be read again: the layer directory '%.*s' can't be opened, or "
		"a preset or schema read: its file system does not answer; look after that, or "
		"leave the layer out",
		PATH_MAX - 1, layer);
}

/* Finds a place for a process, and reaps the others. SETTINGS_READERS_MAX: there is none. */
static size_t find_place(struct settings_reader *reader)
{
	size_t place = SETTINGS_READERS_MAX;
	int ignored;

	for (size_t i = 0; i < SETTINGS_READERS_MAX; i++)
		if (reap(reader, i, &ignored))
			place = i;
	return place;
}

static int share_pages(struct settings_reader *reader)
{
	void *pages;

	if (reader->layers)
		return 0;
	pages = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return -errno;
	reader->layers = pages;
	return 0;
}

int settings_reader_try(struct settings_reader *reader, const struct settings *old, dev_t own,
	int stop_fd, struct problem *problem)
{
	size_t place = find_place(reader);
	struct first_reading first = {reader, place, old, own};
	struct pollfd waited[] = {{.events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
	int status = 0, r = share_pages(reader);

	if (r < 0)
		return r;
	if (place == SETTINGS_READERS_MAX)
		return report("", problem);
	char *layer = reader->layers[place];
	*layer = '\0';
	pid_t pid = coroutine_fork(read_first, &first);
	if (pid < 0)
		return pid;
	reader->processes[place].pid = pid;
	waited[0].fd = reader->processes[place].pidfd = pidfd_open(pid, 0);
	await_ms(waited, 2, (int)old->answer_ms);
	if (reap(reader, place, &status))
		return status == IS_SILENT ? report(layer, problem) : 0;
	kill(pid, SIGKILL);
	return waited[1].revents ? -ECANCELED : report(layer, problem);
}

void settings_reader_fini(struct settings_reader *reader)
{
	int ignored;

	for (size_t i = 0; i < SETTINGS_READERS_MAX; i++) {
		if (reader->processes[i].pid)
			kill(reader->processes[i].pid, SIGKILL);
		if (!reap(reader, i, &ignored))
			forget(reader, i);
	}
	if (reader->layers)
		munmap(reader->layers, PAGES);
	reader->layers = NULL;
}
