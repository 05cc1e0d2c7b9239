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

/* Adds a root to a text that has none. */
static int add_root(struct edit *edit, const struct edit_op *op)
{
	const struct yaml_slot slot = {.spot = YAML_AT_ROOT, .is_alone = true};
	struct range end = {edit->text.len, edit->text.len};
	struct span eol = edit_line_end(edit), before = {0};
	struct yaml_slot_text text;
	int r;

	if (edit->document->count)
		return EDIT_CANNOT;
	r = yaml_new_value(edit, op, &slot, op->value, &text);
	if (r != 0)
		return r;
	if (end.end > yaml_text_begin(edit) && !yaml_ends_with_newline(edit))
		before = eol;
	return edit_splice_all(edit, end, (struct span[]){before, text.first, text.rest, eol}, 4);
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
	int r = yaml_guard_way(edit, op, &in);

	if (r != 0)
		return r;
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
