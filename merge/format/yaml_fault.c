#include "yaml_read.h"

#include <string.h>

#include "utf8.h"
#include "yaml_text.h"

/* Greatest length of a key without "? ", in characters. */
#define SIMPLE_KEY_MAX 1024

struct yaml_fault {
	const struct builder *builder;
	const yaml_parser_t *parser;
	struct span text;
	size_t at;    /* offset of the unexpected token; the text's length: its end */
	size_t begin; /* offset of the value that contains it; the same as `at`: none */
};

struct place yaml_place(const struct builder *builder, struct span text, size_t offset)
{
	const char *p = text.data, *end = p + (offset < text.len ? offset : text.len);
	struct place place = {1, 1};

	for (; p < end; p++)
		yaml_pass(&place, *p);
	return builder_place(builder, place.line, place.column);
}

static size_t offset_of(struct span text, const yaml_mark_t *mark)
{
	return yaml_offset(&(struct yaml_extents){.text = text}, mark);
}

static struct place place_of(const struct yaml_fault *fault, const yaml_mark_t *mark)
{
	return yaml_place(fault->builder, fault->text, offset_of(fault->text, mark));
}

static struct place place_at(const struct yaml_fault *fault)
{
	return place_of(fault, &fault->parser->problem_mark);
}

/* Returns the place where the value begins that contains the fault. */
static struct place place_begun(const struct yaml_fault *fault)
{
	return fault->parser->context ? place_of(fault, &fault->parser->context_mark)
				      : place_at(fault);
}

static bool is_at_end(const struct yaml_fault *fault)
{
	return fault->at >= fault->text.len;
}

static char byte_at(struct span text, size_t offset)
{
	return offset < text.len ? text.data[offset] : '\0';
}

/* Returns the character at the fault, for "%.*s". */
static struct span character_at(const struct yaml_fault *fault)
{
	struct span one = {fault->text.data + fault->at, is_at_end(fault) ? 0 : 1};

	while (fault->at + one.len < fault->text.len && one.len < 4 &&
		utf8_is_tail((unsigned char)one.data[one.len]))
		one.len++;
	return one;
}

static bool is_closing(const struct yaml_fault *fault)
{
	char byte = byte_at(fault->text, fault->at);

	return byte == ']' || byte == '}';
}

static size_t line_of(struct span text, size_t offset)
{
	while (offset > 0 && text.data[offset - 1] != '\n' && text.data[offset - 1] != '\r')
		offset--;
	return offset;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\0';
}

static bool is_first_in_line(const struct yaml_fault *fault)
{
	size_t i = line_of(fault->text, fault->at);

	while (i < fault->at && (fault->text.data[i] == ' ' || fault->text.data[i] == '\t'))
		i++;
	return i == fault->at;
}

/* Returns whether a value may begin at `i`, judging by the byte before it. */
static bool may_begin(struct span text, size_t i)
{
	return i == 0 || is_blank(text.data[i - 1]) || strchr("[{,:", text.data[i - 1]);
}

/* Returns the end of the quoted text that begins at `i`; `i` itself: there is none. */
static size_t skip_quoted(struct span text, size_t i)
{
	char quote = byte_at(text, i);
	size_t end = i + 1;

	if ((quote != '"' && quote != '\'') || !may_begin(text, i))
		return i;
	while (end < text.len && text.data[end] != quote)
		end += text.data[end] == '\\' && quote == '"' ? 2 : 1;
	return end < text.len ? end + 1 : text.len;
}

/* Returns the end of the quoted text or comment at `i`, whose brackets do not count; `i` itself:
 * there is none. */
static size_t skip_other(struct span text, size_t i)
{
	size_t behind = skip_quoted(text, i);

	if (byte_at(text, i) == '#' && (i == 0 || is_blank(text.data[i - 1])))
		while (behind < text.len && text.data[behind] != '\n')
			behind++;
	return behind;
}

/* Returns how a bracket at `i` changes `depth`, the number of open brackets: 1, -1 or 0. */
static int step_of(struct span text, size_t i, size_t depth)
{
	char byte = text.data[i];

	if ((byte == '[' || byte == '{') && (depth > 0 || may_begin(text, i)))
		return 1;
	return (byte == ']' || byte == '}') && depth > 0 ? -1 : 0;
}

/*
 * Returns how many brackets that begin in [from, end) are open at `end`. If `is_first`, returns 0
 * as soon as the first one is closed. *last becomes the last bracket that made the number `wanted`.
 */
static size_t count_open(
	struct span text, size_t from, size_t end, bool is_first, size_t wanted, size_t *last)
{
	size_t depth = 0;

	for (size_t i = from, behind; i < end; i = behind) {
		behind = skip_other(text, i);
		if (behind > i)
			continue;
		behind = i + 1;
		int step = step_of(text, i, depth);
		depth = step < 0 ? depth - 1 : depth + (size_t)step;
		if (step > 0 && depth == wanted)
			*last = i;
		if (step < 0 && depth == 0 && is_first)
			return 0;
	}
	return depth;
}

/* Returns whether the bracket at `i` is closed, as far as brackets can be counted. */
static bool is_closed(struct span text, size_t i)
{
	size_t unused;

	return count_open(text, i, text.len, true, 0, &unused) == 0;
}

/* Returns the innermost bracket that is open at the fault; the fault itself: none is open. */
static size_t find_open(const struct yaml_fault *fault)
{
	size_t found = fault->at;
	size_t depth = count_open(fault->text, 0, fault->at, false, 0, &found);

	if (depth > 0)
		count_open(fault->text, 0, fault->at, false, depth, &found);
	return found;
}

/* Returns whether the line has a "key: " before the fault. */
static bool has_value_before(const struct yaml_fault *fault)
{
	const struct span text = fault->text;

	for (size_t i = line_of(text, fault->at), behind; i < fault->at; i = behind) {
		behind = skip_quoted(text, i);
		if (behind > i)
			continue;
		behind = i + 1;
		if (text.data[i] == ':' && is_blank(byte_at(text, i + 1)))
			return true;
	}
	return false;
}

static bool is_below_directive(const struct yaml_fault *fault)
{
	size_t line = line_of(fault->text, fault->at);

	while (line > 0) {
		line = line_of(fault->text, line - 1);
		if (!strchr("\r\n#", byte_at(fault->text, line)))
			return fault->text.data[line] == '%';
	}
	return false;
}

/* The messages that depend on the text at the fault. */

static int report(const struct yaml_fault *fault, const char *message)
{
	return builder_problem(fault->builder, place_at(fault), "%s", message);
}

static int report_open(const struct yaml_fault *fault, size_t open)
{
	char bracket = fault->text.data[open];

	return builder_problem(fault->builder, yaml_place(fault->builder, fault->text, open),
		"the '%c' is not closed; write '%c' where it ends", bracket,
		bracket == '{' ? '}' : ']');
}

static int report_first(const struct yaml_fault *fault)
{
	const char *context = fault->parser->context;
	struct span first = character_at(fault);

	/* libyaml does not say which brackets contain the value. */
	if (context && strcmp(context, "while parsing a flow node") == 0) {
		size_t open = find_open(fault);
		if (open < fault->at && !is_closed(fault->text, open))
			return report_open(fault, open);
	}
	if (is_at_end(fault))
		return report(fault, "a value is missing at the end");
	if (*first.data == '\t')
		return report(fault, "a tab can't indent, use spaces");
	if (*first.data == '%' && fault->at > 0 && fault->text.data[fault->at - 1] == '{')
		return report(fault,
			"a template stands here; fill it in first, or put it in quotes, if the "
			"program fills it in");
	if (is_closing(fault))
		return builder_problem(fault->builder, place_at(fault),
			"'%c' closes nothing; remove it, or put the text in quotes", *first.data);
	return builder_problem(fault->builder, place_at(fault),
		"a value can't begin with '%.*s'; put it in quotes", (int)first.len, first.data);
}

static int report_second_value(const struct yaml_fault *fault)
{
	if (fault->at - line_of(fault->text, fault->at) > SIMPLE_KEY_MAX)
		return report(
			fault, "a key has more than 1024 characters; write '? ' in front of it");
	if (has_value_before(fault))
		return report(fault,
			"a second ': ' stands in one line; put the value in quotes, or begin its "
			"map in the next line");
	return report(fault,
		"a key can't stand in a text that began above; align the line with the "
		"other keys, or write the ':' that is missing above");
}

static int report_key_without_value(const struct yaml_fault *fault)
{
	return builder_problem(fault->builder, place_begun(fault),
		"':' is missing behind this key; write KEY: VALUE in one line, or indent the line "
		"if it belongs to the value above");
}

static int report_bracket(const struct yaml_fault *fault)
{
	char open = byte_at(fault->text, fault->begin), at = byte_at(fault->text, fault->at);
	char close = open == '{' ? '}' : ']', other = open == '{' ? ']' : '}';
	size_t line = line_of(fault->text, fault->at);

	if (is_at_end(fault) || at == other || !is_closed(fault->text, fault->begin))
		return report_open(fault, fault->begin);
	if (line <= fault->begin)
		return builder_problem(fault->builder, place_at(fault),
			"',' or '%c' is missing here; put a text with special characters in quotes",
			close);
	return builder_problem(fault->builder, place_at(fault),
		"',' or '%c' is missing here, inside the '%c' of line %u", close, open,
		(unsigned)place_begun(fault).line);
}

/* Explains a text that belongs neither to the value before it, nor to the collection around
 * that. */
static int report_rest(const struct yaml_fault *fault, const char *misplaced)
{
	if (is_closing(fault))
		return report_first(fault);
	if (!is_first_in_line(fault))
		return report(fault,
			"nothing can follow the value here; put all of it in quotes (in "
			"'...' a quote is written twice)");
	return builder_problem(
		fault->builder, place_at(fault), misplaced, (unsigned)place_begun(fault).line);
}

static int report_no_key(const struct yaml_fault *fault)
{
	bool is_item = byte_at(fault->text, fault->at) == '-' &&
		       is_blank(byte_at(fault->text, fault->at + 1));

	return report_rest(fault,
		is_item ? "a list's item can't stand among the keys of the map that begins in line "
			  "%u; indent it below its key"
			: "the line is aligned with no key; align it with the map that begins in "
			  "line %u, or with the map or list around it");
}

static int report_no_item(const struct yaml_fault *fault)
{
	return report_rest(fault,
		"the line is in no item of the list that begins in line %u; begin "
		"it with '- ', or indent it as its item");
}

static int report_no_document(const struct yaml_fault *fault)
{
	if (is_below_directive(fault))
		return report(fault, "'---' is missing behind the lines that begin with '%'");
	if (is_first_in_line(fault))
		return report(fault,
			"the value of the file has ended above this line; align the line "
			"with it, or begin another document with '---'");
	return report_rest(fault, "");
}

static int report_alias(const struct yaml_fault *fault)
{
	return builder_problem(fault->builder, place_begun(fault),
		"a value can't begin with '%c' but for the name of an anchor, of letters, digits, "
		"'-' and '_'; a text that begins with '%c' stands in quotes",
		byte_at(fault->text, fault->begin), byte_at(fault->text, fault->begin));
}

static int report_quote(const struct yaml_fault *fault)
{
	char quote = byte_at(fault->text, fault->begin);

	return builder_problem(fault->builder, place_begun(fault),
		"the text that begins here is not closed; write %s where it ends",
		quote == '"' ? "'\"'" : "\"'\"");
}

static int report_escape(const struct yaml_fault *fault)
{
	struct yaml_fault behind = *fault;

	if (byte_at(fault->text, fault->at) == '\\')
		behind.at++;
	struct span letter = character_at(&behind);
	return builder_problem(fault->builder, place_at(fault),
		"there is no escape '\\%.*s'; write '\\\\' for a backslash, or the text in single "
		"quotes",
		(int)letter.len, letter.data);
}

static int report_handle(const struct yaml_fault *fault)
{
	return builder_problem(fault->builder, place_at(fault),
		"no %%TAG line defines the beginning of this tag, up to its second '!'; add one, "
		"or put a text that begins with '!' in quotes");
}

/* The table of libyaml's messages, in the order of its sources. */
struct phrase {
	const char *context; /* NULL: any context */
	const char *problem;
	const char *message; /* NULL: `report` writes the message */
	int (*report)(const struct yaml_fault *fault);
};

#define TAB "a tab can't indent, use spaces"
#define TAG_NAME                                                                                   \
	"a tag is '!' and a name of letters, digits and such; put a text that begins with '!' in " \
	"quotes"
#define TAG_ESCAPE "behind '%' in a tag stand two hexadecimal digits, which make UTF-8"
#define DIRECTIVE                                                                                  \
	"a line that begins with '%' is %YAML or %TAG; put a text that begins with '%' in quotes"
#define YAML_DIRECTIVE "behind %YAML stands a version, such as 1.1 or 1.2"
#define TAG_DIRECTIVE "behind %TAG stand a handle, such as !x!, and a prefix, with a space between"

static const struct phrase phrases[] = {
	/* scanner.c */
	{NULL, "could not find expected ':'", NULL, report_key_without_value},
	{NULL, "found character that cannot start any token", NULL, report_first},
	{NULL, "block sequence entries are not allowed in this context",
		"a list can't begin in the middle of a line; put its first '- ' in the next line, "
		"or the text in quotes",
		NULL},
	{NULL, "mapping keys are not allowed in this context",
		"'? ' can't stand in the middle of a line; put it in the next line, or the text in "
		"quotes",
		NULL},
	{NULL, "mapping values are not allowed in this context", NULL, report_second_value},
	{"while scanning a directive", "found unknown directive name", DIRECTIVE, NULL},
	{"while scanning a directive", "could not find expected directive name", DIRECTIVE, NULL},
	{"while scanning a directive", "found unexpected non-alphabetical character", DIRECTIVE,
		NULL},
	{"while scanning a directive", "did not find expected comment or line break",
		"nothing but a comment can stand behind a directive; remove it", NULL},
	{NULL, "found extremely long version number", YAML_DIRECTIVE, NULL},
	{NULL, "did not find expected version number", YAML_DIRECTIVE, NULL},
	{NULL, "did not find expected digit or '.' character", YAML_DIRECTIVE, NULL},
	{"while scanning a tag directive", NULL, TAG_DIRECTIVE, NULL},
	{"while parsing a tag directive", NULL, TAG_DIRECTIVE, NULL},
	{"while parsing a %TAG directive", NULL, TAG_DIRECTIVE, NULL},
	{"while scanning a %TAG directive", NULL, TAG_DIRECTIVE, NULL},
	{NULL, "did not find expected alphabetic or numeric character", NULL, report_alias},
	{NULL, "did not find expected '!'", TAG_NAME, NULL},
	{NULL, "did not find the expected '>'", "the tag has no '>' at its end; add it", NULL},
	{NULL, "did not find expected tag URI", TAG_NAME, NULL},
	{NULL, "did not find URI escaped octet", TAG_ESCAPE, NULL},
	{NULL, "found an incorrect leading UTF-8 octet", TAG_ESCAPE, NULL},
	{NULL, "found an incorrect trailing UTF-8 octet", TAG_ESCAPE, NULL},
	{"while scanning a tag", "did not find expected whitespace or line break", TAG_NAME, NULL},
	{NULL, "found an indentation indicator equal to 0",
		"the digit behind '|' or '>' says how far the text is indented: 1 to 9", NULL},
	{"while scanning a block scalar", "did not find expected comment or line break",
		"nothing but a comment can stand behind '|' or '>'; begin the text in the next "
		"line, or put it in quotes",
		NULL},
	{NULL, "found a tab character where an indentation space is expected", TAB, NULL},
	{NULL, "found unexpected document indicator", NULL, report_quote},
	{NULL, "found unexpected end of stream", NULL, report_quote},
	{NULL, "found unknown escape character", NULL, report_escape},
	{NULL, "did not find expected hexdecimal number",
		"behind \\x, \\u and \\U stand 2, 4 and 8 hexadecimal digits; write '\\\\' for a "
		"backslash, or the text in single quotes",
		NULL},
	{NULL, "found invalid Unicode character escape code",
		"the escape stands for no character; write one beyond U+FFFF as \\U and 8 digits",
		NULL},
	{NULL, "found a tab character that violates indentation", TAB, NULL},
	{NULL, "found unexpected ':'", "a text in brackets can't have a ':' here; put it in quotes",
		NULL},

	/* parser.c */
	{NULL, "did not find expected <document start>", NULL, report_no_document},
	{NULL, "found undefined tag handle", NULL, report_handle},
	{NULL, "did not find expected node content", NULL, report_first},
	{NULL, "did not find expected '-' indicator", NULL, report_no_item},
	{NULL, "did not find expected key", NULL, report_no_key},
	{NULL, "did not find expected ',' or ']'", NULL, report_bracket},
	{NULL, "did not find expected ',' or '}'", NULL, report_bracket},
	{NULL, "found duplicate %YAML directive",
		"a document has one line %YAML; remove the second one", NULL},
	{NULL, "found incompatible YAML document", YAML_DIRECTIVE, NULL},
	{NULL, "found duplicate %TAG directive",
		"a document has one line %TAG for a handle; remove the second one", NULL},
};

static bool is_phrase(const struct phrase *phrase, const yaml_parser_t *parser)
{
	if (phrase->context && (!parser->context || strcmp(parser->context, phrase->context) != 0))
		return false;
	return !phrase->problem || strcmp(parser->problem, phrase->problem) == 0;
}

/*
 * Returns the offset of the first character up to `last` that is not UTF-8; the text's length:
 * there is none. libyaml names the byte behind a character that is cut off.
 */
static size_t find_bad_utf8(struct span text, size_t last)
{
	const char *end = span_end(text);
	size_t offset = 0, length = 1;

	while (length && offset <= last && offset < text.len) {
		length = utf8_length(text.data + offset, end);
		offset += length;
	}
	return length ? text.len : offset;
}

/* Explains invalid characters, for which libyaml gives no mark. */
static int report_character(const struct yaml_fault *fault)
{
	const yaml_parser_t *parser = fault->parser;
	size_t bad = find_bad_utf8(fault->text, parser->problem_offset);
	size_t offset = bad < fault->text.len ? bad : parser->problem_offset;
	struct place place = yaml_place(fault->builder, fault->text, offset);

	if (bad < fault->text.len)
		return builder_problem(fault->builder, place,
			"is not UTF-8 (byte 0x%02X); save it as UTF-8",
			(unsigned)(unsigned char)fault->text.data[offset]);
	if (parser->problem_value >= 0)
		return builder_problem(fault->builder, place,
			"the character U+%04X is not allowed; write it as an escape in double "
			"quotes",
			(unsigned)parser->problem_value);
	return builder_problem(fault->builder, place, "the text can't be read from here on");
}

int yaml_fault(const struct builder *builder, struct span text, const yaml_parser_t *parser)
{
	struct yaml_fault fault = {.builder = builder, .parser = parser, .text = text};

	if (parser->error == YAML_READER_ERROR)
		return report_character(&fault);
	fault.at = offset_of(text, &parser->problem_mark);
	fault.begin = parser->context ? offset_of(text, &parser->context_mark) : fault.at;
	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++) {
		const struct phrase *phrase = &phrases[i];

		if (!is_phrase(phrase, parser))
			continue;
		if (byte_at(text, fault.at) == '\t' && is_first_in_line(&fault))
			return report(&fault, TAB);
		return phrase->report ? phrase->report(&fault) : report(&fault, phrase->message);
	}
	return report(
		&fault, "is no YAML from here on; put texts with special characters in quotes");
}
