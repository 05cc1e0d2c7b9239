#include "expand.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "dropin.h"
#include "glob.h"
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

/* A source on its way into a lookup. */
struct expanded_source {
	struct contributor contributor; /* its path is owned */
	size_t pattern; /* index of the pattern that it matched; 0: the file itself, 1: a drop-in */
};

struct parts {
	struct expanded_source *items;
	size_t count;
	size_t capacity;
	const struct settings *settings;
	const char *pattern;         /* being matched */
	size_t number;               /* of the pattern */
	const char *owner;           /* of the drop-ins; NULL: a virtual file */
	struct contributor *ignored; /* not drop-ins; their paths are owned */
	size_t ignored_count;
	size_t ignored_capacity;
	struct union_lookup *scratch;
};

static void parts_fini(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		free((char *)(uintptr_t)parts->items[i].contributor.path);
	free(parts->items);
	for (size_t i = 0; i < parts->ignored_count; i++)
		free((char *)(uintptr_t)parts->ignored[i].path);
	free(parts->ignored);
	if (parts->scratch)
		union_lookup_freep(&parts->scratch);
}

static int add_part(struct parts *parts, const struct contributor *contributor, const char *path)
{
	/* A source that two patterns match is taken once, with the first pattern. */
	for (size_t i = 0; i < parts->count; i++)
		if (parts->items[i].contributor.layer == contributor->layer &&
			strcmp(parts->items[i].contributor.path, path) == 0)
			return 0;
	if (array_grow(parts->items, parts->count, parts->capacity) < 0)
		return -ENOMEM;
	char *copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	parts->items[parts->count] = (struct expanded_source){*contributor, parts->number};
	parts->items[parts->count++].contributor.path = copy;
	return 0;
}

static int add_ignored(struct parts *parts, const struct contributor *found, const char *path)
{
	char *copy = strdup(path);

	if (!copy ||
		array_grow(parts->ignored, parts->ignored_count, parts->ignored_capacity) < 0) {
		free(copy);
		return -ENOMEM;
	}
	parts->ignored[parts->ignored_count] = dropin_ignored(found);
	parts->ignored[parts->ignored_count++].path = copy;
	return 0;
}

/* Adds the files of all layers at one path. */
static int add_path(void *context, const char *path, const char *name, layer_mask layers)
{
	struct parts *parts = context;
	bool is_dropin = parts->owner && dropin_is_named(parts->settings, parts->owner, name);

	if (!parts->owner && (expand_is_ignored(name) || !glob_match(parts->pattern, path)))
		return 0;
	int r = union_look_up(parts->settings, layers, path, parts->scratch);
	if (r == 0)
		r = -parts->scratch->whiteout_error;
	if (r == 0 && parts->scratch->kind != UNION_FILE)
		return 0;
	for (unsigned i = 0; r == 0 && i < parts->scratch->count; i++)
		r = !parts->owner || is_dropin
			    ? add_part(parts, &parts->scratch->found[i], path)
			    : add_ignored(parts, &parts->scratch->found[i], path);
	return r;
}

/* Orders by precedence, highest first: a layer's last pattern and name stand above its first. */
static int compare_parts(const void *a, const void *b)
{
	const struct expanded_source *x = a;
	const struct expanded_source *y = b;

	if (x->contributor.layer != y->contributor.layer)
		return x->contributor.layer < y->contributor.layer ? 1 : -1;
	if (x->pattern != y->pattern)
		return x->pattern < y->pattern ? 1 : -1;
	return strcmp(y->contributor.path, x->contributor.path);
}

static const char *name_of(const struct expanded_source *part)
{
	return path_name(part->contributor.path);
}

/* The same for `dropins: uapi`: names decide before layers. */
static int compare_by_name(const void *a, const void *b)
{
	const struct expanded_source *x = a;
	const struct expanded_source *y = b;
	int order = strcmp(name_of(y), name_of(x));

	if (x->pattern != y->pattern)
		return x->pattern < y->pattern ? 1 : -1;
	return order != 0 ? order : compare_parts(a, b);
}

/* A search for links to /dev/null in the directory of one layer. */
struct link_search {
	struct parts *parts;
	const struct traversed *directory;
	unsigned layer;
};

/* Adds a link to /dev/null that the pattern matches, and the files below it. */
static int add_link(void *context, const char *name, unsigned char type)
{
	const struct link_search *search = context;
	const struct traversed *directory = search->directory;
	struct parts *parts = search->parts;
	struct layer *const *layers = parts->settings->layers;
	struct contributor part = {.layer = search->layer, .why = DROPIN_LINK_MASKS};
	CLEANUP(freep) char *path = NULL, *target = NULL;

	/* With `follow`, the type is that of the device. */
	if ((type != DT_LNK && type != DT_CHR && type != DT_UNKNOWN) || expand_is_ignored(name))
		return 0;
	if (path_join(directory->path, name, &path) < 0)
		return -ENOMEM;
	if (!glob_match(parts->pattern, path))
		return 0;
	int r = layer_read_link(layers[part.layer], path, &target);
	if (r < 0 || strcmp(target, "/dev/null") != 0)
		return layer_says_nothing(r) ? r : 0;
	r = add_part(parts, &part, path);
	/* Without `follow`, the link hides them from the lookup. */
	for (part.why = NULL; r == 0 && part.layer-- > 0;)
		if (directory->own >> part.layer & 1 &&
			layer_stat(layers[part.layer], path, &part.stat) == 0 &&
			S_ISREG(part.stat.st_mode))
			r = add_part(parts, &part, path);
	return r;
}

/* Adds the links in a directory. A layer that can't be listed could have one. */
static int add_links_in(void *context, const struct traversed *found)
{
	struct parts *parts = context;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < parts->settings->layer_count; i++) {
		struct link_search search = {parts, found, i};

		if (found->kind == UNION_DIRECTORY && found->own >> i & 1)
			r = layer_list(parts->settings->layers[i], found->path, add_link, &search);
		if (union_is_absent(r))
			r = 0;
	}
	return r;
}

/* Adds the links to /dev/null, of which the finder lists none. */
static int add_links(struct parts *parts, const char *directory, int depth)
{
	const struct traversal traversal = {.settings = parts->settings,
		.depth = depth,
		.each = add_links_in,
		.context = parts};
	int r = traverse(&traversal, directory);

	return r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

/*
 * Leaves out the files that a file of the same name, in a higher layer or a later directory,
 * replaces or masks (dropin.h).
 */
static int mask(struct parts *parts)
{
	struct expanded_source last = {0};
	const char *rule = NULL;
	size_t kept = 0;
	int r = 0;

	if (parts->count)
		qsort(parts->items, parts->count, sizeof(*parts->items), compare_by_name);
	for (size_t i = 0; i < parts->count; i++) {
		struct expanded_source part = parts->items[i];
		const struct contributor *found = &part.contributor;
		const char *why = rule;

		if (i == 0 || last.pattern != part.pattern ||
			strcmp(name_of(&last), name_of(&part)) != 0) {
			bool is_empty = !found->error && found->stat.st_size == 0;
			why = found->why ? found->why
			      : is_empty ? "an empty file masks (dropins: uapi)"
					 : NULL;
			rule = found->why ? DROPIN_LINK_MASKED
			       : is_empty ? "masked by an empty file (dropins: uapi)"
					  : "a higher layer, or a later directory, has a file of "
					    "that name (dropins: uapi)";
		}
		last = part;
		part.contributor.why = why;
		if (why && r == 0)
			r = array_push(parts->ignored, parts->ignored_count,
				parts->ignored_capacity, part.contributor);
		/* Without memory, the rest stays where it is freed. */
		if (!why || r < 0)
			parts->items[kept++] = part;
	}
	parts->count = kept;
	return r;
}

static int hand_over(
	struct parts *parts, int (*compare)(const void *, const void *), struct union_lookup *ret)
{
	struct contributor *found = calloc(parts->count + parts->ignored_count, sizeof(*found));
	if (!found)
		return -ENOMEM;

	qsort(parts->items, parts->count, sizeof(*parts->items), compare);
	union_lookup_reset(ret);
	ret->kind = UNION_FILE;
	for (size_t i = 0; i < parts->count; i++) {
		found[i] = parts->items[i].contributor;
		ret->layers |= (layer_mask)1 << found[i].layer;
	}
	ret->found = ret->expanded = found;
	ret->count = (unsigned)parts->count;
	if (parts->ignored_count)
		memcpy(found + parts->count, parts->ignored, parts->ignored_count * sizeof(*found));
	ret->left_out_count = (unsigned)parts->ignored_count;
	parts->count = parts->ignored_count = 0;
	return 0;
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
	CLEANUP(parts_fini) struct parts parts = {.settings = settings};
	bool is_uapi = file->rule.dropins == DROPINS_UAPI;
	char directory[PATH_MAX];
	int r = 0;

	parts.scratch = union_lookup_new();
	if (!parts.scratch)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < file->from_count; i++) {
		int depth = pattern_depth(file->from[i], directory, sizeof(directory));
		parts.pattern = file->from[i];
		parts.number = i;
		r = finder->list(finder->context, directory, depth, add_path, &parts);
		if (r == 0 && is_uapi)
			r = add_links(&parts, directory, depth);
	}
	if (r == 0 && is_uapi)
		r = mask(&parts);
	return r == 0 && parts.count
		       ? hand_over(&parts, is_uapi ? compare_by_name : compare_parts, ret)
		       : r;
}

/* Adds NAME.d's files to the lookup of NAME. */
static int take_dropins(const struct finder *finder, const struct settings *settings,
	const char *path, struct union_lookup *ret)
{
	CLEANUP(parts_fini) struct parts parts = {.settings = settings};
	CLEANUP(freep) char *directory = NULL;
	int r = 0;

	parts.scratch = union_lookup_new();
	if (!parts.scratch || asprintf(&directory, "%s" DROPIN_SUFFIX, path) < 0)
		return -ENOMEM;
	for (unsigned i = 0; r == 0 && i < ret->count; i++)
		r = add_part(&parts, &ret->found[i], path);
	size_t own = parts.count;
	parts.number = 1;
	parts.owner = path;
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
		r = finder->list(finder->context, directory, 0, add_path, &parts);
	bool has_more = parts.count > own || (own && parts.ignored_count);
	return r == 0 && has_more ? hand_over(&parts, compare_parts, ret) : r;
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
