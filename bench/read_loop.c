/*
 * How long reading takes, without the start-up of a program: reads the file N times from memory, in
 * the format of its name, and prints the nanoseconds of the fastest and of the middle one.
 *
 *      read_loop N FILE      ->  "min 1234567 p50 1240000"
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "cleanup.h"
#include "document.h"

/* All that is larger than the limits of a mount, too: what is measured is the format. */
#define NO_LIMITS                                                                                  \
	((struct limits){.source_bytes = 1u << 30,                                                 \
		.result_bytes = 1u << 30,                                                          \
		.depth = 128,                                                                      \
		.nodes = 1u << 30})

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int read_file(const char *path, char **text, size_t *len)
{
	FILE *stream = fopen(path, "r");
	FILE *copy = stream ? open_memstream(text, len) : NULL;
	char buffer[65536];
	size_t n;

	if (!copy)
		return -errno;
	while ((n = fread(buffer, 1, sizeof(buffer), stream)) > 0)
		fwrite(buffer, 1, n, copy);
	fclose(stream);
	return fclose(copy) == 0 ? 0 : -ENOMEM;
}

static int read_once(const char *name, struct span text, uint64_t *ret_ns)
{
	const struct read_options options = {.format = format_of_name(name), .limits = NO_LIMITS};
	const struct source source = {.name = name, .layer = ""};
	struct problem problem = {0};
	struct document *document;
	uint64_t start = now_ns();

	int r = document_read(&source, text, &options, &document, &problem);
	*ret_ns = now_ns() - start;
	if (r == PROBLEM)
		fprintf(stderr, "read_loop: %s:%u:%u: %s\n", problem.source, problem.line,
			problem.column, problem.message);
	if (r == 0)
		document_free(document);
	return r;
}

int main(int argc, char **argv)
{
	size_t rounds = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, len = 0;
	CLEANUP(freep) uint64_t *times = calloc(rounds + 1, sizeof(*times));
	CLEANUP(freep) char *text = NULL;

	if (rounds == 0) {
		fprintf(stderr, "usage: read_loop N FILE\n");
		return 2;
	}
	int r = times ? read_file(argv[2], &text, &len) : -ENOMEM;
	for (size_t i = 0; r == 0 && i < rounds; i++)
		r = read_once(argv[2], (struct span){text, len}, &times[i]);
	if (r < 0)
		fprintf(stderr, "read_loop: %s: %s\n", argv[2], strerror(-r));
	if (r != 0)
		return 1;
	qsort(times, rounds, sizeof(*times), by_size);
	printf("min %llu p50 %llu\n", (unsigned long long)times[0],
		(unsigned long long)times[rounds / 2]);
	return 0;
}
