/*
 * Environment files, as docker compose and systemd's EnvironmentFile= read them. The writer uses
 * only what both read alike, so both see the same values in the result. If they read a source
 * differently, the reader does as docker compose:
 *
 *      A=b # c       "b"; to systemd, "b # c"
 *      A="b\nc"      a line break; to systemd, a backslash and an n
 *      A="\0101"     "A", a character by its number; to systemd, "\0101"
 *      A='b\'c'      "b'c"; to systemd, the quote ends behind the backslash
 *      A: b          as A=b; systemd ignores it, and also names such as a[1] and Ä
 *      A=b\c         "b\c"; to systemd, "bc"
 *      A=b \         "b \"; to systemd, the next line continues the value, also in ""
 *      export A=b    as A=b; systemd ignores it
 *      A             null: compose takes A from its own environment; systemd ignores it
 *      A="b" C=d     two variables; to systemd, A is "bC=d"
 *      export =b     a variable without a name
 *
 * A line that begins with ";" is a comment, as to systemd; compose refuses it. A name alone in the
 * last line is null even without a line's end, where compose takes it for a value.
 *
 * To systemd, a "$" is text. Compose replaces a variable by its value, unless it stands in '' or
 * behind a backslash in "". So a value's style is a part of the value: in NODE_SINGLE, no "$" has a
 * meaning. If a value has "$" of both kinds, one without a meaning is "$$", as in compose's own
 * files.
 */
#include <errno.h>

#include "edit/text_lines.h"
#include "line.h"
#include "scalar.h"
#include "utf8.h"

#define NAME "an environment file"
#define NAME_CHARS "letters, digits, '_', '.', '-', '[' and ']'"

struct env_reader {
	struct line_reader lines;
	struct output text; /* the value, without quotes and escapes */
	enum {
		DOLLARS_NONE,
		DOLLARS_PLAIN,    /* each "$" in it stands for itself, and is written twice */
		DOLLARS_VARIABLE, /* a "$" in it has a meaning */
	} dollars;
	const char *behind; /* the first byte behind the value, as it is written */
	struct span more; /* another variable in the same line; its length is 0 if there is none */
};

/* The last blank that may stand in front of a value or within a pair. */
#define NO_BREAK_SPACE 0xA0

/* Skips blanks, as compose does: those up to `last`, in Unicode. */
static struct span trim_start(struct span text, uint32_t last)
{
	for (;;) {
		text = line_trim_start(text);
		size_t length = text.len ? utf8_length(text.data, span_end(text)) : 0;
		uint32_t code = length > 1 ? utf8_decode(text.data, length) : 0;

		if (code > last || !utf8_is_blank(code))
			return text;
		text.data += length;
		text.len -= length;
	}
}

static struct span trim_end(struct span text)
{
	for (;;) {
		size_t length = 1;

		text = line_trim_end(text);
		while (length < text.len &&
			utf8_is_tail((unsigned char)text.data[text.len - length]))
			length++;
		if (length < 2 || !utf8_is_blank(utf8_decode(span_end(text) - length, length)))
			return text;
		text.len -= length;
	}
}

/* Returns whether compose takes a character beyond ASCII for a letter or digit. Approximate: signs
 * that stand between letters in Unicode count as letters. */
static bool is_letter(uint32_t code)
{
	static const uint32_t others[][2] = {{0x80, 0xA9}, {0xAB, 0xB1}, {0xB4, 0xB4}, {0xB6, 0xB8},
		{0xBB, 0xBB}, {0xBF, 0xBF}, {0xD7, 0xD7}, {0xF7, 0xF7}, {0x300, 0x36F},
		{0x2000, 0x206F}, {0x20A0, 0x20FF}, {0x2190, 0x245F}, {0x2500, 0x2775},
		{0x2794, 0x2BFF}, {0x3000, 0x3004}, {0x3008, 0x3020}, {0xD800, 0xF8FF},
		{0xFE00, 0xFE6F}, {0xFEFF, 0xFF0F}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1F0FF},
		{0x1F10D, 0x1FBEF}, {0xE0000, 0x10FFFF}};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (code >= others[i][0] && code <= others[i][1])
			return false;
	return true;
}

/* Returns how many bytes at `at` can stand in a name: those of one character, or 0. */
static size_t name_char(const char *at, const char *end)
{
	char small = (char)(*at | 0x20);

	if (!(*at & 0x80))
		return (small >= 'a' && small <= 'z') || (*at >= '0' && *at <= '9') ||
		       (*at && strchr("_.-[]", *at));
	size_t length = utf8_length(at, end);
	return length && is_letter(utf8_decode(at, length)) ? length : 0;
}

static const char *behind_name(const char *at, const char *end)
{
	for (size_t length; at < end && (length = name_char(at, end)) > 0;)
		at += length;
	return at;
}

static bool begins_value(struct span text)
{
	return text.len && (*text.data == '=' || *text.data == ':');
}

/* Skips "export " and blanks, if a name follows them, or what stands behind a name. */
static struct span behind_export(struct span line)
{
	struct span rest;

	if (!span_begins(line, "export") || line.len == 6 || !line_is_blank(line.data[6]))
		return line;
	rest = trim_start((struct span){line.data + 6, line.len - 6}, NO_BREAK_SPACE);
	bool is_named = rest.len && name_char(rest.data, span_end(rest));
	return is_named || begins_value(rest) ? rest : line;
}

static bool begins_pair(struct span text)
{
	text = behind_export(text);
	const char *end = span_end(text), *at = behind_name(text.data, end);
	const struct span rest = trim_start((struct span){at, (size_t)(end - at)}, NO_BREAK_SPACE);

	return at > text.data && begins_value(rest);
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

/*
 * Reads the digits behind "\\0". Three octal digits below 256 are a character's number. Otherwise
 * the 0 is lost, as in compose.
 */
static const char *take_octal(struct env_reader *reader, const char *at, const char *end)
{
	uint32_t code = 0;
	bool is_octal = true;
	int count = 0;

	for (; count < 3 && at + count < end && at[count] >= '0' && at[count] <= '9'; count++) {
		is_octal &= at[count] < '8';
		code = code * 8 + (uint32_t)(at[count] - '0');
	}
	if (count == 3 && is_octal && code < 256) {
		char text[4];

		output_put(&reader->text, text, utf8_encode(code, text));
		return at + 3;
	}
	output_char(&reader->text, '\\');
	return at;
}

/* Reads an escape in "", at its backslash. Returns the byte after it. */
static const char *take_escape(struct env_reader *reader, const char *at, const char *end)
{
	static const char names[] = "\"\\$abfnrtv", values[] = "\"\\$\a\b\f\n\r\t\v";
	const char *name = at + 1 < end && at[1] ? strchr(names, at[1]) : NULL;

	if (at + 1 < end && at[1] == '0')
		return take_octal(reader, at + 2, end);
	if (!name) {
		output_char(&reader->text, '\\');
		return at + 1;
	}
	if (*name == '$') {
		if (reader->dollars == DOLLARS_NONE)
			reader->dollars = DOLLARS_PLAIN;
		output_char(&reader->text, '$');
	}
	output_char(&reader->text, values[name - names]);
	return at + 2;
}

/* Reads a backslash in '': it stands for itself, but before a quote it means the quote alone. */
static const char *take_backslash(struct env_reader *reader, const char *at, const char *end)
{
	bool is_pair = at + 1 < end && at[1] == '\\', is_quote = at + 1 < end && at[1] == '\'';

	if (!is_quote)
		output_char(&reader->text, '\\');
	if (is_pair || is_quote)
		output_char(&reader->text, at[1]);
	return at + (is_pair || is_quote ? 2 : 1);
}

/*
 * Reads a quoted text from `at` on, which may span lines. *ret is the byte behind it, in the last
 * of these lines; NULL: the quote does not end.
 */
static void take_quoted(struct env_reader *reader, const char *at, char quote, const char **ret)
{
	for (;;) {
		const char *end = span_end(reader->lines.line);
		bool has_return = end < reader->lines.end && *end == '\r';

		while (at < end && *at != quote) {
			if (*at == '\\') {
				at = quote == '"' ? take_escape(reader, at, end)
						  : take_backslash(reader, at, end);
				continue;
			}
			if (*at == '$' && quote == '"')
				reader->dollars = DOLLARS_VARIABLE;
			output_char(&reader->text, *at++);
		}
		*ret = at < end ? at + 1 : NULL;
		if (*ret || !line_next(&reader->lines))
			return;
		if (has_return)
			output_char(&reader->text, '\r');
		output_char(&reader->text, '\n');
		at = reader->lines.line.data;
	}
}

/* Halves each "$$": no "$" in the text has a meaning, so none needs to be doubled. */
static void halve_dollars(struct output *text)
{
	size_t len = 0;

	for (size_t i = 0; i < text->len; i++) {
		text->data[len++] = text->data[i];
		if (text->data[i] == '$')
			i++;
	}
	text->len = len;
}

static int read_quoted(struct env_reader *reader, const char *at)
{
	struct place place = line_place(&reader->lines, at);
	enum node_style style = *at == '"' ? NODE_DOUBLE : NODE_SINGLE;
	const char *behind;
	struct span rest;

	reader->text.len = 0;
	reader->dollars = DOLLARS_NONE;
	take_quoted(reader, at + 1, *at, &behind);
	if (reader->text.failure)
		return -ENOMEM;
	if (!behind)
		return builder_problem(reader->lines.builder, place,
			"the value does not end; a closing quote is missing");
	reader->behind = behind;
	rest = trim_start((struct span){behind, (size_t)(reader->lines.line.data +
							 reader->lines.line.len - behind)},
		UINT32_MAX);
	if (rest.len && *rest.data != '#') {
		if (rest.data == behind || !begins_pair(rest))
			return line_problem(&reader->lines, rest.data,
				"something stands behind the closing quote; put all of the value "
				"in the quotes");
		if (reader->lines.in)
			return line_problem(&reader->lines, rest.data,
				"a second variable stands in the line; put each in its own line");
		reader->more = rest;
	}
	/* The source has none, so it is from an escape. */
	if (reader->text.len && memchr(reader->text.data, '\0', reader->text.len))
		return builder_problem(reader->lines.builder, place,
			"no environment can hold a NUL byte; write something else than \\0000");
	if (reader->dollars == DOLLARS_PLAIN) {
		style = NODE_SINGLE;
		halve_dollars(&reader->text);
	}
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
	rest = trim_end(rest);
	reader->behind = span_end(rest);
	return add_value(reader, rest, line_place(&reader->lines, rest.data), NODE_PLAIN);
}

/* Notes the pair, with the "export" in front of it, which may stand at `start`. */
EXTENT_NOTE_RARE static int note_pair(
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
	const char *end = span_end(line), *start = line.data, *at;
	struct span key, value, rest;

	line = behind_export(line);
	at = behind_name(line.data, end);
	key = (struct span){line.data, (size_t)(at - line.data)};
	rest = trim_start((struct span){at, (size_t)(end - at)}, NO_BREAK_SPACE);
	if (rest.len && !begins_value(rest))
		return line_problem(
			&reader->lines, rest.data, "is not NAME=VALUE; a name has " NAME_CHARS);

	int r = line_add_scalar(&reader->lines, key, key.data);
	if (r != 0)
		return r;
	if (rest.len) {
		value = trim_start((struct span){rest.data + 1, rest.len - 1}, NO_BREAK_SPACE);
		r = read_value(reader, value);
	} else {
		value.data = reader->behind = span_end(key);
		r = add_null(reader, line_place(&reader->lines, key.data));
	}
	return r == 0 && reader->lines.in ? note_pair(reader, start, key, value.data) : r;
}

static int read_lines(struct env_reader *reader)
{
	int r = 0;

	while (r == 0 && line_next(&reader->lines)) {
		struct span line = trim_start(reader->lines.line, UINT32_MAX);

		if (!line.len || *line.data == '#' || *line.data == ';')
			continue;
		r = line_open_root(&reader->lines, line.data);
		for (; r == 0 && line.len; line = reader->more) {
			reader->more.len = 0;
			r = read_line(reader, line);
		}
	}
	return r == 0 ? line_close_root(&reader->lines) : r;
}

/* Warns of the first line that systemd joins with the next one. */
static void warn_of_joined(struct builder *builder, struct span text)
{
	struct line_reader lines = line_begin(builder, text);
	bool is_found = false;
	struct problem warning;

	while (!is_found && line_next(&lines)) {
		struct span line = line_trim_start(lines.line);

		is_found = line_ends_with_backslash(line) && *line.data != '#' && *line.data != ';';
	}
	if (!is_found)
		return;
	problem_set(&warning, builder->document->source.name, lines.number, 1,
		"the line ends with a backslash: systemd goes on with the next line, and plyfs, as "
		"docker compose, does not; write the value in one line");
	builder->options->warn(builder->options->context, &warning);
}

static int env_read(struct builder *builder, struct span text)
{
	struct env_reader reader = {.lines = line_begin(builder, text), .text.max = SIZE_MAX};

	builder->repeat = line_repeat;
	int r = line_check_text(builder, text);
	if (r == 0)
		r = read_lines(&reader);
	if (r == 0 && builder->options->warn)
		warn_of_joined(builder, text);
	output_fini(&reader.text);
	return r;
}

/* Returns whether every program, even a shell, reads the text as plain text. A "$" keeps its
 * meaning. */
static bool is_bare(struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (!(c & 0x80) && (strchr("[]", c) || !name_char(&c, &c + 1)) &&
			!strchr("/:@%+,=${}", c))
			return false;
	}
	return trim_end(trim_start(text, NO_BREAK_SPACE)).len == text.len;
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

	/* Compose reads a backslash before the closing quote as an escape. */
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

static int put_pair(struct writer *writer, const struct pair *pair)
{
	const struct span name = pair->key->text;

	if (behind_name(name.data, span_end(name)) < span_end(name))
		return line_refuse(
			writer, pair->key, "the name of a variable has " NAME_CHARS "; rename it");
	int r = line_check_scalar(
		writer, pair->value, NAME, "join its items in one text, as the program reads them");
	if (r != 0)
		return r;
	if (memchr(pair->value->text.data, '\0', pair->value->text.len))
		return line_refuse(writer, pair->value,
			"a value in " NAME " can't hold a NUL byte; remove it");
	output_put(writer->output, name.data, name.len);
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
	return line_edit(edit, op, &(const struct line_dialect){.comments = "#;"});
}

const struct format format_env = {
	.name = "env",
	.summary = "environment files, NAME=VALUE, as docker compose reads them; written so that "
		   "systemd's EnvironmentFile= can read them, too",
	.suffixes = "env",
	.comment = "#",
	.nothing = "",
	.divider = "",
	.values = FORMAT_QUOTED_TEXTS,
	.read = env_read,
	.write = env_write,
	.edit = env_edit,
};
