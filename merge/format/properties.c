/*
 * Java's properties, as java.util.Properties.load() reads them. UTF-8 text is read as UTF-8, as
 * Java's resource bundles do since Java 9; other text as ISO-8859-1, as load() does. The writer
 * uses ASCII, with \uXXXX for other characters: both read it the same way.
 *
 *      key=value    key:value    key value
 *      key=a, \     a backslash at the end: the next line continues, without its indent
 *          b
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "edit/text_lines.h"
#include "line.h"
#include "scalar.h"
#include "utf8.h"

#define NAME "a properties file"

struct properties_reader {
	struct line_reader lines; /* at p's line, of which only the beginning is known */
	const char *p;
	struct output text;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f';
}

static bool is_break(char c)
{
	return c == '\n' || c == '\r';
}

/* Skips the line break at p. At the end of the text it does nothing. */
static void skip_break(struct properties_reader *reader)
{
	if (reader->p == reader->lines.end)
		return;
	if (*reader->p == '\r' && reader->p + 1 < reader->lines.end && reader->p[1] == '\n')
		reader->p++;
	reader->p++;
	reader->lines.line.data = reader->p;
	reader->lines.number++;
}

static void skip_blanks(struct properties_reader *reader)
{
	while (reader->p < reader->lines.end && is_blank(*reader->p))
		reader->p++;
}

/* If p is at a backslash that ends its line, skips to the text of the next line. Returns whether it
 * did. */
static bool skip_continuation(struct properties_reader *reader)
{
	if (reader->p == reader->lines.end || *reader->p != '\\' ||
		(reader->p + 1 < reader->lines.end && !is_break(reader->p[1])))
		return false;
	reader->p++;
	skip_break(reader);
	skip_blanks(reader);
	return true;
}

static bool is_line_end(struct properties_reader *reader)
{
	while (skip_continuation(reader))
		;
	return reader->p == reader->lines.end || is_break(*reader->p);
}

static int take_code_point(struct properties_reader *reader, const char *escape)
{
	int32_t code = utf8_hex4(reader->p, reader->lines.end), low = -1;
	char text[4];

	if (code < 0)
		return line_problem(&reader->lines, escape, "\\u needs four hexadecimal digits");
	reader->p += 4;
	if (code >= 0xD800 && code <= 0xDBFF && reader->lines.end - reader->p >= 6 &&
		memcmp(reader->p, "\\u", 2) == 0)
		low = utf8_hex4(reader->p + 2, reader->lines.end);
	if (low >= 0xDC00 && low <= 0xDFFF) {
		reader->p += 6;
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
	} else if (code >= 0xD800 && code <= 0xDFFF) {
		return line_problem(&reader->lines, escape,
			"half of a surrogate pair stands alone, and is no text");
	}
	output_put(&reader->text, text, utf8_encode((uint32_t)code, text));
	return 0;
}

static bool ends_key(char c)
{
	return is_blank(c) || c == '=' || c == ':';
}

/* Copies plain text, up to a character that may end the key or value, or that continues it on
 * another line. */
static void take_run(struct properties_reader *reader, bool is_key)
{
	const char *start = reader->p, *p = start;

	while (p < reader->lines.end && *p != '\\' && !is_break(*p) && !(is_key && ends_key(*p)))
		p++;
	output_put(&reader->text, start, (size_t)(p - start));
	reader->p = p;
}

/* Reads an escape at its backslash, which does not end its line. */
static int take_escape(struct properties_reader *reader)
{
	static const char names[] = "tnrf", values[] = "\t\n\r\f";
	const char *start = reader->p, *name;

	reader->p++;
	if (*reader->p == 'u') {
		reader->p++;
		return take_code_point(reader, start);
	}
	name = strchr(names, *reader->p);
	output_char(&reader->text, name ? values[name - names] : *reader->p);
	reader->p++;
	return 0;
}

static int add_text(struct properties_reader *reader, struct place place)
{
	struct node *node;

	if (reader->text.failure)
		return -ENOMEM;
	node = line_scalar(
		&reader->lines, (struct span){reader->text.data, reader->text.len}, place);
	if (!node)
		return -ENOMEM;
	reader->text.len = 0;
	return builder_add(reader->lines.builder, node, place);
}

static int read_text(struct properties_reader *reader, bool is_key)
{
	struct place place = line_place(&reader->lines, reader->p);
	int r = 0;

	while (r == 0 && !is_line_end(reader) && !(is_key && ends_key(*reader->p)))
		if (*reader->p == '\\')
			r = take_escape(reader);
		else
			take_run(reader, is_key);
	return r == 0 ? add_text(reader, place) : r;
}

/* Skips blanks, and one "=" or ":" among them. */
static void skip_separator(struct properties_reader *reader)
{
	bool is_seen = false;

	while (!is_line_end(reader)) {
		if (!is_blank(*reader->p) && (is_seen || (*reader->p != '=' && *reader->p != ':')))
			return;
		is_seen |= !is_blank(*reader->p);
		reader->p++;
	}
}

static int read_pair(struct properties_reader *reader)
{
	const char *key = reader->p, *end, *value;
	int r = read_text(reader, true);

	if (r != 0)
		return r;
	end = reader->p;
	skip_separator(reader);
	value = reader->p;
	r = read_text(reader, false);
	if (r != 0 || !reader->lines.in)
		return r;
	return line_note_pair(&reader->lines, (struct span){key, (size_t)(end - key)},
		(struct span){value, (size_t)(reader->p - value)});
}

static void skip_comment(struct properties_reader *reader)
{
	while (reader->p < reader->lines.end && !is_break(*reader->p))
		reader->p++;
}

static int read_pairs(struct properties_reader *reader)
{
	int r = 0;

	while (r == 0 && reader->p < reader->lines.end) {
		skip_blanks(reader);
		if (is_line_end(reader)) {
			skip_break(reader);
			continue;
		}
		if (*reader->p == '#' || *reader->p == '!') {
			skip_comment(reader);
			continue;
		}
		r = line_open_root(&reader->lines, reader->p);
		if (r == 0)
			r = read_pair(reader);
	}
	return r == 0 ? line_close_root(&reader->lines) : r;
}

/* Converts ISO-8859-1, whose bytes are the first 256 characters, to UTF-8. Returns NULL without
 * memory. */
static char *from_latin_1(struct span text, size_t *ret)
{
	char *copy = malloc(2 * text.len + 1), *out = copy;

	for (size_t i = 0; copy && i < text.len; i++)
		out += utf8_encode((unsigned char)text.data[i], out);
	*ret = (size_t)(out - copy);
	return copy;
}

/* Converts *offset, an offset in the UTF-8 copy, to one in the ISO-8859-1 source. *copied and *at
 * are the same place in the copy and in the source, before *offset; both move there. */
static void move_offset(const struct builder *builder, size_t *at, size_t *copied, size_t *offset)
{
	for (; *copied < *offset; ++*copied)
		*at += !utf8_is_tail((unsigned char)builder->text[*copied]);
	*offset = *at;
}

/* Converts all extents from the UTF-8 copy to the source's text, where the copy's text begins at
 * `begin`. */
static void move_extents(const struct builder *builder, size_t begin)
{
	struct extent *root = builder->document->extents[0];
	size_t at = begin, copied = 0;

	for (struct extent *extent = root->first; extent; extent = extent->next) {
		move_offset(builder, &at, &copied, &extent->key.begin);
		move_offset(builder, &at, &copied, &extent->key.end);
		move_offset(builder, &at, &copied, &extent->value.begin);
		move_offset(builder, &at, &copied, &extent->value.end);
		extent->member = (struct range){extent->key.begin, extent->value.end};
	}
	extent_note_close(root);
}

static int properties_read(struct builder *builder, struct span text)
{
	struct properties_reader reader = {.text.max = SIZE_MAX};
	size_t begin = (size_t)(text.data - builder->text);
	char *latin_1 = NULL;

	builder->repeat = line_repeat;
	if (!line_is_utf8(text)) {
		latin_1 = from_latin_1(text, &text.len);
		if (!latin_1)
			return -ENOMEM;
		text.data = builder->text = latin_1;
	}
	reader.lines = line_begin(builder, text);
	reader.lines.number = 1;
	reader.p = reader.lines.line.data = text.data;
	int r = line_check_text(builder, text);
	if (r == 0)
		r = read_pairs(&reader);
	if (r == 0 && latin_1 && reader.lines.in)
		move_extents(builder, begin);
	output_fini(&reader.text);
	free(latin_1);
	return r;
}

static void put_code(struct output *output, uint32_t code)
{
	char text[16];

	if (code < 0x10000)
		snprintf(text, sizeof(text), "\\u%04X", (unsigned)code);
	else
		snprintf(text, sizeof(text), "\\u%04X\\u%04X",
			(unsigned)(0xD800 + ((code - 0x10000) >> 10)),
			(unsigned)(0xDC00 + (code & 0x3FF)));
	output_string(output, text);
}

/* Returns whether `c` needs a backslash: a blank in front does, and in a key every character that
 * would end it. */
static bool is_escaped(char c, bool is_first, bool is_key)
{
	if (c == '\\' || (c == ' ' && (is_first || is_key)))
		return true;
	return is_key && (c == '=' || c == ':' || (is_first && (c == '#' || c == '!')));
}

static int put_text(struct writer *writer, const struct node *node, bool is_key)
{
	static const char values[] = "\t\n\r\f", names[] = "tnrf";
	const char *p = node->text.data, *end = p + node->text.len;

	while (p < end) {
		size_t length = utf8_length(p, end);
		const char *value = *p ? strchr(values, *p) : NULL;

		if (!length)
			return line_refuse(writer, node, "a text is not UTF-8; write it as UTF-8");
		if (value) {
			output_char(writer->output, '\\');
			output_char(writer->output, names[value - values]);
		} else if (length > 1 || *p < 0x20 || *p == 0x7F) {
			put_code(writer->output, utf8_decode(p, length));
		} else {
			if (is_escaped(*p, p == node->text.data, is_key))
				output_char(writer->output, '\\');
			output_char(writer->output, *p);
		}
		p += length;
	}
	return 0;
}

static int put_pair(struct writer *writer, const struct pair *pair)
{
	int r = line_check_scalar(
		writer, pair->value, NAME, "join its items in one text, as the program reads them");

	if (r == 0)
		r = line_check_null(writer, pair->value, NAME);
	if (r == 0)
		r = put_text(writer, pair->key, true);
	if (r != 0)
		return r;
	output_char(writer->output, '=');
	r = put_text(writer, pair->value, false);
	output_char(writer->output, '\n');
	return r;
}

static int properties_write(struct writer *writer, const struct node *root)
{
	int r = line_check_map(writer, root, NAME);

	for (uint32_t i = 0; r == 0 && i < root->map.count; i++)
		r = put_pair(writer, &root->map.pairs[i]);
	return r;
}

static int properties_edit(struct edit *edit, const struct edit_op *op)
{
	return line_edit(edit, op,
		&(const struct line_dialect){
			.comments = "#!", .more = LINE_MORE_BACKSLASH, .has_cr = true});
}

const struct format format_properties = {
	.name = "properties",
	.summary = "Java's properties, read as UTF-8 or else ISO-8859-1; written in ASCII, with "
		   "\\uXXXX for other characters",
	.suffixes = "properties",
	.comment = "#",
	.nothing = "",
	.divider = "",
	.read = properties_read,
	.write = properties_write,
	.edit = properties_edit,
};
