#include "scalar.h"

#include <assert.h>
#include <errno.h>

#include "format/toml_value.h"
#include "hash.h"
#include "number.h"
#include "resolve.h"

/*
 * A tag promises a type. If the text does not fit it, the scalar is SCALAR_FOREIGN, and only equal
 * to one with the same tag and text.
 */
static enum scalar_type type_of_tag(const struct node *scalar)
{
	enum scalar_type type = resolve_plain(scalar->text, scalar->schema);
	const char *name = scalar_core_name(scalar->tag);

	if (strcmp(scalar->tag, "!") == 0)
		return SCALAR_STRING;
	if (!name)
		return SCALAR_FOREIGN;
	if (strcmp(name, "str") == 0)
		return SCALAR_STRING;
	if (strcmp(name, "null") == 0)
		return SCALAR_NULL;
	if (strcmp(name, "binary") == 0)
		return SCALAR_BINARY;
	if (strcmp(name, "bool") == 0)
		return type == SCALAR_BOOL ? SCALAR_BOOL : SCALAR_FOREIGN;
	if (strcmp(name, "int") == 0)
		return type == SCALAR_INT ? SCALAR_INT : SCALAR_FOREIGN;
	/* !!float accepts what Python's float() does: also 1 and 1e5. */
	if (strcmp(name, "float") == 0)
		return resolve_is_python_float(scalar->text) ? SCALAR_FLOAT : SCALAR_FOREIGN;
	if (strcmp(name, "timestamp") == 0)
		return resolve_is_timestamp(scalar->text) ? SCALAR_TIMESTAMP : SCALAR_FOREIGN;
	return SCALAR_FOREIGN;
}

enum scalar_type scalar_type(const struct node *scalar)
{
	assert(node_is_scalar(scalar));
	if (scalar->tag)
		return type_of_tag(scalar);
	if (scalar->style != NODE_PLAIN)
		return SCALAR_STRING;
	return resolve_plain(scalar->text, scalar->schema);
}

const char *scalar_type_name(enum scalar_type type)
{
	static const char *const names[] = {
		[SCALAR_NULL] = "null",
		[SCALAR_BOOL] = "a boolean",
		[SCALAR_INT] = "a number",
		[SCALAR_FLOAT] = "a number",
		[SCALAR_STRING] = "a string",
		[SCALAR_TIMESTAMP] = "a timestamp",
		[SCALAR_BINARY] = "binary data",
		[SCALAR_FOREIGN] = "a tagged value",
	};

	return names[type];
}

const char *scalar_or_kind_name(const struct node *node)
{
	return node_is_scalar(node) ? scalar_type_name(scalar_type(node)) : node_kind_name(node);
}

bool scalar_is_string(const struct node *node)
{
	return node_is_scalar(node) && scalar_type(node) == SCALAR_STRING;
}

bool scalar_is_null(const struct node *node)
{
	return node_is_scalar(node) && scalar_type(node) == SCALAR_NULL;
}

bool scalar_is_empty(const struct node *node)
{
	return node_is_scalar(node) && !node->text.len && !node->tag && node->style == NODE_PLAIN &&
	       node->schema <= NODE_SALT;
}

bool scalar_bool(const struct node *scalar)
{
	return resolve_is_true(scalar->text);
}

static void number_of(const struct node *scalar, enum scalar_type type, struct number *ret)
{
	if (type == SCALAR_INT)
		number_of_int(scalar->text, scalar->schema, ret);
	else
		number_of_float(scalar->text, ret);
}

double scalar_number(const struct node *scalar)
{
	struct number number;

	number_of(scalar, scalar_type(scalar), &number);
	return number_double(&number);
}

static bool is_number(enum scalar_type type)
{
	return type == SCALAR_INT || type == SCALAR_FLOAT;
}

const struct node *scalar_twin(const struct node *key)
{
	static const struct node twins[] = {
		{.kind = NODE_SCALAR, .schema = NODE_JSON, .weight = 1, .text = {"0", 1}},
		{.kind = NODE_SCALAR, .schema = NODE_JSON, .weight = 1, .text = {"1", 1}},
		{.kind = NODE_SCALAR, .schema = NODE_JSON, .weight = 1, .text = {"false", 5}},
		{.kind = NODE_SCALAR, .schema = NODE_JSON, .weight = 1, .text = {"true", 4}},
	};

	if (!node_is_scalar(key) || (key->style != NODE_PLAIN && !key->tag) || key->text.len == 0 ||
		!strchr("01+-.yYnNtTfFoO", key->text.data[0]))
		return NULL;
	enum scalar_type type = scalar_type(key);
	if (type == SCALAR_BOOL)
		return &twins[scalar_bool(key) ? 1 : 0];
	if (!is_number(type))
		return NULL;
	double number = scalar_number(key);
	if (number == 0)
		return &twins[2];
	return number == 1 ? &twins[3] : NULL;
}

static int number_json(
	const struct node *scalar, enum scalar_type type, struct arena *arena, struct span *ret)
{
	struct number number;
	bool is_int;

	if (number_is_json(scalar->text, &is_int)) {
		*ret = scalar->text;
		return 0;
	}
	if (type == SCALAR_FLOAT)
		return number_float_json(scalar->text, arena, ret);
	number_of_int(scalar->text, scalar->schema, &number);
	return number_int_json(&number, arena, ret);
}

/* JSON has no times: it is their text, with seconds, as RFC 3339 has it. */
static int timestamp_json(const struct node *scalar, struct arena *arena, struct span *ret)
{
	size_t minutes = scalar->schema == NODE_TOML ? toml_value_lacks_seconds(scalar->text) : 0;

	*ret = scalar->text;
	if (!minutes)
		return 0;
	const char *text = arena_printf(
		arena, "%.*s:00%s", (int)minutes, scalar->text.data, scalar->text.data + minutes);
	if (!text)
		return -ENOMEM;
	*ret = span_of(text);
	return 0;
}

int scalar_json(const struct node *scalar, struct arena *arena, struct span *ret)
{
	enum scalar_type type = scalar_type(scalar);

	switch (type) {
	case SCALAR_NULL:
		*ret = span_of("null");
		return 0;
	case SCALAR_BOOL:
		*ret = span_of(scalar_bool(scalar) ? "true" : "false");
		return 0;
	case SCALAR_INT:
	case SCALAR_FLOAT:
		return number_json(scalar, type, arena, ret);
	case SCALAR_TIMESTAMP:
		return timestamp_json(scalar, arena, ret);
	case SCALAR_STRING:
	case SCALAR_BINARY:
	case SCALAR_FOREIGN:
		break;
	}
	*ret = scalar->text;
	return 0;
}

int scalar_translate(struct node *scalar, enum node_schema from, struct arena *arena)
{
	struct node as_read = *scalar;
	struct span text;

	as_read.schema = (uint8_t)from;
	enum scalar_type type = scalar_type(&as_read);
	if (type == scalar_type(scalar) && scalar_equal(&as_read, scalar))
		return 0;
	if (type == SCALAR_STRING) {
		scalar->style = NODE_SINGLE;
		return 0;
	}
	/* It keeps its text and schema if no other schema has the value: .inf, a date. */
	*scalar = as_read;
	if (type == SCALAR_TIMESTAMP)
		return 0;
	int r = scalar_json(&as_read, arena, &text);
	if (r < 0)
		return r == -ERANGE ? 0 : r;
	scalar->text = text;
	scalar->schema = NODE_JSON;
	return 0;
}

static const char *next_base64(const char *p, const char *end)
{
	while (p < end && strchr(" \t\r\n", *p) && *p)
		p++;
	return p;
}

/* Base64 may have line breaks anywhere. */
static bool binaries_equal(struct span a, struct span b)
{
	const char *p = a.data, *p_end = span_end(a);
	const char *q = b.data, *q_end = span_end(b);

	for (;;) {
		p = next_base64(p, p_end);
		q = next_base64(q, q_end);
		if (p == p_end || q == q_end)
			return p == p_end && q == q_end;
		if (*p++ != *q++)
			return false;
	}
}

static bool values_equal(const struct node *a, const struct node *b, enum scalar_type type)
{
	switch (type) {
	case SCALAR_NULL:
		return true;
	case SCALAR_BOOL:
		return scalar_bool(a) == scalar_bool(b);
	case SCALAR_BINARY:
		return binaries_equal(a->text, b->text);
	case SCALAR_FOREIGN:
		return strcmp(a->tag, b->tag) == 0 && span_equal(a->text, b->text);
	default:
		return span_equal(a->text, b->text);
	}
}

bool scalar_differs_in_dollars(const struct node *a, const struct node *b)
{
	return a->text.len && (a->style == NODE_SINGLE) != (b->style == NODE_SINGLE) &&
	       memchr(a->text.data, '$', a->text.len);
}

bool scalar_equal(const struct node *a, const struct node *b)
{
	enum scalar_type type_a, type_b;
	struct number number_a, number_b;

	/* The common case, keys: their types are not needed. */
	if (!a->tag && !b->tag && a->schema == b->schema && a->style == b->style &&
		span_equal(a->text, b->text))
		return a->style != NODE_PLAIN || !resolve_is_nan(a->text, a->schema);

	type_a = scalar_type(a);
	type_b = scalar_type(b);
	if (is_number(type_a) && is_number(type_b)) {
		number_of(a, type_a, &number_a);
		number_of(b, type_b, &number_b);
		return number_equal(&number_a, &number_b);
	}
	return type_a == type_b && values_equal(a, b, type_a) &&
	       !(a->schema == NODE_TEXT && b->schema == NODE_TEXT &&
		       scalar_differs_in_dollars(a, b));
}

static uint64_t hash_number(const struct node *scalar, enum scalar_type type, uint64_t hash)
{
	struct number number;

	number_of(scalar, type, &number);
	/*
	 * NaN equals only itself. With one hash for all of them, a map of NaNs would degrade to a
	 * list.
	 */
	if (number.form == NUMBER_NAN)
		return hash_add(hash, (uint64_t)(uintptr_t)scalar);
	return number_hash(&number, hash);
}

static uint64_t hash_base64(struct span text, uint64_t hash)
{
	const char *p = text.data, *end = span_end(text);

	for (p = next_base64(p, end); p < end; p = next_base64(p + 1, end))
		hash = hash_add(hash, (unsigned char)*p);
	return hash;
}

uint32_t scalar_hash(const struct node *scalar)
{
	enum scalar_type type = scalar_type(scalar);
	uint64_t hash = hash_add(hash_seed(), 16u + (is_number(type) ? SCALAR_INT : type));

	switch (type) {
	case SCALAR_NULL:
		break;
	case SCALAR_BOOL:
		hash = hash_add(hash, scalar_bool(scalar));
		break;
	case SCALAR_INT:
	case SCALAR_FLOAT:
		hash = hash_number(scalar, type, hash);
		break;
	case SCALAR_BINARY:
		hash = hash_base64(scalar->text, hash);
		break;
	case SCALAR_FOREIGN:
		hash = hash_bytes(hash, span_of(scalar->tag));
		hash = hash_bytes(hash, scalar->text);
		break;
	case SCALAR_STRING:
	case SCALAR_TIMESTAMP:
		hash = hash_bytes(hash, scalar->text);
		break;
	}
	return hash_end(hash);
}
