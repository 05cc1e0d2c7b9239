#include "typed_value.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "cleanup.h"
#include "edit/edit_tree.h"
#include "input.h"
#include "scalar.h"

/* Maximum size of a VALUE from a file, in bytes; the same as a source's. */
#define SIZE_MAX_FETCHED (16u << 20)

/* The text in front of a value, to parse it as TOML. */
#define TOML_KEY "v = "

static enum node_schema schema_of(const struct read_options *options)
{
	const struct format *format = format_of_tree(options->format);

	if (format == &format_yaml)
		return options->edited;
	if (format_is_toml(format))
		return NODE_TOML;
	return format_has_lists(format) ? NODE_JSON : NODE_TEXT;
}

int typed_documents_take(struct typed_documents *documents, struct document *document)
{
	int r = array_push(documents->items, documents->count, documents->capacity, document);

	if (r < 0)
		document_free(document);
	return r;
}

static int read_text(const struct typed_value *value, const struct format *format, struct span text,
	struct arena *arena, struct typed_documents *documents, struct document **ret,
	struct problem *problem)
{
	const struct read_options options = {
		.format = format,
		.schema = format == &format_yaml ? value->options->edited : value->options->schema,
		.limits = value->options->limits,
		.wants_extents = true,
	};
	const struct source source = {
		.name = arena_printf(arena, "the value of %s", value->key), .layer = ""};

	if (!source.name)
		return -ENOMEM;
	int r = document_read(&source, text, &options, ret, problem);
	return r == 0 ? typed_documents_take(documents, *ret) : r;
}

static int read_yaml(const struct typed_value *value, struct arena *arena,
	struct typed_documents *documents, const struct node **ret, struct problem *problem)
{
	struct document *document;
	int r = read_text(value, &format_yaml, value->text, arena, documents, &document, problem);

	if (r != 0)
		return r;
	if (document->count > 1)
		return problem_at(
			problem, document->roots[1], "a value is one document; take this one out");
	*ret = document->count ? document->roots[0]
			       : node_new_scalar(arena, span_of(""), NODE_SINGLE);
	return *ret ? 0 : -ENOMEM;
}

static bool has_anchor(const struct extent *extent)
{
	bool found = extent->has_anchor || extent->is_alias;

	for (const struct extent *entry = extent->first; !found && entry; entry = entry->next)
		found = has_anchor(entry);
	return found;
}

/*
 * YAML reads {{ name }}, which stands in templates, as a map that is a key, and {name} as a map
 * with a key that has no value.
 */
static bool has_placeholder(const struct node *node)
{
	bool found = false;

	for (uint32_t i = 0; !found && i < node_count(node); i++) {
		const struct pair *pair = node_is_map(node) ? &node->map.pairs[i] : NULL;

		found = (pair && (!node_is_scalar(pair->key) || scalar_is_empty(pair->value))) ||
			has_placeholder(*node_entry(node, i));
	}
	return found;
}

/* Returns whether the value is all of the text from `begin` on, and nothing of it is lost. */
static bool is_all(const struct extent *extent, struct span text, size_t begin)
{
	return extent->value.begin == begin && extent->value.end == text.len &&
	       !has_anchor(extent) && !has_placeholder(extent->node) &&
	       (!node_is_scalar(extent->node) || extent->node->style != NODE_PLAIN);
}

/* Parses the VALUE in the file's own format. Returns 0; *ret NULL: the VALUE is no such value. */
static int read_native(const struct typed_value *value, const struct format *format,
	struct arena *arena, struct typed_documents *documents, const struct node **ret)
{
	bool is_toml = format_is_toml(format);
	size_t begin = is_toml ? strlen(TOML_KEY) : 0;
	struct span text = value->text;
	struct problem ignored;
	struct document *document;

	*ret = NULL;
	if (is_toml) {
		const char *pair = arena_printf(arena, TOML_KEY "%s", text.data);
		if (!pair)
			return -ENOMEM;
		text = span_of(pair);
	}
	int r = read_text(value, format, text, arena, documents, &document, &ignored);
	if (r != 0 || document->count != 1)
		return r < 0 ? r : 0;
	const struct extent *extent = document->extents[0];
	if (is_toml)
		extent = extent->first && !extent->first->next ? extent->first : NULL;
	if (extent && is_all(extent, text, begin))
		*ret = extent->node;
	return 0;
}

static bool has_tag(const struct node *node)
{
	bool found = node->tag;

	for (uint32_t i = 0; !found && i < node_count(node); i++)
		found = has_tag(*node_entry(node, i));
	return found;
}

/* Copies a value, and gives bare words the types of the file's format. NULL: no memory. */
static const struct node *retype(
	struct arena *arena, const struct node *node, enum node_schema schema)
{
	struct node *copy = node_copy(arena, node);

	if (!copy)
		return NULL;
	if (node_is_scalar(node)) {
		copy->schema = (uint8_t)schema;
		/* An empty value is null in YAML, and would become an empty text. */
		if (!node->text.len && node->style == NODE_PLAIN)
			copy->text = span_of("null");
		return copy;
	}
	for (uint32_t i = 0; i < node_count(node); i++) {
		const struct node **entry = node_entry(copy, i);

		*entry = retype(arena, *entry, schema);
		if (!*entry)
			return NULL;
	}
	return copy;
}

/*
 * Parses one map or list in brackets, or one text in quotes. Returns 0; *ret NULL: the VALUE is
 * none.
 */
static int read_enclosed(const struct typed_value *value, struct arena *arena,
	struct typed_documents *documents, const struct node **ret)
{
	const struct format *format = format_of_tree(value->options->format);
	int r = read_native(value, format, arena, documents, ret);

	if (r != 0 || *ret || format == &format_yaml)
		return r;
	r = read_native(value, &format_yaml, arena, documents, ret);
	/* A tag would be lost. */
	if (r == 0 && *ret && has_tag(*ret))
		*ret = NULL;
	if (r == 0 && *ret) {
		*ret = retype(arena, *ret, schema_of(value->options));
		r = *ret ? 0 : -ENOMEM;
	}
	return r;
}

/*
 * Returns whether the bare text has a type. A number to base 60, such as 12:30 in YAML 1.1, never
 * has.
 */
static bool is_typed(const struct node *plain)
{
	enum scalar_type type = scalar_type(plain);

	if (!plain->text.len || memchr(plain->text.data, ':', plain->text.len))
		return false;
	return type == SCALAR_NULL || type == SCALAR_BOOL || type == SCALAR_INT ||
	       type == SCALAR_FLOAT;
}

static bool is_date(const struct node *node)
{
	return node && node_is_scalar(node) && scalar_type(node) == SCALAR_TIMESTAMP;
}

/* Returns whether the old value has VALUE as its text. A null without text is shown as "null". */
static bool has_text_of(const struct node *old, struct span text)
{
	return old && node_is_scalar(old) && span_equal(old->text, text) &&
	       (text.len > 0 || scalar_type(old) != SCALAR_NULL);
}

/*
 * Returns whether the old value is shown as VALUE, but has a meaning that VALUE as a text lacks: a
 * variable (.env), a key without a value, or a tag.
 */
static bool is_shown_alike(const struct typed_value *value)
{
	const struct node *old = value->old;

	return value->kind == TYPED_AUTO && has_text_of(old, value->text) &&
	       (schema_of(value->options) == NODE_TEXT || old->tag);
}

static int read_bare(const struct typed_value *value, struct arena *arena, const struct node **ret,
	enum typed_note *note)
{
	enum node_schema schema = schema_of(value->options);
	const struct node *old = value->old;
	/* In single quotes, a "$" does not begin a variable (.env). */
	bool is_text = value->kind == TYPED_STRING || schema == NODE_TEXT;
	bool has_dollar = memchr(value->text.data, '$', value->text.len);
	struct node *node = node_new_scalar(arena, value->text, NODE_PLAIN);

	if (!node)
		return -ENOMEM;
	*ret = node;
	node->schema = (uint8_t)schema;
	if (is_shown_alike(value)) {
		*ret = old;
		return 0;
	}
	if (!is_text && has_text_of(old, value->text) && old->style == NODE_PLAIN && !old->tag &&
		old->schema == schema)
		return 0; /* the file has this value already */
	if (!is_text && is_typed(node)) {
		if (!old || !scalar_is_string(old))
			return 0;
		*note = TYPED_STAYS_TEXT;
	}
	if (!is_text && is_date(old) && is_date(node))
		return 0;
	if (!is_text || schema != NODE_TEXT)
		node->style = NODE_DOUBLE;
	else if (has_dollar)
		node->style = NODE_SINGLE;
	return 0;
}

/* Keeps texts as texts, also inside of a map that replaces one. NULL: no memory. */
static const struct node *keep_texts(
	const struct node *new, const struct node *old, struct arena *arena, enum typed_note *note)
{
	bool is_bare = node_is_scalar(new) && !new->tag &&new->style == NODE_PLAIN;

	if (is_bare && is_typed(new) && scalar_is_string(old)) {
		struct node *text = node_copy(arena, new);

		if (text)
			text->style = NODE_DOUBLE;
		*note = TYPED_STAYS_TEXT;
		return text;
	}
	if (!node_is_map(new) || !node_is_map(old))
		return new;
	struct node *copy = node_copy(arena, new);
	for (uint32_t i = 0; copy && i < copy->map.count; i++) {
		struct pair *pair = &copy->map.pairs[i];
		const struct pair *was = node_find_hashed(old, pair->key, pair->hash);

		if (was)
			pair->value = keep_texts(pair->value, was->value, arena, note);
		if (!pair->value)
			return NULL;
	}
	return copy;
}

static int read_value(const struct typed_value *value, struct arena *arena,
	struct typed_documents *documents, const struct node **ret, enum typed_note *note,
	struct problem *problem)
{
	bool is_text = schema_of(value->options) == NODE_TEXT || value->kind == TYPED_STRING;
	char first = *value->text.data;
	int r = 0;

	*note = TYPED_AS_IT_IS;
	*ret = NULL;
	if (value->kind == TYPED_YAML)
		return read_yaml(value, arena, documents, ret, problem);
	if (!is_text && first && strchr("[{\"'", first))
		r = read_enclosed(value, arena, documents, ret);
	if (r == 0 && *ret && value->old) {
		*ret = keep_texts(*ret, value->old, arena, note);
		return *ret ? 0 : -ENOMEM;
	}
	if (r != 0 || *ret)
		return r;
	if (!is_text && (first == '[' || first == '{'))
		*note = TYPED_NO_LIST;
	return read_bare(value, arena, ret, note);
}

/* Converts the value from the version that the file declares to that of the merged file. */
static int translate(const struct typed_value *value, struct arena *arena,
	struct typed_documents *documents, const struct node **node, struct problem *problem)
{
	const enum node_schema to = value->options->schema;
	struct read_options declared = *value->options;
	struct edit_op op = {.kind = EDIT_SET, .value = *node};
	struct document *document = NULL;

	declared.schema = value->options->edited;
	if (format_of_tree(declared.format) != &format_yaml || declared.schema == to)
		return 0;
	int r = edit_op_convert(&op, &to, &declared, arena, &document, problem);
	if (document && typed_documents_take(documents, document) < 0)
		return -ENOMEM;
	*node = op.value;
	return r;
}

int typed_value_read(const struct typed_value *value, struct arena *arena,
	struct typed_documents *documents, const struct node **ret, enum typed_note *note,
	struct problem *problem)
{
	int r = read_value(value, arena, documents, ret, note, problem);

	return r == 0 ? translate(value, arena, documents, ret, problem) : r;
}

void typed_documents_fini(struct typed_documents *documents)
{
	for (size_t i = 0; i < documents->count; i++)
		document_free(documents->items[i]);
	free(documents->items);
}

int typed_value_fetch(const char *text, char **ret, struct problem *problem)
{
	bool is_file = *text == '@' && text[1];
	const char *name = is_file ? text + 1 : INPUT_STDIN;
	size_t len = 0;

	if (!is_file && strcmp(text, "-") != 0) {
		*ret = strdup(text);
		return *ret ? 0 : -ENOMEM;
	}
	int r = input_read(is_file ? name : NULL, SIZE_MAX_FETCHED, ret, &len, problem);
	if (r == -EFBIG)
		return problem_set(problem, name, 0, 0, "is larger than %u bytes; no VALUE is",
			SIZE_MAX_FETCHED);
	if (r == PROBLEM && is_file)
		return problem_reword(problem, problem,
			"%s; for a VALUE that begins with '@' itself, give --string",
			problem->message);
	if (r != 0)
		return r;
	if (memchr(*ret, '\0', len)) {
		free(*ret);
		*ret = NULL;
		return problem_set(problem, name, 0, 0, "has a NUL byte; a VALUE is text");
	}
	if (len > 0 && (*ret)[len - 1] == '\n') {
		(*ret)[--len] = '\0';
		if (len > 0 && (*ret)[len - 1] == '\r')
			(*ret)[--len] = '\0';
	}
	return 0;
}
