/*
 * Measures the time from the end of the rename that replaces a source to the first read that finds
 * its new content in the mount.
 *
 *      bench-latency [--in-place] [--readers N | --wait] SOURCE FILE ROUNDS
 *
 * With --in-place the source is not renamed but saved as `>`, cp and nano do: SOURCE is truncated,
 * written and closed, and the time begins at the end of close(2). The program replaces SOURCE again
 * and again by itself with another number behind "version: ", which FILE must then show.
 *
 * Without --readers, the process that replaces SOURCE also reads. With it, N processes open, read
 * and close the file all the time, and the first of them to see the number counts; the writer
 * itself sleeps. With --wait, the process that replaces SOURCE sleeps until inotify reports an
 * event in FILE's directory, and only then reads.
 *
 * Prints "latency P50 P99 MAX WHOLE_P50 WHOLE_P99", in microseconds. The first three do not count
 * the time that the disk's own file system needs for the rename, as it may write to the disk
 * meanwhile. The last two begin with the rename's start. A second line, "percentiles", has the 101
 * percentiles of the times from the rename's end, from the smallest to the greatest.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MAX (1u << 16)
#define READERS_MAX 64

/* Seconds after which a change counts as lost. */
#define LOST 5

/*
 * Shared by the processes: when a reader has first seen each version, in nanoseconds; 0: not yet.
 */
static _Atomic uint64_t *seen;

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void give_up(const char *path)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(1);
}

static void read_text(const char *path, char *text)
{
	size_t len = 0;
	ssize_t n;

	int fd = open(path, O_RDONLY);
	if (fd < 0)
		give_up(path);
	while ((n = read(fd, text + len, TEXT_MAX - 1 - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		give_up(path);
	close(fd);
	text[len] = '\0';
}

static void write_text(const char *path, const char *text, size_t version)
{
	FILE *stream = fopen(path, "w");

	if (!stream || fprintf(stream, "%sversion: v%zuv\n", text, version) < 0 || fclose(stream))
		give_up(path);
}

/* Notes the version that FILE shows, if no process has seen it before. */
static void look(const char *file, size_t rounds)
{
	static char text[TEXT_MAX];

	read_text(file, text);
	uint64_t now = now_ns(), unseen = 0;
	const char *found = strstr(text, "version: v");
	size_t version = found ? strtoul(found + strlen("version: v"), NULL, 10) : rounds;
	if (version < rounds && atomic_load(&seen[version]) == 0)
		atomic_compare_exchange_strong(&seen[version], &unseen, now);
}

static pid_t start_reader(const char *file, size_t rounds)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		give_up("fork");
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		look(file, rounds);
	_exit(0);
}

struct how {
	bool is_in_place;
	unsigned readers;
	int events; /* an inotify descriptor for FILE's directory; -1: read all the time */
};

/* Returns a descriptor that reports what becomes of the names in the file's directory. */
static int watch_directory_of(const char *file)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s", file);
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd < 0 || inotify_add_watch(fd, dirname(path),
			      IN_MOVED_TO | IN_CREATE | IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE) < 0)
		give_up(file);
	return fd;
}

/* Sleeps until there is an event, and takes all that there are. */
static void wait_for_event(int events)
{
	char buffer[4096];
	struct pollfd poll_fd = {.fd = events, .events = POLLIN};

	poll(&poll_fd, 1, LOST * 1000);
	while (read(events, buffer, sizeof(buffer)) > 0)
		;
}

/* Puts the version into SOURCE. Returns the time at which that began. */
static uint64_t save(const char *source, const char *rest, size_t version, bool is_in_place)
{
	char beside[4096];

	if (is_in_place) {
		uint64_t begin = now_ns();
		write_text(source, rest, version);
		return begin;
	}
	/* As programs do that replace a file: so the name beside it comes and goes unseen. */
	snprintf(beside, sizeof(beside), "%s~", source);
	write_text(beside, rest, version);
	uint64_t begin = now_ns();
	if (rename(beside, source) < 0)
		give_up(source);
	return begin;
}

/* Microseconds. */
struct times {
	double from_end; /* of the rename; 0 if the version showed before that */
	double from_start;
};

static struct times one_round(const char *source, const char *file, const char *rest,
	size_t version, size_t rounds, const struct how *how)
{
	usleep(5000); /* the effects of the last round are over */
	uint64_t begin = save(source, rest, version, how->is_in_place);
	uint64_t start = now_ns(), end;
	while ((end = atomic_load(&seen[version])) == 0) {
		if (how->readers) {
			usleep(500);
		} else {
			if (how->events >= 0)
				wait_for_event(how->events);
			look(file, rounds);
		}
		if (now_ns() - start > LOST * (uint64_t)1000000000) {
			fprintf(stderr, "%s: version %zu does not come\n", file, version);
			exit(1);
		}
	}
	return (struct times){.from_end = end > start ? (double)(end - start) / 1e3 : 0,
		.from_start = (double)(end - begin) / 1e3};
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const char *source, const char *file, size_t rounds, const struct how *how)
{
	static char rest[TEXT_MAX];
	pid_t pids[READERS_MAX];
	double *times = calloc(rounds, sizeof(*times));
	double *whole = calloc(rounds, sizeof(*whole));

	seen = mmap(NULL, rounds * sizeof(*seen), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!times || !whole || seen == MAP_FAILED)
		give_up("memory");
	read_text(source, rest);
	for (unsigned i = 0; i < how->readers; i++)
		pids[i] = start_reader(file, rounds);
	for (size_t i = 0; i < rounds; i++) {
		struct times both = one_round(source, file, rest, i, rounds, how);
		times[i] = both.from_end;
		whole[i] = both.from_start;
	}
	for (unsigned i = 0; i < how->readers; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	qsort(times, rounds, sizeof(*times), compare);
	qsort(whole, rounds, sizeof(*whole), compare);
	printf("latency %.1f %.1f %.1f %.1f %.1f\n", times[rounds / 2], times[rounds * 99 / 100],
		times[rounds - 1], whole[rounds / 2], whole[rounds * 99 / 100]);
	printf("percentiles");
	for (size_t i = 0; i <= 100; i++)
		printf(" %.1f", times[(rounds - 1) * i / 100]);
	putchar('\n');
	free(times);
	free(whole);
}

int main(int argc, char **argv)
{
	struct how how = {.events = -1};
	bool waits = false;

	if (argc > 1 && strcmp(argv[1], "--in-place") == 0) {
		how.is_in_place = true;
		argv++;
		argc--;
	}
	if (argc > 2 && strcmp(argv[1], "--readers") == 0) {
		how.readers = (unsigned)strtoul(argv[2], NULL, 10);
		argv += 2;
		argc -= 2;
	}
	if (argc > 1 && strcmp(argv[1], "--wait") == 0) {
		waits = true;
		argv++;
		argc--;
	}
	long rounds = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
	if (rounds < 1 || how.readers > READERS_MAX || (waits && how.readers)) {
		fprintf(stderr, "usage: bench-latency [--in-place] [--readers N | --wait] SOURCE "
				"FILE ROUNDS\n");
		return 2;
	}
	if (waits)
		how.events = watch_directory_of(argv[2]);
	measure(argv[1], argv[2], (size_t)rounds, &how);
	return 0;
}
