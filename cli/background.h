/*
 * Going into the background: the caller's shell goes on when the mount is usable, or has the
 * message and the exit code of what went wrong.
 *
 *      parent ── fork ── waits ────────────── exits with the child's news
 *                  └──── child: mounts ── background_ready() ── serves
 *
 * Until it is ready the child has the parent's standard error, so that messages need no way of
 * their own.
 */
#pragma once

#include <stdbool.h>

/**
 * Closes all that was inherited but `kept` (-1: nothing) and the standard streams, which are opened on /dev/null where they
 * are closed: a lock that the caller holds, or a pipe whose end somebody waits for, is not ours.
 * Returns 0 or -errno.
 */
int background_keep_standard(int kept);

struct background {
	int pipe_fd; /* the child tells the parent through it that it is ready; -1: no parent waits
		      */
	int null_fd; /* /dev/null, for when it is ready: no path is looked up then */
};

/* background_start() in the parent: the child's news have come in. */
#define BACKGROUND_PARENT 1

/**
 * Forks. Returns 0 in the child; BACKGROUND_PARENT in the parent, with *exit_code what to exit
 * with; or -errno. Must be called before there are any threads.
 */
int background_start(struct background *ret, int *exit_code);

/**
 * The child is ready: it leaves the terminal, and the parent is told. Nothing is done when no
 * parent waits.
 */
void background_ready(struct background *background);
