/*
 * Whole files: the highest layer's, the lowest layer's, or all of them one after the other. The
 * bytes are never parsed, so any file is valid.
 */
#include <errno.h>

#include "strategy.h"

static bool always(const struct merge_input *only)
{
	(void)only;
	return true;
}

static int merge_last(struct merge *merge, struct merge_output *ret)
{
	return merge_give_text(merge, &merge->inputs[merge->count - 1], ret);
}

static int merge_first(struct merge *merge, struct merge_output *ret)
{
	return merge_give_text(merge, &merge->inputs[0], ret);
}

static char *put(char *out, struct span text)
{
	if (text.len > 0)
		memcpy(out, text.data, text.len);
	return out + text.len;
}

/* An empty file is left out, with its separator. */
static int merge_concat(struct merge *merge, struct merge_output *ret)
{
	struct span separator = options_text(merge->request->options, "separator");
	bool is_reversed = strategy_is_highest_first(merge);
	size_t size = 1;

	/* Between two files, a newline may come before and after the separator. */
	for (size_t i = 0; i < merge->count; i++)
		size += merge->inputs[i].text.len + separator.len + 2;
	char *text = arena_alloc(merge->arena, size), *end = text;
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_input *input =
			&merge->inputs[is_reversed ? merge->count - 1 - i : i];
		if (input->text.len == 0)
			continue;
		if (end > text) {
			if (end[-1] != '\n')
				*end++ = '\n';
			end = put(end, separator);
			if (end[-1] != '\n')
				*end++ = '\n';
		}
		origin_text(merge->origins, (size_t)(end - text), input->text.len, &input->source);
		end = put(end, input->text);
	}
	*end = '\0';
	*ret = (struct merge_output){.text = {text, (size_t)(end - text)}, .is_text = true};
	return 0;
}

static const struct option_spec concat_options[] = {
	{"separator", OPTION_TEXT, "", NULL, "a line put between two files"},
	STRATEGY_ORDER_OPTION,
	{0},
};

const struct strategy strategy_last = {
	.name = "last",
	.summary = "the highest layer's file, whole",
	.takes = STRATEGY_TAKES_HIGHEST,
	.is_verbatim = always,
	.merge = merge_last,
};

const struct strategy strategy_first = {
	.name = "first",
	.summary = "the lowest layer's file, whole",
	.takes = STRATEGY_TAKES_LOWEST,
	.is_verbatim = always,
	.merge = merge_first,
};

const struct strategy strategy_concat = {
	.name = "concat",
	.summary = "all files, one after the other",
	.options = concat_options,
	.is_verbatim = always,
	.merge = merge_concat,
};
