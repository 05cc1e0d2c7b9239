/*
 * Paused requests: each waits for the file of a placeholder inode (placeholder.h), and goes on when
 * the file is there. If the calling program gets a signal, the request ends with EINTR.
 */
#pragma once

#include <linux/limits.h>

#include "driver.h"

/* A request, and the data for its reply. */
struct paused {
	fuse_req_t req;
	fuse_ino_t ino;
	struct session *session;
	void (*go_on)(struct paused *request); /* replies */
	struct fuse_file_info file;            /* OPEN */
	size_t size;                           /* GETXATTR, LISTXATTR: of the buffer */
	char name[XATTR_NAME_MAX + 1];         /* GETXATTR */
};

/** Calls `go_on`, now or when the file is there; or replies with an error. Copies *request. */
void paused_run(struct paused *request);
