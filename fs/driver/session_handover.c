#include "session_handover.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "aside.h"
#include "await.h"
#include "cleanup.h"
#include "coroutine.h"
#include "descriptor.h"
#include "driver.h"
#include "followed_path.h"
#include "helper.h"
#include "last_good.h"
#include "mountpoint.h"
#include "path.h"
#include "supervisor.h"
#include "text.h"
#include "unanswered.h"
#include "version_record.h"

/* How long a take-over waits for calls made aside (aside.h). */
#define ASIDE_TRIES 40
#define ASIDE_PAUSE_US 50000

void session_handover_fini(struct session_handover *handover)
{
	handover_freep(&handover->offer);
	record_free(handover->record);
	unanswered_free(handover);
}

bool session_handover_is_at_rest(const struct session_handover *handover)
{
	return handover->wish != HANDOVER_NOTHING;
}

int session_handover_offer(struct session *session)
{
	const struct handover_options options = {.call = session->options.call,
		.beneath_fd = session->mount.beneath_fd,
		.terms = {session->coherence, last_good_place(session->last_good)},
		.tried = session->options.tried};

	if (!options.call)
		return 0;
	followed_path_cover(session->mount.dev, session->mount.beneath_fd);
	int r = handover_new(&options, &session->handover.offer);
	if (r == 0)
		handover_lock(session->handover.offer, session->mount.dev);
	return r;
}

/* Writes a last good version; last_good_pause() was called. */
static void put_one(void *context, const char *path, struct version *version)
{
	struct record *record = context;

	record_put(record, true);
	record_put_text(record, path);
	record_put(record, true); /* of version 0.2: the rights heed the directories */
	record_put(record, version != NULL);
	if (version)
		version_put(record, version);
}

static int take_one(struct last_good *last_good, struct record *record)
{
	CLEANUP(freep) char *path = record_get_text(record);
	CLEANUP(version_unrefp) struct version *version = NULL;

	bool is_public = record_get_bool(record);
	if (record_get_bool(record) && !(version = version_take(record)))
		return record_refuse(record);
	if (version && !is_public)
		version->mode &= ~(mode_t)077;
	/* The store has only bytes, with the strategy that merged them. */
	if (!path || (version && (version->kind != VERSION_BYTES || !version->strategy)))
		record_spoil(record);
	if (!record_error(record))
		last_good_note(last_good, path, version);
	return 0;
}

static int take_last_good(struct last_good *last_good, struct record *record)
{
	int r = 0;

	while (r == 0 && record_get_bool(record))
		r = take_one(last_good, record);
	return r;
}

/* Writes the state. No request is under way. */
static void put_state(struct session *session, struct record *record)
{
	record_put(record, (uint64_t)session->mount.id);
	record_put(record, session->mount.dev);
	record_put_fd(record, fuse_session_fd(session->connection.fuse));
	record_put_fd(record, session->mount.clone_fd);
	record_put_fd(record, -1); /* earlier versions listen on a socket */
	connection_put(&session->connection, record);
	record_put(record, session->options.flags.is_unpublished);
	unanswered_put(&session->handover, record);
	origins_put(&session->origins, record);
	view_put_state(session->view, record);
	last_good_each(session->last_good, put_one, record);
	record_put(record, false);
}

int session_handover_take_agreement(struct session *session, int *fuse_fd)
{
	struct record *record = session->handover.record;

	session->mount.id = (int)record_get_below(record, INT_MAX);
	session->mount.dev = record_get(record);
	*fuse_fd = record_get_fd(record);
	session->mount.clone_fd = record_get_fd(record);
	CLEANUP(closep) int listener = record_get_fd(record);
	(void)listener;
	int r = connection_take(&session->connection, record);
	if (record_get_bool(record) != session->options.flags.is_unpublished || *fuse_fd < 0)
		record_spoil(record);
	return r == 0 ? record_error(record) : r;
}

int session_handover_take_shown(struct session *session, struct problem *problem)
{
	struct record *record = session->handover.record;
	int r = unanswered_take(&session->handover, record);

	if (r == 0)
		r = origins_take(&session->origins, record);
	if (r == 0)
		r = view_take_state(session->view, record);
	if (r == 0)
		r = take_last_good(session->last_good, record);
	if (r == -ENOTSUP)
		return session_handover_refuse_coherence(session->mount.path, problem);
	return r ? r : record_end(record);
}

int session_handover_refuse_coherence(const char *mountpoint, struct problem *problem)
{
	return problem_set(problem, mountpoint, 0, 0,
		"'coherence' in plyfs.yaml differs from that of the mount; unmount and mount "
		"again");
}

/* Stops the publisher. Meanwhile requests are answered, as the publisher may wait for them. */
static bool come_to_rest(struct session *session)
{
	if (!session->connection.hello.len)
		return false;
	/* The publisher may wait for a process that was stopped. */
	helper_wake();
	publisher_stop(session->publishing.publisher);
	coroutine_join(take_ptr(session->publishing.coroutine));
	return true;
}

/* Returns whether the mount is there, and programs can start while no process serves it. */
static bool can_be_left(const struct session *session)
{
	return session->connection.hello.len && own_mount_is_there(&session->mount) &&
	       !mountpoint_is_for_programs(session->mount.path);
}

/* An exec waits for all threads, and a thread may wait for a layer that does not answer. */
static bool has_threads(void)
{
	for (int i = 0; i < ASIDE_TRIES && aside_is_running(); i++)
		await_pause_us(ASIDE_PAUSE_US);
	return aside_is_running();
}

static void log_failure(struct session *session, const char *error)
{
	char line[TRIAL_TEXT_MAX + 128];

	snprintf(line, sizeof(line), "the mount was not taken over (%s): it is served as before",
		error);
	session_log(session, line);
}

/* Returns why the new program must not be run now; NULL: it can. */
static const char *obstacle(const struct session *session)
{
	if (!own_mount_is_there(&session->mount))
		return "it is unmounted, and ends with the last program that uses it";
	if (!can_be_left(session))
		return "the mountpoint lies on, above or below what programs need to start; "
		       "unmount and mount again";
	if (!session->connection.has_permissions &&
		path_within(session->options.call->directory, session->mount.path))
		return "plyfs was started in the mountpoint; unmount, and mount from another "
		       "directory";
	return has_threads() ? "a call in a layer or the mount has not returned; try again later"
			     : NULL;
}

bool session_handover_begin(void *context)
{
	struct session *session = context;
	struct session_handover *handover = &session->handover;

	enum handover_wish wish = handover_take(handover->offer);
	const char *error = wish == HANDOVER_WANTED ? obstacle(session) : NULL;

	if (error)
		handover_fail(handover->offer, error);
	else if (wish == HANDOVER_FAILED)
		handover_tried(handover->offer, &error);
	if (error)
		log_failure(session, error);
	if (error)
		return false;
	if (wish == HANDOVER_LEAVE && (!session->options.manager || !can_be_left(session)))
		wish = HANDOVER_END;
	if (wish == HANDOVER_END)
		fuse_session_exit(session->connection.fuse);
	if (wish != HANDOVER_WANTED && wish != HANDOVER_LEAVE)
		return false;
	/* A signal that asks for the end stays pending until a program serves again. */
	coroutine_mask(NULL);
	handover->wish = wish;
	if (come_to_rest(session))
		return true;
	handover->wish = HANDOVER_NOTHING;
	coroutine_mask(&session->waiting);
	return false;
}

int session_handover_run(struct session *session)
{
	CLEANUP(record_freep) struct record *record = NULL;
	int r = record_new(STATE_FORMAT, &record);

	view_pause(session->view);
	/* Otherwise the new program's plyfs-state could not lock the directory. */
	if (!last_good_pause(session->last_good) && r == 0)
		r = -ETIMEDOUT;
	/* An exec waits for all threads. */
	if (r == 0 && session->handover.wish == HANDOVER_WANTED && has_threads())
		r = -ETIMEDOUT;
	if (r < 0)
		return r;
	put_state(session, record);
	if (session->handover.wish == HANDOVER_WANTED) {
		/* They would stay children of this process, which then starts others. */
		supervisor_kill(session->options.supervisor);
		return handover_become(session->handover.offer, record);
	}
	r = handover_leave(
		session->handover.offer, record, session->options.manager, session->mount.path);
	return r ? r : SESSION_LEFT;
}

int session_handover_go_on(struct session *session, int error)
{
	char line[256];

	if (session->handover.wish == HANDOVER_WANTED) {
		const char *text =
			error == -ESTALE ? "the program was replaced meanwhile" : text_error(error);
		handover_fail(session->handover.offer, text);
		log_failure(session, text);
	} else {
		snprintf(line, sizeof(line),
			"the service manager does not keep the mount (%s): it is unmounted; set "
			"FileDescriptorStoreMax=1 in its unit to keep it",
			strerror(-error));
		session_log(session, line);
	}
	publisher_freep(&session->publishing.publisher);
	session->publishing.publisher = NULL;
	last_good_resume(session->last_good);
	int r = view_resume(session->view);
	session->handover.wish = HANDOVER_NOTHING;
	return r;
}
