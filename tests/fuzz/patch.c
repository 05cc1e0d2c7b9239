/*
 * A document and patches of it (JSON Patch), with a byte 0xFF between them. Each patch is applied
 * or refused. The result can be written, and is the same each time. The document that was read
 * stays as it was.
 */
#include "cleanup.h"
#include "fuzz.h"
#include "json_patch.h"

/* A small merge may look at as many values. */
#define WORK_MAX 100000

/* PROBLEM: the patch can't be applied, or its result can't be written. */
static int patch_text(const struct node *root, const struct document *patches, struct arena *arena,
	struct span *ret, struct problem *problem)
{
	const struct limits limits = FUZZ_LIMITS;
	const struct table aliased = {0};
	struct work work = {WORK_MAX};
	struct json_patch patch = {.arena = arena,
		.work = &work,
		.problem = problem,
		.aliased = &aliased,
		.depth = limits.depth,
		.root = root};

	int r = json_patch_copy(&patch, patch.root, &patch.root);
	for (size_t i = 0; r == 0 && i < patches->count; i++)
		r = json_patch_apply(&patch, patches->roots[i]);
	if (r == 0)
		r = json_patch_close(&patch);
	if (r == 0)
		r = document_write(patch.root, &format_yaml, &limits, arena, ret, problem);
	return r;
}

static void check_patch(const struct node *root, const struct document *patches)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct span before, after, first, second;
	struct problem problem = {0}, again = {0};

	if (arena_new(&arena) < 0 || !fuzz_write(root, &format_yaml, arena, &before))
		return;
	int r = patch_text(root, patches, arena, &first, &problem);
	if (r != patch_text(root, patches, arena, &second, &again))
		fuzz_stop("a patch can be applied once, and not twice", before);
	if (r == PROBLEM)
		fuzz_check_problem(&problem);
	if (r == 0 && !span_equal(first, second))
		fuzz_stop("a patch gives the same each time", first);
	if (r == PROBLEM && !problem_equal(&problem, &again))
		fuzz_stop("a patch has the same problem each time", span_of(again.message));
	if (!fuzz_write(root, &format_yaml, arena, &after) || !span_equal(before, after))
		fuzz_stop("a patch changes the document that was read", before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct read_options options = {.format = &format_yaml, .limits = FUZZ_LIMITS};
	struct read_options patch_options = options;
	struct fuzz_input input = {data, size};
	CLEANUP(fuzz_text_fini) struct span text = fuzz_text(&input);
	CLEANUP(fuzz_text_fini) struct span patch = fuzz_text(&input);
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(document_freep) struct document *patches = NULL;

	patch_options.keep_duplicates = true;
	if (fuzz_read(text, &options, &document) && document->count > 0 &&
		fuzz_read(patch, &patch_options, &patches))
		check_patch(document->roots[0], patches);
	return 0;
}
