/*
 * Edits of YAML. Entries of blocks are added and removed with their lines, those in brackets as in
 * JSON (flow.h). Values that other places refer to, or that refer to other places, must be edited
 * by hand.
 */
#include <errno.h>

#include "edit_tree.h"
#include "editor.h"
#include "flow.h"
#include "scalar.h"
#include "yaml_guard.h"
#include "yaml_lines.h"
#include "yaml_slot.h"

static struct span spaces(const struct edit *edit, int count)
{
	return (struct span){arena_printf(edit->arena, "%*s", count, ""), (size_t)count};
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
	int r = edit_splice(edit, (struct range){slot->behind, slot->behind}, text->first);

	/* The line break behind the value stays, if there is one. */
	if (end > begin && edit_at(edit, end - 1) == '\n')
		end -= end - 1 > begin && edit_at(edit, end - 2) == '\r' ? 2 : 1;
	return r ? r : edit_splice(edit, (struct range){begin, end}, (struct span){0});
}

/* Returns whether a comment stands above, which would become the comment of an entry there. */
static bool is_below_comment(const struct edit *edit, size_t offset, int column)
{
	size_t above = offset > edit_text_begin(edit) ? edit_line_begin(edit, offset - 1) : offset;
	size_t blanks = edit_indent(edit, above).len;

	return above < offset && (int)blanks == column && edit_at(edit, above + blanks) == '#';
}

/*
 * Replaces `old`, to which the op's first `count` steps lead, by `value`. `old` is the root, or an
 * entry of a block. The op's own value is not used.
 */
static int yaml_block_set(struct edit *edit, const struct edit_op *op, size_t count,
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
	if (slot.form == YAML_SLOT_UNSAID)
		return edit_splice_all(edit, (struct range){slot.behind, slot.behind},
			(struct span[]){edit_line_end(edit), spaces(edit, slot.indent),
				span_of(":"), text.first, text.rest},
			5);
	if (op->kind == EDIT_SET && slot.in && yaml_is_block(old) && !text.rest.len &&
		old->value.begin > yaml_line_text_end(edit, slot.behind))
		return replace_lines(edit, &slot, &text);
	if (slot.form != YAML_SLOT_ALONE)
		return yaml_slot_replace(edit, &slot, &text);
	/* A comment above an empty root is about the file, and not about its first entry. */
	if (!old->first && node_count(value) && is_below_comment(edit, slot.behind, 0))
		text.first.data = edit_join(
			edit, (struct span[]){edit_line_end(edit), text.first}, 2, &text.first.len);
	return text.first.data ? yaml_slot_replace_root(edit, &slot, &text) : -ENOMEM;
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
		return edit_splice(edit, (struct range){offset, offset + 1}, span_of("-"));
	}
	if (edit_at(edit, offset) == '-' || edit_at(edit, offset + 1) == '-')
		return 0;
	return edit_splice(edit, (struct range){offset, offset}, span_of("-"));
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
	size_t begin = edit_line_begin(edit, first->member.begin);

	while (op->count > 1 && begin > edit_text_begin(edit)) {
		size_t above = edit_line_begin(edit, begin - 1);
		struct span indent = edit_indent(edit, above);

		if (edit_at(edit, above + indent.len) != '#' || (int)indent.len != column)
			break;
		begin = above;
	}
	return begin;
}

/*
 * Adds the op's value to `in`, a block with entries. If `in` is a map, adds a pair of the last
 * step's key and the value.
 */
static int yaml_block_add(struct edit *edit, const struct edit_op *op, const struct extent *in)
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
	return edit_splice(edit, (struct range){begin, end}, (struct span){0});
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
			r = edit_splice(edit,
				(struct range){offset + (size_t)column, offset + blanks},
				(struct span){0});
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
	size_t above = range->begin > edit_text_begin(edit)
			       ? edit_line_begin(edit, range->begin - 1)
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
	size_t begin = edit_line_begin(edit, entry->member.begin), floor = edit_text_begin(edit);

	for (const struct extent *at = in->first; at != entry; at = at->next)
		floor = yaml_entry_after(edit, at);
	return flow_comments_above(edit, begin, floor, entry == in->first);
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
		!(leaf && yaml_is_block_scalar(leaf)) && range.begin > edit_text_begin(edit)) {
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

/* Removes from `in` the entry, or all pairs of the key, that the op's last step leads to. */
static int yaml_block_remove(struct edit *edit, const struct edit_op *op, const struct extent *in)
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

static int flow_text(const struct edit *edit, const struct extent *in, const struct extent *old,
	const struct node *key, const struct node *value, struct span *ret)
{
	const struct yaml_spot_around around = {.in = in, .old = old};
	struct yaml_part part = {.spot = key ? YAML_AS_FLOW_KEY : YAML_IN_FLOW};
	int r = yaml_adapt(edit, &around, value, &part.value);

	if (r == 0 && key)
		r = yaml_adapt_key(edit, in, key, &part.key);
	if (r == 0)
		r = yaml_new_put(edit, &part, ret);
	return r;
}

/* Replaces the value of `old`, an entry of `in`. The old value may be unwritten: {a, b:}. */
static int yaml_flow_set(struct edit *edit, const struct extent *in, const struct extent *old,
	const struct node *value)
{
	struct range range = old->value;
	struct span text = {0};
	size_t colon;
	int r = yaml_guard_value(edit, old);

	if (r != 0)
		return r;
	if (!scalar_is_empty(value) || !old->keys) {
		r = flow_text(edit, in, old, NULL, value, &text);
		if (r != 0)
			return r;
	}
	if (!old->keys || (range.begin < range.end && text.len))
		return edit_splice(edit, range, text);
	colon = yaml_skip_blank(edit->text, old->key.end);
	if (edit_at(edit, colon) != ':' || colon >= range.begin)
		return edit_splice_all(edit, (struct range){old->key.end, old->key.end},
			(struct span[]){span_of(": "), text}, 2);
	/* A blank stays: libyaml refuses {a:}. */
	if (!text.len)
		return edit_splice(edit, range, text);
	return edit_splice_all(
		edit, (struct range){colon + 1, colon + 1}, (struct span[]){span_of(" "), text}, 2);
}

static int add_flow_entry(struct edit *edit, const struct edit_op *op, const struct extent *in)
{
	const struct edit_step *last = &op->steps[op->count - 1];
	const struct flow_layout layout = {
		.indent = edit_indent(edit, in->value.begin), .gap = span_of(" ")};
	struct span text;
	int r = flow_text(edit, in, NULL, last->key, op->value, &text);

	return r ? r
		 : flow_insert(edit, in, last->key ? UINT32_MAX : last->index, &text, 1, &layout);
}

/* Returns whether a comment stands between brackets without entries. */
static bool has_comment(const struct edit *edit, const struct extent *in)
{
	return memchr(edit->text.data + in->value.begin, '#', in->value.end - in->value.begin);
}

/*
 * Adds the op's value to `in`. If `in` is a map, the value gets the key of the op's last step.
 * Empty brackets become a block, if a block may stand there. Also returns EDIT_CANNOT, if the
 * brackets are not where they are expected.
 */
static int yaml_flow_add(struct edit *edit, const struct edit_op *op, const struct extent *in)
{
	const struct edit_step *last = &op->steps[op->count - 1];
	const struct extent *outer = op->count > 1 ? edit_follow(edit, op, op->count - 2) : NULL;
	const struct node *block;

	if (!yaml_has_brackets(edit, in))
		return EDIT_CANNOT;
	if (in->first || has_comment(edit, in) || (outer && yaml_is_flow(outer)) || in->node->tag ||
		in->has_anchor)
		return add_flow_entry(edit, op, in);
	block = edit_tree_wrap(last, 1, op->value, edit->arena);
	return block ? yaml_block_set(edit, op, op->count - 1, in, block) : -ENOMEM;
}

/*
 * Adds a root: the only one, or the last document. With documents between it and the present last
 * one, which are empty.
 */
static int add_root(struct edit *edit, const struct edit_op *op)
{
	size_t count = edit->document->count, marks = op->document - count + (op->document > 0);
	const struct yaml_slot slot = {
		.spot = YAML_AT_ROOT, .form = marks ? YAML_SLOT_BEHIND : YAML_SLOT_ALONE};
	struct range end = {edit->text.len, edit->text.len};
	struct span eol = edit_line_end(edit), before = {0}, blank = {0};
	struct yaml_slot_text text;
	int r = yaml_new_value(edit, op, &slot, op->value, &text);

	if (r != 0)
		return r;
	if (end.end > edit_text_begin(edit) && !yaml_ends_with_newline(edit))
		before = eol;
	if (!marks && is_below_comment(edit, end.end, 0))
		blank = eol;
	for (; r == 0 && marks > 1; marks--, before = (struct span){0})
		r = edit_splice_all(edit, end, (struct span[]){before, span_of("---"), eol}, 3);
	return r ? r
		 : edit_splice_all(edit, end,
			   (struct span[]){before, blank, span_of(marks ? "---" : ""), text.first,
				   text.rest, eol},
			   6);
}

static bool is_mark(const struct edit *edit, size_t offset)
{
	const char *line = edit->text.data + offset;

	return edit->text.len - offset >= 3 && memcmp(line, "---", 3) == 0 &&
	       strchr(" \t\r\n", edit_at(edit, offset + 3));
}

/*
 * Returns where the document begins: at its "---", or else with the comments directly above its
 * root.
 */
static size_t document_begin(const struct edit *edit, size_t document)
{
	struct extent *const *extents = edit->document->extents;
	size_t from = document ? extents[document - 1]->value.end : edit_text_begin(edit);
	size_t root = edit_line_begin(edit, extents[document]->value.begin), begin = root;

	for (; begin >= from && !is_mark(edit, begin); begin = edit_line_begin(edit, begin - 1))
		if (begin <= edit_text_begin(edit))
			break;
	if (begin >= from && is_mark(edit, begin))
		return begin;
	while (root > from && root > edit_text_begin(edit) &&
		edit_at(edit, edit_line_begin(edit, root - 1)) == '#')
		root = edit_line_begin(edit, root - 1);
	return root;
}

/* Removes a root. The comments around the only one stay if it is an empty map or list. */
static int remove_root(struct edit *edit, const struct edit_op *op)
{
	size_t next = op->document + 1;
	size_t end = next < edit->document->count ? document_begin(edit, next) : edit->text.len;
	const struct extent *root = edit->document->extents[op->document];
	struct range range = {document_begin(edit, op->document), end};

	if (edit->document->count == 1 && root->node && !node_is_scalar(root->node) &&
		!root->first) {
		range = (struct range){edit_line_begin(edit, root->value.begin),
			edit_line_after(edit, root->value.end)};
		if (memchr(edit->text.data + range.begin, '#', range.end - range.begin))
			return EDIT_CANNOT;
	}
	if (edit->document->count == 1)
		take_blank_line(edit, &range);
	return edit_splice(edit, range, (struct span){0});
}

static int remove_entry(struct edit *edit, const struct edit_op *op, const struct extent *in)
{
	const struct edit_step *last = &op->steps[op->count - 1];
	int r = yaml_guard_removed(edit, in, last);

	if (r != 0)
		return r;
	if (!yaml_is_flow(in))
		return yaml_block_remove(edit, op, in);
	return yaml_has_brackets(edit, in) ? flow_remove(edit, in, last, 1) : EDIT_CANNOT;
}

int yaml_edit(struct edit *edit, const struct edit_op *op)
{
	const struct extent *in, *old;
	int r = yaml_guard_path(edit, op, &in);

	if (r != 0)
		return r;
	if (op->kind == EDIT_REMOVE && !in)
		return remove_root(edit, op);
	old = op->kind == EDIT_SET ? edit_follow(edit, op, op->count) : NULL;
	if (!in)
		return old ? yaml_block_set(edit, op, 0, old, op->value) : add_root(edit, op);
	if (op->kind == EDIT_REMOVE)
		return remove_entry(edit, op, in);
	if (old)
		return yaml_is_flow(in) ? yaml_flow_set(edit, in, old, op->value)
					: yaml_block_set(edit, op, op->count, old, op->value);
	return yaml_is_flow(in) ? yaml_flow_add(edit, op, in) : yaml_block_add(edit, op, in);
}
