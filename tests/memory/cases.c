/*
 * Merges every golden case (tests/cases) with origins, without memory. If the result is a tree, it
 * also puts a value back into the sources. Prints TAP.
 *
 *      cases CASES
 */
#include <dirent.h>

#include "../cases/case.h"
#include "put.h"
#include "trial.h"

/* Changes the first value of the result, in the highest source. */
static int put_first(const struct merge_request *request, const struct merge_result *result,
	struct problem *problem)
{
	static const struct node value = {
		.kind = NODE_SCALAR, .style = NODE_DOUBLE, .weight = 1, .text = {"another", 7}};
	const struct node *root = result->root;
	struct edit_step step = {.key = NULL};
	const struct edit_op op = {.kind = EDIT_SET, .steps = &step, .count = 1, .value = &value};
	const struct put_request put = {
		.merge = request, .target = request->count - 1, .ops = &op, .count = 1};
	CLEANUP(put_result_freep) struct put_result *ret = NULL;

	if (!root || node_count(root) == 0)
		return 0;
	if (node_is_map(root))
		step.key = root->map.pairs[0].key;
	int r = put_run(&put, &ret, problem);
	/* A value that can't be put is no finding here. */
	return r < 0 ? r : 0;
}

static size_t count_steps(const struct origins *origins, const struct node *node)
{
	const struct origin *origin = origin_of(origins, node);
	size_t count = origin ? origin->count : 0;

	for (const struct origin_removed *at = origin ? origin->removed : NULL; at; at = at->next)
		count += at->count;
	for (uint32_t i = 0; i < node_count(node); i++)
		count += count_steps(origins, *node_entry(node, i));
	return count;
}

/* The outcome has the number of contributors, too: none may be lost. */
static int look(void *context, const struct merge_request *request,
	const struct merge_result *result, struct problem *problem)
{
	struct outcome *outcome = context;
	size_t steps = result->root ? count_steps(result->origins, result->root) : 0;

	/* Without memory for one byte more, asprintf(3) of glibc 2.36 writes it all the same. */
	size_t size = result->text.len + sizeof("18446744073709551615 contributors\n");
	outcome->text = malloc(size);
	if (!outcome->text)
		return -ENOMEM;
	snprintf(outcome->text, size, "%zu contributors\n%.*s", steps, (int)result->text.len,
		result->text.data);
	return put_first(request, result, problem);
}

static void run(void *context, struct outcome *ret)
{
	struct problem problem;

	ret->r = golden_look(context, look, ret, &problem);
	if (ret->r == PROBLEM) {
		free(ret->text);
		ret->text = strdup(problem.message);
		ret->r = ret->text ? PROBLEM : -ENOMEM;
	}
}

/*
 * GLib ends the process when it has no memory, so cases that need GMime can't be tried. Cases that
 * end by a time limit can't, either: the clock decides where a run is stopped.
 */
static bool is_tried(const struct golden *golden)
{
	bool is_timed = golden->expect.text && strstr(golden->expect.text, " ms; ");

	return golden->sources.count > 0 && !is_timed &&
	       (!golden->needs || !strstr(golden->needs, "mime"));
}

static void try_case(const char *directory, const char *name)
{
	CLEANUP(golden_freep) struct golden *golden = NULL;
	CLEANUP(freep) char *path = NULL;
	struct problem problem;

	if (asprintf(&path, "%s/%s", directory, name) < 0 || golden_read(path, &golden) < 0)
		abort();
	if (golden_read_rule(golden, &problem) != 0 || !is_tried(golden))
		return;
	golden->request.wants_origins = true;
	trial_run(&(struct trial){.name = name, .run = run, .context = golden});
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count = argc > 1 ? scandir(argv[1], &entries, NULL, alphasort) : -1;

	if (count < 0) {
		fprintf(stderr, "usage: cases CASES [CASE...]\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		try_case(argv[1], argv[i]);
	for (int i = 0; i < count; i++) {
		if (argc == 2 && entries[i]->d_type == DT_DIR && entries[i]->d_name[0] != '.')
			try_case(argv[1], entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return trial_end();
}
