#include "nearby_mounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "mount_table.h"
#include "route.h"

/* The paths at which a mount would change what the layers show. */
struct nearby {
	struct arena *arena;
	const char **ways; /* each path that a resolution went through */
	size_t way_count;
	size_t way_capacity;
	const char **tops; /* mounts below them count, too */
	size_t top_count;
	size_t top_capacity;
	const char **remote; /* where network and FUSE file systems are mounted */
	size_t remote_count;
	size_t remote_capacity;
	const char *mountpoint; /* our own */
	const char *last;       /* the last path of a resolution */
	struct nearby_mounts mounts;
	bool has_links; /* a layer follows links */
	bool is_short;  /* memory is short */
};

static void nearby_fini(struct nearby *nearby)
{
	free(nearby->ways);
	free(nearby->tops);
	free(nearby->remote);
	nearby_mounts_fini(&nearby->mounts);
	arena_free(nearby->arena);
}

static int add_way(struct nearby *nearby, const char *path)
{
	const char *copy = arena_copy(nearby->arena, span_of(path));

	if (!copy || array_grow(nearby->ways, nearby->way_count, nearby->way_capacity) < 0)
		return -ENOMEM;
	nearby->ways[nearby->way_count++] = nearby->last = copy;
	return 0;
}

static int take_step(void *context, const struct route_step *step)
{
	return add_way(context, step->path);
}

static bool note_remote(void *context, const struct table_mount *mount)
{
	struct nearby *nearby = context;

	if (!mount_table_is_remote(mount) || strcmp(mount->path, nearby->mountpoint) == 0)
		return false;
	const char *copy = arena_copy(nearby->arena, span_of(mount->path));
	nearby->is_short = !copy || array_grow(nearby->remote, nearby->remote_count,
					    nearby->remote_capacity) < 0;
	if (!nearby->is_short)
		nearby->remote[nearby->remote_count++] = copy;
	return nearby->is_short;
}

static bool is_remote(void *context, const char *path)
{
	const struct nearby *nearby = context;

	for (size_t i = 0; i < nearby->remote_count; i++)
		if (strcmp(nearby->remote[i], path) == 0)
			return true;
	return false;
}

/*
 * Resolves `path` as far as it exists, and notes each path on the way. Ends at a remote file
 * system, which may not answer.
 */
static int go(struct nearby *nearby, const char *path, bool is_top)
{
	nearby->last = NULL;
	int r = path ? route_each_avoiding(path, is_remote, take_step, nearby) : 0;

	if (r == -ENOMEM || r == -EMFILE || r == -ENFILE)
		return r;
	if (!is_top || !nearby->last)
		return 0;
	if (array_grow(nearby->tops, nearby->top_count, nearby->top_capacity) < 0)
		return -ENOMEM;
	nearby->tops[nearby->top_count++] = nearby->last;
	return 0;
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
	if (r < 0 || array_grow(nearby->tops, nearby->top_count, nearby->top_capacity) < 0)
		return r < 0 ? r : -ENOMEM;
	nearby->tops[nearby->top_count++] = nearby->last;
	return 0;
}

/* Resolves a remote layer's path without its file system, which may not answer. */
static int go_to_layer(struct nearby *nearby, const struct layer *layer)
{
	char path[PATH_MAX];

	if (!layer_is_delegated(layer))
		return go(nearby, layer->place, true);
	return descriptor_path(layer->dirfd, path) < 0 ? 0 : go_blindly(nearby, path);
}

/* Returns `path` relative to `top`; NULL: `path` is not below `top`. */
static const char *path_in(const char *top, const char *path)
{
	size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);

	return strncmp(path, top, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
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

/* Notes the mount if it is near. Stops if memory is short. */
static bool take_mount(void *context, const struct table_mount *mount)
{
	struct nearby *nearby = context;
	bool is_near = false;

	for (size_t i = 0; !is_near && i < nearby->way_count; i++)
		is_near = strcmp(nearby->ways[i], mount->path) == 0;
	/* The first top is the mountpoint: mounts in it only change the digest. Others: layers. */
	for (size_t i = 0; !nearby->is_short && i < nearby->top_count; i++) {
		const char *path = path_in(nearby->tops[i], mount->path);

		is_near |= path != NULL;
		if (i > 0 && path && *path)
			nearby->is_short =
				add_mount(&nearby->mounts.in_layers, path, mount->digest) < 0;
	}
	if (is_near)
		nearby->mounts.digest = nearby->mounts.digest * 0x100000001b3u + mount->digest;
	else if (nearby->has_links && !nearby->is_short)
		nearby->is_short =
			add_mount(&nearby->mounts.elsewhere, mount->path, mount->digest) < 0;
	return nearby->is_short;
}

int nearby_mounts_read(
	const struct settings *settings, const char *mountpoint, struct nearby_mounts *ret)
{
	CLEANUP(nearby_fini) struct nearby nearby = {.mountpoint = mountpoint};
	int r = arena_new(&nearby.arena);

	if (r == 0)
		r = mount_table_each(-1, note_remote, &nearby);
	if (r == 0 && nearby.is_short)
		r = -ENOMEM;
	if (r == 0)
		r = go_blindly(&nearby, mountpoint);
	if (r == 0)
		r = go(&nearby, settings->place, false);
	if (r == 0 && settings->facts.place)
		r = go(&nearby, settings->facts.place, false);
	for (size_t i = 0; r == 0 && i < settings->preset_count; i++)
		r = go(&nearby, settings->presets[i].path, false);
	for (uint32_t i = 0; r == 0 && i < settings->schema_count; i++)
		r = go(&nearby, settings->schemas[i]->place, false);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++) {
		nearby.has_links |= settings->layers[i]->follow;
		r = go_to_layer(&nearby, settings->layers[i]);
	}
	if (r == 0)
		r = mount_table_each(-1, take_mount, &nearby);
	if (r == 0 && nearby.is_short)
		r = -ENOMEM;
	if (r < 0)
		return r;
	*ret = nearby.mounts;
	nearby.mounts = (struct nearby_mounts){0};
	return 0;
}

static void free_list(struct nearby_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
}

void nearby_mounts_fini(struct nearby_mounts *mounts)
{
	free_list(&mounts->in_layers);
	free_list(&mounts->elsewhere);
	*mounts = (struct nearby_mounts){0};
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
	void (*each)(void *context, const char *path), void *context)
{
	for (size_t i = 0; i < a->count; i++)
		if (!has_mount(b, &a->items[i]))
			each(context, a->items[i].path);
}
