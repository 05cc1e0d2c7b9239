#include "yaml_flow.h"

#include <errno.h>

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

int yaml_flow_set(struct edit *edit, const struct extent *in, const struct extent *old,
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
	if (yaml_at(edit, colon) != ':' || colon >= range.begin)
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

int yaml_flow_add(struct edit *edit, const struct edit_op *op, const struct extent *in)
{
	const struct edit_step *last = &op->steps[op->count - 1];
	const struct extent *outer = op->count > 1 ? edit_follow(edit, op, op->count - 2) : NULL;
	struct node *block;

	if (!yaml_has_brackets(edit, in))
		return EDIT_CANNOT;
	if (in->first || has_comment(edit, in) || (outer && yaml_is_flow(outer)) || in->node->tag ||
		in->has_anchor)
		return add_flow_entry(edit, op, in);
	block = last->key ? node_new_map(edit->arena, NULL) : node_new_sequence(edit->arena, NULL);
	if (!block || (last->key ? node_put(edit->arena, block, last->key, op->value)
				 : node_push(edit->arena, block, op->value)) < 0)
		return -ENOMEM;
	return yaml_block_set(edit, op, op->count - 1, in, block);
}
