#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "await.h"
#include "cleanup.h"
#include "descriptor.h"
#include "helper.h"
#include "kept_file.h"
#include "parcel.h"
#include "state_process.h"
#include "text.h"

/* Seconds for which the end of a mount waits for an answer of plyfs-state: the disk may hang. */
#define FLUSH_S 5

/* Milliseconds after which plyfs-state is then killed. */
#define END_MS 1000

/* Milliseconds for which a new mount waits for the plyfs-state of a killed mount to end. */
#define CLAIM_MS 2000
#define CLAIM_PAUSE_US 20000

/* Whether the directory has a path's present version. */
enum written { WRITTEN, CHANGED, WRITING };

/*
 * One path. With a directory, a path without a version stays until its file is removed there.
 *
 *      WRITTEN ──keep_note()──▶ CHANGED ──keep_take()──▶ WRITING ──▶ WRITTEN, or freed
 *                                  ▲────────────────────────│  noted again
 */
struct kept_path {
	char *path;
	struct version *version; /* a copy, which never changes; NULL: nothing is kept */
	size_t bytes;            /* of memory, while there is a version */
	size_t counted;          /* … the part that keep_counts has */
	bool is_public;
	enum written written;
	uint64_t number;         /* of its file */
	struct kept_path *newer; /* next in the order of use; while there is a version */
	struct kept_path *older;
	struct kept_path *next; /* CHANGED */
};

/* RELEASED: another daemon may lock the directory. */
enum use { SERVING, ENDING, RELEASED };

struct keep {
	struct keep_options options;
	char *name; /* options.directory, a copy */
	char place[KEEP_PLACE_MAX];

	void *paths; /* a tsearch(3) tree */
	struct kept_path *newest;
	struct kept_path *oldest;
	struct kept_path *changed; /* the paths to write, if there is a directory */
	struct kept_path **end;
	uint64_t next_number;
	int socket;     /* to plyfs-state; -1: none, or it has ended */
	bool is_called; /* plyfs-state has been asked to write */
	enum use use;   /* only the root changes it */
	size_t used;    /* bytes of memory */
	struct keep_counts counts;

	/* Only the root uses them. */
	int directory; /* until it is read; -1 */
	struct kept_path *batch[STATE_BATCH];
	size_t batch_count;
	int batch_error; /* -errno: a version could not be sent */
	int error;       /* -errno: why versions can't be kept, as logged; 0 */
};

/* Returns the bytes of memory that it takes, without malloc(3)'s own. */
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

/* Finds a path. NULL: it is unknown; with `is_new`, memory is short. */
static struct kept_path *find(struct keep *keep, const char *path, bool is_new)
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
	kept->number = keep->next_number++;
	return kept;
}

static void free_path(struct keep *keep, struct kept_path *kept)
{
	tdelete(kept, &keep->paths, compare_paths);
	path_free(kept);
}

static void use(struct keep *keep, struct kept_path *kept)
{
	kept->older = keep->newest;
	kept->newer = NULL;
	*(keep->newest ? &keep->newest->newer : &keep->oldest) = kept;
	keep->newest = kept;
}

static void unuse(struct keep *keep, const struct kept_path *kept)
{
	*(kept->newer ? &kept->newer->older : &keep->newest) = kept->older;
	*(kept->older ? &kept->older->newer : &keep->oldest) = kept->newer;
}

/* Drops the version. The path stays: the caller notes the change. */
static void drop(struct keep *keep, struct kept_path *kept)
{
	if (!kept->version)
		return;
	unuse(keep, kept);
	version_unref(take_ptr(kept->version));
	keep->used -= kept->bytes;
}

/* Counts the version as kept: its file is written, or there is no directory. */
static void count(struct keep *keep, struct kept_path *kept)
{
	size_t bytes = kept->version ? kept->bytes : 0;

	keep->counts.versions += (bytes > 0) - (size_t)(kept->counted > 0);
	keep->counts.bytes += bytes - kept->counted;
	kept->counted = bytes;
}

/* Sends an order. It never blocks: there are never more than a few. */
static void order(struct keep *keep, enum state_order_kind kind, uint64_t number, int fd)
{
	const struct state_order order = {kind, number};

	/* Without the order plyfs-state would wait for ever. So end it, which is reported. */
	if (keep->socket >= 0 && parcel_send(keep->socket, &order, sizeof(order), fd) < 0)
		(void)shutdown(keep->socket, SHUT_RDWR);
}

static void call(struct keep *keep)
{
	if (keep->socket < 0 || keep->is_called || !keep->changed)
		return;
	keep->is_called = true;
	order(keep, keep->use != SERVING ? STATE_HURRY : STATE_CALL, 0, -1);
}

/* Notes a change. Without a directory, a path without a version is freed. */
static void change(struct keep *keep, struct kept_path *kept)
{
	if (!keep_is_lasting(keep)) {
		count(keep, kept);
		if (!kept->version)
			free_path(keep, kept);
		return;
	}
	if (kept->written == CHANGED)
		return;
	kept->written = CHANGED;
	kept->next = NULL;
	*keep->end = kept;
	keep->end = &kept->next;
	call(keep);
}

/* Gives the version to the store. */
static void put(struct keep *keep, struct kept_path *kept, struct version *version)
{
	drop(keep, kept);
	kept->version = version;
	kept->bytes = size_of(kept->path, version);
	keep->used += kept->bytes;
	use(keep, kept);
}

/* Drops the versions that were noted or found longest ago. */
static void make_room(struct keep *keep)
{
	while (keep->used > KEEP_MEMORY_MAX) {
		struct kept_path *kept = keep->oldest;

		drop(keep, kept);
		keep->counts.lost++;
		change(keep, kept);
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

static int open_directory(struct keep *keep, struct problem *problem)
{
	const char *name = keep->name;
	struct stat stat;

	if (mkdir(name, 0700) < 0 && errno != EEXIST)
		return problem_set(problem, name, 0, 0, "can't be made: %s", text_error(-errno));
	keep->directory = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (keep->directory < 0 || fstat(keep->directory, &stat) < 0)
		return problem_set(problem, name, 0, 0, "can't be opened: %s", text_error(-errno));
	snprintf(keep->place, sizeof(keep->place), "%jx:%jx", (uintmax_t)stat.st_dev,
		(uintmax_t)stat.st_ino);
	int r = refuse_directory(name, &stat, problem);
	return r ? r : state_process_start(keep->directory, &keep->options.switches, &keep->socket);
}

int keep_open(const struct keep_options *options, struct keep **ret, struct problem *problem)
{
	CLEANUP(keep_freep) struct keep *keep = calloc(1, sizeof(*keep));

	if (!keep)
		return -ENOMEM;
	keep->options = *options;
	keep->directory = keep->socket = -1;
	keep->end = &keep->changed;
	keep->name = options->directory ? strdup(options->directory) : NULL;
	if (options->directory && !keep->name)
		return -ENOMEM;
	int r = keep->name ? open_directory(keep, problem) : 0;
	if (r != 0)
		return r;
	*ret = take_ptr(keep);
	return 0;
}

/* Locks the directory. Another mount may hold it; a killed mount is about to release it. */
static int claim(const struct keep *keep, struct problem *problem)
{
	for (int waited_us = 0; flock(keep->directory, LOCK_EX | LOCK_NB) < 0;
		waited_us += CLAIM_PAUSE_US) {
		if (errno != EWOULDBLOCK)
			return -errno;
		if (waited_us >= CLAIM_MS * 1000)
			return problem_set(problem, keep->name, 0, 0,
				"is in use as the state of another mount; name another directory");
		usleep(CLAIM_PAUSE_US);
	}
	return 0;
}

const char *keep_place(const struct keep *keep)
{
	return keep->place;
}

int keep_try(const struct keep *keep, const char *own, struct problem *problem)
{
	if (keep->directory < 0 || strcmp(keep->place, own) == 0)
		return 0;
	int r = claim(keep, problem);
	/* plyfs-state shares the lock, and may end later than this process. */
	if (r == 0)
		(void)flock(keep->directory, LOCK_UN);
	return r;
}

static void log_about(const struct keep *keep, const struct problem *problem)
{
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX];

	if (!keep->options.log)
		return;
	problem_format(problem, line, sizeof(line));
	keep->options.log(keep->options.context, line);
}

static void report_load(const struct keep *keep, const struct kept_file_report *report)
{
	struct problem problem;

	if (report->damaged) {
		problem_set(&problem, keep->name, 0, 0,
			"%zu of its files could not be read; their last good versions are lost",
			report->damaged);
		log_about(keep, &problem);
	}
	if (report->has_database) {
		problem_set(&problem, keep->name, 0, 0,
			"its last-good.tdb is of an older plyfs and is not read; remove it");
		log_about(keep, &problem);
	}
}

static void load_one(void *context, uint64_t number, const char *path, struct version *version)
{
	struct keep *keep = context;

	if (!version->strategy)
		version->strategy = "";
	struct kept_path *kept = find(keep, path, true);
	if (kept) {
		/* If a path has two files, the newer one counts. */
		if (kept->version)
			(void)kept_file_remove(keep->directory, kept->number);
		kept->number = number;
		put(keep, kept, version);
		count(keep, kept);
		make_room(keep);
	} else {
		version_unref(version);
	}
}

int keep_load(struct keep *keep, struct problem *problem)
{
	struct kept_file_report report;

	if (keep->directory < 0)
		return 0;
	int r = claim(keep, problem);
	if (r != 0)
		return r;
	r = kept_file_load(keep->directory, KEEP_MEMORY_MAX, load_one, keep, &report);
	if (r < 0)
		return problem_set(problem, keep->name, 0, 0, "can't be read: %s", text_error(r));
	report_load(keep, &report);
	/* The files that were read have numbers up to report.last: do not use them again. */
	keep->next_number += report.last + 1;
	closep(&keep->directory);
	keep->directory = -1;
	return 0;
}

static void report(struct keep *keep, int error)
{
	struct problem problem;

	if (!error == !keep->error)
		return;
	keep->error = error;
	problem_set(&problem, keep->name, 0, 0,
		error ? "last good versions can't be kept: %s"
		      : "last good versions can be kept again",
		text_error(error));
	log_about(keep, &problem);
}

/* Ends the batch. A path may have been noted again meanwhile. */
static void end_batch(struct keep *keep, bool is_written)
{
	for (size_t i = 0; i < keep->batch_count; i++) {
		struct kept_path *kept = keep->batch[i];

		if (!kept || kept->written != WRITING)
			continue;
		/* A path that was noted again is in the batch twice. */
		for (size_t j = i + 1; j < keep->batch_count; j++)
			if (keep->batch[j] == kept)
				keep->batch[j] = NULL;
		kept->written = WRITTEN;
		if (!is_written) {
			change(keep, kept);
			continue;
		}
		count(keep, kept);
		if (!kept->version)
			free_path(keep, kept);
	}
	keep->batch_count = 0;
}

/* Returns the next path to write; NULL: the batch is full, or all paths are written. */
static struct kept_path *next(struct keep *keep)
{
	struct kept_path *kept = keep->changed;

	if (!kept || keep->batch_count == STATE_BATCH)
		return NULL;
	keep->changed = kept->next;
	if (!keep->changed)
		keep->end = &keep->changed;
	kept->written = WRITING;
	keep->batch[keep->batch_count++] = kept;
	return kept;
}

/* Takes the path from the batch, and queues it again. */
static void put_back(struct keep *keep, struct kept_path *kept, int error)
{
	keep->batch_error = error;
	keep->batch_count--;
	if (kept->written == WRITING) {
		kept->written = WRITTEN;
		change(keep, kept);
	}
}

/* Sends the next path. It stays in memory while it is being written. */
static void send_next(struct keep *keep)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	CLEANUP(closep) int fd = -1;

	struct kept_path *kept = keep->batch_error ? NULL : next(keep);
	if (kept && kept->version)
		version = version_ref(kept->version);
	if (version)
		fd = kept_file_make(kept->path, version);
	if (version && fd < 0)
		put_back(keep, kept, fd);
	if (!kept || (version && fd < 0))
		order(keep, STATE_COMMIT, 0, -1);
	else
		order(keep, version ? STATE_PUT : STATE_REMOVE, kept->number, fd);
}

static void take_answer(struct keep *keep, const struct state_answer *answer)
{
	switch (answer->kind) {
	case STATE_NEXT:
		send_next(keep);
		break;
	case STATE_WRITTEN:
		report(keep, keep->batch_error);
		keep->batch_error = 0;
		end_batch(keep, true);
		keep->is_called = false;
		call(keep);
		break;
	case STATE_FAILED:
		report(keep, answer->error);
		break;
	case STATE_RELEASED:
		/* If the answer is late, the mount is serving again. */
		if (keep->use == ENDING)
			keep->use = RELEASED;
		break;
	}
}

int keep_fd(const struct keep *keep)
{
	return keep->socket;
}

bool keep_take(struct keep *keep)
{
	struct state_answer answer;
	int fd;

	while (keep->socket >= 0) {
		ssize_t n = parcel_take(keep->socket, &answer, sizeof(answer), &fd);

		closep(&fd);
		if (n == -EAGAIN)
			return true;
		if (n == sizeof(answer)) {
			take_answer(keep, &answer);
			continue;
		}
		closep(&keep->socket);
		keep->socket = -1;
	}
	return false;
}

static bool is_called(struct keep *keep)
{
	return keep->is_called;
}

/* Waits for an answer. False: there is none, or plyfs-state has ended. */
static bool wait_for_answer(struct keep *keep)
{
	const struct timespec patience = {.tv_sec = FLUSH_S};
	struct pollfd polled = {.fd = keep->socket, .events = POLLIN};

	return helper_state(HELPER_STATE) == HELPER_RUNS && await_poll(&polled, 1, &patience) > 0 &&
	       keep_take(keep);
}

void keep_stop(struct keep *keep)
{
	if (keep->socket < 0 || keep->use != SERVING)
		return;
	keep->use = ENDING;
	if (keep->is_called)
		order(keep, STATE_HURRY, 0, -1);
	else
		call(keep);
	while (!keep->error && is_called(keep) && wait_for_answer(keep))
		;
}

bool keep_pause(struct keep *keep)
{
	/* A stopped plyfs-state would keep the directory locked. */
	if (keep->socket >= 0)
		helper_wake();
	keep_stop(keep);
	order(keep, STATE_RELEASE, 0, -1);
	while (keep->socket >= 0 && keep->use != RELEASED && wait_for_answer(keep))
		;
	/* Paths without an answer may be written or not. */
	end_batch(keep, false);
	return keep->socket < 0 || keep->use == RELEASED;
}

void keep_resume(struct keep *keep)
{
	order(keep, STATE_CLAIM, 0, -1);
	keep->use = SERVING;
	call(keep);
}

void keep_free(struct keep *keep)
{
	if (!keep)
		return;
	if (keep->name) {
		keep_stop(keep);
		closep(&keep->socket);
		helper_end(HELPER_STATE, END_MS);
	}
	tdestroy(keep->paths, path_free);
	closep(&keep->directory);
	free(keep->name);
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

/* Returns whether a take-over, too, would give the same version. */
static bool is_same(const struct kept_path *kept, const struct version *version, bool is_public)
{
	const struct version *old = kept->version;

	return old && kept->is_public == is_public && version_same(old, version) &&
	       time_equal(old->mtime, version->mtime) && time_equal(old->ctime, version->ctime) &&
	       time_equal(old->made, version->made) &&
	       same_text(old->strategy, version->strategy) &&
	       same_text(old->layers, version->layers) && same_text(old->sources, version->sources);
}

static void note(struct keep *keep, const char *path, const struct version *version, bool is_public)
{
	struct kept_path *kept = find(keep, path, version);

	if (kept && version && is_same(kept, version, is_public))
		return;
	/* A version that is too large must not push out all others. */
	bool has_room = version && size_of(path, version) <= KEEP_MEMORY_MAX;
	struct version *copy = kept && has_room ? version_copy(version) : NULL;
	keep->counts.lost += version && !copy;
	if (!kept || (!copy && !kept->version && kept->written == WRITTEN))
		return;
	kept->is_public = is_public;
	drop(keep, kept);
	if (copy)
		put(keep, kept, copy);
	change(keep, kept);
	make_room(keep);
}

void keep_note(struct keep *keep, const char *path, struct version *version, bool is_public)
{
	if (keep->use == SERVING)
		note(keep, path, version, is_public);
}

int keep_find(struct keep *keep, const char *path, struct version **ret)
{
	CLEANUP(version_unrefp) struct version *version = NULL;

	struct kept_path *kept = find(keep, path, false);
	if (kept && kept->version) {
		version = version_ref(kept->version);
		unuse(keep, kept);
		use(keep, kept);
	}
	if (!version)
		return -ENOENT;
	*ret = version_copy(version);
	return *ret ? 0 : -ENOMEM;
}

void keep_each(struct keep *keep,
	void (*each)(void *context, const char *path, struct version *version, bool is_public),
	void *context)
{
	bool is_lasting = keep_is_lasting(keep);

	for (struct kept_path *kept = is_lasting ? keep->changed : keep->oldest; kept;
		kept = is_lasting ? kept->next : kept->newer)
		each(context, kept->path, kept->version, kept->is_public);
}

void keep_count(struct keep *keep, struct keep_counts *ret)
{
	*ret = keep->counts;
}
