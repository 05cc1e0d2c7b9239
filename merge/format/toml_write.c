/*
 * TOML as people write it: the values of a table, then the tables in it, each under its header.
 *
 *      name = "web"                 a table's values come first: below a header they would
 *      limits.memory = "64M"        belong to the header's table
 *      hosts = ["a", "b"]
 *
 *      [server.tls]                 [server] has a header if it had one, has values, or is empty
 *      min = 1.3
 *
 *      [[user]]                     a list of tables, unless each is inline
 *      name = "root"
 *
 * A value that TOML can't express is a problem at its place in the source: null, a tag, an integer
 * of more than 64 bits, or a date that no calendar has.
 *
 * The writer is recursive, down to the depth limit.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "number.h"
#include "output.h"
#include "toml.h"
#include "toml_value.h"
#include "utf8.h"

/* Traits of a text, which decide the quotes it may stand in. */
enum {
	HAS_NEWLINE = 1,
	HAS_CONTROL = 2, /* characters that only an escape can write */
	HAS_SINGLE = 4,  /* ' */
	HAS_SINGLES = 8, /* '' */
	NOT_UTF8 = 16,
};

static unsigned traits_of(struct span text)
{
	const char *p = text.data, *end = span_end(text);
	unsigned traits = 0;

	while (p < end) {
		size_t length = utf8_length(p, end);

		if (!length)
			return NOT_UTF8;
		if (*p == '\n')
			traits |= HAS_NEWLINE;
		else if (toml_is_control(*p))
			traits |= HAS_CONTROL;
		else if (*p == '\'')
			traits |= p > text.data && p[-1] == '\'' ? HAS_SINGLES : HAS_SINGLE;
		p += length;
	}
	return traits;
}

/* Returns a style that can hold a text with these traits. A multi-line style stays one, so that
 * newlines need no escapes. */
static enum node_style style_for(enum node_style style, unsigned traits)
{
	switch (style) {
	case NODE_SINGLE:
		return traits ? NODE_DOUBLE : style;
	case NODE_LITERAL:
		return traits & (HAS_CONTROL | HAS_SINGLES) ? NODE_FOLDED : style;
	case NODE_FOLDED:
		return style;
	default:
		return NODE_DOUBLE;
	}
}

static void put_escape(struct output *output, char c)
{
	static const char names[] = "\"\\bfnrt", values[] = "\"\\\b\f\n\r\t";
	const char *value = c ? strchr(values, c) : NULL;
	char text[8];

	if (value)
		snprintf(text, sizeof(text), "\\%c", names[value - values]);
	else
		snprintf(text, sizeof(text), "\\u%04X", (unsigned)(unsigned char)c);
	output_string(output, text);
}

/* Writes the text of a string in double quotes. A multi-line string may have two quotes in a row,
 * but not at its end. */
static void put_basic(struct output *output, struct span text, bool is_long)
{
	size_t from = 0;
	unsigned quotes = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		bool is_raw = c != '"' && c != '\\' && !toml_is_control(c);

		if (is_long && c == '"')
			is_raw = quotes < 2 && i + 1 < text.len;
		quotes = is_raw && c == '"' ? quotes + 1 : 0;
		if (!is_long && (c == '\n' || c == '\t'))
			is_raw = false;
		if (is_raw)
			continue;
		output_put(output, text.data + from, i - from);
		put_escape(output, c);
		from = i + 1;
	}
	output_put(output, text.data + from, text.len - from);
}

/*
 * Writes `text` in the quotes of `style` (toml.h), or in others if `style` can't hold the text.
 * Returns 0, or -EILSEQ if the text is not UTF-8.
 */
static int toml_put_string(struct output *output, struct span text, enum node_style style)
{
	unsigned traits = traits_of(text);
	const char *quotes = "\"";

	if (traits & NOT_UTF8)
		return -EILSEQ;
	style = style_for(style, traits);
	if (style != NODE_DOUBLE)
		quotes = style == NODE_SINGLE ? "'" : style == NODE_LITERAL ? "'''" : "\"\"\"";
	output_string(output, quotes);
	/* The first newline is not part of the text. */
	if (traits & HAS_NEWLINE && style != NODE_DOUBLE)
		output_char(output, '\n');
	if (style == NODE_DOUBLE || style == NODE_FOLDED)
		put_basic(output, text, style == NODE_FOLDED);
	else
		output_put(output, text.data, text.len);
	output_string(output, quotes);
	return 0;
}

static bool is_bare(struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!toml_is_bare(text.data[i]))
			return false;
	return text.len > 0;
}

/* The keys that lead to a table, from the last one to the first. */
struct path {
	const struct path *up; /* NULL: the root is above */
	const struct node *key;
};

static bool is_tables(const struct node *node, unsigned depth_left);

/* Returns whether a value, with all values in it, is meant to stand on one line. */
static bool is_one_line(const struct node *node, unsigned depth_left)
{
	bool is_all = node->style == NODE_FLOW || node->style == NODE_DOTTED || !node_count(node);

	if (node_is_scalar(node))
		return (node->style != NODE_LITERAL && node->style != NODE_FOLDED) ||
		       !memchr(node->text.data, '\n', node->text.len);
	for (uint32_t i = 0; is_all && i < node_count(node); i++)
		is_all = depth_left > 0 && is_one_line(*node_entry(node, i), depth_left - 1);
	return is_all;
}

/* Returns whether a map is written as an inline table where it could have a header. */
static bool is_inline(const struct node *map, unsigned depth_left)
{
	return map->style == NODE_FLOW && is_one_line(map, depth_left);
}

/* Returns whether the node is written behind "key =", and not under headers. */
static bool is_value(const struct node *node, unsigned depth_left)
{
	if (node_is_map(node))
		return is_inline(node, depth_left);
	return node_is_scalar(node) || !is_tables(node, depth_left);
}

/* Returns whether the map is written as dotted keys: it is not empty, and has no tables. */
static bool is_dotted(const struct node *map, unsigned depth_left)
{
	bool is_all =
		node_is_map(map) && map->style == NODE_DOTTED && node_count(map) && depth_left;

	for (uint32_t i = 0; is_all && i < node_count(map); i++) {
		const struct node *entry = *node_entry(map, i);

		is_all = is_value(entry, depth_left - 1) || is_dotted(entry, depth_left - 1);
	}
	return is_all;
}

/* Returns whether a list's items are tables under headers: all are maps, and not all are inline. */
static bool is_tables(const struct node *list, unsigned depth_left)
{
	bool has_header = false;

	for (uint32_t i = 0; i < node_count(list); i++) {
		const struct node *item = list->seq.items[i];

		if (!node_is_map(item))
			return false;
		has_header = has_header || !depth_left || !is_inline(item, depth_left - 1);
	}
	return has_header;
}

static int put_string(struct writer *writer, const struct node *node, struct span text)
{
	int r = toml_put_string(writer->output, text, (enum node_style)node->style);

	return r ? problem_at(writer->problem, node,
			   "a string is not UTF-8, which TOML needs; write it as UTF-8")
		 : 0;
}

static int refuse(struct writer *writer, const struct node *node, const char *what)
{
	const int shown = node->text.len < 32 ? (int)node->text.len : 32;

	return problem_at(writer->problem, node,
		"\"%.*s%s\" %s; quote it, or write the file as YAML", shown, node->text.data,
		node->text.len > 32 ? "…" : "", what);
}

/* Writes a float that is no decimal number. */
static int put_no_decimal(struct writer *writer, const struct node *node)
{
	double value = scalar_number(node);

	if (node->text.len > NUMBER_DIGITS_MAX)
		return refuse(writer, node, "has too many digits to be written in decimal");
	output_string(writer->output, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
	return 0;
}

/* Writes a number or timestamp whose text is not legal in TOML. */
static int put_converted(struct writer *writer, const struct node *node, enum scalar_type type)
{
	struct span text;
	int r = type == SCALAR_TIMESTAMP ? toml_value_of_timestamp(node->text, writer->arena, &text)
					 : scalar_json(node, writer->arena, &text);

	if (r == -EINVAL)
		return refuse(writer, node, "is no date of the calendar, which TOML needs");
	if (r == -ERANGE && type == SCALAR_FLOAT)
		return put_no_decimal(writer, node);
	if (r == -ERANGE || (!r && type == SCALAR_INT && toml_value_type(text) != type))
		return refuse(writer, node, "does not fit 64 bits, which TOML needs");
	if (r)
		return r;
	output_put(writer->output, text.data, text.len);
	/* A tag made this a float. */
	if (type == SCALAR_FLOAT && !strpbrk(text.data, ".eE"))
		output_string(writer->output, ".0");
	return 0;
}

static int refuse_tag(struct writer *writer, const struct node *node)
{
	return problem_at(writer->problem, node,
		"\"%s\" is a tag, and TOML has none; remove it, or write the file as YAML",
		node->tag);
}

static int put_scalar(struct writer *writer, const struct node *node)
{
	enum scalar_type type = scalar_type(node);

	switch (type) {
	case SCALAR_NULL:
		return problem_at(writer->problem, node,
			"TOML has no null; remove the key, or write the file as YAML");
	case SCALAR_BOOL:
		output_string(writer->output, scalar_bool(node) ? "true" : "false");
		return 0;
	case SCALAR_FOREIGN:
		return refuse_tag(writer, node);
	case SCALAR_STRING:
	case SCALAR_BINARY:
		return put_string(writer, node, node->text);
	default:
		if (toml_value_type(node->text) != type)
			return put_converted(writer, node, type);
		output_put(writer->output, node->text.data, node->text.len);
		return 0;
	}
}

static int put_key(struct writer *writer, const struct node *key)
{
	struct span text;
	int r;

	if (!node_is_scalar(key))
		return problem_at(writer->problem, key,
			"a key in TOML is a string, and this one is %s; write a string",
			node_kind_name(key));
	if (scalar_type(key) == SCALAR_FOREIGN)
		return refuse_tag(writer, key);
	r = scalar_json(key, writer->arena, &text);
	if (r == -ERANGE)
		return refuse(writer, key, "can't be a key in TOML");
	if (r < 0)
		return r;
	if (is_bare(text)) {
		output_put(writer->output, text.data, text.len);
		return 0;
	}
	r = toml_put_string(
		writer->output, text, key->style == NODE_SINGLE ? NODE_SINGLE : NODE_DOUBLE);
	return r ? problem_at(writer->problem, key,
			   "a key is not UTF-8, which TOML needs; write it as UTF-8")
		 : 0;
}

static int put_path(struct writer *writer, const struct path *path)
{
	int r = 0;

	if (path->up) {
		r = put_path(writer, path->up);
		output_char(writer->output, '.');
	}
	return r ? r : put_key(writer, path->key);
}

static int check_map(struct writer *writer, const struct node *map)
{
	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];

		if (node_find_hashed(map, pair->key, pair->hash) != pair)
			return problem_at(writer->problem, pair->key,
				"the key comes twice, which TOML does not allow; remove one");
	}
	return text_key_check(writer, map, "TOML", TEXT_KEY_OF_JSON);
}

static int check_collection(struct writer *writer, const struct node *node, unsigned depth)
{
	if (depth >= writer->depth)
		return writer_too_deep(writer, node);
	if (node_foreign_tag(node))
		return refuse_tag(writer, node);
	return node_is_map(node) ? check_map(writer, node) : 0;
}

/* In toml_position.indent: the value must not contain line ends. */
#define ONE_LINE UINT_MAX

/* The position of a list or inline table. */
struct toml_position {
	unsigned depth;
	unsigned indent; /* of the line that it begins in, in levels; or ONE_LINE */
};

static int put_value(struct writer *writer, const struct node *node, struct toml_position spot);

static int put_inline_table(
	struct writer *writer, const struct node *map, struct toml_position spot)
{
	struct toml_position inner = {spot.depth + 1, ONE_LINE};
	int r = 0;

	output_string(writer->output, node_count(map) ? "{ " : "{");
	for (uint32_t i = 0; !r && i < node_count(map); i++) {
		if (i)
			output_string(writer->output, ", ");
		r = put_key(writer, map->map.pairs[i].key);
		output_string(writer->output, " = ");
		if (!r)
			r = put_value(writer, map->map.pairs[i].value, inner);
	}
	output_string(writer->output, node_count(map) ? " }" : "}");
	return r;
}

static void put_newline(struct output *output, unsigned indent)
{
	output_char(output, '\n');
	output_spaces(output, 2 * (size_t)indent);
}

static int put_list(struct writer *writer, const struct node *list, struct toml_position spot)
{
	bool is_line = spot.indent == ONE_LINE || is_one_line(list, writer->depth - spot.depth);
	struct toml_position inner = {spot.depth + 1, is_line ? ONE_LINE : spot.indent + 1};
	int r = 0;

	output_char(writer->output, '[');
	for (uint32_t i = 0; !r && i < node_count(list); i++) {
		if (is_line && i)
			output_string(writer->output, ", ");
		if (!is_line)
			put_newline(writer->output, inner.indent);
		r = put_value(writer, list->seq.items[i], inner);
		if (!is_line)
			output_char(writer->output, ',');
	}
	if (!is_line)
		put_newline(writer->output, spot.indent);
	output_char(writer->output, ']');
	return r;
}

static int put_value(struct writer *writer, const struct node *node, struct toml_position spot)
{
	int r;

	if (node_is_scalar(node))
		return put_scalar(writer, node);
	r = check_collection(writer, node, spot.depth);
	if (r)
		return r;
	return node_is_map(node) ? put_inline_table(writer, node, spot)
				 : put_list(writer, node, spot);
}

/* Writes the lines "key = value" of a table, before its headers. `path` is that of dotted keys. */
static int put_values(
	struct writer *writer, const struct node *map, const struct path *path, unsigned depth)
{
	unsigned depth_left = writer->depth - depth;
	int r = check_collection(writer, map, depth);

	for (uint32_t i = 0; !r && i < node_count(map); i++) {
		const struct node *value = map->map.pairs[i].value;
		struct path key = {path, map->map.pairs[i].key};

		if (is_dotted(value, depth_left)) {
			r = put_values(writer, value, &key, depth + 1);
		} else if (is_value(value, depth_left)) {
			r = put_path(writer, &key);
			output_string(writer->output, " = ");
			if (!r)
				r = put_value(
					writer, value, (struct toml_position){.depth = depth + 1});
			output_char(writer->output, '\n');
		}
	}
	return r;
}

static bool is_under_header(const struct node *value, unsigned depth_left)
{
	return !is_value(value, depth_left) && !is_dotted(value, depth_left);
}

/* Returns whether the table's header may be left out, as the headers of the tables in it imply
 * it. */
static bool needs_no_header(const struct node *map, unsigned depth_left)
{
	bool is_all = node_count(map) && depth_left && map->style != NODE_HEADER;

	for (uint32_t i = 0; is_all && i < node_count(map); i++)
		is_all = is_under_header(*node_entry(map, i), depth_left - 1);
	return is_all;
}

static int put_header(struct writer *writer, const struct path *path, const char *quotes)
{
	int r;

	if (writer->output->len)
		output_char(writer->output, '\n');
	output_put(writer->output, quotes, strlen(quotes) / 2);
	r = put_path(writer, path);
	output_string(writer->output, quotes + strlen(quotes) / 2);
	output_char(writer->output, '\n');
	return r;
}

static int put_table(
	struct writer *writer, const struct node *map, const struct path *path, unsigned depth);

static int put_items(
	struct writer *writer, const struct node *list, const struct path *path, unsigned depth)
{
	int r = check_collection(writer, list, depth);

	/* Each header may repeat a long path: if the output is full, stop, so that no time is
	 * lost. */
	for (uint32_t i = 0; !r && !writer->output->failure && i < node_count(list); i++) {
		r = put_header(writer, path, "[[]]");
		if (!r)
			r = put_table(writer, list->seq.items[i], path, depth + 1);
	}
	return r;
}

/* Writes the contents of a table. Its header is written already. `path` is NULL for the root. */
static int put_table(
	struct writer *writer, const struct node *map, const struct path *path, unsigned depth)
{
	unsigned depth_left = writer->depth - depth;
	int r = put_values(writer, map, NULL, depth);

	for (uint32_t i = 0; !r && !writer->output->failure && i < node_count(map); i++) {
		const struct node *value = map->map.pairs[i].value;
		struct path inner = {path, map->map.pairs[i].key};

		if (!is_under_header(value, depth_left))
			continue;
		if (node_is_sequence(value)) {
			r = put_items(writer, value, &inner, depth + 1);
			continue;
		}
		if (!needs_no_header(value, depth_left))
			r = put_header(writer, &inner, "[]");
		if (!r)
			r = put_table(writer, value, &inner, depth + 1);
	}
	return r;
}

static int toml_write(struct writer *writer, const struct node *root)
{
	if (!node_is_map(root))
		return problem_at(writer->problem, root,
			"a TOML file is a table, and this one is %s; write it as YAML or JSON",
			node_kind_name(root));
	return put_table(writer, root, NULL, 0);
}

/* A version of TOML. All have one name: a file is TOML, whichever version its program reads. */
#define TOML(version)                                                                              \
	{                                                                                          \
		.name = "toml", .summary = "TOML " version, .suffixes = "toml", .comment = "#",    \
		.nothing = "", .has_sections = true, .divider = "# ---\n", .values = FORMAT_TREES, \
		.read = toml_read, .write = toml_write, .edit = toml_edit,                         \
	}

const struct format format_toml = TOML("1.1.0");
const struct format format_toml_1_0 = TOML("1.0.0");
