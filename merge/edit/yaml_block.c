#include "yaml_block.h"

#include <errno.h>

#include "flow.h"
#include "yaml_guard.h"
#include "yaml_lines.h"
#include "yaml_new.h"

static struct span spaces(const struct edit *edit, int count)
{
	char *text = arena_alloc(edit->arena, (size_t)count + 1);

	if (text)
		memset(text, ' ', (size_t)count);
	return (struct span){text, (size_t)count};
}

/* Returns the end of the comment lines that belong to a block in the entry: those indented
 * deeper. */
static size_t behind_inner_comments(
	const struct edit *edit, const struct extent *entry, size_t after, size_t indent)
{
	size_t offset = after;

	if (!yaml_is_block(entry))
		return after;
	while (offset < edit->text.len) {
		size_t blanks = edit_indent(edit, offset).len;

		if (edit_at(edit, offset + blanks) == '#' && blanks > indent)
			after = edit_line_after(edit, offset);
		else if (offset + blanks < yaml_line_text_end(edit, offset))
			break;
		offset = edit_line_after(edit, offset);
	}
	return after;
}

/*
 * Replaces a map or list in lines by a value that fits behind its key or dash. All comments between
 * its lines were about the lines that go: those above its first one and below its last one, too.
 */
static int replace_lines(
	struct edit *edit, const struct yaml_slot *slot, const struct yaml_slot_text *text)
{
	size_t begin = yaml_line_text_end(edit, slot->behind);
	size_t end = behind_inner_comments(
		edit, slot->old, edit_line_after(edit, slot->old->value.end), (size_t)slot->indent);
	int r = yaml_cut(edit, slot->behind, slot->behind, text->first);

	/* The line break behind the value stays, if there is one. */
	if (end > begin && edit_at(edit, end - 1) == '\n')
		end -= end - 1 > begin && edit_at(edit, end - 2) == '\r' ? 2 : 1;
	return r ? r : yaml_cut(edit, begin, end, (struct span){0});
}

int yaml_block_set(struct edit *edit, const struct edit_op *op, size_t count,
	const struct extent *old, const struct node *value)
{
	struct yaml_slot_text text;
	struct yaml_slot slot;
	int r = yaml_guard_value(edit, old);

	if (r == 0)
		r = yaml_slot_of(edit, op, count, old, &slot);
	if (r == 0)
		r = yaml_new_value(edit, op, &slot, value, &text);
	if (r != 0)
		return r;
	if (slot.is_unsaid)
		return edit_splice_all(edit, (struct range){slot.behind, slot.behind},
			(struct span[]){edit_line_end(edit), spaces(edit, slot.indent),
				span_of(":"), text.first, text.rest},
			5);
	if (op->kind == EDIT_SET && slot.in && yaml_is_block(old) && !text.rest.len &&
		old->value.begin > yaml_line_text_end(edit, slot.behind))
		return replace_lines(edit, &slot, &text);
	return slot.is_alone ? yaml_slot_replace_root(edit, &slot, &text)
			     : yaml_slot_replace(edit, &slot, &text);
}

/* Makes a block scalar end without its line break. The edit is about to add a line break after its
 * last line, and that break would become part of its text. */
static int chomp(struct edit *edit, const struct extent *scalar)
{
	size_t offset = yaml_block_header(edit, scalar);

	if (!yaml_is_block_scalar(scalar))
		return 0;
	if (edit_at(edit, offset) == '+' || edit_at(edit, offset + 1) == '+') {
		offset += edit_at(edit, offset) != '+';
		return yaml_cut(edit, offset, offset + 1, span_of("-"));
	}
	if (edit_at(edit, offset) == '-' || edit_at(edit, offset + 1) == '-')
		return 0;
	return yaml_cut(edit, offset, offset, span_of("-"));
}

static size_t behind_entry(const struct edit *edit, const struct extent *entry, size_t indent)
{
	return behind_inner_comments(edit, entry, yaml_entry_after(edit, entry), indent);
}

static int put_behind(
	struct edit *edit, const struct extent *entry, struct span indent, struct span text)
{
	size_t after = behind_entry(edit, entry, indent.len);
	struct span eol = edit_line_end(edit);
	int r;

	if (after < edit->text.len || yaml_ends_with_newline(edit))
		return edit_splice_all(
			edit, (struct range){after, after}, (struct span[]){indent, text, eol}, 3);
	r = chomp(edit, yaml_last_leaf(entry));
	return r ? r
		 : edit_splice_all(edit, (struct range){after, after},
			   (struct span[]){eol, indent, text}, 3);
}

/* Returns where lines before the first entry are inserted: above the comments directly above it, if
 * they belong to the block. */
static size_t above_first(
	const struct edit *edit, const struct edit_op *op, const struct extent *first, int column)
{
	size_t begin = yaml_line_begin(edit, first->member.begin);

	while (op->count > 1 && begin > yaml_text_begin(edit)) {
		size_t above = yaml_line_begin(edit, begin - 1);
		struct span indent = edit_indent(edit, above);

		if (edit_at(edit, above + indent.len) != '#' || (int)indent.len != column)
			break;
		begin = above;
	}
	return begin;
}

/* Returns whether a comment stands above, which would become the comment of an entry there. */
static bool is_below_comment(const struct edit *edit, size_t offset, int column)
{
	size_t above = offset > yaml_text_begin(edit) ? yaml_line_begin(edit, offset - 1) : offset;
	size_t blanks = edit_indent(edit, above).len;

	return above < offset && (int)blanks == column && edit_at(edit, above + blanks) == '#';
}

int yaml_block_add(struct edit *edit, const struct edit_op *op, const struct extent *in)
{
	const struct edit_step *last = &op->steps[op->count - 1];
	uint32_t index = last->key ? UINT32_MAX : last->index;
	const struct extent *before = NULL, *next = in->first;
	int column = yaml_column(edit, next->member.begin), r;
	struct span indent = spaces(edit, column), text, eol = edit_line_end(edit);
	size_t offset;

	if (!indent.data)
		return -ENOMEM;
	for (; next && index > 0; index--) {
		before = next;
		next = next->next;
	}
	r = yaml_new_entry(edit, op, in,
		before ? behind_entry(edit, before, indent.len) : next->member.begin, &text);
	if (r != 0)
		return r;
	if (before)
		return put_behind(edit, before, indent, text);
	offset = next->member.begin;
	if (!edit_is_first_on_line(edit, offset))
		return edit_splice_all(edit, (struct range){offset, offset},
			(struct span[]){text, eol, indent}, 3);
	offset = above_first(edit, op, next, column);
	return edit_splice_all(edit, (struct range){offset, offset},
		(struct span[]){is_below_comment(edit, offset, column) ? eol : (struct span){"", 0},
			indent, text, eol},
		4);
}

/* Removes the first entry of "- a: 1". The next entry moves to its line. */
static int remove_first_on_dash(struct edit *edit, const struct extent *entry)
{
	size_t begin = entry->member.begin, end = yaml_line_text_end(edit, entry->member.end);
	size_t next = entry->next->member.begin;
	bool has_comments = false;

	for (size_t p = end; p < next; p++)
		has_comments |= edit_at(edit, p) == '#';
	if (!has_comments)
		end = next;
	else
		while (edit_is_blank(edit_at(edit, begin - 1)))
			begin--;
	return yaml_cut(edit, begin, end, (struct span){0});
}

/* Reduces the indentation of comments below a block scalar. Otherwise they would become part of its
 * text. */
static int outdent_comments(struct edit *edit, size_t offset, int column)
{
	int r = 0;

	while (r == 0 && offset < edit->text.len) {
		size_t blanks = edit_indent(edit, offset).len,
		       end = yaml_line_text_end(edit, offset);

		if (offset + blanks < end && edit_at(edit, offset + blanks) != '#')
			break;
		if ((int)blanks > column)
			r = yaml_cut(
				edit, offset + (size_t)column, offset + blanks, (struct span){0});
		offset = edit_line_after(edit, offset);
	}
	return r;
}

static bool is_blank_line(const struct edit *edit, size_t offset)
{
	return offset < edit->text.len &&
	       offset + edit_indent(edit, offset).len == yaml_line_text_end(edit, offset);
}

/* Extends the range by a blank line, if blank lines on both sides would follow each other. */
static void take_blank_line(const struct edit *edit, struct range *range)
{
	size_t above = range->begin > yaml_text_begin(edit)
			       ? yaml_line_begin(edit, range->begin - 1)
			       : range->begin;

	if (above < range->begin && !is_blank_line(edit, above))
		return;
	if (is_blank_line(edit, range->end))
		range->end = edit_line_after(edit, range->end);
	else if (range->end == edit->text.len && yaml_ends_with_newline(edit))
		range->begin = above;
}

/* Returns the beginning of the entry's first line, or of its comments above. */
static size_t first_line(
	const struct edit *edit, const struct extent *in, const struct extent *entry)
{
	size_t begin = yaml_line_begin(edit, entry->member.begin), floor = 0;

	for (const struct extent *at = in->first; at != entry; at = at->next)
		floor = yaml_entry_after(edit, at);
	return edit_comments_above(edit, begin, floor, "#", entry == in->first);
}

static int remove_lines(struct edit *edit, const struct extent *in, const struct extent *kept,
	const struct extent *entry)
{
	int column = yaml_column(edit, entry->member.begin), r = 0;
	struct range range = {first_line(edit, in, entry), yaml_entry_after(edit, entry)};
	const struct extent *leaf = kept ? yaml_last_leaf(kept) : NULL;
	bool unused;

	if (!edit_is_first_on_line(edit, entry->member.begin))
		return entry->next ? remove_first_on_dash(edit, entry) : EDIT_CANNOT;
	/* Blank lines behind the entry would become text of the block scalar before it. */
	if (leaf && yaml_keeps_lines(edit, leaf))
		range.end = yaml_skip_blank_lines(edit, range.end, &unused);
	if (range.end == edit->text.len && !yaml_ends_with_newline(edit) &&
		!(leaf && yaml_is_block_scalar(leaf)) && range.begin > yaml_text_begin(edit)) {
		range.begin--;
		if (edit_at(edit, range.begin) == '\n' && range.begin &&
			edit_at(edit, range.begin - 1) == '\r')
			range.begin--;
	}
	if (!leaf || !yaml_is_block_scalar(leaf))
		take_blank_line(edit, &range);
	if (leaf && yaml_is_block_scalar(leaf))
		r = outdent_comments(edit, range.end, column);
	return r ? r : edit_splice(edit, range, (struct span){0});
}

int yaml_block_remove(struct edit *edit, const struct edit_op *op, const struct extent *in)
{
	const struct edit_step *last = &op->steps[op->count - 1];
	const struct extent *kept = NULL;
	uint32_t i = 0;
	int r = 0;

	for (const struct extent *entry = in->first; entry; entry = entry->next)
		if (!edit_is_entry(entry, i++, last))
			kept = entry;
	if (!kept) {
		struct node *nothing = last->key ? node_new_map(edit->arena, NULL)
						 : node_new_sequence(edit->arena, NULL);

		return nothing ? yaml_block_set(edit, op, op->count - 1, in, nothing) : -ENOMEM;
	}
	kept = NULL;
	i = 0;
	for (const struct extent *entry = in->first; r == 0 && entry; entry = entry->next, i++) {
		if (edit_is_entry(entry, i, last))
			r = remove_lines(edit, in, kept, entry);
		else
			kept = entry;
	}
	return r;
}
