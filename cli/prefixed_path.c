#include "prefixed_path.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"
#include "layer.h"
#include "message.h"
#include "path.h"
#include "probe.h"
#include "text.h"

/* Returns whether a layer has the path. */
static bool is_in_any(const struct settings *settings, const char *path)
{
	struct stat found;
	size_t i = 0;

	while (i < settings->layer_count && layer_stat(settings->layers[i], path, &found) < 0)
		i++;
	return i < settings->layer_count;
}

/* Returns whether a layer has the name, even if the layer excludes it or another layer hides it. */
static bool has_name(const struct settings *settings, const char *name)
{
	struct stat found;
	size_t i = 0;

	while (i < settings->layer_count &&
		(settings->layers[i]->dirfd < 0 ||
			fstatat(settings->layers[i]->dirfd, name, &found, AT_SYMLINK_NOFOLLOW) < 0))
		i++;
	return i < settings->layer_count;
}

/*
 * Returns the part of `path` behind the layer's path or real path, or behind its name: of several,
 * the shortest that may be meant. NULL: there is none. The path of a file that is not new must be
 * in a layer. For a new file, a layer's name counts only if it is that of the directory.
 */
static const char *cut_layer(const struct settings *settings, const struct layer *layer,
	const char *path, const char *real, bool is_new)
{
	bool is_named = !is_new || strcmp(path_name(layer->path), layer->name) == 0;
	char place[PATH_MAX] = "";
	const char *const before[][2] = {
		{is_named ? layer->name : "", path}, {layer->path, path}, {place, real}};
	const char *shortest = NULL;

	(void)descriptor_path(layer->dirfd, place);

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		size_t length = strlen(before[i][0]);
		const char *whole = before[i][1], *rest;

		if (!length || !whole || strncmp(whole, before[i][0], length) != 0 ||
			whole[length] != '/' || !whole[length + 1])
			continue;
		rest = whole + length + 1;
		if ((!shortest || strlen(rest) < strlen(shortest)) &&
			(is_new || is_in_any(settings, rest)))
			shortest = rest;
	}
	return shortest;
}

/* Finds the real path; also of a file that does not exist, in a directory that does. */
static void find_real(const char *path, char **ret)
{
	size_t length = path_directory_length(path);
	CLEANUP(freep) char *directory = length ? strndup(path, length) : strdup(".");
	CLEANUP(freep) char *real = NULL;

	if (probe_real_path(PROBE_OTHERS_MS, path, ret) < 0 && directory &&
		probe_real_path(PROBE_OTHERS_MS, directory, &real) == 0)
		(void)path_join(real, path_name(path), ret);
}

/* Reports a new file. `first`: the first name of its path. */
static int report_new(const char *path, const char *first, const char *inner,
	const struct layer *layer, bool is_to_be_made)
{
	CLEANUP(freep) char *word = NULL, *advice = NULL;
	size_t length;
	FILE *out = open_memstream(&word, &length);

	if (out)
		text_put_word(out, layer->name);
	bool is_quoted = out && fclose(out) == 0;
	if (is_to_be_made)
		(void)text_format(&advice,
			"; if the file is to be in a new '%s' in a layer, make that directory "
			"first",
			first);
	return message_at(path,
		"no layer has a directory '%s'; paths are relative to the layers: '%s', with -L %s "
		"for this layer%s",
		first, inner, is_quoted ? word : layer->name, advice ? advice : "");
}

bool prefixed_path_report(
	const struct settings *settings, const char *path, enum prefixed_path kind)
{
	bool is_new = kind != PREFIXED_PATH_OLD;
	CLEANUP(freep) char *real = NULL, *first = strndup(path, strcspn(path, "/"));

	if (is_new && (!first || has_name(settings, first)))
		return false;
	find_real(path, &real);
	for (size_t i = 0; i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];
		const char *inner =
			layer->dirfd < 0 ? NULL : cut_layer(settings, layer, path, real, is_new);

		if (!inner)
			continue;
		if (is_new)
			report_new(path, first, inner, layer, kind == PREFIXED_PATH_MADE);
		else
			message_at(path,
				"no layer has such a file; paths are relative to the layers: '%s'",
				inner);
		return true;
	}
	return false;
}
