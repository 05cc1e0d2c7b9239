/*
 * A fingerprint: a few numbers that identify the file, directory or link at a name. A later
 * comparison finds out whether the object there is still the one that plyfs wrote.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "span.h"

struct version;

/* Packed, as there are many of them. */
struct fingerprint {
	mode_t mode; /* with the file type; 0: nothing is there */
	uid_t uid;
	gid_t gid;
	uint64_t hash; /* of the bytes, or of a link's target; 0 for a directory */
} __attribute__((packed, aligned(4)));

/* The difference between the object at a name and the one that plyfs has put there. */
enum drift {
	DRIFT_NONE,
	DRIFT_REMOVED,
	DRIFT_REPLACED, /* such as a file by a directory */
	DRIFT_EDITED,
	DRIFT_RIGHTS, /* mode, owner or group */
};

/** Returns the word for programs: "edited". */
const char *drift_name(enum drift drift);

/** Returns the phrase for people, which follows the path. */
const char *drift_text(enum drift drift);

enum drift drift_between(const struct fingerprint *was, const struct fingerprint *is);

/* Bytes of a file that are hashed at a time. Another number would give other hashes. */
#define FINGERPRINT_CHUNK (1u << 16)

/* The hash of an empty file. */
#define FINGERPRINT_HASH 0x6C62272E07BB0142u

/** Adds the next chunk to the hash. Hashes are stored on disks: the function must never change. */
uint64_t fingerprint_add(uint64_t hash, struct span chunk);

/**
 * Takes the fingerprint of `name` in `directory`. If there is no such name, ret->mode is 0. Returns
 * 0; or -errno if the object at the name can't be read.
 */
int fingerprint_at(int directory, const char *name, struct fingerprint *ret);

/** Computes the fingerprint of a file or link that shows the version. Returns 0 or -errno. */
int fingerprint_of_version(const struct version *version, struct fingerprint *ret);

bool fingerprint_equal(const struct fingerprint *a, const struct fingerprint *b);
