#include "yaml_lines.h"

#include "flow.h"
#include "format/yaml_text.h"

size_t yaml_line_text_end(const struct edit *edit, size_t offset)
{
	size_t end = edit_line_after(edit, offset);

	while (end > offset && (edit_at(edit, end - 1) == '\n' || edit_at(edit, end - 1) == '\r'))
		end--;
	return end;
}

bool yaml_ends_with_newline(const struct edit *edit)
{
	return edit->text.len && edit->text.data[edit->text.len - 1] == '\n';
}

bool yaml_is_flow(const struct extent *extent)
{
	return !node_is_scalar(extent->node) && extent->node->style == NODE_FLOW;
}

bool yaml_is_block_scalar(const struct extent *extent)
{
	return node_is_scalar(extent->node) && !extent->is_alias &&
	       (extent->node->style == NODE_LITERAL || extent->node->style == NODE_FOLDED);
}

bool yaml_is_block(const struct extent *extent)
{
	return !extent->is_alias && !node_is_scalar(extent->node) && extent->first &&
	       !yaml_is_flow(extent);
}

bool yaml_has_brackets(const struct edit *edit, const struct extent *extent)
{
	char last = extent->value.end ? edit_at(edit, extent->value.end - 1) : '\0';
	char first = edit_at(edit, flow_open(edit, extent));

	return yaml_is_flow(extent) && (node_is_map(extent->node) ? first == '{' && last == '}'
								  : first == '[' && last == ']');
}

const struct extent *yaml_last_leaf(const struct extent *extent)
{
	while (yaml_is_block(extent))
		extent = extent->last;
	return extent;
}

size_t yaml_block_header(const struct edit *edit, const struct extent *scalar)
{
	return yaml_skip_properties(edit->text, scalar->value.begin) + 1;
}

bool yaml_keeps_lines(const struct edit *edit, const struct extent *scalar)
{
	size_t offset = yaml_block_header(edit, scalar);

	return yaml_is_block_scalar(scalar) &&
	       (edit_at(edit, offset) == '+' || edit_at(edit, offset + 1) == '+');
}

size_t yaml_skip_blank_lines(const struct edit *edit, size_t offset, bool *has_blanks)
{
	*has_blanks = false;
	while (offset < edit->text.len) {
		size_t end = yaml_line_text_end(edit, offset);

		for (size_t p = offset; p < end; p++)
			if (!edit_is_blank(edit_at(edit, p)))
				return offset;
		*has_blanks |= end > offset;
		offset = edit_line_after(edit, offset);
	}
	return offset;
}

size_t yaml_entry_after(const struct edit *edit, const struct extent *entry)
{
	const struct extent *leaf = yaml_last_leaf(entry);
	size_t after = edit_line_after(edit, entry->member.end), behind;
	bool has_blanks;

	if (!yaml_is_block_scalar(leaf))
		return after;
	/* The blank lines may belong to the block scalar's text. */
	behind = yaml_skip_blank_lines(edit, after, &has_blanks);
	return has_blanks || yaml_keeps_lines(edit, leaf) ? behind : after;
}
