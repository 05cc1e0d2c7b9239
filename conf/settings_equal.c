/* The comparison of settings: of all that they say, or of what counts for one path. */
#include <string.h>

#include "scalar.h"
#include "settings.h"
#include "value_bound.h"

static bool layer_equal(const struct layer *a, const struct layer *b)
{
	return strcmp(a->path, b->path) == 0 && (a->dirfd < 0) == (b->dirfd < 0) &&
	       a->dev == b->dev && a->ino == b->ino;
}

static bool schema_equal(const struct schema_file *a, const struct schema_file *b)
{
	if (!a || !b)
		return a == b;
	if (strcmp(a->text.path, b->text.path) != 0 || !span_equal(a->text.bytes, b->text.bytes) ||
		a->other_count != b->other_count || a->validates_formats != b->validates_formats)
		return false;
	for (uint32_t i = 0; i < a->other_count; i++)
		if (strcmp(a->others[i]->text.path, b->others[i]->text.path) != 0 ||
			!span_equal(a->others[i]->text.bytes, b->others[i]->text.bytes))
			return false;
	return true;
}

bool settings_equal(const struct settings *a, const struct settings *b)
{
	const struct settings_text *text;

	if (!a->text.document != !b->text.document || a->layer_count != b->layer_count ||
		a->preset_count != b->preset_count || a->schema_count != b->schema_count)
		return false;
	/* Compares bytes: the order of keys counts, and messages name lines. */
	for (size_t i = 0; (text = settings_text_at(a, i)); i++)
		if (!span_equal(text->bytes, settings_text_at(b, i)->bytes))
			return false;
	for (size_t i = 0; i < a->layer_count; i++)
		if (!layer_equal(a->layers[i], b->layers[i]))
			return false;
	/* Equal rules name the same schemas, and these refer to the same files. */
	for (uint32_t i = 0; i < a->schema_count; i++)
		if (!schema_equal(a->schemas[i], b->schemas[i]))
			return false;
	return true;
}

static bool shows_alike(const struct layer *a, const struct layer *b)
{
	size_t i = 0;

	while (a->exclude[i] && b->exclude[i] && strcmp(a->exclude[i], b->exclude[i]) == 0)
		i++;
	return a->follow == b->follow && !a->exclude[i] && !b->exclude[i];
}

uint64_t settings_layers_without(const struct settings *a, const struct settings *b)
{
	uint64_t without = 0;
	size_t from = 0;

	for (size_t i = 0; i < a->layer_count; i++) {
		size_t j = from;
		while (j < b->layer_count && (!layer_equal(a->layers[i], b->layers[j]) ||
						     !shows_alike(a->layers[i], b->layers[j])))
			j++;
		if (j < b->layer_count)
			from = j + 1;
		else
			without |= (uint64_t)1 << i;
	}
	return without;
}

/* The order of keys counts: of the options for places, the last one that matches. */
static bool nodes_equal(const struct node *a, const struct node *b)
{
	if (!a || !b || a->kind != b->kind)
		return a == b;
	if (node_is_scalar(a))
		return scalar_type(a) == scalar_type(b) && node_equal(a, b);
	if (node_count(a) != node_count(b) || !node_tags_equal(a, b))
		return false;
	for (uint32_t i = 0; i < node_count(a); i++)
		if ((node_is_map(a) && !nodes_equal(a->map.pairs[i].key, b->map.pairs[i].key)) ||
			!nodes_equal(*node_entry(a, i), *node_entry(b, i)))
			return false;
	return true;
}

static bool options_equal(const struct options *a, const struct options *b)
{
	return a->strategy == b->strategy && nodes_equal(a->map, b->map) &&
	       nodes_equal(a->locks ? a->locks->map : NULL, b->locks ? b->locks->map : NULL) &&
	       nodes_equal(a->bounds ? a->bounds->map : NULL, b->bounds ? b->bounds->map : NULL);
}

static bool sources_equal(const struct virtual_file *a, const struct virtual_file *b)
{
	if (!a || !b || a->from_count != b->from_count)
		return a == b;
	for (size_t i = 0; i < a->from_count; i++)
		if (strcmp(a->from[i], b->from[i]) != 0)
			return false;
	return true;
}

static bool rule_equal(const struct rule *a, const struct rule *b)
{
	return a->dropins == b->dropins && a->format == b->format && a->toml == b->toml &&
	       nodes_equal(a->dropin_suffixes, b->dropin_suffixes) &&
	       options_equal(&a->options, &b->options) && program_equal(a->check, b->check) &&
	       schema_equal(a->schema, b->schema);
}

bool settings_equal_at(const struct settings *a, const struct settings *b, const char *path)
{
	return settings_yaml(a, path) == settings_yaml(b, path) &&
	       a->options.header == b->options.header &&
	       a->options.on_error == b->options.on_error &&
	       sources_equal(settings_file(a, path), settings_file(b, path)) &&
	       rule_equal(settings_rule_for(a, path), settings_rule_for(b, path));
}
