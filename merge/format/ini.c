/*
 * INI, of which there is no standard: what MySQL, PHP, Grafana and Python's configparser agree on,
 * and where they don't, what loses nothing. What stands behind the "=" is the value, whole: quotes
 * and "; comments" behind it stay, because one program's comment is another one's password.
 *
 *      key = value     the first "=" separates; without one in the line, the first ":"
 *      key             no value, which is another thing than an empty one: null
 *          more        further in than its key: the value goes on, as in configparser
 */
#include <errno.h>

#include "edit/line_edit.h"
#include "scalar.h"
#include "section.h"

struct ini_reader {
	struct section_reader section;
	struct span key;    /* of the last line with one; its data is NULL in front of the first */
	struct place place; /* of the value … */
	struct span value;  /* … and its first line */
	struct output more; /* the lines after that, each with "\n" in front of it */
	const char *end;    /* of the last line that is not blank */
	size_t indent;      /* of the key, in bytes */
	size_t empty_lines; /* since the last line of the value */
	bool has_value;     /* there is a separator */
};

static int add_value(struct ini_reader *reader)
{
	static const struct span null = {"null", 4};
	struct line_reader *lines = &reader->section.lines;
	struct span value = reader->has_value ? reader->value : null;
	struct node *node;
	char *text;

	if (reader->more.failure)
		return -ENOMEM;
	node = builder_new_scalar(
		lines->builder, reader->place, value.len + reader->more.len, &text);
	if (!node)
		return -ENOMEM;
	if (value.len)
		memcpy(text, value.data, value.len);
	if (reader->more.len)
		memcpy(text + value.len, reader->more.data, reader->more.len);
	node->schema = reader->has_value ? NODE_TEXT : NODE_JSON;
	int r = builder_add(lines->builder, node, reader->place);
	if (r != 0 || !lines->in)
		return r;
	return line_note_pair(lines, reader->key,
		(struct span){reader->value.data, (size_t)(reader->end - reader->value.data)});
}

/* The key that is open and what has been found as its value. */
static int end_key(struct ini_reader *reader)
{
	int r = 0;

	if (reader->key.data)
		r = add_value(reader);
	reader->key.data = NULL;
	reader->more.len = 0;
	reader->empty_lines = 0;
	return r;
}

static int read_section(struct ini_reader *reader, struct span line)
{
	struct span name, rest;

	int r = section_name(&reader->section, line, &name, &rest);
	if (r != 0)
		return r;
	if (rest.len && *rest.data != ';' && *rest.data != '#')
		return line_problem(&reader->section.lines, rest.data,
			"something stands behind the section's ]; put it on a line of its own");
	return section_open(&reader->section, name, false);
}

static int read_key(struct ini_reader *reader, struct span line)
{
	struct line_reader *lines = &reader->section.lines;
	const char *end = line.data + line.len, *stop = memchr(line.data, '=', line.len);

	if (!stop)
		stop = memchr(line.data, ':', line.len);
	reader->has_value = stop;
	reader->key = (struct span){line.data, (size_t)((stop ? stop : end) - line.data)};
	reader->key = line_trim_end(reader->key);
	if (!reader->key.len)
		return line_problem(lines, line.data, "there is no key before the '%c'", *stop);
	reader->value = (struct span){reader->key.data + reader->key.len, 0};
	reader->end = stop ? end : reader->value.data;
	if (stop)
		reader->value = line_trim_start((struct span){stop + 1, (size_t)(end - stop) - 1});
	reader->place = line_place(lines, stop ? reader->value.data : reader->key.data);

	int r = section_open_root(&reader->section);
	return r == 0 ? line_add_scalar(lines, reader->key, reader->key.data) : r;
}

static void go_on(struct ini_reader *reader, struct span line)
{
	for (size_t i = 0; i <= reader->empty_lines; i++)
		output_char(&reader->more, '\n');
	output_put(&reader->more, line.data, line.len);
	reader->end = line.data + line.len;
	reader->empty_lines = 0;
}

static int read_line(struct ini_reader *reader)
{
	struct span whole = reader->section.lines.line, line = line_trim(whole);
	size_t indent = (size_t)(line.data - whole.data);
	int r;

	if (!line.len) {
		reader->empty_lines++;
		return 0;
	}
	if (*line.data == ';' || *line.data == '#')
		return 0;
	if (reader->key.data && reader->has_value && indent > reader->indent) {
		go_on(reader, line);
		return 0;
	}
	r = end_key(reader);
	if (r != 0)
		return r;
	reader->indent = indent;
	return *line.data == '[' ? read_section(reader, line) : read_key(reader, line);
}

static int ini_read(struct builder *builder, struct span text)
{
	struct ini_reader reader = {
		.section.lines = line_begin(builder, text),
		.more.max = SIZE_MAX,
	};

	builder->repeat = line_repeat;
	int r = line_check_text(builder, text);
	while (r == 0 && line_next(&reader.section.lines))
		r = read_line(&reader);
	if (r == 0)
		r = end_key(&reader);
	if (r == 0)
		r = section_close(&reader.section);
	output_fini(&reader.more);
	return r;
}

/* A line of a value but the first: it stands further in than its key. */
static int put_more(struct writer *writer, const struct node *value, struct span line)
{
	const char *fault = line_fault(line);

	if (!fault && line.len && strchr(";#", *line.data))
		fault = "a line that begins like a comment";
	if (fault)
		return line_refuse(
			writer, value, "a value of several lines in INI can't hold %s", fault);
	if (line.len)
		output_char(writer->output, '\t');
	output_put(writer->output, line.data, line.len);
	output_char(writer->output, '\n');
	return 0;
}

static int put_value(struct writer *writer, const struct node *value)
{
	const char *p = value->text.data, *end = p + value->text.len;
	const char *stop = memchr(p, '\n', value->text.len);
	struct span first = {p, stop ? (size_t)(stop - p) : value->text.len};
	const char *fault = line_fault(first);

	if (fault)
		return line_refuse(writer, value,
			"a value in INI can't hold %s; quote it as its "
			"program wants it",
			fault);
	if (stop && end[-1] == '\n')
		return line_refuse(writer, value, "a value in INI can't end with a line break");
	output_string(writer->output, first.len ? " = " : " =");
	output_put(writer->output, first.data, first.len);
	output_char(writer->output, '\n');
	for (int r; stop; stop = memchr(p, '\n', (size_t)(end - p))) {
		const char *next;

		p = stop + 1;
		next = memchr(p, '\n', (size_t)(end - p));
		r = put_more(writer, value, (struct span){p, (size_t)((next ? next : end) - p)});
		if (r != 0)
			return r;
	}
	return 0;
}

static int put_pair(struct writer *writer, const struct pair *pair)
{
	bool is_null = scalar_is_null(pair->value);

	int r = section_check_key(writer, pair->key, "INI", is_null ? "=:" : "=", "[;#");
	if (r == 0)
		r = line_check_scalar(writer, pair->value, "INI",
			"join its items in one text, as its program wants them");
	if (r != 0)
		return r;
	output_put(writer->output, pair->key->text.data, pair->key->text.len);
	if (!is_null)
		return put_value(writer, pair->value);
	output_char(writer->output, '\n');
	return 0;
}

static int ini_write(struct writer *writer, const struct node *root)
{
	static const struct section_style style = {
		.name = "INI",
		.not_in_name = "]",
		.put = put_pair,
	};

	return section_write(writer, root, &style);
}

static int ini_edit(struct edit *edit, const struct edit_op *op)
{
	static const struct line_dialect dialect = {
		.comments = "#;",
		.has_inner_comments = true,
		.colon_yields = true,
		.has_indents = true,
	};

	return line_edit(edit, op, &dialect);
}

const struct format format_ini = {
	.name = "ini",
	.summary = "INI: sections are maps, values are texts with their quotes, a key with no '=' "
		   "is null; "
		   "as MySQL and Python's configparser read it",
	.suffixes = "ini",
	.comment = ";",
	.nothing = "",
	.has_sections = true,
	.divider = "",
	.read = ini_read,
	.write = ini_write,
	.edit = ini_edit,
};
