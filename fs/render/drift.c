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
#include "rendered_state.h"
#include "text.h"
#include "view.h"

/* Frees a rendered directory that was opened only to look up the manifest's names. */
static void ground_fini(struct rendered *ground)
{
	manifest_freep(&ground->manifest);
	layer_free(ground->tree);
	layer_free(ground->place);
}

static int open_own(const char *root)
{
	CLEANUP(freep) char *path = NULL;

	if (text_format(&path, "%s/" PLYFS_NAME, root) < 0)
		return -ENOMEM;
	return descriptor_open_directory(AT_FDCWD, path);
}

static int open_ground(const char *root, struct rendered *ret)
{
	CLEANUP(closep) int own = open_own(root);
	CLEANUP(freep) char *path = NULL;

	*ret = (struct rendered){0};
	int r = own < 0 ? own : manifest_read(own, &ret->manifest);
	if (r == 0)
		r = rendered_open_layer(root, true, &ret->place);
	if (r < 0)
		return r;
	if (text_format(&path, "%s/%s", root,
		    manifest_is_atomic(ret->manifest) ? GENERATION_LINK : ".") < 0)
		return -ENOMEM;
	return rendered_open_layer(path, true, &ret->tree);
}

int drift_find(const char *root,
	void (*each)(void *context, const char *path, enum drift drift, int error), void *context)
{
	CLEANUP(ground_fini) struct rendered ground;
	const struct owned *owned;
	int r = open_ground(root, &ground);

	for (size_t i = 0; r == 0 && (owned = manifest_at(ground.manifest, i)); i++) {
		struct fingerprint now;
		/* Generations are replaced all the time. */
		if (generation_is_beside(owned) && S_ISDIR(owned->fingerprint.mode))
			continue;
		int error = rendered_look(&ground, owned, &now);
		enum drift drift =
			error < 0 ? DRIFT_NONE : manifest_drift(ground.manifest, owned, &now);
		if (error < 0 || drift != DRIFT_NONE)
			each(context, owned->path, drift, -error);
	}
	return r;
}

int drift_was(const char *root, const char *path, struct fingerprint *ret)
{
	CLEANUP(ground_fini) struct rendered ground;
	const struct owned *owned;
	int r = open_ground(root, &ground);

	*ret = (struct fingerprint){0};
	if (r == 0 && (owned = manifest_find(ground.manifest, path)))
		*ret = owned->fingerprint;
	return r;
}

bool drift_is_rendered_now(const char *root)
{
	CLEANUP(closep) int fd = open_own(root);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}
