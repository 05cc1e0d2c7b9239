/*
 * Measures how long reading takes, without the start of a program. It reads the file N times from
 * memory, in the format of its name, and prints the nanoseconds of the fastest reading and of the
 * median.
 *
 *      read_loop N FILE      ->  "min 1234567 p50 1240000"
 */
#include "cleanup.h"
#include "document.h"
#include "loop.h"

/* No limits of a mount: the format is measured, also on larger files. */
#define NO_LIMITS                                                                                  \
	((struct limits){.source_bytes = 1u << 30,                                                 \
		.result_bytes = 1u << 30,                                                          \
		.depth = 128,                                                                      \
		.nodes = 1u << 30})

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
	size_t rounds = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	CLEANUP(freep) uint64_t *times = calloc(rounds + 1, sizeof(*times));
	struct span text = {0};

	if (rounds == 0) {
		fprintf(stderr, "usage: read_loop N FILE\n");
		return 2;
	}
	int r = times ? read_file(argv[2], &text) : -ENOMEM;
	for (size_t i = 0; r == 0 && i < rounds; i++)
		r = read_once(argv[2], text, &times[i]);
	if (r < 0)
		fprintf(stderr, "read_loop: %s: %s\n", argv[2], strerror(-r));
	free((char *)(uintptr_t)text.data);
	if (r != 0)
		return 1;
	qsort(times, rounds, sizeof(*times), by_size);
	printf("min %llu p50 %llu\n", (unsigned long long)times[0],
		(unsigned long long)times[rounds / 2]);
	return 0;
}
