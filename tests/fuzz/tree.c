/*
 * Trees that no reader has made, with texts that are hard to write. In each format that can hold
 * one, it reads back as the same values, and that is written as the same bytes.
 *
 * The bytes are choices: byte 0 the YAML schema, then for each value its kind and its content.
 */
#include "round.h"

#define DEPTH_MAX 8

struct maker {
	struct fuzz_input input;
	struct arena *arena;
	enum node_schema schema;
};

static const struct node *make_value(struct maker *maker, unsigned depth);

/* Characters that have a meaning in some format, and rare ones. */
static const char *const pieces[] = {"a", "b", "1", "0", " ", "  ", "\n", "\t", "\r", "\r\n", ":",
	": ", "#", " #", "-", "- ", "'", "\"", "\\", "/", "{", "}", "[", "]", ",", "&", "*", "!",
	"|", ">", "%", "@", "`", "~", "=", ";", "$", "?", "<<", ".", "_", "+", "e", "x", "\x01",
	"\x7f", "\xC2\x85", "\xC2\xA0", "\xE2\x80\xA8", "\xEF\xBB\xBF", "\xF0\x9F\x98\x80",
	"\xC3\xA4", "\xEF\xBF\xBE", "---", "...", "\n\n", "\n ", "//", "/*", "''", "\"\"\"", "'''"};

/* Plain texts that have a type, in one schema or another. */
static const char *const words[] = {"", "null", "~", "true", "no", "0", "-1", "0x1F", "0644",
	"0o17", "1_000", "1:30", "1.5", "-.5", "1e3", ".inf", "-.INF", ".nan", "2001-01-02",
	"2001-12-14t21:59:43.10-05:00", "99999999999999999999999", "1e400", "=", "<<", "y", "inf",
	"12e03", "0b11", "+1", "1.", "text", "---", "..."};

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

static struct span make_text(struct maker *maker)
{
	char text[128] = "";
	unsigned count = fuzz_byte(&maker->input) % 12;

	for (unsigned i = 0; i < count; i++)
		strcat(text, pieces[fuzz_byte(&maker->input) % ELEMENTS(pieces)]);
	char *copy = arena_copy(maker->arena, span_of(text));
	if (!copy)
		abort();
	return span_of(copy);
}

static struct node *make_scalar(struct maker *maker)
{
	uint8_t kind = fuzz_byte(&maker->input);
	enum node_style style = NODE_PLAIN + kind / 2 % 5;
	struct node *node;

	if (kind & 1)
		node = node_new_scalar(maker->arena,
			span_of(words[fuzz_byte(&maker->input) % ELEMENTS(words)]),
			kind & 2 ? NODE_PLAIN : style);
	else
		node = node_new_scalar(maker->arena, make_text(maker), style);
	if (!node)
		abort();
	node->schema = (uint8_t)maker->schema;
	if (kind >= 0xE0)
		node->tag = kind & 0x10 ? "!x" : "tag:yaml.org,2002:str";
	return node;
}

static struct node *make_list(struct maker *maker, unsigned depth)
{
	unsigned count = fuzz_byte(&maker->input) % 4;
	struct node *list = node_new_sequence(maker->arena, NULL);

	for (unsigned i = 0; list && i < count; i++)
		if (node_push(maker->arena, list, make_value(maker, depth - 1)) < 0)
			abort();
	return list;
}

static struct node *make_map(struct maker *maker, unsigned depth)
{
	unsigned count = fuzz_byte(&maker->input) % 4;
	struct node *map = node_new_map(maker->arena, NULL);

	for (unsigned i = 0; map && i < count; i++) {
		const struct node *key = make_scalar(maker);

		if (node_put(maker->arena, map, key, make_value(maker, depth - 1)) < 0)
			abort();
	}
	return map;
}

static const struct node *make_value(struct maker *maker, unsigned depth)
{
	uint8_t kind = depth ? fuzz_byte(&maker->input) : 0;
	struct node *node = kind % 8 < 4   ? make_scalar(maker)
			    : kind % 8 < 6 ? make_map(maker, depth)
					   : make_list(maker, depth);

	if (!node)
		abort();
	if (!node_is_scalar(node)) {
		node->style = kind & 8 ? NODE_FLOW : NODE_BLOCK;
		node->tag = kind >= 0xE0 ? "!y" : NULL;
	}
	return node;
}

/* Formats have different forms of times, and different words for NaN. */
static bool is_same_scalar(const struct node *a, const struct node *b)
{
	enum scalar_type type = scalar_type(a);

	if (type == SCALAR_TIMESTAMP)
		return true;
	if (type == SCALAR_FLOAT && scalar_number(a) != scalar_number(a))
		return scalar_type(b) == SCALAR_FLOAT && scalar_number(b) != scalar_number(b);
	return scalar_equal(a, b);
}

static bool is_same_value(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind || node_count(a) != node_count(b) || !a->tag != !b->tag)
		return false;
	for (uint32_t i = 0; i < node_count(a); i++) {
		const struct node *value = *node_entry(a, i), *other = *node_entry(b, i);

		if (!is_same_value(value, other))
			return false;
		if (node_is_map(a) && !is_same_value(a->map.pairs[i].key, b->map.pairs[i].key))
			return false;
	}
	return !node_is_scalar(a) || is_same_scalar(a, b);
}

static void check_format(
	const struct node *root, const struct format *format, enum node_schema schema)
{
	const struct read_options options = {
		.format = format, .schema = schema, .limits = FUZZ_LIMITS};
	CLEANUP(arena_freep) struct arena *arena = NULL;
	CLEANUP(document_freep) struct document *document = NULL;
	struct span text;

	if (arena_new(&arena) < 0 || !fuzz_write(root, format, arena, &text))
		return;
	fuzz_must_read(text, &options, &document);
	if (format == &format_yaml &&
		(document->count != 1 || !is_same_value(root, document->roots[0])))
		fuzz_stop("what was written reads as something else", text);
	for (size_t i = 0; i < document->count; i++)
		round_check_own(document->roots[i], &options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct maker maker = {.input = {data, size}};
	CLEANUP(arena_freep) struct arena *arena = NULL;

	if (arena_new(&arena) < 0)
		return 0;
	maker.arena = arena;
	maker.schema = fuzz_byte(&maker.input) & 1 ? NODE_YAML_1_2 : NODE_YAML_1_1;
	const struct node *root = make_value(&maker, DEPTH_MAX);
	for (const struct format *const *at = format_all(); *at; at++)
		check_format(root, *at, maker.schema);
	return 0;
}
