/*
 * The session, which the driver's files share.
 *
 *      request threads   request_loop.c, ops.c  unpack a request, ask the view, reply
 *      publisher thread            publish.c  its operations (publisher.h), by the mount process
 *      main thread                 session.c  mount, wait for the end, unmount
 *      mount process       mount_process.c  rename(2) and its like on our own mount
 *
 * A request thread never waits for the publisher. The publisher waits for the mount process, which
 * waits for request threads, and holds no lock there.
 */
#pragma once

#define FUSE_USE_VERSION 314

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdatomic.h>

#include "handover.h"
#include "lock.h"
#include "mount_process.h"
#include "nearby_mounts.h"
#include "publisher.h"
#include "sandbox.h"
#include "session.h"
#include "view.h"

/* Our own directory at the root: reachable, not listed. */
#define PLYFS_INO 2

/* The directory in it with the origins. */
#define ORIGINS_NAME "origins"

/*
 * The directory in it where a version lies, as "new-N", before it is renamed to its path. Only the
 * mount process may search it, because the rights of the path's directories don't hold there.
 */
#define STAGE_NAME "stage"
#define STAGE_INO 3
#define STAGED_PREFIX "new-"
#define STAGE_PATH PLYFS_NAME "/" STAGE_NAME

/*
 * Seconds that the kernel may cache an answer. It never goes stale, because a path moves only by
 * our own action; with coherence=strict names are not cached.
 */
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
	REQUEST_REFUSED, /* somebody tried to write */
	REQUEST_KINDS,
};

/* How changes reach watchers. */
enum publish_mode {
	PUBLISH_CLONE, /* through a private clone of the mount; the visible one is read-only */
	PUBLISH_PATH,  /* through the mountpoint's path */
	PUBLISH_NONE,  /* not: caches are invalidated, without events */
};

struct session {
	struct settings *settings; /* until the view has them */
	bool is_strict;            /* coherence=strict */
	struct keep *keep;
	struct runner *runner; /* NULL: no plyfs.yaml names programs */
	struct view *view;
	struct sandbox *sandbox;            /* entered when the mount is made */
	struct sandbox_state sandbox_state; /* what is in force */
	struct fuse_session *fuse;
	struct session_options options;
	char *mountpoint; /* absolute */
	char *label;
	int mount_id;                       /* of the visible mount, as in /proc/self/mountinfo */
	dev_t dev;                          /* of the superblock */
	struct mount_process mount_process; /* the publisher's, once it runs */
	int mounts_fd;                      /* /proc/self/mountinfo */
	struct nearby_mounts nearby;        /* the publisher's: the last that were read */
	int beneath_fd;                     /* the directory that the mount lies on */
	int helpers_fd;                     /* helper_watch(); -1: not yet */
	struct publisher *publisher;
	pthread_t publisher_thread;
	atomic_int publish_mode;   /* enum publish_mode */
	atomic_int publish_error;  /* the errno of the last failed publication; 0 */
	atomic_ullong published;   /* changes published by rename(2) and its like */
	atomic_ullong invalidated; /* changes that could only be invalidated */
	atomic_bool is_ending;     /* the kernel is not notified any more */
	atomic_bool is_at_rest;    /* dropped requests will be repeated (unanswered.h) */
	atomic_ullong told;        /* finished notifications of the kernel */
	atomic_ullong requests[REQUEST_KINDS];
	unsigned changes;     /* the publisher's: of this batch */
	double name_timeout;  /* seconds */
	bool has_permissions; /* the kernel enforces the modes that we show */
	bool has_no_open;     /* the kernel takes ENOSYS for "no need to ask" */
	bool has_no_opendir;
	bool is_parallel;            /* the kernel sends several LOOKUPs of a directory at a time */
	bool has_acl_cache;          /* the kernel keeps that a file has no access list */
	unsigned wanted;             /* what was agreed with the kernel: fuse_conn_info's */
	struct heir *heir;           /* set while we take the mount over; else NULL */
	struct record *record;       /* the previous daemon's state; NULL: we mounted */
	struct successor *successor; /* NULL: the mount is offered to nobody */
	struct handover *handover;   /* to who comes after us; NULL: not possible */
	struct span hello;           /* the kernel's first request; owned */
	int clone_fd;                /* of the mount, for an heir; -1: none */
	struct offer offer;
	bool is_publishing; /* the main thread's: the publisher's thread runs */
	int wish;           /* the main thread's: HANDOVER_WANTED, _LEAVE: it came to rest */
	struct lock unanswered_lock;
	struct unanswered *unanswered; /* unanswered_lock; requests that wait for an answer */
	struct lock origins_lock;
	struct origins_directory *origins; /* origins_lock; that the kernel knows */
	uint64_t origins_made;             /* origins_lock; directories, ever */
};

/* The remedy if a helper has ended: the daemon that takes over has helpers of its own. */
#define RENEWAL                                                                                    \
	"kill -USR2 the process above, so that another takes over; or unmount and mount again"

/* ops.c: userdata is the session. */
extern const struct fuse_lowlevel_ops ops;

/** ops.c: returns whether the request is the publisher's (by the mount process). */
bool is_publisher(fuse_req_t req);

/** ops.c: returns whether the caller of the request may search the directory now. */
bool lets_in(struct session *session, fuse_req_t req, fuse_ino_t parent);

/** ops.c: answers a lookup; the kernel may cache the name for `seconds`. As fuse_reply_entry(). */
int reply_entry(fuse_req_t req, const struct stat *stat, double seconds);

/** control.c: returns whether `ino` is .plyfs or its stage; and their attributes. */
bool control_has(fuse_ino_t ino);
struct stat control_stat(const struct session *session, fuse_ino_t ino);

/** control.c: returns whether the name is a staging name. */
bool control_is_staged(fuse_ino_t parent, const char *name);

/** control.c: answers a lookup in .plyfs, its stage or a directory of its origins. */
void control_lookup(fuse_req_t req, struct session *session, fuse_ino_t parent, const char *name);

/** attribute.c: answer for an extended attribute, or the list of their names. */
void attribute_get(
	fuse_req_t req, struct session *session, fuse_ino_t ino, const char *name, size_t size);
void attribute_list(fuse_req_t req, struct session *session, fuse_ino_t ino, size_t size);

/**
 * control.c: returns whether that user may see the content of all sources: root and the user who
 * mounts.
 */
bool is_trusted(const struct session *session, uid_t uid);

/** Returns whether `ino` is .plyfs/origins or a directory in it. */
bool origins_is_directory(fuse_ino_t ino);
void origins_stat(const struct session *session, fuse_ino_t ino, struct stat *ret);

/**
 * Looks up ORIGINS_NAME in PLYFS_INO, or `name` in a directory below. The answer must not be
 * cached: each file is a snapshot. Returns 0, with one kernel reference to the object of *ret, or
 * -errno.
 */
int origins_lookup(
	struct session *session, fuse_ino_t parent, const char *name, uid_t uid, struct stat *ret);

void origins_forget(struct session *session, fuse_ino_t ino, uint64_t count);
void origins_free(struct session *session);

/** Write and read the state, for an heir. origins_take() returns 0 or -ENOMEM. */
void origins_put(struct session *session, struct record *record);
int origins_take(struct session *session, struct record *record);

/** publish.c: the publisher's operations; their context is the session. */
extern const struct publisher_ops publish_ops;

/**
 * Makes the text of .plyfs/status: JSON. Messages quote sources, and paths may lie in directories
 * that not all users may search: without `is_trusted` they are only counted. Returns 0 with *ret
 * for free(3), or -ENOMEM.
 */
int status_json(struct session *session, bool is_trusted, char **ret, size_t *size);

/** Makes the text of .plyfs/errors: a line for each path with a fault. As status_json(). */
int status_errors(struct session *session, bool is_trusted, char **ret, size_t *size);

/** Returns whether another mount lies on the path, or below; for view_callbacks. */
bool session_is_covered(void *context, const char *path);

/**
 * Makes the kernel drop the name in the directory `ino`, or, with NULL, its cache of `ino` from
 * `offset` on (negative: only its attributes). Any thread but a request's. Returns 0 or -errno;
 * -ENOTCONN: the connection ends, and its descriptor is closed.
 */
int session_tell(struct session *session, uint64_t ino, const char *name, off_t offset);
