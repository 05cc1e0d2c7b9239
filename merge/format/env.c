/*
 * Environment files, as docker compose and systemd's EnvironmentFile= read them. What they read
 * alike is written alone: whichever reads the result sees the same values. Where they differ in
 * reading a source, docker compose is followed:
 *
 *      A=b # c       "b"; to systemd, "b # c"
 *      A="b\nc"      a line break; to systemd, a backslash and an n
 *      A=b\c         "b\c"; to systemd, "bc"
 *      export A=b    as A=b; systemd leaves it out
 *      A             null: compose takes A from its own environment; systemd leaves it out
 *
 * A "$" is text to systemd. Compose puts a variable in its place, unless it stands in '' or behind
 * a backslash in "": so the style of a value is a part of it, and NODE_SINGLE means that no "$" in
 * it means anything.
 */
#include <errno.h>

#include "edit/line_edit.h"
#include "line.h"
#include "scalar.h"

#define NAME "an environment file"

struct env_reader {
	struct line_reader lines;
	struct output text; /* the value, without quotes and escapes */
	bool has_variable;  /* a "$" in it has a meaning … */
	bool has_dollar;    /* … or has none */
	const char *behind; /* the value, as it is written */
};

static bool is_name_char(char c)
{
	char small = (char)(c | 0x20);

	return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || (c && strchr("_.-", c));
}

/* Behind "export " and blanks, where they stand. */
static struct span behind_export(struct span line)
{
	struct span rest;

	if (!span_begins(line, "export") || line.len == 6 || !line_is_blank(line.data[6]))
		return line;
	rest = line_trim_start((struct span){line.data + 6, line.len - 6});
	return rest.len && is_name_char(*rest.data) ? rest : line;
}

static int add_value(
	struct env_reader *reader, struct span text, struct place place, enum node_style style)
{
	struct node *node = line_scalar(&reader->lines, text, place);

	if (!node)
		return -ENOMEM;
	node->style = (uint8_t)style;
	return builder_add(reader->lines.builder, node, place);
}

static int add_null(struct env_reader *reader, struct place place)
{
	struct node *node = line_scalar(&reader->lines, (struct span){"null", 4}, place);

	if (!node)
		return -ENOMEM;
	node->schema = NODE_JSON;
	return builder_add(reader->lines.builder, node, place);
}

/* At a backslash in "": what it and the next character stand for. Returns what is behind them. */
static const char *take_escape(struct env_reader *reader, const char *at, const char *end)
{
	static const char names[] = "\"\\$abfnrtv", values[] = "\"\\$\a\b\f\n\r\t\v";
	const char *name = at + 1 < end && at[1] ? strchr(names, at[1]) : NULL;

	if (!name) {
		output_char(&reader->text, '\\');
		return at + 1;
	}
	reader->has_dollar |= *name == '$';
	output_char(&reader->text, values[name - names]);
	return at + 2;
}

/*
 * What stands in quotes from `at` on, which may go over lines. *ret is what is behind them, in the
 * last of these lines; NULL: the quote does not end.
 */
static void take_quoted(struct env_reader *reader, const char *at, char quote, const char **ret)
{
	for (;;) {
		const char *end = reader->lines.line.data + reader->lines.line.len;

		while (at < end && *at != quote) {
			if (*at == '\\' && quote == '"') {
				at = take_escape(reader, at, end);
				continue;
			}
			reader->has_variable |= *at == '$' && quote == '"';
			output_char(&reader->text, *at++);
		}
		*ret = at < end ? at + 1 : NULL;
		if (*ret || !line_next(&reader->lines))
			return;
		output_char(&reader->text, '\n');
		at = reader->lines.line.data;
	}
}

static int read_quoted(struct env_reader *reader, const char *at)
{
	struct place place = line_place(&reader->lines, at);
	enum node_style style = *at == '"' ? NODE_DOUBLE : NODE_SINGLE;
	const char *behind;
	struct span rest;

	reader->text.len = 0;
	reader->has_variable = reader->has_dollar = false;
	take_quoted(reader, at + 1, *at, &behind);
	if (reader->text.failure)
		return -ENOMEM;
	if (!behind)
		return builder_problem(reader->lines.builder, place,
			"the value does not end; a closing quote is missing");
	reader->behind = behind;
	rest = line_trim((struct span){
		behind, (size_t)(reader->lines.line.data + reader->lines.line.len - behind)});
	if (rest.len && *rest.data != '#')
		return line_problem(&reader->lines, rest.data,
			"something stands behind the closing quote; put all of the value in the "
			"quotes");
	if (reader->has_variable && reader->has_dollar)
		return builder_problem(reader->lines.builder, place,
			"has one '$' that stands for a variable and one behind a backslash that "
			"does not; make two variables of the value");
	if (reader->has_dollar)
		style = NODE_SINGLE;
	return add_value(reader, (struct span){reader->text.data, reader->text.len}, place, style);
}

static int read_value(struct env_reader *reader, struct span rest)
{
	const char *comment;

	if (rest.len && (*rest.data == '"' || *rest.data == '\''))
		return read_quoted(reader, rest.data);
	comment = memmem(rest.data, rest.len, " #", 2);
	if (comment)
		rest.len = (size_t)(comment - rest.data);
	rest = line_trim_end(rest);
	reader->behind = rest.data + rest.len;
	return add_value(reader, rest, line_place(&reader->lines, rest.data), NODE_PLAIN);
}

/* With the "export" in front of it, which may stand at `start`. */
EXTENTS_RARE static int note_pair(
	struct env_reader *reader, const char *start, struct span key, const char *value)
{
	struct line_reader *lines = &reader->lines;
	int r = line_note_pair(lines, key, (struct span){value, (size_t)(reader->behind - value)});

	if (r == 0)
		lines->in->last->member.begin = (size_t)(start - lines->builder->text);
	return r;
}

static int read_line(struct env_reader *reader, struct span line)
{
	const char *end = line.data + line.len, *start = line.data, *at;
	struct span key, value;

	line = behind_export(line);
	for (at = line.data; at < end && is_name_char(*at);)
		at++;
	key = (struct span){line.data, (size_t)(at - line.data)};
	while (at < end && line_is_blank(*at))
		at++;
	if (!key.len || (at < end && *at != '='))
		return line_problem(&reader->lines, at,
			"is not NAME=VALUE; a name has letters, digits, '_', '.' and '-'");

	int r = line_add_scalar(&reader->lines, key, key.data);
	if (r != 0)
		return r;
	if (at < end) {
		value = line_trim_start((struct span){at + 1, (size_t)(end - at) - 1});
		r = read_value(reader, value);
	} else {
		value.data = reader->behind = key.data + key.len;
		r = add_null(reader, line_place(&reader->lines, key.data));
	}
	return r == 0 && reader->lines.in ? note_pair(reader, start, key, value.data) : r;
}

static int read_lines(struct env_reader *reader)
{
	bool has_root = false;
	int r = 0;

	while (r == 0 && line_next(&reader->lines)) {
		struct span line = line_trim(reader->lines.line);

		if (!line.len || *line.data == '#' || *line.data == ';')
			continue;
		if (!has_root)
			r = line_open_root(&reader->lines, line.data);
		has_root = true;
		if (r == 0)
			r = read_line(reader, line);
	}
	return r == 0 && has_root ? line_close_root(&reader->lines) : r;
}

static int env_read(struct builder *builder, struct span text)
{
	struct env_reader reader = {.lines = line_begin(builder, text), .text.max = SIZE_MAX};

	builder->repeat = line_repeat;
	int r = line_check_text(builder, text);
	if (r == 0)
		r = read_lines(&reader);
	output_fini(&reader.text);
	return r;
}

/* Whether nobody, also no shell, sees more than text in it. A "$" is as it was. */
static bool is_bare(struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (!is_name_char(c) && !(c & 0x80) && !strchr("/:@%+,=${}", c))
			return false;
	}
	return true;
}

static void put_double(struct output *output, struct span text, bool is_literal)
{
	output_char(output, '"');
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c == '"' || c == '\\' || (c == '$' && is_literal))
			output_char(output, '\\');
		output_char(output, c);
	}
	output_char(output, '"');
}

static void put_value(struct output *output, const struct node *value)
{
	struct span text = value->text;
	bool is_single = value->style == NODE_SINGLE && text.len;

	/* Compose takes a backslash in front of the closing quote for an escape. */
	if (is_single && !memchr(text.data, '\'', text.len) && text.data[text.len - 1] != '\\') {
		output_char(output, '\'');
		output_put(output, text.data, text.len);
		output_char(output, '\'');
	} else if (value->style == NODE_PLAIN && is_bare(text)) {
		output_put(output, text.data, text.len);
	} else {
		put_double(output, text, is_single);
	}
}

static int check_text(const struct writer *writer, const struct node *value)
{
	struct span text = value->text;

	for (size_t i = 0; i < text.len; i++)
		if (!text.data[i] || text.data[i] == '\r')
			return line_refuse(writer, value, "a value in " NAME " can't hold %s",
				text.data[i] ? "a carriage return" : "a NUL byte");
	return 0;
}

static int put_pair(struct writer *writer, const struct pair *pair)
{
	const char *name = pair->key->text.data;
	size_t len = 0;

	while (is_name_char(name[len]))
		len++;
	if (!len || len < pair->key->text.len)
		return line_refuse(writer, pair->key,
			"the name of a variable has letters, digits, '_', '.' and '-'; rename it");
	int r = line_check_scalar(
		writer, pair->value, NAME, "join its items in one text, as its program wants them");
	if (r == 0)
		r = check_text(writer, pair->value);
	if (r != 0)
		return r;
	output_put(writer->output, name, len);
	if (!scalar_is_null(pair->value)) {
		output_char(writer->output, '=');
		put_value(writer->output, pair->value);
	}
	output_char(writer->output, '\n');
	return 0;
}

static int env_write(struct writer *writer, const struct node *root)
{
	int r = line_check_map(writer, root, NAME);

	for (uint32_t i = 0; r == 0 && i < root->map.count; i++)
		r = put_pair(writer, &root->map.pairs[i]);
	return r;
}

static int env_edit(struct edit *edit, const struct edit_op *op)
{
	static const struct line_dialect dialect = {
		.comments = "#;",
		.has_quotes = true,
	};

	return line_edit(edit, op, &dialect);
}

const struct format format_env = {
	.name = "env",
	.summary = "environment files, NAME=VALUE, as docker compose reads them; written so that "
		   "systemd's EnvironmentFile= reads the same",
	.suffixes = "env",
	.comment = "#",
	.nothing = "",
	.divider = "",
	.read = env_read,
	.write = env_write,
	.edit = env_edit,
};
