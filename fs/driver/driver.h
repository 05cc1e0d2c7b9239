/*
 * The session, which the driver's files share.
 *
 *      readers of requests   request_loop.c, ops.c   take requests apart, ask the view, reply
 *      publisher             publishing.c            its operations (publisher.h)
 *      root                  session.c               mount, wait for the end, unmount
 *      mount process         mount_process.c         calls rename(2) and the like on our own mount
 *
 * Readers, publisher and root are coroutines (coroutine.h) of one thread. A reader never waits for
 * the publisher. The publisher waits for the mount process, which waits for the readers.
 */
#pragma once

#define FUSE_USE_VERSION 314

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "connection.h"
#include "nearby_mounts.h"
#include "origins.h"
#include "own_mount.h"
#include "publishing.h"
#include "sandbox.h"
#include "session.h"
#include "session_handover.h"
#include "view.h"

/* The inode of .plyfs, our own directory in the root: it can be looked up, but is not listed. */
#define PLYFS_INO 2

/* The directory in .plyfs with the origins of values (origins.h). */
#define ORIGINS_NAME "origins"

/*
 * The stage: the directory in .plyfs where a new version has the name "new-N" until it is renamed
 * to its path. Only the mount process may search the stage.
 */
#define STAGE_NAME "stage"
#define STAGE_INO 3
#define STAGED_PREFIX "new-"
#define STAGE_PATH PLYFS_NAME "/" STAGE_NAME

/* Seconds that the kernel may cache an answer, except for names with coherence=strict. */
#define FOR_EVER 1e9

enum request_kind {
	REQUEST_LOOKUP,
	REQUEST_FORGET,
	REQUEST_GETATTR,
	REQUEST_OPEN,
	REQUEST_READ,
	REQUEST_OPENDIR,
	REQUEST_READDIR,
	REQUEST_READLINK,
	REQUEST_GETXATTR,
	REQUEST_LISTXATTR,
	REQUEST_STATFS,
	REQUEST_ACCESS,
	REQUEST_RENAME,
	REQUEST_UNLINK,
	REQUEST_MKDIR,
	REQUEST_SETATTR,
	REQUEST_RMDIR,
	REQUEST_REFUSED, /* a program tried to write */
	REQUEST_KINDS,
};

struct session {
	struct settings *settings; /* one reference; NULL once there is a view */
	enum settings_coherence coherence;
	struct last_good *last_good;
	struct runner *runner; /* NULL: there is no plyfs.yaml */
	struct view *view;
	struct sandbox_state sandbox_state; /* the parts of the sandbox in force in each worker */
	struct session_options options;
	char *label;
	struct connection connection;
	struct own_mount mount;
	struct nearby_mounts nearby; /* as last read by the publisher */
	struct publishing publishing;
	struct session_handover handover;
	struct origins_directories origins;
	uint64_t requests[REQUEST_KINDS];
	int helpers_fd;   /* of helper_watch(); -1: none yet */
	sigset_t waiting; /* the mask of blocked signals while the daemon waits */
};

/** Logs the line, without newline; for callbacks whose context is the session. */
void session_log(void *session, const char *line);

/* The remedy if a helper has ended: a new daemon has new helpers. */
#define RENEWAL "kill -USR2 the process above, so that it begins anew; or unmount and mount again"

/* ops.c: userdata is the session. */
extern const struct fuse_lowlevel_ops ops;

/** ops.c: returns whether the request is the publisher's: the mount process made it. */
bool is_publisher(fuse_req_t req);

/** ops.c: returns whether the program that made the request may search `parent` now. */
bool lets_in(struct session *session, fuse_req_t req, fuse_ino_t parent);

/**
 * ops.c: reads the bits of `key` in /proc/TID/status (proc(5)). Returns false if we can't see the
 * thread.
 */
bool status_bits(pid_t tid, const char *key, unsigned long long *ret);

/** ops.c: returns the seconds that the kernel may cache a name; with coherence=strict, 0. */
double name_timeout(const struct session *session);

/** ops.c: answers a lookup. The kernel may cache the name for `seconds`. Returns 0 or -errno. */
int reply_entry(fuse_req_t req, const struct stat *stat, double seconds);

/** control.c: returns whether `ino` is .plyfs or its stage. */
bool control_has(fuse_ino_t ino);

/** control.c: returns the attributes of .plyfs, or of a directory in it. */
struct stat control_stat(const struct session *session, fuse_ino_t ino);

/**
 * control.c: shows a copy of `text` as a new file of the mounting user, with one kernel
 * reference. Returns 0 with the attributes in *ret, or -ENOMEM.
 */
int control_show(struct session *session, struct span text, mode_t mode, struct stat *ret);

/** control.c: returns whether `name` in `parent` is a version in the stage. */
bool control_is_staged(fuse_ino_t parent, const char *name);

/** control.c: answers a lookup in .plyfs, its stage or a directory of its origins. */
void control_lookup(fuse_req_t req, struct session *session, fuse_ino_t parent, const char *name);

/**
 * readdir.c: answers READDIR with at most `size` bytes of names behind `offset`. If a remote layer
 * has to be asked, a job of the pool answers.
 */
void readdir_reply(
	fuse_req_t req, struct session *session, fuse_ino_t ino, size_t size, off_t offset);

/** attribute.c: these two functions answer GETXATTR and LISTXATTR. */
void attribute_get(
	fuse_req_t req, struct session *session, fuse_ino_t ino, const char *name, size_t size);
void attribute_list(fuse_req_t req, struct session *session, fuse_ino_t ino, size_t size);

/** control.c: returns whether `uid` is root or the user who mounted: both may see all sources. */
bool is_trusted(const struct session *session, uid_t uid);

/**
 * Makes the text of .plyfs/status: JSON. If not `is_trusted`, gives only the number of the faults,
 * as the text of a fault quotes sources. Returns 0 with *ret for free(3), or -ENOMEM.
 */
int status_json(struct session *session, bool is_trusted, char **ret, size_t *size);

/** Makes .plyfs/errors: a line for each fault; "" if not `is_trusted`. Returns as status_json(). */
int status_errors(struct session *session, bool is_trusted, char **ret, size_t *size);
