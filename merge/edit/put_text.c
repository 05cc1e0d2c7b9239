#include <errno.h>

#include "cleanup.h"
#include "put.h"
#include "put_lines.h"
#include "strategy.h"

struct trial {
	const struct put_request *request;
	struct span wanted;
	struct arena *arena;
	struct problem *problem;
};

/* Merges with that text as the target's. Returns 0 with *ret, PROBLEM or -errno. */
static int merge_with(
	const struct trial *trial, struct span text, bool wants_origins, struct merge_result **ret)
{
	struct merge_request merge = *trial->request->merge;
	struct merge_input *inputs = arena_zalloc(trial->arena, merge.count, sizeof(*inputs));

	if (!inputs)
		return -ENOMEM;
	memcpy(inputs, merge.inputs, merge.count * sizeof(*inputs));
	inputs[trial->request->target].text = text;
	inputs[trial->request->target].document = NULL;
	merge.inputs = inputs;
	merge.wants_header = false;
	merge.wants_origins = wants_origins;
	merge.warn = NULL;
	return merge_run(&merge, ret, trial->problem);
}

/* Returns 0 if the target with that text gives the wanted result; else PROBLEM or -errno. */
static int attempt(const struct trial *trial, struct span text)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	int r = merge_with(trial, text, false, &result);

	return r != 0 || span_equal(result->text, trial->wanted) ? r : PROBLEM;
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

/* Tries the changes of the target's own lines. */
static int attempt_lines(const struct trial *trial, const struct merge_result *merged,
	const char *remover, struct span *ret)
{
	const struct merge_input *target = &trial->request->merge->inputs[trial->request->target];
	const struct put_lines_request request = {
		.merged = merged,
		.target = &target->source,
		.text = target->text,
		.wanted = trial->wanted,
		.remover = remover,
	};
	int r = PROBLEM;

	for (int way = 0; r == PROBLEM && way < PUT_LINES_WAYS; way++) {
		r = put_lines(&request, (enum put_lines_way)way, trial->arena, ret);
		if (r == 0)
			r = attempt(trial, *ret);
	}
	return r;
}

/* Returns whether the merged text has a part of another file. */
static bool has_others(const struct trial *trial, const struct merge_result *merged)
{
	const struct merge_request *merge = trial->request->merge;
	const char *name = merge->inputs[trial->request->target].source.name;
	const struct origin_piece *piece = origin_pieces(merged->origins);

	while (piece && strcmp(piece->source->name, name) == 0)
		piece = piece->next;
	return piece;
}

static int refuse(const struct trial *trial)
{
	const struct merge_request *merge = trial->request->merge;
	const struct strategy *strategy = merge->options->strategy;

	return problem_set(trial->problem, merge->inputs[trial->request->target].source.name, 0, 0,
		strategy->remover
			? "no change of this file's own lines makes the requested merged file, "
			  "because '%s' joins the lines of several layers' files; change those of "
			  "the others there"
			: "no text of this file makes the requested merged file, because '%s' "
			  "shows other layers' files, too, or instead; change those",
		strategy->name);
}

int put_text(const struct put_request *request, struct span wanted, struct arena *arena,
	struct span *ret, struct problem *problem)
{
	CLEANUP(merge_result_freep) struct merge_result *merged = NULL;
	const struct trial trial = {request, wanted, arena, problem};
	const struct strategy *strategy = request->merge->options->strategy;
	const char *remover = strategy->remover ? strategy->remover(request->merge->options) : NULL;
	struct span part = request->merge->inputs[request->target].text;
	int r = merge_with(&trial, part, remover, &merged);

	if (r != 0)
		return r;
	*ret = part;
	if (span_equal(merged->text, wanted))
		return 0;
	r = PROBLEM;
	if (cut_middle(merged->text, part, wanted, ret))
		r = attempt(&trial, *ret);
	if (r == PROBLEM && remover)
		r = attempt_lines(&trial, merged, remover, ret);
	/* The whole text would have the other files' lines, too, which no longer go with them. */
	if (r == PROBLEM && !(remover && has_others(&trial, merged))) {
		*ret = wanted;
		r = attempt(&trial, wanted);
	}
	return r == PROBLEM ? refuse(&trial) : r;
}
