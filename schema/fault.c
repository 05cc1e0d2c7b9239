/*
 * In the messages of keywords,
 *
 *      %v   is the keyword's value             %i       is the instance
 *      %t   is the instance's type             %s       is the record's name
 *      %n   is the number of items             %1 %2    are the record's numbers
 *      %c   is the number of the keyword's entries
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "key.h"
#include "run.h"
#include "scalar.h"
#include "shown.h"
#include "word.h"

/* Greatest length of one value and of a list of values in a message, in bytes. */
#define VALUE_SHOWN_MAX 80
#define LIST_SHOWN_MAX 240

/* Greatest number of steps in a schema's place: no document is deeper. */
#define STEPS_MAX 1024

/* Greatest number of alternatives whose failure a message explains. */
#define ALTERNATIVES_MAX 5

struct fault_text {
	char bytes[PROBLEM_MESSAGE_MAX];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void put(
	struct fault_text *text, const char *format, ...)
{
	size_t room = sizeof(text->bytes) - text->len;
	va_list arguments;

	va_start(arguments, format);
	int len = vsnprintf(text->bytes + text->len, room, format, arguments);
	va_end(arguments);
	if (len > 0)
		text->len += (size_t)len < room ? (size_t)len : room - 1;
}

static void put_quoted(struct fault_text *text, struct span name)
{
	char shown[VALUE_SHOWN_MAX];

	shown_head(shown, sizeof(shown), name.data ? name.data : "");
	put(text, "'%s'", shown);
}

static void put_value(struct fault_text *text, const struct node *node)
{
	char shown[VALUE_SHOWN_MAX];

	if (!node_is_scalar(node) || instance_type(node) == INSTANCE_NULL) {
		put(text, "%s", instance_type_name(node));
		return;
	}
	if (instance_type(node) == INSTANCE_STRING) {
		put_quoted(text, node->text);
		return;
	}
	shown_head(shown, sizeof(shown), node->text.data);
	put(text, "%s", shown);
}

static void put_constant(struct fault_text *text, const struct node *constant);

/* Writes what a list or map of the schema has. */
static void put_entries(struct fault_text *text, const struct node *node)
{
	size_t start = text->len;

	for (uint32_t i = 0; i < node_count(node); i++) {
		if (text->len - start > LIST_SHOWN_MAX || text->len + 1 == sizeof(text->bytes)) {
			put(text, " and %u more", (unsigned)(node_count(node) - i));
			return;
		}
		put(text, "%s", i ? ", " : "");
		if (node_is_map(node)) {
			put_quoted(text, instance_key(node->map.pairs[i].key));
			put(text, ": ");
		}
		put_constant(text, *node_entry(node, i));
	}
}

static void put_constant(struct fault_text *text, const struct node *constant)
{
	if (node_is_scalar(constant)) {
		put_value(text, constant);
		return;
	}
	put(text, "%s", node_is_map(constant) ? "{" : "[");
	put_entries(text, constant);
	put(text, "%s", node_is_map(constant) ? "}" : "]");
}

/* Writes the types in our words: a map is JSON's object. */
static void put_types(struct fault_text *text, unsigned types)
{
	static const struct {
		unsigned type;
		const char *name;
	} names[] = {{INSTANCE_OBJECT, "a map"}, {INSTANCE_ARRAY, "a list"},
		{INSTANCE_STRING, "a string"}, {INSTANCE_NUMBER, "a number"},
		{INSTANCE_INTEGER, "a whole number"}, {INSTANCE_BOOLEAN, "true or false"},
		{INSTANCE_NULL, "null"}};
	const char *between = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(types & names[i].type))
			continue;
		put(text, "%s%s", between, names[i].name);
		between = " or ";
	}
}

static void put_keyword_value(struct fault_text *text, const struct keyword *keyword)
{
	if (strcmp(keyword->spec->name, "type") == 0)
		put_types(text, keyword->number);
	else if (strcmp(keyword->spec->name, "enum") == 0)
		put_entries(text, keyword->value);
	else
		put_constant(text, keyword->value);
}

static void put_item_count(struct fault_text *text, const struct keyword *keyword)
{
	if (keyword->more == UINT32_MAX)
		put(text, "at least %u items", (unsigned)keyword->number);
	else if (keyword->number == 0)
		put(text, "at most %u items", (unsigned)keyword->more);
	else
		put(text, "%u to %u items", (unsigned)keyword->number, (unsigned)keyword->more);
}

/* Returns whether a message must not quote the instance. */
static bool is_secret(const struct schema_run *run, const struct schema_record *record)
{
	return secrets_have(&run->secrets, record->instance) ||
	       (record->at && secrets_have(&run->secrets, record->at));
}

static void put_instance(
	struct fault_text *text, const struct schema_run *run, const struct schema_record *record)
{
	if (is_secret(run, record))
		put(text, "%s that is not shown", instance_type_name(record->instance));
	else
		put_value(text, record->instance);
}

/* Writes the instance's type. A number that is not whole is written itself, as it shows the
 * fault. */
static void put_type(
	struct fault_text *text, const struct schema_run *run, const struct schema_record *record)
{
	unsigned type = instance_type(record->instance);

	if (is_secret(run, record) || type & (INSTANCE_NUMBER | INSTANCE_STRING))
		put_instance(text, run, record);
	else
		put(text, "%s", instance_type_name(record->instance));
	if (!is_secret(run, record) && type == INSTANCE_STRING &&
		!(record->keyword->number & INSTANCE_STRING))
		put(text, ", a string");
}

static void put_part(struct fault_text *text, const struct schema_run *run,
	const struct schema_record *record, char part)
{
	switch (part) {
	case 'v':
		put_keyword_value(text, record->keyword);
		return;
	case 'i':
		put_instance(text, run, record);
		return;
	case 't':
		put_type(text, run, record);
		return;
	case 's':
		put_quoted(text, record->name);
		return;
	case 'n':
		put_item_count(text, record->keyword);
		return;
	case 'c':
		put(text, "%u", (unsigned)record->keyword->count);
		return;
	default:
		put(text, "%" PRIu64, part == '1' ? record->first : record->second);
	}
}

/* Returns the name that `key` most likely stands for, if half of it is the same; else the first
 * name. */
static uint32_t nearest_of(const struct node *names, const struct node *key)
{
	size_t least = SIZE_MAX;
	uint32_t found = 0;

	for (uint32_t i = 0; key && node_is_scalar(key) && i < names->map.count; i++) {
		const struct span name = names->map.pairs[i].key->text;
		size_t longer = name.len > key->text.len ? name.len : key->text.len;
		size_t edits = word_distance(name, key->text);

		if (edits >= least || edits > longer / 2)
			continue;
		least = edits;
		found = i;
	}
	return found;
}

/* Lists the names that a map may have, if `additionalProperties` allows no others. */
static void put_known(struct fault_text *text, const struct subschema *rule, const struct node *key)
{
	const struct subschema *parent = rule->parent;
	const struct node *index = NULL;
	size_t start = text->len;

	for (uint32_t i = 0; parent && i < parent->count; i++)
		if (strcmp(parent->keywords[i].spec->name, "additionalProperties") == 0)
			index = parent->keywords[i].index;
	if (!index || !index->map.count || !span_is(rule->step, "additionalProperties"))
		return;
	uint32_t nearest = nearest_of(index, key);
	put(text, "; known are ");
	put_quoted(text, index->map.pairs[nearest].key->text);
	for (uint32_t i = 0; i < index->map.count; i++) {
		if (i == nearest)
			continue;
		if (text->len - start > LIST_SHOWN_MAX) {
			put(text, " and %u more", (unsigned)(index->map.count - i - (i < nearest)));
			return;
		}
		put(text, ", ");
		put_quoted(text, index->map.pairs[i].key->text);
	}
}

/* Returns the last key on the record's path; NULL: the last step is no key. */
static const struct node *last_key(const struct schema_run *run, const struct schema_record *record)
{
	return record->path_count ? run->kept_steps[record->path + record->path_count - 1].key
				  : NULL;
}

static void put_message(
	const struct schema_run *run, const struct schema_record *record, struct fault_text *text)
{
	const char *message;

	if (record->is_key)
		put(text, "the key ");
	if (record->is_key && !is_secret(run, record)) {
		put_quoted(text, instance_key(record->instance));
		put(text, " ");
	}
	if (!record->keyword) {
		put(text, "is not allowed here");
		put_known(text, record->rule, last_key(run, record));
		return;
	}
	message = record->keyword->spec->message;
	if (record->second && strcmp(record->keyword->spec->name, "oneOf") == 0)
		message = "fits its alternatives %1 and %2, and must fit only one";
	for (const char *at = message; at && *at; at++) {
		if (*at == '%')
			put_part(text, run, record, *++at);
		else
			put(text, "%c", *at);
	}
}

/* Writes the record's path as a KEY, from step `first` on, with [?] for each key that is a secret;
 * without its last step, if the fault is in such a key itself. */
static int put_path(const struct schema_run *run, const struct schema_record *record,
	uint32_t first, struct key_text *key)
{
	uint32_t count = record->path_count - (record->is_key && is_secret(run, record));

	for (uint32_t i = first; i < count; i++) {
		const struct edit_step *step = &run->kept_steps[record->path + i];

		if (step->key && secrets_have(&run->secrets, step->key))
			key_text_put_text(key, span_of("[?]"));
		else if (step->key)
			key_text_put(key, step->key);
		else
			key_text_put_index(key, step->index);
	}
	return key->has_failed ? -ENOMEM : 0;
}

/* Writes why each alternative fails, as far as a line has room. */
static int put_children(
	const struct schema_run *run, const struct schema_record *record, struct fault_text *text)
{
	int r = 0;

	for (uint32_t i = 1; r == 0 && i <= record->children; i++) {
		const struct schema_record *child = record + i;
		CLEANUP(key_text_fini) struct key_text path = {0};

		if (i > ALTERNATIVES_MAX) {
			put(text, "; and so on");
			return 0;
		}
		put(text, "%s(%u) ", i == 1 ? ": " : "; ", (unsigned)child->branch + 1);
		r = put_path(run, child, record->path_count, &path);
		if (r == 0 && path.len) {
			put_quoted(text, key_text_span(&path));
			put(text, " ");
		}
		put_message(run, child, text);
	}
	return r;
}

static void put_pointer_step(struct fault_text *text, struct span name)
{
	char shown[VALUE_SHOWN_MAX];

	put(text, "/");
	shown_head(shown, sizeof(shown), name.data);
	for (const char *at = shown; *at; at++)
		put(text, *at == '~' ? "~0" : *at == '/' ? "~1" : "%c", *at);
}

static void put_pointer(struct fault_text *text, const struct subschema *subschema)
{
	const struct subschema *path[STEPS_MAX];
	size_t count = 0;

	for (; subschema->parent; subschema = subschema->parent) {
		if (count < sizeof(path) / sizeof(path[0]))
			path[count++] = subschema;
	}
	put(text, "%s#", subschema->resource->file);
	while (count-- > 0) {
		put(text, "/%s", path[count]->step.data);
		if (path[count]->key)
			put_pointer_step(text, instance_key(path[count]->key));
		else if (path[count]->index != UINT32_MAX)
			put(text, "/%u", (unsigned)path[count]->index);
	}
}

static char *make_rule(const struct schema_record *record, struct arena *arena)
{
	struct fault_text text = {.len = 0};

	put_pointer(&text, record->keyword ? record->keyword->owner : record->rule);
	if (record->keyword)
		put(&text, "/%s", record->keyword->spec->name);
	return arena_copy(arena, (struct span){text.bytes, text.len});
}

static int make(const struct schema_run *run, const struct schema_record *record,
	struct arena *arena, struct schema_fault *ret)
{
	CLEANUP(key_text_fini) struct key_text path = {0};
	struct fault_text text = {.len = 0};

	int r = put_path(run, record, 0, &path);
	if (r == 0) {
		put_message(run, record, &text);
		r = put_children(run, record, &text);
	}
	if (r < 0)
		return r;
	if (record->alternative)
		put(&text, " (in alternative %u, the nearest)", (unsigned)record->alternative);
	const struct span key = key_text_span(&path);
	ret->key = arena_copy(arena, key);
	ret->message = arena_copy(arena, (struct span){text.bytes, text.len});
	ret->rule = make_rule(record, arena);
	ret->at = record->at ? record->at : record->instance;
	return ret->key && ret->message && ret->rule ? 0 : -ENOMEM;
}

int faults_make(const struct schema_run *run, struct arena *arena, struct faults *ret)
{
	uint32_t count = 0;
	uint64_t more = run->dropped;
	int r = 0;

	ret->items = arena_zalloc(arena, FAULTS_MAX, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < run->record_count; i += 1 + run->records[i].children) {
		if (count == FAULTS_MAX)
			more++;
		else
			r = make(run, &run->records[i], arena, &ret->items[count++]);
	}
	ret->count = count;
	ret->more = more;
	return r;
}

int fault_problem(const struct schema_fault *fault, struct problem *problem)
{
	bool is_root = strcmp(fault->key, ".") == 0;

	return problem_at(problem, fault->at, "%s%s%s (%s)", is_root ? "" : fault->key,
		is_root ? "" : " ", fault->message, fault->rule);
}
