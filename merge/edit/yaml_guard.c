#include "yaml_guard.h"

#include "flow.h"

int yaml_guard_value(const struct edit *edit, const struct extent *extent)
{
	if (extent->is_alias)
		return edit_problem(edit, extent->value.begin,
			"an alias stands here, which an edit would take away; edit it by hand");
	if (extent->has_anchor)
		return edit_problem(edit, extent->value.begin,
			"an anchor stands here, which an edit would take away; edit it by hand");
	for (const struct extent *entry = extent->first; entry; entry = entry->next) {
		int r = entry->is_merge_key
				? edit_problem(edit, entry->member.begin,
					  "a merge key stands here, which an edit would take away; "
					  "edit it by hand")
				: yaml_guard_value(edit, entry);

		if (r != 0)
			return r;
	}
	return 0;
}

static const struct extent *find_alias(const struct extent *in, const struct node *node)
{
	if (in->is_alias)
		return in->node == node ? in : NULL;
	for (const struct extent *entry = in->first; entry; entry = entry->next) {
		const struct extent *found = find_alias(entry, node);

		if (found)
			return found;
	}
	return NULL;
}

/* Checks a value that contains the edited one: a change in it must not show anywhere else. */
static int check_ancestor(
	const struct edit *edit, const struct edit_op *op, const struct extent *extent)
{
	const struct extent *alias;

	if (extent->is_alias)
		return edit_problem(edit, extent->value.begin,
			"an alias stands here, and its value begins in line %u; edit it there",
			(unsigned)extent->node->line);
	if (!extent->has_anchor)
		return 0;
	alias = find_alias(edit->document->extents[op->document], extent->node);
	if (!alias)
		return 0;
	return edit_problem(edit, extent->value.begin,
		"an alias elsewhere refers to this anchor, and its value would change too; edit it "
		"by hand");
}

static const struct extent *find_merge(const struct extent *in)
{
	for (const struct extent *entry = in->first; entry; entry = entry->next)
		if (entry->is_merge_key)
			return entry;
	return NULL;
}

int yaml_guard_path(const struct edit *edit, const struct edit_op *op, const struct extent **in)
{
	const struct extent *merge;
	int r;

	*in = NULL;
	for (size_t i = 0; i < op->count; i++) {
		const struct extent *next = edit_follow(edit, op, i);

		if (!next) {
			merge = *in ? find_merge(*in) : NULL;
			return !merge ? EDIT_CANNOT
				      : edit_problem(edit, merge->member.begin,
						"the value comes from the map that is merged here; "
						"edit it there, or set it as a whole");
		}
		r = check_ancestor(edit, op, next);
		if (r != 0)
			return r;
		*in = next;
	}
	return 0;
}

static bool brings_key(const struct node *node, const struct node *key)
{
	if (node_is_map(node))
		return node_find(node, key) != NULL;
	for (uint32_t i = 0; node_is_sequence(node) && i < node->seq.count; i++)
		if (brings_key(node->seq.items[i], key))
			return true;
	return false;
}

int yaml_guard_removed(
	const struct edit *edit, const struct extent *in, const struct edit_step *step)
{
	uint32_t i = 0;
	int r = 0;

	for (const struct extent *entry = in->first; r == 0 && entry; entry = entry->next, i++) {
		if (entry->is_merge_key && step->key && brings_key(entry->node, step->key))
			return edit_problem(edit, entry->member.begin,
				"the map that is merged here has the key, too; edit it by hand");
		if (edit_is_entry(entry, i, step))
			r = yaml_guard_value(edit, entry);
	}
	return r;
}
