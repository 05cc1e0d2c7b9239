/*
 * A store of kept versions: a TDB database (libtdb), whose keys are paths. One thread at a time.
 *
 * What was stored together is there together after a crash, and a file that is damaged is made anew. It is read and written by pread(2) and pwrite(2): a disk that
 * fails is an error, and no signal.
 */
#pragma once

#include <sys/types.h>
#include <time.h>

#include "span.h"

struct keep_store;

/* What is stored of a version; the texts are not NULL. */
struct kept {
	mode_t mode;
	uid_t uid;
	gid_t gid;
	struct timespec mtime;
	struct timespec ctime;
	struct timespec made;
	struct span strategy; /* a name */
	struct span layers;
	struct span sources;
	struct span bytes;
};

/**
 * In the file `name` of a directory that is ours alone. *is_damaged: what was there could not be
 * read and is gone. 0 with *ret, or -errno.
 */
int keep_store_open(int directory, const char *name, struct keep_store **ret, bool *is_damaged);

void keep_store_free(struct keep_store *store);

/**
 * What is stored from here on comes at once, or not at all: at keep_store_end(), 0 or -errno. Then
 * all is as it was at the begin.
 */
int keep_store_begin(struct keep_store *store);
int keep_store_end(struct keep_store *store);

/** Nothing was stored since the begin. */
void keep_store_cancel(struct keep_store *store);

/** Stores it in the place of what there was, unless that is the same. 0 or -errno. */
int keep_store_put(struct keep_store *store, const char *path, const struct kept *kept);

/** 0, also where there was nothing; or -errno. */
int keep_store_drop(struct keep_store *store, const char *path);

/** 0 with *ret, whose texts lie in *memory, for free(3); -ENOENT; or -errno. */
int keep_store_get(struct keep_store *store, const char *path, struct kept *ret, void **memory);

/** Calls `each` for every version that is there, with what lives until it returns. 0 or -errno. */
int keep_store_each(struct keep_store *store,
	void (*each)(void *context, const char *path, const struct kept *kept), void *context);
