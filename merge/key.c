#include "key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "array.h"
#include "scalar.h"
#include "shown.h"
#include "spelling.h"
#include "utf8.h"

/* Characters that end a word without quotes: in brackets, and elsewhere. */
#define BRACKET_ENDS "=]"
#define WORD_ENDS ".["

#define TOO_MUCH "asks for more than plyfs can do; write an item as [name=web]"

/* A KEY that is being read. */
struct key_reader {
	const char *start;
	const char *at;
	struct arena *arena;
	struct problem *problem;
};

static int fail(const struct key_reader *reader, const char *at, const char *message)
{
	unsigned column = (unsigned)utf8_count(reader->start, at) + 1;

	return problem_set(reader->problem, NULL, 0, column, "the KEY '%s' %s (at character %u)",
		reader->start, message, column);
}

/*
 * Reads the escape after a backslash: \n, \u00e9 and the like. Returns false if there is no such
 * escape.
 */
static bool read_escape(const char **at, char **out)
{
	static const char letters[] = "\"\\/bfnrt'", meant[] = "\"\\/\b\f\n\r\t'";
	const char *letter = **at ? strchr(letters, **at) : NULL;
	size_t digits = **at == 'x' ? 2 : **at == 'u' ? 4 : **at == 'U' ? 8 : 0;
	uint32_t code = 0;

	if (letter) {
		*(*out)++ = meant[letter - letters];
		(*at)++;
		return true;
	}
	if (digits == 0 || strspn(*at + 1, "0123456789abcdefABCDEF") < digits)
		return false;
	for (size_t i = 1; i <= digits; i++) {
		char c = (*at)[i];
		code = code << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
		return false;
	*out += utf8_encode(code, *out);
	*at += 1 + digits;
	return true;
}

/* Reads "…" as in JSON, or '…', in which only '' is a quote. */
static int read_quoted(struct key_reader *reader, struct span *ret)
{
	const char *start = reader->at, *at = start + 1;
	char quote = *start;
	/* An escape is never shorter than its character. */
	char *text = arena_alloc(reader->arena, strlen(at) + 1), *out = text;

	if (!text)
		return -ENOMEM;
	while (*at && (*at != quote || (quote == '\'' && at[1] == '\''))) {
		if (*at == '\\' && quote == '"') {
			at++;
			if (!read_escape(&at, &out))
				return fail(reader, at - 1, "has a backslash with no meaning");
			continue;
		}
		at += *at == quote;
		*out++ = *at++;
	}
	if (!*at)
		return fail(reader, start, "has a quote without its end");
	*out = '\0';
	reader->at = at + 1;
	*ret = (struct span){text, (size_t)(out - text)};
	return 0;
}

/* Returns whether a backslash escapes the end of the word, as in kubectl's and helm's a\.b */
static bool is_escaped(const char *word, size_t len)
{
	return len > 0 && word[len - 1] == '\\' && word[len] && strchr(WORD_ENDS, word[len]);
}

static int read_escaped(struct key_reader *reader, const char *ends, struct span *ret)
{
	char *text = arena_alloc(reader->arena, strlen(reader->at) + 1), *out = text;

	if (!text)
		return -ENOMEM;
	for (; *reader->at && !strchr(ends, *reader->at); *out++ = *reader->at++)
		reader->at += is_escaped(reader->at, 1);
	*out = '\0';
	*ret = (struct span){text, (size_t)(out - text)};
	return 0;
}

/* Reads a quoted word, or a word up to any of `ends`. */
static int read_word(struct key_reader *reader, const char *ends, struct span *ret, bool *is_quoted)
{
	*is_quoted = *reader->at == '"' || *reader->at == '\'';
	if (*is_quoted)
		return read_quoted(reader, ret);
	*ret = (struct span){reader->at, strcspn(reader->at, ends)};
	if (ret->len == 0)
		return fail(reader, reader->at, "lacks a word; an empty key is \"\"");
	if (is_escaped(reader->at, ret->len))
		return read_escaped(reader, ends, ret);
	reader->at += ret->len;
	return 0;
}

static void skip(struct key_reader *reader, const char *word)
{
	if (strncmp(reader->at, word, strlen(word)) == 0)
		reader->at += strlen(word);
}

/* Reads a filter after "[?": (@.name=="web") of JSONPath, name=='web' of JMESPath. */
static int read_filter(struct key_reader *reader, struct key_part *part)
{
	const char *start = reader->at++;
	bool has_parenthesis = *reader->at == '(';

	reader->at += has_parenthesis;
	skip(reader, "@.");
	int r = read_word(reader, " " BRACKET_ENDS, &part->name, &part->is_quoted);
	skip(reader, " ");
	if (r == 0 && (*reader->at != '=' || strchr("!<>~", reader->at[-1])))
		r = fail(reader, start, TOO_MUCH);
	if (r != 0)
		return r;
	skip(reader, "=");
	skip(reader, "=");
	skip(reader, " ");
	/* JMESPath writes texts as `web`, too. */
	part->is_value_quoted = *reader->at == '`';
	r = part->is_value_quoted ? read_quoted(reader, &part->value)
				  : read_word(reader, has_parenthesis ? ")]" : "]", &part->value,
					    &part->is_value_quoted);
	if (r == 0 && has_parenthesis && *reader->at++ != ')')
		r = fail(reader, start, "has a '(' without its ')'");
	return r;
}

static int read_bracket(struct key_reader *reader, struct key_part *part)
{
	const char *start = reader->at++;
	bool is_filter = *reader->at == '?';

	part->is_bracket = true;
	if (!*reader->at)
		return fail(reader, start, "has a '[' without its ']'");
	int r = is_filter ? read_filter(reader, part)
			  : read_word(reader, BRACKET_ENDS, &part->name, &part->is_quoted);
	if (r == 0 && !is_filter && *reader->at == '=') {
		if (!part->is_quoted && strchr("!<>~", reader->at[-1]))
			return fail(reader, start, TOO_MUCH);
		reader->at++;
		reader->at += reader->at[0] == '=' && reader->at[1] && strchr("\"'", reader->at[1]);
		r = read_word(reader, "]", &part->value, &part->is_value_quoted);
	}
	if (r != 0)
		return r;
	if (*reader->at != ']')
		return fail(reader, start, "has a '[' without its ']'");
	reader->at++;
	return 0;
}

static int read_part(struct key_reader *reader, bool is_first, struct key_part *part)
{
	int r;

	*part = (struct key_part){0};
	/* jq writes .["b"]. */
	if (*reader->at == '[' || strncmp(reader->at, ".[", 2) == 0) {
		reader->at += *reader->at == '.';
		r = read_bracket(reader, part);
	} else {
		reader->at += !is_first;
		r = read_word(reader, WORD_ENDS, &part->name, &part->is_quoted);
	}
	part->end = (size_t)(reader->at - reader->start);
	return r;
}

int key_parse_part(const char *text, size_t at, struct arena *arena, struct key_part *part,
	struct problem *problem)
{
	struct key_reader reader = {text, text + at, arena, problem};

	if (at > 0 && *reader.at != '.' && *reader.at != '[')
		return fail(&reader, reader.at, "lacks a '.' or '['");
	return read_part(&reader, *reader.at != '.', part);
}

int key_count_parts(const char *text, size_t *ret, struct problem *problem)
{
	*ret = 1;
	for (const char *at = text; *at; at++)
		*ret += *at == '.' || *at == '[';
	return *ret <= KEY_PARTS_MAX
		       ? 0
		       : problem_set(problem, NULL, 0, 1,
				 "the KEY has more than %d parts; name a value above it",
				 KEY_PARTS_MAX);
}

int key_parse_from(const char *text, size_t start, struct arena *arena, struct key *ret,
	struct problem *problem)
{
	struct key_reader reader = {text, text + start, arena, problem};
	size_t capacity;

	*ret = (struct key){.text = text, .document = KEY_ANY_DOCUMENT, .start = start};
	if (start ? !text[start] : strcmp(text, ".") == 0)
		return 0;
	/* jq writes .server.port */
	reader.at += !start && *text == '.';
	if (key_count_parts(text, &capacity, problem) != 0)
		return PROBLEM;
	ret->parts = arena_zalloc(arena, capacity, sizeof(*ret->parts));
	if (!ret->parts)
		return -ENOMEM;
	do {
		bool is_first = ret->count == 0 && !start;

		/* Each part but the first must begin with a character that was counted above. */
		if (!is_first && *reader.at != '.' && *reader.at != '[')
			return fail(&reader, reader.at, "lacks a '.' or '['");
		int r = read_part(&reader, is_first, &ret->parts[ret->count]);
		if (r != 0)
			return r;
		ret->count++;
	} while (*reader.at);
	return 0;
}

int key_parse(const char *text, struct arena *arena, struct key *ret, struct problem *problem)
{
	return key_parse_from(text, 0, arena, ret, problem);
}

/* Returns the length of the KEY before '=' in a document's name. */
static size_t length_of_key(const char *text)
{
	char quote = '\0';
	size_t len = 0;

	for (; text[len] && (quote || !strchr("=,]", text[len])); len++) {
		if (quote == '"' && text[len] == '\\' && text[len + 1])
			len++;
		else if (quote)
			quote = text[len] == quote ? '\0' : quote;
		else if (text[len] == '"' || text[len] == '\'')
			quote = text[len];
	}
	return len;
}

static int read_condition(struct key_reader *reader, struct key_condition *condition)
{
	size_t len = length_of_key(reader->at);
	const char *name = arena_copy(reader->arena, (struct span){reader->at, len});

	if (!name)
		return -ENOMEM;
	if (!len || reader->at[len] != '=')
		return PROBLEM;
	int r = key_parse(name, reader->arena, &condition->key, reader->problem);
	if (r != 0)
		return r;
	reader->at += len + 1;
	/* For [kind==Service]. */
	reader->at += *reader->at == '=';
	struct span text;
	bool is_quoted;
	r = read_word(reader, ",]", &text, &is_quoted);
	if (r != 0)
		return r;
	struct node *value =
		node_new_scalar(reader->arena, text, is_quoted ? NODE_DOUBLE : NODE_PLAIN);
	if (!value)
		return -ENOMEM;
	/* Quotes a text that would be null without quotes. */
	if (scalar_type(value) == SCALAR_NULL)
		value->style = NODE_DOUBLE;
	condition->value = value;
	return 0;
}

int key_parse_conditions(const char *text, size_t at, struct arena *arena,
	struct key_condition **ret, size_t *count, size_t *end)
{
	struct problem ignored;
	struct key_reader reader = {text, text + at, arena, &ignored};
	size_t capacity = 1;
	int r = *reader.at == '[' ? 0 : PROBLEM;

	for (const char *c = text; *c; c++)
		capacity += *c == ',';
	*ret = arena_zalloc(arena, capacity, sizeof(**ret));
	*count = 0;
	if (!*ret)
		return -ENOMEM;
	while (r == 0 && *reader.at != ']') {
		if (*reader.at != '[' && *reader.at != ',')
			return PROBLEM;
		reader.at++;
		r = read_condition(&reader, &(*ret)[(*count)++]);
	}
	*end = (size_t)(reader.at - text) + 1;
	return r;
}

/*
 * Of keys with the same text, a key without a tag ranks first, as a KEY has no tags; then a key
 * that is quoted as in the KEY.
 */
static int rank(const struct node *key, const struct key_part *part)
{
	bool is_as_asked = (key->style != NODE_PLAIN) == part->is_quoted;

	return 2 * !key->tag + is_as_asked;
}

static bool find_in_map(const struct node *map, const struct key_part *part, struct key_step *ret)
{
	const struct pair *found = NULL;

	if (part->value.data)
		return false;
	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];

		if (spelling_is(pair->key, part->name) &&
			(!found || rank(pair->key, part) > rank(found->key, part)))
			found = pair;
	}
	if (!found)
		return false;
	*ret = (struct key_step){found->value, found->key, 0};
	return true;
}

static bool has_value(const struct node *item, const struct key_part *part)
{
	const struct key_part name = {.name = part->name, .is_quoted = part->is_quoted};
	struct key_step found;

	return node_is_map(item) && find_in_map(item, &name, &found) &&
	       spelling_is(found.value, part->value);
}

/* Returns whether the item has the values of all conditions, of which there are several. */
static bool has_values(const struct node *item, const struct key_part *part)
{
	struct key_part condition;
	size_t at = 0;
	bool has_all = key_next_condition(part, &at, &condition) && at < part->value.len;

	for (at = 0; has_all && key_next_condition(part, &at, &condition);)
		has_all = has_value(item, &condition);
	return has_all;
}

static bool find_in_list(const struct node *list, const struct key_part *part, struct key_step *ret)
{
	uint64_t index = 0;

	if (part->value.data) {
		while (index < list->seq.count && !has_value(list->seq.items[index], part))
			index++;
		for (uint32_t i = 0; index >= list->seq.count && i < list->seq.count; i++)
			if (has_values(list->seq.items[i], part))
				index = i;
	} else {
		if (part->is_quoted)
			return false;
		for (size_t i = 0; i < part->name.len; i++) {
			char c = part->name.data[i];

			if (c < '0' || c > '9' || index > UINT32_MAX)
				return false;
			index = 10 * index + (uint64_t)(c - '0');
		}
	}
	if (index >= list->seq.count)
		return false;
	*ret = (struct key_step){list->seq.items[index], NULL, (uint32_t)index};
	return true;
}

bool key_find(const struct node *in, const struct key_part *part, struct key_step *ret)
{
	if (node_is_map(in))
		return find_in_map(in, part, ret);
	return node_is_sequence(in) && find_in_list(in, part, ret);
}

const struct node *key_follow(const struct key *key, size_t first, const struct node *root)
{
	struct key_step step = {.value = root};

	for (; first < key->count; first++)
		if (!key_find(step.value, &key->parts[first], &step))
			return NULL;
	return step.value;
}

bool key_names(
	const struct key_part *part, const struct node *key, const struct node *lost, bool is_item)
{
	if (part->value.data)
		return is_item && lost && (has_value(lost, part) || has_values(lost, part));
	return spelling_is(key, part->name);
}

static void append(struct key_text *text, const char *data, size_t len)
{
	while (!text->has_failed && text->capacity - text->len <= len)
		text->has_failed = array_grow(text->data, text->capacity, text->capacity) < 0;
	if (text->has_failed)
		return;
	if (len)
		memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
}

/* The characters that most keys consist of. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/*
 * Returns whether the text can be printed without quotes: it is read again as it is, and has no
 * character that is escaped on a terminal.
 */
static bool is_word(struct span text)
{
	for (const char *at = text.data, *end = at + text.len; at < end;) {
		size_t length = utf8_length(at, end);

		if (!is_letter(*at) &&
			(!length || *at == ' ' || (length == 1 && strchr(".[]=\"'\\", *at)) ||
				shown_is_escaped(utf8_decode(at, length))))
			return false;
		at += length;
	}
	return text.len > 0;
}

/* Returns whether a quoted text would be a number or the like without its quotes. */
static bool needs_quotes(const struct node *scalar)
{
	struct node plain = *scalar;

	/* Keys in JSON and TOML are always texts. */
	if (scalar->style == NODE_PLAIN || scalar->schema == NODE_JSON ||
		scalar->schema == NODE_TOML)
		return false;
	plain.style = NODE_PLAIN;
	plain.tag = NULL;
	return scalar_type(&plain) != SCALAR_STRING;
}

static void append_quoted(struct key_text *text, struct span word)
{
	static const char letters[] = "\"\\bfnrt", meant[] = "\"\\\b\f\n\r\t";
	const char *at = word.data, *end = at + word.len;
	char escape[16];

	append(text, "\"", 1);
	while (at < end) {
		size_t length = utf8_length(at, end);
		uint32_t code = length ? utf8_decode(at, length) : 0xFFFD;
		const char *letter = code > 0 && code < 0x80 ? strchr(meant, (int)code) : NULL;

		if (letter)
			append(text, (char[]){'\\', letters[letter - meant]}, 2);
		else if (length && !shown_is_escaped(code))
			append(text, at, length);
		else
			append(text, escape,
				(size_t)snprintf(
					escape, sizeof(escape), "\\u%04x", (unsigned)code));
		at += length ? length : 1;
	}
	append(text, "\"", 1);
}

static void append_scalar(struct key_text *text, const struct node *scalar)
{
	if (is_word(scalar->text) && !needs_quotes(scalar))
		append(text, scalar->text.data, scalar->text.len);
	else
		append_quoted(text, scalar->text);
}

void key_text_put(struct key_text *text, const struct node *key)
{
	if (!node_is_scalar(key)) {
		append(text, "[?]", strlen("[?]"));
		return;
	}
	if (text->len > 0)
		append(text, ".", 1);
	append_scalar(text, key);
}

void key_text_put_text(struct key_text *text, struct span key)
{
	append(text, key.data, key.len);
}

void key_text_put_index(struct key_text *text, uint32_t index)
{
	char digits[16];

	append(text, digits, (size_t)snprintf(digits, sizeof(digits), "[%u]", (unsigned)index));
}

void key_text_put_item(struct key_text *text, const struct node *key, const struct node *value)
{
	const struct node *name = NULL;

	for (uint32_t i = 0; node_is_map(value) && i < value->map.count && !name; i++)
		if (value->map.pairs[i].value == key || node_equal(value->map.pairs[i].value, key))
			name = value->map.pairs[i].key;
	append(text, "[", 1);
	if (name && node_is_scalar(name)) {
		append_scalar(text, name);
		append(text, "=", 1);
	}
	if (node_is_scalar(key))
		append_scalar(text, key);
	else
		append(text, "?", 1);
	append(text, "]", 1);
}

void key_text_put_condition(struct key_text *text, const struct node *value)
{
	append(text, "=", 1);
	if (memchr(value->text.data, ',', value->text.len))
		append_quoted(text, value->text);
	else
		append_scalar(text, value);
}

void key_text_cut(struct key_text *text, size_t len)
{
	text->len = len;
	if (text->data)
		text->data[len] = '\0';
}

struct span key_text_span(const struct key_text *text)
{
	return text->len > 0 ? (struct span){text->data, text->len} : span_of(".");
}

void key_text_fini(struct key_text *text)
{
	free(text->data);
}
