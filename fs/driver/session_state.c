#include "session_state.h"

#include <errno.h>
#include <limits.h>

#include "cleanup.h"
#include "descriptor.h"
#include "driver.h"
#include "last_good_record.h"
#include "unanswered.h"
#include "view_state.h"

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
	last_good_record_put(session->last_good, record);
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
		r = last_good_record_take(session->last_good, record);
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
