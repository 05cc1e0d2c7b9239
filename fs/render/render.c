#include "render.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "clock.h"
#include "descriptor.h"
#include "generation.h"
#include "inotify.h"
#include "keeper.h"
#include "monitor.h"
#include "publisher.h"
#include "reader_sandbox.h"
#include "refresh.h"
#include "render_status.h"
#include "runner.h"

/*
 * Names that are looked up at once: the pool composes some beside each other while those before are
 * written. All of a batch are waited for together: who is woken for each takes a processor from the
 * pool each time.
 */
#define LOOKS 64
#define LOOKS_BATCH (LOOKS / 2)

/* What somebody does to a file is looked at when he has been quiet for so long. */
#define DOUBT_MS 20

/* What could not be made is tried again after this time, and then after ever longer ones. */
#define RETRY_MS 500
#define RETRY_MAX_MS 60000

/* A generation is what has changed until nothing did for so long, and no longer than that. */
#define GENERATION_QUIET_MS 20
#define GENERATION_MAX_MS 200

/*
 * By then all that has changed with it must be there, too: what is seen to be under way is waited
 * for. Who writes without a pause does not keep it back for longer than this.
 */
#define GENERATION_STEP_MS 2
#define GENERATION_WRITER_MS 1000
#define GENERATION_LATEST_MS 5000

/* What it tells of itself is written so long after it has changed. */
#define STATUS_MS 100

#define DRIFT_EVENTS                                                                               \
	(IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE |        \
		IN_ONLYDIR | IN_EXCL_UNLINK)

/* What is to be done after a while: clock_ms(), 0: nothing. */
struct agenda {
	int fd; /* timerfd */
	int64_t paths_ms;
	int64_t generation_ms;
	int64_t changed_ms; /* since when a generation is due */
	int64_t status_ms;
};

struct render {
	struct rendered *rendered;
	struct runner *runner; /* NULL: no plyfs.yaml names programs */
	struct view *view;
	struct publisher *publisher;
	struct rendered_options options;
	struct sandbox_state sandbox; /* what is in force */
	int commit_failure;
	unsigned failed; /* paths that could not be made, in this walk */
	int64_t retry_ms;

	/* NULL: drift is not looked for while it happens. */
	struct inotify *inotify;
	struct subscription beside; /* of the directory that generations stand in */

	pthread_mutex_t mutex; /* of the looks, and of what is to be done */
	pthread_cond_t answered;
	const struct look *awaited; /* by the one thread that walks; NULL: none */
	struct agenda agenda;
	void *paths; /* to be looked at: a tsearch(3) tree of strings */
	bool are_all_doubtful;

	pthread_mutex_t files; /* of all that follows: rights are taken away from any thread */
	void *directories;     /* a tsearch(3) tree of struct shown_directory, by number */
	size_t incomplete;     /* of them */
	bool is_removal_due;   /* what another run has made is to be removed when there are none */
};

/* A directory that the view knows to be shown. */
struct shown_directory {
	struct subscription subscription; /* first */
	struct render *render;
	uint64_t ino;
	bool is_incomplete; /* a name could not be looked up: it is walked again */
	char *path;
};

/* A name that is looked up. */
struct look {
	struct view_caller caller; /* first */
	struct render *render;
	char *name;
	int result;
	bool is_answered; /* mutex */
	struct stat stat;
};

/* The names of a directory. */
struct names {
	struct look **items;
	size_t count;
	size_t capacity;
	bool has_failed; /* for lack of memory */
};

static void log_line(const struct render *render, const char *line)
{
	if (render->options.log)
		render->options.log(render->options.context, line);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The earliest of what is to be done. Under the mutex. */
static void set_timer(struct agenda *agenda)
{
	int64_t at = agenda->paths_ms;

	if (!at || (agenda->generation_ms && agenda->generation_ms < at))
		at = agenda->generation_ms;
	if (!at || (agenda->status_ms && agenda->status_ms < at))
		at = agenda->status_ms;
	const struct itimerspec when = {
		.it_value = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000}};
	timerfd_settime(agenda->fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* The path is looked at after that time. Without memory for it, all are. */
static void look_later(struct render *render, const char *path, int64_t after_ms)
{
	int64_t at = clock_ms() + after_ms;
	char *copy = path ? strdup(path) : NULL;

	pthread_mutex_lock(&render->mutex);
	char **found = copy ? tsearch(copy, &render->paths, compare_paths) : NULL;
	if (!found)
		render->are_all_doubtful = true;
	if (!found || *found != copy)
		free(copy);
	if (!render->agenda.paths_ms || at < render->agenda.paths_ms) {
		render->agenda.paths_ms = at;
		set_timer(&render->agenda);
	}
	pthread_mutex_unlock(&render->mutex);
}

/* Another generation is due when it has been quiet. */
static void commit_later(struct render *render, int64_t after_ms)
{
	struct agenda *agenda = &render->agenda;
	int64_t now = clock_ms();

	pthread_mutex_lock(&render->mutex);
	if (!agenda->changed_ms)
		agenda->changed_ms = now;
	agenda->generation_ms = now + after_ms;
	if (after_ms <= GENERATION_MAX_MS &&
		agenda->generation_ms > agenda->changed_ms + GENERATION_MAX_MS)
		agenda->generation_ms = agenda->changed_ms + GENERATION_MAX_MS;
	set_timer(agenda);
	pthread_mutex_unlock(&render->mutex);
}

/* Ever longer, as long as nothing comes of it. Memory is there again soon, or we are gone. */
static int64_t next_retry(struct render *render, int result)
{
	int64_t after_ms = render->retry_ms ? render->retry_ms : RETRY_MS;

	if (result == -ENOMEM)
		return RETRY_MS;
	render->retry_ms = after_ms < RETRY_MAX_MS / 2 ? 2 * after_ms : RETRY_MAX_MS;
	return after_ms;
}

/* What it tells of itself has changed. From any thread. */
static void tell_later(struct render *render)
{
	pthread_mutex_lock(&render->mutex);
	if (!render->agenda.status_ms && render->agenda.fd >= 0) {
		render->agenda.status_ms = clock_ms() + STATUS_MS;
		set_timer(&render->agenda);
	}
	pthread_mutex_unlock(&render->mutex);
}

/* Logs it, and notes it for the status. */
static void complain_of(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem)
{
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 32];

	if (result == PROBLEM)
		problem_format(problem, line, sizeof(line));
	else if (result == -EIO)
		snprintf(line, sizeof(line), "%s: does not merge, and never did", path);
	else
		snprintf(line, sizeof(line), "%s: %s", path, strerror(-result));
	log_line(render, line);
	tell_later(render);
	if (!owned)
		return;
	free(owned->trouble);
	owned->trouble = result == -EIO ? NULL : strdup(line);
	owned->failure = result;
}

/*
 * Says what could not be done, once, and has it done later. What has gone since it was listed is
 * not missed: the publisher knows of it.
 */
static void complain(struct render *render, const char *path, struct owned *owned, int result,
	const struct problem *problem)
{
	if (result == -ESTALE)
		return;
	render->failed++;
	if (!owned || owned->failure != result)
		complain_of(render, path, owned, result, problem);
	if (owned && owned->ino && result != -EIO)
		look_later(render, path, next_retry(render, result));
}

/* What was done, or was not by somebody's will. */
static bool is_done(struct render *render, struct owned *owned, int result)
{
	if (result != 0 && result != RENDERED_KEPT)
		return false;
	if (owned->failure) {
		render->retry_ms = 0;
		tell_later(render);
	}
	owned->failure = 0;
	free(take_ptr(owned->trouble));
	return true;
}

static void on_answer(struct view_caller *caller, int result, const struct stat *stat)
{
	struct look *look = (struct look *)caller;

	pthread_mutex_lock(&look->render->mutex);
	look->result = result == VIEW_GOING ? -ENOENT : result;
	if (look->result >= 0)
		look->stat = *stat;
	look->is_answered = true;
	if (look->render->awaited == look)
		pthread_cond_signal(&look->render->answered);
	pthread_mutex_unlock(&look->render->mutex);
}

static void ask(struct render *render, uint64_t parent, struct look *look)
{
	struct stat stat;

	look->caller = (struct view_caller){.answer = on_answer};
	look->is_answered = false;
	int r = view_lookup(render->view, parent, look->name, &look->caller, &stat);
	if (r != VIEW_LATER)
		on_answer(&look->caller, r, &stat);
}

static void wait_for(struct render *render, struct look *look)
{
	pthread_mutex_lock(&render->mutex);
	render->awaited = look;
	while (!look->is_answered)
		pthread_cond_wait(&render->answered, &render->mutex);
	render->awaited = NULL;
	pthread_mutex_unlock(&render->mutex);
}

static bool take_name(void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie)
{
	struct names *names = context;
	struct look *look = calloc(1, sizeof(*look));

	(void)ino;
	(void)type;
	(void)cookie;
	if (!look || !(look->name = strdup(name)) ||
		array_grow(names->items, names->count, names->capacity) < 0) {
		free(look ? look->name : NULL);
		free(look);
		names->has_failed = true;
		return false;
	}
	names->items[names->count++] = look;
	return true;
}

static void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		free(names->items[i]->name);
		free(names->items[i]);
	}
	free(names->items);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct shown_directory *left = a, *right = b;

	return (left->ino > right->ino) - (left->ino < right->ino);
}

static void shown_free(void *memory)
{
	struct shown_directory *shown = memory;

	if (shown->render->inotify)
		inotify_unsubscribe(shown->render->inotify, &shown->subscription);
	free(shown->path);
	free(shown);
}

/* Something has happened to a name in a directory that we have made. */
static void on_event(struct subscription *subscription, uint32_t mask, const char *name)
{
	struct shown_directory *shown = (struct shown_directory *)subscription;
	CLEANUP(freep) char *path = NULL;

	(void)mask;
	if (!name || (!*shown->path && strcmp(name, PLYFS_NAME) == 0))
		return;
	if (asprintf(&path, "%s%s%s", shown->path, *shown->path ? "/" : "", name) < 0)
		path = NULL;
	look_later(shown->render, path, DOUBT_MS);
}

static void on_event_beside(struct subscription *subscription, uint32_t mask, const char *name)
{
	struct render *render =
		(struct render *)((char *)subscription - offsetof(struct render, beside));

	(void)mask;
	if (!name || strcmp(name, PLYFS_NAME) == 0)
		return;
	rendered_doubt_links(render->rendered);
	commit_later(render, GENERATION_QUIET_MS);
}

static void on_lost(void *context)
{
	look_later(context, NULL, DOUBT_MS);
}

static bool handle_events(void *context, struct publisher_hook *hook)
{
	struct render *render = context;

	(void)hook;
	inotify_read(render->inotify, on_lost, render);
	return false;
}

/* From now on it is noticed when somebody changes something in it. */
static void watch_directory(struct render *render, struct shown_directory *shown)
{
	static atomic_bool has_complained;

	if (!render->inotify)
		return;
	inotify_unsubscribe(render->inotify, &shown->subscription);
	CLEANUP(closep) int fd = rendered_open_directory(render->rendered, shown->path);
	int r = fd < 0 ? 0 : inotify_subscribe(render->inotify, &shown->subscription, fd);
	if (r < 0 && !atomic_exchange(&has_complained, true))
		log_line(render,
			r == -ENOSPC ? "no inotify watches are left, so what somebody changes is "
				       "put right later; raise the limit: sysctl "
				       "fs.inotify.max_user_watches=1048576"
				     : "what somebody changes can't be noticed at once");
}

static struct shown_directory *find_shown(const struct render *render, uint64_t ino)
{
	const struct shown_directory key = {.ino = ino};
	struct shown_directory **found = tfind(&key, &render->directories, compare_numbers);

	return found ? *found : NULL;
}

static int add_shown(struct render *render, uint64_t ino, const char *path)
{
	struct shown_directory *shown;

	if (find_shown(render, ino))
		return 0;
	shown = calloc(1, sizeof(*shown));
	if (!shown)
		return -ENOMEM;
	*shown =
		(struct shown_directory){.subscription = {.notify = on_event, .mask = DRIFT_EVENTS},
			.render = render,
			.ino = ino,
			.path = strdup(path)};
	if (!shown->path || !tsearch(shown, &render->directories, compare_numbers)) {
		shown_free(shown);
		return -ENOMEM;
	}
	return 0;
}

static void drop_shown(struct render *render, uint64_t ino)
{
	struct shown_directory *shown = find_shown(render, ino);

	if (!shown)
		return;
	tdelete(shown, &render->directories, compare_numbers);
	render->incomplete -= shown->is_incomplete;
	shown_free(shown);
}

/* What the process lacks for a while. */
static bool is_lack(int result)
{
	return result == -ENOMEM || result == -EMFILE || result == -ENFILE;
}

/* What is shown there is not to be removed, though nobody knows what it should be. */
static int keep_shown(struct render *render, const char *path)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int r = manifest_list(rendered_manifest(render->rendered), path, &all, &count);

	for (size_t i = 0; r == 0 && i < count; i++)
		all[i]->is_seen = true;
	return r;
}

/* The path in that directory, or the directory itself, could not be looked up. */
static void miss(struct render *render, uint64_t ino, const char *path, int result)
{
	pthread_mutex_lock(&render->files);
	struct shown_directory *shown = find_shown(render, ino);
	if (!is_lack(result))
		result = keep_shown(render, path);
	if (is_lack(result) && shown) {
		render->incomplete += !shown->is_incomplete;
		shown->is_incomplete = true;
		look_later(render, shown->path, RETRY_MS);
	}
	pthread_mutex_unlock(&render->files);
}

/* As the kernel would, when it is told to forget a directory's attributes: asks for them. */
static int on_tell(void *context, uint64_t ino)
{
	struct render *render = context;
	struct owned *owned = NULL;
	struct problem problem;
	struct stat stat;
	int r = 0;

	pthread_mutex_lock(&render->files);
	struct shown_directory *shown = find_shown(render, ino);
	if (shown && *shown->path) {
		owned = manifest_get(rendered_manifest(render->rendered), shown->path);
		r = owned ? view_stat(render->view, ino, &stat) : -ENOMEM;
		if (r == 0)
			r = rendered_put_directory(render->rendered, owned, &stat, &problem);
		if (r != 0 && r != RENDERED_KEPT)
			complain(render, shown->path, owned, r, &problem);
		else if (rendered_is_to_switch(render->rendered))
			commit_later(render, GENERATION_QUIET_MS);
	}
	pthread_mutex_unlock(&render->files);
	return 0;
}

static void walk_directory(struct render *render, const char *path, uint64_t ino);

/* The view's number of what is shown there now. What was looked up before is given back. */
static void note_number(struct render *render, struct owned *owned, uint64_t ino)
{
	if (owned->ino)
		view_forget(render->view, owned->ino, 1);
	owned->ino = ino;
	owned->is_seen = true;
}

/*
 * What it has by now: since it was looked up, something may have been taken away from it. Returns
 * 0, or what is lacking to do it: then nothing is known of what is in it.
 */
static int put_directory(struct render *render, const char *path, uint64_t ino)
{
	struct problem problem;
	struct stat stat;

	pthread_mutex_lock(&render->files);
	struct owned *owned = manifest_get(rendered_manifest(render->rendered), path);
	int r = owned ? add_shown(render, ino, path) : -ENOMEM;
	if (owned)
		note_number(render, owned, ino);
	if (r == 0)
		r = view_stat(render->view, ino, &stat);
	if (r == 0)
		r = rendered_put_directory(render->rendered, owned, &stat, &problem);
	bool is_put = is_done(render, owned, r);
	if (is_put && !render->options.is_atomic)
		watch_directory(render, find_shown(render, ino));
	if (!is_put)
		complain(render, path, owned, r, &problem);
	pthread_mutex_unlock(&render->files);
	if (is_put)
		walk_directory(render, path, ino);
	return is_lack(r) ? r : 0;
}

/* What was good before, by another plyfs, stays where it never was in this life. 0 or -ENOMEM. */
static int put_file(struct render *render, const char *path, uint64_t ino)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem;

	int r = view_version(render->view, ino, &version);
	if (r == 0)
		view_drop_names(render->view, version);
	pthread_mutex_lock(&render->files);
	struct owned *owned = manifest_get(rendered_manifest(render->rendered), path);
	const struct imprint before = owned ? owned->print : (struct imprint){0};
	if (!owned)
		r = -ENOMEM;
	else
		note_number(render, owned, ino);
	if (r == 0)
		r = rendered_put(render->rendered, owned, version, &problem);
	if (!is_done(render, owned, r))
		complain(render, path, owned, r, &problem);
	bool is_changed = owned && (owned->is_changed || !imprint_equal(&before, &owned->print));
	pthread_mutex_unlock(&render->files);
	if (is_changed)
		view_note_change(render->view, path);
	return owned ? 0 : -ENOMEM;
}

/* Up to the name `end`. */
static void ask_some(
	struct render *render, uint64_t parent, struct names *names, size_t *asked, size_t end)
{
	for (; *asked < names->count && *asked < end; (*asked)++)
		if (names->items[*asked]->result == 0)
			ask(render, parent, names->items[*asked]);
		else
			names->items[*asked]->is_answered = true;
}

static void put_name(
	struct render *render, uint64_t parent, const char *directory, const struct look *look)
{
	CLEANUP(freep) char *path = NULL;
	int r = look->result;

	if (r == -ENOENT)
		return;
	if (asprintf(&path, "%s%s%s", directory, *directory ? "/" : "", look->name) < 0) {
		path = NULL;
		r = -ENOMEM;
	}
	if (r < 0)
		complain(render, path ? path : directory, NULL, r, NULL);
	else
		r = S_ISDIR(look->stat.st_mode) ? put_directory(render, path, look->stat.st_ino)
						: put_file(render, path, look->stat.st_ino);
	if (r < 0)
		miss(render, parent, path, r);
}

/* Lists and looks up all that is in the directory, so that the view knows that it is shown. */
static void walk_directory(struct render *render, const char *path, uint64_t ino)
{
	CLEANUP(names_fini) struct names names = {0};
	size_t asked = 0;

	pthread_mutex_lock(&render->files);
	struct shown_directory *shown = find_shown(render, ino);
	if (shown) {
		render->incomplete -= shown->is_incomplete;
		shown->is_incomplete = false;
	}
	pthread_mutex_unlock(&render->files);
	int r = view_list(render->view, ino, 0, take_name, &names);
	if (r == 0 && names.has_failed)
		r = -ENOMEM;
	if (r < 0) {
		complain(render, path, NULL, r == -ENOENT ? -ESTALE : r, NULL);
		if (r != -ENOENT)
			miss(render, ino, path, r);
		return;
	}
	for (size_t i = 0; i < names.count; i++) {
		struct look *look = names.items[i];

		look->render = render;
		if (!*path && strcmp(look->name, PLYFS_NAME) == 0)
			look->result = -ENOENT;
	}
	for (size_t done = 0; done < names.count; done++) {
		struct look *look = names.items[done];

		if (done % LOOKS_BATCH == 0) {
			ask_some(render, ino, &names, &asked, done + LOOKS);
			size_t end = done + LOOKS_BATCH < asked ? done + LOOKS_BATCH : asked;
			wait_for(render, names.items[end - 1]);
		}
		wait_for(render, look);
		put_name(render, ino, path, look);
	}
	/* Those that were asked for are answered before their names go. */
	for (size_t i = 0; i < asked; i++)
		wait_for(render, names.items[i]);
}

/* What another run has made and nobody shows any more. */
static int remove_unseen(struct render *render)
{
	CLEANUP(freep) struct owned **all = NULL;
	struct problem problem;
	size_t count;
	int r = manifest_list(rendered_manifest(render->rendered), "", &all, &count);

	/* From the end on: what is in a directory comes behind it. */
	for (size_t i = count; r == 0 && i-- > 0;) {
		if (all[i]->is_seen || generation_is_beside(all[i]))
			continue;
		CLEANUP(freep) char *path = strdup(all[i]->path);
		if (!path)
			return -ENOMEM;
		pthread_mutex_lock(&render->files);
		int removed = rendered_remove(render->rendered, all[i], &problem);
		pthread_mutex_unlock(&render->files);
		if (removed != 0 && removed != RENDERED_KEPT)
			complain(render, path, NULL, removed, &problem);
		else if (removed == 0)
			view_note_change(render->view, path);
	}
	return r;
}

/* When all is known that is shown. */
static void remove_unseen_at_last(struct render *render)
{
	pthread_mutex_lock(&render->files);
	render->is_removal_due = render->incomplete > 0;
	pthread_mutex_unlock(&render->files);
	int r = render->is_removal_due ? 0 : remove_unseen(render);
	if (r == 0)
		return;
	render->is_removal_due = true;
	complain(render, render->options.directory, NULL, r, NULL);
	look_later(render, "", RETRY_MS);
}

static void watch_node(const void *node, VISIT visit, void *context)
{
	struct shown_directory *shown = *(struct shown_directory *const *)node;
	bool *is_begun = context;

	if (visit != postorder && visit != leaf)
		return;
	if (*is_begun)
		watch_directory(shown->render, shown);
	else
		inotify_unsubscribe(shown->render->inotify, &shown->subscription);
}

/* Under the lock of the files. What is made and removed there meanwhile is our own doing. */
static void commit(struct render *render)
{
	bool is_watched = render->inotify && rendered_is_to_switch(render->rendered);
	bool is_begun = false;
	struct problem problem;

	if (is_watched)
		twalk_r(render->directories, watch_node, &is_begun);
	int r = rendered_commit(render->rendered, &problem);
	is_begun = true;
	if (is_watched)
		twalk_r(render->directories, watch_node, &is_begun);
	if (r == 0) {
		view_hold_notices(render->view, false);
		render->commit_failure = 0;
		return;
	}
	if (r != render->commit_failure)
		complain_of(render, render->options.directory, NULL, r, &problem);
	render->commit_failure = r;
	render->failed++;
	commit_later(render, next_retry(render, r));
}

/* What can't be told is no trouble of the tree's. */
static void write_status(struct render *render)
{
	(void)render_status_write(&(struct render_status){render->rendered, &render->options,
		render->view, render->publisher, &render->sandbox});
}

/* What stands beside it as well, once. */
static void watch_generation(struct render *render)
{
	bool is_begun = true;

	if (!render->inotify)
		return;
	twalk_r(render->directories, watch_node, &is_begun);
	CLEANUP(closep) int fd = rendered_open_place(render->rendered);
	if (fd >= 0)
		inotify_subscribe(render->inotify, &render->beside, fd);
}

int render_all(struct render *render)
{
	render->failed = 0;
	int r = add_shown(render, VIEW_INO_ROOT, "");
	if (r < 0)
		return r;
	if (!render->options.is_atomic)
		watch_directory(render, find_shown(render, VIEW_INO_ROOT));
	walk_directory(render, "", VIEW_INO_ROOT);
	remove_unseen_at_last(render);
	pthread_mutex_lock(&render->files);
	commit(render);
	if (render->options.is_atomic)
		watch_generation(render);
	write_status(render);
	pthread_mutex_unlock(&render->files);
	/* What looking at all at once took is not needed again. */
	malloc_trim(0);
	return (int)render->failed;
}

/* The operations. What could not be done is tried again after a while. */

static int op_replace(void *context, const struct change *change)
{
	struct render *render = context;
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem;
	struct stat staged;

	int r = view_lookup_staged(render->view, &staged);
	if (r < 0)
		return r;
	r = view_version(render->view, staged.st_ino, &version);
	/* What says that reading fails is told by the log: what was there, if anything, stays. */
	bool is_broken = r == 0 && version->kind == VERSION_BROKEN;
	if (r == 0)
		view_drop_names(render->view, version);
	pthread_mutex_lock(&render->files);
	struct owned *owned = manifest_get(rendered_manifest(render->rendered), change->path);
	if (!owned)
		r = -ENOMEM;
	if (r == 0 && !is_broken)
		r = rendered_put(render->rendered, owned, version, &problem);
	bool is_put = !is_broken && r != -ENOMEM && is_done(render, owned, r);
	if (!is_put && !is_broken && owned && owned->failure != r)
		complain_of(render, change->path, owned, r, &problem);
	pthread_mutex_unlock(&render->files);
	if (is_put)
		r = view_apply_change(render->view, change->parent_ino, true, NULL);
	if (r != 0 || is_broken) {
		view_forget(render->view, staged.st_ino, 1);
		return r <= 0 ? r : -EBUSY;
	}
	pthread_mutex_lock(&render->files);
	note_number(render, owned, staged.st_ino);
	pthread_mutex_unlock(&render->files);
	return 0;
}

/* The numbers of what is ours at the path and below. 0 with *ret for free(3), or -ENOMEM. */
static int find_numbers(
	const struct render *render, const char *path, uint64_t **ret, size_t *count)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t all_count;
	int r = manifest_list(rendered_manifest(render->rendered), path, &all, &all_count);

	*count = 0;
	*ret = r == 0 ? calloc(all_count + 1, sizeof(**ret)) : NULL;
	if (!*ret)
		return -ENOMEM;
	/* From the end on: what is in a directory is forgotten before it. */
	for (size_t i = all_count; i-- > 0;)
		if (all[i]->ino)
			(*ret)[(*count)++] = all[i]->ino;
	return 0;
}

/* What somebody has changed stays when its layers have it no more: the view shows it not. */
static int forget_kept(const struct render *render, const char *path)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count;
	int r = manifest_list(rendered_manifest(render->rendered), path, &all, &count);

	for (size_t i = 0; r == 0 && i < count; i++)
		all[i]->ino = 0;
	return r;
}

/* A directory goes with all that lies in it, and the view must not count on any of that. */
static int op_remove(void *context, const struct change *change)
{
	struct render *render = context;
	CLEANUP(freep) uint64_t *numbers = NULL;
	struct problem problem;
	size_t count;

	pthread_mutex_lock(&render->files);
	struct owned *owned = manifest_find(rendered_manifest(render->rendered), change->path);
	int r = find_numbers(render, change->path, &numbers, &count);
	if (r == 0 && owned)
		r = rendered_remove(render->rendered, owned, &problem);
	if (r == RENDERED_KEPT)
		r = forget_kept(render, change->path);
	for (size_t i = 0; r == 0 && i < count; i++)
		drop_shown(render, numbers[i]);
	if (r != 0 && (!owned || owned->failure != r))
		complain_of(render, change->path, owned, r, &problem);
	pthread_mutex_unlock(&render->files);
	if (r == 0)
		r = view_apply_change(render->view, change->parent_ino, true, NULL);
	for (size_t i = 0; r == 0 && i < count; i++)
		view_forget(render->view, numbers[i], 1);
	return r <= 0 ? r : -EBUSY;
}

/* The view must know it before it can be walked; what fails of it is tried again by the agenda. */
static int op_make_directory(void *context, const struct change *change)
{
	struct render *render = context;
	struct stat shown = {0};

	int r = view_apply_change(render->view, change->parent_ino, true, &shown);
	if (r != 0 || !shown.st_ino)
		return r;
	r = put_directory(render, change->path, shown.st_ino);
	if (r < 0)
		miss(render, change->parent_ino, change->path, r);
	return 0;
}

static void op_set_attributes(void *context, const struct change *change)
{
	struct render *render = context;

	if (change->kind == CHANGE_ATTRIBUTES)
		view_tell_attributes(render->view, change);
}

static void op_batch_end(void *context)
{
	struct render *render = context;

	tell_later(render);

	pthread_mutex_lock(&render->files);
	if (!render->options.is_atomic)
		commit(render);
	else if (rendered_is_to_switch(render->rendered))
		commit_later(render, GENERATION_QUIET_MS);
	/* Until then nobody sees what has changed. */
	if (render->options.is_atomic)
		view_hold_notices(render->view, rendered_is_to_switch(render->rendered));
	pthread_mutex_unlock(&render->files);
}

static const struct publisher_ops ops = {
	.replace = op_replace,
	.remove = op_remove,
	.make_directory = op_make_directory,
	.remove_directory = op_remove,
	.set_attributes = op_set_attributes,
	.batch_end = op_batch_end,
};

/* What is to be done after a while. */

static void put_again(struct render *render, const char *path)
{
	struct stat stat;

	pthread_mutex_lock(&render->files);
	struct owned *owned = manifest_find(rendered_manifest(render->rendered), path);
	uint64_t ino = owned ? owned->ino : *path ? 0 : VIEW_INO_ROOT;
	const struct shown_directory *shown = find_shown(render, ino);
	bool is_due =
		(shown && shown->is_incomplete) ||
		(owned && ino && (owned->failure || rendered_has_drifted(render->rendered, owned)));
	int r = is_due ? view_stat(render->view, ino, &stat) : -ESTALE;
	if (r == 0 && owned)
		owned->ino = 0; /* its one reference goes on */
	pthread_mutex_unlock(&render->files);
	if (r == 0 && !*path)
		walk_directory(render, path, ino);
	else if (r == 0)
		r = S_ISDIR(stat.st_mode) ? put_directory(render, path, ino)
					  : put_file(render, path, ino);
	if (r == -ENOMEM)
		look_later(render, path, RETRY_MS);
	if (render->is_removal_due)
		remove_unseen_at_last(render);
}

static void put_all_again(struct render *render)
{
	CLEANUP(freep) struct owned **all = NULL;
	size_t count = 0;

	pthread_mutex_lock(&render->files);
	int r = manifest_list(rendered_manifest(render->rendered), "", &all, &count);
	for (size_t i = 0; r == 0 && i < count; i++)
		look_later(render, all[i]->path, 0);
	look_later(render, r == 0 ? "" : NULL, r == 0 ? 0 : RETRY_MS);
	pthread_mutex_unlock(&render->files);
}

static void put_node(const void *node, VISIT visit, void *context)
{
	if (visit == postorder || visit == leaf)
		put_again(context, *(char *const *)node);
}

/* Whether the view has all that belongs together. By the publisher's thread. */
static bool is_whole(struct render *render, int64_t since_ms)
{
	int64_t waited_ms = clock_ms() - since_ms;

	view_take_events(render->view);
	return waited_ms > GENERATION_LATEST_MS ||
	       view_is_settled(render->view, waited_ms <= GENERATION_WRITER_MS);
}

static bool handle_timer(void *context, struct publisher_hook *hook)
{
	struct render *render = context;
	struct agenda *agenda = &render->agenda;
	int64_t now = clock_ms();
	void *paths = NULL;
	uint64_t count;

	(void)hook;
	(void)!read(agenda->fd, &count, sizeof(count));
	pthread_mutex_lock(&render->mutex);
	bool are_all = render->are_all_doubtful;
	bool is_generation = agenda->generation_ms && agenda->generation_ms <= now;
	int64_t since_ms = agenda->changed_ms;
	if (agenda->paths_ms && agenda->paths_ms <= now) {
		paths = take_ptr(render->paths);
		agenda->paths_ms = 0;
		render->are_all_doubtful = false;
	} else {
		are_all = false;
	}
	if (is_generation)
		agenda->generation_ms = 0;
	bool is_status = agenda->status_ms && agenda->status_ms <= now;
	if (is_status)
		agenda->status_ms = 0;
	pthread_mutex_unlock(&render->mutex);
	bool is_early = is_generation && !is_whole(render, since_ms);
	pthread_mutex_lock(&render->mutex);
	if (is_early)
		agenda->generation_ms = clock_ms() + GENERATION_STEP_MS;
	else if (is_generation)
		agenda->changed_ms = 0;
	set_timer(agenda);
	pthread_mutex_unlock(&render->mutex);
	twalk_r(paths, put_node, render);
	tdestroy(paths, free);
	if (are_all)
		put_all_again(render);
	pthread_mutex_lock(&render->files);
	if (is_status)
		write_status(render);
	if ((is_generation && !is_early) || !render->options.is_atomic)
		commit(render);
	else if (!is_early && rendered_is_to_switch(render->rendered))
		commit_later(render, GENERATION_QUIET_MS);
	pthread_mutex_unlock(&render->files);
	return false;
}

static void on_log(void *context, const char *line)
{
	log_line(context, line);
	tell_later(context);
}

static int begin_to_watch(struct render *render)
{
	render->beside = (struct subscription){.notify = on_event_beside, .mask = DRIFT_EVENTS};
	render->agenda.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (render->agenda.fd < 0)
		return -errno;
	return render->options.is_watched ? inotify_new(&render->inotify) : 0;
}

/* A layer that a mirror keeps has a state now. */
static bool on_keeper(void *context, struct publisher_hook *hook)
{
	struct render *render = context;
	bool has_state = keeper_take(render->options.keeper);

	if (keeper_is_gone(render->options.keeper))
		hook->fd = -1;
	return has_state;
}

/* The keeper reads plyfs.yaml itself. */
static void on_reload(void *context)
{
	struct render *render = context;

	if (render->options.keeper)
		keeper_reload(render->options.keeper);
}

/* Behind all that makes processes, before what makes threads, and before anything is read. */
static int enter_sandbox(
	struct render *render, const struct settings *settings, struct problem *problem)
{
	const struct sandbox_options options = {.process = SANDBOX_RENDER,
		.switches = render->options.switches,
		.children = {monitor_pid()}};
	CLEANUP(sandbox_freep) struct sandbox *sandbox = NULL;
	CLEANUP(closep) int fd = rendered_open_place(render->rendered);

	if (fd < 0)
		return fd;
	int r = sandbox_prepare(&options, &sandbox, problem);
	if (r == 0)
		r = reader_sandbox_allow(sandbox, settings, problem);
	if (r == 0)
		r = sandbox_allow(sandbox, fd, SANDBOX_WRITE, problem);
	return r == 0 ? sandbox_enter(sandbox, &render->sandbox, problem) : r;
}

int render_new(struct settings *settings, const struct rendered_options *options,
	struct render **ret, struct problem *problem)
{
	CLEANUP(render_freep) struct render *render = calloc(1, sizeof(*render));
	int r = render ? 0 : -ENOMEM;

	if (r == 0) {
		const struct view_callbacks callbacks = {
			.log = on_log, .tell = on_tell, .context = render};

		/* Each thread's own arena would keep what others can't use, and grows by pages. */
		mallopt(M_ARENA_MAX, 1);
		render->options = *options;
		render->agenda.fd = -1;
		pthread_mutex_init(&render->mutex, NULL);
		pthread_mutex_init(&render->files, NULL);
		pthread_cond_init(&render->answered, NULL);
		r = rendered_open(options, &render->rendered, problem);
		if (r == 0 && settings->path)
			r = runner_new(settings, -1, &render->runner);
		if (r == 0)
			r = monitor_start(&(struct monitor_options){
				.switches = options->switches, .settings = settings, .kept = -1});
		if (r == 0)
			r = enter_sandbox(render, settings, problem);
		if (r == 0)
			r = view_new(settings, &callbacks, &render->view);
		if (r == 0)
			view_set_runner(render->view, render->runner);
	}
	settings_unref(settings);
	if (r == 0)
		r = view_start(render->view);
	if (r == 0)
		r = begin_to_watch(render);
	if (r == 0)
		r = publisher_new(render->view,
			&(struct publisher_options){.ops = &ops,
				.context = render,
				.hooks = {{render->agenda.fd, POLLIN, handle_timer},
					{render->inotify ? inotify_fd(render->inotify) : -1, POLLIN,
						render->inotify ? handle_events : NULL},
					{options->keeper ? keeper_fd(options->keeper) : -1, POLLIN,
						options->keeper ? on_keeper : NULL}},
				.reload = on_reload},
			&render->publisher);
	if (r == 0)
		*ret = take_ptr(render);
	return r;
}

unsigned render_tell(struct render *render)
{
	return view_tell_notices(render->view);
}

void render_watch(struct render *render)
{
	publisher_run(render->publisher);
	pthread_mutex_lock(&render->files);
	commit(render);
	write_status(render);
	pthread_mutex_unlock(&render->files);
}

void render_stop(struct render *render)
{
	publisher_stop(render->publisher);
}

void render_free(struct render *render)
{
	if (!render)
		return;
	if (render->view)
		view_stop(render->view);
	publisher_free(render->publisher);
	view_free(render->view);
	runner_free(render->runner);
	monitor_stop();
	rendered_free(render->rendered);
	tdestroy(render->directories, shown_free);
	tdestroy(render->paths, free);
	if (render->inotify)
		inotify_unsubscribe(render->inotify, &render->beside);
	inotify_free(render->inotify);
	closep(&render->agenda.fd);
	pthread_cond_destroy(&render->answered);
	pthread_mutex_destroy(&render->files);
	pthread_mutex_destroy(&render->mutex);
	free(render);
}

void render_freep(struct render **render)
{
	render_free(*render);
}
