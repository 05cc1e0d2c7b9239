#include "store_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "descriptor.h"

/* Reads the revision of the file that was read; "": it is replaced, or unknown. */
static void read_revision(const struct layer *layer, const char *path, const struct stat *read,
	char ret[STORE_REVISION_MAX])
{
	struct stat stat;

	*ret = '\0';
	if (layer->store->kind == STORE_GIT) {
		store_read_revision(layer->store, -1, ret);
		return;
	}
	CLEANUP(closep) int fd = layer_open_file(layer, path, &stat);
	/* A mirror replaces its files: an equal stat(2) means the same bytes. */
	if (fd >= 0 && stat.st_dev == read->st_dev && stat.st_ino == read->st_ino &&
		stat.st_size == read->st_size && stat.st_mtim.tv_sec == read->st_mtim.tv_sec &&
		stat.st_mtim.tv_nsec == read->st_mtim.tv_nsec)
		store_read_revision(layer->store, fd, ret);
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
	struct store_place place = {
		.source = source->name, .rank = source->rank, .store = layer->store};
	char revision[STORE_REVISION_MAX];

	if (!place.store || place.store->kind == STORE_UNKNOWN)
		return 0;
	if (array_grow(places->items, places->count, places->capacity) < 0)
		return -ENOMEM;
	read_revision(layer, path, read, revision);
	place.revision = strdup(revision);
	int r = place.revision ? store_name(place.store, path, &place.name) : -ENOMEM;
	if (r == 0)
		r = store_place(place.store, place.name, place.revision, &place.text);
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

void store_place_put_json(const struct store_place *place, struct json *out)
{
	const char *revision = *place->revision ? place->revision : NULL;

	if (place->store->kind == STORE_ETCD) {
		json_put(out, ", 'etcd': {'key': %s, 'revision': ", place->name);
		fputs_unlocked(revision ? revision : "null", out->file);
		json_put(out, "}");
	} else {
		json_put(out, ", 'git': {'commit': %s, 'path': %s}", revision, place->name);
	}
}
