#include "drift.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
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

static int add(struct drift_list *list, const struct owned *owned, enum drift drift, int error)
{
	char *path = strdup(generation_path(owned));

	if (!path || array_grow(list->items, list->count, list->capacity) < 0) {
		free(path);
		return -ENOMEM;
	}
	list->items[list->count++] = (struct drifted){
		path, generation_is_beside(owned), drift, error, owned->fingerprint};
	return 0;
}

int drift_find(const char *root, struct drift_list *ret)
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
			r = add(ret, owned, drift, error < 0 ? error : 0);
	}
	return r;
}

void drift_list_fini(struct drift_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
}

bool drift_is_atomic(const char *root)
{
	CLEANUP(manifest_freep) struct manifest *manifest = NULL;
	CLEANUP(closep) int own = open_own(root);

	return own >= 0 && manifest_read(own, &manifest) == 0 && manifest_is_atomic(manifest);
}

bool drift_is_rendered_now(const char *root)
{
	CLEANUP(closep) int fd = open_own(root);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}
