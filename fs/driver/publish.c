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

#include "settings_watch.h"
#include "cleanup.h"
#include "driver.h"
#include "mountpoint.h"
#include "reload.h"

/* plyfs.yaml, or a layer that is moved away for another, is looked at after this much quiet. */
#define RELOAD_QUIET_MS 20

/* Descriptors kept open on the mount would make umount(8) fail: this one is closed at once. */
static int open_by_path(const struct session *session)
{
	struct stat stat;
	int fd = open(session->mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat) < 0 || stat.st_dev != session->dev) {
		close(fd);
		return -EXDEV; /* something else is mounted over us */
	}
	return fd;
}

/* The directory that the change is in. Another file system may be mounted on the way to it. */
static int open_parent(
	const struct session *session, int root, const struct change *change, const char **name)
{
	const char *slash = strrchr(change->path, '/');
	CLEANUP(freep)
	char *path = slash ? strndup(change->path, (size_t)(slash - change->path)) : strdup(".");
	struct stat stat;

	*name = slash ? slash + 1 : change->path;
	int fd = path ? openat(root, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd < 0)
		return path ? -errno : -ENOMEM;
	if (fstat(fd, &stat) < 0 || stat.st_dev != session->dev) {
		close(fd);
		return -EXDEV;
	}
	return fd;
}

static int call(const struct session *session, const struct change *change, int root)
{
	static uint64_t number;
	char staged[64];
	const char *name;
	int r = 0;

	int fd = open_parent(session, root, change, &name);
	if (fd < 0)
		return fd;

	switch (change->kind) {
	case CHANGE_REPLACE:
		/* A new name each time: the kernel may remember what an old one led to. */
		snprintf(staged, sizeof(staged), PLYFS_NAME "/" STAGE_NAME "/" STAGED_PREFIX "%llu",
			(unsigned long long)++number);
		r = renameat(root, staged, fd, name);
		break;
	case CHANGE_REMOVE:
		r = unlinkat(fd, name, 0);
		break;
	case CHANGE_MAKE_DIRECTORY:
		r = mkdirat(fd, name, 0555);
		break;
	case CHANGE_REMOVE_DIRECTORY:
		r = unlinkat(fd, name, AT_REMOVEDIR);
		break;
	case CHANGE_ATTRIBUTES:
	case CHANGE_LISTING:
		break;
	}
	r = r < 0 ? -errno : 0;
	close(fd);
	return r;
}

static int publish_by_call(struct session *session, const struct change *change)
{
	int fd = session->clone_fd;

	if (session->options.is_unpublished)
		return -EPERM;
	if (fd < 0)
		fd = open_by_path(session);
	if (fd < 0)
		return fd;
	int r = call(session, change, fd);
	if (fd != session->clone_fd)
		close(fd);
	if (r == 0 && !view_is_published(session->view))
		r = -EAGAIN;
	return r;
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
		session->is_staging_stale = change->kind == CHANGE_REPLACE;
		atomic_store(&session->publish_error, 0);
	} else if (!view_is_overtaken(session->view)) {
		atomic_fetch_add(&session->invalidated, 1);
		atomic_store(&session->publish_error, -r);
		publish_by_invalidation(session, change);
	}
	view_end_change(session->view, change);
}

static void close_clone(struct session *session)
{
	if (session->clone_fd < 0)
		return;
	close(session->clone_fd);
	session->clone_fd = -1;
	atomic_store(&session->publish_mode, PUBLISH_PATH);
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
	*trouble = (struct trouble){.problem = *problem,
		.serves = serves,
		.made = session->settings_made};
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
	struct pollfd polled[5];
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
		{.fd = view->wake_fd, .events = POLLIN},
		{.fd = loop->mounts, .events = POLLPRI},
		{.fd = loop->watch ? settings_watch_fd(loop->watch) : -1, .events = POLLIN},
	};
	memcpy(loop->polled, polled, sizeof(polled));
}

static void loop_fini(struct loop *loop)
{
	close_clone(loop->session);
	settings_watch_free(loop->watch);
	if (loop->mounts >= 0)
		close(loop->mounts);
}

/*
 * A rename makes the kernel forget the attributes of the directory that it was made from, and ask
 * for them before the next: better now than then.
 */
static void refresh_staging(struct session *session)
{
	struct stat stat;

	if (session->is_staging_stale && session->clone_fd >= 0)
		fstatat(session->clone_fd, PLYFS_NAME "/" STAGE_NAME, &stat, AT_SYMLINK_NOFOLLOW);
	session->is_staging_stale = false;
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
		refresh_staging(session);
		if (view_was_freed(view))
			malloc_trim(0);
		/* Looking may have found somebody writing, and events may have come meanwhile. */
		int timeout_ms = view_take_events(view);
		if (!view_has_work(view))
			return timeout_ms;
	}
	return -1;
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
			close_clone(session);
		loop->is_reload_due = true;
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
	atomic_store(&session->publisher_tid, gettid());
	while (change && wait_for_work(&loop, publish_all(session, change)))
		;
	loop_fini(&loop);
	return NULL;
}
