#include "expand.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "dropin.h"
#include "glob.h"
#include "parts.h"
#include "path.h"
#include "traverse.h"

bool expand_is_ignored(const char *name)
{
	/*
	 * The suffixes of files that editors and package managers leave: vim, emacs, JetBrains,
	 * patch, dpkg, rpm, ucf, pacman.
	 */
	static const char *const endings[] = {"~", ".bak", ".swp", ".swo", ".swx", ".tmp", ".orig",
		".rej", ".dpkg-old", ".dpkg-dist", ".dpkg-new", ".dpkg-tmp", ".rpmnew", ".rpmsave",
		".rpmorig", ".ucf-old", ".ucf-new", ".ucf-dist", ".pacnew", ".pacsave",
		"___jb_tmp___", "___jb_old___"};
	size_t length = strlen(name);

	if (name[0] == '.' || name[0] == '#')
		return true;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t ending = strlen(endings[i]);
		if (length >= ending && strcmp(name + length - ending, endings[i]) == 0)
			return true;
	}
	return false;
}

/* A search for the sources of a file. */
struct source_search {
	struct parts *parts;
	const char *pattern; /* being matched */
	const char *owner;   /* of the drop-ins; NULL: a virtual file */
	/* of the search for links to /dev/null, in the directory of one layer */
	const struct traversed *directory;
	unsigned layer;
};

/* Adds the files of all layers at one path. */
static int add_path(void *context, const char *path, const char *name, layer_mask layers)
{
	const struct source_search *search = context;
	struct parts *parts = search->parts;
	bool is_dropin = search->owner && dropin_is_named(parts->settings, search->owner, name);

	if (!search->owner && (expand_is_ignored(name) || !glob_match(search->pattern, path)))
		return 0;
	int r = union_look_up(parts->settings, layers, path, parts->scratch);
	if (r == 0)
		r = -parts->scratch->whiteout_error;
	return r ? r
		 : parts_take(parts, parts->scratch, path,
			   !search->owner || is_dropin ? NULL : dropin_not_named);
}

/* Adds a link to /dev/null that the pattern matches, and the files below it. */
static int add_link(void *context, const char *name, unsigned char type)
{
	const struct source_search *search = context;
	const struct traversed *directory = search->directory;
	const struct layer *layer = search->parts->settings->layers[search->layer];
	CLEANUP(freep) char *path = NULL, *target = NULL;

	/* With `follow`, the type is that of the device. */
	if ((type != DT_LNK && type != DT_CHR && type != DT_UNKNOWN) || expand_is_ignored(name))
		return 0;
	if (path_join(directory->path, name, &path) < 0)
		return -ENOMEM;
	if (!glob_match(search->pattern, path))
		return 0;
	int r = layer_read_link(layer, path, &target);
	if (r < 0 || strcmp(target, "/dev/null") != 0)
		return layer_says_nothing(r) ? r : 0;
	return parts_add_link(search->parts, directory->own, search->layer, path);
}

/* Adds the links in a directory. A layer that can't be listed could have one. */
static int add_links_in(void *context, const struct traversed *found)
{
	struct source_search *search = context;
	const struct settings *settings = search->parts->settings;
	int r = 0;

	search->directory = found;
	for (unsigned i = 0; r == 0 && i < settings->layer_count; i++) {
		search->layer = i;
		if (found->kind == UNION_DIRECTORY && found->own >> i & 1)
			r = layer_list(settings->layers[i], found->path, add_link, search);
		if (union_is_absent(r))
			r = 0;
	}
	return r;
}

/* Adds the links to /dev/null, of which the finder lists none. */
static int add_links(struct source_search *search, const char *directory, int depth)
{
	const struct traversal traversal = {.settings = search->parts->settings,
		.depth = depth,
		.each = add_links_in,
		.context = search};
	int r = traverse(&traversal, directory);

	return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

/*
 * Finds the directory in which the first wildcard stands, and the pattern's depth below it (-1:
 * any).
 */
static int pattern_depth(const char *pattern, char *directory, size_t size)
{
	size_t wild = strcspn(pattern, "*?[{\\");
	size_t length = 0;
	int depth = 0;

	for (size_t i = 0; i < wild && pattern[i]; i++)
		if (pattern[i] == '/')
			length = i;
	if (length >= size)
		length = 0;
	memcpy(directory, pattern, length);
	directory[length] = '\0';
	const char *rest = pattern + length + (pattern[length] == '/');
	if (strstr(rest, "**"))
		return -1;
	/* A brace may hold slashes. Counting them all gives a depth that is never too small. */
	for (; *rest; rest++)
		depth += *rest == '/';
	return depth;
}

static int take_virtual(const struct finder *finder, const struct settings *settings,
	const struct virtual_file *file, struct union_lookup *ret)
{
	CLEANUP(parts_fini)
	struct parts parts = {.settings = settings, .scratch = union_lookup_new()};
	struct source_search search = {.parts = &parts};
	bool is_uapi = file->rule.dropins == DROPINS_UAPI;
	char directory[PATH_MAX];
	int r = parts.scratch ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < file->from_count; i++) {
		int depth = pattern_depth(file->from[i], directory, sizeof(directory));
		search.pattern = file->from[i];
		parts.number = i;
		r = finder->list(finder->context, directory, depth, add_path, &search);
		if (r == 0 && is_uapi)
			r = add_links(&search, directory, depth);
	}
	if (r == 0 && is_uapi)
		r = parts_mask(&parts, "a higher layer, or a later directory, has a file of that "
				       "name (dropins: uapi)");
	return r == 0 && parts.count ? parts_hand_over(&parts, is_uapi, ret) : r;
}

/* Adds NAME.d's files to the lookup of NAME. */
static int take_dropins(const struct finder *finder, const struct settings *settings,
	const char *path, struct union_lookup *ret)
{
	CLEANUP(parts_fini)
	struct parts parts = {.settings = settings, .scratch = union_lookup_new()};
	struct source_search search = {.parts = &parts, .owner = path};
	CLEANUP(freep) char *directory = NULL;

	if (!parts.scratch || asprintf(&directory, "%s" DROPIN_SUFFIX, path) < 0)
		return -ENOMEM;
	int r = parts_take(&parts, ret, path, NULL);
	size_t own = parts.count;
	parts.number = 1;
	/*
	 * The finder's index stays for good, and a reader may look up any name: a directory that
	 * does not exist must not get one. When the directory is made, expand_each_made_of() names
	 * this file.
	 */
	/* Where the file itself is unknown, its own error says so. */
	layer_mask layers = union_all_layers(settings) & ~union_timed_out(ret);
	if (r == 0)
		r = union_look_up(settings, layers, directory, parts.scratch);
	if (r == 0)
		r = union_knows_directory(parts.scratch);
	if (r == 0 && parts.scratch->kind == UNION_DIRECTORY)
		r = finder->list(finder->context, directory, 0, add_path, &search);
	bool has_more = parts.count > own || (own && parts.left_out_count);
	return r == 0 && has_more ? parts_hand_over(&parts, false, ret) : r;
}

/* Returns whether a virtual file lies below `path`. */
static bool leads_to_virtual(const struct settings *settings, const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < settings->file_count; i++)
		if (strncmp(settings->files[i].path, path, length) == 0 &&
			settings->files[i].path[length] == '/')
			return true;
	return false;
}

static bool has_dropins_rule(const struct settings *settings)
{
	for (size_t i = 0; i < settings->rule_count; i++)
		if (settings->rules[i].dropins)
			return true;
	return false;
}

int expand_look_up(const struct finder *finder, const struct settings *settings, layer_mask layers,
	const char *path, struct union_lookup *ret)
{
	const struct virtual_file *file = settings_file(settings, path);

	int r = union_look_up(settings, layers, path, ret);
	if (r < 0)
		return r;
	if (file)
		return take_virtual(finder, settings, file, ret);
	if (ret->kind == UNION_NONE && settings->file_count && leads_to_virtual(settings, path))
		ret->kind = UNION_DIRECTORY;
	if (!has_dropins_rule(settings))
		return 0;
	enum rule_dropins dropins = settings_rule(settings, path)->dropins;
	if (dropins == DROPINS_UAPI)
		return dropin_take_uapi(finder, settings, layers, path, ret);
	if (dropins == DROPINS_LAYERS && (ret->kind == UNION_NONE || ret->kind == UNION_FILE))
		return take_dropins(finder, settings, path, ret);
	return 0;
}

/* Adds a name, unless the listing has it. */
static int list_name(struct listing *listing, const char *name, size_t length, enum union_kind kind)
{
	for (size_t i = 0; i < listing->count; i++)
		if (strncmp(listing->items[i].name, name, length) == 0 &&
			listing->items[i].name[length] == '\0')
			return 0;
	CLEANUP(freep) char *copy = strndup(name, length);
	struct listed *items =
		reallocarray(listing->items, listing->count + 1, sizeof(*listing->items));
	if (items)
		listing->items = items;
	if (!copy || !items)
		return -ENOMEM;
	items[listing->count++] = (struct listed){.name = take_ptr(copy), .kind = kind};
	return 0;
}

static int list_if_file(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct listing *listing)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	const char *name = path_name(path);

	if (!lookup)
		return -ENOMEM;
	int r = expand_look_up(finder, settings, layers, path, lookup);
	/* If the sources can't be examined, list the file: its readers then get the error. */
	bool is_listed = r == 0 ? lookup->kind == UNION_FILE : !layer_is_shortage(r);
	if (!is_listed)
		return r;
	return list_name(listing, name, strlen(name), UNION_FILE);
}

static int list_virtual(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct listing *listing)
{
	size_t length = strlen(path);
	int r = 0;

	for (size_t i = 0; r == 0 && i < settings->file_count; i++) {
		const char *rest = settings->files[i].path;
		if (length && (strncmp(rest, path, length) != 0 || rest[length] != '/'))
			continue;
		rest += length ? length + 1 : 0;
		const char *slash = strchr(rest, '/');
		r = slash ? list_name(listing, rest, (size_t)(slash - rest), UNION_DIRECTORY)
			  : list_if_file(
				    finder, settings, layers, settings->files[i].path, listing);
	}
	return r;
}

bool expand_is_needed(const struct settings *settings)
{
	return settings->file_count || has_dropins_rule(settings);
}

int expand_names(const struct finder *finder, const struct settings *settings, layer_mask layers,
	const char *path, const struct listing *listing, struct listing *ret)
{
	struct listing names = {0};
	int r = list_virtual(finder, settings, layers, path, &names);

	for (size_t i = 0; r == 0 && i < listing->count; i++) {
		if (listing->items[i].kind != UNION_DIRECTORY)
			continue;
		CLEANUP(freep) char *directory = NULL;
		r = path_join(path, listing->items[i].name, &directory);
		CLEANUP(freep) char *owner = r == 0 ? dropin_owner(settings, directory) : NULL;
		if (owner)
			r = list_if_file(finder, settings, layers, owner, &names);
	}
	if (r < 0)
		listing_free(&names);
	else
		*ret = names;
	return r;
}

void expand_each_made_of(const struct settings *settings, const char *directory, const char *name,
	void (*each)(void *context, const char *path), void *context)
{
	CLEANUP(freep) char *path = NULL;

	if (path_join(directory, name, &path) < 0)
		return;
	for (size_t i = 0; i < settings->file_count; i++)
		for (size_t j = 0; j < settings->files[i].from_count; j++)
			if (glob_match(settings->files[i].from[j], path)) {
				each(context, settings->files[i].path);
				break;
			}
	if (!has_dropins_rule(settings))
		return;
	/* `directory` may be a NAME.d with the file in it, or `name` a NAME.d itself. */
	CLEANUP(freep) char *owner = dropin_owner(settings, directory);
	CLEANUP(freep) char *beside = dropin_owner(settings, path);
	if (owner)
		each(context, owner);
	if (beside)
		each(context, beside);
}
