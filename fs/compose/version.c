#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "aside.h"
#include "bytes.h"
#include "cleanup.h"
#include "hash.h"
#include "source_cache.h"

struct stamp stamp_of(const struct stat *stat)
{
	return (struct stamp){
		.dev = stat->st_dev,
		.ino = stat->st_ino,
		.size = stat->st_size,
		.mtime = stat->st_mtim,
		.ctime = stat->st_ctim,
	};
}

bool stamp_equal(const struct stamp *a, const struct stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       time_equal(a->mtime, b->mtime) && time_equal(a->ctime, b->ctime);
}

uint64_t stamp_add(uint64_t hash, const struct stamp *stamp)
{
	hash = hash_add(hash, stamp->dev);
	hash = hash_add(hash, stamp->ino);
	hash = hash_add(hash, (uint64_t)stamp->size);
	hash = hash_add(hash, (uint64_t)stamp->mtime.tv_sec);
	hash = hash_add(hash, (uint64_t)stamp->mtime.tv_nsec);
	hash = hash_add(hash, (uint64_t)stamp->ctime.tv_sec);
	return hash_add(hash, (uint64_t)stamp->ctime.tv_nsec);
}

uint64_t stamp_hash(uint64_t hash, const struct stat *stat)
{
	const struct stamp stamp = stamp_of(stat);

	return stamp_add(hash, &stamp);
}

struct version *version_new(enum version_kind kind)
{
	struct version *version = calloc(1, sizeof(*version));

	if (!version)
		return NULL;
	atomic_init(&version->references, 1);
	version->inode.type = INODE_VERSION;
	version->kind = kind;
	version->fd = -1;
	clock_gettime(CLOCK_REALTIME, &version->made);
	return version;
}

struct version *version_ref(struct version *version)
{
	atomic_fetch_add_explicit(&version->references, 1, memory_order_relaxed);
	return version;
}

void version_unref(struct version *version)
{
	if (!version ||
		atomic_fetch_sub_explicit(&version->references, 1, memory_order_acq_rel) != 1)
		return;
	if (version->fd >= 0)
		close(version->fd);
	if (version->map.len)
		munmap((void *)(uintptr_t)version->map.data, version->map.len);
	else
		bytes_free(version->data);
	source_cache_release(version);
	free(version->stamps);
	for (size_t i = 0; i < version->fallback_count; i++)
		loaded_unref(version->fallbacks[i]);
	free(version->fallbacks);
	free(version->latest.items);
	free(version->layers);
	free(version->sources);
	free(version);
}

void version_unrefp(struct version **version)
{
	version_unref(*version);
}

static bool same_content(const struct version *a, const struct version *b)
{
	switch (a->kind) {
	case VERSION_BYTES:
	case VERSION_LINK:
		return a->size == 0 || memcmp(a->data, b->data, a->size) == 0;
	case VERSION_HELD:
		return a->stamp_count == b->stamp_count &&
		       stamp_equal(&a->stamps[0], &b->stamps[0]);
	case VERSION_BROKEN:
		return true;
	}
	return false;
}

bool version_same(const struct version *a, const struct version *b)
{
	return a->kind == b->kind && a->mode == b->mode && a->uid == b->uid && a->gid == b->gid &&
	       a->size == b->size && same_content(a, b);
}

static struct rights rights_of(const struct version *version)
{
	return (struct rights){version->mode, version->uid, version->gid};
}

void version_restrict(
	struct version *version, const struct version *other, const struct mounter *mounter)
{
	const struct rights own = rights_of(version);
	const struct rights others = rights_of(other);
	const struct rights both = rights_both(&own, &others, mounter);

	/* Another owner would be a change for nothing. */
	if (!rights_take_away(&own, &both))
		return;
	version->mode = (version->mode & S_IFMT) | both.mode;
	version->uid = both.uid;
	version->gid = both.gid;
}

struct version *version_copy(const struct version *version)
{
	CLEANUP(version_unrefp) struct version *copy = version_new(version->kind);
	size_t size = version->data ? version->size : 0;

	if (!copy)
		return NULL;
	copy->mode = version->mode;
	copy->uid = version->uid;
	copy->gid = version->gid;
	copy->size = version->size;
	copy->mtime = version->mtime;
	copy->ctime = version->ctime;
	copy->made = version->made;
	copy->strategy = version->strategy;
	/* With a NUL: a link's target is read as a string. */
	copy->data = version->data ? bytes_dup((struct span){version->data, size}) : NULL;
	copy->layers = version->layers ? strdup(version->layers) : NULL;
	copy->sources = version->sources ? strdup(version->sources) : NULL;
	if ((version->data && !copy->data) || (version->layers && !copy->layers) ||
		(version->sources && !copy->sources))
		return NULL;
	return take_ptr(copy);
}

struct version *version_narrow(
	const struct version *version, const struct version *other, const struct mounter *mounter)
{
	CLEANUP(version_unrefp) struct version *copy = version_copy(version);
	size_t count;
	const struct stamp *stamps = version_stamps(version, &count);

	if (!copy)
		return NULL;
	version_restrict(copy, other, mounter);
	copy->has_refusals = version->has_refusals;
	copy->stamps = calloc(count + 1, sizeof(*copy->stamps));
	copy->fallbacks = calloc(version->fallback_count + 1, sizeof(struct loaded *));
	if (version->fd >= 0)
		copy->fd = fcntl(version->fd, F_DUPFD_CLOEXEC, 0);
	if (!copy->stamps || !copy->fallbacks || (version->fd >= 0 && copy->fd < 0))
		return NULL;
	for (; copy->stamp_count < count; copy->stamp_count++)
		copy->stamps[copy->stamp_count] = stamps[copy->stamp_count];
	for (; copy->fallback_count < version->fallback_count; copy->fallback_count++)
		copy->fallbacks[copy->fallback_count] =
			loaded_ref(version->fallbacks[copy->fallback_count]);
	if (version->cache)
		source_cache_hold(version->cache, copy);
	return take_ptr(copy);
}

const struct stamp *version_stamps(const struct version *version, size_t *count)
{
	const struct stamp_list *latest = &version->latest;

	*count = latest->items ? latest->count : version->stamp_count;
	return latest->items ? latest->items : version->stamps;
}

/* Returns the only source; NULL: there are more. The directories that guard a source stand after
 * it, and have no time. */
static const struct stamp *only_source(const struct version *version)
{
	size_t count;
	const struct stamp *stamps = version_stamps(version, &count);

	for (size_t i = 1; i < count; i++)
		if (stamps[i].mtime.tv_sec || stamps[i].mtime.tv_nsec)
			return NULL;
	return count && version->kind != VERSION_BROKEN && !version->fallback_count ? stamps : NULL;
}

bool version_has_layer(const struct version *version, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = version->layers; at; at = strchr(at, ':')) {
		at += *at == ':';
		if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ':'))
			return true;
	}
	return false;
}

bool version_has_one_source(const struct version *version)
{
	return only_source(version);
}

bool version_is_touched(const struct version *version, const struct version *other)
{
	const struct stamp *before = only_source(version);
	const struct stamp *now = only_source(other);

	return before && now && before->dev == now->dev && before->ino == now->ino &&
	       !time_equal(before->mtime, now->mtime);
}

#define SWAP(a, b)                                                                                 \
	do {                                                                                       \
		void *kept = a;                                                                    \
		a = b;                                                                             \
		b = kept;                                                                          \
	} while (0)

void version_take_sources(struct version *version, struct version *other)
{
	source_cache_release(version);
	SWAP(version->cache, other->cache);
	SWAP(version->layers, other->layers);
	SWAP(version->sources, other->sources);
	version->strategy = other->strategy;
	SWAP(version->latest.items, other->stamps);
	version->latest.count = other->stamp_count;
	other->stamp_count = 0;
	SWAP(version->fallbacks, other->fallbacks);
	size_t count = version->fallback_count;
	version->fallback_count = other->fallback_count;
	other->fallback_count = count;
}

void version_stat(const struct version *version, struct stat *ret)
{
	*ret = (struct stat){
		.st_ino = version->inode.ino,
		.st_mode = version->mode,
		.st_nlink = !version->inode.is_removed,
		.st_uid = version->uid,
		.st_gid = version->gid,
		.st_size = (off_t)version->size,
		.st_blksize = 4096,
		.st_blocks = (blkcnt_t)((version->size + 511) / 512),
		.st_atim = version->mtime,
		.st_mtim = version->mtime,
		.st_ctim = version->ctime,
	};
}

/*
 * The one kind of file that is not a copy in memory. A change in place would mix old and new bytes,
 * so each read is checked against the state that the version stands for.
 */
static ssize_t read_checked(
	const struct version *version, const struct iovec *to, off_t offset, int flags)
{
	struct stat now;
	ssize_t n = preadv2(version->fd, to, 1, offset, flags);
	if (n < 0 || fstat(version->fd, &now) < 0)
		return -errno;

	/*
	 * The change time also moves with rights and names; the content does not change. So new
	 * bytes with the old size and modification time are not noticed.
	 */
	struct stamp stamp = stamp_of(&now);
	stamp.ctime = version->stamps[0].ctime;
	return stamp_equal(&stamp, &version->stamps[0]) ? n : -ESTALE;
}

/* A read of a held file. */
struct held_read {
	const struct version *version;
	struct iovec to;
	off_t offset;
	ssize_t result;
};

static void read_aside(void *context)
{
	struct held_read *read = context;

	read->result = read_checked(read->version, &read->to, read->offset, 0);
}

/*
 * Reads at once if the kernel has the bytes in its cache. Otherwise they come from a disk, which
 * may be slow, or from a layer, which may not answer: they are read aside.
 */
static ssize_t read_held(const struct version *version, char *buffer, size_t size, off_t offset)
{
	struct held_read read = {version, {buffer, size}, offset, 0};

	read.result = read_checked(version, &read.to, offset, RWF_NOWAIT);
	bool is_whole = read.result == -ESTALE || read.result == (ssize_t)size;
	if (is_whole)
		return read.result;
	aside_run(read_aside, &read);
	return read.result;
}

ssize_t version_read(const struct version *version, char *buffer, size_t size, off_t offset)
{
	if (version->kind == VERSION_BROKEN)
		return -EIO;
	if (offset < 0 || (uint64_t)offset >= version->size)
		return 0;
	if (size > version->size - (uint64_t)offset)
		size = (size_t)(version->size - (uint64_t)offset);
	if (version->kind == VERSION_HELD)
		return read_held(version, buffer, size, offset);
	memcpy(buffer, version->data + offset, size);
	return (ssize_t)size;
}

int version_read_all(const struct version *version, char **ret)
{
	CLEANUP(freep) char *text = malloc(version->size + 1);
	uint64_t len = 0;

	if (!text)
		return -ENOMEM;
	while (len < version->size) {
		ssize_t n = version_read(version, text + len, version->size - len, (off_t)len);
		if (n <= 0)
			return n < 0 ? (int)n : -ESTALE;
		len += (uint64_t)n;
	}
	text[len] = '\0';
	*ret = take_ptr(text);
	return 0;
}

#define REST ":…"

static bool reserve(struct source_list *list, size_t more)
{
	size_t needed = list->len + more;
	size_t capacity = list->capacity ? list->capacity : 64;

	if (needed <= list->capacity)
		return true;
	while (capacity < needed)
		capacity *= 2;
	char *text = realloc(list->text, capacity);
	if (!text) {
		list->failure = -ENOMEM;
		return false;
	}
	list->text = text;
	list->capacity = capacity;
	return true;
}

void source_list_add(struct source_list *list, const char *name)
{
	size_t size = 2 * strlen(name) + sizeof(REST) + 1;

	if (list->failure || !reserve(list, size))
		return;
	if (list->len + size > SOURCE_LIST_MAX) {
		memcpy(list->text + list->len, REST, sizeof(REST));
		list->failure = -E2BIG;
		return;
	}
	if (list->len > 0)
		list->text[list->len++] = ':';
	for (; *name; name++) {
		if (*name == ':' || *name == '\\')
			list->text[list->len++] = '\\';
		list->text[list->len++] = *name;
	}
	list->text[list->len] = '\0';
}

int source_list_take(struct source_list *list, char **ret)
{
	char *text = list->text ? list->text : calloc(1, 1);

	if (list->failure == -ENOMEM || !text) {
		free(text);
		text = NULL;
	}
	*list = (struct source_list){0};
	if (!text)
		return -ENOMEM;
	*ret = text;
	return 0;
}
