/*
 * A version: what a path held at one moment. Its bytes and attributes never change; when the merged
 * result changes, the path moves to a new version, which is an inode of its own. A file that is
 * open keeps the version it was opened with, as after an atomic replace.
 *
 * Counted. The fields marked so are guarded by the view's lock; all others are fixed before the
 * version is seen by a second thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "problem.h"
#include "rights.h"
#include "span.h"

/* What the kernel, or whoever a version is shown to, knows it by. Its owner is the view (inode.h).
 */
enum inode_type { INODE_DIRECTORY, INODE_VERSION, INODE_PROMISE };

struct inode {
	uint64_t ino;         /* 0: none yet */
	uint64_t kernel_refs; /* lookups that the kernel has not forgotten */
	enum inode_type type;
	struct inode *next; /* in the table */
};

struct loaded;

enum version_kind {
	VERSION_BYTES,  /* `data` is the file */
	VERSION_HELD,   /* a large file of one layer, read through `fd` */
	VERSION_LINK,   /* `data` is the target */
	VERSION_BROKEN, /* there never was a good version: reading gives EIO */
};

/* What identifies the state of a source, as stat(2) tells it. */
struct stamp {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	struct timespec ctime;
};

struct version {
	struct inode inode; /* its number is 0 until it is shown */
	atomic_uint references;
	enum version_kind kind;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	uint64_t size;         /* bytes */
	struct timespec mtime; /* shown; the newest source's until then. view->lock */
	struct timespec ctime; /* likewise. view->lock */
	char *data;            /* `size` bytes; owned */
	int fd;                /* VERSION_HELD; else -1 */
	struct stamp *stamps;  /* of the sources, in the order they were merged */
	size_t stamp_count;
	struct timespec made; /* CLOCK_REALTIME: what it shows was the newest then */
	bool is_held;         /* a lock kept values, which is the problem that was told */

	/*
	 * view->lock: the same bytes may come to be made of other sources, or by another rule. NULL
	 * where nobody asks.
	 */
	const char *strategy; /* the strategy's name; static */
	char *layers;         /* the contributing layers' names, lowest first, "vendor:site" */
	char *sources;        /* source_list.h */
	struct stamp *latest; /* of the sources that gave the same last; NULL: `stamps` are */
	size_t latest_count;
	struct loaded **stood_in; /* for sources that are broken now (stand_in.h); references */
	size_t stood_in_count;
	struct entry *entry; /* the path that shows it now, or NULL */
};

static inline bool time_equal(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static inline bool time_is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

struct stamp stamp_of(const struct stat *stat);
bool stamp_equal(const struct stamp *a, const struct stamp *b);

/** Returns whether the layer of that name contributed to it. */
bool version_has_layer(const struct version *version, const char *name);

/** An empty version with one reference, no data and fd -1. NULL: no memory. */
struct version *version_new(enum version_kind kind);
struct version *version_ref(struct version *version);
void version_unref(struct version *version); /* NULL is fine */
void version_unrefp(struct version **version);

/** Whether a reader could tell them apart: content, kind, mode and owner, but not the time. */
bool version_same(const struct version *a, const struct version *b);

/**
 * Copies the content and the attributes of `version`, but no stamps and no descriptor: nothing can
 * be compared with the copy's sources, and a held file can't be read. NULL: no memory.
 */
struct version *version_copy(const struct version *version);

/**
 * A copy of `version` that nobody may read who may not read both it and `other`. NULL: no memory.
 */
struct version *version_narrow(
	const struct version *version, const struct version *other, const struct mounter *mounter);

/** Nobody may read `version`, which nobody has seen yet, who may not read `other` as well. */
void version_restrict(
	struct version *version, const struct version *other, const struct mounter *mounter);

/** Whether it is made of one source, whose time it has. */
bool version_has_one_source(const struct version *version);

/**
 * Whether `version`, which is the same as `other`, is made of one source, as that is, and the very
 * same file has got another time since. Ask before version_take_sources().
 */
bool version_is_touched(const struct version *version, const struct version *other);

/**
 * `version` is the same as `other`: it is made of what that is made of, and as that, from now on.
 */
void version_take_sources(struct version *version, struct version *other);

/** Fills in what stat(2) shows. */
void version_stat(const struct version *version, struct stat *ret);

/**
 * Reads up to `size` bytes at `offset` into `buffer`. Returns the count, -EIO for a broken version,
 * -ESTALE for a held file that was changed in place meanwhile, or another -errno.
 */
ssize_t version_read(const struct version *version, char *buffer, size_t size, off_t offset);

/**
 * All of its bytes; of a link its target. Returns 0 with *ret, NUL-terminated, for free(3);
 * -ENOMEM; or as version_read().
 */
int version_read_all(const struct version *version, char **ret);
