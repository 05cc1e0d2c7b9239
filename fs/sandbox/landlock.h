/* Landlock (landlock(7)), by its system calls. */
#pragma once

#include <stdint.h>

#include "sandbox.h"

/* A set of rules, before it is entered. */
struct landlock {
	int fd;         /* for close(2) */
	int abi;        /* the kernel's version of Landlock */
	uint64_t files; /* the file rights that the set controls */
};

/** Makes a set that allows nothing yet. Returns 0; -EOPNOTSUPP: no Landlock; or another -errno. */
int landlock_new(enum sandbox_process process, struct landlock *ret);

/** Allows `right` for the object open as `fd`, and all beneath it. Returns 0 or -errno. */
int landlock_allow(const struct landlock *landlock, int fd, enum sandbox_right right);

/** Limits this thread, and those that it makes later, to the set's rights. Returns 0 or -errno. */
int landlock_enter(const struct landlock *landlock);
