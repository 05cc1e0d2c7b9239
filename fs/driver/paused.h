/*
 * Paused requests, for a placeholder inode (promise.h): they go on when the file is there, or end
 * with EINTR if the caller gets a signal.
 */
#pragma once

#include <linux/limits.h>

#include "driver.h"

/* A request, and what its reply needs. */
struct paused {
	fuse_req_t req;
	fuse_ino_t ino;
	struct session *session;
	void (*go_on)(struct paused *request); /* replies */
	struct fuse_file_info file;            /* OPEN */
	size_t size;                           /* GETXATTR, LISTXATTR: of the buffer */
	char name[XATTR_NAME_MAX + 1];         /* GETXATTR */
};

/** Lets `go_on` reply, now or when the object is there; or replies with an error. */
void paused_run(struct paused *request);
