#include "mounted_layer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "document.h"
#include "mounted.h"
#include "report.h"

/* The file that is looked for, and what has been found. */
struct search {
	char *real;             /* its path, absolute and with no links */
	const char *mountpoint; /* NULL: none so far */
	const char *inner;      /* the path in the mount: the end of `real` */
};

/* The path in the directory `layer`, by which the file can be reached in it; or NULL. */
static const char *path_in(const struct search *search, const char *layer)
{
	CLEANUP(freep) char *above = strdup(search->real);
	struct stat root, at;

	if (!above || stat(layer, &root) < 0)
		return NULL;
	for (char *end; (end = strrchr(above, '/')) && end > above;) {
		*end = '\0';
		if (stat(above, &at) == 0 && at.st_dev == root.st_dev && at.st_ino == root.st_ino)
			return search->real + (end - above) + 1;
	}
	return NULL;
}

/* Of layers that lie in each other, the innermost counts. Returns 0 or -ENOMEM. */
static int look_at_layers(const struct search *search, const struct node *status, const char **ret)
{
	const struct node *layers = report_get(status, "layers", NULL);
	const char *directory = report_text(report_get(status, "directory", NULL));

	for (uint32_t i = 0; i < report_count(layers); i++) {
		const char *path = report_text(report_get(layers->seq.items[i], "path", NULL));
		CLEANUP(freep) char *layer = NULL;

		if (asprintf(&layer, "%s%s%s", *path == '/' ? "" : directory,
			    *path == '/' ? "" : "/", path) < 0)
			return -ENOMEM;
		const char *inner = path_in(search, layer);
		if (inner && (!*ret || inner > *ret))
			*ret = inner;
	}
	return 0;
}

/* A mount that can't be asked, another user's or a dead one, is passed over. */
static int look_at(struct search *search, const char *mountpoint, struct problem *problem)
{
	CLEANUP(document_freep) struct document *document = NULL;
	const char *inner = NULL;
	struct problem ignored;

	if (mounted_report(mountpoint, &document, &ignored) != 0 || document->count == 0)
		return 0;
	int r = look_at_layers(search, document->roots[0], &inner);
	if (r < 0 || !inner)
		return r;
	if (search->mountpoint)
		return problem_set(problem, search->real, 0, 0,
			"is in layers of several mounts, %s and %s; give the path in one of them",
			search->mountpoint, mountpoint);
	search->mountpoint = mountpoint;
	search->inner = inner;
	return 0;
}

int mounted_layer_find(
	const char *path, char **ret_mountpoint, char **ret_path, struct problem *problem)
{
	CLEANUP(mounted_fini) struct mounted mounted = {0};
	CLEANUP(freep) char *real = realpath(path, NULL);
	struct search search = {.real = real};

	int r = real ? mounted_all(&mounted) : -errno;
	for (size_t i = 0; r == 0 && i < mounted.count; i++)
		r = look_at(&search, mounted.paths[i], problem);
	if (r != 0)
		return r;
	if (!search.mountpoint)
		return -ENOENT;
	*ret_mountpoint = strdup(search.mountpoint);
	*ret_path = strdup(search.inner);
	return *ret_mountpoint && *ret_path ? 0 : -ENOMEM;
}
