/*
 * Measures the cost of reading a whole file, and of stat(2), by two paths: the source itself and
 * the mount. The two take turns, so that other load of the machine meets both.
 *
 *      bench-syscalls FILE FILE ROUNDS
 *
 * Prints a line each, "read NS NS" and "stat NS NS": nanoseconds, medians over the rounds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Calls in one round: long enough for the clock, and short enough that most are not interrupted. */
#define CALLS 100

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void give_up(const char *path)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(1);
}

static void read_once(const char *path)
{
	static char buffer[1 << 16]; /* more than the file has: one call reads all of it */

	int fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, buffer, sizeof(buffer)) < 0)
		give_up(path);
	close(fd);
}

static void stat_once(const char *path)
{
	struct stat found;

	if (stat(path, &found) < 0)
		give_up(path);
}

static double measure(void (*call)(const char *path), const char *path)
{
	double start = now_ns();

	for (int i = 0; i < CALLS; i++)
		call(path);
	return (now_ns() - start) / CALLS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static void take_turns(
	const char *what, void (*call)(const char *path), char *const paths[2], size_t rounds)
{
	double *times[2];

	for (int side = 0; side < 2; side++) {
		times[side] = calloc(rounds, sizeof(double));
		if (!times[side])
			give_up("calloc");
		measure(call, paths[side]); /* warm */
	}
	for (size_t i = 0; i < rounds; i++)
		for (size_t turn = 0; turn < 2; turn++) {
			size_t side = (i + turn) % 2;
			times[side][i] = measure(call, paths[side]);
		}
	printf("%s %.1f %.1f\n", what, median(times[0], rounds), median(times[1], rounds));
	free(times[0]);
	free(times[1]);
}

int main(int argc, char **argv)
{
	long rounds = argc == 4 ? strtol(argv[3], NULL, 10) : 0;

	if (rounds < 1) {
		fprintf(stderr, "usage: bench-syscalls FILE FILE ROUNDS\n");
		return 2;
	}
	take_turns("read", read_once, argv + 1, (size_t)rounds);
	take_turns("stat", stat_once, argv + 1, (size_t)rounds);
	return 0;
}
