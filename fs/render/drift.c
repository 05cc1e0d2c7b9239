#include "drift.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "generation.h"
#include "layer.h"
#include "view.h"

/* What the manifest's names are looked up in. */
struct ground {
	struct layer *tree;
	struct layer *place;
	struct manifest *manifest;
};

static void ground_fini(struct ground *ground)
{
	manifest_free(ground->manifest);
	layer_free(ground->tree);
	layer_free(ground->place);
}

static int open_own(const char *root)
{
	CLEANUP(freep) char *path = NULL;

	if (asprintf(&path, "%s/" PLYFS_NAME, root) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_layer(const char *path, struct layer **ret)
{
	static const char *const nothing[] = {NULL};
	int r = layer_open("", path, 0, true, false, ret);

	if (r == 0)
		layer_exclude(*ret, nothing);
	return r;
}

static int open_ground(const char *root, struct ground *ret)
{
	CLEANUP(closep) int own = open_own(root);
	CLEANUP(freep) char *path = NULL;

	*ret = (struct ground){0};
	int r = own < 0 ? own : manifest_read(own, &ret->manifest);
	if (r == 0)
		r = open_layer(root, &ret->place);
	if (r < 0)
		return r;
	if (asprintf(&path, "%s/%s", root,
		    manifest_is_atomic(ret->manifest) ? GENERATION_LINK : ".") < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return open_layer(path, &ret->tree);
}

static int look(const struct ground *ground, const struct owned *owned, struct imprint *ret)
{
	bool is_beside = generation_is_beside(owned);
	const struct layer *layer = is_beside ? ground->place : ground->tree;
	const char *path = owned->path + (is_beside ? strlen(GENERATION_BESIDE) : 0);
	const char *name;

	*ret = (struct imprint){0};
	if (layer->dirfd < 0)
		return 0;
	CLEANUP(closep) int parent = layer_open_parent(layer, path, &name);
	if (parent < 0)
		return parent == -ENOENT || parent == -ENOTDIR || parent == -ELOOP ||
				       parent == -EXDEV
			       ? 0
			       : parent;
	return imprint_at(parent, name, ret);
}

int drift_find(const char *root, const struct drift_visitor *visitor)
{
	CLEANUP(ground_fini) struct ground ground;
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int r = open_ground(root, &ground);

	if (r == 0)
		r = manifest_list(ground.manifest, "", &all, &count);
	for (size_t i = 0; r == 0 && i < count; i++) {
		bool is_beside = generation_is_beside(all[i]);
		struct imprint now;
		/* Generations come and go. */
		if (is_beside && S_ISDIR(all[i]->print.mode))
			continue;
		int error = look(&ground, all[i], &now);
		enum drift drift =
			error < 0 ? DRIFT_NONE : manifest_drift(ground.manifest, all[i], &now);
		if (error < 0 || drift != DRIFT_NONE)
			visitor->each(visitor->context, all[i]->path, drift, -error);
	}
	return r;
}

int drift_was(const char *root, const char *path, struct imprint *ret)
{
	CLEANUP(ground_fini) struct ground ground;
	const struct owned *owned;
	int r = open_ground(root, &ground);

	*ret = (struct imprint){0};
	if (r == 0 && (owned = manifest_find(ground.manifest, path)))
		*ret = owned->print;
	return r;
}

bool drift_is_rendered_now(const char *root)
{
	CLEANUP(closep) int fd = open_own(root);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}
