#include "absent_layer.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "text.h"
#include "word.h"

/* Size of a name, and of a text about it, in bytes. */
#define TEXT_SIZE (NAME_MAX + 64)

/*
 * A kind of owner of a layer, which a specifier in the layer's path identifies. Number n is the bit
 * 1 << n of enum pattern_owner.
 */
struct kind {
	const char *what;
	const char *option;
};

static const struct kind kinds[] = {
	{"host", "-H"}, {"machine", "--machine-id"}, {"user", "--user"},
	{"fact", NULL}, /* rules may use a fact, so none is without effect */
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Returns whether `path` has `value` in the place of the spec's first specifier. */
static bool has_value(const struct layer_spec *spec, const char *path, const char *value)
{
	size_t len = strlen(path), value_len = strlen(value);

	return len >= spec->behind + value_len &&
	       strncmp(path + len - spec->behind - value_len, value, value_len) == 0;
}

/*
 * Returns the owner that the command line requests; NULL: none, so this machine or user itself. Of
 * several facts, the longest value in the path of `spec`. Else, or if `spec` is NULL, the last.
 */
static const char *asked_for(
	const struct settings *settings, const struct layer_spec *spec, size_t kind)
{
	const struct settings_environment *around = &settings->around;
	const char *fact = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < SETTINGS_FACTS_MAX && around->facts[i]; i++) {
		const char *value = strchr(around->facts[i], '=') + 1;
		size_t len = spec && has_value(spec, spec->path, value) ? strlen(value) : 0;

		if (*value && len >= longest) {
			fact = value;
			longest = len;
		}
	}
	return (const char *const[]){around->host, around->machine_id, around->user, fact}[kind];
}

static bool is_of(const struct layer_spec *spec, size_t kind)
{
	return spec->specifiers && strpbrk(spec->specifiers, pattern_owner_letters[kind]);
}

/* Returns " for web2", " for the user eve"; "" for a layer that all share. */
static const char *whose(
	const struct settings *settings, const struct layer_spec *spec, char text[TEXT_SIZE])
{
	for (size_t kind = 0; kind < KINDS; kind++) {
		const char *name = asked_for(settings, spec, kind);
		char own[HOST_NAME_MAX + 1] = "";

		if (!is_of(spec, kind))
			continue;
		if (!name && kind == 0 && gethostname(own, sizeof(own) - 1) == 0)
			name = own;
		if (name)
			snprintf(text, TEXT_SIZE, " for %s%s%s%s", kind ? "the " : "",
				kind ? kinds[kind].what : "", kind ? " " : "", name);
		else
			snprintf(text, TEXT_SIZE, " for this %s", kinds[kind].what);
		return text;
	}
	return "";
}

/* Quotes the path for a shell. Returns it as it is without memory. */
static const char *quote(const char *path, struct arena *arena)
{
	CLEANUP(freep) char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out)
		text_put_word(out, path);
	const char *quoted = out && fclose(out) == 0 ? arena_copy(arena, span_of(text)) : NULL;
	return quoted ? quoted : path;
}

/* Returns the name that the entry has in place of `asked`; len 0: it has none. */
static struct span name_in(const char *entry, struct span before, struct span behind)
{
	struct span name = {entry + before.len, strlen(entry)};

	if (name.len <= before.len + behind.len || *entry == '.' ||
		strncmp(entry, before.data, before.len) != 0 ||
		strncmp(entry + name.len - behind.len, behind.data, behind.len) != 0)
		return (struct span){"", 0};
	name.len -= before.len + behind.len;
	return name.len <= strcspn(name.data, ", ") ? name : (struct span){"", 0};
}

/* Returns the name nearest to `asked` whose layer, or its parent, exists; NULL: none is near. */
static const char *find_nearest(const struct layer *layer, const struct layer_spec *spec,
	const char *asked, struct arena *arena)
{
	size_t len = strlen(layer->place), asked_len = strlen(asked);
	struct dirent **entries = NULL;
	const char *words = "";
	struct span nearest;

	if (!*asked || !has_value(spec, layer->place, asked))
		return NULL;
	struct span before = {layer->place, len - spec->behind - asked_len};
	struct span behind = {layer->place + len - spec->behind, 0};
	behind.len = strcspn(behind.data, "/");
	size_t directory_len = before.len;
	while (directory_len > 0 && before.data[directory_len - 1] != '/')
		directory_len--;
	CLEANUP(freep)
	char *directory = directory_len ? strndup(before.data, directory_len) : strdup(".");
	before = (struct span){before.data + directory_len, before.len - directory_len};
	/* Sorted, so that of several equally near names it is always the same. */
	int count = directory ? scandir(directory, &entries, NULL, alphasort) : 0;
	for (int i = 0; i < count; i++) {
		struct span name = name_in(entries[i]->d_name, before, behind);
		const char *pair = words;

		if (words && name.len)
			pair = arena_printf(arena, "%s,%.*s", words, (int)name.len, name.data);
		if (pair != words && pair && word_nearest(pair, span_of(asked), &nearest))
			words = arena_copy(arena, nearest);
		free(entries[i]);
	}
	free(entries);
	return words && *words ? words : NULL;
}

/* Returns "; the nearest host that exists is 'web2'", or "". */
static const char *describe_nearest(
	const struct settings *settings, size_t rank, size_t kind, struct arena *arena)
{
	const struct layer_spec *spec = &settings->specs[rank];
	const char *asked = asked_for(settings, spec, kind);
	const char *nearest = asked && is_of(spec, kind)
				      ? find_nearest(settings->layers[rank], spec, asked, arena)
				      : NULL;
	const char *text = nearest ? arena_printf(arena, "; the nearest %s that exists is '%s'",
					     kinds[kind].what, nearest)
				   : "";

	return text ? text : "";
}

static int refuse_absent(const struct settings *settings, const struct layer *layer,
	const struct layer *highest, struct arena *arena, struct problem *problem)
{
	const struct layer_spec *spec = &settings->specs[layer->rank];
	char text[TEXT_SIZE];
	const char *owner = whose(settings, spec, text), *nearest = "";
	const char *use = highest ? "use --layer " : "";

	for (size_t kind = 0; !*nearest && kind < KINDS; kind++)
		nearest = describe_nearest(settings, layer->rank, kind, arena);
	if (spec->store)
		return problem_set(problem, NULL, 0, 0,
			"the layer '%s' has no state%s on this machine yet; plyfs mount and plyfs "
			"render get it from the store%s%s%s",
			layer->name, owner, highest ? "; or " : "", use,
			highest ? quote(highest->name, arena) : "");
	if (!*spec->at)
		return problem_set(problem, NULL, 0, 0,
			"the layer '%s' can't exist on this machine: its path '%s' has no value "
			"here%s%s%s",
			layer->name, layer->path, highest ? "; " : "", use,
			highest ? quote(highest->name, arena) : "");
	return problem_set(problem, NULL, 0, 0,
		"the layer '%s' does not exist%s: mkdir -p %s%s%s%s%s", layer->name, owner,
		quote(layer->path, arena), highest ? ", or " : "", use,
		highest ? quote(highest->name, arena) : "", nearest);
}

/* Refuses the highest layer, which exists, if it is not that of the requested owner. */
static int refuse_common(const struct settings *settings, const struct layer *highest,
	struct arena *arena, struct problem *problem)
{
	bool is_asked = false;
	size_t first = KINDS;

	for (size_t kind = 0; kind < KINDS; kind++) {
		if (!asked_for(settings, NULL, kind))
			continue;
		is_asked |= is_of(&settings->specs[highest->rank], kind);
		first = first < kind ? first : kind;
	}
	if (is_asked || first == KINDS)
		return 0;
	return problem_set(problem, NULL, 0, 0,
		"the change would go into the layer '%s', which is not for the %s '%s' alone: "
		"give --layer %s to change it for all, or name another layer",
		highest->name, kinds[first].what, asked_for(settings, NULL, first),
		quote(highest->name, arena));
}

int absent_layer_refuse(const struct settings *settings, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct layer *highest = settings_layer(settings, NULL);
	const struct layer *top = settings->layers[settings->layer_count - 1];

	if (arena_new(&arena) < 0)
		return -ENOMEM;
	return top != highest ? refuse_absent(settings, top, highest, arena, problem)
			      : refuse_common(settings, highest, arena, problem);
}

/* Returns whether a virtual file is made from files whose names depend on the owner. */
static bool has_pattern_of(const struct settings *settings, size_t kind)
{
	unsigned owners = 0;

	for (size_t i = 0; i < settings->file_count; i++)
		for (size_t j = 0; j < settings->files[i].from_count; j++)
			owners |= settings->files[i].owners[j];
	return owners >> kind & 1;
}

static int find_kind(
	const struct settings *settings, size_t kind, struct arena *arena, struct problem *problem)
{
	const struct layer *absent = NULL;
	const struct layer_spec *spec = NULL;

	for (size_t i = 0; i < settings->layer_count; i++) {
		if (!is_of(&settings->specs[i], kind))
			continue;
		if (settings->layers[i]->dirfd >= 0)
			return 0;
		absent = settings->layers[i];
		spec = &settings->specs[i];
	}
	const char *asked = asked_for(settings, spec, kind);
	if (!absent && (!kinds[kind].option || has_pattern_of(settings, kind)))
		return 0;
	if (!absent)
		return problem_set(problem, NULL, 0, 0,
			"%s %s chooses no layer: no layer's path depends on the %s",
			kinds[kind].option, asked, kinds[kind].what);
	return problem_set(problem, NULL, 0, 0, "no layer of the %s '%s' exists: there is no %s%s",
		kinds[kind].what, asked, absent->path,
		describe_nearest(settings, absent->rank, kind, arena));
}

int absent_layer_find(const struct settings *settings, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	int r = arena_new(&arena);

	for (size_t kind = 0; r == 0 && kind < KINDS; kind++)
		if (asked_for(settings, NULL, kind))
			r = find_kind(settings, kind, arena, problem);
	return r;
}
