#include "yaml_slot.h"

#include <errno.h>

#include "flow.h"
#include "scalar.h"
#include "utf8.h"

/* How many entries of an old collection may be gone between two that stay. */
#define OLD_ENTRIES_MAX 64

/* The style of the strings and collections in a new value. */
struct style {
	const struct edit *edit;
	const struct yaml_spot_around *around;
	enum node_style key;    /* of all string keys, and … */
	enum node_style string; /* … of other strings; NODE_PLAIN: of those that need no quotes */
	enum node_style quotes; /* of strings that need quotes */
	enum node_style lines;  /* of strings with line breaks */
	bool keeps_flow;        /* a value whose own style is flow gets brackets */
};

int yaml_column(const struct edit *edit, size_t offset)
{
	size_t begin = edit_line_begin(edit, offset);

	return (int)utf8_count(edit->text.data + begin, edit->text.data + offset);
}

static bool is_block(const struct extent *extent)
{
	return extent->first && extent->node->style != NODE_FLOW;
}

/* Takes the layout from a pair whose value is a block on lines of its own. */
static void take_layout(
	const struct edit *edit, const struct extent *entry, struct yaml_layout *layout)
{
	size_t first = entry->first->member.begin;
	int more = yaml_column(edit, first) - yaml_column(edit, entry->member.begin);

	if (!edit_has_lines(edit, (struct range){entry->key.end, first}))
		return;
	if (node_is_map(entry->node) && layout->width < 0)
		layout->width = more;
	if (node_is_sequence(entry->node) && layout->list < 0)
		layout->list = more;
}

static void look_for_layout(
	const struct edit *edit, const struct extent *in, struct yaml_layout *layout)
{
	if (!is_block(in))
		return;
	for (const struct extent *entry = in->first;
		entry && (layout->width < 0 || layout->list < 0); entry = entry->next) {
		if (!is_block(entry))
			continue;
		if (entry->keys)
			take_layout(edit, entry, layout);
		look_for_layout(edit, entry, layout);
	}
}

struct yaml_layout yaml_find_layout(
	const struct edit *edit, const struct extent *in, const struct extent *root)
{
	struct yaml_layout layout = {-1, -1};

	if (in)
		look_for_layout(edit, in, &layout);
	if (root)
		look_for_layout(edit, root, &layout);
	if (layout.width <= 0)
		layout.width = layout.list > 1 ? layout.list : YAML_LAYOUT.width;
	if (layout.list < 0)
		layout.list = YAML_LAYOUT.list;
	return layout;
}

static bool is_quoted(const struct node *node)
{
	return node->style == NODE_SINGLE || node->style == NODE_DOUBLE;
}

static bool is_string_like(const struct node *node)
{
	return node && scalar_is_string(node) && !node->tag &&
	       (node->style == NODE_PLAIN || is_quoted(node));
}

/* Finds the first quoted scalar. It may be a key. */
static const struct node *find_quoted(const struct extent *in)
{
	for (const struct extent *entry = in->first; entry; entry = entry->next) {
		const struct node *found;

		if (entry->is_alias)
			continue;
		if (node_is_scalar(entry->node) && is_quoted(entry->node))
			return entry->node;
		if (entry->keys && node_is_scalar(entry->keys[0]) && is_quoted(entry->keys[0]))
			return entry->keys[0];
		found = find_quoted(entry);
		if (found)
			return found;
	}
	return NULL;
}

static bool has_flow(const struct extent *in)
{
	if (in->first && in->node->style == NODE_FLOW)
		return true;
	for (const struct extent *entry = in->first; entry; entry = entry->next)
		if (has_flow(entry))
			return true;
	return false;
}

/*
 * Finds the style of the strings among the entries. A string that needs its quotes does not count.
 * Returns false if none counts.
 */
static bool strings_of(const struct extent *in, bool is_of_keys, enum node_style *ret)
{
	bool is_found = false;

	for (const struct extent *entry = in->first; entry; entry = entry->next) {
		const struct node *node = entry->node;

		if (is_of_keys)
			node = entry->keys ? entry->keys[0] : NULL;
		else if (entry->is_alias)
			node = NULL;
		if (!is_string_like(node))
			continue;
		if (is_quoted(node) &&
			!yaml_is_plain_string(node->text, in->node->style == NODE_FLOW))
			continue;
		*ret = node->style;
		if (node->style == NODE_PLAIN)
			return true;
		is_found = true;
	}
	return is_found;
}

static bool is_in_brackets(const struct style *style)
{
	const struct extent *in = style->around->in;

	return in && in->node->style == NODE_FLOW;
}

static struct style find_style(const struct edit *edit, const struct yaml_spot_around *around)
{
	const struct extent *old = around->old, *in = around->in,
			    *root = edit->document->count ? edit->document->extents[0] : NULL;
	const struct node *quoted = root ? find_quoted(root) : NULL;
	struct style style = {
		.edit = edit,
		.around = around,
		.key = NODE_PLAIN,
		.string = NODE_PLAIN,
		.quotes = quoted ? quoted->style : NODE_PLAIN,
		.lines = NODE_LITERAL,
		.keeps_flow = !root || has_flow(root),
	};

	bool has_strings = old && !old->is_alias && is_string_like(old->node);

	if (old && node_is_scalar(old->node) &&
		(old->node->style == NODE_LITERAL || old->node->style == NODE_FOLDED))
		style.lines = old->node->style;
	if (has_strings)
		style.string = old->node->style;
	else
		has_strings = (old && strings_of(old, false, &style.string)) ||
			      (in && strings_of(in, false, &style.string));
	if (!(old && strings_of(old, true, &style.key)) &&
		!(in && strings_of(in, true, &style.key)) && root)
		strings_of(root, true, &style.key);
	/* Strings are quoted as in JSON. */
	if (is_in_brackets(&style) && style.key == NODE_DOUBLE && !has_strings)
		style.string = NODE_DOUBLE;
	return style;
}

static bool ends_with(struct span text, const char *end)
{
	size_t len = strlen(end);

	return text.len >= len && memcmp(span_end(text) - len, end, len) == 0;
}

static enum node_style style_of_string(
	const struct style *style, const struct node *node, enum node_style wanted)
{
	const char *newline = memchr(node->text.data, '\n', node->text.len);
	struct span file = style->edit->text;
	bool ends_open = file.len && file.data[file.len - 1] != '\n';

	/* There a block scalar can't express the line breaks at its end, or would take the blank
	 * lines below for its text. */
	if (ends_with(node->text, ends_open ? "\n" : "\n\n"))
		return NODE_DOUBLE;
	if (style->around->is_before_comment && newline)
		return NODE_DOUBLE;
	if (node->style == NODE_LITERAL || node->style == NODE_FOLDED)
		return style->around->is_before_comment ? wanted : node->style;
	if (newline && !is_in_brackets(style) && newline + 1 < span_end(node->text))
		return style->lines;
	if (newline)
		return NODE_DOUBLE;
	if (wanted != NODE_PLAIN)
		return wanted;
	if (yaml_is_plain_string(node->text, true) ||
		(!is_in_brackets(style) && yaml_is_plain_string(node->text, false)))
		return NODE_PLAIN;
	if (style->quotes != NODE_PLAIN)
		return style->quotes;
	return is_quoted(node) ? node->style : NODE_SINGLE;
}

static int adapt_scalar(const struct style *style, const struct node *node, enum node_style wanted,
	const struct node **ret)
{
	struct node *copy;

	*ret = node;
	if (node->tag || !scalar_is_string(node))
		return 0;
	copy = node_copy(style->edit->arena, node);
	if (!copy)
		return -ENOMEM;
	copy->style = (uint8_t)style_of_string(style, node, wanted);
	*ret = copy;
	return 0;
}

static bool is_same_string(const struct node *a, const struct node *b)
{
	return is_string_like(a) && scalar_is_string(b) && span_equal(a->text, b->text);
}

/*
 * Finds the entry of an old collection that entry `i` of a new one replaces: from `old` on, the
 * first one with the same key or, in a list, the same string or kind of collection. May be NULL.
 */
static const struct extent *find_old(const struct extent *old, const struct node *in, uint32_t i)
{
	const struct node *item = *node_entry(in, i);

	for (unsigned n = 0; old && n < OLD_ENTRIES_MAX; n++, old = old->next)
		if (old->is_alias)
			continue;
		else if (node_is_map(in)
				 ? old->keys && is_same_string(old->keys[0], in->map.pairs[i].key)
			 : node_is_scalar(item) ? is_same_string(old->node, item)
						: old->node->kind == item->kind)
			return old;
	return NULL;
}

/* A string that was in `old` (NULL: nothing), at the same place or nearby, keeps its quotes. */
static int adapt(const struct style *style, const struct node *node, const struct extent *old,
	const struct node **ret)
{
	const struct extent *next = old ? old->first : NULL;
	struct node *copy;
	int r = 0;

	if (node_is_scalar(node))
		return adapt_scalar(style, node,
			old && is_same_string(old->node, node) ? old->node->style : style->string,
			ret);
	*ret = copy = node_copy(style->edit->arena, node);
	if (!copy)
		return -ENOMEM;
	if (!style->keeps_flow)
		copy->style = NODE_BLOCK;
	for (uint32_t i = 0; r == 0 && i < node_count(node); i++) {
		const struct extent *same = find_old(next, node, i);

		next = same ? same->next : next;
		r = adapt(style, *node_entry(node, i), same, node_entry(copy, i));
		if (r == 0 && node_is_map(node) && node_is_scalar(node->map.pairs[i].key))
			r = adapt_scalar(style, node->map.pairs[i].key,
				same ? same->keys[0]->style : style->key, &copy->map.pairs[i].key);
	}
	return r;
}

/* Returns the style of a new collection: that of the old one, or else of its neighbours. */
static enum node_style collection_style(const struct style *style, const struct node *value)
{
	const struct extent *old = style->around->old, *in = style->around->in, *other = NULL;

	if (is_in_brackets(style))
		return NODE_FLOW;
	if (old && old->first && old->node->kind == value->kind)
		return old->node->style;
	for (const struct extent *entry = in ? in->first : NULL; entry; entry = entry->next) {
		if (entry == old || !entry->first || entry->is_alias)
			continue;
		if (entry->node->kind == value->kind)
			return entry->node->style;
		other = entry;
	}
	if (value->style != NODE_FLOW || (other && is_block(other)) || (in && !style->keeps_flow))
		return NODE_BLOCK;
	return NODE_FLOW;
}

/* Returns whether the value has no collection in it: a value in brackets can't contain a block. */
static bool is_flat(const struct node *node)
{
	for (uint32_t i = 0; i < node_count(node); i++)
		if (node_count(*node_entry(node, i)))
			return false;
	return true;
}

int yaml_adapt(const struct edit *edit, const struct yaml_spot_around *around,
	const struct node *value, const struct node **ret)
{
	struct style style = find_style(edit, around);
	const struct node *adapted;
	struct node *copy;
	int r = adapt(&style, value, around->old, &adapted);

	*ret = adapted;
	if (r < 0 || node_is_scalar(value))
		return r;
	copy = node_copy(edit->arena, adapted);
	if (!copy)
		return -ENOMEM;
	copy->style = (uint8_t)collection_style(&style, value);
	if (copy->style == NODE_FLOW && value->style != NODE_FLOW && !is_flat(value))
		copy->style = NODE_BLOCK;
	*ret = copy;
	return 0;
}

int yaml_adapt_key(const struct edit *edit, const struct extent *in, const struct node *key,
	const struct node **ret)
{
	struct yaml_spot_around around = {.in = in};
	struct style style = find_style(edit, &around);

	*ret = key;
	return node_is_scalar(key) ? adapt_scalar(&style, key, style.key, ret) : 0;
}
