#include "toml_new.h"

#include <errno.h>

#include "cleanup.h"
#include "scalar.h"

/* Greatest length of a list that stays on one line although it may have several, in bytes. */
#define LINE_MAX_BYTES 72

static void set_manner(
	const struct edit *edit, const struct extent *pair, struct toml_manner *manner)
{
	const char *text = edit->text.data;
	size_t begin = pair->member.begin;

	while (begin > 0 && edit_is_blank(text[begin - 1]))
		begin--;
	manner->indent = (struct span){text + begin, pair->member.begin - begin};
	if (begin > 0 && text[begin - 1] != '\n')
		manner->indent.len = 0; /* the pair follows a brace, or a byte order mark */
	if (edit_is_blank(text[pair->value.begin - 1]))
		manner->equals = edit_is_blank(text[pair->key.end]) ? " = " : "= ";
	else
		manner->equals = edit_is_blank(text[pair->key.end]) ? " =" : "=";
	if (scalar_is_string(pair->node) &&
		(pair->node->style == NODE_SINGLE || pair->node->style == NODE_DOUBLE))
		manner->string = pair->node;
}

struct toml_manner toml_manner_of(const struct edit *edit, const struct extent *in)
{
	const struct extent *root = edit->document->extents[0], *any = NULL, *found = NULL;
	struct toml_manner manner = {.indent = {"", 0}, .equals = " = "};

	for (const struct extent *at = in->first; at; at = at->next) {
		if (!at->keys || (in == root && edit->text.data[at->member.begin] == '['))
			break;
		set_manner(edit, at, &manner);
		found = at;
	}
	for (const struct extent *at = root->first; at && !found; at = at->next) {
		bool is_header = edit->text.data[at->member.begin] == '[';

		any = is_header && at->first ? at->first : is_header ? any : at;
	}
	if (!any || found)
		return manner;
	set_manner(edit, any, &manner);
	manner.indent.len = 0;
	return manner;
}

/* Estimates the value's length on one line, in bytes. It stops above the limit. */
static size_t guess_bytes(const struct node *node)
{
	size_t bytes = node_is_scalar(node) ? node->text.len + 2 : 2;

	for (uint32_t i = 0; i < node_count(node) && bytes <= LINE_MAX_BYTES; i++) {
		if (node_is_map(node))
			bytes += node->map.pairs[i].key->text.len + 3;
		bytes += guess_bytes(*node_entry(node, i)) + 2;
	}
	return bytes;
}

/* The shape of a copy. */
enum shape {
	ONE_LINE,
	DOTTED,  /* maps become dotted keys */
	COMPACT, /* short lists without maps are on one line */
};

static bool has_maps(const struct node *list)
{
	for (uint32_t i = 0; i < list->seq.count; i++)
		if (node_is_map(list->seq.items[i]))
			return true;
	return false;
}

static enum node_style style_in(enum shape shape, const struct node *node)
{
	if (shape == ONE_LINE)
		return node_is_scalar(node) ? NODE_DOUBLE : NODE_FLOW;
	if (shape == DOTTED && node_is_map(node))
		return node_count(node) ? NODE_DOTTED : NODE_FLOW;
	if (node_is_sequence(node) && !has_maps(node) && guess_bytes(node) <= LINE_MAX_BYTES)
		return NODE_FLOW;
	return (enum node_style)node->style;
}

/* Makes a copy of that shape. Returns NULL without memory. */
static struct node *reshape(struct arena *arena, const struct node *node, enum shape shape)
{
	struct node *copy = node_copy(arena, node);
	bool is_long = node->style == NODE_LITERAL || node->style == NODE_FOLDED;

	if (!copy)
		return NULL;
	if (shape == DOTTED && node_is_sequence(node))
		shape = ONE_LINE;
	if (shape == ONE_LINE ? !node_is_scalar(node) || is_long : !node_is_scalar(node))
		copy->style = (uint8_t)style_in(shape, node);
	for (uint32_t i = 0; i < node_count(copy); i++) {
		const struct node **entry = (const struct node **)node_entry(copy, i);

		*entry = reshape(arena, *entry, shape);
		if (!*entry)
			return NULL;
	}
	return copy;
}

/* Shapes a value for its place after a "=": a list may have a line for each item, but each item
 * stays on its line. */
static const struct node *reshape_value(struct arena *arena, const struct node *value)
{
	struct node *copy;

	if (node_is_scalar(value))
		return value;
	copy = reshape(arena, value, ONE_LINE);
	if (copy && node_is_sequence(value) && value->style != NODE_FLOW &&
		guess_bytes(value) > LINE_MAX_BYTES)
		copy->style = NODE_BLOCK;
	return copy;
}

/* Gives a string the quotes of another string. Other values stay unchanged. */
static const struct node *requote(
	struct arena *arena, const struct node *value, const struct node *string)
{
	struct node *copy;

	if (!string || !scalar_is_string(string) || !scalar_is_string(value) ||
		value->style == string->style)
		return value;
	/* Several lines in a single-line string would need escapes. */
	if (memchr(value->text.data, '\n', value->text.len) &&
		(string->style == NODE_SINGLE || string->style == NODE_DOUBLE))
		return value;
	copy = node_copy(arena, value);
	if (copy)
		copy->style = string->style;
	return copy;
}

static const struct node *map_of(struct arena *arena, const struct node *key,
	const struct node *value, enum node_style style)
{
	struct node *map = node_new_map(arena, NULL);

	if (!map || node_put(arena, map, key, value) < 0)
		return NULL;
	map->style = (uint8_t)style;
	return map;
}

static void put_range(
	const struct text_lines *lines, struct output *output, struct span text, struct range range)
{
	struct span end = edit_line_end(lines->edit);

	for (size_t i = range.begin; i < range.end; i++)
		if (text.data[i] == '\n')
			output_put(output, end.data, end.len);
		else
			output_char(output, text.data[i]);
}

static void put_pair(const struct text_lines *lines, struct output *output, struct span text,
	const struct extent *pair, const struct toml_manner *manner)
{
	output_put(output, manner->indent.data, manner->indent.len);
	put_range(lines, output, text, pair->key);
	output_string(output, manner->equals);
	put_range(lines, output, text, pair->value);
}

int toml_new_value(const struct text_lines *lines, const struct node *value,
	const struct node *string, bool is_inline, struct span *ret)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct arena *arena = lines->edit->arena;
	struct output output = {.max = SIZE_MAX};
	const struct node key = {.kind = NODE_SCALAR, .weight = 1, .text = {"k", 1}};
	struct span text;

	value = requote(arena, value, string);
	if (value)
		value = is_inline ? reshape(arena, value, ONE_LINE) : reshape_value(arena, value);
	if (!value)
		return -ENOMEM;
	int r = edit_sample(lines->edit, map_of(arena, &key, value, NODE_BLOCK), &text, &document);
	if (r != 0)
		return r;
	put_range(lines, &output, text, document->extents[0]->first->value);
	return text_lines_finish(lines, &output, ret);
}

int toml_new_pairs(const struct text_lines *lines, const struct edit_step *keys, size_t count,
	const struct node *value, const struct toml_manner *manner, bool is_dotted,
	struct span *ret)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct arena *arena = lines->edit->arena;
	struct output output = {.max = SIZE_MAX};
	struct span end = edit_line_end(lines->edit), text;

	value = requote(arena, value, manner->string);
	if (value)
		value = is_dotted ? reshape(arena, value, DOTTED) : reshape_value(arena, value);
	for (size_t i = count; i-- > 0 && value;)
		value = map_of(arena, keys[i].key, value, i ? NODE_DOTTED : NODE_BLOCK);
	int r = edit_sample(lines->edit, value, &text, &document);
	if (r != 0)
		return r;
	for (const struct extent *at = document->extents[0]->first; at; at = at->next) {
		if (at != document->extents[0]->first)
			output_put(&output, end.data, end.len);
		put_pair(lines, &output, text, at, manner);
	}
	return text_lines_finish(lines, &output, ret);
}

/* Makes a copy of a table, or a list of tables, that the writer puts under headers. */
static const struct node *as_tables(struct arena *arena, const struct node *value)
{
	struct node *copy = reshape(arena, value, COMPACT);

	if (!copy)
		return NULL;
	copy->style = NODE_BLOCK;
	for (uint32_t i = 0; node_is_sequence(copy) && i < copy->seq.count; i++)
		/* the items belong to the copy, too */
		((struct node *)copy->seq.items[i])->style = NODE_BLOCK;
	return copy;
}

int toml_new_tables(const struct text_lines *lines, const struct edit_step *steps, size_t count,
	const struct node *value, const struct toml_manner *manner, struct span *ret)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct arena *arena = lines->edit->arena;
	struct output output = {.max = SIZE_MAX};
	struct span end = edit_line_end(lines->edit), text;
	const struct node *tree = as_tables(arena, value);

	/* An item has no key in a header: the header means the last item before it. */
	for (size_t i = count; i-- > 0 && tree;)
		if (steps[i].key)
			tree = map_of(arena, steps[i].key, tree, NODE_BLOCK);
	int r = edit_sample(lines->edit, tree, &text, &document);
	if (r != 0)
		return r;
	for (const struct extent *at = document->extents[0]->first; at; at = at->next) {
		struct range header = {at->member.begin, at->key.end};

		if (text.data[header.begin] != '[') {
			text_lines_finish(lines, &output, ret);
			return EDIT_CANNOT;
		}
		header.end += text.data[header.begin + 1] == '[' ? 2 : 1;
		if (output.len)
			output_put(&output, end.data, end.len);
		put_range(lines, &output, text, header);
		output_put(&output, end.data, end.len);
		for (const struct extent *pair = at->first; pair; pair = pair->next) {
			put_pair(lines, &output, text, pair, manner);
			output_put(&output, end.data, end.len);
		}
	}
	return text_lines_finish(lines, &output, ret);
}
