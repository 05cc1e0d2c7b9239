#include "pillar_tree.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strategy.h"

static size_t depth_of(const char *path)
{
	size_t depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

static bool is_beneath(const char *path, const char *directory, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t length = strlen(directory);

	if (strcmp(slash ? slash + 1 : path, name) != 0)
		return false;
	return length == 0 || (strncmp(path, directory, length) == 0 && path[length] == '/');
}

static int find(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	struct pillar_tree *tree = context;
	const struct pillar_tree_file *best = NULL;

	tree->questions++;
	if (tree->failure > 0)
		problem_set(problem, "broken.yaml", 3, 1, "broken");
	if (tree->failure != 0)
		return tree->failure;

	for (size_t i = 0; i < tree->count; i++) {
		const struct pillar_tree_file *file = &tree->files[i];

		if (!is_beneath(file->path, directory, name))
			continue;
		if (!best || depth_of(file->path) < depth_of(best->path) ||
			(depth_of(file->path) == depth_of(best->path) &&
				strcmp(file->path, best->path) < 0))
			best = file;
	}
	if (!best)
		return MERGE_ABSENT;
	*ret = best->layers;
	*count = best->count;
	return 0;
}

void pillar_tree_init(struct pillar_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->environment = (struct merge_environment){find, tree};
}

void pillar_tree_fini(struct pillar_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct pillar_tree_file *file = &tree->files[i];

		for (size_t j = 0; j < file->count; j++) {
			document_free(file->documents[j]);
			free((char *)file->layers[j].source.name);
			free((char *)file->layers[j].text.data);
		}
		free(file->path);
	}
}

struct pillar_tree_file *pillar_tree_get(struct pillar_tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->count; i++)
		if (strcmp(tree->files[i].path, path) == 0)
			return &tree->files[i];
	return NULL;
}

static void read_layer(struct pillar_tree_file *file, size_t i, const char *text)
{
	struct read_options options = {.format = &format_yaml};
	struct merge_input *input = &file->layers[i];
	struct problem problem;
	char name[256];
	int r;

	snprintf(name, sizeof(name), "%zu/%s", i, file->path);
	input->source = (struct source){.name = strdup(name), .layer = "", .rank = (unsigned)i};
	input->format = &format_yaml;
	input->text = span_of(strdup(text));
	r = document_read(&input->source, input->text, &options, &file->documents[i], &problem);
	if (r != 0) {
		fprintf(stderr, "%s:%u:%u: %s\n%s\n", problem.source, problem.line, problem.column,
			problem.message, text);
		abort();
	}
	input->document = file->documents[i];
}

void pillar_tree_add(struct pillar_tree *tree, const char *path, const char *text)
{
	struct pillar_tree_file *file = pillar_tree_get(tree, path);

	if (!file) {
		assert(tree->count < PILLAR_TREE_FILES);
		file = &tree->files[tree->count++];
		file->path = strdup(path);
	}
	assert(file->count < PILLAR_TREE_LAYERS);
	read_layer(file, file->count, text);
	file->count++;
}

static int merge(struct pillar_tree *tree, const char *path, const struct node *map,
	struct limits limits, struct merge_result **ret, struct problem *problem)
{
	struct pillar_tree_file *file = pillar_tree_get(tree, path);
	struct options options = {.strategy = strategy_find(span_of("pillar")), .map = map};
	struct merge_request request = {
		.options = &options,
		.inputs = file->layers,
		.count = file->count,
		.path = path,
		.to = &format_yaml,
		.limits = limits,
		.environment = tree->environment.find ? &tree->environment : NULL,
		.wants_origins = tree->wants_origins,
	};
	int r = options_check(&options, problem);

	return r != 0 ? r : merge_run(&request, ret, problem);
}

int pillar_tree_merge(struct pillar_tree *tree, const char *path, const char *options,
	struct limits limits, struct merge_result **ret, struct problem *problem)
{
	struct source source = {.name = "options", .layer = ""};
	struct read_options reading = {.format = &format_yaml};
	struct document *document = NULL;
	int r;

	if (options) {
		r = document_read(&source, span_of(options), &reading, &document, problem);
		if (r != 0)
			return r;
	}
	r = merge(tree, path, document && document->count ? document->roots[0] : NULL, limits, ret,
		problem);
	/* The result may refer to no node of the options, except to their names. */
	document_free(document);
	return r;
}
