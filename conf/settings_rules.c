/*
 * The parts of plyfs.yaml about paths: the rules and the virtual files.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"
#include "scalar.h"
#include "settings_make.h"
#include "strategy.h"
#include "value.h"
#include "value_bound.h"
#include "word.h"

/* The words of plyfs.yaml. Messages show these lists. */
#define RULE_KEYS                                                                                  \
	"match, strategy, options, format, yaml, toml, dropins, dropin_suffixes, lock, bounds, "   \
	"schema, validate_formats, check, on_change, user, timeout"
#define FILE_KEYS                                                                                  \
	"path, from, strategy, options, format, yaml, toml, dropins, lock, bounds, schema, "       \
	"validate_formats, check, on_change, user, timeout"

/* Greatest number of presets in one plyfs.yaml. */
#define PRESETS_MAX 64

/* Size of a buffer for one strategy's options, "name, name, name", in bytes. */
#define NAMES_MAX 512

/* Refuses an unknown option with the nearest name, which options_check() does not know. */
static int check_option_names(
	const struct strategy *strategy, const struct node *map, struct problem *problem)
{
	char names[NAMES_MAX];

	options_names(strategy, names, sizeof(names));
	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct node *key = map->map.pairs[i].key;
		struct span nearest;

		if (node_is_scalar(key) && word_index(names, key->text) < 0 &&
			word_nearest(names, key->text, &nearest))
			return value_unknown(key, "option", key->text.data, names, problem);
	}
	return 0;
}

/* Refuses an option that stands beside `options` instead of in it. */
static int check_options_place(const struct node *map, struct problem *problem)
{
	for (uint32_t i = 0; node_is_map(map) && i < map->map.count; i++) {
		const struct node *key = map->map.pairs[i].key;

		if (!node_is_scalar(key) || word_index(RULE_KEYS, key->text) >= 0)
			continue;
		for (const struct strategy *const *at = strategy_all(); *at; at++)
			for (const struct option_spec *option = (*at)->options;
				option && option->name; option++)
				if (span_is(key->text, option->name))
					return problem_at(problem, key,
						"'%s' is an option of the strategy %s: write "
						"'options: {%s: ...}'",
						option->name, (*at)->name, option->name);
	}
	return 0;
}

static int read_strategy(const struct node *map, struct options *ret, struct problem *problem)
{
	const struct node *name_node = node_get(map, "strategy");
	const struct node *options_node = node_get(map, "options");
	struct options options = {0};
	const char *name = "deep";
	int r;

	r = value_text(name_node, "strategy", &name, problem);
	if (r != 0)
		return r;
	options.strategy = strategy_find(span_of(name));
	if (!options.strategy)
		return value_unknown(name_node, "strategy", name, strategy_names(), problem);

	if (value_is_given(options_node)) {
		options.map = options_node;
		if (node_is_map(options_node))
			r = check_option_names(options.strategy, options_node, problem);
		if (r != 0)
			return r;
	}
	r = options_check(&options, problem);
	/* The problem may be a missing option, which has no place of its own. */
	if (r == PROBLEM && !problem->source[0]) {
		struct problem placeless = *problem;

		return problem_at(problem, map, "%s", placeless.message);
	}
	if (r == 0)
		*ret = options;
	return r;
}

static int check_gives_trees(const struct node *node, const char *name,
	const struct strategy *strategy, struct problem *problem)
{
	if (strategy_gives_trees(strategy))
		return 0;
	return problem_at(problem, node,
		"'%s' is for values, and the strategy '%s' merges whole files or lines only; give "
		"the rule another strategy, such as 'deep'",
		name, strategy->name);
}

/* Reads `lock` and `bounds`. Call it after read_strategy(). */
static int read_guards(const struct node *map, struct arena *arena, struct options *options,
	struct problem *problem)
{
	const struct node *lock = node_get(map, "lock"), *bound = node_get(map, "bounds");
	struct value_locks *locks = NULL;
	struct value_bounds *bounds = NULL;
	int r = 0;

	if (value_is_given(lock))
		r = check_gives_trees(lock, "lock", options->strategy, problem);
	if (r == 0 && value_is_given(lock))
		r = value_locks_read(lock, arena, &locks, problem);
	if (r == 0 && value_is_given(bound))
		r = check_gives_trees(bound, "bounds", options->strategy, problem);
	if (r == 0 && value_is_given(bound))
		r = value_bounds_read(bound, locks, arena, &bounds, problem);
	options->locks = locks;
	options->bounds = bounds;
	return r;
}

static int read_format(const struct node *node, const struct format **ret, struct problem *problem)
{
	const char *name = NULL;
	int r = value_text(node, "format", &name, problem);

	if (r != 0 || !name)
		return r;
	*ret = format_find(span_of(name));
	return *ret ? 0 : value_unknown(node, "format", name, format_names(), problem);
}

static int read_pattern(
	const struct node *node, const char *name, const char **ret, struct problem *problem)
{
	const char *pattern = NULL, *reason;
	int r;

	if (!value_is_given(node))
		return problem_at(problem, node, "%s must be a pattern, such as '*.yaml'", name);
	r = value_text(node, name, &pattern, problem);
	if (r != 0)
		return r;
	if (!glob_is_valid(pattern, &reason))
		return problem_at(
			problem, node, "the pattern '%s' can't be used: %s", pattern, reason);
	*ret = pattern;
	return 0;
}

/* Reads an excluded pattern as two: ret[0] for the path itself, and ret[1] for all paths below it.
 * "dir" and "dir/" + "**" mean the same. */
static int read_excluded(
	const struct node *node, struct arena *arena, const char *ret[2], struct problem *problem)
{
	static const char below[] = "/"
				    "**";
	const char *pattern = NULL, *reason;
	int r = read_pattern(node, "exclude", &pattern, problem);

	if (r != 0)
		return r;
	size_t len = strlen(pattern), ending = strlen(below), escapes = 0;
	if (len > ending && strcmp(pattern + len - ending, below) == 0) {
		len -= ending;
		while (escapes < len && pattern[len - 1 - escapes] == '\\')
			escapes++;
		len -= escapes % 2; /* the slash was escaped */
	}
	ret[0] = arena_copy(arena, (struct span){pattern, len});
	ret[1] = arena_printf(arena, "%.*s%s", (int)len, pattern, below);
	if (!ret[0] || !ret[1])
		return -ENOMEM;
	if (!glob_is_valid(ret[1], &reason))
		return problem_at(
			problem, node, "the pattern '%s' can't be used: %s", ret[1], reason);
	return 0;
}

int settings_read_exclude(const struct node *node, struct arena *arena, const char *const **ret,
	struct problem *problem)
{
	size_t count = value_count(node);
	int r = 0;

	if (!value_is_given(node))
		return 0;
	if (count > LAYER_EXCLUDE_MAX)
		return problem_at(problem, node,
			"the layer excludes %zu patterns; at most %d are allowed", count,
			LAYER_EXCLUDE_MAX);
	const char **patterns = arena_zalloc(arena, 2 * count + 1, sizeof(*patterns));
	if (!patterns)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < count; i++)
		r = read_excluded(value_item(node, i), arena, patterns + 2 * i, problem);
	if (r == 0)
		*ret = patterns;
	return r;
}

/* Counts the patterns of `match` or `from`: one, or a list. Returns their number, at least 1. */
static int count_patterns(const struct node *map, const char *name, const char *what, size_t *ret,
	struct problem *problem)
{
	const struct node *node = node_get(map, name), *list;
	int r;

	if (!value_is_given(node))
		return problem_at(problem, node ? node : map,
			"%s has no '%s'; give a pattern or a list of patterns", what, name);
	r = node_is_sequence(node) ? value_list(node, name, &list, problem) : 0;
	if (r != 0)
		return r;
	*ret = value_count(node);
	return *ret ? 0 : problem_at(problem, node, "'%s' is empty; give a pattern", name);
}

int settings_read_yaml(const struct node *node, const char *name, const enum node_schema **ret,
	struct problem *problem)
{
	static const enum node_schema versions[] = {NODE_YAML_1_1, NODE_YAML_1_2};
	unsigned version = 0;
	int r = value_choice(node, name, "1.1, 1.2", &version, problem);

	if (r == 0 && value_is_given(node))
		*ret = &versions[version];
	return r;
}

/* Reads `dropins`. `true` is the older name of `layers`. */
static int read_dropins(const struct node *node, enum rule_dropins *ret, struct problem *problem)
{
	static const enum rule_dropins words[] = {
		DROPINS_LAYERS, DROPINS_UAPI, DROPINS_LAYERS, DROPINS_NONE};
	bool is_on = false;
	unsigned word = 0;

	if (!value_is_given(node))
		return 0;
	if (node_is_scalar(node) && scalar_type(node) != SCALAR_BOOL) {
		int r = value_choice(node, "dropins", "layers, uapi, true, false", &word, problem);
		*ret = words[word];
		return r;
	}
	int r = value_bool(node, "dropins", &is_on, problem);
	*ret = is_on ? DROPINS_LAYERS : DROPINS_NONE;
	return r;
}

/* Reads a suffix, or a list of suffixes. "" means names without a suffix. */
static int read_dropin_suffixes(const struct node *map, struct rule *rule, struct problem *problem)
{
	const struct node *node = node_get(map, "dropin_suffixes");
	int r = 0;

	if (!value_is_given(node))
		return 0;
	if (!rule->dropins)
		return problem_at(problem, node,
			"'dropin_suffixes' has no effect without drop-ins; add 'dropins: layers' "
			"or 'dropins: uapi'");
	if (value_count(node) == 0)
		return problem_at(
			problem, node, "'dropin_suffixes' is empty; give a suffix, such as 'conf'");
	for (size_t i = 0; r == 0 && i < value_count(node); i++) {
		const struct node *item = value_item(node, i);
		const char *suffix;

		if (node_is_scalar(item) && item->text.len == 0 && value_is_given(item))
			continue;
		r = value_text(item, "dropin_suffixes", &suffix, problem);
		if (r == 0 && (!value_is_given(item) || strchr(suffix, '/')))
			r = problem_at(problem, item,
				"a suffix of 'dropin_suffixes' must be the end of a name, such as "
				"'conf'");
	}
	rule->dropin_suffixes = node;
	return r;
}

static int read_programs(
	const struct node *map, struct arena *arena, struct rule *rule, struct problem *problem)
{
	struct program defaults;

	int r = program_read_defaults(map, &defaults, problem);
	if (r == 0)
		r = program_read(
			node_get(map, "check"), "check", &defaults, arena, &rule->check, problem);
	if (r == 0 && rule->check && !program_names_file(rule->check))
		return problem_at(problem, rule->check->place,
			"the check has no word with '%%f', where the path of the file to be "
			"checked goes; add it, as in [visudo, -cf, \"%%f\"]");
	if (r == 0)
		r = program_read(node_get(map, "on_change"), "on_change", &defaults, arena,
			&rule->on_change, problem);
	if (!rule->check && !rule->on_change) {
		const struct node *user = node_get(map, "user");
		rule->idle = user ? user : node_get(map, "timeout");
	}
	return r;
}

static int read_rule(
	const struct node *map, struct arena *arena, struct rule *rule, struct problem *problem)
{
	unsigned toml = 0;

	*rule = (struct rule){.source = *map->source, .line = map->line};
	int r = read_strategy(map, &rule->options, problem);
	if (r == 0)
		r = read_guards(map, arena, &rule->options, problem);
	if (r == 0)
		r = read_format(node_get(map, "format"), &rule->format, problem);
	if (r == 0)
		r = settings_read_yaml(node_get(map, "yaml"), "yaml", &rule->yaml, problem);
	if (r == 0)
		r = value_choice(node_get(map, "toml"), "toml", "1.1, 1.0", &toml, problem);
	rule->toml = toml == 1 ? &format_toml_1_0 : NULL;
	if (r == 0)
		r = read_dropins(node_get(map, "dropins"), &rule->dropins, problem);
	if (r == 0)
		r = read_dropin_suffixes(map, rule, problem);
	return r == 0 ? read_programs(map, arena, rule, problem) : r;
}

/* Fills the `count` rules of an entry: one for each of its patterns. */
static int read_each_rule(const struct node *map, struct arena *arena, struct rule *rules,
	size_t count, struct problem *problem)
{
	const struct node *match = node_get(map, "match");
	int r = read_rule(map, arena, rules, problem);

	for (size_t i = 0; i < count && r == 0; i++) {
		rules[i] = rules[0];
		r = read_pattern(value_item(match, i), "match", &rules[i].match, problem);
	}
	return r;
}

static int count_rules(const struct node *list, size_t *total, struct problem *problem)
{
	size_t count;
	int r = 0;

	for (uint32_t i = 0; list && i < list->seq.count && r == 0; i++) {
		r = check_options_place(list->seq.items[i], problem);
		if (r == 0)
			r = value_map(list->seq.items[i], "a rule", RULE_KEYS, problem);
		if (r == 0)
			r = count_patterns(
				list->seq.items[i], "match", "the rule", &count, problem);
		if (r == 0)
			*total += count;
	}
	if (r == 0 && *total > VALUE_LIST_MAX)
		r = problem_at(problem, list, "the rules have %zu patterns; at most %d are allowed",
			*total, VALUE_LIST_MAX);
	return r;
}

/* Fills the rules from *at on, and moves *at behind them. */
static int fill_rules(struct settings *settings, const struct node *list, const char *preset,
	size_t *at, struct problem *problem)
{
	size_t count;
	int r = 0;

	for (uint32_t i = 0; list && i < list->seq.count && r == 0; i++) {
		r = count_patterns(list->seq.items[i], "match", "the rule", &count, problem);
		if (r == 0)
			r = read_each_rule(list->seq.items[i], settings->arena,
				settings->rules + *at, count, problem);
		for (; r == 0 && count > 0; count--) {
			struct rule *rule = &settings->rules[(*at)++];

			rule->preset = preset;
			r = settings_read_schema(
				settings, list->seq.items[i], &rule->schema, problem);
		}
	}
	return r;
}

int settings_read_rules(struct settings *settings, const struct node *node, struct problem *problem)
{
	const struct preset *presets = settings->presets;
	const struct node *list = NULL;
	size_t total = 0, at = 0;

	int r = value_list(node, "rules", &list, problem);
	if (r == 0)
		r = count_rules(list, &total, problem);
	for (size_t i = 0; r == 0 && i < settings->preset_count; i++)
		r = count_rules(presets[i].rules, &total, problem);
	if (r == 0)
		r = settings_set_rules(settings, total);
	if (r == 0)
		r = fill_rules(settings, list, NULL, &at, problem);
	for (size_t i = 0; r == 0 && i < settings->preset_count; i++)
		r = fill_rules(settings, presets[i].rules, presets[i].name, &at, problem);
	return r;
}

int settings_read_presets(
	struct settings *settings, const struct node *node, struct problem *problem)
{
	const struct node *list = NULL;
	int r = value_list(node, "presets", &list, problem);

	if (r != 0 || !list)
		return r;
	if (list->seq.count > PRESETS_MAX)
		return problem_at(problem, list, "%u presets are more than the %d that are allowed",
			(unsigned)list->seq.count, PRESETS_MAX);
	settings->presets =
		arena_zalloc(settings->arena, list->seq.count, sizeof(*settings->presets));
	if (!settings->presets)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < list->seq.count; i++) {
		const char *name = NULL;

		if (!value_is_given(list->seq.items[i]))
			return problem_at(problem, list->seq.items[i],
				"a preset must be a name; 'plyfs presets' lists them");
		r = value_text(list->seq.items[i], "a preset", &name, problem);
		if (r == 0)
			r = preset_read(name, list->seq.items[i], &settings->around,
				settings->arena, &settings->presets[i], problem);
		settings->preset_count++;
		if (r == 0)
			r = settings_expand_facts(settings, settings->presets[i].rules, problem);
	}
	return r;
}

static bool leads_up(const char *pattern)
{
	for (const char *at = strstr(pattern, ".."); at; at = strstr(at + 1, ".."))
		if ((at == pattern || strchr("/{,", at[-1])) && (!at[2] || strchr("/},", at[2])))
			return true;
	return false;
}

static int read_path(const struct node *map, struct virtual_file *file, struct problem *problem)
{
	const struct node *node = node_get(map, "path");
	int r;

	if (!value_is_given(node))
		return problem_at(problem, node ? node : map,
			"the virtual file has no 'path'; give the path it appears at");
	r = value_text(node, "path", &file->path, problem);
	if (r != 0)
		return r;
	if (path_fault(span_of(file->path)))
		return problem_at(problem, node,
			"'%s' can't be a virtual file's path; write it relative to the mount's "
			"root, as in 'dir/app.yaml', with no '.', '..' or double slash",
			file->path);
	if (settings_is_own(file->path))
		return problem_at(
			problem, node, "'.plyfs' at the root is plyfs's own; choose another path");
	file->place = node;
	return 0;
}

static int read_file(const struct node *map, struct arena *arena, struct virtual_file *file,
	struct problem *problem)
{
	int r = value_map(map, "a virtual file", FILE_KEYS, problem);
	if (r == 0)
		r = read_path(map, file, problem);
	if (r == 0)
		r = read_rule(map, arena, &file->rule, problem);
	if (r == 0)
		r = count_patterns(map, "from", "the virtual file", &file->from_count, problem);
	if (r != 0)
		return r;

	file->from = arena_zalloc(arena, file->from_count, sizeof(file->from[0]));
	file->owners = arena_zalloc(arena, file->from_count, sizeof(file->owners[0]));
	if (!file->from || !file->owners)
		return -ENOMEM;
	for (size_t i = 0; i < file->from_count; i++) {
		const struct node *node = value_item(node_get(map, "from"), i);

		file->owners[i] = node->mark;
		r = read_pattern(node, "from", &file->from[i], problem);
		if (r != 0)
			return r;
		if (leads_up(file->from[i]))
			return problem_at(problem, node,
				"the pattern '%s' leads up with '..'; write it relative to the "
				"layer's directory",
				file->from[i]);
	}
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct virtual_file *left = a, *right = b;
	int order = strcmp(left->path, right->path);

	if (order != 0)
		return order;
	return left->place->line < right->place->line ? -1 : left->place->line > right->place->line;
}

/* Refuses two files at one path. The files must be sorted. */
static int check_twice(const struct settings *settings, struct problem *problem)
{
	for (size_t i = 1; i < settings->file_count; i++) {
		const struct virtual_file *file = &settings->files[i];

		if (strcmp(file[-1].path, file->path) == 0)
			return problem_at(problem, file->place,
				"the virtual file '%s' is there already, in line %u; "
				"put all its patterns in one 'from'",
				file->path, (unsigned)file[-1].place->line);
	}
	return 0;
}

/* Refuses a path that must be both a file and a directory. */
static int check_inside(
	const struct settings *settings, const struct virtual_file *file, struct problem *problem)
{
	char parent[PATH_MAX];

	for (size_t len = 0; file->path[len]; len++) {
		const struct virtual_file *other;

		parent[len] = '\0';
		other = file->path[len] == '/' ? settings_file(settings, parent) : NULL;
		if (other)
			return problem_at(problem, file->place,
				"'%s' can't be in '%s', which is a virtual file (line %u); give "
				"one of them another path",
				file->path, parent, (unsigned)other->place->line);
		parent[len] = file->path[len];
	}
	return 0;
}

int settings_read_files(struct settings *settings, const struct node *node, struct problem *problem)
{
	const struct node *list = NULL;
	size_t total = 0;
	int r;

	r = value_list(node, "files", &list, problem);
	if (r != 0 || !list)
		return r;
	settings->files =
		arena_zalloc(settings->arena, list->seq.count, sizeof(settings->files[0]));
	if (!settings->files)
		return -ENOMEM;

	for (uint32_t i = 0; i < list->seq.count; i++) {
		r = read_file(list->seq.items[i], settings->arena, &settings->files[i], problem);
		if (r == 0)
			r = settings_read_schema(settings, list->seq.items[i],
				&settings->files[i].rule.schema, problem);
		if (r != 0)
			return r;
		total += settings->files[i].from_count;
		if (total > VALUE_LIST_MAX)
			return problem_at(problem, list->seq.items[i],
				"up to here, the virtual files have more than the %d patterns "
				"that are allowed",
				VALUE_LIST_MAX);
	}
	settings->file_count = list->seq.count;
	qsort(settings->files, settings->file_count, sizeof(settings->files[0]), compare_files);

	r = check_twice(settings, problem);
	for (size_t i = 0; i < settings->file_count && r == 0; i++)
		r = check_inside(settings, &settings->files[i], problem);
	return r;
}
