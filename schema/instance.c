#include "instance.h"

#include "decimal.h"
#include "hash.h"
#include "scalar.h"
#include "utf8.h"

/* A decimal is large: it must not lie in the frame of a recursive function. */
#define APART __attribute__((noinline))

APART static unsigned number_type(const struct node *scalar)
{
	struct decimal decimal;

	decimal_of(scalar, &decimal);
	/* An integer that is too long to be converted is an integer, too. */
	if (decimal_is_whole(&decimal) || scalar_type(scalar) == SCALAR_INT)
		return INSTANCE_NUMBER | INSTANCE_INTEGER;
	return INSTANCE_NUMBER;
}

unsigned instance_type(const struct node *node)
{
	if (node_is_map(node))
		return INSTANCE_OBJECT;
	if (node_is_sequence(node))
		return INSTANCE_ARRAY;
	switch (scalar_type(node)) {
	case SCALAR_NULL:
		return INSTANCE_NULL;
	case SCALAR_BOOL:
		return INSTANCE_BOOLEAN;
	case SCALAR_INT:
	case SCALAR_FLOAT:
		return number_type(node);
	case SCALAR_STRING:
	case SCALAR_TIMESTAMP:
	case SCALAR_BINARY:
	case SCALAR_FOREIGN:
		break;
	}
	return INSTANCE_STRING;
}

const char *instance_type_name(const struct node *node)
{
	switch (instance_type(node)) {
	case INSTANCE_NULL:
		return "null";
	case INSTANCE_BOOLEAN:
		return "a boolean";
	case INSTANCE_OBJECT:
		return "a map";
	case INSTANCE_ARRAY:
		return "a list";
	case INSTANCE_STRING:
		return "a string";
	default:
		return "a number";
	}
}

APART static bool numbers_equal(const struct node *a, const struct node *b)
{
	struct decimal left, right;

	decimal_of(a, &left);
	decimal_of(b, &right);
	if (left.form != DECIMAL_FINITE || right.form != DECIMAL_FINITE)
		return scalar_equal(a, b);
	return decimal_compare(&left, &right) == 0;
}

static bool scalars_equal(const struct node *a, const struct node *b)
{
	unsigned type_a = instance_type(a), type_b = instance_type(b);

	if (type_a & type_b & INSTANCE_NUMBER)
		return numbers_equal(a, b);
	if (type_a != type_b)
		return false;
	switch (type_a) {
	case INSTANCE_NULL:
		return true;
	case INSTANCE_BOOLEAN:
		return scalar_bool(a) == scalar_bool(b);
	default:
		return span_equal(a->text, b->text);
	}
}

static bool maps_equal(const struct node *a, const struct node *b)
{
	if (a->map.count != b->map.count)
		return false;
	for (uint32_t i = 0; i < a->map.count; i++) {
		struct span name = instance_key(a->map.pairs[i].key);
		const struct pair *other = instance_find(b, name, instance_name_hash(name));

		if (!other || !instance_equal(a->map.pairs[i].value, other->value))
			return false;
	}
	return true;
}

bool instance_equal(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind)
		return false;
	if (node_is_scalar(a))
		return scalars_equal(a, b);
	if (node_is_map(a))
		return maps_equal(a, b);
	if (a->seq.count != b->seq.count)
		return false;
	for (uint32_t i = 0; i < a->seq.count; i++)
		if (!instance_equal(a->seq.items[i], b->seq.items[i]))
			return false;
	return true;
}

APART static uint64_t hash_number(const struct node *scalar, uint64_t hash)
{
	struct decimal decimal;

	decimal_of(scalar, &decimal);
	return decimal_hash(&decimal, hash);
}

static uint64_t hash_scalar(const struct node *scalar, uint64_t hash)
{
	unsigned type = instance_type(scalar);

	hash = hash_add(hash, type & INSTANCE_NUMBER ? INSTANCE_NUMBER : type);
	if (type & INSTANCE_NUMBER)
		return hash_number(scalar, hash);
	if (type == INSTANCE_STRING)
		return hash_bytes(hash, scalar->text);
	return type == INSTANCE_BOOLEAN ? hash_add(hash, scalar_bool(scalar)) : hash;
}

uint64_t instance_hash(const struct node *node)
{
	uint64_t hash = hash_add(hash_seed(), node->kind), sum = 0;

	if (node_is_scalar(node))
		return hash_scalar(node, hash);
	hash = hash_add(hash, node_count(node));
	if (node_is_sequence(node)) {
		for (uint32_t i = 0; i < node->seq.count; i++)
			hash = hash_add(hash, instance_hash(node->seq.items[i]));
		return hash;
	}
	/* A sum, as the order of pairs has no meaning. */
	for (uint32_t i = 0; i < node->map.count; i++)
		sum += hash_add(hash_bytes(hash_seed(), instance_key(node->map.pairs[i].key)),
			instance_hash(node->map.pairs[i].value));
	return hash_add(hash, sum);
}

struct span instance_key(const struct node *key)
{
	return node_is_scalar(key) ? key->text : (struct span){"", 0};
}

uint32_t instance_name_hash(struct span name)
{
	struct node node = {.kind = NODE_SCALAR, .style = NODE_DOUBLE, .text = name};

	return node_hash(&node);
}

/* Finds a key that is no string (80, true, a date), by reading the text as each format would. */
static const struct pair *find_plain(const struct node *map, struct span name)
{
	static const uint8_t schemas[] = {
		NODE_YAML_1_1, NODE_YAML_1_2, NODE_SALT, NODE_JSON, NODE_TOML};

	for (size_t i = 0; i < sizeof(schemas); i++) {
		struct node key = {.kind = NODE_SCALAR, .schema = schemas[i], .text = name};
		const struct pair *found = scalar_is_string(&key) ? NULL : node_find(map, &key);

		/* 80 and 0x50 are the same key, but different texts. */
		if (found && span_equal(instance_key(found->key), name))
			return found;
	}
	return NULL;
}

const struct pair *instance_find(const struct node *map, struct span name, uint32_t hash)
{
	struct node key = {.kind = NODE_SCALAR, .style = NODE_DOUBLE, .text = name};
	const struct pair *found = node_find_hashed(map, &key, hash);

	return found ? found : find_plain(map, name);
}

uint64_t instance_length(struct span text)
{
	return utf8_count(text.data, span_end(text));
}
