/*
 * The session, which the driver's files share.
 *
 *      readers of requests   request_loop.c, ops.c   take requests apart, ask the view, reply
 *      publisher             publish.c               its operations (publisher.h)
 *      root                  session.c               mount, wait for the end, unmount
 *      mount process         mount_process.c         rename(2) and its like on our own mount
 *
 * The first three are coroutines of one thread (coroutine.h). A reader never waits for the
 * publisher. The publisher waits for the mount process, which waits for the readers.
 */
#pragma once

#define FUSE_USE_VERSION 314

#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "handover.h"
#include "mount_process.h"
#include "nearby_mounts.h"
#include "notifier.h"
#include "publisher.h"
#include "sandbox.h"
#include "session.h"
#include "view.h"

/* Our own directory at the root: it can be looked up, but is not listed. */
#define PLYFS_INO 2

/* The directory in .plyfs with the origins. */
#define ORIGINS_NAME "origins"

/*
 * The directory in .plyfs where a version lies, as "new-N", before it is renamed to its path. Only
 * the mount process may search it: in the stage, the modes of the path's directories do not protect
 * a version.
 */
#define STAGE_NAME "stage"
#define STAGE_INO 3
#define STAGED_PREFIX "new-"
#define STAGE_PATH PLYFS_NAME "/" STAGE_NAME

/*
 * Seconds that the kernel may cache an answer. The answer never goes stale, because only we change
 * what a path shows. With coherence=strict names are not cached.
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
	REQUEST_REFUSED, /* a program tried to write */
	REQUEST_KINDS,
};

/* How changes reach watchers. */
enum publish_mode {
	PUBLISH_CLONE, /* through a private clone of the mount; the visible one is read-only */
	PUBLISH_PATH,  /* through the mountpoint's path */
	PUBLISH_NONE,  /* only by invalidating the kernel's caches: watchers get no events */
};

struct session {
	struct settings *settings; /* one reference; NULL as soon as there is a view */
	bool is_strict;            /* coherence=strict */
	struct last_good *last_good;
	struct runner *runner; /* NULL: there is no plyfs.yaml */
	struct view *view;
	struct sandbox_state sandbox_state; /* the parts in force in each worker */
	struct fuse_session *fuse;
	struct session_options options;
	char *mountpoint; /* absolute */
	char *label;
	int mount_id;                       /* of the visible mount, as in /proc/self/mountinfo */
	dev_t dev;                          /* of the superblock */
	struct mount_process mount_process; /* only the publisher uses it, once there is one */
	int mounts_fd;                      /* /proc/self/mountinfo */
	struct nearby_mounts nearby;        /* as last read by the publisher */
	int beneath_fd;                     /* the directory that the mount lies on */
	int helpers_fd;                     /* helper_watch(); -1: not yet */
	struct publisher *publisher;
	struct coroutine *publishing; /* the publisher's; NULL: it does not run */
	struct notifier notifier;
	sigset_t waiting;     /* the mask of blocked signals while the daemon waits */
	int publish_mode;     /* enum publish_mode */
	int publish_error;    /* errno of the last publication; 0: it succeeded */
	uint64_t published;   /* changes published by rename(2) and its like */
	uint64_t invalidated; /* changes for which only the kernel's caches were invalidated */
	bool is_ending;       /* the kernel is not notified any more */
	bool is_at_rest;      /* the view is paused: requests that it drops are repeated later */
	uint64_t requests[REQUEST_KINDS];
	double name_timeout;   /* seconds */
	bool has_permissions;  /* the kernel enforces the modes that we show */
	bool has_no_open;      /* the kernel sends no OPEN after an answer of ENOSYS */
	bool has_no_opendir;   /* … and no OPENDIR */
	bool is_parallel;      /* the kernel sends several LOOKUPs of a directory at a time */
	bool has_acl_cache;    /* the kernel caches that a file has no access list */
	unsigned wanted;       /* the capabilities agreed with the kernel: fuse_conn_info.want */
	struct heir *heir;     /* has the previous daemon's state; NULL: the mount is ours */
	struct record *record; /* that state; NULL: we mounted ourselves */
	struct handover *handover;     /* NULL: the mount can't be taken over */
	struct span hello;             /* the kernel's first request; owned */
	int clone_fd;                  /* a clone of the mount, also for a new daemon; -1: none */
	int wish;                      /* HANDOVER_WANTED or _LEAVE while at rest; else 0 */
	struct unanswered *unanswered; /* requests that wait for an answer */
	struct origins_directory *origins; /* the directories that the kernel knows */
	uint64_t origins_made;             /* how many were ever made */
};

/* The remedy if a helper has ended: a new daemon has new helpers. */
#define RENEWAL "kill -USR2 the process above, so that it begins anew; or unmount and mount again"

/* ops.c: userdata is the session. */
extern const struct fuse_lowlevel_ops ops;

/** ops.c: returns whether the mount process, which works for the publisher, makes the request. */
bool is_publisher(fuse_req_t req);

/** ops.c: returns whether the caller of the request may search the directory now. */
bool lets_in(struct session *session, fuse_req_t req, fuse_ino_t parent);

/** ops.c: answers a lookup, as fuse_reply_entry(). The kernel may cache the name for `seconds`. */
int reply_entry(fuse_req_t req, const struct stat *stat, double seconds);

/** control.c: returns whether `ino` is .plyfs or its stage; control_stat() gets its attributes. */
bool control_has(fuse_ino_t ino);
struct stat control_stat(const struct session *session, fuse_ino_t ino);

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

/** attribute.c: answer GETXATTR and LISTXATTR. */
void attribute_get(
	fuse_req_t req, struct session *session, fuse_ino_t ino, const char *name, size_t size);
void attribute_list(fuse_req_t req, struct session *session, fuse_ino_t ino, size_t size);

/** control.c: returns whether `uid` may see all sources, as root or as the user who mounts. */
bool is_trusted(const struct session *session, uid_t uid);

/** Returns whether `ino` is .plyfs/origins or a directory in it. */
bool origins_is_directory(fuse_ino_t ino);
void origins_stat(const struct session *session, fuse_ino_t ino, struct stat *ret);

/**
 * Looks up ORIGINS_NAME in .plyfs, or `name` in a directory of the origins. The kernel must not
 * cache the answer, as each lookup makes a new file. Returns 0 with *ret and one kernel reference
 * to the object; or -errno.
 */
int origins_lookup(
	struct session *session, fuse_ino_t parent, const char *name, uid_t uid, struct stat *ret);

void origins_forget(struct session *session, fuse_ino_t ino, uint64_t count);
void origins_free(struct session *session);

/** _put writes the directories for a new daemon; _take reads them there: 0 or -ENOMEM. */
void origins_put(struct session *session, struct record *record);
int origins_take(struct session *session, struct record *record);

/** publish.c: the publisher's operations; their context is the session. */
extern const struct publisher_ops publish_ops;

/**
 * Makes the text of .plyfs/status: JSON. Without `is_trusted` faults are only counted: a fault
 * quotes sources, and names paths in directories that not all users may search. Returns 0 with *ret
 * for free(3), or -ENOMEM.
 */
int status_json(struct session *session, bool is_trusted, char **ret, size_t *size);

/**
 * Makes the text of .plyfs/errors: a line for each fault; without `is_trusted` none. Returns as
 * status_json().
 */
int status_errors(struct session *session, bool is_trusted, char **ret, size_t *size);

/** Returns whether another file system is mounted on the path or below it; for view_callbacks. */
bool session_is_covered(void *context, const char *path);

/**
 * Makes the kernel drop the attributes of `ino`, without waiting. Returns 0; -ENOTCONN: the session
 * is ending; or another -errno.
 */
int session_tell(struct session *session, uint64_t ino);
