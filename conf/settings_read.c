/*
 * The reader of plyfs.yaml. It checks the whole file before it opens the first layer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "await.h"
#include "cleanup.h"
#include "layer.h"
#include "outside.h"
#include "path.h"
#include "settings_make.h"
#include "user.h"
#include "value.h"
#include "value_lock.h"

/* The words of plyfs.yaml. Messages show these lists. */
#define SETTINGS_KEYS "layers, facts, presets, schemas, rules, files, options"
#define LAYER_KEYS "name, path, optional, required, follow, exclude, " STORE_KINDS

/* Size of a buffer for the layers' names, in bytes. */
#define NAMES_MAX 512

/* Limit of attempts to read a file that is replaced meanwhile. */
#define READ_TRIES 20

/* While a file is being written, it may be empty or end in the middle. It is written if nothing has
 * changed for the time of quiet. */
#define QUIET_MS 50
#define PAUSE_NS (20 * 1000 * 1000)

/* The rule of trust, as its messages begin (outside.h). */
#define RUNS "runs commands and writes a state only for "

static bool is_layer_name(const char *name)
{
	for (; *name; name++)
		if (*name == '/' || (unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	return true;
}

static int read_place(const struct node *map, const struct store_spec_place *place,
	struct layer_spec *spec, const char **path, struct problem *problem)
{
	static const char *const keys[] = {"path", "etcd", "git"};
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct node *node = node_get(map, keys[i]);

		if (!value_is_given(node))
			continue;
		if (found)
			return problem_at(problem, node,
				"a layer is in one place, and this one has '%s' already; make it "
				"two layers",
				found);
		found = keys[i];
		spec->place = node;
	}
	if (!found)
		return problem_at(problem, node_get(map, "path") ? node_get(map, "path") : map,
			"the layer has no 'path'; give its directory, or 'etcd' or 'git'");
	if (strcmp(found, "path") == 0)
		return value_text(spec->place, found, path, problem);
	int r = store_spec_read(found, spec->place, place, &spec->store, problem);
	if (r == 0) {
		spec->path = store_spec_directory(spec->store);
		spec->specifiers = spec->store->specifiers;
	}
	return r;
}

static int read_layer_map(const struct node *map, const struct store_spec_place *place,
	struct layer_spec *spec, const char **path, struct problem *problem)
{
	const struct node *name = node_get(map, "name");
	int r = read_place(map, place, spec, path, problem);

	if (r == 0)
		r = value_text(name, "name", &spec->name, problem);
	spec->is_named = r == 0 && spec->name;
	if (r == 0 && spec->name && !is_layer_name(spec->name))
		r = problem_at(problem, name,
			"a layer's name can't have a slash or a control character; give it "
			"another");
	if (r == 0)
		r = layer_spec_read_presence(spec, map, problem);
	if (r == 0)
		r = value_bool(node_get(map, "follow"), "follow", &spec->follow, problem);
	if (r == 0)
		r = settings_read_exclude(
			node_get(map, "exclude"), place->arena, &spec->exclude, problem);
	return r;
}

/* Reads a layer: a map, or only its path. */
static int read_layer(const struct node *node, const struct store_spec_place *place,
	struct layer_spec *spec, struct problem *problem)
{
	const char *path = NULL;
	int r;

	if (node_is_scalar(node) && value_is_given(node)) {
		spec->place = node;
		r = value_text(node, "a layer", &path, problem);
	} else {
		r = value_map(node, "a layer", LAYER_KEYS, problem);
		if (r == 0)
			r = read_layer_map(node, place, spec, &path, problem);
	}
	if (r != 0 || spec->store)
		return r;
	return layer_spec_expand(
		spec, path, place->directory, place->around, place->arena, problem);
}

static int read_layers(const struct node *root, struct settings *settings, struct problem *problem)
{
	const struct node *node = node_get(root, "layers"), *list = NULL;
	const struct store_spec_place place = {
		.directory = arena_copy(
			settings->arena, (struct span){settings->text.path,
						 path_directory_length(settings->text.path)}),
		.around = &settings->around,
		.arena = settings->arena};
	struct layer_spec *specs;
	int r;

	if (!place.directory)
		return -ENOMEM;
	r = value_list(node, "layers", &list, problem);
	if (r != 0)
		return r;
	if (!list || list->seq.count == 0)
		return problem_at(problem, node ? node : root,
			"there are no layers; give 'layers: [DIRECTORY, ...]', lowest precedence "
			"first");
	if (list->seq.count > LAYERS_MAX)
		return problem_at(problem, list,
			"%u layers are more than the %d that one mount can have; merge some of "
			"them in a mount of their own",
			(unsigned)list->seq.count, LAYERS_MAX);

	specs = arena_zalloc(settings->arena, list->seq.count, sizeof(*specs));
	if (!specs)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->seq.count; i++) {
		r = read_layer(list->seq.items[i], &place, &specs[i], problem);
		if (r != 0)
			return r;
	}
	settings->specs = specs;
	settings->spec_count = list->seq.count;
	return layer_specs_name(specs, list->seq.count, settings->arena, problem);
}

static int read_root(const struct document *document, const char *path, const struct node **ret,
	struct problem *problem)
{
	if (document->count == 0)
		return problem_set(problem, path, 0, 0,
			"is empty; give 'layers: [DIRECTORY, ...]', lowest precedence first");
	if (document->count > 1)
		return problem_at(problem, document->roots[1],
			"a second document begins here; settings are one document");
	*ret = document->roots[0];
	return value_map(*ret, "plyfs.yaml", SETTINGS_KEYS, problem);
}

/* Returns a program of the rule; NULL: it has none. */
static const struct program *program_of(const struct rule *rule)
{
	return rule->check ? rule->check : rule->on_change;
}

static const struct program *first_program(const struct settings *settings)
{
	const struct program *program = settings->options.on_change;
	const struct rule *rule;

	for (size_t i = 0; !program && (rule = settings_rule_at(settings, i)); i++)
		program = program_of(rule);
	return program;
}

/* Returns where the preset with that text names a program; NULL: it names none, or is no preset. */
static const struct node *program_of_preset(
	const struct settings *settings, const struct settings_text *text)
{
	const struct program *program = NULL;

	for (size_t i = 0; !program && i < settings->rule_count; i++)
		if (settings->rules[i].preset &&
			strcmp(settings->rules[i].source.name, text->path) == 0)
			program = program_of(&settings->rules[i]);
	return program ? program->place : NULL;
}

/* Returns where plyfs.yaml first requires trust; NULL: any user may write the file. */
static const struct node *what_needs_trust(const struct settings *settings)
{
	const struct program *program = settings->program;
	const struct node *root = settings->text.document->roots[0];

	if (program && strcmp(program->place->source->name, settings->text.path) == 0)
		return program->place;
	if (program)
		return node_get(root, "presets");
	if (settings->options.state)
		return node_get(node_get(root, "options"), "state");
	/* A mirror is run for the layer. */
	for (size_t i = 0; i < settings->spec_count; i++)
		if (settings->specs[i].store)
			return settings->specs[i].store->place;
	return NULL;
}

/* Checks a program's file. A program that runs as another user may belong to that user. */
static int check_program(
	const struct settings *settings, const struct program *program, struct problem *problem)
{
	CLEANUP(freep) char *text = NULL;
	struct passwd user = {0};

	if (!program || program->words[0][0] != '/')
		return 0;
	int r = program->user ? user_find(program->user, &user, &text) : 0;
	if (r < 0)
		return -ENOMEM;
	/* The process that runs the program reports an unknown user. */
	if (r == USER_UNKNOWN)
		return 0;
	const char *own = program->place->source->name;
	bool is_own = strcmp(own, settings->text.path) == 0;
	return outside_trust(
		&(struct trusted){RUNS "a program", program->words[0], program->words[0],
			is_own ? program->place
			       : node_get(settings->text.document->roots[0], "presets"),
			NULL, user.pw_uid},
		problem);
}

static int check_programs(const struct settings *settings, struct problem *problem)
{
	int r = check_program(settings, settings->options.on_change, problem);
	const struct rule *rule;

	for (size_t i = 0; r == 0 && (rule = settings_rule_at(settings, i)); i++) {
		r = check_program(settings, rule->check, problem);
		if (r == 0)
			r = check_program(settings, rule->on_change, problem);
	}
	return r;
}

/* Checks the directories that plyfs writes to, and reads again at its next start. */
static int check_states(const struct settings *settings, struct problem *problem)
{
	const struct node *options = node_get(settings->text.document->roots[0], "options");
	struct trusted trusted = {.what = "writes a state only to a directory"};
	int r = 0;

	if (settings->options.state) {
		trusted.path = trusted.place = settings->options.state;
		trusted.node = node_get(options, "state");
		r = outside_trust(&trusted, problem);
	}
	for (size_t i = 0; r == 0 && i < settings->spec_count; i++) {
		const struct store_spec *store = settings->specs[i].store;
		if (!store)
			continue;
		trusted.path = trusted.place = store->base;
		trusted.node = store->place;
		r = outside_trust(&trusted, problem);
	}
	return r;
}

/* Checks that programs, mirrors and a state are demanded only by files of users who could run or
 * write them anyway. */
static int check_trust(struct settings *settings, struct problem *problem)
{
	settings->program = first_program(settings);
	const struct node *node = what_needs_trust(settings);
	if (!node)
		return 0;
	const struct settings_text *file;
	int r = 0;
	for (size_t i = 0; r == 0 && (file = settings_text_at(settings, i)); i++) {
		const struct node *own = i > 1 ? program_of_preset(settings, file) : NULL;
		const char *what = i == 0                           ? RUNS "a plyfs.yaml"
				   : i == 1                         ? RUNS "facts"
				   : i < 2 + settings->preset_count ? RUNS "presets"
								    : RUNS "schemas";

		if (file->path)
			r = outside_trust(&(struct trusted){what, file->path, file->place,
						  own ? own : node, &file->read, 0},
				problem);
	}
	if (r == 0)
		r = check_states(settings, problem);
	return r == 0 ? check_programs(settings, problem) : r;
}

static const struct layer *find_layer(const struct settings *settings, struct span name)
{
	for (size_t i = 0; i < settings->layer_count; i++)
		if (span_is(name, settings->layers[i]->name))
			return settings->layers[i];
	return NULL;
}

static int check_layer_names(
	const struct settings *settings, const struct options *options, struct problem *problem)
{
	const struct node *map = options->map ? options_get(options, "delete") : NULL;

	for (uint32_t i = 0; map && i < map->map.count; i++) {
		const struct node *key = map->map.pairs[i].key;
		if (!find_layer(settings, key->text))
			return problem_at(problem, key,
				"there is no layer '%s'; 'delete' is a map of layers' names to "
				"places",
				key->text.data);
	}
	return 0;
}

/* Writes "vendor, site", cut to `size` bytes. */
static void list_layers(const struct settings *settings, char *names, size_t size)
{
	size_t len = 0;

	names[0] = '\0';
	for (size_t i = 0; i < settings->layer_count && len < size; i++)
		len += (size_t)snprintf(
			names + len, size - len, "%s%s", i ? ", " : "", settings->layers[i]->name);
}

static int rank_locks(
	const struct settings *settings, const struct options *options, struct problem *problem)
{
	char names[NAMES_MAX];

	for (size_t i = 0; options->locks && i < options->locks->count; i++) {
		struct value_lock *lock = &options->locks->items[i];
		const struct layer *layer = find_layer(settings, lock->layer->text);

		list_layers(settings, names, sizeof(names));
		if (!layer)
			return value_unknown(
				lock->layer, "layer", lock->layer->text.data, names, problem);
		lock->rank = layer->rank;
	}
	return 0;
}

/*
 * Checks that layers named in rules' options exist. In each value lock (value_lock.h), sets the
 * rank of the lock's layer.
 */
static int check_all_layer_names(const struct settings *settings, struct problem *problem)
{
	const struct rule *rule;
	int r = 0;

	for (size_t i = 0; r == 0 && (rule = settings_rule_at(settings, i)); i++)
		r = check_layer_names(settings, &rule->options, problem);
	for (size_t i = 0; r == 0 && (rule = settings_rule_at(settings, i)); i++)
		r = rank_locks(settings, &rule->options, problem);
	return r;
}

int settings_open(struct settings *outline, struct problem *problem)
{
	int r = settings_set_layers(outline, problem);

	return r == 0 ? check_all_layer_names(outline, problem) : r;
}

enum reading { READ_ALL, READ_OUTLINE, READ_OUTLINE_AGAIN };

static int read_settings(struct settings *settings, enum reading reading, struct problem *problem)
{
	const struct node *root = NULL;
	int r;

	r = read_root(settings->text.document, settings->text.path, &root, problem);
	if (r == 0)
		r = settings_read_facts(settings, root, problem);
	if (r == 0)
		r = read_layers(root, settings, problem);
	if (r == 0)
		r = settings_read_presets(settings, node_get(root, "presets"), problem);
	if (r == 0)
		r = settings_read_schemas(settings, node_get(root, "schemas"), problem);
	if (r == 0)
		r = settings_read_rules(settings, node_get(root, "rules"), problem);
	if (r == 0)
		r = settings_read_files(settings, node_get(root, "files"), problem);
	if (r == 0)
		r = settings_options_read(&settings->options, node_get(root, "options"),
			settings->arena, &settings->warning, problem);
	settings_warn_of_facts(settings);
	if (r == 0)
		r = check_trust(settings, problem);
	return r == 0 && reading == READ_ALL ? settings_open(settings, problem) : r;
}

static int64_t milliseconds(struct timespec time)
{
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / (1000 * 1000);
}

/* Returns whether it may have been half written when it was read, after `began`. For a moment, an
 * emptied file has its old time. */
static bool is_racy(const struct stat *read, struct timespec began)
{
	struct timespec now;

	if (S_ISREG(read->st_mode) && read->st_size == 0)
		return true;
	clock_gettime(CLOCK_REALTIME, &now);
	return milliseconds(read->st_mtim) > milliseconds(began) - QUIET_MS &&
	       milliseconds(read->st_mtim) <= milliseconds(now);
}

static bool has_racy(const struct settings *settings, struct timespec began)
{
	const struct settings_text *file;
	bool has = false;

	for (size_t i = 0; !has && (file = settings_text_at(settings, i)); i++)
		has = file->place && is_racy(&file->read, began);
	return has;
}

static int make_once(const struct settings_environment *around, const char *path,
	enum reading reading, struct settings **ret, struct problem *problem)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	struct timespec began;
	int r;

	clock_gettime(CLOCK_REALTIME, &began);
	r = settings_new(around, &settings);
	if (r < 0)
		return r;
	path = arena_copy(settings->arena, span_of(path));
	if (!path)
		return -ENOMEM;
	r = settings_environment_absolute(
		&settings->around, path, settings->arena, &settings->text.path);
	if (r == 0)
		r = settings_environment_place(&settings->around, settings->text.path,
			settings->arena, &settings->text.place);
	if (r == 0)
		r = settings_text_read(&settings->text, problem);
	if (r == 0)
		r = read_settings(settings, reading, problem);
	if (r == PROBLEM && reading != READ_OUTLINE_AGAIN && has_racy(settings, began))
		return -ESTALE;
	if (r != 0)
		return r;

	*ret = take_ptr(settings);
	return 0;
}

/* Reads everything again if a file was replaced between reading it and checking it, or may have
 * been read while it was being written. The latter leaves a problem. */
static int settings_make(const struct settings_environment *around, const char *path,
	enum reading reading, struct settings **ret, struct problem *problem)
{
	struct problem found = {0};
	int r = -ESTALE;

	for (int try = 0; try < READ_TRIES && r == -ESTALE; try++) {
		if (found.message[0])
			await_pause_us(PAUSE_NS / 1000);
		found.message[0] = '\0';
		r = make_once(around, path, reading, ret, &found);
	}
	if (found.message[0]) {
		*problem = found;
		return r == -ESTALE ? PROBLEM : r;
	}
	if (r == -ESTALE)
		return problem_set(problem, path, 0, 0,
			"it, its facts, a preset or a schema was replaced during each of %d "
			"attempts to read "
			"it; do not change it until plyfs has read it",
			READ_TRIES);
	return r;
}

int settings_read(const struct settings_environment *around, const char *path,
	struct settings **ret, struct problem *problem)
{
	return settings_make(around, path, READ_ALL, ret, problem);
}

int settings_outline(const struct settings_environment *around, const char *path,
	struct settings **ret, struct problem *problem)
{
	return settings_make(around, path, READ_OUTLINE, ret, problem);
}

int settings_read_again(const struct settings *old, struct settings **outline,
	struct settings **ret, struct problem *problem)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;

	int r = settings_make(&old->around, old->text.path, READ_OUTLINE_AGAIN, &settings, problem);
	if (r != 0)
		return r;
	*outline = settings_ref(settings);
	r = settings_open(settings, problem);
	if (r == 0)
		*ret = take_ptr(settings);
	return r;
}
