/*
 * Measures how long a merge takes, without the start of a program. It reads the files, merges them
 * N times, and prints nanoseconds: the slowest merge of the fastest tenth, and the median.
 *
 *      merge_loop STRATEGY N FILE…      ->  "p10 1234567 p50 1240000 bytes 98765"
 *
 * Each merge reads the files anew from memory: parsing and writing are part of a merge.
 */
#include "cleanup.h"
#include "loop.h"
#include "merge.h"
#include "strategy.h"

/* Merges once; *ret_ns is the time and *ret_bytes the size of the result. */
static int run(const struct merge_request *request, uint64_t *ret_ns, size_t *ret_bytes)
{
	struct problem problem = {0};
	struct merge_result *result;
	uint64_t start = now_ns();

	int r = merge_run(request, &result, &problem);
	if (r == PROBLEM)
		fprintf(stderr, "merge_loop: %s:%u:%u: %s\n", problem.source, problem.line,
			problem.column, problem.message);
	if (r != 0)
		return r;
	*ret_bytes = result->text.len;
	merge_result_free(result);
	*ret_ns = now_ns() - start;
	return 0;
}

static int loop(const struct merge_request *request, size_t rounds)
{
	CLEANUP(freep) uint64_t *times = calloc(rounds, sizeof(*times));
	size_t bytes = 0;

	if (!times)
		return -ENOMEM;
	for (size_t i = 0; i < rounds; i++) {
		int r = run(request, &times[i], &bytes);
		if (r != 0)
			return r;
	}
	qsort(times, rounds, sizeof(*times), by_size);
	printf("p10 %llu p50 %llu bytes %zu\n", (unsigned long long)times[rounds / 10],
		(unsigned long long)times[rounds / 2], bytes);
	return 0;
}

int main(int argc, char **argv)
{
	struct options options = {0};
	size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	int r = 0;

	if (argc > 3)
		options.strategy = strategy_find(span_of(argv[1]));
	if (!options.strategy || rounds == 0) {
		fprintf(stderr, "usage: merge_loop STRATEGY N FILE...\nstrategies: %s\n",
			strategy_names());
		return 2;
	}

	size_t count = (size_t)argc - 3;
	struct merge_input *inputs = calloc(count, sizeof(*inputs));
	for (size_t i = 0; inputs && r == 0 && i < count; i++) {
		inputs[i].source = (struct source){argv[i + 3], "", (unsigned)i};
		inputs[i].format = format_of_name(argv[i + 3]);
		r = read_file(argv[i + 3], &inputs[i].text);
		if (r != 0)
			fprintf(stderr, "merge_loop: %s: %s\n", argv[i + 3], strerror(-r));
	}
	struct merge_request request = {.options = &options,
		.inputs = inputs,
		.count = count,
		.to = inputs ? inputs[count - 1].format : &format_yaml};
	if (inputs && r == 0)
		r = loop(&request, rounds);
	for (size_t i = 0; inputs && i < count; i++)
		free((char *)inputs[i].text.data);
	free(inputs);
	return r != 0;
}
