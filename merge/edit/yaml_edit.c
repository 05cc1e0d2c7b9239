/*
 * Edits of YAML. Entries of blocks are added and removed with their lines, those in brackets as in
 * JSON (flow.h). Values that other places refer to, or that refer to other places, must be edited
 * by hand.
 */
#include <errno.h>

#include "edit_tree.h"
#include "editor.h"
#include "flow.h"
#include "yaml_block.h"
#include "yaml_guard.h"
#include "yaml_lines.h"
#include "yaml_new.h"

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

static bool is_nothing(const struct node *node)
{
	return node_is_scalar(node) && node->style == NODE_PLAIN && !node->text.len && !node->tag;
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
	if (!is_nothing(value) || !old->keys) {
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
		return yaml_cut(edit, range.begin, range.end, text);
	return edit_splice_all(
		edit, (struct range){colon + 1, colon + 1}, (struct span[]){span_of(" "), text}, 2);
}

static int add_flow_entry(struct edit *edit, const struct edit_op *op, const struct extent *in)
{
	const struct flow flow = {.edit = edit, .is_yaml = true};
	const struct edit_step *last = &op->steps[op->count - 1];
	const struct flow_layout layout = {
		.indent = edit_indent(edit, in->value.begin), .gap = span_of(" ")};
	struct span text;
	int r = flow_text(edit, in, NULL, last->key, op->value, &text);

	return r ? r : flow_insert(&flow, in, last->key ? UINT32_MAX : last->index, text, &layout);
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
	size_t from = document ? extents[document - 1]->value.end : yaml_text_begin(edit);
	size_t root = yaml_line_begin(edit, extents[document]->value.begin), begin = root;

	for (; begin >= from && !is_mark(edit, begin); begin = yaml_line_begin(edit, begin - 1))
		if (begin <= yaml_text_begin(edit))
			break;
	if (begin >= from && is_mark(edit, begin))
		return begin;
	while (root > from && root > yaml_text_begin(edit) &&
		edit_at(edit, yaml_line_begin(edit, root - 1)) == '#')
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
