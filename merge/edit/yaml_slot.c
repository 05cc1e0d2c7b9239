#include "yaml_slot.h"

#include <errno.h>

#include "flow.h"
#include "yaml_lines.h"

/* Returns the comment that ends the line, at or after `from`; the line's end: there is none. */
static size_t find_comment(const struct edit *edit, size_t from)
{
	size_t end = yaml_line_text_end(edit, from);

	for (size_t p = from; p < end; p++)
		if (edit_at(edit, p) == '#' && (p == 0 || edit_is_blank(edit_at(edit, p - 1))))
			return p;
	return end;
}

static struct span without_blank(struct span text)
{
	if (text.len && text.data[0] == ' ') {
		text.data++;
		text.len--;
	}
	return text;
}

/*
 * Returns where new text begins. If it is one line, the blanks before the old value stay; else it
 * begins right at the slot, since its further lines are indented for that.
 */
static size_t first_begin(const struct yaml_slot *slot, const struct yaml_slot_text *text)
{
	return text->first.len && !text->rest.len ? slot->old->value.begin : slot->behind;
}

/* Replaces a value that begins and ends on the slot's line, or is not written. */
static int replace_on_line(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text)
{
	struct range old = slot->old->value;
	bool is_unwritten = old.begin == old.end;
	size_t end = yaml_line_text_end(edit, old.end);
	int r;

	old.begin = is_unwritten ? slot->behind : first_begin(slot, text);
	if (is_unwritten)
		old.end = slot->behind;
	if (text->rest.len && find_comment(edit, old.end) == end)
		old.end = end;
	r = edit_splice(
		edit, old, old.begin > slot->behind ? without_blank(text->first) : text->first);
	return r != 0 || !text->rest.len ? r
					 : edit_splice(edit, (struct range){end, end}, text->rest);
}

/* Replaces a value with only a tag or "|" in its first line, the slot's; a comment there stays. */
static int replace_header(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text)
{
	struct range old = slot->old->value;
	size_t comment = find_comment(edit, old.begin), end = yaml_line_text_end(edit, old.begin);
	size_t last = yaml_is_block_scalar(slot->old) ? old.end : yaml_line_text_end(edit, old.end);
	size_t header = comment;
	int r;

	while (header > old.begin && edit_is_blank(edit_at(edit, header - 1)))
		header--;
	if (comment == end)
		header = end;
	old.begin = first_begin(slot, text);
	r = edit_splice(edit, (struct range){old.begin, header},
		old.begin > slot->behind ? without_blank(text->first) : text->first);
	return r ? r : edit_splice(edit, (struct range){end, last > end ? last : end}, text->rest);
}

/* Replaces a value that begins on the slot's line and ends below. */
static int replace_from_line(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text)
{
	const struct extent *old = slot->old;
	size_t end = old->value.end, behind = yaml_line_text_end(edit, end);
	size_t begin = first_begin(slot, text);
	struct span first = begin > slot->behind ? without_blank(text->first) : text->first;

	if (yaml_is_block_scalar(old) ||
		(yaml_is_block(old) && edit_has_lines(edit, (struct range){old->value.begin,
								    old->first->member.begin})))
		return replace_header(edit, slot, text);
	if (yaml_is_block(old))
		return edit_splice_all(
			edit, (struct range){begin, behind}, (struct span[]){first, text->rest}, 2);
	/* Brackets, quotes, or plain text of several lines, behind which a comment may stand. */
	if (text->rest.len && find_comment(edit, end) != behind) {
		int r = edit_splice(edit, (struct range){begin, end}, first);

		return r ? r : edit_splice(edit, (struct range){behind, behind}, text->rest);
	}
	return edit_splice_all(
		edit, (struct range){begin, end}, (struct span[]){first, text->rest}, 2);
}

/* Replaces a scalar on a line of its own. A comment on that line stays. */
static int replace_beside_comment(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text)
{
	struct range old = slot->old->value;
	size_t end = yaml_line_text_end(edit, old.end);
	int r = edit_splice(edit, (struct range){slot->behind, slot->behind}, text->first);

	if (r == 0)
		r = edit_splice(edit, (struct range){old.begin, find_comment(edit, old.end)},
			(struct span){0});
	return r ? r : edit_splice(edit, (struct range){end, end}, text->rest);
}

/* Replaces a value that begins on a line below. Comments between stay. */
static int replace_below(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text)
{
	const struct extent *old = slot->old;
	size_t begin = edit_line_begin(edit, old->value.begin),
	       end = yaml_line_text_end(edit, old->value.end);
	struct span eol = edit_line_end(edit), rest = text->rest;
	int r;

	if (!yaml_is_block(old) && !yaml_is_block_scalar(old)) {
		if (!rest.len && text->first.len)
			return edit_splice(edit, old->value, without_blank(text->first));
		if (rest.len && find_comment(edit, old->value.end) != end)
			return replace_beside_comment(edit, slot, text);
	}
	r = edit_splice(edit, (struct range){slot->behind, slot->behind}, text->first);
	if (r != 0)
		return r;
	if (rest.len)
		return edit_splice(edit, (struct range){begin, end},
			(struct span){rest.data + eol.len, rest.len - eol.len});
	end = edit_line_after(edit, old->value.end);
	if (end == edit->text.len && !yaml_ends_with_newline(edit)) {
		begin--;
		if (begin && edit_at(edit, begin) == '\n' && edit_at(edit, begin - 1) == '\r')
			begin--;
	}
	return edit_splice(edit, (struct range){begin, end}, (struct span){0});
}

int yaml_slot_replace(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text)
{
	struct range old = slot->old->value;
	size_t end = yaml_line_text_end(edit, slot->behind);

	if (old.end <= end)
		return replace_on_line(edit, slot, text);
	if (old.begin <= end)
		return replace_from_line(edit, slot, text);
	return replace_below(edit, slot, text);
}

int yaml_slot_replace_root(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text)
{
	const struct extent *old = slot->old;
	struct range range = {edit_line_begin(edit, old->value.begin), old->value.end};
	size_t end = yaml_line_text_end(edit, old->value.end);
	size_t comment = find_comment(edit, old->value.end);
	int r;

	if (yaml_is_block(old))
		range.end = comment = end;
	else if (text->rest.len && comment == end)
		range.end = end;
	if (comment == end || !text->rest.len)
		return edit_splice_all(edit, range, (struct span[]){text->first, text->rest}, 2);
	/* The comment stays after the header of a block scalar, or else on a line above. */
	if (strchr("|>!", text->first.data[0])) {
		r = edit_splice(edit, range, text->first);
		return r ? r : edit_splice(edit, (struct range){end, end}, text->rest);
	}
	r = edit_splice(edit, (struct range){range.begin, comment}, (struct span){0});
	return r ? r
		 : edit_splice_all(edit, (struct range){end, end},
			   (struct span[]){edit_line_end(edit), text->first, text->rest}, 3);
}

static int slot_of_root(const struct edit *edit, const struct extent *root, struct yaml_slot *ret)
{
	size_t begin = edit_line_begin(edit, root->value.begin);
	bool is_behind_dashes =
		begin + 3 <= root->value.begin && memcmp(edit->text.data + begin, "---", 3) == 0;

	*ret = (struct yaml_slot){.old = root, .spot = YAML_AT_ROOT, .behind = root->value.begin};
	if (is_behind_dashes)
		ret->behind = begin + 3;
	else
		ret->form = YAML_SLOT_ALONE;
	return is_behind_dashes || edit_is_first_on_line(edit, root->value.begin) ? 0 : EDIT_CANNOT;
}

/* Finds the slot of a block's entry. */
static int slot_of_entry(const struct edit *edit, const struct extent *in,
	const struct extent *entry, struct yaml_slot *ret)
{
	bool is_explicit = entry->keys && entry->member.begin != entry->key.begin;

	*ret = (struct yaml_slot){
		.in = in,
		.old = entry,
		.behind = entry->member.begin,
		.indent = yaml_column(edit, entry->member.begin),
		.spot = entry->keys && !is_explicit ? YAML_BEHIND_KEY : YAML_BEHIND_DASH,
	};
	if (entry->keys)
		ret->behind = yaml_skip_blank(edit->text, entry->key.end);
	if (is_explicit && ret->behind >= entry->value.begin) {
		ret->form = YAML_SLOT_UNSAID;
		ret->behind = yaml_line_text_end(edit, entry->key.end);
	} else if (edit_at(edit, ret->behind++) != (entry->keys ? ':' : '-')) {
		return EDIT_CANNOT;
	}
	return 0;
}

int yaml_slot_of(const struct edit *edit, const struct edit_op *op, size_t count,
	const struct extent *old, struct yaml_slot *ret)
{
	const struct extent *in;

	if (!count)
		return slot_of_root(edit, old, ret);
	in = edit_follow(edit, op, count - 1);
	return in && yaml_is_block(in) ? slot_of_entry(edit, in, old, ret) : EDIT_CANNOT;
}

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

	return (old->value.begin > line && edit_line_begin(edit, old->value.begin) > line) ||
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
	if (slot->spot == YAML_AT_ROOT && slot->form != YAML_SLOT_ALONE) {
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
