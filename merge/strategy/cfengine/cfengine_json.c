#include "cfengine.h"

#include <errno.h>

#include "number.h"
#include "scalar.h"
#include "utf8.h"

struct cfengine_reader {
	const struct cfengine_json *json;
	const char *begin;
	const char *at;
	const char *end;
	unsigned depth;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(char c)
{
	return number_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(const struct cfengine_reader *reader)
{
	return reader->at < reader->end ? *reader->at : '\0';
}

static void skip_space(struct cfengine_reader *reader)
{
	while (reader->at < reader->end && is_space(*reader->at))
		reader->at++;
}

static bool ends_word(const struct cfengine_reader *reader, const char *at)
{
	return at >= reader->end || is_space(*at) || strchr(",]}", *at);
}

static int fail(const struct cfengine_reader *reader, const char *reason)
{
	const char *at = reader->at < reader->end ? reader->at : reader->end;

	return problem_at(reader->json->problem, reader->json->argument,
		"mergedata: unable to parse json data, %s, at character %zu of '%s'", reason,
		1 + utf8_count(reader->begin, at), reader->begin);
}

static struct node *placed(const struct cfengine_reader *reader, struct node *node)
{
	if (node) {
		node->source = reader->json->source;
		node->line = reader->json->argument->line;
		node->column = reader->json->argument->column;
	}
	return node;
}

static int new_scalar(struct cfengine_reader *reader, struct span text, enum node_style style,
	const struct node **ret)
{
	struct node *node = placed(reader, node_new_scalar(reader->json->arena, text, style));

	if (!node)
		return -ENOMEM;
	node->schema = NODE_JSON;
	*ret = node;
	return 0;
}

/* Decodes \uXXXX, with the second half of a surrogate pair. Returns 0 if it is no character. */
static size_t decode_unicode(struct cfengine_reader *reader, char *out)
{
	int32_t code = utf8_hex4(reader->at + 2, reader->end), low;

	if (code < 0 || (code >= 0xDC00 && code <= 0xDFFF))
		return 0;
	if (code >= 0xD800 && code <= 0xDBFF) {
		if (reader->end - reader->at < 12 || reader->at[6] != '\\' || reader->at[7] != 'u')
			return 0;
		low = utf8_hex4(reader->at + 8, reader->end);
		if (low < 0xDC00 || low > 0xDFFF)
			return 0;
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
		reader->at += 6;
	}
	reader->at += 6;
	return utf8_encode((uint32_t)code, out);
}

/* Decodes an escape. An escape that JSON does not have stays as it is, as in CFEngine. */
static size_t decode_escape(struct cfengine_reader *reader, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = reader->at + 1 < reader->end ? reader->at[1] : '\0';
	const char *found = c ? strchr(from, c) : NULL;
	size_t length;

	if (found) {
		*out = to[found - from];
		reader->at += 2;
		return 1;
	}
	length = c == 'u' ? decode_unicode(reader, out) : 0;
	if (length)
		return length;
	*out = *reader->at++;
	return 1;
}

/* Returns the quote that ends the string which begins at `at`; NULL: there is none. */
static const char *find_quote(const char *at, const char *end)
{
	while (at < end && *at != '"')
		at += *at == '\\' && end - at > 1 ? 2 : 1;
	return at < end ? at : NULL;
}

/* Reads a string at its first quote. The decoded text is never longer than the written one. */
static int read_string(struct cfengine_reader *reader, const struct node **ret)
{
	const char *quote = find_quote(reader->at + 1, reader->end);
	size_t length = 0;
	char *text;

	if (!quote)
		return fail(reader, "a string did not end with doublequote");
	reader->at++;
	text = arena_alloc(reader->json->arena, (size_t)(quote - reader->at) + 1);
	if (!text)
		return -ENOMEM;
	while (reader->at < quote) {
		if (*reader->at == '\\')
			length += decode_escape(reader, text + length);
		else
			text[length++] = *reader->at++;
	}
	reader->at++;
	text[length] = '\0';
	return new_scalar(reader, (struct span){text, length}, NODE_DOUBLE, ret);
}

/* Returns the bytes of an index in brackets at `at`, neither empty nor nested; 0: there is none. */
static size_t index_length(const char *at, const char *end)
{
	const char *close = at + 1;

	if (at == end || *at != '[')
		return 0;
	while (close < end && *close != '[' && *close != ']')
		close++;
	return close < end && *close == ']' && close > at + 1 ? (size_t)(close + 1 - at) : 0;
}

/*
 * Returns the bytes of the name there, with an index after it; 0: there is none. CFEngine's names
 * have no dash and do not begin with a digit. A layer's name may: it counts if a container has
 * exactly that name.
 */
static size_t name_length(const struct cfengine_reader *reader)
{
	const char *at = reader->at, *end = reader->end;
	bool is_name = !number_is_digit(*at);
	size_t length = 0, whole;

	while (at + length < end && (is_word(at[length]) || at[length] == '.'))
		length++;
	for (whole = length; at + whole < end; whole++)
		if (!is_word(at[whole]) && at[whole] != '.' && at[whole] != '-')
			break;
	if ((whole > length || !is_name) &&
		reader->json->is_name(reader->json->context, (struct span){at, whole})) {
		length = whole;
		is_name = true;
	}
	return is_name && length ? length + index_length(at + length, end) : 0;
}

/* Reads a number, a reserved word or a name. */
static int read_word(struct cfengine_reader *reader, const struct node **ret)
{
	struct span text = {reader->at, 0};
	const char *at = reader->at;
	bool is_int;

	while (at < reader->end && (is_word(*at) || memchr("+-.", *at, 3)))
		at++;
	text.len = (size_t)(at - text.data);
	if (ends_word(reader, at) && (number_is_json(text, &is_int) || span_is(text, "true") ||
					     span_is(text, "false") || span_is(text, "null"))) {
		reader->at += text.len;
		text.data = arena_copy(reader->json->arena, text);
		return text.data ? new_scalar(reader, text, NODE_PLAIN, ret) : -ENOMEM;
	}
	text.len = name_length(reader);
	if (!text.len)
		return fail(reader, number_is_digit(*text.data) || *text.data == '-'
					    ? "a number has an invalid symbol"
					    : "unrecognized token beginning entry");
	reader->at += text.len;
	return reader->json->find(reader->json->context, reader->json->argument, text, ret);
}

static int read_collection(struct cfengine_reader *reader, const struct node **ret);

static int read_value(struct cfengine_reader *reader, const struct node **ret)
{
	switch (*reader->at) {
	case '"':
		return read_string(reader, ret);
	case '[':
	case '{':
		return read_collection(reader, ret);
	default:
		return read_word(reader, ret);
	}
}

static int read_array(struct cfengine_reader *reader, struct node *array)
{
	char before = '['; /* what came last: '[', ',' or 'v', a value */

	for (;;) {
		char c;

		skip_space(reader);
		c = peek(reader);
		if (reader->at == reader->end)
			return fail(reader, "an array did not end with ']'");
		if (c == ']') {
			reader->at++;
			return 0;
		}
		if (c == ',') {
			if (before != 'v')
				return fail(reader, "an array has extraneous commas");
			before = ',';
			reader->at++;
			continue;
		}
		if (before == 'v' && (c == '[' || c == '{'))
			return fail(reader, "in an array a comma is missing");

		const struct node *value;
		int r = read_value(reader, &value);
		if (r == 0)
			r = node_push(reader->json->arena, array, value);
		if (r != 0)
			return r;
		before = 'v';
	}
}

/* Makes a key without quotes, if YAML also reads it as a string. */
static int new_bare_key(struct cfengine_reader *reader, struct span text, const struct node **ret)
{
	struct node *key = placed(reader, node_new_scalar(reader->json->arena, text, NODE_PLAIN));

	if (!key)
		return -ENOMEM;
	if (number_is_digit(*text.data) || scalar_type(key) != SCALAR_STRING)
		key->style = NODE_DOUBLE;
	*ret = key;
	return 0;
}

/* Reads a bare key, `\w[-\w]*`; a colon must follow it. *ret is NULL if there is none. */
static int read_bare_key(struct cfengine_reader *reader, const struct node **ret)
{
	struct span key = {reader->at, 0};
	const char *at = reader->at, *text;

	*ret = NULL;
	if (!is_word(*at))
		return 0;
	while (at < reader->end && (is_word(*at) || *at == '-'))
		at++;
	key.len = (size_t)(at - key.data);
	while (at < reader->end && is_space(*at))
		at++;
	if (at == reader->end || *at != ':')
		return 0;
	text = arena_copy(reader->json->arena, key);
	if (!text)
		return -ENOMEM;
	reader->at += key.len;
	key.data = text;
	return new_bare_key(reader, key, ret);
}

/* Reads a key, a comma or the end, which sets *is_end. `before` is that of read_object(). */
static int read_key(
	struct cfengine_reader *reader, char *before, bool *is_end, const struct node **ret)
{
	char c = peek(reader);
	int r;

	*is_end = c == '}';
	*ret = NULL;
	if (*is_end || c == ',') {
		if (c == ',' && *before == ',')
			return fail(reader, "an object has ',' without an r-value");
		*before = c;
		reader->at++;
		return 0;
	}
	if (c == ':')
		return fail(reader, "an object has ':' without an l-value");
	if (c == '[' || c == '{')
		return fail(reader, "an array or object is not allowed as l-value");
	if (c == '"')
		return read_string(reader, ret);
	r = read_bare_key(reader, ret);
	return r == 0 && !*ret ? fail(reader, "an object has an unrecognized token") : r;
}

/* Reads the colon, which may be missing, and the value after a key. */
static int read_pair(struct cfengine_reader *reader, struct node *object, const struct node *key)
{
	const struct node *value;
	char c;
	int r;

	skip_space(reader);
	if (peek(reader) == ':') {
		reader->at++;
		skip_space(reader);
	}
	c = peek(reader);
	if (reader->at == reader->end || c == '}' || c == ',' || c == ':')
		return fail(reader, "an object has an l-value without an r-value");
	r = read_value(reader, &value);
	return r == 0 ? node_put(reader->json->arena, object, key, value) : r;
}

static int read_object(struct cfengine_reader *reader, struct node *object)
{
	char before = '{'; /* what came last: '{', ',' or 'v', a value */

	for (;;) {
		const struct node *key;
		bool is_end;
		int r;

		skip_space(reader);
		if (reader->at == reader->end)
			return fail(reader, "an object did not end with '}'");
		r = read_key(reader, &before, &is_end, &key);
		if (r != 0 || is_end)
			return r;
		if (!key)
			continue;
		r = read_pair(reader, object, key);
		if (r != 0)
			return r;
		before = 'v';
	}
}

static int read_collection(struct cfengine_reader *reader, const struct node **ret)
{
	struct arena *arena = reader->json->arena;
	bool is_array = *reader->at == '[';
	struct node *node = placed(
		reader, is_array ? node_new_sequence(arena, NULL) : node_new_map(arena, NULL));
	int r;

	if (!node)
		return -ENOMEM;
	if (reader->depth == 0)
		return fail(reader, "it is nested too deep; raise the limit 'depth'");
	reader->depth--;
	reader->at++;
	r = is_array ? read_array(reader, node) : read_object(reader, node);
	reader->depth++;
	if (r == 0)
		*ret = node;
	return r;
}

static struct cfengine_reader begin(struct span text)
{
	struct cfengine_reader reader = {
		.begin = text.data, .at = text.data, .end = span_end(text)};

	skip_space(&reader);
	return reader;
}

bool cfengine_json_is(struct span text)
{
	struct cfengine_reader reader = begin(text);
	char c = peek(&reader);

	return c == '[' || c == '{';
}

int cfengine_json_read(const struct cfengine_json *json, const struct node **ret)
{
	struct cfengine_reader reader = begin(json->argument->text);

	reader.json = json;
	reader.depth = json->depth;
	return read_collection(&reader, ret);
}
