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

/* What waits to be stored. */
struct note {
	char *path;
	struct version *version; /* NULL: nothing is to be kept */
	char *layers;            /* the version's, as it was noted */
	char *sources;
	bool is_public;
	bool is_taken;    /* it is being stored */
	bool is_replaced; /* … and the tree has a newer one */
	bool is_lost;     /* … could not be put */
	bool is_left;     /* … could not be done, and is to be tried again */
	struct note *next;
};

struct keep {
	struct keep_options options;
	char *name;    /* options.directory, a copy */
	int directory; /* -1: none */

	struct lock lock;
	pthread_cond_t has_work;
	void *notes; /* a tsearch(3) tree, by path: all that is not stored yet */
	struct note *first;
	struct note **end;
	bool is_running;
	bool is_ending;
	struct keep_counts counts;
	pthread_t thread;

	struct lock store_lock;    /* of what follows; taken before the other */
	struct keep_store *file;   /* NULL: there is no place for one */
	struct keep_store *memory; /* what is not public; NULL: it goes to the file as well */
	bool is_in_trouble;        /* which was logged */
	bool is_claimed;           /* the directory is locked: nobody else stores there */
};

static int compare_notes(const void *a, const void *b)
{
	const struct note *one = a, *other = b;

	return strcmp(one->path, other->path);
}

static void note_free(void *memory)
{
	struct note *note = memory;

	if (!note)
		return;
	version_unref(note->version);
	free(note->path);
	free(note->layers);
	free(note->sources);
	free(note);
}

/* A file that has no name, on a disk. Where there is no place for it nothing public is kept. */
static int open_nameless(struct keep_store **ret)
{
	const char *places[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	CLEANUP(closep) int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(*places); i++)
		if (places[i])
			fd = open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd < 0 ? 0 : keep_store_in_file(fd, ret);
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
static int claim_locked(struct keep *keep)
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
	if (claim_locked(keep) < 0)
		return problem_set(problem, name, 0, 0,
			"is in use as the state of another mount; name another directory");
	return 0;
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

/* What there is in the stores. */
static void count_stores(const struct keep *keep, struct keep_counts *counts)
{
	struct keep_store *const stores[] = {keep->file, keep->memory};

	counts->versions = counts->bytes = 0;
	for (size_t i = 0; i < 2; i++)
		if (stores[i]) {
			counts->versions += keep_store_count(stores[i]);
			counts->bytes += keep_store_size(stores[i]);
		}
}

int keep_open(const struct keep_options *options, struct keep **ret, struct problem *problem)
{
	CLEANUP(keep_freep) struct keep *keep = calloc(1, sizeof(*keep));
	int r;

	if (!keep)
		return -ENOMEM;
	keep->options = *options;
	keep->directory = -1;
	keep->end = &keep->first;
	lock_init(&keep->store_lock, LOCK_KEEP_STORE);
	lock_init(&keep->lock, LOCK_KEEP);
	pthread_cond_init(&keep->has_work, NULL);
	keep->name = options->directory ? strdup(options->directory) : NULL;
	if (options->directory && !keep->name)
		return -ENOMEM;
	if (keep->name) {
		r = open_lasting(keep, problem);
	} else {
		r = open_nameless(&keep->file);
		if (r == 0)
			r = keep_store_in_memory(KEEP_MEMORY_MAX, &keep->memory);
	}
	if (r != 0)
		return r;
	count_stores(keep, &keep->counts);
	*ret = take_ptr(keep);
	return 0;
}

static struct kept kept_of(const struct note *note)
{
	const struct version *version = note->version;

	return (struct kept){.mode = version->mode,
		.uid = version->uid,
		.gid = version->gid,
		.mtime = version->mtime,
		.ctime = version->ctime,
		.made = version->made,
		.strategy = span_of(version->strategy),
		.layers = span_of(note->layers),
		.sources = span_of(note->sources),
		.bytes = {version->data, version->size}};
}

static int put(const struct keep *keep, const struct note *note)
{
	const struct kept kept = kept_of(note);
	bool is_in_memory = keep->memory && !note->is_public;
	struct keep_store *store = is_in_memory ? keep->memory : keep->file;

	return store ? keep_store_put(store, note->path, &kept) : KEEP_STORE_FULL;
}

static int drop(struct keep_store *store, const char *path)
{
	return store ? keep_store_drop(store, path) : 0;
}

/*
 * What is kept elsewhere, or can't be kept, must not be found as if it were the newest. What a disk
 * has no room for now is tried again only where it is to outlive us: else that would fill the
 * memory.
 */
static int store_note(const struct keep *keep, struct note *note)
{
	int r = note->version ? put(keep, note) : 0;
	bool is_put = note->version && r == 0;
	bool is_in_memory = keep->memory && !note->is_public;

	int other = is_put && !is_in_memory ? 0 : drop(keep->file, note->path);
	if (other == 0 && !(is_put && is_in_memory))
		other = drop(keep->memory, note->path);
	note->is_lost = r != 0;
	note->is_left = other < 0 || (r < 0 && keep_is_lasting(keep));
	if (r == KEEP_STORE_FULL)
		r = -ENOSPC;
	return r ? r : other;
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

/* *ret: what there is then, and how many were lost now. What is too much for the memory is nobody's
 * trouble. */
static void store_batch(struct keep *keep, struct note *batch, struct keep_counts *ret)
{
	*ret = (struct keep_counts){0};
	lock_take(&keep->store_lock);
	int r = claim_locked(keep);
	if (r == 0 && keep->file)
		r = keep_store_begin(keep->file);
	int first = r;
	for (struct note *note = batch; note && r == 0; note = note->next) {
		int stored = store_note(keep, note);
		if (stored < 0 && first == 0 && (note->is_public || !keep->memory))
			first = stored;
	}
	if (keep->file && r == 0) {
		r = keep_store_end(keep->file);
		first = first ? first : r;
	}
	for (struct note *note = batch; note; note = note->next) {
		note->is_left |= r < 0;
		ret->lost += note->is_lost && !note->is_left;
	}
	tell_trouble(keep, first);
	count_stores(keep, ret);
	lock_release(&keep->store_lock);
}

static struct note *take_batch_locked(struct keep *keep)
{
	struct note *batch = keep->first;
	struct note **at = &keep->first;

	for (size_t i = 0; *at && i < BATCH; i++) {
		(*at)->is_taken = true;
		(*at)->is_lost = (*at)->is_left = false;
		at = &(*at)->next;
	}
	keep->first = *at;
	*at = NULL;
	if (!keep->first)
		keep->end = &keep->first;
	return batch;
}

/* What could not be stored waits again, before what came meanwhile. Returns whether there is such.
 */
static bool end_batch_locked(struct keep *keep, struct note *batch)
{
	struct note *left = NULL;
	struct note **end = &left;

	for (struct note *note = batch, *next; note; note = next) {
		next = note->next;
		if (note->is_left && !note->is_replaced) {
			note->is_taken = false;
			*end = note;
			end = &note->next;
			continue;
		}
		if (!note->is_replaced)
			tdelete(note, &keep->notes, compare_notes);
		note_free(note);
	}
	if (!left)
		return false;
	*end = keep->first;
	if (!keep->first)
		keep->end = end;
	keep->first = left;
	return true;
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
	bool is_lasting = keep_is_lasting(keep);
	bool has_failed = false;
	struct keep_counts counts;

	lock_take(&keep->lock);
	for (;;) {
		while (!keep->first && !keep->is_ending)
			lock_wait(&keep->lock, &keep->has_work, NULL);
		if ((is_lasting || has_failed) && !keep->is_ending)
			wait_for_more_locked(keep, has_failed ? RETRY_S : QUIET_S);
		if (!keep->first || (keep->is_ending && !is_lasting))
			break;
		bool is_last_try = keep->is_ending;
		struct note *batch = take_batch_locked(keep);
		lock_release(&keep->lock);
		store_batch(keep, batch, &counts);
		lock_take(&keep->lock);
		counts.lost += keep->counts.lost;
		keep->counts = counts;
		has_failed = end_batch_locked(keep, batch);
		if (has_failed && is_last_try)
			break;
	}
	lock_release(&keep->lock);
	return NULL;
}

int keep_start(struct keep *keep)
{
	sigset_t all, old;

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
	lock_take(&keep->store_lock);
	if (keep->is_claimed)
		flock(keep->directory, LOCK_UN);
	keep->is_claimed = false;
	lock_release(&keep->store_lock);
}

int keep_resume(struct keep *keep)
{
	lock_take(&keep->store_lock);
	/* Else it is tried again when there is something to store. */
	(void)claim_locked(keep);
	lock_release(&keep->store_lock);
	keep->is_ending = false;
	return keep_start(keep);
}

void keep_free(struct keep *keep)
{
	if (!keep)
		return;
	keep_stop(keep);
	tdestroy(keep->notes, note_free);
	keep_store_free(keep->file);
	keep_store_free(keep->memory);
	closep(&keep->directory);
	free(keep->name);
	pthread_cond_destroy(&keep->has_work);
	lock_fini(&keep->lock);
	lock_fini(&keep->store_lock);
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

static struct note *note_new(const char *path, struct version *version, bool is_public)
{
	struct note *note = calloc(1, sizeof(*note));

	if (!note)
		return NULL;
	note->path = strdup(path);
	note->layers = strdup(version && version->layers ? version->layers : "");
	note->sources = strdup(version && version->sources ? version->sources : "");
	note->is_public = is_public;
	if (!note->path || !note->layers || !note->sources) {
		note_free(note);
		return NULL;
	}
	note->version = version ? version_ref(version) : NULL;
	return note;
}

/* It takes the place of one of the same path that waits. */
static bool add_locked(struct keep *keep, struct note *note)
{
	struct note **place = tsearch(note, &keep->notes, compare_notes);

	if (!place)
		return false;
	struct note *old = *place;
	if (old != note && !old->is_taken) {
		struct note *next = old->next, own = *old;
		*old = *note;
		old->next = next;
		own.next = NULL;
		*note = own;
		note_free(note);
		return true;
	}
	if (old != note)
		old->is_replaced = true;
	*place = note;
	*keep->end = note;
	keep->end = &note->next;
	return true;
}

void keep_note(struct keep *keep, const char *path, struct version *version, bool is_public)
{
	struct note *note = note_new(path, version, is_public);

	lock_take(&keep->lock);
	bool is_added = note && !keep->is_ending && add_locked(keep, note);
	keep->counts.lost += !is_added && version;
	pthread_cond_signal(&keep->has_work);
	lock_release(&keep->lock);
	if (!is_added)
		note_free(note);
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

/* 0 with *ret; -ENOENT: nothing is kept; 1: nothing waits; -ENOMEM. */
static int find_waiting(struct keep *keep, const char *path, struct version **ret)
{
	const struct note wanted = {.path = (char *)(uintptr_t)path};
	int r = 1;

	lock_take(&keep->lock);
	struct note *const *place = tfind(&wanted, &keep->notes, compare_notes);
	if (place) {
		struct kept kept;
		r = (*place)->version ? 0 : -ENOENT;
		if (r == 0) {
			kept = kept_of(*place);
			*ret = version_of(&kept);
			r = *ret ? 0 : -ENOMEM;
		}
	}
	lock_release(&keep->lock);
	return r;
}

int keep_find(struct keep *keep, const char *path, struct version **ret)
{
	struct keep_store *const stores[] = {keep->file, keep->memory};
	CLEANUP(freep) void *memory = NULL;
	struct kept kept;

	int r = find_waiting(keep, path, ret);
	if (r <= 0)
		return r;
	lock_take(&keep->store_lock);
	r = -ENOENT;
	for (size_t i = 0; r == -ENOENT && i < 2; i++)
		if (stores[i])
			r = keep_store_get(stores[i], path, &kept, &memory);
	lock_release(&keep->store_lock);
	if (r < 0)
		return r;
	*ret = version_of(&kept);
	return *ret ? 0 : -ENOMEM;
}

struct telling {
	void (*each)(void *context, const char *path, struct version *version, bool is_public);
	void *context;
	bool is_public;
};

static void tell_kept(void *context, const char *path, const struct kept *kept)
{
	const struct telling *telling = context;
	CLEANUP(version_unrefp) struct version *version = version_of(kept);

	if (version)
		telling->each(telling->context, path, version, telling->is_public);
}

void keep_each(struct keep *keep,
	void (*each)(void *context, const char *path, struct version *version, bool is_public),
	void *context)
{
	struct telling telling = {each, context, true};

	if (keep_is_lasting(keep))
		return;
	lock_take(&keep->store_lock);
	if (keep->file)
		keep_store_each(keep->file, tell_kept, &telling);
	telling.is_public = false;
	keep_store_each(keep->memory, tell_kept, &telling);
	lock_release(&keep->store_lock);
	/* Nobody takes them any more. */
	for (const struct note *note = keep->first; note; note = note->next) {
		telling.is_public = note->is_public;
		struct kept kept;
		if (note->version) {
			kept = kept_of(note);
			tell_kept(&telling, note->path, &kept);
		} else {
			each(context, note->path, NULL, note->is_public);
		}
	}
}

void keep_count(struct keep *keep, struct keep_counts *ret)
{
	lock_take(&keep->lock);
	*ret = keep->counts;
	lock_release(&keep->lock);
}
