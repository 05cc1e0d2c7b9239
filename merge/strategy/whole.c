/*
 * Whole files: the highest layer's, the lowest layer's, or all of them one after the other. The
 * bytes are never parsed, so any file is valid.
 */
#include <errno.h>
#include <strings.h>

#include "strategy.h"

static bool always(const struct merge_input *only)
{
	(void)only;
	return true;
}

static int merge_one(struct merge *merge, struct merge_output *ret)
{
	bool is_first = merge->request->options->strategy->takes == STRATEGY_TAKES_LOWEST;

	return merge_give_text(merge, &merge->inputs[is_first ? 0 : merge->count - 1], ret);
}

static char *put(char *out, struct span text)
{
	if (text.len > 0)
		memcpy(out, text.data, text.len);
	return out + text.len;
}

/* Returns the length of what is before the first line that begins with `word`, in any case. */
static size_t head_len(struct span text, struct span word)
{
	for (size_t i = 0, len; word.len && i < text.len; i += len) {
		struct span rest = {text.data + i, text.len - i};
		const char *newline = memchr(rest.data, '\n', rest.len);
		size_t blank = 0;

		len = newline ? (size_t)(newline - rest.data) + 1 : rest.len;
		while (blank < len && (rest.data[blank] == ' ' || rest.data[blank] == '\t'))
			blank++;
		if (len - blank > word.len && strchr(" \t=\"", rest.data[blank + word.len]) &&
			strncasecmp(rest.data + blank, word.data, word.len) == 0)
			return i;
	}
	return text.len;
}

/* Puts a part of a file. An empty one is left out, with its separator. */
static char *put_part(struct merge *merge, const char *begin, char *end, struct span part,
	const struct merge_input *input)
{
	struct span before = {input->text.data, (size_t)(part.data - input->text.data)};

	if (!part.len)
		return end;
	if (end > begin) {
		if (end[-1] != '\n')
			*end++ = '\n';
		end = put(end, options_text(merge->request->options, "separator"));
		if (end[-1] != '\n')
			*end++ = '\n';
	}
	origin_text_at(merge->origins, (size_t)(end - begin), part.len, &input->source,
		1 + (uint32_t)span_count(before, '\n'));
	return put(end, part);
}

/* First the files' heads, and then the blocks behind them, in the same order. */
static int merge_concat(struct merge *merge, struct merge_output *ret)
{
	struct span word = options_text(merge->request->options, "blocks");
	size_t separator = options_text(merge->request->options, "separator").len, size = 1;
	bool is_reversed = strategy_is_highest_first(merge);

	/* Before a part, a newline may come before and after the separator. */
	for (size_t i = 0; i < merge->count; i++)
		size += merge->inputs[i].text.len + 2 * (separator + 2);
	char *text = arena_alloc(merge->arena, size), *end = text;
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < 2 * merge->count; i++) {
		size_t rank = i % merge->count;
		const struct merge_input *input =
			&merge->inputs[is_reversed ? merge->count - 1 - rank : rank];
		size_t head = head_len(input->text, word);
		struct span part = {input->text.data, head};

		if (i >= merge->count)
			part = (struct span){input->text.data + head, input->text.len - head};
		end = put_part(merge, text, end, part, input);
	}
	*end = '\0';
	*ret = (struct merge_output){.text = {text, (size_t)(end - text)}};
	return 0;
}

static const char *no_remover(const struct options *options)
{
	(void)options;
	return "";
}

static const struct option_spec concat_options[] = {
	{"separator", OPTION_TEXT, "", NULL, "a line put between two files"},
	STRATEGY_ORDER_OPTION,
	{"blocks", OPTION_TEXT, "", NULL,
		"each file is split before its first line that begins with this word; all first "
		"parts come first, then all second parts"},
	{0},
};

const struct strategy strategy_last = {
	.name = "last",
	.summary = "the highest layer's file, whole",
	.takes = STRATEGY_TAKES_HIGHEST,
	.is_verbatim = always,
	.merge = merge_one,
};

const struct strategy strategy_first = {
	.name = "first",
	.summary = "the lowest layer's file, whole",
	.takes = STRATEGY_TAKES_LOWEST,
	.is_verbatim = always,
	.merge = merge_one,
};

const struct strategy strategy_concat = {
	.name = "concat",
	.summary = "all files, one after the other",
	.options = concat_options,
	.remover = no_remover,
	.is_verbatim = always,
	.merge = merge_concat,
};
