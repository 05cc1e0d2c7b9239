#include "session_state.h"

#include <errno.h>
#include <limits.h>

#include "cleanup.h"
#include "descriptor.h"
#include "driver.h"
#include "last_good.h"
#include "unanswered.h"
#include "version_record.h"
#include "view_state.h"

/* Writes a last good version; last_good_pause() was called. */
static void put_one(void *context, const char *path, struct version *version, bool is_public)
{
	struct record *record = context;

	record_put(record, true);
	record_put_text(record, path);
	record_put(record, is_public);
	record_put(record, version != NULL);
	if (version)
		version_put(record, version);
}

static void put_last_good(struct last_good *last_good, struct record *record)
{
	last_good_each(last_good, put_one, record);
	record_put(record, false);
}

static int take_one(struct last_good *last_good, struct record *record)
{
	CLEANUP(freep) char *path = record_get_text(record);
	CLEANUP(version_unrefp) struct version *version = NULL;
	bool is_public = record_get_bool(record);

	if (record_get_bool(record) && !(version = version_take(record)))
		return record_refuse(record);
	/* The store has only bytes, with the strategy that merged them. */
	if (!path || (version && (version->kind != VERSION_BYTES || !version->strategy)))
		record_spoil(record);
	if (!record_error(record))
		last_good_note(last_good, path, version, is_public);
	return 0;
}

static int take_last_good(struct last_good *last_good, struct record *record)
{
	int r = 0;

	while (r == 0 && record_get_bool(record))
		r = take_one(last_good, record);
	return r;
}

void session_state_put(struct session *session, struct record *record)
{
	record_put(record, (uint64_t)session->mount.id);
	record_put(record, session->mount.dev);
	record_put_fd(record, fuse_session_fd(session->connection.fuse));
	record_put_fd(record, session->mount.clone_fd);
	record_put_fd(record, -1); /* earlier versions listen on a socket */
	connection_put(&session->connection, record);
	record_put(record, session->options.is_unpublished);
	unanswered_put(&session->handover, record);
	origins_put(&session->origins, record);
	view_put_state(session->view, record);
	put_last_good(session->last_good, record);
}

int session_state_take_agreement(struct session *session, int *fuse_fd)
{
	struct record *record = session->handover.record;

	session->mount.id = (int)record_get_below(record, INT_MAX);
	session->mount.dev = record_get(record);
	*fuse_fd = record_get_fd(record);
	session->mount.clone_fd = record_get_fd(record);
	CLEANUP(closep) int listener = record_get_fd(record);
	(void)listener;
	int r = connection_take(&session->connection, record);
	if (record_get_bool(record) != session->options.is_unpublished || *fuse_fd < 0)
		record_spoil(record);
	return r == 0 ? record_error(record) : r;
}

int session_state_take_shown(struct session *session, struct problem *problem)
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
		return session_state_refuse_coherence(session->mount.path, problem);
	return r ? r : record_end(record);
}

int session_state_refuse_coherence(const char *mountpoint, struct problem *problem)
{
	return problem_set(problem, mountpoint, 0, 0,
		"'coherence' in plyfs.yaml differs from that of the mount; unmount and mount "
		"again");
}
