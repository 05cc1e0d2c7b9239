#include "session_state.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "descriptor.h"
#include "driver.h"
#include "last_good_record.h"
#include "request_loop.h"
#include "unanswered.h"
#include "view_state.h"

void session_state_put(struct session *session, struct record *record)
{
	record_put(record, (uint64_t)session->mount_id);
	record_put(record, session->dev);
	record_put_fd(record, fuse_session_fd(session->fuse));
	record_put_fd(record, session->clone_fd);
	record_put_fd(record, -1); /* earlier versions listen on a socket */
	record_put_bytes(record, session->hello.data, session->hello.len);
	record_put(record, session->wanted);
	record_put(record, session->has_no_open);
	record_put(record, session->has_no_opendir);
	record_put(record, session->has_acl_cache);
	record_put(record, session->is_parallel);
	record_put(record, session->options.is_unpublished);
	unanswered_put(session, record);
	origins_put(session, record);
	view_put_state(session->view, record);
	last_good_record_put(session->last_good, record);
}

static int take_hello(struct session *session, struct record *record)
{
	struct span bytes = record_get_bytes(record);
	char *copy = malloc(bytes.len + 1);

	if (!copy)
		return -ENOMEM;
	if (bytes.len)
		memcpy(copy, bytes.data, bytes.len);
	session->hello = (struct span){copy, bytes.len};
	return 0;
}

int session_state_take_agreement(struct session *session, int *fuse_fd)
{
	struct record *record = session->record;

	session->mount_id = (int)record_get_below(record, INT_MAX);
	session->dev = record_get(record);
	*fuse_fd = record_get_fd(record);
	session->clone_fd = record_get_fd(record);
	CLEANUP(closep) int listener = record_get_fd(record);
	(void)listener;
	int r = take_hello(session, record);
	session->wanted = (unsigned)record_get_below(record, UINT_MAX);
	session->has_no_open = record_get_bool(record);
	session->has_no_opendir = record_get_bool(record);
	session->has_acl_cache = record_get_bool(record);
	session->is_parallel = record_get_bool(record);
	if (record_get_bool(record) != session->options.is_unpublished || *fuse_fd < 0)
		record_spoil(record);
	return r == 0 ? record_error(record) : r;
}

int session_state_take_shown(struct session *session, struct problem *problem)
{
	struct record *record = session->record;
	int r = unanswered_take(session, record);

	if (r == 0)
		r = origins_take(session, record);
	if (r == 0)
		r = view_take_state(session->view, record);
	if (r == 0)
		r = last_good_record_take(session->last_good, record);
	if (r == -ENOTSUP)
		return session_state_refuse_coherence(session->mountpoint, problem);
	return r ? r : record_end(record);
}

int session_state_refuse_coherence(const char *mountpoint, struct problem *problem)
{
	return problem_set(problem, mountpoint, 0, 0,
		"'coherence' in plyfs.yaml differs from that of the mount; unmount and mount "
		"again");
}

int session_state_greet_again(struct session *session, int fuse_fd)
{
	char path[sizeof("/dev/fd/") + 3 * sizeof(int)];

	snprintf(path, sizeof(path), "/dev/fd/%d", fuse_fd);
	if (fuse_session_mount(session->fuse, path) != 0)
		return -EBADF;
	request_loop_ask(session->fuse, session->hello);
	return fuse_session_exited(session->fuse) ? -EPROTO : 0;
}
