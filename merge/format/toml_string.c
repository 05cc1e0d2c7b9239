#include "toml_string.h"

#include <errno.h>
#include <stdio.h>

#include "toml.h"
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
	const char *p = text.data, *end = text.data + text.len;
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

int toml_put_string(struct output *output, struct span text, enum node_style style)
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

int toml_put_key(struct output *output, struct span text, enum node_style style)
{
	if (!is_bare(text))
		return toml_put_string(output, text, style == NODE_SINGLE ? style : NODE_DOUBLE);
	output_put(output, text.data, text.len);
	return 0;
}
