#include "toml_entry.h"

#include <errno.h>

#include "edit_tree.h"
#include "toml_new.h"

bool toml_entry_has_lines(const struct toml_editor *editor, const struct extent *in)
{
	return in == editor->root || toml_place_is_header(editor->edit, in);
}

static int remove_lines(const struct toml_editor *editor, const struct extent *in,
	const struct extent *entry, bool keeps_above)
{
	size_t begin = keeps_above ? text_lines_at(&editor->lines, entry)
				   : text_lines_own(&editor->lines, in, entry, in == editor->root);

	return text_lines_take(&editor->lines, begin, text_lines_behind(&editor->lines, entry));
}

static uint32_t index_of(const struct extent *in, const struct extent *entry)
{
	uint32_t i = 0;

	for (const struct extent *at = in->first; at != entry; at = at->next)
		i++;
	return i;
}

/* Removes the part; in braces or brackets, `count` entries, of which the part is the first. */
static int remove_part(
	const struct toml_editor *editor, struct toml_part part, uint32_t count, bool keeps_above)
{
	if (toml_entry_has_lines(editor, part.in))
		return remove_lines(editor, part.in, part.extent, keeps_above);
	const struct edit_step first = {.index = index_of(part.in, part.extent)};
	return flow_remove(editor->edit, part.in, &first, count);
}

/* Removes the pairs from index `i`. Neighbours in braces go together, with the comma before. */
static int remove_pairs(const struct toml_editor *editor, const struct toml_parts *pairs,
	uint32_t i, bool keeps_above)
{
	int r = 0;

	for (uint32_t end; i < pairs->count && r == 0; i = end) {
		const struct toml_part *part = &pairs->items[i];

		for (end = i + 1; end < pairs->count && !toml_entry_has_lines(editor, part->in) &&
				  pairs->items[end].extent == pairs->items[end - 1].extent->next;)
			end++;
		r = remove_part(editor, *part, end - i, keeps_above);
	}
	return r;
}

int toml_entry_remove_others(const struct toml_editor *editor, const struct toml_place *place)
{
	int r = remove_pairs(editor, &place->pairs, 1, false);

	for (uint32_t i = 0; i < place->headers.count && r == 0; i++)
		r = remove_part(editor, place->headers.items[i], 1, false);
	return r;
}

int toml_entry_remove_place(
	const struct toml_editor *editor, const struct toml_place *place, bool keeps_above)
{
	bool has_header = !place->header;

	if (place->value.extent)
		return remove_part(editor, place->value, 1, keeps_above);
	int r = remove_pairs(editor, &place->pairs, 0, keeps_above);
	for (uint32_t i = 0; i < place->headers.count && r == 0; i++) {
		const struct extent *header = place->headers.items[i].extent;

		if (!has_header && place->header->member.begin < header->member.begin) {
			r = remove_lines(editor, editor->root, place->header, keeps_above);
			has_header = true;
		}
		if (r == 0)
			r = remove_lines(editor, editor->root, header, keeps_above);
	}
	return r == 0 && !has_header
		       ? remove_lines(editor, editor->root, place->header, keeps_above)
		       : r;
}

size_t toml_entry_line_above(const struct toml_editor *editor, const struct extent *header)
{
	size_t floor = 0;

	for (const struct extent *at = editor->root->first; at != header; at = at->next)
		floor = at->member.end;
	return text_lines_above(&editor->lines, header, floor);
}

/* Returns whether headers have no blank line before them. */
static bool is_dense(const struct toml_editor *editor)
{
	const struct extent *last = editor->root->last;
	size_t above;

	if (!last || last == editor->root->first || !toml_place_is_header(editor->edit, last))
		return false;
	above = toml_entry_line_above(editor, last);
	return above > 0 &&
	       !text_lines_is_blank(&editor->lines, text_lines_begin(&editor->lines, above - 1));
}

/* Inserts `pair` into `in` as a line of its own, after the last pair or after `anchor`. `pair` has
 * no line end. */
static int insert_pair(const struct toml_editor *editor, const struct extent *in,
	const struct extent *anchor, struct span pair)
{
	const struct text_lines *lines = &editor->lines;
	struct span end = edit_line_end(editor->edit), line;
	struct output output = {.max = SIZE_MAX};
	const struct extent *first = in->first;
	size_t offset, above;

	output_put(&output, editor->above.data, editor->above.len);
	output_put(&output, pair.data, pair.len);
	output_put(&output, end.data, end.len);
	int r = text_lines_finish(lines, &output, &line);
	if (r != 0)
		return r;
	for (const struct extent *at = anchor ? NULL : first; at; at = at->next)
		if (in != editor->root || !toml_place_is_header(editor->edit, at))
			anchor = at;
	if (anchor)
		return text_lines_insert(lines, text_lines_behind(&editor->lines, anchor), line);
	if (in != editor->root)
		return text_lines_insert(lines, text_lines_after(lines, in->key.end), line);
	if (!first)
		return text_lines_insert_apart(lines, editor->edit->text.len, line);
	/* Insert before the first header and its comments, unless the comments begin the text. */
	offset = text_lines_at(&editor->lines, first);
	above = toml_entry_line_above(editor, first);
	offset = above > text_lines_begin(lines, 0) ? above : offset;
	r = text_lines_insert_apart(lines, offset, line);
	return r == 0 && !text_lines_is_blank(lines, offset) ? text_lines_insert(lines, offset, end)
							     : r;
}

int toml_entry_insert(const struct toml_editor *editor, const struct extent *in, uint32_t i,
	const struct span *items, uint32_t count)
{
	struct edit *edit = editor->edit;
	bool is_table = edit_at(edit, in->value.begin) == '{';
	struct flow_layout layout = {.pad = span_of(is_table ? " " : ""), .gap = span_of(" ")};

	layout.indent.data =
		edit_join(edit, (struct span[]){edit_indent(edit, in->value.begin), span_of("  ")},
			2, &layout.indent.len);
	return layout.indent.data ? flow_insert(editor->edit, in, i, items, count, &layout)
				  : -ENOMEM;
}

static int insert_inline(const struct toml_editor *editor, const struct extent *in,
	const struct edit_step *keys, size_t count, const struct node *value)
{
	struct toml_manner manner = toml_manner_of(editor->edit, in);
	struct span text;

	manner.indent.len = 0;
	int r = toml_new_pairs(&editor->lines, keys, count, value, &manner, false, &text);
	return r ? r : toml_entry_insert(editor, in, UINT32_MAX, &text, 1);
}

/* Finds how other tables of the same kind in `in` are written. The last one counts. */
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

bool toml_entry_is_tables(const struct node *value)
{
	bool is_all = node_is_map(value) || (node_is_sequence(value) && value->seq.count);

	for (uint32_t i = 0; is_all && node_is_sequence(value) && i < value->seq.count; i++)
		is_all = node_is_map(value->seq.items[i]);
	return is_all;
}

/* Returns the style of a new value: NODE_BLOCK under headers, NODE_DOTTED as dotted keys, NODE_FLOW
 * after a "=". */
static enum node_style style_of_new(
	const struct toml_place *place, const struct node *in, const struct node *value)
{
	bool is_dotted = !place->header && place->pairs.count;
	enum node_style style = is_dotted ? NODE_DOTTED : NODE_BLOCK;

	if (!toml_entry_is_tables(value))
		return NODE_FLOW;
	has_sibling(in, value, &style);
	if (style == NODE_BLOCK && is_dotted)
		style = NODE_DOTTED;
	if (style == NODE_DOTTED && (!node_is_map(value) || !node_count(value)))
		style = NODE_FLOW;
	return style;
}

size_t toml_entry_end_of_place(const struct toml_editor *editor, const struct toml_place *place)
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
	return last ? text_lines_behind(&editor->lines, last) : editor->edit->text.len;
}

static int new_tables(const struct toml_editor *editor, struct toml_target target,
	const struct node *value, struct span *ret)
{
	struct toml_manner manner = toml_manner_of(
		editor->edit, editor->root->last ? editor->root->last : editor->root);

	manner.indent.len = 0;
	return toml_new_tables(&editor->lines, target.steps, target.count, value, &manner, ret);
}

int toml_entry_add_tables(const struct toml_editor *editor, struct toml_target target,
	const struct node *value, size_t offset)
{
	struct span text;
	int r = new_tables(editor, target, value, &text);

	return r ? r : text_lines_insert_sections(&editor->lines, offset, text, is_dense(editor));
}

int toml_entry_replace_headers(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *place, const struct node *value)
{
	const struct extent *first = place->headers.items[0].extent;
	struct range range = {text_lines_at(&editor->lines, first),
		text_lines_end(&editor->lines, first->member.end)};
	struct span text;
	int r = new_tables(editor, target, value, &text);

	if (r != 0)
		return r;
	text.len -= edit_line_end(editor->edit).len;
	r = edit_splice(editor->edit, range, text);
	for (uint32_t i = 1; r == 0 && i < place->headers.count; i++)
		r = remove_lines(editor, editor->root, place->headers.items[i].extent, true);
	return r;
}

int toml_entry_add_pair(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *in, const struct node *value, bool is_dotted)
{
	const struct extent *section = in->header, *anchor = NULL;
	const struct edit_step *keys = toml_target_last(target);
	struct toml_manner manner;
	const struct node *map;
	struct span text;
	size_t count = 1;

	if (!section && in->pairs.count) {
		struct toml_part last = in->pairs.items[in->pairs.count - 1];

		section = last.in;
		anchor = last.extent;
		keys -= last.keys;
		count += last.keys;
	}
	if (section && !toml_entry_has_lines(editor, section))
		return insert_inline(editor, section, keys, count, value);
	if (section) {
		manner = toml_manner_of(editor->edit, section);
		int r = toml_new_pairs(
			&editor->lines, keys, count, value, &manner, is_dotted, &text);
		return r ? r : insert_pair(editor, section, anchor, text);
	}
	if (!in->headers.count)
		return EDIT_CANNOT;
	map = edit_tree_wrap(toml_target_last(target), 1, value, editor->edit->arena);
	/* Only the headers of the tables in it have made the table: it gets a header of its own. */
	return map ? toml_entry_add_tables(editor, toml_target_parent(target), map,
			     toml_entry_line_above(editor, in->headers.items[0].extent))
		   : -ENOMEM;
}

int toml_entry_add(
	const struct toml_editor *editor, struct toml_target target, const struct node *value)
{
	struct toml_target parent = toml_target_parent(target);
	const struct node *in = toml_place_node(editor->edit, parent);
	enum node_style style;
	struct toml_place place;

	if (!in || !node_is_map(in) || !toml_target_last(target)->key)
		return EDIT_CANNOT;
	int r = toml_place_find(editor->edit, parent, &place);
	if (r != 0)
		return r;
	if (place.value.extent)
		return insert_inline(
			editor, place.value.extent, toml_target_last(target), 1, value);
	style = style_of_new(&place, in, value);
	if (style == NODE_BLOCK)
		return toml_entry_add_tables(
			editor, target, value, toml_entry_end_of_place(editor, &place));
	return toml_entry_add_pair(editor, target, &place, value, style == NODE_DOTTED);
}
