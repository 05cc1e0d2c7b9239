/*
 * From the end of the rename that replaces a source to the end of the first read that finds its new
 * content in the mount. What the disk's own file system needs for the rename is not counted: it may
 * write to the disk meanwhile.
 *
 *      bench-latency SOURCE FILE ROUNDS
 *
 * SOURCE is replaced again and again by itself with another number behind "version: ", which FILE
 * must then show. Prints "latency P50 P99 MAX", microseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MAX (1u << 16)

/* Seconds after which a change is lost. */
#define LOST 5

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void give_up(const char *path)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(1);
}

static size_t read_text(const char *path, char *text)
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
	return len;
}

static void write_text(const char *path, const char *text, unsigned version)
{
	FILE *stream = fopen(path, "w");

	if (!stream || fprintf(stream, "%sversion: v%uv\n", text, version) < 0 || fclose(stream))
		give_up(path);
}

static double one_round(const char *source, const char *file, const char *rest, unsigned version)
{
	static char text[TEXT_MAX];
	char beside[4096], wanted[64];

	snprintf(beside, sizeof(beside), "%s~", source);
	snprintf(wanted, sizeof(wanted), "version: v%uv\n", version);
	usleep(5000); /* what the last round has caused is over */
	/* As programs do that replace a file: so the name beside it comes and goes unseen. */
	write_text(beside, rest, version);

	if (rename(beside, source) < 0)
		give_up(source);
	double start = now_us();
	do {
		read_text(file, text);
		if (now_us() - start > LOST * 1e6) {
			fprintf(stderr, "%s: version %u does not come\n", file, version);
			exit(1);
		}
	} while (!strstr(text, wanted));
	return now_us() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static char rest[TEXT_MAX];
	long count = argc == 4 ? strtol(argv[3], NULL, 10) : 0;

	if (count < 1) {
		fprintf(stderr, "usage: bench-latency SOURCE FILE ROUNDS\n");
		return 2;
	}
	size_t rounds = (size_t)count;
	double *times = calloc(rounds, sizeof(*times));
	if (!times)
		give_up("calloc");

	read_text(argv[1], rest);
	for (size_t i = 0; i < rounds; i++)
		times[i] = one_round(argv[1], argv[2], rest, (unsigned)i);
	qsort(times, rounds, sizeof(*times), compare);
	printf("latency %.1f %.1f %.1f\n", times[rounds / 2], times[rounds * 99 / 100],
		times[rounds - 1]);
	free(times);
	return 0;
}
