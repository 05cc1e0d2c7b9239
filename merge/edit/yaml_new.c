#include "yaml_new.h"

#include <errno.h>

#include "flow.h"
#include "yaml_lines.h"

int yaml_new_put(const struct edit *edit, const struct yaml_part *part, struct span *ret)
{
	struct limits limits = limits_or_default(edit->options->limits);
	struct output output = {.max = limits.result_bytes};
	struct writer writer = {&output, edit->arena, edit->problem, limits.depth, &format_yaml};
	int r = yaml_put(&writer, part);

	if (r == 0)
		r = output_finish(&output, edit->arena, ret, edit->problem);
	output_fini(&output);
	return r;
}

static int with_line_ends(const struct edit *edit, struct span *text)
{
	struct output output = {.max = SIZE_MAX / 2};
	int r;

	if (!edit->document->has_crlf)
		return 0;
	for (size_t i = 0; i < text->len; i++) {
		if (text->data[i] == '\n')
			output_char(&output, '\r');
		output_char(&output, text->data[i]);
	}
	r = output_finish(&output, edit->arena, text, edit->problem);
	output_fini(&output);
	return r;
}

static const struct extent *root_of(const struct edit *edit, const struct edit_op *op)
{
	return op->document < edit->document->count ? edit->document->extents[op->document] : NULL;
}

/* Returns whether lines below have blanks only, or a comment is next that is indented deeper. */
static bool is_before_comment(const struct edit *edit, size_t after, int indent)
{
	struct span blanks;
	bool has_blanks;

	after = yaml_skip_blank_lines(edit, after, &has_blanks);
	blanks = edit_indent(edit, after);
	return has_blanks || (edit_at(edit, after + blanks.len) == '#' && (int)blanks.len > indent);
}

int yaml_new_entry(const struct edit *edit, const struct edit_op *op, const struct extent *in,
	size_t after, struct span *ret)
{
	int indent = yaml_column(edit, in->first->member.begin);
	const struct edit_step *last = &op->steps[op->count - 1];
	const struct yaml_spot_around around = {
		.in = in, .is_before_comment = is_before_comment(edit, after, indent)};
	struct yaml_part part = {
		.indent = indent,
		.spot = last->key ? YAML_AS_KEY : YAML_BEHIND_DASH,
		.layout = yaml_find_layout(edit, in, root_of(edit, op)),
	};
	int r = yaml_adapt(edit, &around, op->value, &part.value);
	struct span text;
	size_t len;

	if (r == 0 && last->key)
		r = yaml_adapt_key(edit, in, last->key, &part.key);
	if (r == 0)
		r = yaml_new_put(edit, &part, &text);
	if (r != 0)
		return r;
	text.len--;
	if (!last->key) {
		text.data = edit_join(edit, (struct span[]){span_of("-"), text}, 2, &len);
		text.len = len;
	}
	*ret = text;
	return text.data ? with_line_ends(edit, ret) : -ENOMEM;
}

/* Returns whether a block scalar at that place would take other lines for its text. */
static bool is_among_comments(const struct edit *edit, const struct yaml_slot *slot)
{
	const struct extent *old = slot->old;
	size_t line = edit_line_after(edit, slot->behind);

	return (old->value.begin > line && yaml_line_begin(edit, old->value.begin) > line) ||
	       is_before_comment(edit, yaml_entry_after(edit, old), slot->indent);
}

int yaml_new_value(const struct edit *edit, const struct edit_op *op, const struct yaml_slot *slot,
	const struct node *value, struct yaml_slot_text *ret)
{
	const struct yaml_spot_around around = {
		.in = slot->in,
		.old = slot->old,
		.is_before_comment = slot->old && is_among_comments(edit, slot),
	};
	struct yaml_part part = {
		.indent = slot->indent,
		.spot = slot->spot,
		.layout =
			yaml_find_layout(edit, slot->old ? slot->old : slot->in, root_of(edit, op)),
	};
	struct span text;
	const char *end;
	size_t len;
	int r = yaml_adapt(edit, &around, value, &part.value);

	if (r == 0)
		r = yaml_new_put(edit, &part, &text);
	if (r != 0)
		return r;
	text.len--;
	if (slot->spot == YAML_AT_ROOT && !slot->is_alone) {
		bool is_lines =
			node_count(part.value) && !part.value->tag && !strchr("[{", text.data[0]);

		text.data = edit_join(
			edit, (struct span[]){span_of(is_lines ? "\n" : " "), text}, 2, &len);
		text.len = len;
		if (!text.data)
			return -ENOMEM;
	}
	r = with_line_ends(edit, &text);
	end = text.len ? memchr(text.data, edit->document->has_crlf ? '\r' : '\n', text.len) : NULL;
	ret->first = (struct span){text.data, end ? (size_t)(end - text.data) : text.len};
	ret->rest = (struct span){text.data + ret->first.len, text.len - ret->first.len};
	return r;
}
