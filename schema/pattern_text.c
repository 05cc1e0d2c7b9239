/*
 * The differences between ECMA-262 and PCRE2:
 *
 *      .  ^  $         ECMA's line ends differ; without the flag "m", $ is the very end
 *      \s              ECMA's white space is Unicode's, and U+FEFF; its \d and \w are ASCII
 *      \p{Letter}      long names, and those of scripts
 *      [] [^] [[]      match nothing, anything, a bracket
 *      \uD83D\uDC32    is one character
 *      a++ (?>a) \A    have no meaning in ECMA
 */
#include "pattern.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/output.h"
#include "shown.h"
#include "string_text.h"
#include "utf8.h"

/* The characters of \s, for use inside brackets. */
#define SPACES                                                                                     \
	"\\x09-\\x0d\\x20\\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}"    \
	"\\x{3000}\\x{feff}"

#define CODE_MAX 0x10FFFFu
#define SURROGATE_FIRST 0xD800u
#define SURROGATE_LAST 0xDFFFu

struct pattern_reader {
	const char *p;
	const char *end;
	struct output out;
	char *reason;
	unsigned depth; /* number of open groups */
};

static void put(struct pattern_reader *reader, const char *text)
{
	output_string(&reader->out, text);
}

static void put_code(struct pattern_reader *reader, uint32_t code)
{
	char text[16];

	output_put(&reader->out, text,
		(size_t)snprintf(text, sizeof(text), "\\x{%x}", (unsigned)code));
}

__attribute__((format(printf, 2, 3))) static int bad(
	struct pattern_reader *reader, const char *format, ...)
{
	va_list arguments;
	char raw[PATTERN_REASON_MAX];

	va_start(arguments, format);
	vsnprintf(raw, sizeof(raw), format, arguments);
	va_end(arguments);
	shown_head(reader->reason, PATTERN_REASON_MAX, raw);
	return PATTERN_BAD;
}

static bool is_surrogate(uint32_t code)
{
	return code >= SURROGATE_FIRST && code <= SURROGATE_LAST;
}

static bool is_next(const struct pattern_reader *reader, const char *text)
{
	struct span rest = {reader->p, (size_t)(reader->end - reader->p)};

	return span_begins(rest, text);
}

static bool take(struct pattern_reader *reader, const char *text)
{
	bool is_taken = is_next(reader, text);

	if (is_taken)
		reader->p += strlen(text);
	return is_taken;
}

/* Reads exactly `count` hexadecimal digits, or for 0 those up to "}". Returns false if there are
 * none. */
static bool take_hex(struct pattern_reader *reader, int count, uint32_t *ret)
{
	const char *p = reader->p;
	uint32_t code = 0;
	int digits = 0;

	for (; p < reader->end && (!count || digits < count); p++, digits++) {
		if (!text_is_hex(*p))
			break;
		code = code << 4 | (uint32_t)text_hex(*p);
		if (code > CODE_MAX)
			return false;
	}
	if (!digits || (count && digits < count))
		return false;
	if (!count && (p == reader->end || *p++ != '}'))
		return false;
	reader->p = p;
	*ret = code;
	return true;
}

static bool take_unicode(struct pattern_reader *reader, uint32_t *ret)
{
	uint32_t low;

	if (take(reader, "{"))
		return take_hex(reader, 0, ret);
	if (!take_hex(reader, 4, ret))
		return false;
	if (*ret < SURROGATE_FIRST || *ret > 0xDBFF || !is_next(reader, "\\u"))
		return true;
	const char *second = reader->p;
	reader->p += 2;
	if (take_hex(reader, 4, &low) && low >= 0xDC00 && low <= SURROGATE_LAST)
		*ret = 0x10000 + ((*ret - 0xD800) << 10) + (low - 0xDC00);
	else
		reader->p = second;
	return true;
}

/*
 * Reads an escape of one character, after the backslash. A character that is no letter and no digit
 * stands for itself, as in ECMA without the flag "u".
 */
static int take_escaped(struct pattern_reader *reader, uint32_t *ret)
{
	static const char controls[] = "t\tn\nv\vf\fr\r";
	size_t length = utf8_length(reader->p, reader->end);
	char c = *reader->p;
	const char *control = c ? strchr(controls, c) : NULL;

	if (!text_is_letter(c) && !text_is_digit(c)) {
		*ret = utf8_decode(reader->p, length);
		reader->p += length;
		return 0;
	}
	reader->p++;
	if (control && text_is_letter(c)) {
		*ret = (uint32_t)control[1];
		return 0;
	}
	if (c == '0' && !(reader->p < reader->end && text_is_digit(*reader->p))) {
		*ret = 0;
		return 0;
	}
	if (c == 'c' && reader->p < reader->end && text_is_letter(*reader->p)) {
		*ret = (uint32_t)*reader->p++ & 0x1F;
		return 0;
	}
	if (c == 'x' && take_hex(reader, 2, ret))
		return 0;
	if (c == 'u' && take_unicode(reader, ret))
		return 0;
	return bad(reader, "'\\%c' has no meaning there in a regular expression of ECMA-262", c);
}

/* Long names of general categories, and other names that PCRE2 does not know. */
static const char *const categories[][2] = {{"Cased_Letter", "L&"}, {"LC", "L&"},
	{"Close_Punctuation", "Pe"}, {"Combining_Mark", "M"}, {"Connector_Punctuation", "Pc"},
	{"Control", "Cc"}, {"cntrl", "Cc"}, {"Currency_Symbol", "Sc"}, {"Dash_Punctuation", "Pd"},
	{"Decimal_Number", "Nd"}, {"digit", "Nd"}, {"Enclosing_Mark", "Me"},
	{"Final_Punctuation", "Pf"}, {"Format", "Cf"}, {"Initial_Punctuation", "Pi"},
	{"Letter", "L"}, {"Letter_Number", "Nl"}, {"Line_Separator", "Zl"},
	{"Lowercase_Letter", "Ll"}, {"Mark", "M"}, {"Math_Symbol", "Sm"}, {"Modifier_Letter", "Lm"},
	{"Modifier_Symbol", "Sk"}, {"Nonspacing_Mark", "Mn"}, {"Number", "N"},
	{"Open_Punctuation", "Ps"}, {"Other", "C"}, {"Other_Letter", "Lo"}, {"Other_Number", "No"},
	{"Other_Punctuation", "Po"}, {"Other_Symbol", "So"}, {"Paragraph_Separator", "Zp"},
	{"Private_Use", "Co"}, {"Punctuation", "P"}, {"punct", "P"}, {"Separator", "Z"},
	{"Space_Separator", "Zs"}, {"Spacing_Mark", "Mc"}, {"Surrogate", "Cs"}, {"Symbol", "S"},
	{"Titlecase_Letter", "Lt"}, {"Unassigned", "Cn"}, {"Uppercase_Letter", "Lu"}};

static struct span category(struct span name)
{
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
		if (span_is(name, categories[i][0]))
			return span_of(categories[i][1]);
	return name;
}

static bool skip(struct span *name, const char *start)
{
	if (!span_begins(*name, start))
		return false;
	name->data += strlen(start);
	name->len -= strlen(start);
	return true;
}

/* Writes \p{…} or \P{…}; p is at its letter. PCRE2 checks whether the property exists. */
static int put_property(struct pattern_reader *reader)
{
	char letter[3] = {'\\', *reader->p++, '\0'};
	const char *close = memchr(reader->p, '}', (size_t)(reader->end - reader->p));

	if (!is_next(reader, "{") || !close)
		return bad(reader, "'%s' needs a property behind it, as in '\\p{Lu}'", letter);
	struct span name = {reader->p + 1, (size_t)(close - reader->p) - 1};
	for (size_t i = 0; i < name.len; i++)
		if (!text_is_letter(name.data[i]) && !text_is_digit(name.data[i]) &&
			!strchr("_=", name.data[i]))
			return bad(reader, "'%s' is followed by no property's name", letter);
	put(reader, letter);
	put(reader, "{");
	if (skip(&name, "Script=") || skip(&name, "sc="))
		put(reader, "sc:");
	else if (skip(&name, "Script_Extensions=") || skip(&name, "scx="))
		put(reader, "scx:");
	else if (skip(&name, "General_Category=") || skip(&name, "gc=") || true)
		name = category(name);
	output_put(&reader->out, name.data, name.len);
	put(reader, "}");
	reader->p = close + 1;
	return 0;
}

/* Returns whether PCRE2 has the same class escape, inside brackets and outside. */
static bool is_common_class(char c)
{
	return c && strchr("dDwW", c);
}

/* Reads one member of a class in brackets, or the end of a range. *is_set: it is a set of
 * characters. */
static int read_member(
	struct pattern_reader *reader, uint32_t *code, bool *is_set, bool *has_nonspace)
{
	size_t length;

	*is_set = false;
	if (*reader->p != '\\') {
		length = utf8_length(reader->p, reader->end);
		*code = utf8_decode(reader->p, length);
		reader->p += length;
		return 0;
	}
	if (++reader->p == reader->end)
		return bad(reader, "it ends with a backslash");
	char c = *reader->p;
	if (c == 'b') {
		*code = '\b';
		reader->p++;
		return 0;
	}
	*is_set = is_common_class(c) || strchr("sSpP", c);
	if (!*is_set || !c) {
		*is_set = false;
		return take_escaped(reader, code);
	}
	if (c == 'p' || c == 'P')
		return put_property(reader);
	reader->p++;
	if (c == 's')
		put(reader, SPACES);
	else if (c == 'S')
		*has_nonspace = true;
	else
		output_put(&reader->out, (char[]){'\\', c}, 2);
	return 0;
}

/* Writes a range without the surrogates, which never stand in a text. */
static void put_range(struct pattern_reader *reader, uint32_t first, uint32_t last)
{
	if (first < SURROGATE_FIRST && last >= SURROGATE_FIRST)
		put_range(reader, first, SURROGATE_FIRST - 1);
	if (first <= SURROGATE_LAST && last >= SURROGATE_FIRST)
		first = SURROGATE_LAST + 1;
	if (first > last)
		return;
	put_code(reader, first);
	if (last > first) {
		put(reader, "-");
		put_code(reader, last);
	}
}

/* Reads the members between the brackets, up to "]". */
static int read_members(struct pattern_reader *reader, bool *has_nonspace)
{
	while (reader->p < reader->end && *reader->p != ']') {
		uint32_t first = 0, last = 0;
		bool is_set = false, is_last_set = false;
		int r = read_member(reader, &first, &is_set, has_nonspace);

		if (r != 0)
			return r;
		bool is_range =
			reader->end - reader->p >= 2 && reader->p[0] == '-' && reader->p[1] != ']';
		if (!is_range || is_set) {
			if (!is_set)
				put_range(reader, first, first);
			/* In "[\w-z]" the dash is itself. */
			if (is_range && is_set) {
				put_code(reader, '-');
				reader->p++;
			}
			continue;
		}
		reader->p++;
		r = read_member(reader, &last, &is_last_set, has_nonspace);
		if (r != 0)
			return r;
		if (is_last_set) {
			put_range(reader, first, first);
			put_code(reader, '-');
			continue;
		}
		if (first > last)
			return bad(reader, "a range of characters has its greater end first");
		put_range(reader, first, last);
	}
	return 0;
}

/*
 * Reads "[…]", after its bracket. \S can't stand in PCRE2's brackets: [\Sx] becomes
 * (?:[^spaces]|[x]), and [^\Sx] becomes (?![x])[spaces].
 */
static int read_class(struct pattern_reader *reader)
{
	bool is_negated = take(reader, "^"), has_nonspace = false;
	size_t start = reader->out.len;

	int r = read_members(reader, &has_nonspace);
	if (r != 0)
		return r;
	if (!take(reader, "]"))
		return bad(reader, "a '[' has no ']'");
	size_t len = reader->out.len - start;
	char *members = malloc(len + 1);
	if (!members)
		return -ENOMEM;
	memcpy(members, len ? reader->out.data + start : "", len);
	reader->out.len = start;
	if (has_nonspace)
		put(reader, is_negated ? "(?:(?!" : "(?:[^" SPACES "]|");
	if (len) {
		put(reader, is_negated && !has_nonspace ? "[^" : "[");
		output_put(&reader->out, members, len);
		put(reader, "]");
	} else {
		put(reader, is_negated && !has_nonspace ? "(?s:.)" : "(?!)");
	}
	if (has_nonspace)
		put(reader, is_negated ? ")[" SPACES "])" : ")");
	free(members);
	return 0;
}

static void put_name(struct pattern_reader *reader, const char *end)
{
	output_put(&reader->out, reader->p, (size_t)(end - reader->p));
	reader->p = end;
}

/* Reads an escape outside of brackets, after the backslash. An assertion is no term. */
static int read_escape(struct pattern_reader *reader, bool *is_term)
{
	uint32_t code = 0;

	if (reader->p == reader->end)
		return bad(reader, "it ends with a backslash");
	char c = *reader->p;
	if (c == 'b' || c == 'B' || is_common_class(c)) {
		*is_term = is_common_class(c);
		output_put(&reader->out, (char[]){'\\', c}, 2);
		reader->p++;
		return 0;
	}
	if (c == 's' || c == 'S') {
		put(reader, c == 's' ? "[" SPACES "]" : "[^" SPACES "]");
		reader->p++;
		return 0;
	}
	if (c == 'p' || c == 'P')
		return put_property(reader);
	if (c >= '1' && c <= '9') {
		const char *end = reader->p;

		while (end < reader->end && text_is_digit(*end))
			end++;
		put(reader, "\\g{");
		put_name(reader, end);
		put(reader, "}");
		return 0;
	}
	if (c == 'k' && reader->end - reader->p > 1 && reader->p[1] == '<') {
		const char *end = memchr(reader->p, '>', (size_t)(reader->end - reader->p));

		if (!end)
			return bad(reader, "'\\k<' has no '>'");
		put(reader, "\\");
		put_name(reader, end + 1);
		return 0;
	}
	int r = take_escaped(reader, &code);
	if (r != 0)
		return r;
	if (is_surrogate(code))
		put(reader, "(?!)");
	else
		put_code(reader, code);
	return 0;
}

/* Reads "(", with the characters that say which kind of group it is. */
static int read_group(struct pattern_reader *reader)
{
	static const char *const heads[] = {"?:", "?=", "?!", "?<=", "?<!"};

	reader->depth++;
	put(reader, "(");
	if (!is_next(reader, "?"))
		return 0;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (take(reader, heads[i])) {
			put(reader, heads[i]);
			return 0;
		}
	const char *end = memchr(reader->p, '>', (size_t)(reader->end - reader->p));
	if (!is_next(reader, "?<") || !end)
		return bad(reader, "'(?' begins no group of ECMA-262");
	put_name(reader, end + 1);
	return 0;
}

/* Returns the length of "{n}", "{n,}" or "{n,m}"; 0: the brace is a character. */
static size_t braces_length(const struct pattern_reader *reader)
{
	const char *p = reader->p + 1;

	if (p == reader->end || !text_is_digit(*p))
		return 0;
	while (p < reader->end && text_is_digit(*p))
		p++;
	if (p < reader->end && *p == ',')
		p++;
	while (p < reader->end && text_is_digit(*p))
		p++;
	return p < reader->end && *p == '}' ? (size_t)(p - reader->p) + 1 : 0;
}

/* Returns the length of the quantifier that is next; 0: there is none. */
static size_t quantifier_length(const struct pattern_reader *reader)
{
	char c = reader->p < reader->end ? *reader->p : '\0';

	return c == '{' ? braces_length(reader) : c && strchr("*+?", c);
}

static int read_quantifier(struct pattern_reader *reader, bool is_term)
{
	size_t length = quantifier_length(reader);

	if (!length)
		return 0;
	if (!is_term)
		return bad(
			reader, "there is nothing to repeat before '%.*s'", (int)length, reader->p);
	put_name(reader, reader->p + length);
	if (take(reader, "?"))
		put(reader, "?");
	return read_quantifier(reader, false);
}

/* Reads one term, without its quantifier. *is_term: it can be repeated. */
static int read_term(struct pattern_reader *reader, bool *is_term)
{
	size_t length = utf8_length(reader->p, reader->end);
	char c = *reader->p;

	if (!length)
		return bad(reader, "it is not UTF-8");
	*is_term = (!strchr("^$|(", c) || !c) && !quantifier_length(reader);
	if (quantifier_length(reader))
		return 0;
	reader->p += length;
	switch (c) {
	case '\\':
		return read_escape(reader, is_term);
	case '[':
		return read_class(reader);
	case '(':
		return read_group(reader);
	case ')':
		if (!reader->depth--)
			return bad(reader, "a ')' has no '('");
		put(reader, ")");
		return 0;
	case '^':
		put(reader, "\\A");
		return 0;
	case '$':
		put(reader, "\\z");
		return 0;
	case '|':
		put(reader, "|");
		return 0;
	case '.':
		put(reader, "[^\\n\\r\\x{2028}\\x{2029}]");
		return 0;
	default:
		put_code(reader, utf8_decode(reader->p - length, length));
		return 0;
	}
}

int pattern_text(struct span text, char **ret, size_t *len, char reason[PATTERN_REASON_MAX])
{
	struct pattern_reader reader = {
		.p = text.data, .end = span_end(text), .out = {.max = SIZE_MAX}, .reason = reason};
	int r = 0;

	while (r == 0 && !reader.out.failure && reader.p < reader.end) {
		bool is_term = false;

		r = read_term(&reader, &is_term);
		if (r == 0)
			r = read_quantifier(&reader, is_term);
	}
	if (r == 0 && reader.depth)
		r = bad(&reader, "a '(' has no ')'");
	*len = reader.out.len;
	output_char(&reader.out, '\0');
	if (reader.out.failure)
		r = reader.out.failure;
	if (r == 0)
		*ret = reader.out.data;
	else
		output_fini(&reader.out);
	return r;
}
