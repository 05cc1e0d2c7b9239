#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "keep_store.h"
#include "lock.h"
#include "strategy.h"

#define STORE_NAME "last-good.tdb"

/* What is to outlive us waits so long for more: what changes often is not written each time. */
#define QUIET_S 1

/* What could not be stored is stored again after so long: a disk may have been full. */
#define RETRY_S 3

/* Notes that are stored together: so many that a disk is asked seldom. */
#define BATCH 256

/* Whether the file of the state has what is kept of a path. */
enum written { WRITTEN, CHANGED, WRITING };

/*
 * One path. With a directory it stays until the thread has removed from there what is not kept any
 * more; until then it has no version.
 *
 *      WRITTEN ──keep_note()──▶ CHANGED ──thread──▶ WRITING ──▶ WRITTEN, or freed
 *                                  ▲─────────────────│  noted again, or a failure
 */
struct kept_path {
	char *path;
	struct version *version; /* a copy, which never changes; NULL: nothing is kept */
	size_t bytes;            /* of memory, while there is a version */
	size_t counted;          /* … of what keep_count() counts; 0: nothing */
	bool is_public;
	enum written written;
	struct kept_path *newer; /* used later; while there is a version */
	struct kept_path *older;
	struct kept_path *next; /* CHANGED */
};

struct keep {
	struct keep_options options;
	char *name;    /* options.directory, a copy */
	int directory; /* -1: none */

	struct lock lock;
	pthread_cond_t has_work;
	void *paths; /* a tsearch(3) tree */
	struct kept_path *newest;
	struct kept_path *oldest;
	struct kept_path *changed; /* with a directory: to be written */
	struct kept_path **end;
	bool is_ending;
	size_t used; /* bytes of memory */
	struct keep_counts counts;

	bool is_running;
	pthread_t thread;
	struct keep_store *file; /* the thread's while it runs; NULL: no directory */
	bool is_in_trouble;      /* … which was logged */
	bool is_claimed;         /* … the directory is locked: nobody else stores there */
};

/* Bytes of memory that it takes, without what malloc(3) adds. */
static size_t size_of(const char *path, const struct version *version)
{
	const char *const texts[] = {path, version->layers, version->sources};
	size_t size = sizeof(struct kept_path) + sizeof(*version) + version->size;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		size += texts[i] ? strlen(texts[i]) : 0;
	return size;
}

static int compare_paths(const void *a, const void *b)
{
	const struct kept_path *one = a, *other = b;

	return strcmp(one->path, other->path);
}

static void path_free(void *memory)
{
	struct kept_path *kept = memory;

	version_unref(kept->version);
	free(kept->path);
	free(kept);
}

/* NULL: it is not known, or with `is_new` there is no memory. */
static struct kept_path *find_locked(struct keep *keep, const char *path, bool is_new)
{
	const struct kept_path wanted = {.path = (char *)(uintptr_t)path};
	struct kept_path **place = tfind(&wanted, &keep->paths, compare_paths);

	if (place || !is_new)
		return place ? *place : NULL;
	struct kept_path *kept = calloc(1, sizeof(*kept));
	if (!kept)
		return NULL;
	kept->path = strdup(path);
	if (!kept->path || !tsearch(kept, &keep->paths, compare_paths)) {
		path_free(kept);
		return NULL;
	}
	return kept;
}

static void free_locked(struct keep *keep, struct kept_path *kept)
{
	tdelete(kept, &keep->paths, compare_paths);
	path_free(kept);
}

static void use_locked(struct keep *keep, struct kept_path *kept)
{
	kept->older = keep->newest;
	kept->newer = NULL;
	*(keep->newest ? &keep->newest->newer : &keep->oldest) = kept;
	keep->newest = kept;
}

static void unuse_locked(struct keep *keep, const struct kept_path *kept)
{
	*(kept->newer ? &kept->newer->older : &keep->newest) = kept->older;
	*(kept->older ? &kept->older->newer : &keep->oldest) = kept->newer;
}

/* Its version goes. The path stays: the caller notes a change of it. */
static void drop_locked(struct keep *keep, struct kept_path *kept)
{
	if (!kept->version)
		return;
	unuse_locked(keep, kept);
	version_unref(take_ptr(kept->version));
	keep->used -= kept->bytes;
}

/* It is where it outlives us; or there is no such place. */
static void count_locked(struct keep *keep, struct kept_path *kept)
{
	size_t bytes = kept->version ? kept->bytes : 0;

	keep->counts.versions += (bytes > 0) - (size_t)(kept->counted > 0);
	keep->counts.bytes += bytes - kept->counted;
	kept->counted = bytes;
}

/* Without a directory a path of which nothing is kept is freed. */
static void change_locked(struct keep *keep, struct kept_path *kept)
{
	if (!keep_is_lasting(keep)) {
		count_locked(keep, kept);
		if (!kept->version)
			free_locked(keep, kept);
		return;
	}
	if (kept->written == CHANGED)
		return;
	kept->written = CHANGED;
	kept->next = NULL;
	*keep->end = kept;
	keep->end = &kept->next;
	pthread_cond_signal(&keep->has_work);
}

/* The version becomes the keep's. */
static void put_locked(struct keep *keep, struct kept_path *kept, struct version *version)
{
	drop_locked(keep, kept);
	kept->version = version;
	kept->bytes = size_of(kept->path, version);
	keep->used += kept->bytes;
	use_locked(keep, kept);
}

/* What was not used for longest makes room. */
static void make_room_locked(struct keep *keep)
{
	while (keep->used > KEEP_MEMORY_MAX) {
		struct kept_path *kept = keep->oldest;

		drop_locked(keep, kept);
		keep->counts.lost++;
		change_locked(keep, kept);
	}
}

static int refuse_directory(const char *name, const struct stat *stat, struct problem *problem)
{
	if (stat->st_uid != geteuid())
		return problem_set(problem, name, 0, 0,
			"belongs to another user; the state of a mount must belong to the user who "
			"mounts");
	if (stat->st_mode & 0077)
		return problem_set(problem, name, 0, 0,
			"other users may look into it, and it will hold content that not every "
			"user may read; chmod 700 it");
	return 0;
}

/* Whoever has the directory is not waited for: he may hang. */
static int claim(struct keep *keep)
{
	if (keep->directory < 0 || keep->is_claimed)
		return 0;
	if (flock(keep->directory, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	keep->is_claimed = true;
	return 0;
}

static int open_directory(struct keep *keep, struct problem *problem)
{
	const char *name = keep->name;
	struct stat stat;

	if (mkdir(name, 0700) < 0 && errno != EEXIST)
		return problem_set(problem, name, 0, 0, "can't be made: %s", strerror(errno));
	keep->directory = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (keep->directory < 0 || fstat(keep->directory, &stat) < 0)
		return problem_set(problem, name, 0, 0, "can't be opened: %s", strerror(errno));
	int r = refuse_directory(name, &stat, problem);
	if (r != 0)
		return r;
	if (claim(keep) < 0)
		return problem_set(problem, name, 0, 0,
			"is in use as the state of another mount; name another directory");
	return 0;
}

static struct version *version_of(const struct kept *kept)
{
	const struct strategy *strategy = strategy_find(kept->strategy);
	struct version *version = version_new(VERSION_BYTES);

	if (!version)
		return NULL;
	version->data = malloc(kept->bytes.len + 1);
	version->layers = strndup(kept->layers.data, kept->layers.len);
	version->sources = strndup(kept->sources.data, kept->sources.len);
	if (!version->data || !version->layers || !version->sources) {
		version_unref(version);
		return NULL;
	}
	memcpy(version->data, kept->bytes.data, kept->bytes.len);
	version->data[kept->bytes.len] = '\0';
	version->size = kept->bytes.len;
	version->mode = kept->mode;
	version->uid = kept->uid;
	version->gid = kept->gid;
	version->mtime = kept->mtime;
	version->ctime = kept->ctime;
	version->made = kept->made;
	version->strategy = strategy ? strategy->name : "";
	return version;
}

static void load_one(void *context, const char *path, const struct kept *stored)
{
	struct keep *keep = context;
	struct version *version = version_of(stored);

	lock_take(&keep->lock);
	struct kept_path *kept = version ? find_locked(keep, path, true) : NULL;
	if (kept) {
		put_locked(keep, kept, version);
		count_locked(keep, kept);
		make_room_locked(keep);
	} else {
		version_unref(version);
	}
	lock_release(&keep->lock);
}

static int open_lasting(struct keep *keep, struct problem *problem)
{
	const char *name = keep->name;
	bool is_damaged = false;
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX];
	struct problem damage;

	int r = open_directory(keep, problem);
	if (r != 0)
		return r;
	r = keep_store_open(keep->directory, STORE_NAME, &keep->file, &is_damaged);
	if (r == 0)
		r = keep_store_each(keep->file, load_one, keep);
	if (r < 0)
		return problem_set(
			problem, name, 0, 0, "the file " STORE_NAME " in it: %s", strerror(-r));
	if (is_damaged && keep->options.log) {
		problem_set(&damage, name, 0, 0,
			"its " STORE_NAME " was damaged; its last good versions are lost");
		problem_format(&damage, line, sizeof(line));
		keep->options.log(keep->options.context, line);
	}
	return 0;
}

int keep_open(const struct keep_options *options, struct keep **ret, struct problem *problem)
{
	CLEANUP(keep_freep) struct keep *keep = calloc(1, sizeof(*keep));
	int r;

	if (!keep)
		return -ENOMEM;
	keep->options = *options;
	keep->directory = -1;
	keep->end = &keep->changed;
	lock_init(&keep->lock, LOCK_KEEP);
	pthread_cond_init(&keep->has_work, NULL);
	keep->name = options->directory ? strdup(options->directory) : NULL;
	if (options->directory && !keep->name)
		return -ENOMEM;
	r = keep->name ? open_lasting(keep, problem) : 0;
	if (r != 0)
		return r;
	*ret = take_ptr(keep);
	return 0;
}

/* What the thread writes at once. */
struct kept_change {
	struct kept_path *kept;
	struct version *version; /* a reference; NULL: nothing is kept */
};

static struct span span_or_empty(const char *text)
{
	return span_of(text ? text : "");
}

static int store_change(const struct keep *keep, const struct kept_change *change)
{
	const struct version *version = change->version;

	if (!version)
		return keep_store_drop(keep->file, change->kept->path);
	const struct kept stored = {.mode = version->mode,
		.uid = version->uid,
		.gid = version->gid,
		.mtime = version->mtime,
		.ctime = version->ctime,
		.made = version->made,
		.strategy = span_or_empty(version->strategy),
		.layers = span_or_empty(version->layers),
		.sources = span_or_empty(version->sources),
		.bytes = {version->data, version->size}};
	return keep_store_put(keep->file, change->kept->path, &stored);
}

static void tell_trouble(struct keep *keep, int result)
{
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX];
	struct problem problem;

	if ((result < 0) == keep->is_in_trouble || !keep->options.log)
		return;
	keep->is_in_trouble = result < 0;
	problem_set(&problem, keep->name, 0, 0,
		result < 0 ? "last good versions can't be kept: %s"
			   : "last good versions can be kept again",
		strerror(-result));
	problem_format(&problem, line, sizeof(line));
	keep->options.log(keep->options.context, line);
}

/* All of them, or none. 0 or -errno. */
static int store_batch(struct keep *keep, const struct kept_change *batch, size_t count)
{
	int r = claim(keep);

	if (r == 0)
		r = keep_store_begin(keep->file);
	if (r == 0) {
		for (size_t i = 0; i < count && r == 0; i++)
			r = store_change(keep, &batch[i]);
		int end = r == 0 ? keep_store_end(keep->file) : (keep_store_cancel(keep->file), 0);
		r = r ? r : end;
	}
	tell_trouble(keep, r);
	return r;
}

static size_t take_batch_locked(struct keep *keep, struct kept_change batch[BATCH])
{
	size_t count = 0;

	for (; keep->changed && count < BATCH; count++) {
		struct kept_path *kept = keep->changed;

		keep->changed = kept->next;
		kept->written = WRITING;
		batch[count] = (struct kept_change){kept, kept->version};
		if (kept->version)
			version_ref(kept->version);
	}
	if (!keep->changed)
		keep->end = &keep->changed;
	return count;
}

static void end_batch_locked(
	struct keep *keep, const struct kept_change *batch, size_t count, bool is_written)
{
	for (size_t i = 0; i < count; i++) {
		struct kept_path *kept = batch[i].kept;

		version_unref(batch[i].version);
		/* Else it was noted again. */
		if (kept->written != WRITING)
			continue;
		kept->written = WRITTEN;
		if (!is_written) {
			change_locked(keep, kept);
			continue;
		}
		count_locked(keep, kept);
		if (!kept->version)
			free_locked(keep, kept);
	}
}

static void wait_for_more_locked(struct keep *keep, time_t seconds)
{
	struct timespec now, until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	do {
		lock_wait(&keep->lock, &keep->has_work, &until);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!keep->is_ending && time_is_later(until, now));
}

static void *run(void *context)
{
	struct keep *keep = context;
	struct kept_change batch[BATCH];
	bool has_failed = false;

	lock_take(&keep->lock);
	for (;;) {
		while (!keep->changed && !keep->is_ending)
			lock_wait(&keep->lock, &keep->has_work, NULL);
		if (!keep->is_ending)
			wait_for_more_locked(keep, has_failed ? RETRY_S : QUIET_S);
		if (!keep->changed)
			break;
		bool is_last_try = keep->is_ending;
		size_t count = take_batch_locked(keep, batch);
		lock_release(&keep->lock);
		has_failed = store_batch(keep, batch, count) < 0;
		lock_take(&keep->lock);
		end_batch_locked(keep, batch, count, !has_failed);
		if (has_failed && is_last_try)
			break;
	}
	lock_release(&keep->lock);
	return NULL;
}

int keep_start(struct keep *keep)
{
	sigset_t all, old;

	if (!keep_is_lasting(keep))
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int r = pthread_create(&keep->thread, NULL, run, keep);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r == 0)
		keep->is_running = true;
	return -r;
}

void keep_stop(struct keep *keep)
{
	if (!keep->is_running)
		return;
	lock_take(&keep->lock);
	keep->is_ending = true;
	pthread_cond_signal(&keep->has_work);
	lock_release(&keep->lock);
	pthread_join(keep->thread, NULL);
	keep->is_running = false;
}

void keep_pause(struct keep *keep)
{
	keep_stop(keep);
	if (keep->is_claimed)
		flock(keep->directory, LOCK_UN);
	keep->is_claimed = false;
}

int keep_resume(struct keep *keep)
{
	/* Else it is tried again when there is something to store. */
	(void)claim(keep);
	keep->is_ending = false;
	return keep_start(keep);
}

void keep_free(struct keep *keep)
{
	if (!keep)
		return;
	keep_stop(keep);
	tdestroy(keep->paths, path_free);
	keep_store_free(keep->file);
	closep(&keep->directory);
	free(keep->name);
	pthread_cond_destroy(&keep->has_work);
	lock_fini(&keep->lock);
	free(keep);
}

void keep_freep(struct keep **keep)
{
	keep_free(*keep);
}

const char *keep_directory(const struct keep *keep)
{
	return keep->name;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Also to whom it is handed over. */
static bool is_same(const struct kept_path *kept, const struct version *version, bool is_public)
{
	const struct version *old = kept->version;

	return old && kept->is_public == is_public && version_same(old, version) &&
	       time_equal(old->mtime, version->mtime) && time_equal(old->ctime, version->ctime) &&
	       time_equal(old->made, version->made) &&
	       same_text(old->strategy, version->strategy) &&
	       same_text(old->layers, version->layers) && same_text(old->sources, version->sources);
}

static void note_locked(
	struct keep *keep, const char *path, const struct version *version, bool is_public)
{
	struct kept_path *kept = find_locked(keep, path, version);

	if (kept && version && is_same(kept, version, is_public))
		return;
	/* What is too large must not push out all others. */
	bool has_room = version && size_of(path, version) <= KEEP_MEMORY_MAX;
	struct version *copy = kept && has_room ? version_copy(version) : NULL;
	keep->counts.lost += version && !copy;
	if (!kept || (!copy && !kept->version && kept->written == WRITTEN))
		return;
	kept->is_public = is_public;
	drop_locked(keep, kept);
	if (copy)
		put_locked(keep, kept, copy);
	change_locked(keep, kept);
	make_room_locked(keep);
}

void keep_note(struct keep *keep, const char *path, struct version *version, bool is_public)
{
	lock_take(&keep->lock);
	if (!keep->is_ending)
		note_locked(keep, path, version, is_public);
	lock_release(&keep->lock);
}

int keep_find(struct keep *keep, const char *path, struct version **ret)
{
	CLEANUP(version_unrefp) struct version *version = NULL;

	lock_take(&keep->lock);
	struct kept_path *kept = find_locked(keep, path, false);
	if (kept && kept->version) {
		version = version_ref(kept->version);
		unuse_locked(keep, kept);
		use_locked(keep, kept);
	}
	lock_release(&keep->lock);
	if (!version)
		return -ENOENT;
	*ret = version_copy(version);
	return *ret ? 0 : -ENOMEM;
}

void keep_each(struct keep *keep,
	void (*each)(void *context, const char *path, struct version *version, bool is_public),
	void *context)
{
	if (keep_is_lasting(keep))
		return;
	lock_take(&keep->lock);
	for (struct kept_path *kept = keep->oldest; kept; kept = kept->newer)
		each(context, kept->path, kept->version, kept->is_public);
	lock_release(&keep->lock);
}

void keep_count(struct keep *keep, struct keep_counts *ret)
{
	lock_take(&keep->lock);
	*ret = keep->counts;
	lock_release(&keep->lock);
}
