#include "line_edit.h"

#include "format/builder.h"
#include "line_pair.h"
#include "line_section.h"

/* Sets a key of the root to a section, several sections, or a value. */
static int set_root_key(const struct line_editor *editor, const struct node *key,
	const struct node *there, const struct node *value)
{
	const struct line_section root = {0}, section = {.name = key};
	bool was_sections = there && builder_is_sections(there),
	     is_now = builder_is_sections(value);
	int r = 0;

	if (was_sections && is_now && there->kind == value->kind)
		return node_is_map(value) ? line_section_set(editor, &section, there, value)
					  : line_section_set_list(editor, key, there, value);
	if (was_sections)
		r = line_section_remove(editor, key);
	else if (there && is_now)
		r = line_pair_remove(editor, &root, key);
	if (r != 0)
		return r;
	if (!is_now)
		return line_pair_set(editor, &root, key, value);
	return node_count(value) || node_is_map(value) ? line_section_add(editor, key, value, NULL)
						       : 0;
}

static int remove_root_key(
	const struct line_editor *editor, const struct node *key, const struct node *there)
{
	const struct line_section root = {0};

	return builder_is_sections(there) ? line_section_remove(editor, key)
					  : line_pair_remove(editor, &root, key);
}

static int set_root(
	const struct line_editor *editor, const struct node *there, const struct node *value)
{
	int r = 0;

	if (!node_is_map(value))
		return EDIT_CANNOT;
	for (uint32_t i = 0; r == 0 && there && i < there->map.count; i++)
		if (!node_find(value, there->map.pairs[i].key))
			r = remove_root_key(
				editor, there->map.pairs[i].key, there->map.pairs[i].value);
	for (uint32_t i = 0; r == 0 && i < value->map.count; i++) {
		const struct pair *pair = &value->map.pairs[i];
		const struct pair *old = there ? node_find(there, pair->key) : NULL;

		if (!old || !edit_same(old->value, pair->value, false))
			r = set_root_key(editor, pair->key, old ? old->value : NULL, pair->value);
	}
	return r;
}

int line_edit(struct edit *edit, const struct edit_op *op, const struct line_dialect *dialect)
{
	const struct document *document = edit->document;
	struct line_editor editor = {edit,
		{edit, dialect->comments, dialect->has_cr, dialect->has_continuation}, dialect,
		document->count ? document->extents[0] : NULL};
	const struct node *tree = document->count ? document->roots[0] : NULL;
	const struct line_section root = {0};
	const struct pair *pair;
	const struct node *there;

	if (!op->count)
		return op->kind == EDIT_SET ? set_root(&editor, tree, op->value) : EDIT_CANNOT;
	if (!op->steps->key)
		return EDIT_CANNOT;
	pair = tree ? node_find(tree, op->steps->key) : NULL;
	there = pair ? pair->value : NULL;
	if (op->count == 1 && op->kind == EDIT_SET)
		return set_root_key(&editor, op->steps->key, there, op->value);
	if (!there)
		return EDIT_CANNOT;
	if (op->count == 1)
		return op->kind == EDIT_REMOVE ? remove_root_key(&editor, op->steps->key, there)
					       : EDIT_CANNOT;
	if (node_is_map(there)) {
		const struct line_section section = {.name = op->steps->key};

		return line_pair_edit(&editor, &section, 1, op);
	}
	return builder_is_sections(there) ? line_section_edit_item(&editor, there, op)
					  : line_pair_edit(&editor, &root, 0, op);
}
