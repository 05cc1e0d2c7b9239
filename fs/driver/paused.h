/*
 * Requests for a file that is promised only (promise.h): they go on when there is one, or end with
 * EINTR when who asks is sent a signal.
 */
#pragma once

#include <linux/limits.h>

#include "driver.h"

/* What to reply to, and with what. */
struct paused {
	fuse_req_t req;
	fuse_ino_t ino;
	struct session *session;
	void (*go_on)(struct paused *request); /* replies */
	struct fuse_file_info file;            /* OPEN */
	size_t size;                           /* GETXATTR, LISTXATTR: of the buffer */
	char name[XATTR_NAME_MAX + 1];         /* GETXATTR */
};

/** Has `go_on` reply, now or when the object is there; or replies with an error. */
void paused_run(struct paused *request);
