#include "store_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"
#include "json_put.h"

/* Characters of a commit that people are shown. */
#define COMMIT_SHOWN 12

/* The store of the layer, found once. 0 or -ENOMEM; what can't be found out is none. */
static int find_store(
	struct store_places *places, const struct layer *layer, const struct store **ret)
{
	unsigned rank = layer->rank;
	int r = 0;

	*ret = NULL;
	if (rank >= LAYERS_MAX || layer->dirfd < 0)
		return 0;
	if (!places->is_looked_at[rank])
		r = store_find(layer->dirfd, &places->stores[rank]);
	places->is_looked_at[rank] = true;
	*ret = places->stores[rank];
	return r == -ENOMEM ? r : 0;
}

/* The revision of the file that was read; "" when it is another one by now. */
static void read_key_revision(const struct layer *layer, const char *path, const struct stat *read,
	char ret[STORE_REVISION_MAX])
{
	struct stat stat;
	CLEANUP(closep) int fd = layer_open_file(layer, path, &stat);

	*ret = '\0';
	/* A file of a mirror is replaced, and never written to. */
	if (fd >= 0 && stat.st_dev == read->st_dev && stat.st_ino == read->st_ino &&
		stat.st_size == read->st_size && stat.st_mtim.tv_sec == read->st_mtim.tv_sec &&
		stat.st_mtim.tv_nsec == read->st_mtim.tv_nsec)
		store_read_attribute(fd, ret);
	if (*ret == '0' || ret[strspn(ret, "0123456789")])
		*ret = '\0';
}

/* The commit of the tree that the layer is in. Its number never comes again. */
static void read_commit(const struct store *store, char ret[STORE_REVISION_MAX])
{
	CLEANUP(freep) char *path = NULL;
	CLEANUP(closep) int fd = -1;

	*ret = '\0';
	/* A name that comes again tells nothing. */
	if (strncmp(store->tree, STORE_TREE_PREFIX, strlen(STORE_TREE_PREFIX)) != 0)
		return;
	if (asprintf(&path, "%s/%s", store->state, store->tree) < 0) {
		path = NULL;
		return;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		store_read_attribute(fd, ret);
}

static int make_text(struct store_place *place)
{
	const char *revision = place->revision;
	int n;

	if (place->store->kind == STORE_ETCD)
		n = asprintf(
			&place->text, "etcd:%s%s%s", place->name, *revision ? "@" : "", revision);
	else
		n = asprintf(&place->text, "git:%.*s%s%s", COMMIT_SHOWN, revision,
			*revision ? ":" : "", place->name);
	if (n < 0)
		place->text = NULL;
	return n < 0 ? -ENOMEM : 0;
}

static void place_fini(struct store_place *place)
{
	free(place->name);
	free(place->revision);
	free(place->text);
}

int store_places_add(struct store_places *places, const struct layer *layer, const char *path,
	const struct stat *read, const struct source *source)
{
	struct store_place place = {.source = source->name, .rank = source->rank};
	char revision[STORE_REVISION_MAX];

	int r = find_store(places, layer, &place.store);
	if (r < 0 || !place.store || place.store->kind == STORE_UNKNOWN)
		return r;
	if (array_grow(places->items, places->count, places->capacity) < 0)
		return -ENOMEM;
	if (place.store->kind == STORE_ETCD)
		read_key_revision(layer, path, read, revision);
	else
		read_commit(place.store, revision);
	place.revision = strdup(revision);
	r = place.revision ? store_name(place.store, path, &place.name) : -ENOMEM;
	if (r == 0)
		r = make_text(&place);
	if (r == 0)
		places->items[places->count++] = place;
	else
		place_fini(&place);
	return r;
}

void store_places_fini(struct store_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		place_fini(&places->items[i]);
	free(places->items);
	for (size_t i = 0; i < LAYERS_MAX; i++)
		store_free(places->stores[i]);
}

const struct store_place *store_places_find(
	const struct store_places *places, const struct source *source)
{
	for (size_t i = 0; i < places->count; i++)
		if (places->items[i].rank == source->rank &&
			strcmp(places->items[i].source, source->name) == 0)
			return &places->items[i];
	return NULL;
}

const char *store_places_name(const struct store_places *places, const struct source *source)
{
	const struct store_place *place = store_places_find(places, source);

	return place ? place->text : source->name;
}

void store_place_put_json(const struct store_place *place, FILE *out)
{
	const char *revision = *place->revision ? place->revision : NULL;

	if (place->store->kind == STORE_ETCD) {
		json_put_field(out, ", \"etcd\": {\"key\": ", place->name);
		fprintf(out, ", \"revision\": %s}", revision ? revision : "null");
	} else {
		json_put_field(out, ", \"git\": {\"commit\": ", revision);
		json_put_field(out, ", \"path\": ", place->name);
		fputc('}', out);
	}
}
