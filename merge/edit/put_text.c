#include <errno.h>

#include "cleanup.h"
#include "put.h"
#include "strategy.h"

struct trial {
	const struct put_request *request;
	struct span wanted;
	struct arena *arena;
	struct problem *problem;
};

/* Merges with that text as the target's. Returns 0 with *ret in the arena, PROBLEM or -errno. */
static int merge_with(const struct trial *trial, struct span text, struct span *ret)
{
	struct merge_request merge = *trial->request->merge;
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	struct merge_input *inputs = arena_zalloc(trial->arena, merge.count, sizeof(*inputs));

	if (!inputs)
		return -ENOMEM;
	memcpy(inputs, merge.inputs, merge.count * sizeof(*inputs));
	inputs[trial->request->target].text = text;
	inputs[trial->request->target].document = NULL;
	merge.inputs = inputs;
	merge.wants_header = false;
	merge.warn = NULL;
	int r = merge_run(&merge, &result, trial->problem);
	if (r != 0)
		return r;
	ret->len = result->text.len;
	ret->data = arena_copy(trial->arena, result->text);
	return ret->data ? 0 : -ENOMEM;
}

/* Returns 0 if the target with that text gives the wanted result; else PROBLEM or -errno. */
static int attempt(const struct trial *trial, struct span text)
{
	struct span merged;
	int r = merge_with(trial, text, &merged);

	return r != 0 || span_equal(merged, trial->wanted) ? r : PROBLEM;
}

/*
 * Finds the part of the wanted file that replaces `part`, the target's text, in the merged file. An
 * empty part lies at its end, or at its beginning.
 */
static bool cut_middle(struct span merged, struct span part, struct span wanted, struct span *ret)
{
	bool begins = wanted.len >= merged.len && memcmp(wanted.data, merged.data, merged.len) == 0;
	const char *found = part.len ? memmem(merged.data, merged.len, part.data, part.len)
			    : begins ? merged.data + merged.len
				     : merged.data;

	if (!found || !merged.len)
		return false;
	size_t before = (size_t)(found - merged.data), after = merged.len - before - part.len;
	if (wanted.len < before + after || memcmp(wanted.data, merged.data, before) != 0 ||
		memcmp(wanted.data + wanted.len - after, found + part.len, after) != 0)
		return false;
	*ret = (struct span){wanted.data + before, wanted.len - before - after};
	return true;
}

static int refuse(const struct trial *trial)
{
	const struct merge_request *merge = trial->request->merge;

	return problem_set(trial->problem, merge->inputs[trial->request->target].source.name, 0, 0,
		"no text of this file makes the requested merged file, because '%s' shows other "
		"layers' files, too, or instead; change those",
		merge->options->strategy->name);
}

int put_text(const struct put_request *request, struct span wanted, struct arena *arena,
	struct span *ret, struct problem *problem)
{
	const struct trial trial = {request, wanted, arena, problem};
	struct span part = request->merge->inputs[request->target].text, merged, middle;
	int r = merge_with(&trial, part, &merged);

	if (r != 0)
		return r;
	*ret = part;
	if (span_equal(merged, wanted))
		return 0;
	r = PROBLEM;
	if (cut_middle(merged, part, wanted, &middle)) {
		*ret = middle;
		r = attempt(&trial, middle);
	}
	if (r == PROBLEM) {
		*ret = wanted;
		r = attempt(&trial, wanted);
	}
	return r == PROBLEM ? refuse(&trial) : r;
}
