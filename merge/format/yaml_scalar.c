#include "yaml_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "number.h"
#include "resolve.h"
#include "scalar.h"
#include "toml_value.h"
#include "utf8.h"

/* Greatest length of a key that is written without "? ", in characters. YAML's limit is 1024, on
 * one line. */
#define SIMPLE_KEY_MAX 1000

/* Traits of a text, which decide the positions and styles it may be written in. */
enum {
	HAS_BREAK = 1,   /* a newline */
	HAS_SPECIAL = 2, /* characters that only an escape can write */
	HAS_FLOW = 4,    /* characters with a meaning inside [] and {} */
	HAS_COLON = 8,   /* ":" */
	HAS_HASH = 16,   /* "#" */
	NOT_FIRST = 32,  /* can't begin a plain scalar */
	HAS_TAB = 64,
	NOT_PLAIN = 256, /* ": ", " #" or the like */
	NOT_UTF8 = 512,
};

static const unsigned char traits_of_ascii[128] = {
	[0 ... 8] = HAS_SPECIAL,
	[11 ... 31] = HAS_SPECIAL,
	['\t'] = HAS_TAB | NOT_FIRST,
	['\n'] = HAS_BREAK | NOT_FIRST,
	[' '] = NOT_FIRST,
	['!'] = NOT_FIRST,
	['"'] = NOT_FIRST,
	['#'] = NOT_FIRST | HAS_HASH,
	['%'] = NOT_FIRST,
	['&'] = NOT_FIRST,
	['\''] = NOT_FIRST,
	['*'] = NOT_FIRST,
	[','] = NOT_FIRST | HAS_FLOW,
	[':'] = HAS_COLON,
	['>'] = NOT_FIRST,
	['?'] = HAS_FLOW, /* for PyYAML, though not for libyaml */
	['@'] = NOT_FIRST,
	['['] = NOT_FIRST | HAS_FLOW,
	[']'] = NOT_FIRST | HAS_FLOW,
	['`'] = NOT_FIRST,
	['{'] = NOT_FIRST | HAS_FLOW,
	['|'] = NOT_FIRST,
	['}'] = NOT_FIRST | HAS_FLOW,
	[0x7F] = HAS_SPECIAL,
};

static bool is_blank_or_end(const char *p, const char *end)
{
	return p == end || *p == ' ' || *p == '\t' || *p == '\n';
}

static bool is_printable(uint32_t code)
{
	/* NEL, and the line and paragraph separators, are line breaks in YAML 1.1. */
	if (code < 0xA0 || code == 0x2028 || code == 0x2029 || code == 0xFEFF)
		return false;
	return code != 0xFFFE && code != 0xFFFF;
}

static unsigned traits_of(struct span text)
{
	const char *p = text.data, *end = span_end(text);
	unsigned traits = 0;

	while (p < end) {
		unsigned char c = (unsigned char)*p;
		size_t length;

		if (c < 0x80) {
			unsigned found = traits_of_ascii[c];

			if (found & HAS_COLON && is_blank_or_end(p + 1, end))
				traits |= NOT_PLAIN;
			if (found & HAS_HASH && p > text.data && is_blank_or_end(p - 1, end))
				traits |= NOT_PLAIN;
			traits |= found & ~(unsigned)NOT_FIRST;
			p++;
			continue;
		}
		length = utf8_length(p, end);
		if (!length)
			return NOT_UTF8;
		if (!is_printable(utf8_decode(p, length)))
			traits |= HAS_SPECIAL;
		p += length;
	}
	return traits;
}

static bool is_plain(struct span text, unsigned traits, bool is_flow)
{
	const char *end = span_end(text);
	char first, last;

	if (!text.len || traits & (HAS_BREAK | HAS_SPECIAL | NOT_PLAIN))
		return false;
	first = text.data[0];
	last = end[-1];
	if (last == ' ' || last == '\t')
		return false;
	if (!(first & 0x80) && traits_of_ascii[(unsigned char)first] & NOT_FIRST)
		return false;
	if (strchr("-?:", first) && is_blank_or_end(text.data + 1, end))
		return false;
	/* At the beginning of a line these would separate documents. */
	if (text.len >= 3 && (!memcmp(text.data, "---", 3) || !memcmp(text.data, "...", 3)))
		return false;
	return !is_flow || (!(traits & HAS_FLOW) && first != ':');
}

static bool is_block_spot(enum yaml_spot spot)
{
	return spot == YAML_AT_ROOT || spot == YAML_BEHIND_KEY || spot == YAML_BEHIND_DASH;
}

static bool is_flow_spot(enum yaml_spot spot)
{
	return spot == YAML_IN_FLOW || spot == YAML_AS_FLOW_KEY;
}

static bool is_key_spot(enum yaml_spot spot)
{
	return spot == YAML_AS_KEY || spot == YAML_AS_FLOW_KEY;
}

static bool begins_blank(struct span text)
{
	return text.len && strchr(" \t\n", text.data[0]) && text.data[0];
}

static bool is_literal(struct span text, unsigned traits, enum yaml_spot spot)
{
	if (!text.len || traits & HAS_SPECIAL || !is_block_spot(spot))
		return false;
	/* Such a text needs an indentation indicator, and parsers disagree about its meaning at the
	 * root. */
	return spot != YAML_AT_ROOT || !begins_blank(text);
}

/* Returns whether the text can be folded. Lines that begin with a blank are not folded by readers,
 * and would have to be written differently. */
static bool is_folded(struct span text, unsigned traits, enum yaml_spot spot)
{
	if (!is_literal(text, traits, spot) || begins_blank(text))
		return false;
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.data[i] == '\n' && (text.data[i + 1] == ' ' || text.data[i + 1] == '\t'))
			return false;
	return true;
}

static bool is_merge_word(const struct node *node, enum yaml_spot spot)
{
	return is_key_spot(spot) && !node->tag && span_is(node->text, "<<");
}

/* Returns whether the node is a time without a date, which YAML 1.1 reads as a number to base
 * 60. */
static bool is_toml_time(const struct node *node)
{
	return node->schema == NODE_TOML && node->text.len > 2 && node->text.data[2] == ':';
}

/* Returns whether a string of a format that has only strings stays a string without quotes. */
static bool is_bare_text(const struct node *node)
{
	return resolve_plain(node->text, NODE_YAML_1_1) == SCALAR_STRING &&
	       resolve_plain(node->text, NODE_YAML_1_2) == SCALAR_STRING &&
	       !span_is(node->text, "=") && !span_is(node->text, "<<");
}

bool yaml_is_plain_string(struct span text, bool is_flow)
{
	unsigned traits = traits_of(text);
	struct node node = {.text = text};

	return !(traits & (NOT_UTF8 | HAS_TAB)) && is_plain(text, traits, is_flow) &&
	       is_bare_text(&node);
}

/* Returns the style that the scalar can have in that spot. */
static enum node_style style_of(const struct node *node, unsigned traits, enum yaml_spot spot)
{
	enum node_style style = node->style;

	if (style == NODE_PLAIN) {
		/* Some parsers refuse a tab in plain text. But a date with one must not become a
		 * string. */
		bool is_bad_tab = traits & HAS_TAB && scalar_type(node) == SCALAR_STRING;

		if (is_plain(node->text, traits, is_flow_spot(spot)) && !is_bad_tab &&
			!is_merge_word(node, spot) && !is_toml_time(node) &&
			(node->schema != NODE_TEXT || node->tag || is_bare_text(node)))
			return style;
		style = NODE_SINGLE;
	}
	/* TOML keeps the lines of such a string. */
	if (style == NODE_FOLDED && node->schema == NODE_TOML)
		style = NODE_LITERAL;
	if (style == NODE_FOLDED) {
		if (is_folded(node->text, traits, spot))
			return style;
		style = NODE_LITERAL;
	}
	if (style == NODE_LITERAL)
		return is_literal(node->text, traits, spot) ? style : NODE_DOUBLE;
	if (style == NODE_SINGLE && !(traits & (HAS_BREAK | HAS_SPECIAL)))
		return style;
	return NODE_DOUBLE;
}

static void put_single(struct output *output, struct span text)
{
	const char *p = text.data, *end = span_end(text), *quote;

	output_char(output, '\'');
	for (; p < end && (quote = memchr(p, '\'', (size_t)(end - p))); p = quote + 1) {
		output_put(output, p, (size_t)(quote - p));
		output_put(output, "''", 2);
	}
	output_put(output, p, (size_t)(end - p));
	output_char(output, '\'');
}

static void put_escape(struct output *output, uint32_t code)
{
	static const char names[] = "\"\\abtnvfre0", values[] = "\"\\\a\b\t\n\v\f\r\033";
	const char *value = code < 0x80 ? memchr(values, (int)code, sizeof(values)) : NULL;
	char text[16];

	if (value)
		snprintf(text, sizeof(text), "\\%c", names[value - values]);
	else if (code < 0x100)
		snprintf(text, sizeof(text), "\\x%02X", (unsigned)code);
	else
		snprintf(text, sizeof(text), "\\u%04X", (unsigned)code);
	output_string(output, text);
}

static void put_double(struct output *output, struct span text)
{
	const char *p = text.data, *end = span_end(text), *from = p;

	output_char(output, '"');
	while (p < end) {
		size_t length = utf8_length(p, end);
		uint32_t code = utf8_decode(p, length);
		bool is_raw = code < 0x80
				      ? code >= 0x20 && code != 0x7F && code != '"' && code != '\\'
				      : is_printable(code);

		if (!is_raw) {
			output_put(output, from, (size_t)(p - from));
			put_escape(output, code);
			from = p + length;
		}
		p += length;
	}
	output_put(output, from, (size_t)(p - from));
	output_char(output, '"');
}

static const char *line_end(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));

	return newline ? newline : end;
}

/* Returns the indicator for the text's end: "-" no newline, "+" more than one, "" exactly one. */
static const char *chomping(struct span text)
{
	if (text.data[text.len - 1] != '\n')
		return "-";
	return text.len == 1 || text.data[text.len - 2] == '\n' ? "+" : "";
}

/* Writes a literal or folded scalar without its last newline. */
static void put_block_scalar(
	struct output *output, struct span text, int indent, enum node_style style)
{
	const char *p = text.data, *end = span_end(text), *last = end;

	while (last > p && last[-1] == '\n')
		last--;
	output_char(output, style == NODE_FOLDED ? '>' : '|');
	if (begins_blank(text))
		output_char(output, '2');
	output_string(output, chomping(text));
	if (end[-1] == '\n')
		end--;
	while (p <= end) {
		const char *stop = line_end(p, end);

		output_char(output, '\n');
		if (stop > p) {
			output_spaces(output, (size_t)indent);
			output_put(output, p, (size_t)(stop - p));
		}
		/* A single newline would be folded to a space. Of several, folding drops the
		 * first. */
		if (style == NODE_FOLDED && stop > p && stop < last)
			output_char(output, '\n');
		p = stop + 1;
	}
}

/* The characters of a tag besides letters and digits; and those between "!<" and ">". */
#define TAG_CHARS "-_;/?:@&=+$.~*'()"
#define URI_CHARS TAG_CHARS "!,[]"

static bool is_tag_char(unsigned char c, const char *others)
{
	if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
		return true;
	return c && c < 0x80 && strchr(others, c);
}

static void put_tag_text(struct output *output, const char *text, const char *others)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		char escape[4];

		if (is_tag_char(c, others)) {
			output_char(output, (char)c);
		} else {
			snprintf(escape, sizeof(escape), "%%%02X", c);
			output_string(output, escape);
		}
	}
}

void yaml_put_tag(struct output *output, const char *tag)
{
	const char *core = scalar_core_name(tag);

	if (tag[0] == '!') {
		output_char(output, '!');
		put_tag_text(output, tag + 1, TAG_CHARS);
	} else if (core) {
		output_put(output, "!!", 2);
		put_tag_text(output, core, TAG_CHARS);
	} else {
		output_put(output, "!<", 2);
		put_tag_text(output, tag, URI_CHARS);
		output_char(output, '>');
	}
}

/* Writes an empty plain scalar, except behind a key in {}. It may stay empty only at the end of a
 * line. */
static void put_empty(struct output *output, const struct node *node, enum yaml_spot spot)
{
	if (is_block_spot(spot) &&
		(node->tag || (spot != YAML_AT_ROOT && node->schema <= NODE_SALT)))
		return;
	if (node->tag || node->schema > NODE_SALT)
		output_put(output, "\"\"", 2);
	else
		output_put(output, "null", 4);
}

/* Writes digits without "_", which YAML 1.2 does not know. */
static void put_digits(struct output *output, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != '_')
			output_char(output, p[i]);
}

/* Writes a float. In YAML 1.1 a number with an exponent has a point, and its exponent a sign. */
static void put_float(struct output *output, struct span text)
{
	size_t digits = strcspn(text.data, "eE");

	put_digits(output, text.data, digits);
	if (digits == text.len)
		return;
	if (!memchr(text.data, '.', digits))
		output_put(output, ".0", 2);
	output_char(output, text.data[digits++]);
	if (text.data[digits] != '+' && text.data[digits] != '-')
		output_char(output, '+');
	put_digits(output, text.data + digits, text.len - digits);
}

/* YAML's times have seconds, and the letter Z. */
static void put_toml_time(struct output *output, struct span text)
{
	bool is_small = text.data[text.len - 1] == 'z';
	size_t minutes = toml_value_lacks_seconds(text);

	output_put(output, text.data, minutes);
	output_string(output, minutes ? ":00" : "");
	output_put(output, text.data + minutes, text.len - minutes - is_small);
	output_string(output, is_small ? "Z" : "");
}

/* Writes a value of TOML that is no string, in a form that means the same in YAML 1.1 and 1.2. */
static void put_toml(struct output *output, const struct node *node)
{
	enum scalar_type type = resolve_plain(node->text, NODE_TOML);
	struct number number;
	char text[32];

	if (type == SCALAR_TIMESTAMP) {
		put_toml_time(output, node->text);
	} else if ((type != SCALAR_INT && type != SCALAR_FLOAT) ||
		   (resolve_plain(node->text, NODE_YAML_1_1) == type &&
			   resolve_plain(node->text, NODE_YAML_1_2) == type)) {
		output_put(output, node->text.data, node->text.len);
	} else if (type == SCALAR_INT) {
		number_of_int(node->text, NODE_TOML, &number);
		snprintf(text, sizeof(text), "%s%" PRIu64, number.is_negative ? "-" : "",
			number.small);
		output_string(output, text);
	} else if (resolve_is_nan(node->text, NODE_TOML)) {
		output_string(output, ".nan");
	} else if (node->text.data[node->text.len - 1] == 'f') {
		output_string(output, node->text.data[0] == '-' ? "-.inf" : ".inf");
	} else {
		put_float(output, node->text);
	}
}

static void put_plain(struct output *output, const struct node *node)
{
	bool is_number = strchr("-0123456789", node->text.data[0]);

	if (node->schema == NODE_TOML)
		put_toml(output, node);
	else if (node->schema == NODE_JSON && is_number && !node->tag &&
		 strpbrk(node->text.data, "eE"))
		put_float(output, node->text);
	else
		output_put(output, node->text.data, node->text.len);
}

int yaml_put_scalar(struct output *output, const struct node *node, int indent, enum yaml_spot spot)
{
	unsigned traits = traits_of(node->text);
	enum node_style style;

	if (traits & NOT_UTF8)
		return -EILSEQ;
	if (node->style == NODE_PLAIN && !node->text.len) {
		put_empty(output, node, spot);
		return 0;
	}
	style = style_of(node, traits, spot);
	switch (style) {
	case NODE_SINGLE:
		put_single(output, node->text);
		break;
	case NODE_DOUBLE:
		put_double(output, node->text);
		break;
	case NODE_LITERAL:
	case NODE_FOLDED:
		put_block_scalar(output, node->text, spot == YAML_AT_ROOT ? 2 : indent + 2, style);
		break;
	default:
		put_plain(output, node);
		break;
	}
	return 0;
}

bool yaml_is_simple_key(const struct node *key)
{
	size_t len = key->text.len;
	unsigned traits;

	/* Each byte of the tag may become "%NN", and each of the text "\xNN". The answer must not
	 * depend on the style: the result may be read and written again. */
	if (key->tag && strlen(key->tag) > SIMPLE_KEY_MAX / 6)
		return false;
	if (len <= SIMPLE_KEY_MAX / 8)
		return true;
	traits = traits_of(key->text);
	if (len < SIMPLE_KEY_MAX / 2 - 8)
		return !(traits & (HAS_BREAK | HAS_SPECIAL | NOT_UTF8));
	return len <= SIMPLE_KEY_MAX && key->style == NODE_PLAIN && !key->tag &&
	       style_of(key, traits, YAML_AS_FLOW_KEY) == NODE_PLAIN;
}
