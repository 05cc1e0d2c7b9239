#include "fact.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "format/output.h"
#include "layer_spec.h"
#include "path.h"
#include "settings_make.h"
#include "table.h"
#include "value.h"

/* Characters of a fact's name. */
#define NAME_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

/* Size of a list of names in a message, in bytes. */
#define LIST_MAX 512

/* A value is put into one of these. That decides which bytes need an escape. */
enum target { TARGET_PATH, TARGET_PATTERN, TARGET_COMMAND, TARGETS };

size_t fact_name_length(const char *text)
{
	size_t len = strspn(text, NAME_BYTES);

	return text[len] == '}' ? len : 0;
}

bool fact_is_given(const char *text)
{
	size_t len = strspn(text, NAME_BYTES);

	return len > 0 && text[len] == '=';
}

static const struct node *map_of(const struct settings_environment *around)
{
	return around->fact_file ? around->fact_file->document->roots[0] : NULL;
}

static int refuse_unknown(const struct settings_environment *around, const char *name,
	const struct node *place, struct problem *problem)
{
	const struct node *map = map_of(around);
	char names[LIST_MAX] = "";
	size_t len = 0;

	if (!map)
		return problem_at(problem, place,
			"the fact '%s' has no value: give the map of facts, as in 'facts: "
			"facts.yaml', or --fact %s=VALUE",
			name, name);
	for (uint32_t i = 0; i < map->map.count && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
			map->map.pairs[i].key->text.data);
	int r = value_unknown(place, "fact", name, names, problem);
	const struct problem unknown = *problem;

	(void)problem_reword(problem, &unknown, "%s; add it to %s, or give --fact %s=VALUE",
		unknown.message, around->fact_file->path, name);
	return r;
}

/* Returns why the value can't be used; NULL: it can. */
static const char *fault_of(struct span value)
{
	if (value.len == 0)
		return "it is empty";
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.data[i] < ' ' || value.data[i] == 0x7f)
			return "it has a control character";
	if (memchr(value.data, '/', value.len))
		return "it has a slash";
	return span_is(value, ".") || span_is(value, "..") ? "it leads to another directory" : NULL;
}

int fact_find(const struct settings_environment *around, struct span name, const struct node *place,
	const char **ret, struct problem *problem)
{
	const struct node *map = map_of(around), *node = NULL;
	struct span value = {NULL, 0};
	char text[LIST_MAX];

	if (name.len >= sizeof(text))
		return problem_at(problem, place, "the name of a fact is too long; shorten it");
	(void)snprintf(text, sizeof(text), "%.*s", (int)name.len, name.data);
	for (size_t i = 0; i < SETTINGS_FACTS_MAX && around->facts[i]; i++)
		if (strncmp(around->facts[i], text, name.len) == 0 &&
			around->facts[i][name.len] == '=')
			value = span_of(around->facts[i] + name.len + 1);
	if (!value.data) {
		node = map ? node_get(map, text) : NULL;
		if (!node)
			return refuse_unknown(around, text, place, problem);
		*ret = NULL;
		if (!value_is_given(node))
			return 0;
		value = node->text;
	}
	const char *fault = fault_of(value);
	if (fault)
		return problem_at(problem, node ? node : place,
			"the fact '%s' is '%.*s', and %s; a fact in plyfs.yaml must be one name in "
			"a path",
			text, (int)value.len, value.data, fault);
	*ret = value.data;
	return 0;
}

static int check_file(const struct settings_text *file, struct problem *problem)
{
	if (file->document->count != 1 || !node_is_map(file->document->roots[0]))
		return problem_set(problem, file->path, 1, 1,
			"facts are one map of names to values, as in 'role: web'");
	const struct node *map = file->document->roots[0];
	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct node *key = map->map.pairs[i].key;

		if (!node_is_scalar(key) || key->text.len == 0 ||
			strspn(key->text.data, NAME_BYTES) != key->text.len)
			return problem_at(problem, key,
				"the name of a fact has only letters, digits, '_', '-' and '.'");
		if (!node_is_scalar(map->map.pairs[i].value))
			return problem_at(problem, map->map.pairs[i].value,
				"the fact '%s' must be one value, not a %s", key->text.data,
				node_is_map(map->map.pairs[i].value) ? "map" : "list");
	}
	return 0;
}

/* Reads the file that `node` names; NULL: none. */
static int read_file(struct settings *settings, const struct node *node, struct problem *problem)
{
	struct settings_text *file = &settings->facts;
	const char *name = NULL;
	int r = value_text(node, "facts", &name, problem);

	if (r != 0 || !name)
		return r;
	size_t len = *name != '/' ? path_directory_length(settings->text.path) : 0;
	file->path = arena_printf(settings->arena, "%.*s%s", (int)len, settings->text.path, name);
	if (!file->path)
		return -ENOMEM;
	r = settings_environment_place(
		&settings->around, file->path, settings->arena, &file->place);
	if (r == 0)
		r = settings_text_read(file, problem);
	if (r == PROBLEM && !problem->line) {
		const struct problem of_file = *problem;
		return problem_at(problem, node, "the facts '%s': %s", file->path, of_file.message);
	}
	if (r == 0)
		r = check_file(file, problem);
	if (r == 0)
		settings->around.fact_file = file;
	return r;
}

/* Puts the value, with the escapes that it needs. */
static void put_value(struct output *out, const char *value, enum target target)
{
	for (; *value; value++) {
		if (target == TARGET_PATTERN && strchr("*?[]{},\\", *value))
			output_char(out, '\\');
		else if (target == TARGET_COMMAND && *value == '%')
			output_char(out, '%');
		output_char(out, *value);
	}
}

static int replace_fact(const struct settings *settings, const struct node *node,
	enum target target, struct span name, struct output *out, struct problem *problem)
{
	const char *value;
	int r = fact_find(&settings->around, name, node, &value, problem);

	if (r == 0 && !value)
		r = problem_at(problem, node,
			"the fact '%.*s' has no value on this machine; give it one", (int)name.len,
			name.data);
	if (r == 0)
		put_value(out, value, target);
	return r;
}

/* Replaces the percent sign at *at and what belongs to it, and moves *at behind that. */
static int replace(const struct settings *settings, const struct node *node, enum target target,
	const char **at, struct output *out, struct problem *problem)
{
	const char *p = *at;
	size_t fact = p[1] == '{' ? fact_name_length(p + 2) : 0;
	bool is_command = target == TARGET_COMMAND;
	char value[PATH_MAX];

	*at += fact ? fact + 3 : p[1] == '%' ? 2 : 1;
	if (fact)
		return replace_fact(
			settings, node, target, (struct span){p + 2, fact}, out, problem);
	/* A command's other words with a percent sign are replaced when it runs. */
	int r = is_command || p[1] == '%'
			? -ENOENT
			: layer_specifier(p[1], &settings->around, node, value, problem);
	if (r == 0) {
		put_value(out, value, target);
		*at += 1;
	} else if (r == -ENOENT) {
		output_string(out, is_command && p[1] == '%' ? "%%" : "%");
		r = 0;
	}
	return r;
}

/* Returns the bits enum pattern_owner of the specifiers and facts in a pattern. */
static uint8_t find_owners(const char *pattern)
{
	unsigned owners = 0;

	for (const char *at = strchr(pattern, '%'); at && at[1]; at = strchr(at + 2, '%'))
		for (unsigned i = 0; 1U << i <= OWNER_SYSTEM; i++)
			if (strchr(pattern_owner_letters[i], at[1]) &&
				(at[1] != '{' || fact_name_length(at + 2)))
				owners |= 1U << i;
	return (uint8_t)owners;
}

/* Replaces each fact of the text and, but in a command, each specifier. */
static int expand_text(const struct settings *settings, const struct node *node, enum target target,
	struct span *ret, struct problem *problem)
{
	CLEANUP(output_fini) struct output out = {.max = SIZE_MAX};
	const char *at = node->text.data;
	int r = 0;

	while (r == 0 && *at) {
		size_t plain = strcspn(at, "%");

		output_put(&out, at, plain);
		at += plain;
		if (*at)
			r = replace(settings, node, target, &at, &out, problem);
	}
	return r == 0 ? output_finish(&out, settings->arena, ret, problem) : r;
}

/*
 * Replaces the facts in a value, or in all values of a list or a map. *at becomes a copy, as an
 * alias may lead to the value, too. `copies` has the copy of each value: a small file can lead to
 * one text a million times.
 */
static int expand_value(const struct settings *settings, const struct node **at, enum target target,
	struct table copies[TARGETS], struct problem *problem)
{
	const struct node *known = table_get_address(&copies[target], *at);
	bool is_text = node_is_scalar(*at);
	int r = 0;

	if (known)
		*at = known;
	if (known || (is_text && !strchr((*at)->text.data, '%')))
		return 0;
	struct node *copy = node_copy(settings->arena, *at);
	if (!copy)
		return -ENOMEM;
	if (is_text && target == TARGET_PATTERN)
		copy->mark = find_owners((*at)->text.data);
	if (is_text)
		r = expand_text(settings, *at, target, &copy->text, problem);
	for (uint32_t i = 0; r == 0 && !is_text && i < node_count(copy); i++)
		r = expand_value(settings, node_entry(copy, i), target, copies, problem);
	if (r == 0)
		r = table_put_address(&copies[target], settings->arena, *at, copy);
	*at = copy;
	return r;
}

/* Replaces the facts in the values of a map that can have some. */
static int expand_map(const struct settings *settings, const struct node *map,
	struct table copies[TARGETS], struct problem *problem)
{
	static const struct {
		const char *key;
		enum target target;
	} kinds[] = {{"match", TARGET_PATTERN}, {"from", TARGET_PATTERN}, {"path", TARGET_PATH},
		{"schema", TARGET_PATH}, {"check", TARGET_COMMAND}, {"on_change", TARGET_COMMAND}};
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < map->map.count; i++)
		for (size_t k = 0; r == 0 && k < sizeof(kinds) / sizeof(*kinds); k++)
			if (node_is_scalar(map->map.pairs[i].key) &&
				span_is(map->map.pairs[i].key->text, kinds[k].key))
				r = expand_value(settings, &map->map.pairs[i].value,
					kinds[k].target, copies, problem);
	return r;
}

int settings_expand_facts(
	const struct settings *settings, const struct node *list, struct problem *problem)
{
	struct table copies[TARGETS] = {0};
	uint32_t count = list && node_is_sequence(list) ? list->seq.count : 0;
	int r = list && node_is_map(list) ? expand_map(settings, list, copies, problem) : 0;

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct node *copy = node_copy(settings->arena, list->seq.items[i]);

		if (!copy)
			return -ENOMEM;
		list->seq.items[i] = copy;
		if (node_is_map(copy))
			r = expand_map(settings, copy, copies, problem);
	}
	return r;
}

int settings_read_facts(struct settings *settings, const struct node *root, struct problem *problem)
{
	static const char *const expanded[] = {"rules", "files", "options"};
	int r = read_file(settings, node_get(root, "facts"), problem);

	for (size_t i = 0; r == 0 && i < sizeof(expanded) / sizeof(*expanded); i++)
		r = settings_expand_facts(settings, node_get(root, expanded[i]), problem);
	return r;
}
