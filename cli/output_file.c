#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "message.h"
#include "probe.h"
#include "text.h"

static const struct layer *layer_at(const struct settings *settings, const char *directory)
{
	struct stat at;

	if (stat(directory, &at) < 0)
		return NULL;
	for (size_t i = 0; i < settings->layer_count; i++)
		if (layer_is(settings->layers[i], &at))
			return settings->layers[i];
	return NULL;
}

/* Returns the layer that `path` lies in; it is absolute and has no links. Shortens `path`. */
static const struct layer *layer_of(const struct settings *settings, char *path)
{
	const struct layer *layer;

	do {
		path = dirname(path);
		layer = layer_at(settings, path);
	} while (!layer && strcmp(path, "/") != 0);
	return layer;
}

/*
 * Finds the real path of the file, which need not exist. Returns 0 with *ret for free(3), or
 * -errno.
 */
static int real_path(const char *path, char **ret)
{
	CLEANUP(freep) char *copy = strdup(path), *directory = NULL;

	int r = probe_real_path(PROBE_MS, path, ret);
	if (r != -ENOENT)
		return r;
	if (!copy)
		return -ENOMEM;
	r = probe_real_path(PROBE_MS, dirname(copy), &directory);
	if (r < 0)
		return r;
	/* The last name does not matter: only its directory is examined. */
	return text_format(ret, "%s/.", directory);
}

static int complain(const char *path, int error)
{
	return message("can't write to '%s': %s", path, text_error(-error));
}

int output_file_open(const struct settings *settings, const char *path, mode_t mode, FILE **ret)
{
	CLEANUP(freep) char *real = NULL;
	struct stat link;

	int r = real_path(path, &real);
	if (r < 0)
		return complain(path, -r);
	if (access(path, F_OK) < 0 && lstat(path, &link) == 0)
		return message("'%s' is a link that leads nowhere; give a file elsewhere", path);
	const struct layer *layer = layer_of(settings, real);
	if (layer)
		return message(
			"'%s' is in the layer '%s'; give a file elsewhere", path, layer->name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	*ret = fd < 0 ? NULL : fdopen(fd, "w");
	return *ret ? EXIT_DONE : complain(path, errno);
}
