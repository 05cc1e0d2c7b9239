#include "preset.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

/* Takes the first directory of *at, and moves *at to the next one, or to NULL. */
static struct span next_directory(const char **at)
{
	struct span directory = {*at, strcspn(*at, ":")};

	*at = (*at)[directory.len] ? *at + directory.len + 1 : NULL;
	return directory;
}

/* Returns whether the name is a word that can't lead out of the directory. */
static bool is_name(struct span name)
{
	return name.len > 0 &&
	       strspn(name.data, "abcdefghijklmnopqrstuvwxyz0123456789-_") >= name.len;
}

/* Finds the file with that name; ret->path is NULL if there is none. Returns 0 or -ENOMEM. */
static int find(const char *name, const struct settings_environment *around, struct arena *arena,
	struct settings_text *ret)
{
	for (const char *at = preset_directories(); at && is_name(span_of(name));) {
		struct span directory = next_directory(&at);
		const char *path = arena_printf(
			arena, "%.*s/%s" SUFFIX, (int)directory.len, directory.data, name);

		if (!path || settings_environment_place(around, path, arena, &ret->place) < 0)
			return -ENOMEM;
		char found[PATH_MAX];
		int r = outside_find(ret->place, found);
		if (r == 0)
			ret->path = path;
		if (r == 0 || layer_is_shortage(r))
			return r;
	}
	ret->place = NULL;
	return 0;
}

/* Lists the names, as "alertmanager, containerd, docker". Returns 0 or -ENOMEM. */
static int list_names(struct arena *arena, const char **ret)
{
	CLEANUP(path_list_fini) struct path_list names = {0};
	int r = preset_names(&names);

	if (r < 0)
		return r;
	*ret = "";
	for (size_t i = 0; *ret && i < names.count; i++)
		*ret = arena_printf(arena, "%s%s%s", *ret, i ? ", " : "", names.paths[i]);
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
		return problem_at(problem, node,
			"there is no preset '%s', nor any other in %s; " PRESET_REMEDY, name,
			preset_directories());
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
		r = problem_at(
			problem, document->roots[0], "the preset has no 'rules'; give it some");
	return r;
}

int preset_read(const char *name, const struct node *node,
	const struct settings_environment *around, struct arena *arena, struct preset *ret,
	struct problem *problem)
{
	const struct settings_environment none = {0};
	struct preset preset = {
		.name = arena_copy(arena, span_of(name)), .description = "", .place = node};

	int r = preset.name ? find(name, around ? around : &none, arena, &preset.text) : -ENOMEM;
	if (r == 0 && !preset.text.path)
		r = refuse_unknown(name, node, arena, problem);
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

static int add_name(struct path_list *names, const char *file)
{
	size_t len = strlen(file), ending = strlen(SUFFIX);

	if (names->count == NAMES_MAX || len <= ending ||
		strcmp(file + len - ending, SUFFIX) != 0 ||
		!is_name((struct span){file, len - ending}))
		return 0;
	return path_list_add(names, file, len - ending);
}

static int add_directory(struct path_list *names, struct span path)
{
	CLEANUP(freep) char *name = span_dup(path);
	CLEANUP(dir_closep) DIR *directory = name ? opendir(name) : NULL;
	const struct dirent *entry;
	int r = !name ? -ENOMEM : !directory && layer_is_shortage(-errno) ? -errno : 0;

	/* A missing directory has no presets. */
	while (r == 0 && directory && (entry = readdir(directory)))
		r = add_name(names, entry->d_name);
	return r;
}

int preset_names(struct path_list *ret)
{
	int r = 0;

	for (const char *at = preset_directories(); r == 0 && at;)
		r = add_directory(ret, next_directory(&at));
	path_list_sort(ret);
	return r;
}
