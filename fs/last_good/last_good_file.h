/*
 * The directory of the last-good store: it has a file for each path. The name of each file is a
 * number. The content is a record (record.h) of the path and its version.
 *
 *      written   12.new, and after last_good_file_sync() renamed to 12
 *      read      once, when the mount starts, as hostile input
 *
 * After a crash the directory has a complete version of each path: the last one, or the one before.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "version.h"

struct last_good_file_report {
	uint64_t last;  /* the largest number that a file has; 0: no files */
	size_t damaged; /* files that could not be read, and were removed */
};

/**
 * Reads all files, the oldest first. Calls `each` for each file; `each` takes over the version's
 * reference. If the files have more than `max` bytes together, removes the oldest files unread, so
 * that the rest fits. Removes each NUMBER.new that a crash has left. Returns 0 or -errno.
 */
int last_good_file_load(int directory, size_t max,
	void (*each)(void *context, uint64_t number, const char *path, struct version *version),
	void *context, struct last_good_file_report *ret);

/** Makes an unnamed file with the record. Returns the file's descriptor for close(2), or -errno. */
int last_good_file_make(const char *path, const struct version *version);

/** Copies `source`, a descriptor of last_good_file_make(), to NUMBER.new. Returns 0 or -errno. */
int last_good_file_write(int directory, uint64_t number, int source);

/** Waits until new files, or renamed ones, are on the disk. Returns 0 or -errno. */
int last_good_file_sync(int directory);

/** Renames NUMBER.new to NUMBER. Returns 0, even if there is no NUMBER.new; or -errno. */
int last_good_file_rename(int directory, uint64_t number);

/** Removes NUMBER and NUMBER.new. Returns 0, even if they do not exist; or -errno. */
int last_good_file_remove(int directory, uint64_t number);
