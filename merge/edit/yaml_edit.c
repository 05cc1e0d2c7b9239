/*
 * Edits of YAML. Entries of blocks are added and removed with their lines, those in brackets as in
 * JSON (flow.h). Values that other places refer to, or that refer to other places, must be edited
 * by hand.
 */
#include "flow.h"
#include "yaml_block.h"
#include "yaml_flow.h"
#include "yaml_guard.h"
#include "yaml_lines.h"
#include "yaml_new.h"

/*
 * Adds a root: the only one, or the last document. With documents between it and the present last
 * one, which are empty.
 */
static int add_root(struct edit *edit, const struct edit_op *op)
{
	size_t count = edit->document->count, marks = op->document - count + (op->document > 0);
	const struct yaml_slot slot = {.spot = YAML_AT_ROOT, .is_alone = !marks};
	struct range end = {edit->text.len, edit->text.len};
	struct span eol = edit_line_end(edit), before = {0};
	struct yaml_slot_text text;
	int r = yaml_new_value(edit, op, &slot, op->value, &text);

	if (r != 0)
		return r;
	if (end.end > yaml_text_begin(edit) && !yaml_ends_with_newline(edit))
		before = eol;
	for (; r == 0 && marks > 1; marks--, before = (struct span){0})
		r = edit_splice_all(edit, end, (struct span[]){before, span_of("---"), eol}, 3);
	return r ? r
		 : edit_splice_all(edit, end,
			   (struct span[]){
				   before, span_of(marks ? "---" : ""), text.first, text.rest, eol},
			   5);
}

/* Returns whether a document begins on the line at `offset`. */
static bool is_mark(const struct edit *edit, size_t offset)
{
	const char *line = edit->text.data + offset;

	return edit->text.len - offset >= 3 && memcmp(line, "---", 3) == 0 &&
	       strchr(" \t\r\n", yaml_at(edit, offset + 3));
}

/*
 * Returns where the document begins: at its "---", or else with the comments directly above its
 * root.
 */
static size_t document_begin(const struct edit *edit, size_t document)
{
	struct extent *const *extents = edit->document->extents;
	size_t from = document ? extents[document - 1]->value.end : yaml_text_begin(edit);
	size_t root = yaml_line_begin(edit, extents[document]->value.begin), begin = root;

	for (; begin >= from && !is_mark(edit, begin); begin = yaml_line_begin(edit, begin - 1))
		if (begin <= yaml_text_begin(edit))
			break;
	if (begin >= from && is_mark(edit, begin))
		return begin;
	while (root > from && root > yaml_text_begin(edit) &&
		yaml_at(edit, yaml_line_begin(edit, root - 1)) == '#')
		root = yaml_line_begin(edit, root - 1);
	return root;
}

static int remove_root(struct edit *edit, const struct edit_op *op)
{
	size_t next = op->document + 1;
	size_t end = next < edit->document->count ? document_begin(edit, next) : edit->text.len;

	return yaml_cut(edit, document_begin(edit, op->document), end, (struct span){0});
}

static int remove_entry(struct edit *edit, const struct edit_op *op, const struct extent *in)
{
	const struct flow flow = {.edit = edit, .is_yaml = true};
	const struct edit_step *last = &op->steps[op->count - 1];
	int r = yaml_guard_removed(edit, in, last);

	if (r != 0)
		return r;
	if (!yaml_is_flow(in))
		return yaml_block_remove(edit, op, in);
	return yaml_has_brackets(edit, in) ? flow_remove(&flow, in, last) : EDIT_CANNOT;
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
