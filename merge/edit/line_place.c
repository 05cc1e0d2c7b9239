#include "line_place.h"

#include <errno.h>

bool line_place_is_section(const struct extent *extent)
{
	return node_is_map(extent->node);
}

bool line_place_is_include(const struct extent *extent)
{
	return extent->keys[0]->text.len && *extent->keys[0]->text.data == '!';
}

int line_place_add(
	const struct line_editor *editor, struct line_places *places, const struct extent *extent)
{
	return arena_push(
		editor->edit->arena, places->items, places->count, places->capacity, extent);
}

bool line_place_has_key(const struct extent *extent, const struct node *key)
{
	return node_is_scalar(key) && span_equal(extent->keys[0]->text, key->text);
}

int line_place_find_sections(
	const struct line_editor *editor, const struct node *name, struct line_places *ret)
{
	int r = 0;

	*ret = (struct line_places){0};
	if (!editor->root)
		return 0;
	for (const struct extent *at = editor->root->first; at && r == 0; at = at->next)
		if (line_place_is_section(at) && line_place_has_key(at, name))
			r = line_place_add(editor, ret, at);
	return r;
}

int line_place_find_parts(const struct line_editor *editor, const struct line_section *section,
	struct line_places *ret)
{
	*ret = (struct line_places){0};
	if (section->only)
		return line_place_add(editor, ret, section->only);
	if (section->name)
		return line_place_find_sections(editor, section->name, ret);
	return editor->root ? line_place_add(editor, ret, editor->root) : 0;
}

int line_place_find_pairs(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, struct line_places *ret)
{
	struct line_places parts;
	int r = line_place_find_parts(editor, section, &parts);

	*ret = (struct line_places){0};
	for (uint32_t i = 0; i < parts.count; i++)
		for (const struct extent *at = parts.items[i]->first; at && r == 0; at = at->next)
			if (!line_place_is_section(at) && (!key || line_place_has_key(at, key)))
				r = line_place_add(editor, ret, at);
	return r;
}
