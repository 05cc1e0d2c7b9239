/*
 * Publishing by FUSE: changes reach the kernel by ordinary system calls on our own mount. VFS then
 * swaps its dentries and notifies inotify watchers, as on a disk.
 *
 *      renameat(".plyfs/stage/new-7", "app.yaml")
 *        LOOKUP new-7                ──▶  version N+1
 *        LOOKUP "", app.yaml         ──▶  version N
 *        RENAME                      ──▶  app.yaml shows N+1
 *
 *      utimensat("app.yaml")
 *        SETATTR                     ──▶  the times that app.yaml has by now
 *
 * new-7 and app.yaml must be different inodes: VFS drops a rename between two names of one inode
 * (rename(2)).
 *
 * If another file system is mounted on the path in our mount namespace, the kernel refuses the call
 * (EBUSY). A mount in another namespace, such as a container's, is removed without any report.
 *
 * If the calls are not possible (the mount is hidden, a right is missing), the kernel's caches are
 * invalidated: reads are right, but watchers get no events. The status says so.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

/*
 * Makes the kernel forget the name and the directory's listing. If another file system is mounted
 * on the name, this would unmount it: then does nothing, and returns PUBLISHER_COVERED. Otherwise
 * returns 0.
 */
static int invalidate(struct session *session, const struct change *change)
{
	if (session_is_covered(session, change->path))
		return PUBLISHER_COVERED;
	session->invalidated++;
	const char *slash = strrchr(change->path, '/');
	const char *name = slash ? slash + 1 : change->path;

	/* The view first: a later lookup must not give the kernel the old state again. */
	view_apply_change(session->view, change->parent_ino, false, NULL);
	notifier_tell(&session->notifier, session->fuse, change->parent_ino, name);
	notifier_tell(&session->notifier, session->fuse, change->parent_ino, NULL);
	return 0;
}

static int publish(struct session *session, enum mount_call call, const struct change *change)
{
	int r = session->options.is_unpublished
			? -EPERM
			: mount_process_call(&session->mount_process, call, change->path);

	if (r == 0 && !view_is_published(session->view))
		r = -EAGAIN;
	if (r == 0) {
		session->published++;
		session->publish_error = 0;
		return 0;
	}
	if (r == -EBUSY)
		return PUBLISHER_COVERED;
	if (view_is_overtaken(session->view))
		return 0;
	session->publish_error = -r;
	return invalidate(session, change);
}

static int replace(void *session, const struct change *change)
{
	return publish(session, MOUNT_CALL_REPLACE, change);
}

static int remove_file(void *session, const struct change *change)
{
	return publish(session, MOUNT_CALL_REMOVE, change);
}

static int make_directory(void *session, const struct change *change)
{
	return publish(session, MOUNT_CALL_MAKE_DIRECTORY, change);
}

static int remove_directory(void *session, const struct change *change)
{
	return publish(session, MOUNT_CALL_REMOVE_DIRECTORY, change);
}

/* Calls utimensat(2) on the mount: its reply brings the true times. If that fails, makes the kernel
 * drop its attributes: then watchers get no event. */
static void announce_time(struct session *session, const struct change *change)
{
	int r = session->options.is_unpublished ? -EPERM
						: mount_process_call(&session->mount_process,
							  MOUNT_CALL_TOUCH, change->path);

	if (r < 0)
		session_tell(session, change->attributes_ino);
}

static void set_attributes(void *context, const struct change *change)
{
	struct session *session = context;

	if (change->kind == CHANGE_LISTING)
		notifier_tell(&session->notifier, session->fuse, change->parent_ino, NULL);
	else if (change->kind == CHANGE_TIME)
		announce_time(session, change);
	else
		view_tell_attributes(session->view, change);
}

const struct publisher_ops publish_ops = {
	.replace = replace,
	.remove = remove_file,
	.make_directory = make_directory,
	.remove_directory = remove_directory,
	.set_attributes = set_attributes,
};
