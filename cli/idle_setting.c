#include "idle_setting.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "path.h"
#include "value_lock.h"

/* Warns of locks that have no effect. No layer is above the highest one, so its locks have none. */
static int report_locks(
	const struct settings *settings, const struct options *options, struct check_report *report)
{
	const struct value_locks *locks = options->locks;
	const char *highest = settings->specs[settings->spec_count - 1].name;
	struct problem problem;
	int r = 0;

	for (size_t i = 0; r == 0 && locks && i < locks->count; i++) {
		const struct node *layer = locks->items[i].layer;
		bool is_empty = locks->items[i].word_count == 0;

		if (!is_empty && !span_is(layer->text, highest))
			continue;
		problem_at(&problem, layer,
			is_empty ? "the lock of the layer '%s' has no effect: it names no place; "
				   "name one, or remove it"
				 : "the lock of the layer '%s' has no effect: there is no layer "
				   "above it; remove it",
			layer->text.data);
		r = check_report_warn(report, &problem);
	}
	return r;
}

static int report_options(const struct check_tree *tree, const struct options *options,
	enum merged merged, struct check_report *report)
{
	const struct settings *settings = offline_settings(tree->offline);
	int r = 0;

	if (merged == MERGED_ALL)
		r = option_uses_report_idle(&tree->uses, options, check_report_warn, report);
	return r == 0 ? report_locks(settings, options, report) : r;
}

/* Returns whether a file of the entry at that line is of the format, or of one that is not known.
 */
static bool has_format(const struct check_tree *tree, unsigned line, const struct format *format)
{
	const struct settings *settings = offline_settings(tree->offline);

	for (size_t i = 0; i < tree->count; i++) {
		const struct rule *rule = settings_rule(settings, tree->paths[i]);
		const struct format *found = settings_format(settings, tree->paths[i]);

		if (rule->line == line && !rule->preset &&
			(!found || found == format || rule->dropins != DROPINS_NONE))
			return true;
	}
	return false;
}

/* Warns of what an entry says of commands or versions that its files do not have. */
static int report_entry(
	const struct check_tree *tree, const struct rule *rule, struct check_report *report)
{
	const char *version = rule->yaml && !has_format(tree, rule->line, &format_yaml) ? "yaml"
			      : rule->toml && !has_format(tree, rule->line, rule->toml) ? "toml"
											: NULL;
	struct problem problem;
	int r = 0;

	if (rule->idle) {
		problem_at(&problem, rule->idle,
			"a user or a timeout has no effect without a command; give 'check' or "
			"'on_change', or remove it");
		r = check_report_warn(report, &problem);
	}
	if (r != 0 || !version)
		return r;
	problem_set(&problem, rule->source.name, rule->line, 0,
		"'%s' has no effect: none of the files of this rule is %s; remove it", version,
		version[0] == 't' ? "TOML" : "YAML");
	return check_report_warn(report, &problem);
}

/* Warns of unused options. The rules of several patterns share their options. */
static int report_rules(const struct check_tree *tree, struct check_report *report)
{
	const struct settings *settings = offline_settings(tree->offline);
	enum merged merged = MERGED_NONE;
	int r = 0;

	for (size_t i = 0; r == 0 && i < settings->rule_count; i++) {
		const struct rule *rule = &settings->rules[i];
		bool is_last = i + 1 == settings->rule_count || rule[1].line != rule->line ||
			       rule[1].options.map != rule->options.map ||
			       rule[1].options.locks != rule->options.locks ||
			       rule[1].options.bounds != rule->options.bounds;

		if (tree->rules[i] > merged)
			merged = tree->rules[i];
		if (!is_last)
			continue;
		/* A preset has options for all files that a program may have. */
		if (rule->line && !rule->preset)
			r = report_options(tree, &rule->options, merged, report);
		if (r == 0 && rule->line && !rule->preset && merged != MERGED_NONE)
			r = report_entry(tree, rule, report);
		merged = MERGED_NONE;
	}
	for (size_t i = 0; r == 0 && i < settings->file_count; i++)
		r = report_options(tree, &settings->files[i].rule.options, tree->files[i], report);
	return r;
}

static int report_preset(
	const struct check_tree *tree, const struct preset *preset, struct check_report *report)
{
	const struct settings *settings = offline_settings(tree->offline);
	bool is_matched = false;
	struct problem problem;

	for (size_t i = 0; i < settings->rule_count; i++) {
		const struct rule *rule = &settings->rules[i];

		if (!rule->preset || strcmp(rule->preset, preset->name) != 0)
			continue;
		if (tree->rules[i] != MERGED_NONE)
			return 0;
		is_matched |= check_tree_matches(tree, rule->match);
	}
	problem_at(&problem, preset->place,
		is_matched ? "the preset '%s' has no effect: the files that it matches have a rule "
			     "above it, or are virtual; remove it"
			   : "the preset '%s' has no effect: it matches no file; 'plyfs presets "
			     "%s' shows its patterns",
		preset->name, preset->name);
	return check_report_warn(report, &problem);
}

struct idle_search {
	const struct layer *layer;
	const char *directory;
};

/* Returns 1 for a file, 0 to continue, or -errno. */
static int is_file(void *context, const char *name, unsigned char type)
{
	const struct idle_search *search = context;
	CLEANUP(freep) char *path = NULL;

	if (path_join(search->directory, name, &path) < 0)
		return -ENOMEM;
	if (layer_excludes(search->layer, path))
		return 0;
	if (type != DT_DIR)
		return 1;
	return layer_list(search->layer, path, is_file, &(struct idle_search){search->layer, path});
}

/*
 * Warns of empty layers that the settings name: such a layer is meant to have files. Errors of a
 * listing are reported elsewhere.
 */
static int report_layers(const struct settings *settings, struct check_report *report)
{
	struct problem problem;
	int r = 0;

	for (size_t i = 0; r == 0 && i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];
		const struct layer_spec *spec = &settings->specs[layer->rank];

		if (spec->presence == LAYER_OPTIONAL || spec->store || !spec->place ||
			!spec->is_named)
			continue;
		int found = layer_list(layer, "", is_file, &(struct idle_search){layer, ""});
		if (layer_is_shortage(found))
			return found;
		if (found != 0)
			continue;
		problem_at(&problem, spec->place,
			"the layer '%s' has no effect: there is no file in '%s'; put one there, or "
			"leave the layer out",
			layer->name, spec->path);
		r = check_report_warn(report, &problem);
	}
	return r;
}

/* Warns of layers whose directory is that of a lower layer: they add nothing to it. */
static int report_same_layers(const struct settings *settings, struct check_report *report)
{
	struct problem problem;
	int r = 0;

	for (size_t i = 1; r == 0 && i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i], *lower = NULL;
		const struct layer_spec *spec = &settings->specs[layer->rank];

		for (size_t j = 0; !lower && layer->dirfd >= 0 && j < i; j++)
			if (settings->layers[j]->ino == layer->ino &&
				settings->layers[j]->dev == layer->dev)
				lower = settings->layers[j];
		if (!lower || !spec->place)
			continue;
		problem_at(&problem, spec->place,
			"the layer '%s' has no effect: its directory is that of '%s'; correct the "
			"path, or remove it",
			layer->name, lower->name);
		r = check_report_warn(report, &problem);
	}
	return r;
}

/* Suffixes that people confuse; the first of each row stands for all. */
static const char *const suffixes[][3] = {
	{".yaml", ".yml"}, {".json", ".jsonc", ".json5"}, {".conf", ".cnf", ".cfg"}};

struct suffixed_path {
	char *key; /* the path in lower case, with the first suffix of its row */
	const char *path;
	size_t order;
};

static char *make_key(const char *path)
{
	const char *ending = "";
	size_t len = strlen(path), cut = 0;
	char *key = NULL;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		for (size_t j = 0; j < 3 && suffixes[i][j]; j++) {
			size_t size = strlen(suffixes[i][j]);

			if (len > size && strcasecmp(path + len - size, suffixes[i][j]) == 0) {
				ending = suffixes[i][0];
				cut = size;
			}
		}
	if (asprintf(&key, "%.*s%s", (int)(len - cut), path, ending) < 0)
		return NULL;
	for (char *at = key; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return key;
}

static int compare_alike(const void *a, const void *b)
{
	const struct suffixed_path *left = a, *right = b;
	int order = strcmp(left->key, right->key);

	return order ? order : (left->order > right->order) - (left->order < right->order);
}

static int find_layers(const struct settings *settings, const char *path, layer_mask *ret,
	const struct layer **highest)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	int r = lookup ? union_look_up(settings, union_all_layers(settings), path, lookup)
		       : -ENOMEM;

	*ret = 0;
	for (unsigned i = 0; r == 0 && i < lookup->count; i++) {
		const struct layer *layer = settings->layers[lookup->found[i].layer];

		*ret |= (layer_mask)1 << lookup->found[i].layer;
		if (!*highest || layer->rank > (*highest)->rank)
			*highest = layer;
	}
	return r;
}

/* Warns of two names that differ slightly, unless one layer has both and thus means both. */
static int report_alike(const struct settings *settings, const struct suffixed_path *a,
	const struct suffixed_path *b, struct check_report *report)
{
	const struct layer *of_a = NULL, *of_b = NULL;
	CLEANUP(freep) char *name = NULL, *other = NULL;
	layer_mask in_a = 0, in_b = 0;
	struct problem problem;

	int r = find_layers(settings, a->path, &in_a, &of_a);
	if (r == 0)
		r = find_layers(settings, b->path, &in_b, &of_b);
	if (r < 0 || !in_a || !in_b || (in_a & in_b))
		return r;
	bool is_a_higher = of_a->rank > of_b->rank;
	r = layer_source_name(of_a, a->path, is_a_higher ? &name : &other);
	if (r == 0)
		r = layer_source_name(of_b, b->path, is_a_higher ? &other : &name);
	if (r < 0)
		return r;
	problem_set(&problem, name, 0, 0,
		"is not merged with %s, as their names differ; give one of them the name of the "
		"other if they are meant to be one",
		other);
	return check_report_warn(report, &problem);
}

static int report_names(const struct check_tree *tree, struct check_report *report)
{
	struct suffixed_path *items = calloc(tree->count + 1, sizeof(*items));
	int r = items ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < tree->count; i++) {
		items[i] = (struct suffixed_path){make_key(tree->paths[i]), tree->paths[i], i};
		r = items[i].key ? 0 : -ENOMEM;
	}
	if (r == 0 && tree->count)
		qsort(items, tree->count, sizeof(*items), compare_alike);
	for (size_t i = 1; r == 0 && i < tree->count; i++)
		if (strcmp(items[i - 1].key, items[i].key) == 0 &&
			strcmp(items[i - 1].path, items[i].path) != 0)
			r = report_alike(
				offline_settings(tree->offline), &items[i - 1], &items[i], report);
	for (size_t i = 0; items && i < tree->count; i++)
		free(items[i].key);
	free(items);
	return r;
}

int idle_settings_report(const struct check_tree *tree, struct check_report *report)
{
	const struct settings *settings = offline_settings(tree->offline);
	int r = report_rules(tree, report);

	for (size_t i = 0; r == 0 && i < settings->preset_count; i++)
		r = report_preset(tree, &settings->presets[i], report);
	if (r == 0)
		r = report_layers(settings, report);
	if (r == 0)
		r = report_same_layers(settings, report);
	return r == 0 ? report_names(tree, report) : r;
}
