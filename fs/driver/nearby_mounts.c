#include "nearby_mounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "hash.h"
#include "mount_table.h"
#include "path.h"
#include "route.h"

/* A reading of the nearby mounts. */
struct nearby {
	struct path_list remote; /* where network and FUSE file systems are mounted */
	const char *mountpoint;  /* our own */
	const char *last;        /* the last path of a resolution */
	struct nearby_mounts mounts;
};

static void nearby_fini(struct nearby *nearby)
{
	path_list_fini(&nearby->remote);
	nearby_mounts_fini(&nearby->mounts);
}

static int add_way(struct nearby *nearby, const char *path)
{
	struct path_list *ways = &nearby->mounts.ways;
	int r = path_list_add(ways, path, strlen(path));

	if (r == 0)
		nearby->last = ways->paths[ways->count - 1];
	return r;
}

/* Adds the last path of the resolution. */
static int add_top(struct nearby *nearby)
{
	return path_list_add(&nearby->mounts.tops, nearby->last, strlen(nearby->last));
}

static int take_step(void *context, const struct route_step *step)
{
	return add_way(context, step->path);
}

/* Stops if memory is short. */
static bool note_remote(void *context, const struct table_mount *mount)
{
	struct nearby *nearby = context;

	return mount_table_is_remote(mount) && strcmp(mount->path, nearby->mountpoint) != 0 &&
	       path_list_add(&nearby->remote, mount->path, strlen(mount->path)) < 0;
}

static int avoid_remote(void *context, const char *path)
{
	const struct nearby *nearby = context;

	return path_list_has(&nearby->remote, path) ? -EREMOTE : 0;
}

/*
 * Resolves `path` as far as it exists, and notes each path on the way. Ends at a remote file
 * system, which may not answer.
 */
static int go(struct nearby *nearby, const char *path, bool is_top)
{
	nearby->last = NULL;
	int r = path ? route_each(path, avoid_remote, take_step, nearby) : 0;

	if (r == -ENOMEM || r == -EMFILE || r == -ENFILE)
		return r;
	return is_top && nearby->last ? add_top(nearby) : 0;
}

/* Notes the absolute path, and each path above it, by its text alone: asks no file system. */
static int go_blindly(struct nearby *nearby, const char *to)
{
	char path[PATH_MAX];
	int r = add_way(nearby, "/");

	for (size_t length = 0; r == 0 && to[length];) {
		length += strcspn(to + length + 1, "/") + 1;
		if (length >= sizeof(path))
			return -ENAMETOOLONG;
		memcpy(path, to, length);
		path[length] = '\0';
		r = add_way(nearby, path);
	}
	return r < 0 ? r : add_top(nearby);
}

/* Resolves a remote layer's path without its file system, which may not answer. */
static int go_to_layer(struct nearby *nearby, const struct layer *layer)
{
	char path[PATH_MAX];

	if (!layer_is_delegated(layer))
		return go(nearby, layer->place, true);
	return descriptor_path(layer->dirfd, path) < 0 ? 0 : go_blindly(nearby, path);
}

static int add_mount(struct nearby_list *mounts, const char *path, uint64_t digest)
{
	char *copy = strdup(path);

	if (!copy || array_grow(mounts->items, mounts->count, mounts->capacity) < 0) {
		free(copy);
		return -ENOMEM;
	}
	mounts->items[mounts->count++] = (struct nearby_mount){copy, digest};
	return 0;
}

static bool is_near(const struct nearby_mounts *mounts, const char *path)
{
	const struct path_list *tops = &mounts->tops;
	bool is_so = path_list_has(&mounts->ways, path);

	for (size_t i = 0; !is_so && i < tops->count; i++)
		is_so = strcmp(tops->paths[i], path) != 0 && path_within(path, tops->paths[i]);
	return is_so;
}

static void add_digest(uint64_t *digest, const struct table_mount *mount)
{
	*digest = hash_add(*digest, mount->digest);
}

/* Notes the mount if it is near. Stops if memory is short. */
static bool take_mount(void *context, const struct table_mount *mount)
{
	struct nearby *nearby = context;
	struct nearby_mounts *mounts = &nearby->mounts;
	const struct path_list *tops = &mounts->tops;

	/* The first top is the mountpoint: mounts in it only change the digest. Others: layers. */
	for (size_t i = 1; i < tops->count; i++) {
		const char *path = path_within(mount->path, tops->paths[i]);

		if (path && *path && add_mount(&mounts->in_layers, path, mount->digest) < 0)
			return true;
	}
	if (is_near(mounts, mount->path)) {
		add_digest(&mounts->digest, mount);
		return false;
	}
	if (!mounts->has_links)
		return false;
	add_digest(&mounts->elsewhere_digest, mount);
	return add_mount(&mounts->elsewhere, mount->path, mount->digest) < 0;
}

int nearby_mounts_read(
	const struct settings *settings, const char *mountpoint, struct nearby_mounts *ret)
{
	CLEANUP(nearby_fini) struct nearby nearby = {.mountpoint = mountpoint};
	struct nearby_mounts *mounts = &nearby.mounts;
	const struct settings_text *text;
	bool has_remote = false;
	int r = mount_table_each(-1, note_remote, &nearby);

	if (r > 0)
		r = -ENOMEM;
	if (r == 0)
		r = go_blindly(&nearby, mountpoint);
	for (size_t i = 0; r == 0 && (text = settings_text_at(settings, i)); i++)
		r = go(&nearby, text->place, false);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++) {
		mounts->has_links |= settings->layers[i]->follow;
		has_remote |= layer_is_delegated(settings->layers[i]);
		r = go_to_layer(&nearby, settings->layers[i]);
	}
	if (r == 0)
		r = mount_table_each(-1, take_mount, &nearby);
	if (r > 0)
		r = -ENOMEM;
	if (r < 0)
		return r;
	/* Names in a remote file system are not watched, so the path to such a layer may change. */
	if (has_remote)
		nearby_mounts_forget_paths(mounts);
	*ret = *mounts;
	*mounts = (struct nearby_mounts){0};
	return 0;
}

void nearby_mounts_forget_paths(struct nearby_mounts *mounts)
{
	path_list_clear(&mounts->ways);
}

static void free_list(struct nearby_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
}

void nearby_mounts_fini(struct nearby_mounts *mounts)
{
	path_list_fini(&mounts->ways);
	path_list_fini(&mounts->tops);
	free_list(&mounts->in_layers);
	free_list(&mounts->elsewhere);
	*mounts = (struct nearby_mounts){0};
}

/* The mounts of a new reading, compared with those of a former one. */
struct comparison {
	const struct nearby_mounts *before;
	const struct own_mount *own;
	uint64_t digest;
	uint64_t elsewhere_digest;
	unsigned own_count; /* lines of `own` */
};

static bool compare_mount(void *context, const struct table_mount *mount)
{
	struct comparison *comparison = context;
	const struct nearby_mounts *before = comparison->before;

	comparison->own_count +=
		mount->id == comparison->own->id && mount->dev == comparison->own->dev;
	if (is_near(before, mount->path))
		add_digest(&comparison->digest, mount);
	else if (before->has_links)
		add_digest(&comparison->elsewhere_digest, mount);
	return false;
}

bool nearby_mounts_are_same(const struct nearby_mounts *mounts, const struct own_mount *own)
{
	struct comparison now = {.before = mounts, .own = own};

	return mounts->ways.count > 0 &&
	       mount_table_each(own->table_fd, compare_mount, &now) == 0 && now.own_count > 0 &&
	       now.digest == mounts->digest && now.elsewhere_digest == mounts->elsewhere_digest;
}

static bool has_mount(const struct nearby_list *mounts, const struct nearby_mount *mount)
{
	for (size_t i = 0; i < mounts->count; i++)
		if (mounts->items[i].digest == mount->digest &&
			strcmp(mounts->items[i].path, mount->path) == 0)
			return true;
	return false;
}

void nearby_list_each_without(const struct nearby_list *a, const struct nearby_list *b,
	void (*each)(struct view *view, const char *path), struct view *view)
{
	for (size_t i = 0; i < a->count; i++)
		if (!has_mount(b, &a->items[i]))
			each(view, a->items[i].path);
}
