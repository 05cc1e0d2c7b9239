/*
 * Whole files: the highest layer's, the lowest layer's, or all of them one after the other. The
 * bytes are never read, so any file will do.
 */
#include <errno.h>

#include "strategy.h"

static bool always(const struct merge_input *only)
{
	(void)only;
	return true;
}

static int give(struct merge *merge, const struct merge_input *input, struct merge_output *ret)
{
	char *copy = arena_copy(merge->arena, input->text);
	if (!copy)
		return -ENOMEM;
	origin_text(merge->origins, 0, input->text.len, &input->source);
	*ret = (struct merge_output){.text = {copy, input->text.len}, .is_text = true};
	return 0;
}

static int merge_last(struct merge *merge, struct merge_output *ret)
{
	return give(merge, &merge->inputs[merge->count - 1], ret);
}

static int merge_first(struct merge *merge, struct merge_output *ret)
{
	return give(merge, &merge->inputs[0], ret);
}

/* Where the text is built; with `data` NULL it is only measured. */
struct sink {
	char *data;
	size_t len;
};

static void sink_add(struct sink *sink, struct span text)
{
	if (sink->data && text.len > 0)
		memcpy(sink->data + sink->len, text.data, text.len);
	sink->len += text.len;
}

/* An empty part is no part: it gets no separator. */
static void join(const struct merge *merge, struct span separator, struct sink *sink)
{
	bool is_first = true;
	bool ends_line = true;

	for (size_t i = 0; i < merge->count; i++) {
		struct span text = merge->inputs[i].text;
		if (text.len == 0)
			continue;
		if (!is_first) {
			if (!ends_line)
				sink_add(sink, span_of("\n"));
			sink_add(sink, separator);
			if (separator.len > 0 && separator.data[separator.len - 1] != '\n')
				sink_add(sink, span_of("\n"));
		}
		if (sink->data)
			origin_text(merge->origins, sink->len, text.len,
				&merge->inputs[i].source);
		sink_add(sink, text);
		is_first = false;
		ends_line = text.data[text.len - 1] == '\n';
	}
}

static int merge_concat(struct merge *merge, struct merge_output *ret)
{
	struct span separator = options_text(merge->request->options, "separator");
	struct sink sink = {0};

	join(merge, separator, &sink);

	sink.data = arena_alloc(merge->arena, sink.len + 1);
	if (!sink.data)
		return -ENOMEM;
	sink.len = 0;
	join(merge, separator, &sink);
	sink.data[sink.len] = '\0';

	*ret = (struct merge_output){.text = {sink.data, sink.len}, .is_text = true};
	return 0;
}

static const struct option_spec concat_options[] = {
	{"separator", OPTION_TEXT, "", NULL, "a line put between two files"},
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
	.summary = "all files, lowest layer first",
	.options = concat_options,
	.is_verbatim = always,
	.merge = merge_concat,
};
