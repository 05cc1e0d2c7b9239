/*
 * Publishing: changes reach the kernel by the system calls that any program would make, on our own
 * mount. VFS then swaps its dentries and wakes whoever watches with inotify, as on a disk.
 *
 *      renameat(".plyfs/stage/new-7", "app.yaml")
 *        LOOKUP new-7                ──▶  version N+1
 *        LOOKUP "", app.yaml         ──▶  version N: the target must be another inode, or VFS
 *        RENAME                      ──▶  app.yaml shows N+1       takes the two for one file
 *
 * Where that is not possible (the mount is hidden, a right is missing), the kernel is told to
 * forget what it has cached: reads are right, only nobody is woken. The status says so.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "driver.h"
#include "mountpoint.h"
#include "reload.h"
#include "settings_watch.h"

/* plyfs.yaml, or a layer that is moved away for another, is looked at after this much quiet. */
#define RELOAD_QUIET_MS 20

static int publish_by_call(struct session *session, const struct change *change)
{
	static const enum mount_call calls[] = {
		[CHANGE_REPLACE] = MOUNT_CALL_REPLACE,
		[CHANGE_REMOVE] = MOUNT_CALL_REMOVE,
		[CHANGE_MAKE_DIRECTORY] = MOUNT_CALL_MAKE_DIRECTORY,
		[CHANGE_REMOVE_DIRECTORY] = MOUNT_CALL_REMOVE_DIRECTORY,
	};

	if (session->options.is_unpublished)
		return -EPERM;
	int r = mount_process_call(&session->mount_process, calls[change->kind], change->path);
	return r == 0 && !view_is_published(session->view) ? -EAGAIN : r;
}

/* The kernel forgets the name, and the listing that it was in. */
static void publish_by_invalidation(struct session *session, const struct change *change)
{
	view_apply_change(session->view, change->parent_ino, false, NULL);
	fuse_lowlevel_notify_inval_entry(session->fuse, change->parent_ino, change->entry->name,
		strlen(change->entry->name));
	fuse_lowlevel_notify_inval_inode(session->fuse, change->parent_ino, 0, 0);
}

static void publish(struct session *session, struct change *change)
{
	if (change->kind == CHANGE_ATTRIBUTES || change->kind == CHANGE_LISTING) {
		if (change->kind == CHANGE_LISTING)
			fuse_lowlevel_notify_inval_inode(session->fuse, change->parent_ino, 0, 0);
		else
			view_tell_attributes(session->view, change);
		view_end_change(session->view, change);
		return;
	}
	view_begin_change(session->view, change);
	int r = publish_by_call(session, change);
	if (r == 0) {
		atomic_fetch_add(&session->published, 1);
		atomic_store(&session->publish_error, 0);
	} else if (!view_is_overtaken(session->view)) {
		atomic_fetch_add(&session->invalidated, 1);
		atomic_store(&session->publish_error, -r);
		publish_by_invalidation(session, change);
	}
	view_end_change(session->view, change);
}

/* They were made anew. */
static void clear_settings_trouble(struct session *session)
{
	struct view *view = session->view;

	pthread_mutex_lock(&view->lock);
	struct trouble *trouble = take_ptr(session->settings_trouble);
	pthread_mutex_unlock(&view->lock);
	if (trouble && view->log)
		view->log(view->log_context, "the settings are mended");
	free(trouble);
}

/* Says, once, why not all is as the settings say. */
static void set_settings_trouble(
	struct session *session, const struct problem *problem, enum trouble_serves serves)
{
	struct view *view = session->view;
	struct trouble *trouble = calloc(1, sizeof(*trouble));
	char text[TROUBLE_TEXT_MAX];

	if (!trouble)
		return;
	*trouble = (struct trouble){
		.problem = *problem, .serves = serves, .made = session->settings_made};
	clock_gettime(CLOCK_REALTIME, &trouble->since);
	trouble_text(trouble, NULL, text);
	pthread_mutex_lock(&view->lock);
	struct trouble *old = session->settings_trouble;
	bool is_news = !old || !problem_equal(&old->problem, problem);
	if (old)
		trouble->since = old->since;
	session->settings_trouble = trouble;
	pthread_mutex_unlock(&view->lock);
	free(old);
	if (is_news && view->log)
		view->log(view->log_context, text);
}

/* plyfs.yaml was edited, or another directory stands where a layer was found. */
static void reload(struct session *session, struct settings_watch *watch)
{
	struct view *view = session->view;
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(freep) struct problem *problem = calloc(1, sizeof(*problem));

	int r = problem ? settings_again(view->composer.settings, session->dev, &settings, problem)
			: -ENOMEM;
	if (r == 0 && settings->layer_count > LAYERS_MAX)
		r = problem_set(problem, settings->path, 0, 0,
			"%zu layers are more than the %d that one mount can have; merge some of "
			"them in a mount of their own",
			settings->layer_count, LAYERS_MAX);
	if (r == 0)
		r = settings_cover(settings, session->mountpoint);
	if (r == 0 && !settings_equal(settings, view->composer.settings))
		r = view_reload(view, settings);
	bool is_taken = r == 0;
	if (is_taken) {
		settings_watch_set(watch, settings);
		clock_gettime(CLOCK_REALTIME, &session->settings_made);
	}
	if (is_taken && (settings->coherence == COHERENCE_STRICT) != session->is_strict)
		r = problem_set(problem, settings->path, 0, 0,
			"'coherence' takes effect at the next mount; unmount and mount again");
	if (r < 0 && problem)
		problem_set(problem, settings ? settings->path : NULL, 0, 0,
			"the settings can't be read again: %s; save plyfs.yaml once more to try",
			strerror(-r));
	if (r == 0)
		clear_settings_trouble(session);
	else if (problem)
		set_settings_trouble(session, problem,
			is_taken ? TROUBLE_SERVES_OTHER_SETTINGS : TROUBLE_SERVES_SETTINGS);
}

struct loop {
	struct session *session;
	struct settings_watch *watch;
	int mounts; /* /proc/self/mountinfo */
	bool is_reload_due;
	struct pollfd polled[6];
};

static void loop_init(struct loop *loop, struct session *session)
{
	struct view *view = session->view;

	*loop = (struct loop){.session = session};
	loop->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (settings_watch_new(view->composer.settings, &loop->watch) < 0)
		loop->watch = NULL; /* no inotify instance is left: settings stay as they are */
	const struct pollfd polled[] = {
		{.fd = session->stop_fd, .events = POLLIN},
		{.fd = watch_fd(view->watch), .events = POLLIN},
		{.fd = view->wake_fd, .events = POLLIN}, {.fd = loop->mounts, .events = POLLPRI},
		{.fd = loop->watch ? settings_watch_fd(loop->watch) : -1, .events = POLLIN},
		{.fd = session->mount_process.socket}, /* its end */
	};
	memcpy(loop->polled, polled, sizeof(polled));
}

static void loop_fini(struct loop *loop)
{
	mount_process_end(&loop->session->mount_process);
	settings_watch_free(loop->watch);
	if (loop->mounts >= 0)
		close(loop->mounts);
}

/* Publishes all there is. Returns when to come back, in milliseconds; -1: when something happens.
 */
static int publish_all(struct session *session, struct change *change)
{
	struct view *view = session->view;
	eventfd_t woken;

	eventfd_read(view->wake_fd, &woken);
	while (!atomic_load(&session->is_over)) {
		view_take_events(view);
		if (view_next_change(view, change) == 0) {
			publish(session, change);
			continue;
		}
		if (view_was_freed(view))
			malloc_trim(0);
		/* Looking may have found somebody writing, and events may have come meanwhile. */
		int timeout_ms = view_take_events(view);
		if (!view_has_work(view))
			return timeout_ms;
	}
	return -1;
}

static void end_mount_process(struct loop *loop)
{
	mount_process_end(&loop->session->mount_process);
	loop->polled[5].fd = -1;
	atomic_store(&loop->session->publish_mode, PUBLISH_NONE);
}

/* Waits, and sees to mounts and settings. Returns false when it is time to end. */
static bool wait_for_work(struct loop *loop, int timeout_ms)
{
	struct session *session = loop->session;
	bool was_due = loop->is_reload_due;

	if (was_due && (timeout_ms < 0 || timeout_ms > RELOAD_QUIET_MS))
		timeout_ms = RELOAD_QUIET_MS;
	int count = poll(loop->polled, sizeof(loop->polled) / sizeof(*loop->polled), timeout_ms);
	if (loop->polled[0].revents)
		return false;
	/* The clone keeps the superblock alive: without the visible mount, it ends too. */
	if (loop->polled[3].revents) {
		if (!mountpoint_is_mounted(session->mount_id, session->dev))
			end_mount_process(loop);
		loop->is_reload_due = true;
	}
	if (loop->polled[5].revents) {
		end_mount_process(loop);
		atomic_store(&session->publish_error, EPIPE);
	}
	if (loop->polled[4].revents && settings_watch_has_event(loop->watch))
		loop->is_reload_due = true;
	if (was_due && (count == 0 || !(loop->polled[3].revents || loop->polled[4].revents))) {
		loop->is_reload_due = false;
		if (loop->watch)
			reload(session, loop->watch);
	}
	return true;
}

void *publish_run(void *context)
{
	struct session *session = context;
	CLEANUP(freep) struct change *change = calloc(1, sizeof(*change));
	struct loop loop;

	loop_init(&loop, session);
	clock_gettime(CLOCK_REALTIME, &session->settings_made);
	while (change && wait_for_work(&loop, publish_all(session, change)))
		;
	loop_fini(&loop);
	return NULL;
}
