#include "publishing.h"

#include <errno.h>
#include <string.h>

#include "aside.h"
#include "await.h"
#include "driver.h"
#include "path.h"

/* How often a thread is tried, and the microseconds between two tries. */
#define THREAD_TRIES 50
#define THREAD_PAUSE_US 20000

void publishing_fini(struct publishing *publishing)
{
	mount_process_fini(&publishing->process);
	publisher_freep(&publishing->publisher);
}

int publishing_enter(struct publishing *publishing, const struct own_mount *mount)
{
	publishing->mode = mount->clone_fd >= 0 ? PUBLISH_CLONE : PUBLISH_PATH;
	return mount_process_enter(&publishing->process, mount->dev, mount->clone_fd);
}

void publishing_end_process(struct publishing *publishing)
{
	mount_process_end(&publishing->process);
	publishing->mode = PUBLISH_NONE;
}

/* A part of the kernel's caches that it must drop. */
struct stale {
	struct fuse_session *fuse;
	uint64_t ino;
	const char *name; /* in `ino`; NULL: the cached listing of `ino`, and its attributes */
};

static void drop(void *context)
{
	const struct stale *stale = context;

	if (stale->name)
		fuse_lowlevel_notify_inval_entry(
			stale->fuse, stale->ino, stale->name, strlen(stale->name));
	else
		fuse_lowlevel_notify_inval_inode(stale->fuse, stale->ino, 0, 0);
}

/* Aside, and never in this thread: the kernel may wait for our answer to a LOOKUP. If no thread can
 * be made, the status has the error until something is published. */
static void make_kernel_drop(struct session *session, uint64_t ino, const char *name)
{
	struct stale stale = {session->connection.fuse, ino, name};

	for (int i = 0; i < THREAD_TRIES && !session->connection.is_ending; i++) {
		if (aside_try(drop, &stale))
			return;
		await_pause_us(THREAD_PAUSE_US);
	}
	session->publishing.error = EAGAIN;
}

/*
 * Makes the kernel forget the name and the directory's listing. If another file system is mounted
 * on the name, this would unmount it: then does nothing, and returns PUBLISHER_COVERED. Otherwise
 * returns 0.
 */
static int invalidate(struct session *session, const struct change *change)
{
	if (mountpoint_is_covered(session->mount.table_fd, session->mount.dev, change->path))
		return PUBLISHER_COVERED;
	session->publishing.invalidated++;

	/* The view first: a later lookup must not give the kernel the old state again. */
	view_apply_change(session->view, change->parent_ino, false, NULL);
	make_kernel_drop(session, change->parent_ino, path_name(change->path));
	make_kernel_drop(session, change->parent_ino, NULL);
	return 0;
}

static int call(const struct session *session, enum mount_call call, const struct change *change)
{
	return session->options.flags.is_unpublished
		       ? -EPERM
		       : mount_process_call(&session->publishing.process, call, change->path);
}

static int publish(void *context, const struct change *change)
{
	static const enum mount_call calls[] = {[CHANGE_REPLACE] = MOUNT_CALL_REPLACE,
		[CHANGE_REMOVE] = MOUNT_CALL_REMOVE,
		[CHANGE_MAKE_DIRECTORY] = MOUNT_CALL_MAKE_DIRECTORY,
		[CHANGE_REMOVE_DIRECTORY] = MOUNT_CALL_REMOVE_DIRECTORY};
	struct session *session = context;

	int r = call(session, calls[change->kind], change);
	if (r == 0 && view_publication(session->view) != PUBLISHING_DONE)
		r = -EAGAIN;
	if (r == 0) {
		session->publishing.published++;
		session->publishing.error = 0;
		return 0;
	}
	if (r == -EBUSY)
		return PUBLISHER_COVERED;
	if (view_publication(session->view) == PUBLISHING_OVERTAKEN)
		return 0;
	session->publishing.error = -r;
	return invalidate(session, change);
}

/* Calls utimensat(2) on the mount: its reply brings the true times. If that fails, makes the kernel
 * drop its attributes: then watchers get no event. */
static void announce_time(struct session *session, const struct change *change)
{
	if (call(session, MOUNT_CALL_TOUCH, change) < 0)
		connection_drop_attributes(&session->connection, change->attributes_ino);
}

static void announce(void *context, const struct change *change)
{
	struct session *session = context;

	if (change->kind == CHANGE_LISTING)
		make_kernel_drop(session, change->parent_ino, NULL);
	else if (change->kind == CHANGE_TIME)
		announce_time(session, change);
	else
		view_notify_attributes(session->view, change);
}

const struct publisher_ops publishing_ops = {.publish = publish, .announce = announce};
