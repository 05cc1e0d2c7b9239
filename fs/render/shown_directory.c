#include "shown_directory.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"
#include "path.h"
#include "publisher.h"
#include "render_state.h"

/* A changed name is examined when there were no events for so long. */
#define DOUBT_MS 20

#define DRIFT_EVENTS                                                                               \
	(IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE |        \
		IN_ONLYDIR | IN_EXCL_UNLINK)

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

static void on_event(struct subscription *subscription, uint32_t mask, const char *name)
{
	struct shown_directory *shown = (struct shown_directory *)subscription;
	CLEANUP(freep) char *path = NULL;

	(void)mask;
	if (!name || (!*shown->path && strcmp(name, PLYFS_NAME) == 0))
		return;
	(void)path_join(shown->path, name, &path);
	deferred_look(shown->render->deferred, path, DOUBT_MS);
}

static void on_event_beside(struct subscription *subscription, uint32_t mask, const char *name)
{
	struct render *render =
		(struct render *)((char *)subscription - offsetof(struct render, beside));

	(void)mask;
	if (!name || strcmp(name, PLYFS_NAME) == 0)
		return;
	rendered_doubt_links(render->rendered);
	deferred_commit(render->deferred, GENERATION_QUIET_MS);
}

static void on_lost(void *context)
{
	deferred_look(((struct render *)context)->deferred, NULL, DOUBT_MS);
}

bool shown_take_events(void *context, struct publisher_hook *hook)
{
	struct render *render = context;

	(void)hook;
	inotify_read(render->inotify, on_lost, render);
	return false;
}

void shown_watch(struct shown_directory *shown)
{
	static bool has_complained;
	struct render *render = shown->render;

	if (!render->inotify)
		return;
	inotify_unsubscribe(render->inotify, &shown->subscription);
	CLEANUP(closep) int fd = rendered_open_directory(render->rendered, shown->path);
	int r = fd < 0 ? 0 : inotify_subscribe(render->inotify, &shown->subscription, fd);
	if (r < 0 && !has_complained)
		failure_log_line(render,
			r == -ENOSPC ? "no inotify watches are left, so changes by other "
				       "programs are put right later; raise the limit: "
				       "sysctl fs.inotify.max_user_watches=1048576"
				     : "changes by other programs are noticed later",
			NULL);
	has_complained |= r < 0;
}

static void watch_node(const void *node, VISIT visit, void *context)
{
	struct shown_directory *shown = *(struct shown_directory *const *)node;
	const bool *is_watched = context;

	if (visit != postorder && visit != leaf)
		return;
	if (*is_watched)
		shown_watch(shown);
	else
		inotify_unsubscribe(shown->render->inotify, &shown->subscription);
}

void shown_watch_all(struct render *render, bool is_watched)
{
	twalk_r(render->directories, watch_node, &is_watched);
}

void shown_watch_beside(struct render *render)
{
	if (!render->inotify)
		return;
	shown_watch_all(render, true);
	render->beside = (struct subscription){.notify = on_event_beside, .mask = DRIFT_EVENTS};
	CLEANUP(closep) int fd = rendered_open_place(render->rendered);
	if (fd >= 0)
		inotify_subscribe(render->inotify, &render->beside, fd);
}

struct shown_directory *shown_find(const struct render *render, uint64_t ino)
{
	const struct shown_directory key = {.ino = ino};
	struct shown_directory **found = tfind(&key, &render->directories, compare_numbers);

	return found ? *found : NULL;
}

int shown_add(struct render *render, uint64_t ino, const char *path)
{
	struct shown_directory *shown;

	if (shown_find(render, ino))
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

void shown_drop(struct render *render, uint64_t ino)
{
	struct shown_directory *shown = shown_find(render, ino);

	if (!shown)
		return;
	tdelete(shown, &render->directories, compare_numbers);
	render->incomplete -= shown->state == SHOWN_UNKNOWN;
	shown_free(shown);
}

void shown_drop_all(struct render *render)
{
	tdestroy(render->directories, shown_free);
}
