/* A fingerprint: a few numbers that identify the file, directory or link at a name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "span.h"

struct version;

struct fingerprint {
	mode_t mode; /* with the file type; 0: nothing is there */
	uid_t uid;
	gid_t gid;
	uint64_t hash; /* of the bytes, or of a link's target; 0 for a directory */
} __attribute__((packed, aligned(4)));

/* The difference between the object that plyfs has put at a name, and the object there now. */
enum drift {
	DRIFT_NONE,
	DRIFT_REMOVED,
	DRIFT_REPLACED, /* such as a file by a directory */
	DRIFT_EDITED,
	DRIFT_RIGHTS, /* mode, owner or group */
};

/** Returns the word for JSON, such as "edited". */
const char *drift_name(enum drift drift);

/** Returns the phrase for messages, where it follows the path. */
const char *drift_text(enum drift drift);

enum drift drift_between(const struct fingerprint *was, const struct fingerprint *is);

/* Size of a chunk, in bytes. Another size would give other hashes. */
#define FINGERPRINT_CHUNK (1u << 16)

/* The hash of an empty file. */
#define FINGERPRINT_HASH 0x6C62272E07BB0142u

/** Adds the next chunk to the hash. Never change this function: hashes are stored on disks. */
uint64_t fingerprint_add(uint64_t hash, struct span chunk);

/** Takes the fingerprint of `name` in `directory`. No such name: mode 0. Returns 0 or -errno. */
int fingerprint_at(int directory, const char *name, struct fingerprint *ret);

/**
 * Computes the fingerprint of a file or link that shows the version. Writes a file's bytes to `fd`,
 * if that is not -1. Returns 0 or -errno.
 */
int fingerprint_of_version(const struct version *version, int fd, struct fingerprint *ret);

bool fingerprint_equal(const struct fingerprint *a, const struct fingerprint *b);
