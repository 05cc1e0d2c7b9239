/* .plyfs: our own directory at the root, which no listing names. It holds files about the state
 * of the mount, and for the publisher alone the version that is about to be renamed to its path. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "cleanup.h"
#include "driver.h"
#include "unanswered.h"

bool is_trusted(const struct session *session, uid_t uid)
{
	return uid == 0 || uid == view_mounter(session->view).uid;
}

bool control_has(fuse_ino_t ino)
{
	return ino == PLYFS_INO || ino == STAGE_INO;
}

struct stat control_stat(const struct session *session, fuse_ino_t ino)
{
	return (struct stat){
		.st_ino = ino,
		.st_mode = S_IFDIR | (ino == PLYFS_INO ? 0555 : 0500),
		.st_nlink = 1,
		.st_uid = view_mounter(session->view).uid,
		.st_gid = view_mounter(session->view).gid,
	};
}

int control_show(struct session *session, struct span text, mode_t mode, struct stat *ret)
{
	CLEANUP(version_unrefp) struct version *version = version_new(VERSION_BYTES);

	if (!version)
		return -ENOMEM;
	version->data = bytes_dup(text);
	if (!version->data)
		return -ENOMEM;
	version->size = text.len;
	version->mode = S_IFREG | mode;
	version->uid = view_mounter(session->view).uid;
	version->gid = view_mounter(session->view).gid;
	clock_gettime(CLOCK_REALTIME, &version->mtime);
	version->ctime = version->mtime;
	view_adopt(session->view, take_ptr(version), ret);
	return 0;
}

/* Makes a snapshot of the status: each lookup of .plyfs/status gets a file of its own. */
static void lookup_snapshot(fuse_req_t req, struct session *session,
	int (*write)(struct session *session, bool is_trusted, char **ret, size_t *size))
{
	bool is_whole = is_trusted(session, fuse_req_ctx(req)->uid);
	struct stat stat;
	size_t size = 0;
	CLEANUP(freep) char *text = NULL;
	int r = write(session, is_whole, &text, &size);

	if (r == 0)
		r = control_show(session, (struct span){text, size}, is_whole ? 0400 : 0444, &stat);
	if (r < 0)
		fuse_reply_err(req, ENOMEM);
	else
		reply_entry(req, &stat, 0);
}

static void explain_and_reply(struct pool_job *job)
{
	struct unanswered *request = (struct unanswered *)job;
	fuse_req_t req = request->req;
	struct stat stat;

	int r = origins_lookup(request->session, request->ino, unanswered_name(request),
		fuse_req_ctx(req)->uid, &stat);
	if (r == -ECANCELED) {
		unanswered_drop(job);
		return;
	}
	unanswered_end(request);
	if (r == 0)
		reply_entry(req, &stat, 0);
	else
		fuse_reply_err(req, -r);
}

/* An explanation merges again, so it is made in the pool. */
static void lookup_origins(fuse_req_t req, fuse_ino_t parent)
{
	struct unanswered *request = unanswered_add(req, parent);

	if (request)
		unanswered_run(request, explain_and_reply, UINT64_MAX);
}

bool control_is_staged(fuse_ino_t parent, const char *name)
{
	return parent == STAGE_INO && strncmp(name, STAGED_PREFIX, strlen(STAGED_PREFIX)) == 0;
}

static void lookup_staged(fuse_req_t req, struct session *session, const char *name)
{
	struct stat stat;
	int r;

	if (is_publisher(req) && control_is_staged(STAGE_INO, name) &&
		(r = view_lookup_staged(session->view, &stat)) >= 0)
		reply_entry(req, &stat, r == VIEW_PASSING ? 0 : name_timeout(session));
	else
		fuse_reply_err(req, ENOENT);
}

void control_lookup(fuse_req_t req, struct session *session, fuse_ino_t parent, const char *name)
{
	struct stat stat;

	if (parent == STAGE_INO) {
		lookup_staged(req, session, name);
	} else if (parent != PLYFS_INO) {
		lookup_origins(req, parent);
	} else if (strcmp(name, "status") == 0) {
		lookup_snapshot(req, session, status_json);
	} else if (strcmp(name, "errors") == 0) {
		lookup_snapshot(req, session, status_errors);
	} else if (strcmp(name, ORIGINS_NAME) == 0) {
		lookup_origins(req, PLYFS_INO);
	} else if (is_publisher(req) && strcmp(name, STAGE_NAME) == 0) {
		stat = control_stat(session, STAGE_INO);
		reply_entry(req, &stat, name_timeout(session));
	} else {
		fuse_reply_err(req, ENOENT);
	}
}
