#include "preset.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "layer.h"
#include "outside.h"
#include "settings_make.h"
#include "value.h"
#include "word.h"

#define SUFFIX ".yaml"
#define PRESET_KEYS "description, rules"

/* The directories that are searched; the second one is set by the build. */
#define OWN_DIRECTORY "/etc/plyfs/presets"

/* Greatest number of names in all directories together. */
#define NAMES_MAX 1000

const char *preset_directories(void)
{
	const char *given = secure_getenv("PLYFS_PRESETS");

	return given && *given ? given : OWN_DIRECTORY ":" PLYFS_PRESETS_DIRECTORY;
}

/* Returns the first directory of *at, and moves *at to the next one, or to NULL. Returns NULL
 * without memory. */
static const char *next_directory(const char **at, struct arena *arena)
{
	size_t len = strcspn(*at, ":");
	const char *directory = arena_copy(arena, (struct span){*at, len});

	*at = (*at)[len] ? *at + len + 1 : NULL;
	return directory;
}

/* Returns whether the name is a word that can't lead out of the directory. */
static bool is_name(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_");

	return len > 0 && !name[len];
}

/* Finds the file with that name; *ret is NULL if there is none. Returns 0 or -ENOMEM. */
static int find(const char *name, struct arena *arena, const char **ret)
{
	*ret = NULL;
	for (const char *at = preset_directories(); at && is_name(name);) {
		const char *directory = next_directory(&at, arena);
		const char *path =
			directory ? arena_printf(arena, "%s/%s" SUFFIX, directory, name) : NULL;

		if (!path)
			return -ENOMEM;
		char found[PATH_MAX];
		int r = outside_find(path, found);
		if (r == 0)
			*ret = path;
		if (r == 0 || layer_is_shortage(r))
			return r;
	}
	return 0;
}

/* Lists the names, as "alertmanager, containerd, docker". Returns 0 or -ENOMEM. */
static int list_names(struct arena *arena, const char **ret)
{
	const char *const *names;
	int r = preset_names(arena, &names);

	if (r < 0)
		return r;
	for (*ret = ""; *ret && *names; names++)
		*ret = arena_printf(arena, "%s%s%s", *ret, **ret ? ", " : "", *names);
	return *ret ? 0 : -ENOMEM;
}

static int refuse_unknown(
	const char *name, const struct node *node, struct arena *arena, struct problem *problem)
{
	struct span nearest;
	const char *list;

	int r = list_names(arena, &list);
	if (r < 0)
		return r;
	if (!*list)
		return problem_at(problem, node, "there is no preset '%s', and no other one in %s",
			name, preset_directories());
	if (word_nearest(list, span_of(name), &nearest))
		return problem_at(problem, node,
			"there is no preset '%s', did you mean '%.*s'? (there are: %s)", name,
			(int)nearest.len, nearest.data, list);
	return problem_at(problem, node, "there is no preset '%s' (there are: %s)", name, list);
}

static int understand(struct preset *preset, struct problem *problem)
{
	const struct document *document = preset->text.document;
	int r;

	if (document->count > 1)
		return problem_at(problem, document->roots[1],
			"a second document begins here; a preset is one document");
	if (!document->count)
		return problem_set(problem, preset->text.path, 0, 0,
			"is empty; a preset has 'description' and 'rules'");
	r = value_map(document->roots[0], "a preset", PRESET_KEYS, problem);
	if (r == 0)
		r = value_text(node_get(document->roots[0], "description"), "description",
			&preset->description, problem);
	if (r == 0)
		r = value_list(
			node_get(document->roots[0], "rules"), "rules", &preset->rules, problem);
	if (r == 0 && !preset->rules)
		r = problem_at(problem, document->roots[0], "the preset has no 'rules'");
	return r;
}

int preset_read(const char *name, const struct node *node, struct arena *arena, struct preset *ret,
	struct problem *problem)
{
	struct preset preset = {
		.name = arena_copy(arena, span_of(name)), .description = "", .place = node};

	int r = preset.name ? find(name, arena, &preset.text.path) : -ENOMEM;
	if (r == 0 && !preset.text.path)
		r = refuse_unknown(name, node, arena, problem);
	preset.text.place = preset.text.path;
	if (r == 0)
		r = settings_text_read(&preset.text, problem);
	if (r == 0)
		r = understand(&preset, problem);
	if (r != 0)
		preset_fini(&preset);
	*ret = preset;
	return r;
}

void preset_fini(struct preset *preset)
{
	document_free(preset->text.document);
	preset->text.document = NULL;
}

struct preset_names {
	const char **items;
	uint32_t count;
	uint32_t capacity;
};

static bool has(const struct preset_names *names, const char *name)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

static int add_name(struct preset_names *names, const char *file, struct arena *arena)
{
	size_t len = strlen(file), ending = strlen(SUFFIX);
	const char *name;

	if (len <= ending || strcmp(file + len - ending, SUFFIX) != 0)
		return 0;
	name = arena_copy(arena, (struct span){file, len - ending});
	if (!name)
		return -ENOMEM;
	if (!is_name(name) || has(names, name) || names->count == NAMES_MAX)
		return 0;
	/* The NULL at the end needs an entry, too. */
	if (arena_grow(arena, names->items, names->count + 1, names->capacity) < 0)
		return -ENOMEM;
	names->items[names->count++] = name;
	return 0;
}

static int add_directory(struct preset_names *names, const char *path, struct arena *arena)
{
	CLEANUP(dir_closep) DIR *directory = opendir(path);
	const struct dirent *entry;
	int r = !directory && layer_is_shortage(-errno) ? -errno : 0;

	/* A missing directory has no presets. */
	while (r == 0 && directory && (entry = readdir(directory)))
		r = add_name(names, entry->d_name, arena);
	return r;
}

int preset_names(struct arena *arena, const char *const **ret)
{
	static const char *const none[] = {NULL};
	struct preset_names names = {0};

	for (const char *at = preset_directories(); at;) {
		const char *directory = next_directory(&at, arena);
		int r = directory ? add_directory(&names, directory, arena) : -ENOMEM;

		if (r < 0)
			return r;
	}
	*ret = none;
	if (names.count == 0)
		return 0;
	qsort(names.items, names.count, sizeof(*names.items), array_compare_texts);
	names.items[names.count] = NULL;
	*ret = names.items;
	return 0;
}
