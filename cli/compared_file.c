#include "compared_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "composition.h"
#include "shown.h"
#include "strategy.h"
#include "validity.h"

/* Size of a source's name in a label, in bytes; the beginning of a longer one is cut. */
#define NAME_SIZE 512

static int keep(struct compared_file *compared, struct span text, struct span *ret)
{
	*ret = (struct span){arena_copy(compared->arena, text), text.len};
	return ret->data ? 0 : -ENOMEM;
}

static int list_sources(const struct merge_request *request, struct compared_file *ret)
{
	CLEANUP(freep) char *names = NULL;
	size_t len = 0;

	for (size_t i = 0; i < request->count; i++)
		if (request->inputs[i].source.rank > ret->highest)
			ret->highest = request->inputs[i].source.rank;
	FILE *out = open_memstream(&names, &len);
	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < request->count; i++) {
		char shown[NAME_SIZE];
		if (request->inputs[i].source.rank != ret->highest)
			continue;
		shown_tail(shown, sizeof(shown), request->inputs[i].source.name);
		fprintf(out, "%s%s", ftell(out) > 0 ? ", " : "", shown);
	}
	if (fclose(out) != 0)
		return -ENOMEM;
	ret->sources = len ? arena_copy(ret->arena, (struct span){names, len}) : NULL;
	return ret->sources || !len ? 0 : -ENOMEM;
}

/* Returns whether the text is a source's own, although the source is a tree. */
static bool is_copied_tree(const struct composition *composition)
{
	const struct merge_request *request = &composition->request;
	const struct strategy *strategy = request->options->strategy;

	return strategy_reads_trees(strategy) && strategy->is_verbatim && request->count == 1 &&
	       !composition->result->root && strategy->is_verbatim(&request->inputs[0]);
}

/*
 * Makes the second text: a merge with an empty lower source, which changes no value, is written
 * anew. A text that does not parse, or can't be written, has no second one.
 */
static int rewrite(const struct merge_request *original, struct compared_file *ret)
{
	const struct read_options options = {.format = &format_yaml};
	CLEANUP(document_freep) struct document *empty = NULL;
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	struct merge_request request = *original;
	struct merge_input inputs[] = {original->inputs[0], original->inputs[0]};
	struct problem problem;

	int r = document_read(&inputs[0].source, span_of(""), &options, &empty, &problem);
	if (r != 0)
		return r < 0 ? r : 0;
	inputs[0].document = empty;
	inputs[0].text = span_of("");
	request.inputs = inputs;
	request.count = 2;
	r = merge_run(&request, &result, &problem);
	if (r != 0)
		return r < 0 ? r : 0;
	return keep(ret, result->text, &ret->rewritten);
}

static int merge(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct compared_file *ret, struct problem *problem)
{
	CLEANUP(path_list_fini) struct path_list asked = {0};
	CLEANUP(composition_fini) struct composition composition;

	int r = composition_make(
		&composition, composer, path, lookup, &asked, COMPOSITION_TEXT, problem);
	if (r == 0)
		r = validity_check(composer->settings, &composition.request, composition.result,
			NULL, problem);
	if (r != 0)
		return r;
	if (composition.result->root)
		ret->kind = COMPARED_WRITTEN;
	r = list_sources(&composition.request, ret);
	if (r == 0)
		r = keep(ret, composition.result->text, &ret->text);
	return r == 0 && is_copied_tree(&composition) ? rewrite(&composition.request, ret) : r;
}

static int keep_version(const struct version *version, const char *path, struct compared_file *ret,
	struct problem *problem)
{
	CLEANUP(freep) char *text = NULL;

	if (version->kind == VERSION_LINK) {
		const char *link = arena_printf(ret->arena, "link to %s\n", version->data);
		ret->text = span_of(link ? link : "");
		return link ? 0 : -ENOMEM;
	}
	if (version->size > LIMITS_DEFAULT.result_bytes)
		return problem_set(problem, path, 0, 0,
			"is larger than %zu MiB, and too large to be compared; compare such files "
			"with cmp",
			LIMITS_DEFAULT.result_bytes >> 20);
	int r = version_read_all(version, &text);
	return r == 0 ? keep(ret, (struct span){text, version->size}, &ret->text) : r;
}

/* Copies a link, or a file that only one layer has and that is too large to be merged. */
static int copy(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct contributor *only,
	struct compared_file *ret, struct problem *problem)
{
	CLEANUP(path_list_fini) struct path_list asked = {0};
	CLEANUP(version_unrefp) struct version *version = NULL;
	CLEANUP(freep) char *name = NULL;

	int r = layer_source_name(
		composer->settings->layers[only->layer], only->path ? only->path : path, &name);
	const struct merge_input input = {.source = {.name = name, .rank = only->layer}};
	if (r == 0)
		r = list_sources(&(struct merge_request){.inputs = &input, .count = 1}, ret);
	if (r == 0)
		r = compose(composer, path, lookup, &asked, &version, problem);
	return r == 0 ? keep_version(version, path, ret, problem) : r;
}

static int take(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	struct compared_file *ret = context;
	const struct contributor *only = &lookup->found[0];

	compared_file_fini(ret);
	ret->kind = COMPARED_TEXT;
	if (arena_new(&ret->arena) < 0)
		return -ENOMEM;
	if (lookup->kind != UNION_LINK)
		only = compose_held_source(composer, path, lookup);
	return only ? copy(composer, path, lookup, only, ret, problem)
		    : merge(composer, path, lookup, ret, problem);
}

int compared_file_make(struct offline *offline, const char *path, struct compared_file *ret,
	struct problem *problem)
{
	*ret = (struct compared_file){0};
	int r = offline_look_at(offline, path, take, ret, problem);
	if (r != 0)
		compared_file_fini(ret);
	return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

struct span compared_file_text(const struct compared_file *compared, bool is_rewritten)
{
	return is_rewritten && compared->rewritten.data ? compared->rewritten : compared->text;
}

void compared_file_fini(struct compared_file *compared)
{
	arena_free(compared->arena);
	*compared = (struct compared_file){0};
}
