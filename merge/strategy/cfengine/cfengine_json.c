#include "cfengine.h"

#include <errno.h>

#include "cleanup.h"
#include "format/json.h"
#include "number.h"
#include "scalar.h"
#include "utf8.h"

/* The result of take_name(): find() has filled the problem. */
#define REPORTED (PROBLEM + 1)

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && memchr(" \t\n\r", *at, 4))
		at++;
	return at;
}

static bool is_word(char c)
{
	return number_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
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
 * Returns the bytes of the name at `at`, with an index after it; 0: there is none. CFEngine's names
 * have no dash and do not begin with a digit. A layer's name may: it counts if a container has
 * exactly that name.
 */
static size_t name_length(const struct cfengine_json *json, const char *at, const char *end)
{
	bool is_name = !number_is_digit(*at);
	size_t length = 0, whole;

	while (at + length < end && (is_word(at[length]) || at[length] == '.'))
		length++;
	for (whole = length; at + whole < end; whole++)
		if (!is_word(at[whole]) && at[whole] != '.' && at[whole] != '-')
			break;
	if ((whole > length || !is_name) &&
		json->is_name(json->context, (struct span){at, whole})) {
		length = whole;
		is_name = true;
	}
	return is_name && length ? length + index_length(at + length, end) : 0;
}

static int take_name(struct text_cursor *at, void *context)
{
	const struct cfengine_json *json = context;
	struct span name = {at->p, name_length(json, at->p, at->end)};
	const struct node *value;

	if (!name.len)
		return text_cursor_fail(at, number_is_digit(*at->p) || *at->p == '-'
						    ? "a number has an invalid symbol"
						    : "a value is missing, or is no name");
	int r = json->find(json->context, json->argument, name, &value);
	if (r != 0)
		return r == PROBLEM ? REPORTED : r;
	at->p += name.len;
	return builder_add(at->builder, value, text_cursor_place(at));
}

/* Takes a key without quotes, `\w[-\w]*`; a colon must follow it. */
static int take_bare_key(struct text_cursor *at)
{
	struct span key = {at->p, 0};
	struct node *node;
	const char *after;
	char *text;

	while (span_end(key) < at->end &&
		(is_word(*span_end(key)) || (key.len && *span_end(key) == '-')))
		key.len++;
	after = skip_space(span_end(key), at->end);
	if (!key.len || after == at->end || *after != ':')
		return text_cursor_fail(at, "a key is missing; it is a string in double quotes, or "
					    "a word with a ':' behind it");
	node = builder_new_scalar(at->builder, text_cursor_place(at), key.len, &text);
	if (!node)
		return -ENOMEM;
	memcpy(text, key.data, key.len);
	/* The result has quotes unless YAML also reads the key as a string. */
	if (number_is_digit(*text) || scalar_type(node) != SCALAR_STRING)
		node->style = NODE_DOUBLE;
	at->p += key.len;
	return builder_add(at->builder, node, text_cursor_place(at));
}

bool cfengine_json_is(struct span text)
{
	const char *at = skip_space(text.data, span_end(text));

	return at < span_end(text) && (*at == '[' || *at == '{');
}

int cfengine_json_read(const struct cfengine_json *json, const struct node **ret)
{
	const struct node *argument = json->argument;
	const struct read_options options = {
		/* merge() counts the values of the result. */
		.limits = {.depth = json->depth, .nodes = UINT32_MAX},
		.place = {argument->line, argument->column, .is_rewritten = true},
	};
	const struct json_dialect dialect = {take_name, take_bare_key, (void *)json};
	struct document *document = arena_zalloc(json->arena, 1, sizeof(*document));
	struct problem problem;
	CLEANUP(builder_fini)
	struct builder builder = {.document = document, .options = &options, .problem = &problem};
	struct text_cursor at = text_cursor_begin(&builder, argument->text);

	if (!document)
		return -ENOMEM;
	document->arena = json->arena;
	if (json->source)
		document->source = *json->source;
	int r = json_read_dialect(&at, &dialect);
	if (r == PROBLEM)
		problem_at(json->problem, argument,
			"mergedata: unable to parse json data, %s, at character %zu of '%s'",
			problem.message, 1 + utf8_count(argument->text.data, at.p),
			argument->text.data);
	if (r == 0)
		*ret = builder.waiting[0];
	return r == REPORTED ? PROBLEM : r;
}
