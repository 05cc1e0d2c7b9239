#include "line_edit.h"

#include <errno.h>

#include "cleanup.h"
#include "edit_tree.h"
#include "format/builder.h"
#include "line_pair.h"

static int remove_section(const struct line_editor *editor, const struct extent *section)
{
	size_t begin = text_lines_own(&editor->lines, editor->root, section, true);

	return text_lines_take(&editor->lines, begin, text_lines_behind(&editor->lines, section));
}

/* Returns whether sections have no blank line before them. */
static bool is_dense(const struct line_editor *editor)
{
	const struct extent *last = NULL;

	for (const struct extent *at = editor->root ? editor->root->first : NULL; at; at = at->next)
		if (line_place_is_section(at) && at != editor->root->first)
			last = at;
	if (!last)
		return false;
	size_t begin = text_lines_above(&editor->lines, last, 0);
	return !text_lines_is_blank(&editor->lines, text_lines_begin(&editor->lines, begin - 1));
}

static int put_sections(
	const struct line_editor *editor, const struct line_sample *sample, struct span *ret)
{
	struct output output = {.max = SIZE_MAX};
	struct span end = edit_line_end(editor->edit);
	const struct extent *root = sample->document->extents[0];
	bool is_tight = is_dense(editor);

	for (const struct extent *at = root->first; at; at = at->next) {
		const struct line_section section = {.name = at->keys[0]};
		struct line_manner manner = line_manner_of(editor, &section);
		struct span header =
			line_place_text(sample->text, at->member.begin, at->key.end + 1);

		if (at != root->first && !is_tight)
			output_put(&output, end.data, end.len);
		output_put(&output, header.data, header.len);
		output_put(&output, end.data, end.len);
		for (const struct extent *pair = at->first; pair; pair = pair->next)
			line_new_put_pair(editor, &output, sample, pair, &manner);
	}
	return text_lines_finish(&editor->lines, &output, ret);
}

/* Inserts sections at the beginning of a line, or at the text's end, with blank lines between them
 * and the text around. */
static int insert_sections(
	const struct line_editor *editor, size_t offset, const struct line_sample *sample)
{
	struct edit *edit = editor->edit;
	struct span end = edit_line_end(edit), lines;
	size_t start = text_lines_begin(&editor->lines, 0);
	int r = put_sections(editor, sample, &lines);

	if (r != 0)
		return r;
	if (offset > start && !is_dense(editor) &&
		!text_lines_is_blank(&editor->lines, text_lines_begin(&editor->lines, offset - 1)))
		r = text_lines_insert(&editor->lines, offset, end);
	if (r == 0)
		r = text_lines_insert_apart(&editor->lines, offset, lines);
	if (r == 0 && offset < edit->text.len && !is_dense(editor) &&
		!text_lines_is_blank(&editor->lines, offset))
		r = edit_splice(edit, (struct range){offset, offset}, end);
	return r;
}

/* Finds the end of the sections with that name. If there are none, it is the end of the text, or
 * the place above MySQL's `!includedir`, which must stand behind all sections. */
static int end_of_sections(const struct line_editor *editor, const struct node *name, size_t *ret)
{
	struct line_places there;
	int r = line_place_find_sections(editor, name, &there);

	*ret = editor->edit->text.len;
	for (const struct extent *at = editor->root ? editor->root->first : NULL; at; at = at->next)
		if (*ret == editor->edit->text.len && line_place_is_include(at))
			*ret = text_lines_above(&editor->lines, at, 0);
	if (r == 0 && there.count)
		*ret = text_lines_behind(&editor->lines, there.items[there.count - 1]);
	return r;
}

/*
 * Inserts the sections that the format writes for `value` before the section `before`. If `before`
 * is NULL, they go after all sections named `name`, or, if there are none, to the end of the text.
 */
static int line_section_add(const struct line_editor *editor, const struct node *name,
	const struct node *value, const struct extent *before)
{
	CLEANUP(line_sample_fini) struct line_sample sample = {0};
	const struct node *tree =
		edit_tree_wrap(&(struct edit_step){.key = name}, 1, value, editor->edit->arena);
	size_t offset;

	int r = edit_sample(editor->edit, tree, &sample.text, &sample.document);
	if (r == 0)
		r = end_of_sections(editor, name, &offset);
	if (r != 0)
		return r;
	if (!sample.document->count)
		return EDIT_CANNOT;
	if (before)
		offset = text_lines_above(&editor->lines, before, 0);
	return insert_sections(editor, offset, &sample);
}

static int line_section_remove(const struct line_editor *editor, const struct node *name)
{
	struct line_places there;

	int r = line_place_find_sections(editor, name, &there);
	for (uint32_t i = 0; r == 0 && i < there.count; i++)
		r = remove_section(editor, there.items[i]);
	return r;
}

static int apply(const void *context, const struct edit_op *op);

/*
 * Applies the op to an item of `list`, or to a value in that item. The op's first two steps lead to
 * the item.
 */
static int line_section_edit_item(
	const struct line_editor *editor, const struct node *list, const struct edit_op *op)
{
	const struct node *name = op->steps->key;
	uint32_t i = op->steps[1].index;
	struct line_section section = {.name = name};
	struct line_places items;

	int r = line_place_find_sections(editor, name, &items);
	if (r != 0)
		return r;
	if (op->steps[1].key || items.count != list->seq.count || i > items.count)
		return EDIT_CANNOT;
	if (op->count == 2 && op->kind == EDIT_INSERT)
		return line_section_add(
			editor, name, op->value, i < items.count ? items.items[i] : NULL);
	if (i == items.count)
		return EDIT_CANNOT;
	section.only = items.items[i];
	if (op->count > 2)
		return line_pair_edit(editor, &section, 2, op);
	if (op->kind == EDIT_REMOVE)
		return remove_section(editor, section.only);
	return node_is_map(op->value)
		       ? edit_split(editor->edit, op, list->seq.items[i], apply, editor)
		       : EDIT_CANNOT;
}

static int set_root_key(
	const struct line_editor *editor, const struct edit_op *op, const struct node *there)
{
	const struct node *key = op->steps->key, *value = op->value;
	const struct line_section root = {0};
	bool was_sections = there && builder_is_sections(there),
	     is_now = builder_is_sections(value);
	int r = 0;

	if (was_sections && is_now && there->kind == value->kind)
		return edit_split(editor->edit, op, there, apply, editor);
	if (was_sections)
		r = line_section_remove(editor, key);
	else if (there && is_now)
		r = line_pair_remove(editor, &root, key);
	if (r != 0)
		return r;
	return is_now ? line_section_add(editor, key, value, NULL)
		      : line_pair_set(editor, &root, key, value);
}

static int remove_root_key(
	const struct line_editor *editor, const struct node *key, const struct node *there)
{
	const struct line_section root = {0};

	return builder_is_sections(there) ? line_section_remove(editor, key)
					  : line_pair_remove(editor, &root, key);
}

static int apply(const void *context, const struct edit_op *op)
{
	static const struct node nothing = {.kind = NODE_MAP};
	const struct line_editor *editor = context;
	const struct document *document = editor->edit->document;
	const struct node *tree = document->count ? document->roots[0] : &nothing, *there;
	const struct line_section root = {0};

	if (!op->count)
		return op->kind == EDIT_SET && node_is_map(op->value)
			       ? edit_split(editor->edit, op, tree, apply, editor)
			       : EDIT_CANNOT;
	if (!op->steps->key)
		return EDIT_CANNOT;
	there = edit_tree_entry(tree, op->steps);
	if (op->count == 1 && op->kind == EDIT_SET)
		return set_root_key(editor, op, there);
	if (!there)
		return EDIT_CANNOT;
	if (op->count == 1)
		return op->kind == EDIT_REMOVE ? remove_root_key(editor, op->steps->key, there)
					       : EDIT_CANNOT;
	if (node_is_map(there)) {
		const struct line_section section = {.name = op->steps->key};

		return line_pair_edit(editor, &section, 1, op);
	}
	return builder_is_sections(there) ? line_section_edit_item(editor, there, op)
					  : line_pair_edit(editor, &root, 0, op);
}

int line_edit(struct edit *edit, const struct edit_op *op, const struct line_dialect *dialect)
{
	const struct document *document = edit->document;
	const struct line_editor editor = {edit,
		{edit, dialect->comments, dialect->has_cr, dialect->has_continuation}, dialect,
		document->count ? document->extents[0] : NULL};

	return apply(&editor, op);
}
