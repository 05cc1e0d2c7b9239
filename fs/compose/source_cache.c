#include "source_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "cleanup.h"
#include "hash.h"
#include "text.h"

#define BUCKETS 4096u

/*
 * A file that is written twice within one tick of its file system's clock keeps its stamp. A tick
 * is 4 ms on most file systems, and 2 s on the coarsest. A source that was read that soon after a
 * change is read again next time.
 */
#define STAMP_TICK_S 2

/* Bytes of malloc(3)'s own for a source, about. */
#define LOADED_COST (5 * 16)

/*
 * After so many changes during a read, a program is writing the file: an event will report the end.
 */
#define READ_TRIES 3

/*
 * A full cache admits one in so many new sources; a source that is used again moves to the front.
 * If it admitted all, a round over slightly more than fits would find nothing of the round before.
 * (Qureshi et al., "Adaptive Insertion Policies for High Performance Caching", 2007: BIP.)
 */
#define ADMITTED_ONE_IN 8

/* If two stamps have the same hold, a source may stay longer than needed. */
#define HOLDS 65536u

struct source_cache {
	unsigned references; /* of the owner, and of versions */
	size_t limit;
	enum loaded_race racy; /* of a racy source here: PASSED if no change is reported */
	const struct source_observer *observer; /* NULL: none */
	size_t bytes;
	uint32_t overflows;    /* how often a new source did not fit */
	struct loaded *newest; /* the head of the list, which is in the order of use */
	struct loaded *oldest;
	struct loaded *buckets[BUCKETS];
	unsigned touches[BUCKETS]; /* of the bucket's paths */
	unsigned holds[HOLDS];     /* of the stamps with one hash in versions */
	/* States of which there is, or was, a newer one, by the hold of their stamps. If sources of
	 * many files change at once, one list for all would be walked for each of them. */
	struct loaded *replaced[BUCKETS];
};

int source_cache_new(size_t limit, bool is_notified, struct source_cache **ret)
{
	struct source_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return -ENOMEM;
	cache->references = 1;
	cache->limit = limit;
	cache->racy = is_notified ? LOADED_RACY : LOADED_PASSED;
	*ret = cache;
	return 0;
}

void source_cache_observe(struct source_cache *cache, const struct source_observer *observer)
{
	cache->observer = observer;
}

void loaded_unref(struct loaded *loaded)
{
	if (!loaded || atomic_fetch_sub_explicit(&loaded->references, 1, memory_order_acq_rel) != 1)
		return;
	if (loaded->of) {
		loaded_unref(loaded->of);
		free(loaded);
		return;
	}
	document_free(loaded->document);
	bytes_free((char *)(uintptr_t)loaded->text.data);
	free((char *)(uintptr_t)loaded->source.name);
	free((char *)(uintptr_t)loaded->source.layer);
	free((char *)(uintptr_t)loaded->source.original);
	free((char *)(uintptr_t)loaded->source.place);
	free(loaded->path);
	free(loaded);
}

struct loaded *loaded_ref(struct loaded *loaded)
{
	atomic_fetch_add_explicit(&loaded->references, 1, memory_order_relaxed);
	return loaded;
}

struct loaded *loaded_fallback(struct loaded *of, const struct stat *stat)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	if (!loaded)
		return NULL;
	atomic_init(&loaded->references, 1);
	loaded->stamp = stamp_of(stat);
	loaded->stat = *stat;
	loaded->source = of->source;
	loaded->document = of->document;
	loaded->read = of->read;
	loaded->is_whole = true;
	loaded->of = loaded_ref(of);
	return loaded;
}

static void loaded_unrefp(struct loaded **loaded)
{
	loaded_unref(*loaded);
}

static size_t number_of(const char *path)
{
	return hash_end(hash_bytes(hash_seed(), span_of(path))) % BUCKETS;
}

static struct loaded **bucket_of(struct source_cache *cache, const char *path)
{
	return &cache->buckets[number_of(path)];
}

static void unlink_use(struct source_cache *cache, struct loaded *loaded)
{
	*(loaded->newer ? &loaded->newer->older : &cache->newest) = loaded->older;
	*(loaded->older ? &loaded->older->newer : &cache->oldest) = loaded->newer;
	loaded->newer = loaded->older = NULL;
}

static void link_newest(struct source_cache *cache, struct loaded *loaded)
{
	loaded->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = loaded;
	cache->newest = loaded;
}

static void link_oldest(struct source_cache *cache, struct loaded *loaded)
{
	loaded->newer = cache->oldest;
	*(cache->oldest ? &cache->oldest->older : &cache->newest) = loaded;
	cache->oldest = loaded;
}

/* Returns the number of the stamp's hold. */
static size_t hold_of(const struct stamp *stamp)
{
	return hash_end(stamp_add(hash_seed(), stamp)) % HOLDS;
}

/* Returns whether there may be holds in a cache that has its owner. A worker has none, and never
 * touches their pages. */
static bool is_holding(const struct source_cache *cache)
{
	return cache->references > 1;
}

/* Returns the place in the list of replaced states; if it is not there, the end of the list. */
static struct loaded **find_replaced(struct source_cache *cache, const struct loaded *loaded)
{
	struct loaded **place = &cache->replaced[hold_of(&loaded->stamp) % BUCKETS];

	while (*place && *place != loaded)
		place = &(*place)->next_replaced;
	return place;
}

static void drop(struct source_cache *cache, struct loaded *loaded)
{
	struct loaded **place = is_holding(cache) ? find_replaced(cache, loaded) : NULL;

	if (place && *place)
		*place = loaded->next_replaced;
	place = bucket_of(cache, loaded->path);
	while (*place != loaded)
		place = &(*place)->next;
	*place = loaded->next;
	unlink_use(cache, loaded);
	cache->bytes -= loaded->bytes;
	loaded_unref(loaded);
}

static void unref(struct source_cache *cache)
{
	if (--cache->references == 0)
		free(cache);
}

void source_cache_free(struct source_cache *cache)
{
	if (!cache)
		return;
	source_cache_clear(cache);
	unref(cache);
}

void source_cache_hold(struct source_cache *cache, struct version *version)
{
	size_t count;
	const struct stamp *stamps = version_stamps(version, &count);

	cache->references++;
	version->cache = cache;
	for (size_t i = 0; i < count; i++)
		cache->holds[hold_of(&stamps[i])]++;
}

void source_cache_release(struct version *version)
{
	struct source_cache *cache = take_ptr(version->cache);
	size_t count;
	const struct stamp *stamps = version_stamps(version, &count);

	if (!cache)
		return;
	for (size_t i = 0; i < count; i++) {
		size_t hold = hold_of(&stamps[i]);
		if (--cache->holds[hold] > 0)
			continue;
		for (struct loaded **at = &cache->replaced[hold % BUCKETS]; *at;) {
			if (hold_of(&(*at)->stamp) == hold)
				drop(cache, *at);
			else
				at = &(*at)->next_replaced;
		}
	}
	unref(cache);
}

void source_cache_limit(struct source_cache *cache, size_t limit)
{
	cache->limit = limit;
	while (cache->bytes > limit && cache->oldest)
		drop(cache, cache->oldest);
}

void source_cache_clear(struct source_cache *cache)
{
	while (cache->oldest)
		drop(cache, cache->oldest);
}

size_t source_cache_bytes(struct source_cache *cache)
{
	return cache->bytes;
}

static struct loaded *find(
	struct source_cache *cache, const char *path, unsigned rank, unsigned flavour)
{
	for (struct loaded *loaded = *bucket_of(cache, path); loaded; loaded = loaded->next)
		if (loaded->source.rank == rank && loaded->flavour == flavour &&
			strcmp(loaded->path, path) == 0)
			return loaded;
	return NULL;
}

/* Finds a source. *touches is for put(): it shows whether the path was touched during the read. */
static struct loaded *take(struct source_cache *cache, const char *path, unsigned rank,
	unsigned flavour, const struct stamp *stamp, unsigned *touches)
{
	*touches = cache->touches[number_of(path)];
	struct loaded *loaded = find(cache, path, rank, flavour);
	if (loaded && (loaded->race == LOADED_PASSED || !stamp_equal(&loaded->stamp, stamp)))
		loaded = NULL;
	if (loaded) {
		unlink_use(cache, loaded);
		link_newest(cache, loaded);
		loaded_ref(loaded);
	}
	return loaded;
}

void source_cache_touch(struct source_cache *cache, const char *path)
{
	cache->touches[number_of(path)]++;
	for (struct loaded *loaded = *bucket_of(cache, path); loaded; loaded = loaded->next)
		if (loaded->race == LOADED_RACY && strcmp(loaded->path, path) == 0)
			loaded->race = LOADED_PASSED;
}

/*
 * Returns whether the cache takes the source. If it is full, it takes a source of which a version
 * has an older state; of all others, a hash picks every eighth.
 */
static bool is_admitted(struct source_cache *cache, const struct loaded *loaded, bool is_held)
{
	if (loaded->bytes <= cache->limit - cache->bytes)
		return true;
	return loaded->bytes <= cache->limit &&
	       (is_held || cache->overflows++ * 2654435769u < UINT32_MAX / ADMITTED_ONE_IN);
}

/*
 * Keeps the state for the versions that have it, as the newer one may be broken. It is the first to
 * go if memory is short: in a large mount most holds are of other sources.
 */
static void replace(struct source_cache *cache, struct loaded *old)
{
	struct loaded **place = find_replaced(cache, old);

	if (!*place)
		*place = old;
	unlink_use(cache, old);
	link_oldest(cache, old);
}

static void put(struct source_cache *cache, struct loaded *loaded, unsigned touches)
{
	/* An event that came during the read has not found the source here. */
	if (loaded->race != LOADED_SETTLED)
		loaded->race = cache->touches[number_of(loaded->path)] != touches ? LOADED_PASSED
										  : cache->racy;
	struct loaded *old = find(cache, loaded->path, loaded->source.rank, loaded->flavour);
	bool is_held = old && is_holding(cache) && cache->holds[hold_of(&old->stamp)] &&
		       !stamp_equal(&old->stamp, &loaded->stamp);
	if (is_held)
		replace(cache, old);
	else if (old)
		drop(cache, old);
	/* If the cache is full, the new state has the place of the one that it replaces. */
	if (!is_admitted(cache, loaded, is_held))
		return;
	struct loaded **bucket = bucket_of(cache, loaded->path);
	loaded->next = *bucket;
	*bucket = loaded;
	link_newest(cache, loaded);
	loaded_ref(loaded);
	cache->bytes += loaded->bytes;
	source_cache_limit(cache, cache->limit);
}

unsigned loaded_flavour(const struct read_options *options)
{
	return options ? 1u + format_index(options->format) * 32 + (unsigned)options->schema * 4 +
				 (unsigned)options->as_pyyaml * 2 +
				 (unsigned)options->keep_duplicates
		       : 0;
}

bool loaded_is_of(const struct loaded *loaded, const struct layer *layer, const char *path,
	const struct read_options *options)
{
	return loaded->source.rank == layer->rank && loaded->flavour == loaded_flavour(options) &&
	       strcmp(loaded->path, path) == 0 && strcmp(loaded->source.layer, layer->name) == 0;
}

struct loaded *source_cache_find(struct source_cache *cache, const struct layer *layer,
	const char *path, const struct read_options *options, const struct version *version)
{
	size_t count;
	const struct stamp *stamps = version_stamps(version, &count);

	for (struct loaded *loaded = *bucket_of(cache, path); loaded; loaded = loaded->next)
		for (size_t i = 0; i < count; i++)
			if (stamp_equal(&stamps[i], &loaded->stamp) &&
				loaded_is_of(loaded, layer, path, options))
				return loaded_ref(loaded);
	return NULL;
}

static int unreadable(struct problem *problem, const struct source *source, int error)
{
	if (error == ENOENT || error == ENOTDIR)
		return SOURCE_MOVED;
	if (layer_is_shortage(-error))
		return -error;
	problem_set(problem, source->name, 0, 0, "can't be read: %s; %s", strerror(error),
		error == EACCES || error == EPERM
			? "give the user who runs plyfs the right to read it"
			: "check the file system below");
	problem_place(problem, source);
	return layer_has_failed(-error) ? SOURCE_FAILED : PROBLEM;
}

static int too_large(struct problem *problem, const struct source *source, size_t limit)
{
	problem_set(problem, source->name, 0, 0,
		"is larger than the limit of %zu bytes; make it smaller, or raise "
		"'limits: {source: …}' in plyfs.yaml",
		limit);
	problem_place(problem, source);
	return PROBLEM;
}

bool source_is_racy(const struct stat *stat)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - stat->st_mtim.tv_sec <= STAMP_TICK_S ||
	       now.tv_sec - stat->st_ctim.tv_sec <= STAMP_TICK_S;
}

/*
 * Takes a read lease (fcntl(2), F_SETLEASE). The kernel refuses it while a program has the file
 * open for writing; a program that opens it later waits until we have read it. Without leases (a
 * file of another user, a network file system) a writer goes unnoticed. Returns 0, or -errno:
 * -EAGAIN for a writer.
 */
static int take_lease(int fd)
{
	return fcntl(fd, F_SETLEASE, F_RDLCK) < 0 ? -errno : 0;
}

/* Notes the place from which the open file was copied, which may differ from the former file's. */
static int note_place(const struct layer *layer, int fd, struct loaded *loaded)
{
	char *original, *place;

	int r = layer_source_place(layer, loaded->path, fd, &original, &place);
	if (r < 0)
		return r;
	free((char *)(uintptr_t)loaded->source.original);
	free((char *)(uintptr_t)loaded->source.place);
	loaded->source.original = original;
	loaded->source.place = place;
	return 0;
}

/* Opens the source. The caller's lookup has just found it, so it is looked at only once more. */
static int open_source(const struct layer *layer, const char *path, const struct source_want *want,
	bool is_again, struct stat *ret)
{
	return S_ISREG(want->stat->st_mode) && !is_again ? layer_open_found(layer, path, ret)
							 : layer_open_file(layer, path, ret);
}

/* Reads the file in one state: the stat before and after the read is the same. */
static int read_still(const struct layer *layer, const char *path, const struct source_want *want,
	struct loaded *loaded, struct problem *problem)
{
	for (int try = 0; try < READ_TRIES; try++) {
		struct stat before;
		struct stat after;
		CLEANUP(freep) char *text = NULL;
		size_t len = 0;

		int fd = open_source(layer, path, want, try > 0, &before);
		if (fd < 0)
			return unreadable(problem, &loaded->source, -fd);
		/* Only a file that was changed a moment ago can be half-written. */
		bool is_doubtful = !want->takes_unfinished && source_is_racy(&before);
		int lease = is_doubtful ? take_lease(fd) : -ENOTSUP;
		bool is_written = lease == -EAGAIN;
		size_t size = (size_t)before.st_size;
		int r = is_written ? 0
				   : text_read_sized(fd, size, want->bytes_max + 1, &text, &len);
		if (r == 0 && fstat(fd, &after) < 0)
			r = -errno;
		if (r == 0 && !is_written)
			r = note_place(layer, fd, loaded);
		close(fd); /* also gives up the lease */
		if (r == 0 && is_written)
			return SOURCE_UNSETTLED;
		if (r < 0)
			return unreadable(problem, &loaded->source, -r);

		loaded->stamp = stamp_of(&before);
		loaded->stat = before;
		loaded->race = source_is_racy(&before) ? LOADED_RACY : LOADED_SETTLED;
		struct stamp now = stamp_of(&after);
		if (stamp_equal(&loaded->stamp, &now)) {
			const char *copy = bytes_dup((struct span){text, len});
			if (!copy)
				return -ENOMEM;
			loaded->text = (struct span){copy, len};
			loaded->is_whole = lease == 0 || loaded->race == LOADED_SETTLED;
			return 0;
		}
	}
	return SOURCE_UNSETTLED;
}

/* Frees the text after the document was read: its nodes have copies of all they need. */
static void drop_text(struct loaded *loaded)
{
	loaded->bytes += arena_bytes(loaded->document->arena);
	loaded->bytes -= loaded->text.len;
	bytes_free((char *)(uintptr_t)loaded->text.data);
	loaded->text = (struct span){0};
}

/* Makes a source that is not read yet. NULL: memory is short. */
static struct loaded *loaded_new(
	const struct layer *layer, const char *path, const struct read_options *options)
{
	CLEANUP(loaded_unrefp) struct loaded *loaded = calloc(1, sizeof(*loaded));
	char *name = NULL;

	if (!loaded)
		return NULL;
	atomic_init(&loaded->references, 1);
	loaded->flavour = loaded_flavour(options);
	loaded->path = strdup(path);
	loaded->source.rank = layer->rank;
	loaded->source.layer = strdup(layer->name);
	if (layer_source_name(layer, path, &name) < 0)
		return NULL;
	loaded->source.name = name;
	if (!loaded->path || !loaded->source.layer || note_place(layer, -1, loaded) < 0)
		return NULL;
	loaded->bytes =
		sizeof(*loaded) + strlen(name) + strlen(path) + strlen(layer->name) + LOADED_COST;
	return take_ptr(loaded);
}

int loaded_of_text(const struct read_source *source, const struct read_options *options,
	struct loaded **ret, struct problem *problem)
{
	CLEANUP(loaded_unrefp)
	struct loaded *loaded = loaded_new(source->layer, source->path, options);
	char *text = loaded ? bytes_dup(source->text) : NULL;

	if (!text)
		return -ENOMEM;
	loaded->text = (struct span){text, source->text.len};
	loaded->bytes += source->text.len;
	loaded->stamp = source->stamp;
	loaded->read = source->read;
	loaded->is_whole = true;
	if (options) {
		int r = document_read(
			&loaded->source, loaded->text, options, &loaded->document, problem);
		if (r != 0)
			return r;
		drop_text(loaded);
	}
	*ret = take_ptr(loaded);
	return 0;
}

void source_cache_keep(struct source_cache *cache, struct loaded *loaded)
{
	put(cache, loaded, 0);
}

int source_cache_load(struct source_cache *cache, const struct layer *layer, const char *path,
	const struct source_want *want, struct loaded **ret, struct problem *problem)
{
	const struct read_options *options = want->options;
	const struct source_observer *observer = cache->observer;
	struct stamp stamp = stamp_of(want->stat);
	unsigned touches;
	*ret = take(cache, path, layer->rank, loaded_flavour(options), &stamp, &touches);
	if (*ret)
		return 0;

	CLEANUP(loaded_unrefp) struct loaded *loaded = loaded_new(layer, path, options);
	if (!loaded)
		return -ENOMEM;
	clock_gettime(CLOCK_REALTIME, &loaded->read);
	if (observer)
		observer->begin(observer->context, &loaded->source);
	int r = read_still(layer, path, want, loaded, problem);
	if (r == 0 && loaded->text.len > want->bytes_max)
		r = too_large(problem, &loaded->source, want->bytes_max);
	loaded->bytes += loaded->text.len;
	if (r == 0 && options)
		r = document_read(
			&loaded->source, loaded->text, options, &loaded->document, problem);
	if (observer && r != -ENOMEM)
		observer->end(observer->context, r == 0 && options ? loaded : NULL,
			r == 0 ? loaded->text : (struct span){0});
	if (r != 0)
		return r;

	/* The version has a copy of the bytes: cache only what is costly, a document. */
	if (options) {
		drop_text(loaded);
		put(cache, loaded, touches);
	}
	*ret = take_ptr(loaded);
	return 0;
}
