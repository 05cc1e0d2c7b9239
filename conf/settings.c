#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "mount_table.h"
#include "settings_make.h"
#include "strategy.h"

/* Number of built-in rules, behind the user's: for files that are merged, and for the rest. */
#define BUILT_IN_COUNT 2

int settings_new(const struct settings_environment *around, struct settings **ret)
{
	CLEANUP(freep) struct settings *settings = calloc(1, sizeof(*settings));
	CLEANUP(arena_freep) struct arena *arena = NULL;

	if (!settings || arena_new(&arena) < 0 ||
		settings_environment_copy(around, arena, &settings->around) < 0)
		return -ENOMEM;
	settings->arena = take_ptr(arena);
	settings->around.used_facts = &settings->used_facts;
	settings->options = settings_options_default();
	atomic_init(&settings->references, 1);

	*ret = take_ptr(settings);
	return 0;
}

static void settings_free(struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++)
		layer_free(settings->layers[i]);
	for (size_t i = 0; i < settings->preset_count; i++)
		preset_fini(&settings->presets[i]);
	for (uint32_t i = 0; i < settings->schema_count; i++)
		schema_free(settings->schemas[i]->schema);
	document_free(settings->facts.document);
	document_free(settings->text.document);
	arena_free(settings->arena);
	free(settings);
}

struct settings *settings_ref(struct settings *settings)
{
	(void)atomic_fetch_add_explicit(&settings->references, 1, memory_order_relaxed);
	return settings;
}

void settings_unref(struct settings *settings)
{
	/* acq_rel: what other threads did with the settings happens before. */
	if (settings &&
		atomic_fetch_sub_explicit(&settings->references, 1, memory_order_acq_rel) == 1)
		settings_free(settings);
}

int settings_were_read(const struct settings *settings, struct problem *problem)
{
	for (size_t i = 0; i < settings->layer_count; i++)
		if (layer_was_replaced(settings->layers[i]))
			return problem_set(problem, settings->layers[i]->path, 0, 0,
				"the layer was replaced while it was read; try again");
	return 0;
}

void settings_unrefp(struct settings **settings)
{
	settings_unref(*settings);
}

int settings_set_rules(struct settings *settings, size_t count)
{
	struct rule *rules = arena_zalloc(settings->arena, count + BUILT_IN_COUNT, sizeof(*rules));

	if (!rules)
		return -ENOMEM;
	rules[count].options.strategy = strategy_find(span_of("deep"));
	rules[count + 1].options.strategy = strategy_find(span_of("last"));
	settings->rules = rules;
	settings->rule_count = count + BUILT_IN_COUNT;
	return 0;
}

/* Excludes the directory that our mount lies on from the layers. */
static int cover_layers(struct settings *settings)
{
	const char *mountpoint = settings->around.mountpoint;
	int r = 0;

	for (size_t i = 0; mountpoint && r == 0 && i < settings->layer_count; i++)
		r = layer_cover(settings->layers[i], mountpoint);
	return r;
}

int settings_check_covered(const struct settings *settings, struct problem *problem)
{
	const char *directory = settings->around.beneath ? NULL : settings->around.mountpoint;

	for (size_t i = 0; directory && i < settings->layer_count; i++)
		if (layer_is_at(settings->layers[i], directory))
			return problem_at(problem, settings->specs[i].place,
				"the layer '%s' is the directory that is rendered into, so its "
				"files would be merged again and again; use another directory",
				settings->specs[i].name);
	return 0;
}

int settings_set_layers(struct settings *settings, struct problem *problem)
{
	struct layer_spec *specs = settings->specs;

	settings->layers =
		arena_zalloc(settings->arena, settings->spec_count, sizeof(struct layer *));
	if (!settings->layers)
		return -ENOMEM;

	for (size_t i = 0; i < settings->spec_count; i++) {
		int r = layer_spec_open(&specs[i], (unsigned)i, &settings->around, settings->arena,
			&settings->layers[i], problem);
		if (r != 0)
			return r;
		settings->layers[i]->settings = settings;
		settings->layer_count++;
	}
	int r = settings_check_covered(settings, problem);
	return r == 0 ? cover_layers(settings) : r;
}

/*
 * Copies the path at *layers to *text, without its escapes, and moves both behind it. Returns
 * whether a colon follows, and so another path.
 */
static bool take_path(const char **layers, char **text)
{
	const char *at = *layers;
	char *out = *text;
	bool has_more;

	while (*at && *at != ':') {
		if (at[0] == '\\' && (at[1] == ':' || at[1] == '\\'))
			at++;
		*out++ = *at++;
	}
	*out++ = '\0';
	has_more = *at == ':';
	*layers = at + has_more;
	*text = out;
	return has_more;
}

/* Cuts "A:B:C" into `specs`, which has room; `text` has room for as many bytes as `layers`. */
static int split_layers(const char *layers, char *text, struct layer_spec *specs, size_t *ret,
	struct problem *problem)
{
	const char *at = layers;
	bool has_more = true;
	size_t count = 0;

	while (has_more) {
		specs[count].path = text;
		has_more = take_path(&at, &text);
		if (!specs[count++].path[0])
			return problem_set(problem, NULL, 0, 0,
				"layer %zu of '%s' is empty; write DIRECTORY[:DIRECTORY...], "
				"lowest "
				"precedence first, and \\: for a colon in a path",
				count, layers);
	}

	*ret = count;
	return 0;
}

int settings_from_layers(const struct settings_environment *around, const char *layers,
	struct settings **ret, struct problem *problem)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	struct layer_spec *specs;
	size_t count = 1; /* at most that many paths */
	char *text;
	int r;

	for (const char *at = layers; *at; at++)
		count += *at == ':';
	if (count > LAYERS_MAX)
		return problem_set(problem, NULL, 0, 0,
			"%zu layers are more than the %d that one mount can have; merge some of "
			"them in a mount of their own",
			count, LAYERS_MAX);
	r = settings_new(around, &settings);
	if (r < 0)
		return r;
	specs = arena_zalloc(settings->arena, count, sizeof(*specs));
	text = arena_alloc(settings->arena, strlen(layers) + 1);
	settings->spec = arena_copy(settings->arena, span_of(layers));
	if (!specs || !text || !settings->spec)
		return -ENOMEM;
	r = split_layers(layers, text, specs, &count, problem);
	/* A name is by the path as it is given, so "." has the same one in every directory. */
	if (r == 0)
		r = layer_specs_name(specs, count, settings->arena, problem);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = settings_environment_absolute(
			&settings->around, specs[i].path, settings->arena, &specs[i].path);
	settings->specs = specs;
	settings->spec_count = count;
	if (r == 0)
		r = settings_set_rules(settings, 0);
	if (r == 0)
		r = settings_set_layers(settings, problem);
	if (r != 0)
		return r;

	*ret = take_ptr(settings);
	return 0;
}

struct layer *settings_layer(const struct settings *settings, const char *name)
{
	struct layer **layers = settings->layers, *found = NULL;

	for (size_t i = 0; i < settings->layer_count; i++)
		if (name ? strcmp(layers[i]->name, name) == 0 : layers[i]->dirfd >= 0)
			found = layers[i];
	return found;
}

const struct rule *settings_rule(const struct settings *settings, const char *path)
{
	const struct rule *rule = settings->rules;

	while (rule->match && !glob_match(rule->match, path))
		rule++;
	if (rule->match)
		return rule;
	/* Without a user's rule, files of a known format are merged, unless it is shown whole. */
	const struct format *format = format_of_suffix(path);
	return format && !format->is_whole ? rule : rule + 1;
}

const struct rule *settings_rule_at(const struct settings *settings, size_t index)
{
	if (index < settings->rule_count)
		return &settings->rules[index];
	index -= settings->rule_count;
	return index < settings->file_count ? &settings->files[index].rule : NULL;
}

const struct program *settings_check(const struct settings *settings, const char *path)
{
	return settings->program ? settings_rule_for(settings, path)->check : NULL;
}

const struct program *settings_on_change(const struct settings *settings, const char *path)
{
	if (!settings->program)
		return NULL;
	const struct program *program = settings_rule_for(settings, path)->on_change;

	return program ? program : settings->options.on_change;
}

static int compare_path(const void *path, const void *file)
{
	return strcmp(path, ((const struct virtual_file *)file)->path);
}

const struct virtual_file *settings_file(const struct settings *settings, const char *path)
{
	if (settings->file_count == 0)
		return NULL;
	return bsearch(path, settings->files, settings->file_count, sizeof(settings->files[0]),
		compare_path);
}

const struct rule *settings_rule_for(const struct settings *settings, const char *path)
{
	const struct virtual_file *file = settings_file(settings, path);

	return file ? &file->rule : settings_rule(settings, path);
}

enum node_schema settings_yaml(const struct settings *settings, const char *path)
{
	const struct rule *rule = settings_rule_for(settings, path);

	return rule->yaml ? *rule->yaml : settings->options.yaml;
}

const struct format *settings_format(const struct settings *settings, const char *path)
{
	const struct rule *rule = settings_rule_for(settings, path);
	const struct format *format = rule->format ? rule->format : format_of_name(path);

	return format == &format_toml && rule->toml ? rule->toml : format;
}

bool settings_header(const struct settings *settings, const char *path)
{
	size_t len = strlen(path);

	return settings->options.header &&
	       !(len >= 5 && strcmp(path + len - 5, ".json") == 0 &&
		       settings_format(settings, path) == &format_jsonc);
}

const struct format *settings_source_format(
	const struct settings *settings, const char *path, const char *place)
{
	const struct format *whole = settings_format(settings, path), *format;

	if (strcmp(path, place) == 0)
		return whole;
	format = settings_rule(settings, place)->format;
	if (!format || format_is_toml(format))
		format = format_within(whole, format ? format : format_of_name(place));
	return format || whole == &format_json ? format : whole;
}

static const struct layer *layer_at(const struct settings *old, const char *path)
{
	for (size_t i = 0; i < old->layer_count; i++)
		if (strcmp(old->layers[i]->path, path) == 0)
			return old->layers[i];
	return NULL;
}

static int keep_covered(const struct settings *old, dev_t own, struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++) {
		struct layer *layer = settings->layers[i];
		const struct layer *before = layer_at(old, layer->path);
		if (layer->dirfd < 0 || layer->dev != own || !before)
			continue;
		int fd = before->dirfd < 0 ? -1 : fcntl(before->dirfd, F_DUPFD_CLOEXEC, 0);
		if (before->dirfd >= 0 && fd < 0)
			return -errno;
		close(layer->dirfd);
		layer->dirfd = fd;
		layer->dev = before->dev;
		layer->ino = before->ino;
	}
	return 0;
}

int settings_again(const struct settings *old, dev_t own, struct settings **outline,
	struct settings **ret, struct problem *problem)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL, *read = NULL;

	int r = old->text.path ? settings_read_again(old, &read, &settings, problem)
			       : settings_from_layers(&old->around, old->spec, &settings, problem);
	if (r == 0)
		r = keep_covered(old, own, settings);
	if (outline)
		*outline = take_ptr(read);
	if (r != 0)
		return r;
	settings_fix_header(settings, old->options.header_choice);
	*ret = take_ptr(settings);
	return 0;
}

const struct settings_text *settings_text_at(const struct settings *settings, size_t index)
{
	if (index < 2)
		return index ? &settings->facts : &settings->text;
	index -= 2;
	if (index < settings->preset_count)
		return &settings->presets[index].text;
	index -= settings->preset_count;
	return index < settings->schema_count ? &settings->schemas[index]->text : NULL;
}

bool settings_follow_links(const struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++)
		if (settings->layers[i]->follow)
			return true;
	return false;
}

void settings_fix_header(struct settings *settings, enum header_choice choice)
{
	settings->options.header_choice = choice;
	if (choice != HEADER_AS_SET)
		settings->options.header = choice == HEADER_ON;
}

/* A text without a path is none. */
static int place_text(const struct settings *settings, struct settings_text *text)
{
	return !text->path ? 0
			   : settings_environment_place(
				     &settings->around, text->path, settings->arena, &text->place);
}

static int place_all(struct settings *settings)
{
	const struct settings_environment *around = &settings->around;
	int r = place_text(settings, &settings->text);

	if (r == 0)
		r = place_text(settings, &settings->facts);
	for (size_t i = 0; r == 0 && i < settings->preset_count; i++)
		r = place_text(settings, &settings->presets[i].text);
	for (uint32_t i = 0; r == 0 && i < settings->schema_count; i++)
		r = place_text(settings, &settings->schemas[i]->text);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++) {
		struct layer *layer = settings->layers[i];
		const char *place;

		r = settings_environment_place(around, layer->path, settings->arena, &place);
		if (r == 0)
			r = layer_set_text(&layer->place, place);
	}
	return r;
}

int settings_cover(struct settings *settings, const char *mountpoint, const char *beneath)
{
	struct settings_environment around = settings->around;

	around.mountpoint = mountpoint;
	around.beneath = beneath;
	int r = settings_environment_copy(&around, settings->arena, &settings->around);
	if (r == 0)
		r = place_all(settings);
	return r == 0 ? cover_layers(settings) : r;
}

struct layer_places {
	const struct settings *settings;
	char (*paths)[PATH_MAX];
};

static bool note_remote(void *context, const struct table_mount *mount)
{
	const struct layer_places *places = context;

	for (size_t i = 0; mount_table_is_remote(mount) && i < places->settings->layer_count; i++) {
		const struct layer *layer = places->settings->layers[i];
		const char *path = places->paths[i];
		size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);
		bool is_beneath = *path && strncmp(mount->path, path, length) == 0 &&
				  mount->path[length] == '/';
		if (is_beneath || (layer->dirfd >= 0 && layer->dev == mount->dev))
			layer_note_remote(layer);
	}
	return false;
}

int settings_note_remote(const struct settings *settings)
{
	CLEANUP(freep) char(*paths)[PATH_MAX] = calloc(settings->layer_count + 1, sizeof(*paths));

	if (!paths)
		return -ENOMEM;
	for (size_t i = 0; i < settings->layer_count; i++)
		if (settings->layers[i]->dirfd < 0 ||
			descriptor_path(settings->layers[i]->dirfd, paths[i]) < 0)
			*paths[i] = '\0';
	return mount_table_each(-1, note_remote, &(struct layer_places){settings, paths});
}

bool settings_may_wait(const struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++)
		if (layer_is_delegated(settings->layers[i]) || settings->layers[i]->follow)
			return true;
	return false;
}
