/* A fault: the reason why a path's newest content is not shown, and what is served meanwhile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "problem.h"

enum fault_serves {
	FAULT_SERVES_NOTHING,        /* reading fails */
	FAULT_SERVES_RENDERED,       /* the file in the rendered tree, if there is one */
	FAULT_SERVES_LAST_GOOD,      /* the last version that could be made */
	FAULT_SERVES_OTHER_LAYERS,   /* the merge of the other layers */
	FAULT_SERVES_FALLBACK,       /* the merge with the broken source's last good state */
	FAULT_SERVES_LOCKED,         /* the merge without values that locks and bounds refuse */
	FAULT_SERVES_COVERED,        /* what is mounted on the path, so the path can't change */
	FAULT_SERVES_SETTINGS,       /* plyfs.yaml is wrong: the last good settings */
	FAULT_SERVES_OTHER_SETTINGS, /* the new settings, except those that need a new mount */
};

struct fault {
	struct problem problem;
	struct timespec since; /* CLOCK_REALTIME */
	enum fault_serves serves;
	/*
	 * CLOCK_REALTIME: when the version or settings were made (LAST_GOOD, SETTINGS,
	 * OTHER_SETTINGS), or the fallback was read (FALLBACK); else 0.
	 */
	struct timespec made;
};

/* Bytes of the texts that fault_text() and fault_age() write. */
#define FAULT_TEXT_MAX (PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 256)
#define FAULT_AGE_MAX 32

/* Bytes of a time as text, "2026-01-31T23:59:59Z". */
#define FAULT_TIME_MAX 40

/** Writes "FILE:LINE:COLUMN: MESSAGE (PATH, since TIME; SERVED)". `path` may be NULL. */
void fault_text(const struct fault *fault, const char *path, char text[FAULT_TEXT_MAX]);

/** Writes SERVED: "the version of 5 minutes ago is served". `age_s`: seconds since fault.made. */
void fault_serves_text(enum fault_serves serves, long long age_s, char *text, size_t size);

/** Writes an age: "5 minutes", "a moment". */
void fault_age(long long age_s, char text[FAULT_AGE_MAX]);

void fault_time(struct timespec time, char text[FAULT_TIME_MAX]);

/** Returns the seconds since `time`; never below 0. */
long long fault_age_s(struct timespec time);

/** Returns the name in .plyfs/status, such as "last-good". Static. */
const char *fault_serves_name(enum fault_serves serves);

/** Returns the constant whose fault_serves_name() is `name`, or else FAULT_SERVES_NOTHING. */
enum fault_serves fault_serves_of(const char *name);
