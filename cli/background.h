/*
 * A mount in the background. The caller's shell continues when the mount is usable, or gets the
 * error message and the exit code.
 *
 *      parent ── fork ── waits ────────────── exits with the child's result
 *                  └──── child: mounts ── background_ready() ── serves
 *
 * Until it is ready, the child has the parent's standard error, and prints its messages there.
 */
#pragma once

#include <stdbool.h>

/**
 * Closes all inherited descriptors except `kept` (-1: none) and the standard streams. If a standard
 * stream is closed, opens it on /dev/null. So we hold no lock of the caller's, and no end of a pipe
 * that another process waits for. Returns 0 or -errno.
 */
int background_keep_standard(int kept);

struct background {
	int pipe_fd; /* the child reports through it that it is ready; -1: no parent waits */
	/* /dev/null; opened early, so that no path is looked up once the mount is ready */
	int null_fd;
};

/* Result of background_start() in the parent, when the child has reported its own result. */
#define BACKGROUND_PARENT 1

/**
 * Forks. Returns 0 in the child; BACKGROUND_PARENT in the parent, with the parent's exit code in
 * *exit_code; or -errno. Call it before session_mount().
 */
int background_start(struct background *ret, int *exit_code);

/**
 * If a parent waits, opens the standard streams on /dev/null, and reports to the parent that the
 * child is ready.
 */
void background_ready(struct background *background);
