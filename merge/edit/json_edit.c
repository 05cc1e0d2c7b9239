/*
 * Edits of JSON, with or without comments. New text is laid out like its neighbours: on one line or
 * several, with their indentation and the blanks around their colons.
 */
#include <errno.h>

#include "edit_tree.h"
#include "flow.h"
#include "format/json.h"

/* The indentation that the writer adds for each level. */
#define WRITTEN_UNIT 2

/* The layout of new text. */
struct json_layout {
	struct span base;  /* the indentation of the line on which the text begins */
	struct span unit;  /* the indentation of one more level */
	struct span colon; /* with the blanks around it */
	struct span gap;   /* after a comma, on one line */
	struct span pad;   /* inside of braces, on one line */
	struct span eol;   /* before each entry of a map or list; data NULL: all are on one line */
};

static bool is_blank(struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] != ' ' && text.data[i] != '\t')
			return false;
	return true;
}

static struct span slice(const struct edit *edit, size_t begin, size_t end)
{
	return (struct span){edit->text.data + begin, end > begin ? end - begin : 0};
}

/* Finds the pair's colon with the blanks around it, if nothing else stands between key and
 * value. */
static bool find_colon(const struct edit *edit, const struct extent *entry, struct span *ret)
{
	struct span text = slice(edit, entry->key.end, entry->value.begin);
	const char *colon = entry->keys ? memchr(text.data, ':', text.len) : NULL;

	if (!colon || !is_blank((struct span){text.data, (size_t)(colon - text.data)}) ||
		!is_blank((struct span){colon + 1, (size_t)(span_end(text) - colon - 1)}))
		return false;
	*ret = text;
	return true;
}

/* Finds the first colon in `in` and the collections in it. */
static bool find_any_colon(const struct edit *edit, const struct extent *in, struct span *ret)
{
	for (const struct extent *entry = in->first; entry; entry = entry->next)
		if (find_colon(edit, entry, ret) || find_any_colon(edit, entry, ret))
			return true;
	return false;
}

/* Takes the indentation of one level from an entry. The entry must have a line of its own, and be
 * indented deeper than `in`. */
static bool take_unit(const struct edit *edit, const struct extent *in, const struct extent *entry,
	struct span *ret)
{
	struct span inner, outer;

	if (!edit_is_first_on_line(edit, entry->member.begin))
		return false;
	inner = edit_indent(edit, entry->member.begin);
	outer = edit_indent(edit, in->value.begin);
	if (inner.data == outer.data || inner.len <= outer.len ||
		memcmp(inner.data, outer.data, outer.len) != 0)
		return false;
	*ret = (struct span){inner.data + outer.len, inner.len - outer.len};
	return true;
}

/* Finds the indentation of one level: that of the first entry in `in`, at any depth, with a line of
 * its own. */
static bool find_unit(const struct edit *edit, const struct extent *in, struct span *ret)
{
	for (const struct extent *entry = in->first; entry; entry = entry->next)
		if (take_unit(edit, in, entry, ret) || find_unit(edit, entry, ret))
			return true;
	return false;
}

static bool is_flat(const struct node *node)
{
	for (uint32_t i = 0; i < node_count(node); i++)
		if (!node_is_scalar(*node_entry(node, i)))
			return false;
	return true;
}

/* Finds a collection that resembles the new one, whose layout the new one gets. */
static const struct extent *find_alike(
	const struct extent *in, enum node_kind kind, bool is_new_flat)
{
	for (const struct extent *entry = in->first; entry; entry = entry->next) {
		const struct extent *below;

		if (entry->first && entry->node->kind == kind &&
			is_flat(entry->node) == is_new_flat)
			return entry;
		below = find_alike(entry, kind, is_new_flat);
		if (below)
			return below;
	}
	return NULL;
}

/* Returns whether `node` has a line for each entry. It is added to `in`, or replaces `old`. */
static bool wants_lines(const struct edit *edit, const struct extent *in, const struct extent *old,
	const struct node *node)
{
	const struct extent *root = edit->document->count ? edit->document->extents[0] : NULL;
	const struct extent *alike = NULL;

	if (old && old->first && old->node->kind == node->kind)
		return edit_has_lines(edit, old->value);
	if (in && in->first && !edit_has_lines(edit, in->value))
		return false;
	if (in)
		alike = find_alike(in, node->kind, is_flat(node));
	if (!alike && root)
		alike = find_alike(root, node->kind, is_flat(node));
	if (alike)
		return edit_has_lines(edit, alike->value);
	return !root || !root->first || edit_has_lines(edit, root->value);
}

static struct json_layout layout_of(
	const struct edit *edit, const struct extent *in, size_t line, bool is_lines)
{
	const struct extent *root = edit->document->count ? edit->document->extents[0] : NULL;
	struct json_layout layout = {
		.base = edit_indent(edit, line),
		.unit = span_of("  "),
		.colon = span_of(": "),
		.gap = span_of(" "),
		.eol = is_lines ? edit_line_end(edit) : (struct span){0},
	};

	if (!(in && find_unit(edit, in, &layout.unit)) && root)
		find_unit(edit, root, &layout.unit);
	if (!(in && find_any_colon(edit, in, &layout.colon)) && root)
		find_any_colon(edit, root, &layout.colon);
	if (span_is(layout.colon, ":"))
		layout.gap.len = 0;
	if (in && in->first && node_is_map(in->node)) {
		layout.pad = slice(edit, in->value.begin + 1, in->first->member.begin);
		if (!is_blank(layout.pad))
			layout.pad.len = 0;
	}
	return layout;
}

/* Returns the end of the string that begins at `p`. */
static const char *behind_string(const char *p)
{
	for (p++; *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p + 1;
}

static void put_span(struct output *output, struct span text)
{
	output_put(output, text.data, text.len);
}

/* Converts the writer's line break at `p` to the wanted one. */
static const char *put_break(
	struct output *output, const char *p, size_t inner, const struct json_layout *layout)
{
	const char *blanks = p + 1;
	size_t level = strspn(blanks, " ") / WRITTEN_UNIT;
	char before = p[-1];

	p = blanks + strspn(blanks, " ");
	if (!layout->eol.data) {
		put_span(output, before == ','                ? layout->gap
				 : before == '{' || *p == '}' ? layout->pad
							      : (struct span){0});
		return p;
	}
	put_span(output, layout->eol);
	put_span(output, layout->base);
	for (size_t i = inner; i < level; i++)
		put_span(output, layout->unit);
	return p;
}

/* Converts the writer's text to the wanted layout. `inner` is the number of levels that it is
 * indented too deep. */
static void lay_out(
	struct output *output, struct span text, size_t inner, const struct json_layout *layout)
{
	const char *p = text.data, *end = p + text.len;

	while (p < end) {
		const char *from = p;

		if (*p == '\n') {
			p = put_break(output, p, inner, layout);
		} else if (*p == '"') {
			p = behind_string(p);
			output_put(output, from, (size_t)(p - from));
		} else if (*p == ':') {
			put_span(output, layout->colon);
			p += 2;
		} else {
			output_char(output, *p++);
		}
	}
}

/* Writes a value, or a pair if `key` is set. Returns 0 with *ret in the arena, PROBLEM or
 * -ENOMEM. */
static int render(const struct edit *edit, const struct node *key, const struct node *value,
	const struct json_layout *layout, struct span *ret)
{
	struct output output = {.max = SIZE_MAX / 2};
	const struct node *node =
		edit_tree_wrap(&(struct edit_step){.key = key}, key != NULL, value, edit->arena);
	struct span text;
	int r;

	if (!node)
		return -ENOMEM;
	r = document_write(node, edit->options->format, &edit->options->limits, edit->arena, &text,
		edit->problem);
	if (r != 0)
		return r;
	text.len--;
	if (key) {
		text.data += strlen("{\n") + WRITTEN_UNIT;
		text.len -= strlen("{\n") + WRITTEN_UNIT + strlen("\n}");
	}
	lay_out(&output, text, key ? 1 : 0, layout);
	r = output_finish(&output, edit->arena, ret, edit->problem);
	output_fini(&output);
	return r;
}

static int insert(struct edit *edit, const struct extent *in, uint32_t index,
	const struct node *key, const struct node *value)
{
	struct json_layout layout = layout_of(edit, in, in->value.begin,
		!node_is_scalar(value) && wants_lines(edit, in, NULL, value));
	struct flow_layout first = {.indent = layout.base, .pad = layout.pad, .gap = layout.gap};
	struct span item;
	size_t len;
	int r;

	if (!in->first) {
		const struct node *only =
			edit_tree_wrap(&(struct edit_step){.key = key}, 1, value, edit->arena);

		if (!only)
			return -ENOMEM;
		if (wants_lines(edit, NULL, NULL, only))
			first.base = layout.base;
	}
	if (in->first && edit_is_first_on_line(edit, in->last->member.begin)) {
		layout.base = edit_indent(edit, in->last->member.begin);
	} else if (first.base.data) {
		first.indent.data = layout.base.data =
			edit_join(edit, (struct span[]){layout.base, layout.unit}, 2, &len);
		if (!first.indent.data)
			return -ENOMEM;
		first.indent.len = layout.base.len = len;
	}
	r = render(edit, key, value, &layout, &item);
	return r ? r : flow_insert(edit, in, index, &item, 1, &first);
}

static int set(struct edit *edit, const struct extent *in, const struct extent *old,
	const struct node *value)
{
	struct json_layout layout = layout_of(
		edit, old->first ? old : in, old->value.begin, wants_lines(edit, in, old, value));
	struct span text;
	int r;

	if (old->first != NULL && node_is_map(old->node) != node_is_map(value))
		layout.pad.len = 0;
	r = render(edit, NULL, value, &layout, &text);
	return r ? r : edit_splice(edit, old->value, text);
}

/* Sets the root of a text that has no value. */
static int set_root(struct edit *edit, const struct node *value)
{
	struct json_layout layout = layout_of(edit, NULL, 0, true);
	struct span text, eol = edit_line_end(edit), before = {0};
	struct range end = {edit->text.len, edit->text.len};
	int r;

	layout.base.len = 0;
	r = render(edit, NULL, value, &layout, &text);
	if (r != 0)
		return r;
	if (end.end > edit_text_begin(edit) && edit->text.data[end.end - 1] != '\n')
		before = eol;
	return edit_splice_all(edit, end, (struct span[]){before, text, eol}, 3);
}

int json_edit(struct edit *edit, const struct edit_op *op)
{
	const struct edit_step *last = op->count ? &op->steps[op->count - 1] : NULL;
	const struct extent *in = last ? edit_follow(edit, op, op->count - 1) : NULL;
	const struct extent *old = op->kind == EDIT_SET ? edit_follow(edit, op, op->count) : NULL;

	if (old)
		return set(edit, in, old, op->value);
	if (!last)
		return set_root(edit, op->value);
	if (!in)
		return EDIT_CANNOT;
	if (op->kind == EDIT_REMOVE)
		return flow_remove(edit, in, last, 1);
	return insert(
		edit, in, last->key ? node_count(in->node) : last->index, last->key, op->value);
}
