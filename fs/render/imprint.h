/*
 * An imprint: what stands at a name, in a few words. By it is told later whether that is still what
 * plyfs wrote.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "span.h"

struct version;

/* There are many: no room is left between them. */
struct imprint {
	mode_t mode; /* with its type; 0: nothing stands there */
	uid_t uid;
	gid_t gid;
	uint64_t hash; /* of the bytes, or of a link's target; 0 of a directory */
} __attribute__((packed, aligned(4)));

/* How what stands there is not what was put there. */
enum drift {
	DRIFT_NONE,
	DRIFT_REMOVED,
	DRIFT_REPLACED, /* by something of another kind */
	DRIFT_EDITED,
	DRIFT_RIGHTS, /* mode, owner or group */
};

/** The word for programs: "edited". */
const char *drift_name(enum drift drift);

/** For people, behind the path: "somebody has changed it". */
const char *drift_text(enum drift drift);

enum drift drift_between(const struct imprint *was, const struct imprint *is);

/* Bytes that are read, and added to a hash, at once: another number would give another hash. */
#define IMPRINT_CHUNK (1u << 16)

/* An empty file's. */
#define IMPRINT_HASH 0x6C62272E07BB0142u

/** The hash with the next chunk. It is kept on disks: it must stay what it is. */
uint64_t imprint_add(uint64_t hash, struct span chunk);

/** What stands at the name. 0, also where that is nothing, or -errno: its bytes can't be read. */
int imprint_at(int directory, const char *name, struct imprint *ret);

/** What the version looks like on a disk where its owner can be given to files. 0 or -errno. */
int imprint_of_version(const struct version *version, struct imprint *ret);

bool imprint_equal(const struct imprint *a, const struct imprint *b);
