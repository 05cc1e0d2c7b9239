/*
 * The writer of YAML. libyaml's emitter is not used: it quotes any plain scalar with a colon inside
 * [] or {}, such as `[80:80]`, `[http://a]` and dates, which then are strings when read again.
 *
 * The layout is libyaml's default: two spaces, lists in maps not indented, no line broken.
 *
 * The writer is recursive, down to the depth limit.
 */

#include "scalar.h"
#include "yaml_text.h"

struct yaml_writer {
	struct output *output;
	struct yaml_layout layout;
	unsigned depth_left;
	const struct node *broken; /* the first scalar that is not UTF-8 */
	const struct node *deep;   /* the first collection beyond the depth limit; it is left out */
};

static void put_flow(struct yaml_writer *writer, const struct node *node, enum yaml_spot spot);
static void put_node(
	struct yaml_writer *writer, const struct node *node, int indent, enum yaml_spot spot);

static void put_scalar(
	struct yaml_writer *writer, const struct node *node, int indent, enum yaml_spot spot)
{
	if (yaml_put_scalar(writer->output, node, indent, spot) < 0 && !writer->broken)
		writer->broken = node;
}

static bool is_flow(const struct node *node, unsigned depth_left);

static bool is_flow_entry(const struct node *node, unsigned depth_left)
{
	if (node_is_scalar(node))
		return node->style != NODE_LITERAL && node->style != NODE_FOLDED;
	return !node_count(node) || is_flow(node, depth_left);
}

/*
 * Returns whether the collection, at a block spot, is written on one line. If a merge has added a
 * value of several lines, it is not.
 */
static bool is_flow(const struct node *node, unsigned depth_left)
{
	bool is_all = node->style == NODE_FLOW && depth_left > 0;

	if (node_is_sequence(node)) {
		for (uint32_t i = 0; is_all && i < node->seq.count; i++)
			is_all = is_flow_entry(node->seq.items[i], depth_left - 1);
		return is_all;
	}
	for (uint32_t i = 0; is_all && i < node->map.count; i++)
		is_all = is_flow_entry(node->map.pairs[i].key, depth_left - 1) &&
			 is_flow_entry(node->map.pairs[i].value, depth_left - 1);
	return is_all;
}

/* Enters a collection; the caller leaves it by depth_left++. Returns false if it is too deep. */
static bool enter(struct yaml_writer *writer, const struct node *node)
{
	if (!writer->depth_left) {
		if (!writer->deep)
			writer->deep = node;
		return false;
	}
	writer->depth_left--;
	return true;
}

static bool is_simple_key(const struct node *key)
{
	return node_is_scalar(key) && yaml_is_simple_key(key);
}

static void put_flow_pair(struct yaml_writer *writer, const struct pair *pair)
{
	if (is_simple_key(pair->key)) {
		put_flow(writer, pair->key, YAML_AS_FLOW_KEY);
		output_put(writer->output, ": ", 2);
	} else {
		output_put(writer->output, "? ", 2);
		put_flow(writer, pair->key, YAML_AS_FLOW_KEY);
		output_put(writer->output, " : ", 3);
	}
	/* Write nothing: null would be a value, and a key without a value leaves the decision to
	 * other layers. */
	if (!scalar_is_empty(pair->value))
		put_flow(writer, pair->value, YAML_IN_FLOW);
}

static void put_flow_entries(struct yaml_writer *writer, const struct node *node)
{
	bool is_map = node_is_map(node);

	output_char(writer->output, is_map ? '{' : '[');
	for (uint32_t i = 0; i < node_count(node); i++) {
		if (i)
			output_put(writer->output, ", ", 2);
		if (is_map)
			put_flow_pair(writer, &node->map.pairs[i]);
		else
			put_flow(writer, node->seq.items[i], YAML_IN_FLOW);
	}
	output_char(writer->output, is_map ? '}' : ']');
}

static void put_flow(struct yaml_writer *writer, const struct node *node, enum yaml_spot spot)
{
	if (node->tag) {
		yaml_put_tag(writer->output, node->tag);
		output_char(writer->output, ' ');
	}
	if (node_is_scalar(node)) {
		put_scalar(writer, node, 0, spot);
	} else if (enter(writer, node)) {
		put_flow_entries(writer, node);
		writer->depth_left++;
	}
}

static void put_block_pair(struct yaml_writer *writer, const struct pair *pair, int indent)
{
	if (is_simple_key(pair->key)) {
		put_flow(writer, pair->key, YAML_AS_KEY);
		output_char(writer->output, ':');
		put_node(writer, pair->value, indent, YAML_BEHIND_KEY);
		return;
	}
	output_char(writer->output, '?');
	put_node(writer, pair->key, indent, YAML_BEHIND_DASH);
	output_spaces(writer->output, (size_t)indent);
	output_char(writer->output, ':');
	put_node(writer, pair->value, indent, YAML_BEHIND_DASH);
}

/* Writes one entry a line, indented by `indent` spaces. The first one is at its place already. */
static void put_entries(struct yaml_writer *writer, const struct node *node, int indent)
{
	for (uint32_t i = 0; i < node_count(node); i++) {
		if (i)
			output_spaces(writer->output, (size_t)indent);
		if (node_is_map(node)) {
			put_block_pair(writer, &node->map.pairs[i], indent);
		} else {
			output_char(writer->output, '-');
			put_node(writer, node->seq.items[i], indent, YAML_BEHIND_DASH);
		}
	}
}

static void put_block(
	struct yaml_writer *writer, const struct node *node, int indent, enum yaml_spot spot)
{
	int inner = indent + 2;

	if (spot == YAML_BEHIND_DASH && !node->tag) {
		output_char(writer->output, ' ');
		put_entries(writer, node, inner);
		return;
	}
	if (spot == YAML_BEHIND_KEY)
		inner = indent +
			(node_is_sequence(node) ? writer->layout.list : writer->layout.width);
	if (spot == YAML_AT_ROOT)
		inner = 0;
	if (spot != YAML_AT_ROOT || node->tag)
		output_char(writer->output, '\n');
	output_spaces(writer->output, (size_t)inner);
	put_entries(writer, node, inner);
}

static void put_collection(
	struct yaml_writer *writer, const struct node *node, int indent, enum yaml_spot spot)
{
	if (node_count(node) && !is_flow(node, writer->depth_left + 1)) {
		put_block(writer, node, indent, spot);
		return;
	}
	if (spot != YAML_AT_ROOT || node->tag)
		output_char(writer->output, ' ');
	put_flow_entries(writer, node);
	output_char(writer->output, '\n');
}

/* Writes a node behind the text already on the line, and ends the line. */
static void put_node(
	struct yaml_writer *writer, const struct node *node, int indent, enum yaml_spot spot)
{
	size_t before;

	if (node->tag) {
		if (spot != YAML_AT_ROOT)
			output_char(writer->output, ' ');
		yaml_put_tag(writer->output, node->tag);
	}
	if (!node_is_scalar(node)) {
		if (enter(writer, node)) {
			put_collection(writer, node, indent, spot);
			writer->depth_left++;
		}
		return;
	}
	/* A block scalar that begins with a blank or line break has an indentation indicator: 2. */
	if (node->style >= NODE_LITERAL && spot == YAML_BEHIND_KEY && node->text.len &&
		!strchr(" \t\n", node->text.data[0]))
		indent += writer->layout.width - YAML_LAYOUT.width;
	before = writer->output->len;
	if (spot != YAML_AT_ROOT || node->tag)
		output_char(writer->output, ' ');
	put_scalar(writer, node, indent, spot);
	/* Nothing was written, so drop the space, too. */
	if (!node->text.len && writer->output->len == before + 1)
		writer->output->len = before;
	output_char(writer->output, '\n');
}

static void put_part(struct yaml_writer *writer, const struct yaml_part *part)
{
	struct pair pair = {.key = part->key, .value = part->value};
	const struct node map = {.kind = NODE_MAP, .map = {.pairs = &pair, .count = 1}};

	if (part->spot == YAML_AS_FLOW_KEY)
		put_flow_pair(writer, &pair);
	else if (part->spot == YAML_IN_FLOW)
		put_flow(writer, part->value, part->spot);
	else if (part->spot == YAML_AS_KEY)
		put_entries(writer, &map, part->indent);
	else
		put_node(writer, part->value, part->indent, part->spot);
}

int yaml_put(struct writer *to, const struct yaml_part *part)
{
	struct yaml_writer writer = {
		.output = to->output, .layout = part->layout, .depth_left = to->depth};

	put_part(&writer, part);
	if (writer.deep)
		return writer_too_deep(to, writer.deep);
	if (writer.broken)
		return problem_at(to->problem, writer.broken,
			"a string is not UTF-8, which YAML needs; write it as UTF-8");
	return 0;
}

static int yaml_write(struct writer *to, const struct node *root)
{
	size_t count;
	const struct node *const *documents = node_documents(&root, &count);
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		if (i)
			output_string(to->output, "---\n");
		r = yaml_put(to, &(struct yaml_part){.value = documents[i],
					 .spot = YAML_AT_ROOT,
					 .layout = YAML_LAYOUT});
	}
	return r;
}

const struct format format_yaml = {
	.name = "yaml",
	.summary = "YAML 1.1 as PyYAML reads it, or the core schema of YAML 1.2",
	.suffixes = "yaml,yml",
	.comment = "#",
	.nothing = "",
	.divider = "---\n",
	.values = FORMAT_TAGGED_TREES,
	.read = yaml_read,
	.write = yaml_write,
	.edit = yaml_edit,
};
