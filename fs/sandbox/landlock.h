/*
 * Landlock (landlock(7)), by its system calls: the libraries of Debian 12 have no functions for
 * them, and its headers not all of the constants.
 */
#pragma once

#include <stdint.h>

#include "sandbox.h"

/* What is going to be allowed. */
struct landlock {
	int fd;         /* for close(2) */
	int abi;        /* the version that the kernel has */
	uint64_t files; /* all that it can keep us from */
};

/** Allows nothing yet. 0; -EOPNOTSUPP where the kernel has none; or another -errno. */
int landlock_new(enum sandbox_process process, struct landlock *ret);

/** Allows what the descriptor leads to, and all beneath it. Looks at no path. 0 or -errno. */
int landlock_allow(const struct landlock *landlock, int fd, enum sandbox_right right);

/**
 * From now on nothing else is possible to this thread, and to those that it makes. Looks at no
 * path. 0 or -errno.
 */
int landlock_enter(const struct landlock *landlock);
