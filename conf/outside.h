/*
 * Files and directories that settings name: plyfs.yaml, facts, presets, schemas, programs, and the
 * directories of layers. Their file systems may never answer. A thread that must not wait for these
 * file systems sets a delegate: another process then makes the system calls.
 */
#pragma once

#include <limits.h>
#include <sys/stat.h>

#include "store.h"
#include "trust.h"

/* A file, read by outside_read(). */
struct outside_file {
	struct stat stat; /* after `text` was read; all zero: the file can't be opened */
	char *text;       /* NUL-terminated; for free(3) */
	size_t len;
};

/* The demands of a caller of outside_open(): an OR of these. */
enum outside_wanted {
	OUTSIDE_OPTIONAL = 1 << 0, /* the directory may be missing */
	OUTSIDE_FILLED = 1 << 1,   /* the directory must have an entry */
	OUTSIDE_OWNED = 1 << 2,    /* the directory's owner must own dirname(3) of `path`, too */
};

/* The directory of a layer, opened by outside_open(). */
struct outside_directory {
	int fd; /* O_PATH, for close(2); -1: the directory is missing */
	struct stat stat;
	struct store *store; /* for store_freep(); NULL: no mirror writes the directory */
};

/**
 * Reads the file at `path`. Returns 0 with *ret; ret->text is NULL if the file is not a regular
 * one. Returns -EFBIG if the file is larger than `size_max` bytes; or another -errno. Sets
 * ret->stat even after an error.
 */
int outside_read(const char *path, size_t size_max, struct outside_file *ret);

/** Finds the absolute path that `path` leads to, through all links. Returns 0 or -errno. */
int outside_find(const char *path, char ret[PATH_MAX]);

/** As outside_find(). Of a path that does not exist, finds where it would be. */
int outside_find_missing(const char *path, char ret[PATH_MAX]);

/**
 * Opens the directory of a layer. Returns 0 with *ret; -ENODATA: OUTSIDE_FILLED is not met; -EXDEV:
 * OUTSIDE_OWNED is not met; or another -errno, also if the directory can't be listed.
 */
int outside_open(const char *path, unsigned wanted, struct outside_directory *ret);

/** Does trust_check(). Turns any -errno except -ESTALE and -ENOMEM into a problem. */
int outside_trust(const struct trusted *trusted, struct problem *problem);

/*
 * A delegate: outside_NAME() calls its member NAME instead of the system calls. NAME returns
 * -ETIMEDOUT if a file system does not answer.
 */
struct outside_delegate {
	int (*read)(void *context, const char *path, size_t size_max, struct outside_file *ret);
	int (*find)(void *context, const char *path, char ret[PATH_MAX]);
	int (*open)(
		void *context, const char *path, unsigned wanted, struct outside_directory *ret);
	int (*trust)(void *context, const struct trusted *trusted, struct problem *problem);
	void *context;
	unsigned *failures; /* grows by 1 with each result other than 0 */
};

/** Sets the delegate of the calling thread; NULL: none. *delegate must stay valid. */
void outside_delegate(const struct outside_delegate *delegate);
