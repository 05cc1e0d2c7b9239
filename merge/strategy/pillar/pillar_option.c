#include "pillar_option.h"

#include <errno.h>

#include "path.h"
#include "scalar.h"

size_t pillar_name_count(const struct node *value)
{
	if (node_is_sequence(value))
		return value->seq.count;
	return scalar_is_null(value) ? 0 : 1;
}

const struct node *pillar_name_at(const struct node *value, size_t i)
{
	return node_is_sequence(value) ? value->seq.items[i] : value;
}

bool pillar_name_is_valid(const struct node *node)
{
	enum scalar_type type = node_is_scalar(node) ? scalar_type(node) : SCALAR_NULL;

	return type != SCALAR_NULL && type != SCALAR_BINARY && type != SCALAR_FOREIGN;
}

const struct option_spec pillar_option_specs[] = {
	{"keys", OPTION_VALUE, "[_merge, _parent, _data]", NULL,
		"the keys that name the files to merge in: one key or a list of keys"},
	{"neighbour_key", OPTION_TEXT, "_neighbours", NULL,
		"the key that names further files; for each NAME there, the result gets a key NAME "
		"with the content of NAME.yaml"},
	{"data_path", OPTION_TEXT, "", NULL,
		"the directory, relative to the layers, below which the named files lie"},
	{0},
};

/* Lists the names of the reference keys. `names` must have room for PILLAR_KEYS_MAX. */
static size_t list_keys(const struct options *options, struct span *names)
{
	static const char *const defaults[] = {"_merge", "_parent", "_data"};
	const struct node *value = options_get(options, "keys");
	size_t count = value ? pillar_name_count(value) : sizeof(defaults) / sizeof(*defaults);

	for (size_t i = 0; i < count; i++)
		names[i] = value ? pillar_name_at(value, i)->text : span_of(defaults[i]);
	return count;
}

/* Removes slashes at the end: users may write a directory with them. */
static struct span trim_slashes(struct span path)
{
	while (path.len > 0 && path.data[path.len - 1] == '/')
		path.len--;
	return path;
}

static int check_keys(const struct node *value, struct problem *problem)
{
	if (pillar_name_count(value) > PILLAR_KEYS_MAX)
		return problem_at(problem, value, "the option 'keys' takes at most %d names",
			PILLAR_KEYS_MAX);
	for (size_t i = 0; i < pillar_name_count(value); i++) {
		const struct node *key = pillar_name_at(value, i);

		if (!pillar_name_is_valid(key) || key->text.len == 0)
			return problem_at(problem, key,
				"the option 'keys' takes the name of a key, or a list of names");
	}
	return 0;
}

static int check_data_path(const struct node *value, struct problem *problem)
{
	struct span path = trim_slashes(value->text);
	const char *fault = path.len > 0 ? path_fault(path) : NULL;

	if (value->text.len > 0 && value->text.data[0] == '/')
		fault = "leave out the slash in front";
	if (!fault)
		return 0;
	return problem_at(problem, value,
		"the option 'data_path' is a directory beneath the root of the layers, and '%s' is "
		"none: %s",
		value->text.data, fault);
}

int pillar_options_check(const struct options *options, struct problem *problem)
{
	struct span names[PILLAR_KEYS_MAX], neighbour = options_text(options, "neighbour_key");
	const struct node *keys = options_get(options, "keys");
	const struct node *data_path = options_get(options, "data_path");
	int r = keys ? check_keys(keys, problem) : 0;

	if (r == 0 && data_path)
		r = check_data_path(data_path, problem);
	if (r != 0)
		return r;

	for (size_t i = list_keys(options, names); i-- > 0;)
		if (span_equal(names[i], neighbour) || span_is(names[i], PILLAR_CONTROL))
			return problem_at(problem, options->map,
				"the options 'keys' and 'neighbour_key' name '%s' for two things: "
				"rename one",
				names[i].data);
	if (span_is(neighbour, PILLAR_CONTROL))
		return problem_at(problem, options_get(options, "neighbour_key"),
			"the option 'neighbour_key' can't be '" PILLAR_CONTROL
			"', which marks a map that is not combined");
	return 0;
}

int pillar_options_read(
	const struct options *options, struct arena *arena, struct pillar_options *ret)
{
	struct span names[PILLAR_KEYS_MAX], name = options_text(options, "neighbour_key");
	struct span path = trim_slashes(options_text(options, "data_path"));
	struct pillar_options read = {.key_count = list_keys(options, names)};

	for (size_t i = 0; i < read.key_count; i++) {
		/* Quoted, so that it equals a key that is a string. */
		read.keys[i] = node_new_scalar(arena, names[i], NODE_SINGLE);
		if (!read.keys[i])
			return -ENOMEM;
	}
	if (name.len > 0) {
		read.neighbour = node_new_scalar(arena, name, NODE_SINGLE);
		if (!read.neighbour)
			return -ENOMEM;
	}
	read.data_path = arena_copy(arena, path);
	if (!read.data_path)
		return -ENOMEM;

	*ret = read;
	return 0;
}

bool pillar_options_has(const struct pillar_options *options, struct span name)
{
	for (size_t i = 0; i < options->key_count; i++)
		if (span_equal(name, options->keys[i]->text))
			return true;
	return span_is(name, PILLAR_CONTROL) ||
	       (options->neighbour && span_equal(name, options->neighbour->text));
}
