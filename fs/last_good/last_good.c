#include "last_good.h"

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
#include "fd_message.h"
#include "helper.h"
#include "last_good_file.h"
#include "state_process.h"
#include "text.h"

/* Seconds for which the end of a mount waits for an answer of plyfs-state: the disk may hang. */
#define FLUSH_S 5

/* Milliseconds after which plyfs-state is then killed. */
#define END_MS 1000

/* Milliseconds for which a new mount waits for the plyfs-state of a killed mount to end. */
#define CLAIM_MS 2000
#define CLAIM_PAUSE_US 20000

/* In the directory, from an older plyfs. */
#define DATABASE_NAME "last-good.tdb"

/* Whether the directory has a path's present version. */
enum written { WRITTEN, CHANGED, WRITING };

/*
 * One path. With a directory, a path without a version stays until its file is removed there.
 *
 *      WRITTEN ──last_good_note()──▶ CHANGED ──last_good_take()──▶ WRITING ──▶ WRITTEN, or freed
 *                                  ▲────────────────────────│  noted again
 */
struct kept_path {
	char *path;
	struct version *version; /* which never changes; NULL: nothing is kept */
	size_t bytes;            /* of memory, while there is a version */
	size_t counted;          /* … the part that last_good_counts has */
	enum written written;
	uint64_t number;         /* of its file */
	struct kept_path *newer; /* next in the order of use; while there is a version */
	struct kept_path *older;
	struct kept_path *next; /* CHANGED */
};

/* RELEASED: another daemon may lock the directory. */
enum use { SERVING, ENDING, RELEASED };

struct last_good {
	struct last_good_options options;
	char *name; /* options.directory, a copy */
	char place[LAST_GOOD_PLACE_MAX];

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
	struct last_good_counts counts;

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
static struct kept_path *find(struct last_good *last_good, const char *path, bool is_new)
{
	const struct kept_path wanted = {.path = (char *)(uintptr_t)path};
	struct kept_path **place = tfind(&wanted, &last_good->paths, compare_paths);

	if (place || !is_new)
		return place ? *place : NULL;
	struct kept_path *kept = calloc(1, sizeof(*kept));
	if (!kept)
		return NULL;
	kept->path = strdup(path);
	if (!kept->path || !tsearch(kept, &last_good->paths, compare_paths)) {
		path_free(kept);
		return NULL;
	}
	kept->number = last_good->next_number++;
	return kept;
}

static void free_path(struct last_good *last_good, struct kept_path *kept)
{
	tdelete(kept, &last_good->paths, compare_paths);
	path_free(kept);
}

static void use(struct last_good *last_good, struct kept_path *kept)
{
	kept->older = last_good->newest;
	kept->newer = NULL;
	*(last_good->newest ? &last_good->newest->newer : &last_good->oldest) = kept;
	last_good->newest = kept;
}

static void unuse(struct last_good *last_good, const struct kept_path *kept)
{
	*(kept->newer ? &kept->newer->older : &last_good->newest) = kept->older;
	*(kept->older ? &kept->older->newer : &last_good->oldest) = kept->newer;
}

/* Drops the version. The path stays: the caller notes the change. */
static void drop(struct last_good *last_good, struct kept_path *kept)
{
	if (!kept->version)
		return;
	unuse(last_good, kept);
	version_unref(take_ptr(kept->version));
	last_good->used -= kept->bytes;
}

/* Counts the version as kept: its file is written, or there is no directory. */
static void count(struct last_good *last_good, struct kept_path *kept)
{
	size_t bytes = kept->version ? kept->bytes : 0;

	last_good->counts.versions += (bytes > 0) - (size_t)(kept->counted > 0);
	last_good->counts.bytes += bytes - kept->counted;
	kept->counted = bytes;
}

/* Sends an order. It never blocks: there are never more than a few. */
static void order(struct last_good *last_good, enum state_order_kind kind, uint64_t number, int fd)
{
	const struct state_order order = {kind, number};

	/* Without the order plyfs-state would wait for ever. So end it, which is reported. */
	if (last_good->socket >= 0 &&
		fd_message_send(last_good->socket, &order, sizeof(order), fd) < 0)
		(void)shutdown(last_good->socket, SHUT_RDWR);
}

static void call(struct last_good *last_good)
{
	if (last_good->socket < 0 || last_good->is_called || !last_good->changed)
		return;
	last_good->is_called = true;
	order(last_good, last_good->use != SERVING ? STATE_HURRY : STATE_CALL, 0, -1);
}

/* Notes a change. Without a directory, a path without a version is freed. */
static void change(struct last_good *last_good, struct kept_path *kept)
{
	if (!last_good_is_lasting(last_good)) {
		count(last_good, kept);
		if (!kept->version)
			free_path(last_good, kept);
		return;
	}
	if (kept->written == CHANGED)
		return;
	kept->written = CHANGED;
	kept->next = NULL;
	*last_good->end = kept;
	last_good->end = &kept->next;
	call(last_good);
}

/* Gives the version to the store. */
static void put(struct last_good *last_good, struct kept_path *kept, struct version *version)
{
	drop(last_good, kept);
	kept->version = version;
	kept->bytes = size_of(kept->path, version);
	last_good->used += kept->bytes;
	use(last_good, kept);
}

/* Drops the versions that were noted or found longest ago. */
static void make_room(struct last_good *last_good)
{
	while (last_good->used > LAST_GOOD_MEMORY_MAX) {
		struct kept_path *kept = last_good->oldest;

		drop(last_good, kept);
		last_good->counts.lost++;
		change(last_good, kept);
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

static int open_directory(struct last_good *last_good, struct problem *problem)
{
	const char *name = last_good->name;
	struct stat stat;

	if (mkdir(name, 0700) < 0 && errno != EEXIST)
		return problem_set(problem, name, 0, 0, "can't be made: %s", text_error(-errno));
	last_good->directory = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (last_good->directory < 0 || fstat(last_good->directory, &stat) < 0)
		return problem_set(problem, name, 0, 0, "can't be opened: %s", text_error(-errno));
	snprintf(last_good->place, sizeof(last_good->place), "%jx:%jx", (uintmax_t)stat.st_dev,
		(uintmax_t)stat.st_ino);
	int r = refuse_directory(name, &stat, problem);
	return r ? r
		 : state_process_start(
			   last_good->directory, &last_good->options.switches, &last_good->socket);
}

int last_good_open(
	const struct last_good_options *options, struct last_good **ret, struct problem *problem)
{
	CLEANUP(last_good_freep) struct last_good *last_good = calloc(1, sizeof(*last_good));

	if (!last_good)
		return -ENOMEM;
	last_good->options = *options;
	last_good->directory = last_good->socket = -1;
	last_good->end = &last_good->changed;
	last_good->name = options->directory ? strdup(options->directory) : NULL;
	if (options->directory && !last_good->name)
		return -ENOMEM;
	int r = last_good->name ? open_directory(last_good, problem) : 0;
	if (r != 0)
		return r;
	*ret = take_ptr(last_good);
	return 0;
}

/* Locks the directory. Another mount may hold it; a killed mount is about to release it. */
static int claim(const struct last_good *last_good, struct problem *problem)
{
	for (int waited_us = 0; flock(last_good->directory, LOCK_EX | LOCK_NB) < 0;
		waited_us += CLAIM_PAUSE_US) {
		if (errno != EWOULDBLOCK)
			return -errno;
		if (waited_us >= CLAIM_MS * 1000)
			return problem_set(problem, last_good->name, 0, 0,
				"is in use as the state of another mount; name another directory");
		usleep(CLAIM_PAUSE_US);
	}
	return 0;
}

const char *last_good_place(const struct last_good *last_good)
{
	return last_good->place;
}

int last_good_try(const struct last_good *last_good, const char *own, struct problem *problem)
{
	if (last_good->directory < 0 || strcmp(last_good->place, own) == 0)
		return 0;
	int r = claim(last_good, problem);
	/* plyfs-state shares the lock, and may end later than this process. */
	if (r == 0)
		(void)flock(last_good->directory, LOCK_UN);
	return r;
}

static void log_about(const struct last_good *last_good, const struct problem *problem)
{
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX];

	if (!last_good->options.log)
		return;
	problem_format(problem, line, sizeof(line));
	last_good->options.log(last_good->options.context, line);
}

static void report_load(
	const struct last_good *last_good, const struct last_good_file_report *report)
{
	struct problem problem;
	struct stat stat;

	if (report->damaged) {
		problem_set(&problem, last_good->name, 0, 0,
			"%zu of its files could not be read; their last good versions are lost",
			report->damaged);
		log_about(last_good, &problem);
	}
	if (fstatat(last_good->directory, DATABASE_NAME, &stat, AT_SYMLINK_NOFOLLOW) == 0) {
		problem_set(&problem, last_good->name, 0, 0,
			"its " DATABASE_NAME " is of an older plyfs and is not read; remove it");
		log_about(last_good, &problem);
	}
}

static void load_one(void *context, uint64_t number, const char *path, struct version *version)
{
	struct last_good *last_good = context;

	if (!version->strategy)
		version->strategy = "";
	struct kept_path *kept = find(last_good, path, true);
	if (kept) {
		/* If a path has two files, the newer one counts. */
		if (kept->version)
			(void)last_good_file_remove(last_good->directory, kept->number);
		kept->number = number;
		put(last_good, kept, version);
		count(last_good, kept);
		make_room(last_good);
	} else {
		version_unref(version);
	}
}

int last_good_load(struct last_good *last_good, struct problem *problem)
{
	struct last_good_file_report report;

	if (last_good->directory < 0)
		return 0;
	int r = claim(last_good, problem);
	if (r != 0)
		return r;
	r = last_good_file_load(
		last_good->directory, LAST_GOOD_MEMORY_MAX, load_one, last_good, &report);
	if (r < 0)
		return problem_set(
			problem, last_good->name, 0, 0, "can't be read: %s", text_error(r));
	report_load(last_good, &report);
	/* The files that were read have numbers up to report.last: do not use them again. */
	last_good->next_number += report.last + 1;
	closep(&last_good->directory);
	return 0;
}

static void report(struct last_good *last_good, int error)
{
	struct problem problem;

	if (!error == !last_good->error)
		return;
	last_good->error = error;
	problem_set(&problem, last_good->name, 0, 0,
		error ? "last good versions can't be kept: %s"
		      : "last good versions can be kept again",
		text_error(error));
	log_about(last_good, &problem);
}

/* Ends the batch. A path may have been noted again meanwhile. */
static void end_batch(struct last_good *last_good, bool is_written)
{
	for (size_t i = 0; i < last_good->batch_count; i++) {
		struct kept_path *kept = last_good->batch[i];

		if (!kept || kept->written != WRITING)
			continue;
		/* A path that was noted again is in the batch twice. */
		for (size_t j = i + 1; j < last_good->batch_count; j++)
			if (last_good->batch[j] == kept)
				last_good->batch[j] = NULL;
		kept->written = WRITTEN;
		if (!is_written) {
			change(last_good, kept);
			continue;
		}
		count(last_good, kept);
		if (!kept->version)
			free_path(last_good, kept);
	}
	last_good->batch_count = 0;
}

/* Returns the next path to write; NULL: the batch is full, or all paths are written. */
static struct kept_path *next(struct last_good *last_good)
{
	struct kept_path *kept = last_good->changed;

	if (!kept || last_good->batch_count == STATE_BATCH)
		return NULL;
	last_good->changed = kept->next;
	if (!last_good->changed)
		last_good->end = &last_good->changed;
	kept->written = WRITING;
	last_good->batch[last_good->batch_count++] = kept;
	return kept;
}

/* Takes the path from the batch, and queues it again. */
static void put_back(struct last_good *last_good, struct kept_path *kept, int error)
{
	last_good->batch_error = error;
	last_good->batch_count--;
	if (kept->written == WRITING) {
		kept->written = WRITTEN;
		change(last_good, kept);
	}
}

/* Sends the next path. It stays in memory while it is being written. */
static void send_next(struct last_good *last_good)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	CLEANUP(closep) int fd = -1;

	struct kept_path *kept = last_good->batch_error ? NULL : next(last_good);
	if (kept && kept->version)
		version = version_ref(kept->version);
	if (version)
		fd = last_good_file_make(kept->path, version);
	if (version && fd < 0)
		put_back(last_good, kept, fd);
	if (!kept || (version && fd < 0))
		order(last_good, STATE_COMMIT, 0, -1);
	else
		order(last_good, version ? STATE_PUT : STATE_REMOVE, kept->number, fd);
}

static void take_answer(struct last_good *last_good, const struct state_answer *answer)
{
	switch (answer->kind) {
	case STATE_NEXT:
		send_next(last_good);
		break;
	case STATE_WRITTEN:
		report(last_good, last_good->batch_error);
		last_good->batch_error = 0;
		end_batch(last_good, true);
		last_good->is_called = false;
		call(last_good);
		break;
	case STATE_FAILED:
		report(last_good, answer->error);
		break;
	case STATE_RELEASED:
		/* If the answer is late, the mount is serving again. */
		if (last_good->use == ENDING)
			last_good->use = RELEASED;
		break;
	}
}

int last_good_fd(const struct last_good *last_good)
{
	return last_good->socket;
}

bool last_good_take(struct last_good *last_good)
{
	struct state_answer answer;
	int fd;

	while (last_good->socket >= 0) {
		ssize_t n = fd_message_take(last_good->socket, &answer, sizeof(answer), &fd);

		closep(&fd);
		if (n == -EAGAIN)
			return true;
		if (n == sizeof(answer)) {
			take_answer(last_good, &answer);
			continue;
		}
		closep(&last_good->socket);
	}
	return false;
}

/* Waits for an answer. False: there is none, or plyfs-state has ended. */
static bool wait_for_answer(struct last_good *last_good)
{
	const struct timespec patience = {.tv_sec = FLUSH_S};
	struct pollfd polled = {.fd = last_good->socket, .events = POLLIN};

	return helper_state(HELPER_STATE) == HELPER_RUNS && await_poll(&polled, 1, &patience) > 0 &&
	       last_good_take(last_good);
}

void last_good_stop(struct last_good *last_good)
{
	if (last_good->socket < 0 || last_good->use != SERVING)
		return;
	last_good->use = ENDING;
	if (last_good->is_called)
		order(last_good, STATE_HURRY, 0, -1);
	else
		call(last_good);
	while (!last_good->error && last_good->is_called && wait_for_answer(last_good))
		;
}

bool last_good_pause(struct last_good *last_good)
{
	/* A stopped plyfs-state would keep the directory locked. */
	if (last_good->socket >= 0)
		helper_wake();
	last_good_stop(last_good);
	order(last_good, STATE_RELEASE, 0, -1);
	while (last_good->socket >= 0 && last_good->use != RELEASED && wait_for_answer(last_good))
		;
	/* Paths without an answer may be written or not. */
	end_batch(last_good, false);
	return last_good->socket < 0 || last_good->use == RELEASED;
}

void last_good_resume(struct last_good *last_good)
{
	order(last_good, STATE_CLAIM, 0, -1);
	last_good->use = SERVING;
	call(last_good);
}

void last_good_freep(struct last_good **place)
{
	struct last_good *last_good = *place;

	if (!last_good)
		return;
	if (last_good->name) {
		last_good_stop(last_good);
		closep(&last_good->socket);
		helper_end(HELPER_STATE, END_MS);
	}
	tdestroy(last_good->paths, path_free);
	closep(&last_good->directory);
	free(last_good->name);
	free(last_good);
}

const char *last_good_directory(const struct last_good *last_good)
{
	return last_good->name;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns whether a take-over, too, would give the same version. */
static bool is_same(const struct kept_path *kept, const struct version *version)
{
	const struct version *old = kept->version;

	return old && version_same(old, version) && time_equal(old->mtime, version->mtime) &&
	       time_equal(old->ctime, version->ctime) && time_equal(old->made, version->made) &&
	       same_text(old->strategy, version->strategy) &&
	       same_text(old->layers, version->layers) && same_text(old->sources, version->sources);
}

void last_good_note(struct last_good *last_good, const char *path, struct version *version)
{
	if (last_good->use != SERVING)
		return;
	struct kept_path *kept = find(last_good, path, version);

	if (kept && version && is_same(kept, version))
		return;
	/* A version that is too large must not push out all others. */
	bool has_room = version && size_of(path, version) <= LAST_GOOD_MEMORY_MAX;
	struct version *copy = kept && has_room ? version_ref(version) : NULL;
	last_good->counts.lost += version && !copy;
	if (!kept || (!copy && !kept->version && kept->written == WRITTEN))
		return;
	drop(last_good, kept);
	if (copy)
		put(last_good, kept, copy);
	change(last_good, kept);
	make_room(last_good);
}

int last_good_find(struct last_good *last_good, const char *path, struct version **ret)
{
	CLEANUP(version_unrefp) struct version *version = NULL;

	struct kept_path *kept = find(last_good, path, false);
	if (kept && kept->version) {
		version = version_ref(kept->version);
		unuse(last_good, kept);
		use(last_good, kept);
	}
	if (!version)
		return -ENOENT;
	*ret = version_copy(version);
	return *ret ? 0 : -ENOMEM;
}

void last_good_each(struct last_good *last_good,
	void (*each)(void *context, const char *path, struct version *version), void *context)
{
	bool is_lasting = last_good_is_lasting(last_good);

	for (struct kept_path *kept = is_lasting ? last_good->changed : last_good->oldest; kept;
		kept = is_lasting ? kept->next : kept->newer)
		each(context, kept->path, kept->version);
}

void last_good_count(struct last_good *last_good, struct last_good_counts *ret)
{
	*ret = last_good->counts;
}
