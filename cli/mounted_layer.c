#include "mounted_layer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "document.h"
#include "plyfs_mount.h"
#include "report.h"
#include "text.h"

struct layer_search {
	char *real;        /* the file's path, absolute and without links */
	char *mountpoint;  /* NULL: none was found yet; owned */
	const char *inner; /* the path in the mount: the end of `real` */
	struct problem *problem;
};

/* Returns the file's path in the directory `layer`, or NULL if it is not below it. */
static const char *path_in(const char *real, const char *layer)
{
	CLEANUP(freep) char *above = strdup(real);
	struct stat root, at;

	if (!above || stat(layer, &root) < 0)
		return NULL;
	for (char *end; (end = strrchr(above, '/')) && end > above;) {
		*end = '\0';
		if (stat(above, &at) == 0 && at.st_dev == root.st_dev && at.st_ino == root.st_ino)
			return real + (end - above) + 1;
	}
	return NULL;
}

/* Finds the file in a mount's layers; the innermost layer counts. Returns 0 or -ENOMEM. */
static int look_at_layers(const char *real, const struct node *status, const char **ret)
{
	const struct node *layers = report_get(status, "layers");
	const char *directory = report_text(status, "directory");

	for (uint32_t i = 0; i < report_count(layers); i++) {
		const char *path = report_text(layers->seq.items[i], "path");
		CLEANUP(freep) char *layer = NULL;

		if (asprintf(&layer, "%s%s%s", *path == '/' ? "" : directory,
			    *path == '/' ? "" : "/", path) < 0)
			return -ENOMEM;
		const char *inner = path_in(real, layer);
		if (inner && (!*ret || inner > *ret))
			*ret = inner;
	}
	return 0;
}

/*
 * Searches one mount, in a child, as the mount or the layers that it names may not answer. Writes
 * the path in the mount, or nothing. A mount that can't be read, another user's or a dead one, is
 * skipped.
 */
static int look_at(void *context, const char *mountpoint, int out)
{
	CLEANUP(document_freep) struct document *document = NULL;
	const struct layer_search *search = context;
	const char *inner = NULL;

	if (plyfs_mount_report_within(mountpoint, &document) != 0 || document->count == 0)
		return 0;
	int r = look_at_layers(search->real, document->roots[0], &inner);
	return r == 0 && inner ? text_write(out, inner, strlen(inner)) : r;
}

static int take(void *context, const char *mountpoint, int result, struct span text)
{
	struct layer_search *search = context;
	size_t len = strlen(search->real);

	/* The reply is trusted only as far as it is the end of the path that is searched for. */
	if (result < 0 || text.len == 0 || text.len > len ||
		memcmp(search->real + len - text.len, text.data, text.len) != 0)
		return 0;
	if (search->mountpoint)
		return problem_set(search->problem, search->real, 0, 0,
			"is in layers of several mounts, %s and %s; give the path in one of them",
			search->mountpoint, mountpoint);
	search->inner = search->real + len - text.len;
	search->mountpoint = strdup(mountpoint);
	return search->mountpoint ? 0 : -ENOMEM;
}

int mounted_layer_find(
	const char *path, char **ret_mountpoint, char **ret_path, struct problem *problem)
{
	CLEANUP(path_list_fini) struct path_list mounted = {0};
	CLEANUP(freep) char *real = NULL, *mountpoint = NULL;
	struct layer_search search = {.problem = problem};

	int r = probe_real_path(PROBE_MS, path, &real);
	search.real = real;
	if (r == 0)
		r = plyfs_mount_all(&mounted);
	if (r == 0)
		r = plyfs_mount_each(&mounted, PROBE_OTHERS_MS, look_at, take, &search);
	mountpoint = search.mountpoint;
	if (r != 0)
		return r;
	if (!mountpoint)
		return -ENOENT;
	*ret_path = strdup(search.inner);
	if (!*ret_path)
		return -ENOMEM;
	*ret_mountpoint = take_ptr(mountpoint);
	return 0;
}
