#include "nearby_mounts.h"

#include <errno.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "mount_table.h"
#include "route.h"

/* The paths that a mount may stand on to be near. */
struct nearby {
	struct arena *arena;
	const char **ways; /* each component of a way */
	size_t way_count;
	size_t way_capacity;
	const char **tops; /* what is in them counts, too */
	size_t top_count;
	size_t top_capacity;
	const char *last; /* step of the way that is gone */
	uint64_t digest;
};

static void nearby_fini(struct nearby *nearby)
{
	free(nearby->ways);
	free(nearby->tops);
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

/* Goes to `path`, as far as there is a way. */
static int go(struct nearby *nearby, const char *path, bool is_top)
{
	nearby->last = NULL;
	int r = path ? route_each(path, take_step, nearby) : 0;

	if (r == -ENOMEM || r == -EMFILE || r == -ENFILE)
		return r;
	if (!is_top || !nearby->last)
		return 0;
	if (array_grow(nearby->tops, nearby->top_count, nearby->top_capacity) < 0)
		return -ENOMEM;
	nearby->tops[nearby->top_count++] = nearby->last;
	return 0;
}

/* The mountpoint is looked at as a text: a step into it would ask ourselves. */
static int go_to_mountpoint(struct nearby *nearby, const char *mountpoint)
{
	char path[PATH_MAX];
	int r = add_way(nearby, "/");

	for (size_t length = 0; r == 0 && mountpoint[length];) {
		length += strcspn(mountpoint + length + 1, "/") + 1;
		if (length >= sizeof(path))
			return -ENAMETOOLONG;
		memcpy(path, mountpoint, length);
		path[length] = '\0';
		r = add_way(nearby, path);
	}
	if (r < 0 || array_grow(nearby->tops, nearby->top_count, nearby->top_capacity) < 0)
		return r < 0 ? r : -ENOMEM;
	nearby->tops[nearby->top_count++] = nearby->last;
	return 0;
}

static bool is_near(const struct nearby *nearby, const char *path)
{
	for (size_t i = 0; i < nearby->way_count; i++)
		if (strcmp(nearby->ways[i], path) == 0)
			return true;
	for (size_t i = 0; i < nearby->top_count; i++) {
		size_t length = strlen(nearby->tops[i]);

		if (strncmp(path, nearby->tops[i], length) == 0 &&
			(path[length] == '/' || strcmp(nearby->tops[i], "/") == 0))
			return true;
	}
	return false;
}

static bool count_mount(void *context, const struct table_mount *mount)
{
	struct nearby *nearby = context;

	if (is_near(nearby, mount->path))
		nearby->digest = nearby->digest * 0x100000001b3u + mount->digest;
	return false;
}

int nearby_mounts_digest(
	const struct settings *settings, const char *mountpoint, int mounts_fd, uint64_t *ret)
{
	CLEANUP(nearby_fini) struct nearby nearby = {0};
	int r = arena_new(&nearby.arena);

	if (r == 0)
		r = go_to_mountpoint(&nearby, mountpoint);
	if (r == 0)
		r = go(&nearby, settings->place, false);
	for (size_t i = 0; r == 0 && i < settings->preset_count; i++)
		r = go(&nearby, settings->presets[i].path, false);
	for (uint32_t i = 0; r == 0 && i < settings->schema_count; i++)
		r = go(&nearby, settings->schemas[i]->place, false);
	for (size_t i = 0; r == 0 && i < settings->layer_count; i++)
		r = go(&nearby, settings->layers[i]->place, true);
	if (r == 0)
		r = mount_table_each(mounts_fd, count_mount, &nearby);
	if (r == 0)
		*ret = nearby.digest;
	return r;
}
