/*
 * The writer of JSON, with two spaces a level. YAML can say more than JSON: keys that are no
 * strings become strings. A tag that no schema knows is dropped, and its text becomes a string.
 * .inf, .nan, and keys that are lists or maps are problems.
 */
#include <errno.h>
#include <stdio.h>

#include "json.h"
#include "number.h"
#include "scalar.h"
#include "utf8.h"

static void put_escape(struct output *output, unsigned char c)
{
	static const char names[] = "\"\\bfnrt", values[] = "\"\\\b\f\n\r\t";
	const char *value = c ? strchr(values, c) : NULL;
	char text[8];

	if (value) {
		output_char(output, '\\');
		output_char(output, names[value - values]);
		return;
	}
	snprintf(text, sizeof(text), "\\u%04x", c);
	output_string(output, text);
}

static bool is_escaped(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\' || c == 0x7F;
}

static int put_string(struct writer *writer, const struct node *node, struct span text)
{
	const char *p = text.data, *end = span_end(text), *from = p;

	output_char(writer->output, '"');
	while (p < end) {
		size_t length = utf8_length(p, end);

		if (!length)
			return problem_at(writer->problem, node,
				"a string is not UTF-8 (byte 0x%02X), which JSON needs; write it "
				"as UTF-8",
				(unsigned)(unsigned char)*p);
		if (is_escaped((unsigned char)*p)) {
			output_put(writer->output, from, (size_t)(p - from));
			put_escape(writer->output, (unsigned char)*p);
			from = p + 1;
		}
		p += length;
	}
	output_put(writer->output, from, (size_t)(p - from));
	output_char(writer->output, '"');
	return 0;
}

static int no_number(struct writer *writer, const struct node *node)
{
	int shown = node->text.len < 32 ? (int)node->text.len : 32;

	if (node->text.len > NUMBER_DIGITS_MAX)
		return problem_at(writer->problem, node,
			"a number of more than %d digits can't be written in decimal for JSON; "
			"quote it",
			NUMBER_DIGITS_MAX);
	return problem_at(writer->problem, node,
		"\"%.*s\" is not a number in JSON; quote it, or write the file as YAML", shown,
		node->text.data);
}

static int put_scalar(struct writer *writer, const struct node *node, bool is_key)
{
	enum scalar_type type = scalar_type(node);
	bool is_bare = type == SCALAR_NULL || type == SCALAR_BOOL || type == SCALAR_INT ||
		       type == SCALAR_FLOAT;
	struct span text;
	int r;

	r = scalar_json(node, writer->arena, &text);
	if (r == -ERANGE)
		return no_number(writer, node);
	if (r < 0)
		return r;
	if (!is_bare || is_key)
		return put_string(writer, node, text);
	output_put(writer->output, text.data, text.len);
	return 0;
}

static void put_newline(struct writer *writer, unsigned depth)
{
	output_char(writer->output, '\n');
	output_spaces(writer->output, 2 * (size_t)depth);
}

static int put_node(struct writer *writer, const struct node *node, unsigned depth);

static int put_sequence(struct writer *writer, const struct node *seq, unsigned depth)
{
	int r = 0;

	output_char(writer->output, '[');
	for (uint32_t i = 0; !r && i < seq->seq.count; i++) {
		if (i)
			output_char(writer->output, ',');
		put_newline(writer, depth + 1);
		r = put_node(writer, seq->seq.items[i], depth + 1);
	}
	if (seq->seq.count)
		put_newline(writer, depth);
	output_char(writer->output, ']');
	return r;
}

static int put_pair(struct writer *writer, const struct pair *pair, unsigned depth)
{
	int r;

	if (!node_is_scalar(pair->key))
		return problem_at(writer->problem, pair->key,
			"a key in JSON is a string, and this one is %s; write a string",
			node_kind_name(pair->key));
	r = put_scalar(writer, pair->key, true);
	if (r)
		return r;
	output_put(writer->output, ": ", 2);
	return put_node(writer, pair->value, depth);
}

static int put_map(struct writer *writer, const struct node *map, unsigned depth)
{
	int r = text_key_check(writer, map, "JSON", TEXT_KEY_OF_JSON);

	output_char(writer->output, '{');
	for (uint32_t i = 0; !r && i < map->map.count; i++) {
		if (i)
			output_char(writer->output, ',');
		put_newline(writer, depth + 1);
		r = put_pair(writer, &map->map.pairs[i], depth + 1);
	}
	if (map->map.count)
		put_newline(writer, depth);
	output_char(writer->output, '}');
	return r;
}

static int put_node(struct writer *writer, const struct node *node, unsigned depth)
{
	if (depth >= writer->depth && !node_is_scalar(node))
		return writer_too_deep(writer, node);
	if (node_is_map(node))
		return put_map(writer, node, depth);
	if (node_is_sequence(node))
		return put_sequence(writer, node, depth);
	return put_scalar(writer, node, false);
}

int json_write(struct writer *writer, const struct node *root)
{
	int r = put_node(writer, root, 0);

	output_char(writer->output, '\n');
	return r;
}
