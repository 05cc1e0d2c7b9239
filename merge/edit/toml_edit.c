#include "toml_edit.h"

#include <errno.h>

#include "scalar.h"
#include "toml_items.h"
#include "toml_new.h"
#include "toml_place.h"

struct toml_editor {
	struct edit *edit;
	struct text_lines lines;
	const struct extent *root;
};

static int set(
	const struct toml_editor *editor, struct toml_target target, const struct node *value);
static int add(
	const struct toml_editor *editor, struct toml_target target, const struct node *value);
static int remove_target(const struct toml_editor *editor, struct toml_target target);
static int set_value(const struct toml_editor *editor, struct toml_target target,
	struct toml_part part, const struct node *value);

static struct toml_target parent_of(struct toml_target target)
{
	target.count--;
	return target;
}

static const struct edit_step *last_step(struct toml_target target)
{
	return &target.steps[target.count - 1];
}

/* Whether entries of `in` have lines of their own, as those of headers and the root. */
static bool has_lines(const struct toml_editor *editor, const struct extent *in)
{
	return in == editor->root || toml_place_is_header(editor->edit, in);
}

static size_t line_of(const struct toml_editor *editor, const struct extent *entry)
{
	return text_lines_begin(&editor->lines, entry->member.begin);
}

static size_t line_behind(const struct toml_editor *editor, const struct extent *entry)
{
	return text_lines_after(&editor->lines, entry->member.end);
}

/* Takes out the lines of a pair, or of a header and its pairs. */
static int remove_lines(const struct toml_editor *editor, const struct extent *entry)
{
	return text_lines_take(&editor->lines, line_of(editor, entry), line_behind(editor, entry));
}

static uint32_t index_of(const struct extent *in, const struct extent *entry)
{
	uint32_t i = 0;

	for (const struct extent *at = in->first; at != entry; at = at->next)
		i++;
	return i;
}

static int remove_part(const struct toml_editor *editor, struct toml_part part)
{
	struct toml_items items;
	uint32_t i;

	if (has_lines(editor, part.in))
		return remove_lines(editor, part.extent);
	i = index_of(part.in, part.extent);
	int r = toml_items_of(&editor->lines, part.in, &items);
	return r ? r : toml_items_remove(&items, i, i + 1);
}

/* Takes out all that a table or list is written as, in the order of the text. */
static int remove_place(const struct toml_editor *editor, const struct toml_place *place)
{
	bool has_header = !place->header;
	int r = 0;

	if (place->value.extent)
		return remove_part(editor, place->value);
	for (uint32_t i = 0; i < place->pairs.count && r == 0; i++)
		r = remove_part(editor, place->pairs.items[i]);
	for (uint32_t i = 0; i < place->headers.count && r == 0; i++) {
		const struct extent *header = place->headers.items[i].extent;

		if (!has_header && place->header->member.begin < header->member.begin) {
			r = remove_lines(editor, place->header);
			has_header = true;
		}
		if (r == 0)
			r = remove_lines(editor, header);
	}
	return r == 0 && !has_header ? remove_lines(editor, place->header) : r;
}

/* Where a header begins, with the comments above it. */
static size_t line_above(const struct toml_editor *editor, const struct extent *header)
{
	size_t floor = 0;

	for (const struct extent *at = editor->root->first; at != header; at = at->next)
		floor = at->member.end;
	return text_lines_above(&editor->lines, line_of(editor, header), floor);
}

/* Whether there is no blank line in front of headers. */
static bool is_dense(const struct toml_editor *editor)
{
	const struct extent *last = editor->root->last;
	size_t above;

	if (!last || last == editor->root->first || !toml_place_is_header(editor->edit, last))
		return false;
	above = line_above(editor, last);
	return above > 0 &&
	       !text_lines_is_blank(&editor->lines, text_lines_begin(&editor->lines, above - 1));
}

/* Puts headers and what is behind them where a line begins, with blank lines around them. */
static int insert_tables(const struct toml_editor *editor, size_t offset, struct span text)
{
	const struct text_lines *lines = &editor->lines;
	struct span end = edit_line_end(editor->edit);
	bool is_tight = is_dense(editor);
	int r = 0;

	if (offset > text_lines_begin(lines, 0) && !is_tight &&
		!text_lines_is_blank(lines, text_lines_begin(lines, offset - 1)))
		r = text_lines_insert(lines, offset, end);
	if (r == 0)
		r = text_lines_insert(lines, offset, text);
	if (r == 0 && offset < editor->edit->text.len && !is_tight &&
		!text_lines_is_blank(lines, offset))
		r = text_lines_insert(lines, offset, end);
	return r;
}

/* A line, without its end, of a new pair of `in`: behind its last one, or behind `anchor`. */
static int insert_pair(const struct toml_editor *editor, const struct extent *in,
	const struct extent *anchor, struct span pair)
{
	const struct text_lines *lines = &editor->lines;
	struct span end = edit_line_end(editor->edit), line;
	struct output output = {.max = SIZE_MAX};
	const struct extent *first = in->first;
	size_t offset, above;

	output_put(&output, pair.data, pair.len);
	output_put(&output, end.data, end.len);
	int r = text_lines_finish(lines, &output, &line);
	if (r != 0)
		return r;
	for (const struct extent *at = anchor ? NULL : first; at; at = at->next)
		if (in != editor->root || !toml_place_is_header(editor->edit, at))
			anchor = at;
	if (anchor)
		return text_lines_insert(lines, line_behind(editor, anchor), line);
	if (in != editor->root)
		return text_lines_insert(lines, text_lines_after(lines, in->key.end), line);
	if (!first)
		return text_lines_insert(lines, editor->edit->text.len, line);
	/* In front of the first header and its comments, if they are not what the text begins with.
	 */
	offset = line_of(editor, first);
	above = line_above(editor, first);
	offset = above > text_lines_begin(lines, 0) ? above : offset;
	r = text_lines_insert(lines, offset, line);
	return r == 0 && !text_lines_is_blank(lines, offset) ? text_lines_insert(lines, offset, end)
							     : r;
}

/* Puts a pair into an inline table. */
static int insert_inline(const struct toml_editor *editor, const struct extent *in,
	const struct edit_step *keys, size_t count, const struct node *value)
{
	struct toml_manner manner = toml_manner_of(editor->edit, in);
	struct toml_items items;
	struct span text;

	manner.indent.len = 0;
	int r = toml_items_of(&editor->lines, in, &items);
	if (r == 0)
		r = toml_new_pairs(&editor->lines, keys, count, value, &manner, false, &text);
	if (r != 0)
		return r;
	return toml_items_insert(&items, items.count, &text, 1);
}

/* How neighbours that are tables are written: by the last one of them. */
static bool has_sibling(const struct node *in, const struct node *value, enum node_style *ret)
{
	bool is_found = false;

	for (uint32_t i = 0; i < node_count(in); i++) {
		const struct node *entry = *node_entry(in, i);

		if (entry->kind != value->kind || !node_count(entry))
			continue;
		if (node_is_sequence(entry))
			entry = entry->seq.items[0];
		if (!node_is_map(entry))
			continue;
		*ret = entry->style == NODE_HEADER ? NODE_BLOCK : (enum node_style)entry->style;
		is_found = true;
	}
	return is_found;
}

/* Whether all that is written is maps: one, or a list of them. */
static bool is_tables(const struct node *value)
{
	bool is_all = node_is_map(value) || (node_is_sequence(value) && value->seq.count);

	for (uint32_t i = 0; is_all && node_is_sequence(value) && i < value->seq.count; i++)
		is_all = node_is_map(value->seq.items[i]);
	return is_all;
}

/* NODE_BLOCK: under headers; NODE_DOTTED: by dotted keys; NODE_FLOW: behind a "=". */
static enum node_style style_of_new(
	const struct toml_place *place, const struct node *in, const struct node *value)
{
	bool is_dotted = !place->header && place->pairs.count;
	enum node_style style = is_dotted ? NODE_DOTTED : NODE_BLOCK;

	if (!is_tables(value))
		return NODE_FLOW;
	has_sibling(in, value, &style);
	if (style == NODE_BLOCK && is_dotted)
		style = NODE_DOTTED;
	if (style == NODE_DOTTED && (!node_is_map(value) || !node_count(value)))
		style = NODE_FLOW;
	return style;
}

/* Where what is in the table ends, as a line. */
static size_t end_of_place(const struct toml_editor *editor, const struct toml_place *place)
{
	const struct extent *last = place->header;

	if (last == editor->root)
		return editor->edit->text.len;
	for (uint32_t i = 0; i < place->headers.count; i++)
		if (!last || place->headers.items[i].extent->member.end > last->member.end)
			last = place->headers.items[i].extent;
	for (uint32_t i = 0; i < place->pairs.count; i++)
		if (!last || place->pairs.items[i].extent->member.end > last->member.end)
			last = place->pairs.items[i].in;
	return last ? line_behind(editor, last) : editor->edit->text.len;
}

static int add_tables(const struct toml_editor *editor, struct toml_target target,
	const struct node *value, size_t offset)
{
	struct toml_manner manner = toml_manner_of(
		editor->edit, editor->root->last ? editor->root->last : editor->root);
	struct span text;

	manner.indent.len = 0;
	int r = toml_new_tables(&editor->lines, target.steps, target.count, value, &manner, &text);
	return r ? r : insert_tables(editor, offset, text);
}

/* Gives a header to a table that has none but through the headers of what is in it. */
static int add_header(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *place, const struct node *map)
{
	return add_tables(editor, target, map, line_above(editor, place->headers.items[0].extent));
}

static int add_pair(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *in, const struct node *value, bool is_dotted)
{
	const struct extent *section = in->header, *anchor = NULL;
	const struct edit_step *keys = last_step(target);
	struct toml_manner manner;
	struct node *map;
	struct span text;
	size_t count = 1;

	if (!section && in->pairs.count) {
		struct toml_part last = in->pairs.items[in->pairs.count - 1];

		section = last.in;
		anchor = last.extent;
		keys -= last.keys;
		count += last.keys;
	}
	if (section && !has_lines(editor, section))
		return insert_inline(editor, section, keys, count, value);
	if (section) {
		manner = toml_manner_of(editor->edit, section);
		int r = toml_new_pairs(
			&editor->lines, keys, count, value, &manner, is_dotted, &text);
		return r ? r : insert_pair(editor, section, anchor, text);
	}
	if (!in->headers.count)
		return EDIT_CANNOT;
	map = node_new_map(editor->edit->arena, NULL);
	if (!map || node_put(editor->edit->arena, map, last_step(target)->key, value) < 0)
		return -ENOMEM;
	return add_header(editor, parent_of(target), in, map);
}

/* A key that its table has not. */
static int add(
	const struct toml_editor *editor, struct toml_target target, const struct node *value)
{
	struct toml_target parent = parent_of(target);
	const struct node *in = toml_place_node(editor->edit, parent);
	enum node_style style;
	struct toml_place place;

	if (!in || !node_is_map(in) || !last_step(target)->key)
		return EDIT_CANNOT;
	int r = toml_place_find(editor->edit, parent, &place);
	if (r != 0)
		return r;
	if (place.value.extent)
		return insert_inline(editor, place.value.extent, last_step(target), 1, value);
	style = style_of_new(&place, in, value);
	if (style == NODE_BLOCK)
		return add_tables(editor, target, value, end_of_place(editor, &place));
	return add_pair(editor, target, &place, value, style == NODE_DOTTED);
}

/* The value in an extent becomes another one. */
static int replace(
	const struct toml_editor *editor, struct toml_part part, const struct node *value)
{
	const struct node *old = part.extent->node;
	bool is_inline = part.in && !has_lines(editor, part.in);
	struct span text;

	int r = toml_new_value(
		&editor->lines, value, scalar_is_string(old) ? old : NULL, is_inline, &text);
	return r ? r : edit_splice(editor->edit, part.extent->value, text);
}

/* Items in brackets that are alike at both ends stay; those between become others. */
static int set_items(const struct toml_editor *editor, struct toml_target target,
	const struct extent *list, const struct node *value)
{
	const struct node *old = list->node;
	uint32_t first = 0, end = old->seq.count, wanted = value->seq.count;
	struct toml_items items;
	int r = toml_items_of(&editor->lines, list, &items);

	while (first < end && first < wanted &&
		edit_same(old->seq.items[first], value->seq.items[first], false))
		first++;
	while (end > first && wanted > first &&
		edit_same(old->seq.items[end - 1], value->seq.items[wanted - 1], false)) {
		end--;
		wanted--;
	}
	for (; r == 0 && first < end && first < wanted; first++) {
		struct toml_part item = {items.items[first], list, 0};
		struct toml_target entered;

		r = toml_target_enter(
			editor->edit, target, (struct edit_step){NULL, first}, &entered);
		if (r == 0)
			r = set_value(editor, entered, item, value->seq.items[first]);
	}
	if (r == 0 && first < end)
		r = toml_items_remove(&items, first, end);
	if (r != 0 || first >= wanted)
		return r;
	struct span *texts = arena_zalloc(editor->edit->arena, wanted - first, sizeof(struct span));
	if (!texts)
		return -ENOMEM;
	for (uint32_t i = first; i < wanted && r == 0; i++)
		r = toml_new_value(&editor->lines, value->seq.items[i],
			items.count ? items.items[items.count - 1]->node : NULL, true,
			&texts[i - first]);
	return r ? r : toml_items_insert(&items, first, texts, wanted - first);
}

/* The pairs of a map become those of another one. */
static int set_map(const struct toml_editor *editor, struct toml_target target,
	const struct node *old, const struct node *value)
{
	struct toml_target entry;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < old->map.count; i++) {
		const struct node *key = old->map.pairs[i].key;

		if (node_find(value, key))
			continue;
		r = toml_target_enter(editor->edit, target, (struct edit_step){key, 0}, &entry);
		if (r == 0)
			r = remove_target(editor, entry);
	}
	for (uint32_t i = 0; r == 0 && i < value->map.count; i++) {
		const struct pair *pair = &value->map.pairs[i];
		const struct pair *found = node_find(old, pair->key);

		if (found && edit_same(found->value, pair->value, false))
			continue;
		r = toml_target_enter(
			editor->edit, target, (struct edit_step){pair->key, 0}, &entry);
		if (r == 0)
			r = found ? set(editor, entry, pair->value)
				  : add(editor, entry, pair->value);
	}
	return r;
}

/* Puts tables, a list of them, in front of item `i` of a list of tables, or behind the last. */
static int insert_items(const struct toml_editor *editor, struct toml_target list, uint32_t i,
	const struct node *tables)
{
	const struct node *old = toml_place_node(editor->edit, list);
	struct toml_target item;
	struct toml_place place;
	size_t offset;

	if (!is_tables(tables))
		return EDIT_CANNOT;
	int r = toml_target_enter(editor->edit, list,
		(struct edit_step){NULL, i < old->seq.count ? i : i - 1}, &item);
	if (r == 0)
		r = toml_place_find(editor->edit, item, &place);
	if (r != 0)
		return r;
	if (!place.header)
		return EDIT_CANNOT;
	offset = i < old->seq.count ? line_above(editor, place.header)
				    : end_of_place(editor, &place);
	return add_tables(editor, list, tables, offset);
}

/* A list of tables, each under its header, becomes another one. */
static int set_tables(const struct toml_editor *editor, struct toml_target target,
	const struct node *old, const struct node *value)
{
	uint32_t first = 0, end = old->seq.count, wanted = value->seq.count;
	struct toml_target item;
	struct node *rest;
	int r = 0;

	while (first < end && first < wanted &&
		edit_same(old->seq.items[first], value->seq.items[first], false))
		first++;
	while (end > first && wanted > first &&
		edit_same(old->seq.items[end - 1], value->seq.items[wanted - 1], false)) {
		end--;
		wanted--;
	}
	for (; r == 0 && first < end; first++) {
		r = toml_target_enter(editor->edit, target, (struct edit_step){NULL, first}, &item);
		if (r == 0 && first < wanted)
			r = set(editor, item, value->seq.items[first]);
		else if (r == 0)
			r = remove_target(editor, item);
	}
	if (r != 0 || first >= wanted)
		return r;
	rest = node_new_sequence(editor->edit->arena, NULL);
	for (uint32_t i = first; rest && i < wanted; i++)
		if (node_push(editor->edit->arena, rest, value->seq.items[i]) < 0)
			rest = NULL;
	return rest ? insert_items(editor, target, first, rest) : -ENOMEM;
}

/* Of dotted keys that lead through the target, the first is put anew and the others go. */
static int rewrite_pairs(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *place, const struct node *value)
{
	struct toml_part part = place->pairs.items[0];
	struct toml_manner manner = toml_manner_of(editor->edit, part.in);
	bool is_dotted = has_lines(editor, part.in) && node_is_map(value) && node_count(value);
	struct span text;
	int r = 0;

	manner.indent = (struct span){editor->edit->text.data + line_of(editor, part.extent),
		part.extent->member.begin - line_of(editor, part.extent)};
	if (!has_lines(editor, part.in))
		manner.indent.len = 0;
	for (uint32_t i = 1; i < place->pairs.count && r == 0; i++)
		r = remove_part(editor, place->pairs.items[i]);
	for (uint32_t i = 0; i < place->headers.count && r == 0; i++)
		r = remove_part(editor, place->headers.items[i]);
	if (r == 0)
		r = toml_new_pairs(&editor->lines, target.steps + target.count - part.keys,
			part.keys, value, &manner, is_dotted, &text);
	if (r != 0)
		return r;
	/* The line has its indent already. */
	text.data += manner.indent.len;
	text.len -= manner.indent.len;
	return edit_splice(editor->edit, part.extent->member, text);
}

/* What is in a place, whatever it is written as, becomes something else behind a "=". */
static int rewrite(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *place, const struct node *value)
{
	struct toml_place in;

	if (!target.count || !last_step(target)->key)
		return EDIT_CANNOT;
	if (place->pairs.count && !place->header)
		return rewrite_pairs(editor, target, place, value);
	int r = toml_place_find(editor->edit, parent_of(target), &in);
	if (r == 0)
		r = remove_place(editor, place);
	if (r != 0)
		return r;
	return add_pair(editor, target, &in, value, false);
}

/* Whether a map between braces would have to give up more than one entry, or get its first. */
static bool is_many(const struct node *old, const struct node *value)
{
	uint32_t gone = 0;

	for (uint32_t i = 0; i < old->map.count; i++)
		gone += !node_find(value, old->map.pairs[i].key);
	return gone > 1 || !old->map.count || (gone && gone == old->map.count) ||
	       (gone && value->map.count + gone > old->map.count);
}

/* What stands in an extent of its own becomes another value. */
static int set_value(const struct toml_editor *editor, struct toml_target target,
	struct toml_part part, const struct node *value)
{
	const struct node *old = part.extent->node;

	if (node_is_map(old) && node_is_map(value) && !is_many(old, value))
		return set_map(editor, target, old, value);
	if (node_is_sequence(old) && node_is_sequence(value))
		return set_items(editor, target, part.extent, value);
	return replace(editor, part, value);
}

/* Whether nothing of a map stays. */
static bool is_other(const struct node *old, const struct node *value)
{
	for (uint32_t i = 0; i < old->map.count; i++)
		if (node_find(value, old->map.pairs[i].key))
			return false;
	return true;
}

/* A table that is written as headers of what is in it, and gets other keys. */
static int renew(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *place, const struct node *value)
{
	size_t offset;

	if (place->pairs.count)
		return rewrite_pairs(editor, target, place, value);
	if (!place->headers.count)
		return EDIT_CANNOT;
	offset = line_of(editor, place->headers.items[0].extent);
	int r = remove_place(editor, place);
	return r ? r : add_tables(editor, target, value, offset);
}

/* The only table of a list under headers becomes no table. */
static int set_only_item(
	const struct toml_editor *editor, struct toml_target list, const struct node *value)
{
	struct node *copy = node_new_sequence(editor->edit->arena, NULL);
	struct toml_place place;

	if (!copy || node_push(editor->edit->arena, copy, value) < 0)
		return -ENOMEM;
	int r = toml_place_find(editor->edit, list, &place);
	return r ? r : rewrite(editor, list, &place, copy);
}

static int set(
	const struct toml_editor *editor, struct toml_target target, const struct node *value)
{
	const struct node *old = toml_place_node(editor->edit, target);
	struct toml_place place;

	if (!old)
		return target.count ? add(editor, target, value) : EDIT_CANNOT;
	int r = toml_place_find(editor->edit, target, &place);
	if (r != 0)
		return r;
	if (place.value.extent)
		return set_value(editor, target, place.value, value);
	if (node_is_map(old) && node_is_map(value))
		return place.header || !is_other(old, value) ? set_map(editor, target, old, value)
							     : renew(editor, target, &place, value);
	if (node_is_sequence(old) && node_is_sequence(value) && is_tables(value))
		return set_tables(editor, target, old, value);
	if (target.count && !last_step(target)->key &&
		toml_place_node(editor->edit, parent_of(target))->seq.count == 1)
		return set_only_item(editor, parent_of(target), value);
	return rewrite(editor, target, &place, value);
}

/* What makes the table is removed, but it is to stay. */
static int leave_empty(const struct toml_editor *editor, struct toml_target parent,
	const struct toml_place *in, const struct toml_place *place)
{
	struct node *empty = node_new_map(editor->edit->arena, NULL);
	struct toml_manner manner = {.indent = {"", 0}};
	struct span text;
	size_t offset;

	if (!empty)
		return -ENOMEM;
	if (in->pairs.count)
		return rewrite_pairs(editor, parent, in, empty);
	offset = line_of(editor, in->headers.items[0].extent);
	int r = remove_place(editor, place);
	if (r == 0)
		r = toml_new_tables(
			&editor->lines, parent.steps, parent.count, empty, &manner, &text);
	return r ? r : text_lines_insert(&editor->lines, offset, text);
}

static int remove_target(const struct toml_editor *editor, struct toml_target target)
{
	struct toml_target parent = parent_of(target);
	const struct node *in = toml_place_node(editor->edit, parent);
	struct toml_place place, around;

	int r = toml_place_find(editor->edit, target, &place);
	if (r == 0)
		r = toml_place_find(editor->edit, parent, &around);
	if (r != 0)
		return r;
	if (!in || !toml_place_node(editor->edit, target))
		return EDIT_CANNOT;
	if (node_count(in) > 1 || around.value.extent || around.header)
		return remove_place(editor, &place);
	if (node_is_map(in))
		return leave_empty(editor, parent, &around, &place);
	struct node *empty = node_new_sequence(editor->edit->arena, NULL);
	return empty ? rewrite(editor, parent, &around, empty) : -ENOMEM;
}

static int insert(
	const struct toml_editor *editor, struct toml_target target, const struct node *value)
{
	struct toml_target parent = parent_of(target);
	const struct node *list = toml_place_node(editor->edit, parent);
	uint32_t i = last_step(target)->index;
	struct toml_items items;
	struct toml_place place;
	struct node *tables;
	struct span text;

	if (!list || !node_is_sequence(list) || i > list->seq.count)
		return EDIT_CANNOT;
	int r = toml_place_find(editor->edit, parent, &place);
	if (r != 0)
		return r;
	if (!place.value.extent) {
		tables = node_new_sequence(editor->edit->arena, NULL);
		if (!tables || node_push(editor->edit->arena, tables, value) < 0)
			return -ENOMEM;
		return insert_items(editor, parent, i, tables);
	}
	r = toml_items_of(&editor->lines, place.value.extent, &items);
	if (r == 0)
		r = toml_new_value(&editor->lines, value,
			items.count ? items.items[i < items.count ? i : i - 1]->node : NULL, true,
			&text);
	return r ? r : toml_items_insert(&items, i, &text, 1);
}

/* Whether a byte is part of a key or a string, and so begins no comment. */
static bool is_text(const struct extent *in, size_t offset)
{
	for (const struct extent *at = in->first; at; at = at->next) {
		if (offset < at->member.begin || offset >= at->member.end)
			continue;
		if (offset < at->key.end)
			return offset >= at->key.begin;
		return offset >= at->value.begin &&
		       (node_is_scalar(at->node) || is_text(at, offset));
	}
	return false;
}

static bool loses_comment(const struct toml_editor *editor, uint32_t first)
{
	const struct edit *edit = editor->edit;

	for (uint32_t i = first; i < edit->count; i++) {
		size_t end = edit->splices[i].offset + edit->splices[i].len;

		for (size_t at = edit->splices[i].offset; at < end; at++)
			if (edit->text.data[at] == '#' && !is_text(editor->root, at))
				return true;
	}
	return false;
}

int toml_edit(struct edit *edit, const struct edit_op *op)
{
	struct toml_editor editor = {
		edit, {.edit = edit, .comments = "#"}, edit->document->extents[0]};
	struct toml_target target = {op->steps, op->count};
	uint32_t first = edit->count;
	int r;

	if (op->kind != EDIT_SET && !op->count)
		return EDIT_CANNOT;
	if (op->kind == EDIT_SET)
		r = set(&editor, target, op->value);
	else if (op->kind == EDIT_REMOVE)
		r = remove_target(&editor, target);
	else
		r = insert(&editor, target, op->value);
	return r == 0 && op->keeps_comments && loses_comment(&editor, first) ? EDIT_CANNOT : r;
}
