/*
 * JSON exactly as RFC 8259 defines it, so that every other reader accepts it, too; or JSON with
 * comments, or another language's JSON, if the caller asks for it.
 */
#include <errno.h>
#include <strings.h>

#include "json.h"
#include "number.h"
#include "utf8.h"

/* Bytes of a wrong word that a message shows. */
#define SHOWN_WORD_MAX 32

#define NO_COMMENT "a comment begins with // or /*"

/* The tokens that may come next. */
enum expect {
	EXPECT_VALUE,
	EXPECT_VALUE_OR_END, /* after "[" */
	EXPECT_KEY,
	EXPECT_KEY_OR_END,   /* after "{" */
	EXPECT_COMMA_OR_END, /* after a value */
	EXPECT_NOTHING,      /* after the root */
};

struct json_reader {
	struct text_cursor at;
	enum expect expect;
	enum { STRICT, JSONC, DIALECT } kind;
	const struct json_dialect *dialect; /* of a DIALECT */
};

/* Passes `add` the place of the value between `start` and p, if extents are wanted. */
static int note(const struct json_reader *reader, const char *start, const struct node *node,
	int (*add)(struct builder *builder, const struct extent *note))
{
	struct builder *builder = reader->at.builder;
	struct range range = {
		(size_t)(start - builder->text), (size_t)(reader->at.p - builder->text)};

	if (!builder->options->wants_extents)
		return 0;
	return add(builder,
		&(struct extent){.node = node, .value = range, .member.begin = range.begin});
}

/* Skips the comment that begins with the "/" at p. Returns 0, or PROBLEM if there is no comment, or
 * one without its end. */
static int skip_comment(struct json_reader *reader)
{
	size_t left = (size_t)(reader->at.end - reader->at.p);
	const char *end;

	if (left > 1 && reader->at.p[1] == '/') {
		end = memchr(reader->at.p, '\n', left);
		reader->at.p = end ? end : reader->at.end;
		return 0;
	}
	if (left < 2 || reader->at.p[1] != '*')
		return text_cursor_fail(&reader->at, NO_COMMENT);
	end = memmem(reader->at.p + 2, left - 2, "*/", 2);
	if (!end)
		return text_cursor_fail(
			&reader->at, "the comment does not end; a closing */ is missing");
	while ((reader->at.p = memchr(reader->at.p, '\n', (size_t)(end - reader->at.p))))
		text_cursor_take_newline(&reader->at, 1);
	reader->at.p = end + 2;
	return 0;
}

/* Skips white space, and comments if they are allowed. Returns 0 or PROBLEM. */
static int skip_space(struct json_reader *reader)
{
	int r = 0;

	while (!r && reader->at.p < reader->at.end) {
		if (*reader->at.p == '\n')
			text_cursor_take_newline(&reader->at, 1);
		else if (*reader->at.p == ' ' || *reader->at.p == '\t' || *reader->at.p == '\r')
			reader->at.p++;
		else if (*reader->at.p == '/' && reader->kind == JSONC)
			r = skip_comment(reader);
		else
			break;
	}
	return r;
}

static int take_code_point(struct json_reader *reader, char **out)
{
	int32_t code = utf8_hex4(reader->at.p, reader->at.end), low;

	if (code < 0)
		return text_cursor_fail(&reader->at, "\\u needs four hexadecimal digits");
	reader->at.p += 4;
	if (code >= 0xDC00 && code <= 0xDFFF)
		return text_cursor_fail(&reader->at,
			"the second half of a surrogate pair stands alone; write both");
	if (code >= 0xD800 && code <= 0xDBFF) {
		if (reader->at.end - reader->at.p < 2 || memcmp(reader->at.p, "\\u", 2) != 0)
			return text_cursor_fail(&reader->at,
				"the first half of a surrogate pair stands alone; write both");
		reader->at.p += 2;
		low = utf8_hex4(reader->at.p, reader->at.end);
		reader->at.p += low < 0 ? 0 : 4;
		if (low < 0xDC00 || low > 0xDFFF)
			return text_cursor_fail(&reader->at,
				"the first half of a surrogate pair stands alone; write both");
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
	}
	*out += utf8_encode((uint32_t)code, *out);
	return 0;
}

static int decode_escape(struct json_reader *reader, char **out)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name;

	if (reader->at.end - reader->at.p < 2)
		return text_cursor_fail(
			&reader->at, "the string does not end; a closing \" is missing");
	if (reader->at.p[1] == 'u') {
		reader->at.p += 2;
		return take_code_point(reader, out);
	}
	name = reader->at.p[1] ? strchr(names, reader->at.p[1]) : NULL;
	if (!name)
		return text_cursor_fail(
			&reader->at, "JSON has no such escape; a backslash is written \\\\");
	*(*out)++ = values[name - names];
	reader->at.p += 2;
	return 0;
}

static int take_escape(struct json_reader *reader, char **out)
{
	const char *start = reader->at.p;
	int r = decode_escape(reader, out);

	if (r != PROBLEM || reader->kind != DIALECT)
		return r;
	reader->at.p = start + 1;
	*(*out)++ = '\\';
	return 0;
}

/* Returns the number of bytes from p to the closing quote, or to the end if there is none. */
static size_t raw_length(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && *p != '"') {
		/* An escaped quote does not end the string. */
		if (*p == '\\' && p + 1 < end)
			p++;
		p++;
	}
	return (size_t)(p - start);
}

/* Checks and copies the text up to the next escape, the closing quote or the end. */
static int take_plain(struct json_reader *reader, char **out)
{
	const char *start = reader->at.p;

	while (reader->at.p < reader->at.end && *reader->at.p != '"' && *reader->at.p != '\\') {
		size_t length = utf8_length(reader->at.p, reader->at.end);

		if (!length)
			return text_cursor_fail(&reader->at, "is not UTF-8; save it as UTF-8");
		if ((unsigned char)*reader->at.p < 0x20 && reader->kind != DIALECT)
			return text_cursor_fail(&reader->at,
				*reader->at.p == '\n'
					? "a string must end on its line; write \\n for a newline"
					: "a control character in a string must be written "
					  "\\u00XX");
		reader->at.p += length;
	}
	memcpy(*out, start, (size_t)(reader->at.p - start));
	*out += reader->at.p - start;
	return 0;
}

static int take_string(struct json_reader *reader)
{
	struct place place = text_cursor_place(&reader->at);
	const char *start = reader->at.p;
	struct node *node;
	char *text, *out;
	int r = 0;

	reader->at.p++;
	/* An escape is never shorter than its character. */
	node = builder_new_scalar(
		reader->at.builder, place, raw_length(reader->at.p, reader->at.end), &text);
	if (!node)
		return -ENOMEM;
	out = text;
	while (!r && reader->at.p < reader->at.end && *reader->at.p != '"')
		r = *reader->at.p == '\\' ? take_escape(reader, &out) : take_plain(reader, &out);
	if (r)
		return r;
	if (reader->at.p == reader->at.end) {
		reader->at.p = start;
		return builder_problem(reader->at.builder, place,
			"the string does not end; a closing \" is missing");
	}
	reader->at.p++;
	*out = '\0';
	node->text.len = (size_t)(out - text);
	node->style = NODE_DOUBLE;
	node->schema = NODE_JSON;
	r = builder_add(reader->at.builder, node, place);
	return r ? r : note(reader, start, node, note_add);
}

/* Reports the problem, or that there may be no comment if there is one at p. Returns PROBLEM. */
static int fail(struct json_reader *reader, const char *message)
{
	bool is_comment = reader->at.p < reader->at.end && memchr("#/", *reader->at.p, 2);

	if (is_comment)
		message = reader->kind == JSONC
				  ? NO_COMMENT
				  : "JSON has no comments; a file named *.jsonc may have them, or "
				    "one with 'format: jsonc' in its rule";
	return text_cursor_fail(&reader->at, message);
}

static bool is_word_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '+' ||
	       c == '-' || c == '.' || c == '_';
}

static int bad_word(struct json_reader *reader, struct span word)
{
	struct place place = text_cursor_place(&reader->at);
	char c = reader->at.p < reader->at.end ? *reader->at.p : '\0';
	int shown = word.len < SHOWN_WORD_MAX ? (int)word.len : SHOWN_WORD_MAX;
	/* The words of other languages. */
	static const struct {
		const char *word;
		const char *json;
	} others[] = {{"true", "true"}, {"yes", "true"}, {"on", "true"}, {"false", "false"},
		{"no", "false"}, {"off", "false"}, {"null", "null"}, {"none", "null"},
		{"nil", "null"}, {"undefined", "null"}};

	if (c == '\'')
		return text_cursor_fail(
			&reader->at, "JSON has double quotes only; put them around the value");
	if (!word.len && !utf8_length(reader->at.p, reader->at.end))
		return text_cursor_fail(&reader->at, "is not UTF-8; save it as UTF-8");
	if (!word.len)
		return fail(reader, "a value is missing");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (word.len == strlen(others[i].word) &&
			strncasecmp(word.data, others[i].word, word.len) == 0)
			return builder_problem(reader->at.builder, place,
				"\"%.*s\" is not a value in JSON; write %s, or put a string in "
				"double quotes",
				shown, word.data, others[i].json);
	if ((c >= '0' && c <= '9') || strchr("+-.", c))
		return builder_problem(reader->at.builder, place,
			"\"%.*s\" is not a number in JSON; write it in decimal, or put a string in "
			"double quotes",
			shown, word.data);
	return builder_problem(reader->at.builder, place,
		"\"%.*s\" is not a value in JSON; put a string in double quotes", shown, word.data);
}

/* Returns whether p may follow a number, true, false or null, even in a dialect. */
static bool ends_word(const char *p, const char *end)
{
	return p == end || strchr(" \t\r\n,]}", *p);
}

static int take_word(struct json_reader *reader)
{
	struct span word = {reader->at.p, 0};
	struct place place = text_cursor_place(&reader->at);
	struct node *node;
	bool is_int;
	char *text;
	int r;

	while (span_end(word) < reader->at.end && is_word_char(word.data[word.len]))
		word.len++;
	bool is_json = number_is_json(word, &is_int) || span_is(word, "true") ||
		       span_is(word, "false") || span_is(word, "null");
	if (reader->kind == DIALECT && !(is_json && ends_word(span_end(word), reader->at.end)))
		return reader->dialect->take_value(&reader->at, reader->dialect->context);
	if (!is_json)
		return bad_word(reader, word);

	node = builder_new_scalar(reader->at.builder, place, word.len, &text);
	if (!node)
		return -ENOMEM;
	memcpy(text, word.data, word.len);
	node->schema = NODE_JSON;
	reader->at.p += word.len;
	r = builder_add(reader->at.builder, node, place);
	return r ? r : note(reader, word.data, node, note_add);
}

static int open_collection(struct json_reader *reader)
{
	bool is_map = *reader->at.p == '{';
	struct node *node;
	int r;

	r = builder_open(reader->at.builder, is_map ? NODE_MAP : NODE_SEQUENCE, NODE_BLOCK,
		text_cursor_place(&reader->at), &node);
	if (r)
		return r;
	reader->at.p++;
	reader->expect = is_map ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
	/* A comma may precede the first key. */
	if (is_map && reader->kind == DIALECT)
		reader->expect = EXPECT_COMMA_OR_END;
	return note(reader, reader->at.p - 1, node, note_open);
}

static void after_value(struct json_reader *reader)
{
	if (reader->at.builder->depth) {
		reader->expect = EXPECT_COMMA_OR_END;
		return;
	}
	reader->expect = EXPECT_NOTHING;
	if (reader->kind == DIALECT)
		reader->at.end = reader->at.p;
}

static bool is_in_map(const struct json_reader *reader)
{
	const struct builder *builder = reader->at.builder;

	return builder->depth && node_is_map(builder->open[builder->depth - 1].node);
}

static int close_collection(struct json_reader *reader)
{
	int r;

	reader->at.p++;
	if (reader->at.builder->options->wants_extents)
		note_close(reader->at.builder, (size_t)(reader->at.p - reader->at.builder->text));
	r = builder_close(reader->at.builder);
	after_value(reader);
	return r;
}

static int on_value(struct json_reader *reader)
{
	int r;

	switch (*reader->at.p) {
	case '{':
	case '[':
		return open_collection(reader);
	case '"':
		r = take_string(reader);
		break;
	case ']':
	case '}':
		return text_cursor_fail(&reader->at,
			"a value is missing; a comma may stand only between two values");
	default:
		r = take_word(reader);
		break;
	}
	after_value(reader);
	return r;
}

static int bad_key(struct json_reader *reader)
{
	if (*reader->at.p == '}')
		return text_cursor_fail(
			&reader->at, "a key is missing; a comma may stand only between two pairs");
	if (*reader->at.p == '\'')
		return text_cursor_fail(
			&reader->at, "JSON has double quotes only; put them around the key");
	return fail(reader, "a key is missing; it must be a string in double quotes");
}

static int on_key(struct json_reader *reader)
{
	int r;

	if (*reader->at.p == '"')
		r = take_string(reader);
	else if (reader->kind == DIALECT)
		r = reader->dialect->take_key(&reader->at);
	else
		r = bad_key(reader);
	if (r)
		return r;
	r = skip_space(reader);
	if (r)
		return r;
	if (reader->at.p < reader->at.end && *reader->at.p == ':')
		reader->at.p++;
	else if (reader->kind != DIALECT)
		return fail(reader, "a \":\" is missing behind the key");
	reader->expect = EXPECT_VALUE;
	return 0;
}

static int on_comma(struct json_reader *reader)
{
	bool is_map = is_in_map(reader);

	if (*reader->at.p == ',') {
		reader->at.p++;
		if (reader->kind != STRICT)
			reader->expect = is_map ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
		else
			reader->expect = is_map ? EXPECT_KEY : EXPECT_VALUE;
		return 0;
	}
	if (*reader->at.p == (is_map ? '}' : ']'))
		return close_collection(reader);
	if (reader->kind == DIALECT && (is_map || !strchr("[{", *reader->at.p))) {
		reader->expect = is_map ? EXPECT_KEY : EXPECT_VALUE;
		return 0;
	}
	return fail(reader,
		is_map ? "a \",\" or \"}\" is missing here" : "a \",\" or \"]\" is missing here");
}

/* Reads the next token; p is not at the end. */
static int take_next(struct json_reader *reader)
{
	switch (reader->expect) {
	case EXPECT_VALUE_OR_END:
		if (*reader->at.p == ']')
			return close_collection(reader);
		return on_value(reader);
	case EXPECT_VALUE:
		return on_value(reader);
	case EXPECT_KEY_OR_END:
		if (*reader->at.p == '}')
			return close_collection(reader);
		return on_key(reader);
	case EXPECT_KEY:
		return on_key(reader);
	case EXPECT_COMMA_OR_END:
		return on_comma(reader);
	case EXPECT_NOTHING:
		break;
	}
	if (*reader->at.p == ']' || *reader->at.p == '}')
		return builder_problem(reader->at.builder, text_cursor_place(&reader->at),
			"'%c' closes nothing; remove it", *reader->at.p);
	return fail(reader, "something follows the end; a JSON file holds one value");
}

static int at_end(struct json_reader *reader)
{
	const struct builder *builder = reader->at.builder;
	const struct node *open;

	if (!builder->depth)
		return 0;
	open = builder->open[builder->depth - 1].node;
	return builder_problem(builder, text_cursor_place(&reader->at),
		"the %s ends inside %s that begins on line %u; a closing \"%c\" is missing",
		reader->kind == DIALECT ? "text" : "file",
		node_is_map(open) ? "an object" : "an array", open->line,
		node_is_map(open) ? '}' : ']');
}

static int take_all(struct json_reader *reader)
{
	int r = 0;

	while (!r) {
		r = skip_space(reader);
		if (!r && reader->at.p == reader->at.end)
			return at_end(reader);
		if (!r)
			r = take_next(reader);
	}
	return r;
}

static int json_read(struct builder *builder, struct span text)
{
	struct json_reader reader = {.at = text_cursor_begin(builder, text),
		.expect = EXPECT_VALUE,
		.kind = builder->options->format == &format_jsonc ? JSONC : STRICT};

	return text.len ? take_all(&reader) : 0;
}

int json_read_dialect(struct text_cursor *at, const struct json_dialect *dialect)
{
	struct json_reader reader = {
		.at = *at, .expect = EXPECT_VALUE, .kind = DIALECT, .dialect = dialect};
	int r = take_all(&reader);

	*at = reader.at;
	return r;
}

const struct format format_json = {
	.name = "json",
	.summary = "JSON, RFC 8259",
	.suffixes = "json",
	.nothing = "null\n", /* a .json path must always parse */
	.divider = "",
	.values = FORMAT_TREES,
	.read = json_read,
	.write = json_write,
	.edit = json_edit,
};

/*
 * JSON as people write it for editors and compilers: with comments, and with a comma behind the
 * last value. It is written as plain JSON, so that readers of both kinds can read it.
 */
const struct format format_jsonc = {
	.name = "jsonc",
	.summary = "JSON that may have comments (jsonc.org) and a comma behind the last value; the "
		   "result has neither the sources' comments nor that comma",
	.suffixes = "jsonc,code-workspace",
	.names = "settings.json,tsconfig.json,.eslintrc.json,devcontainer.json",
	.comment = "//",
	.nothing = "null\n",
	.divider = "",
	.values = FORMAT_TREES,
	.read = json_read,
	.write = json_write,
	.edit = json_edit,
};
