#include "version_record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "cleanup.h"
#include "strategy.h"

/* Seven values of eight bytes. */
#define STAMP_SIZE 56

/* Bytes of a file for which a mapping is kept: a process has only so many (vm.max_map_count), and
 * mappings of files do not become one, as those of bytes.h do. */
#define MAP_LEAST ((size_t)1 << 20)

void stamp_put(struct record *record, const struct stamp *stamp)
{
	record_put(record, stamp->dev);
	record_put(record, stamp->ino);
	record_put(record, (uint64_t)stamp->size);
	record_put_time(record, stamp->mtime);
	record_put_time(record, stamp->ctime);
}

struct stamp stamp_take(struct record *record)
{
	struct stamp stamp = {.dev = record_get(record)};

	stamp.ino = record_get(record);
	stamp.size = (off_t)record_get(record);
	stamp.mtime = record_get_time(record);
	stamp.ctime = record_get_time(record);
	return stamp;
}

static void put_stamps(struct record *record, const struct stamp *stamps, size_t count)
{
	record_put(record, count);
	for (size_t i = 0; i < count; i++)
		stamp_put(record, &stamps[i]);
}

void version_put(struct record *record, const struct version *version)
{
	record_put(record, version->kind);
	record_put(record, version->mode);
	record_put(record, version->uid);
	record_put(record, version->gid);
	record_put(record, version->size);
	record_put_time(record, version->mtime);
	record_put_time(record, version->ctime);
	record_put_bytes(record, version->data, version->data ? version->size : 0);
	record_put_fd(record, version->fd);
	put_stamps(record, version->stamps, version->stamp_count);
	record_put_time(record, version->made);
	record_put(record, version->has_refusals);
	record_put_text(record, version->strategy);
	record_put_text(record, version->layers);
	record_put_text(record, version->sources);
	record_put(record, version->latest.items != NULL);
	if (version->latest.items)
		put_stamps(record, version->latest.items, version->latest.count);
}

static struct stamp *take_stamps(struct record *record, size_t *ret_count)
{
	size_t count = record_get_count(record, STAMP_SIZE);
	struct stamp *stamps = calloc(count + 1, sizeof(*stamps));

	if (!stamps)
		record_lack_memory(record);
	for (size_t i = 0; stamps && i < count; i++)
		stamps[i] = stamp_take(record);
	*ret_count = stamps ? count : 0;
	return stamps;
}

static bool has_data(const struct version *version)
{
	return version->kind == VERSION_BYTES || version->kind == VERSION_LINK;
}

/* Copies bytes, and adds a NUL: a link's target is read as a string. */
static void copy_data(struct record *record, struct version *version, struct span bytes)
{
	version->data = bytes_dup(bytes);
	if (!version->data)
		record_lack_memory(record);
}

/* Reads the version's bytes, which stay in the record. */
static struct span take_data(struct record *record, const struct version *version)
{
	struct span bytes = record_get_bytes(record);

	if (bytes.len != (has_data(version) ? version->size : 0) ||
		(version->kind == VERSION_LINK && bytes.len && memchr(bytes.data, '\0', bytes.len)))
		record_spoil(record);
	return bytes;
}

/* Keeps the record's mapping for a large version, if most of it is the version's bytes. */
static void keep_map(struct record *record, struct version *version, struct span bytes)
{
	if (version->kind != VERSION_BYTES || bytes.len < MAP_LEAST ||
		bytes.len < record_size(record) / 2)
		return;
	version->map = record_take_map(record);
	if (version->map.len)
		version->data = (char *)(uintptr_t)bytes.data;
}

/* Returns whether a held version, and no other, has a stamp and a regular file. */
static bool is_held_well(const struct version *version)
{
	struct stat stat;

	if (version->kind != VERSION_HELD)
		return version->fd < 0;
	return version->fd >= 0 && version->stamp_count && fstat(version->fd, &stat) == 0 &&
	       S_ISREG(stat.st_mode);
}

static void take_sources(struct record *record, struct version *version)
{
	CLEANUP(freep) char *name = record_get_text(record);
	const struct strategy *strategy = name ? strategy_find(span_of(name)) : NULL;

	version->strategy = strategy ? strategy->name : name ? "" : NULL;
	version->layers = record_get_text(record);
	version->sources = record_get_text(record);
	if (record_get_bool(record))
		version->latest.items = take_stamps(record, &version->latest.count);
}

static struct version *take(struct record *record, bool is_last)
{
	CLEANUP(version_unrefp)
	struct version *version =
		version_new((enum version_kind)record_get_below(record, VERSION_BROKEN));
	if (!version) {
		record_lack_memory(record);
		return NULL;
	}
	version->mode = (mode_t)record_get_below(record, S_IFMT | 07777);
	version->uid = (uid_t)record_get_below(record, UINT32_MAX);
	version->gid = (gid_t)record_get_below(record, UINT32_MAX);
	version->size = record_get_below(record, INT64_MAX);
	version->mtime = record_get_time(record);
	version->ctime = record_get_time(record);
	struct span bytes = take_data(record, version);
	version->fd = record_get_fd(record);
	version->stamps = take_stamps(record, &version->stamp_count);
	version->made = record_get_time(record);
	version->has_refusals = record_get_bool(record);
	take_sources(record, version);
	mode_t type = version->kind == VERSION_LINK ? S_IFLNK : S_IFREG;
	if ((version->mode & S_IFMT) != type || !is_held_well(version))
		record_spoil(record);
	if (is_last && !record_error(record))
		keep_map(record, version, bytes);
	if (!version->map.len && !record_error(record) && has_data(version))
		copy_data(record, version, bytes);
	return record_error(record) ? NULL : take_ptr(version);
}

struct version *version_take(struct record *record)
{
	return take(record, false);
}

struct version *version_take_last(struct record *record)
{
	return take(record, true);
}

void source_put(struct record *record, const struct loaded *loaded, struct span text)
{
	record_put(record, loaded->source.rank);
	record_put_text(record, loaded->path);
	stamp_put(record, &loaded->stamp);
	record_put_time(record, loaded->read);
	record_put_bytes(record, text.data, text.len);
}

int source_take(struct record *record, const struct settings *settings, struct read_source *ret)
{
	uint64_t rank = record_get_below(record, settings->layer_count - 1);

	*ret = (struct read_source){
		.layer = settings->layers[rank], .path = record_get_text(record)};
	ret->stamp = stamp_take(record);
	ret->read = record_get_time(record);
	ret->text = record_get_bytes(record);
	return !ret->path || record_error(record) ? record_refuse(record) : 0;
}

void source_fini(struct read_source *source)
{
	free((char *)(uintptr_t)source->path);
}
