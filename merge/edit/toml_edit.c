/*
 * A new value goes behind its table's last pair, and a new table behind everything in its parent
 * table. A table is written like its neighbours: with a header, as dotted keys, or inline.
 */
#include <errno.h>

#include "edit_tree.h"
#include "format/toml.h"
#include "scalar.h"
#include "toml_entry.h"
#include "toml_new.h"

static int apply(const void *context, const struct edit_op *op);
static int set_value(const struct toml_editor *editor, struct toml_target target,
	struct toml_part part, const struct node *value);

static int replace(
	const struct toml_editor *editor, struct toml_part part, const struct node *value)
{
	const struct node *old = part.extent->node;
	bool is_inline = part.in && !toml_entry_has_lines(editor, part.in);
	struct span text;

	int r = toml_new_value(
		&editor->lines, value, scalar_is_string(old) ? old : NULL, is_inline, &text);
	return r ? r : edit_splice(editor->edit, part.extent->value, text);
}

/* Inserts the items [first, end) of `value` into an array, with the quotes of its last item. */
static int insert_values(const struct toml_editor *editor, const struct extent *list,
	const struct node *value, uint32_t first, uint32_t end)
{
	const struct node *like = list->last ? list->last->node : NULL;
	struct span *items = arena_zalloc(editor->edit->arena, end - first, sizeof(*items));
	int r = items ? 0 : -ENOMEM;

	for (uint32_t i = first; i < end && r == 0; i++)
		r = toml_new_value(
			&editor->lines, value->seq.items[i], like, true, &items[i - first]);
	return r ? r : toml_entry_insert(editor, list, first, items, end - first);
}

/* Changes the items between brackets. Equal items at both ends stay. */
static int set_items(const struct toml_editor *editor, struct toml_target target,
	const struct extent *list, const struct node *value)
{
	const struct edit_stretch stretch = edit_find_stretch(list->node, value);
	const uint32_t end = stretch.old_end, wanted = stretch.new_end;
	uint32_t first = 0;
	int r = 0;

	for (const struct extent *at = list->first; r == 0 && first < end && first < wanted;
		at = at->next, first++) {
		struct toml_part item = {at, list, 0};
		struct toml_target entered;

		if (first < stretch.first)
			continue;
		r = toml_target_enter(
			editor->edit, target, (struct edit_step){NULL, first}, &entered);
		if (r == 0)
			r = set_value(editor, entered, item, value->seq.items[first]);
	}
	if (r == 0 && first < end)
		return flow_remove(
			editor->edit, list, &(struct edit_step){NULL, first}, end - first);
	return r == 0 && first < wanted ? insert_values(editor, list, value, first, wanted) : r;
}

/* Changes a map, or a list of tables, entry by entry. */
static int split(const struct toml_editor *editor, struct toml_target target,
	const struct node *old, const struct node *value)
{
	const struct edit_op op = {.steps = target.steps, .count = target.count, .value = value};

	return edit_split(editor->edit, &op, old, apply, editor);
}

/* Inserts tables into a list of tables, before item `i`, or after the last. `tables` is a table or
 * a list of tables. */
static int insert_items(const struct toml_editor *editor, struct toml_target list, uint32_t i,
	const struct node *tables)
{
	const struct node *old = toml_place_node(editor->edit, list);
	struct toml_target item;
	struct toml_place place;
	size_t offset;

	if (!toml_entry_is_tables(tables))
		return EDIT_CANNOT;
	int r = toml_target_enter(editor->edit, list,
		(struct edit_step){NULL, i < old->seq.count ? i : i - 1}, &item);
	if (r == 0)
		r = toml_place_find(editor->edit, item, &place);
	if (r != 0)
		return r;
	if (!place.header)
		return EDIT_CANNOT;
	offset = i < old->seq.count ? toml_entry_line_above(editor, place.header)
				    : toml_entry_end_of_place(editor, &place);
	return toml_entry_add_tables(editor, list, tables, offset);
}

/* Rewrites the dotted keys that lead through the target: replaces the first and removes the
 * others. */
static int rewrite_pairs(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *place, const struct node *value)
{
	struct toml_part part = place->pairs.items[0];
	struct toml_manner manner = toml_manner_of(editor->edit, part.in);
	bool is_dotted =
		toml_entry_has_lines(editor, part.in) && node_is_map(value) && node_count(value);
	struct span text;

	manner.indent =
		(struct span){editor->edit->text.data + text_lines_at(&editor->lines, part.extent),
			part.extent->member.begin - text_lines_at(&editor->lines, part.extent)};
	if (!toml_entry_has_lines(editor, part.in))
		manner.indent.len = 0;
	int r = toml_entry_remove_others(editor, place);
	if (r == 0)
		r = toml_new_pairs(&editor->lines, target.steps + target.count - part.keys,
			part.keys, value, &manner, is_dotted, &text);
	if (r != 0)
		return r;
	/* The line has its indentation already. */
	text.data += manner.indent.len;
	text.len -= manner.indent.len;
	return edit_splice(editor->edit, part.extent->member, text);
}

/* Returns the comments above the headers, which follow the value to its new place. */
static struct span comments_of(const struct toml_editor *editor, const struct toml_place *place)
{
	const struct text_lines *lines = &editor->lines;
	const struct extent *first = place->headers.count ? place->headers.items[0].extent : NULL;

	if (place->header && (!first || place->header->member.begin < first->member.begin))
		first = place->header;
	if (!first || place->value.extent || place->pairs.count)
		return (struct span){0};
	size_t end = text_lines_at(&editor->lines, first);
	size_t begin = text_lines_own(lines, editor->root, first, true);
	return begin > text_lines_begin(lines, 0)
		       ? (struct span){editor->edit->text.data + begin, end - begin}
		       : (struct span){0};
}

/* Removes a value, however it is written, and writes the new one after a "=". */
static int rewrite(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *place, const struct node *value)
{
	struct toml_editor moving = *editor;
	struct toml_place in;

	if (!target.count || !toml_target_last(target)->key)
		return EDIT_CANNOT;
	if (place->pairs.count && !place->header)
		return rewrite_pairs(editor, target, place, value);
	moving.above = comments_of(editor, place);
	int r = toml_place_find(editor->edit, toml_target_parent(target), &in);
	if (r == 0)
		r = toml_entry_remove_place(editor, place, !moving.above.len);
	if (r != 0)
		return r;
	return toml_entry_add_pair(&moving, target, &in, value, false);
}

/* Returns whether a map in braces would lose several entries, or get its first one. */
static bool is_many(const struct node *old, const struct node *value)
{
	uint32_t gone = 0;

	for (uint32_t i = 0; i < old->map.count; i++)
		gone += !node_find(value, old->map.pairs[i].key);
	return gone > 1 || !old->map.count || (gone && gone == old->map.count) ||
	       (gone && value->map.count + gone > old->map.count);
}

/* Changes the value of an entry that holds it alone. */
static int set_value(const struct toml_editor *editor, struct toml_target target,
	struct toml_part part, const struct node *value)
{
	const struct node *old = part.extent->node;

	if (node_is_map(old) && node_is_map(value) && !is_many(old, value))
		return split(editor, target, old, value);
	if (node_is_sequence(old) && node_is_sequence(value))
		return set_items(editor, target, part.extent, value);
	return replace(editor, part, value);
}

/* Returns whether no key of a map stays. */
static bool is_other(const struct node *old, const struct node *value)
{
	for (uint32_t i = 0; i < old->map.count; i++)
		if (node_find(value, old->map.pairs[i].key))
			return false;
	return true;
}

/* Changes a table that exists only through dotted keys or through the headers of the tables in it,
 * and none of whose keys stay. */
static int renew(const struct toml_editor *editor, struct toml_target target,
	const struct toml_place *place, const struct node *value)
{
	if (place->pairs.count)
		return rewrite_pairs(editor, target, place, value);
	return place->headers.count ? toml_entry_replace_headers(editor, target, place, value)
				    : EDIT_CANNOT;
}

/* Replaces the only table of a list under headers by a value that is no table. */
static int set_only_item(
	const struct toml_editor *editor, struct toml_target list, const struct node *value)
{
	const struct node *copy =
		edit_tree_wrap(&(struct edit_step){0}, 1, value, editor->edit->arena);
	struct toml_place place;

	if (!copy)
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
		return target.count ? toml_entry_add(editor, target, value) : EDIT_CANNOT;
	int r = toml_place_find(editor->edit, target, &place);
	if (r != 0)
		return r;
	if (place.value.extent)
		return set_value(editor, target, place.value, value);
	if (node_is_map(old) && node_is_map(value))
		return place.header || !is_other(old, value) ? split(editor, target, old, value)
							     : renew(editor, target, &place, value);
	if (node_is_sequence(old) && node_is_sequence(value) && toml_entry_is_tables(value))
		return split(editor, target, old, value);
	if (target.count && !toml_target_last(target)->key &&
		toml_place_node(editor->edit, toml_target_parent(target))->seq.count == 1)
		return set_only_item(editor, toml_target_parent(target), value);
	return rewrite(editor, target, &place, value);
}

/* Keeps a table whose only entry is removed: writes it as an empty table. */
static int leave_empty(const struct toml_editor *editor, struct toml_target parent,
	const struct toml_place *in, const struct toml_place *place)
{
	struct node *empty = node_new_map(editor->edit->arena, NULL);
	struct toml_manner manner = {.indent = {"", 0}, .equals = " = "};
	struct span text;
	size_t offset;

	if (!empty)
		return -ENOMEM;
	if (in->pairs.count)
		return rewrite_pairs(editor, parent, in, empty);
	offset = text_lines_at(&editor->lines, in->headers.items[0].extent);
	int r = toml_entry_remove_place(editor, place, false);
	if (r == 0)
		r = toml_new_tables(
			&editor->lines, parent.steps, parent.count, empty, &manner, &text);
	return r ? r : text_lines_insert(&editor->lines, offset, text);
}

static int remove_target(const struct toml_editor *editor, struct toml_target target)
{
	struct toml_target parent = toml_target_parent(target);
	const struct node *in = toml_place_node(editor->edit, parent);
	struct toml_place place, around;

	int r = toml_place_find(editor->edit, target, &place);
	if (r != 0)
		return r;
	if (!in || !toml_place_node(editor->edit, target))
		return EDIT_CANNOT;
	if (node_count(in) > 1)
		return toml_entry_remove_place(editor, &place, false);
	r = toml_place_find(editor->edit, parent, &around);
	if (r != 0)
		return r;
	if (around.value.extent || around.header)
		return toml_entry_remove_place(editor, &place, false);
	if (node_is_map(in))
		return leave_empty(editor, parent, &around, &place);
	struct node *empty = node_new_sequence(editor->edit->arena, NULL);
	return empty ? rewrite(editor, parent, &around, empty) : -ENOMEM;
}

static int insert(
	const struct toml_editor *editor, struct toml_target target, const struct node *value)
{
	struct toml_target parent = toml_target_parent(target);
	const struct node *list = toml_place_node(editor->edit, parent);
	uint32_t i = toml_target_last(target)->index;
	const struct extent *like;
	struct toml_place place;
	const struct node *tables;
	struct span text;

	if (!list || !node_is_sequence(list) || i > list->seq.count)
		return EDIT_CANNOT;
	int r = toml_place_find(editor->edit, parent, &place);
	if (r != 0)
		return r;
	if (!place.value.extent) {
		/* edit.c sees it if the list should have been one item. */
		tables = node_is_sequence(value) ? value
						 : edit_tree_wrap(&(struct edit_step){0}, 1, value,
							   editor->edit->arena);
		return tables ? insert_items(editor, parent, i, tables) : -ENOMEM;
	}
	like = place.value.extent->first;
	for (uint32_t n = 0; n < i && like && like->next; n++)
		like = like->next;
	r = toml_new_value(&editor->lines, value, like ? like->node : NULL, true, &text);
	return r ? r : toml_entry_insert(editor, place.value.extent, i, &text, 1);
}

/* Skips the text up to `to`. Returns whether it has a comment; keys and strings (`is_text`) have
 * none. */
static bool skip(const struct edit *edit, struct range *rest, size_t to, bool is_text)
{
	size_t begin = rest->begin, end = to < rest->end ? to : rest->end;

	rest->begin = end > begin ? end : begin;
	return !is_text && end > begin && memchr(edit->text.data + begin, '#', end - begin);
}

/* Skips the entries of `in`. Returns whether there is a comment before the last one's end. */
static bool skip_entries(const struct edit *edit, struct range *rest, const struct extent *in)
{
	for (const struct extent *at = in->first; at && at->member.begin < rest->end;
		at = at->next) {
		if (at->member.end > rest->begin &&
			((at->keys && skip(edit, rest, at->key.begin, false)) ||
				skip(edit, rest, at->key.end, true) ||
				skip(edit, rest, at->value.begin, false) ||
				skip_entries(edit, rest, at) ||
				skip(edit, rest, at->value.end, node_is_scalar(at->node))))
			return true;
	}
	return false;
}

static bool has_comment(const struct toml_editor *editor, size_t begin, size_t end)
{
	struct range rest = {begin, end};

	/* Most ranges have none at all. */
	return memchr(editor->edit->text.data + begin, '#', end - begin) &&
	       (skip_entries(editor->edit, &rest, editor->root) ||
		       skip(editor->edit, &rest, end, false));
}

static bool loses_comment(const struct toml_editor *editor, uint32_t first)
{
	const struct edit *edit = editor->edit;

	for (uint32_t i = first; i < edit->count; i++) {
		const struct splice *splice = &edit->splices[i];

		if (has_comment(editor, splice->offset, splice->offset + splice->len))
			return true;
	}
	return false;
}

/* Removes the target; if it is its header's only entry, and headers of tables in the same table
 * follow, which make the table, too, then with its header. A header with comments stays. */
static int remove_with_header(const struct toml_editor *editor, struct toml_target target)
{
	struct toml_place place = {0}, around = {0};
	int r = target.count > 1 ? toml_place_find(editor->edit, target, &place) : 0;

	if (r == 0 && target.count > 1)
		r = toml_place_find(editor->edit, toml_target_parent(target), &around);
	if (r != 0)
		return r;
	const struct extent *header = around.headers.count ? around.header : NULL;
	bool is_dotted = place.pairs.count == 1 && !place.headers.count;
	const struct extent *entry = is_dotted ? place.pairs.items[0].extent : place.value.extent;
	if (!header || !target.steps[target.count - 2].key || header->first != header->last ||
		header->first != entry || !entry ||
		header->next != around.headers.items[0].extent ||
		has_comment(editor, toml_entry_line_above(editor, header),
			text_lines_behind(&editor->lines, header)))
		return remove_target(editor, target);
	return toml_entry_remove_place(editor, &(struct toml_place){.header = header}, false);
}

static int apply(const void *context, const struct edit_op *op)
{
	const struct toml_editor *editor = context;
	struct toml_target target = {op->steps, op->count};

	if (op->kind == EDIT_SET)
		return set(editor, target, op->value);
	return op->kind == EDIT_REMOVE ? remove_target(editor, target)
				       : insert(editor, target, op->value);
}

int toml_edit(struct edit *edit, const struct edit_op *op)
{
	static const struct line_dialect dialect = {.comments = "#"};
	const struct toml_editor editor = {edit, {edit, &dialect}, edit->document->extents[0]};
	uint32_t first = edit->count;
	int r = EDIT_CANNOT;

	if (op->kind == EDIT_REMOVE && op->count)
		r = remove_with_header(&editor, (struct toml_target){op->steps, op->count});
	else if (op->kind == EDIT_SET || op->count)
		r = apply(&editor, op);
	return r == 0 && op->keeps_comments && loses_comment(&editor, first) ? EDIT_CANNOT : r;
}
