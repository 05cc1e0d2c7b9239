/*
 * .plyfs/origins/PATH: a file that says where the values of PATH come from, in the form of
 * `plyfs explain --json`.
 *
 *      .plyfs/origins/
 *        conf.d/              has the name of a directory of the tree; its listing is empty
 *          app.yaml           a snapshot, made anew at each lookup
 *
 * A snapshot shows content of lower layers, and the rights of the directories above PATH do not
 * protect it. So only root and the mounting user may read it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "record.h"

struct session;

/* The directories of .plyfs/origins that the kernel knows. */
struct origins_directories {
	struct origins_directory *first;
	uint64_t made; /* how many were ever made */
};

/** Returns whether `ino` is .plyfs/origins or a directory in it. */
bool origins_is_directory(uint64_t ino);

/**
 * Looks up `name` in `parent`: "origins" in .plyfs, or a name in a directory of .plyfs/origins. The
 * kernel must not cache the answer. Returns 0 with the attributes in *ret and one kernel reference
 * to the object; -EACCES: the user `uid` may not read snapshots; or another -errno.
 */
int origins_lookup(
	struct session *session, uint64_t parent, const char *name, uid_t uid, struct stat *ret);

/** Drops `count` kernel references to the directory `ino`. */
void origins_forget(struct origins_directories *origins, uint64_t ino, uint64_t count);
void origins_fini(struct origins_directories *origins);

/** For a take-over: _put writes the directories. _take reads them, and returns 0 or -ENOMEM. */
void origins_put(const struct origins_directories *origins, struct record *record);
int origins_take(struct origins_directories *origins, struct record *record);
