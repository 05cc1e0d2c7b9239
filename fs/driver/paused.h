/*
 * Paused requests: each waits until the file of a placeholder inode (placeholder.h) is composed. If
 * the program that made the request gets a signal, the request ends with EINTR.
 */
#pragma once

#include <linux/limits.h>

#include "driver.h"

/* A request, and the data for its reply. */
struct paused {
	fuse_req_t req;
	fuse_ino_t ino;
	struct session *session;
	void (*go_on)(struct paused *request); /* sends the reply, once the file is composed */
	struct fuse_file_info file;            /* of an OPEN */
	size_t size;                           /* of the buffer of a GETXATTR or LISTXATTR */
	char name[XATTR_NAME_MAX + 1];         /* of a GETXATTR: the attribute */
};

/**
 * Calls `go_on`, now or when the file is composed; or replies with an error. If the request has to
 * wait, *request is copied, and `go_on` gets the copy.
 */
void paused_run(struct paused *request);
