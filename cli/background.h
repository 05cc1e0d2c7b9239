/*
 * A mount in the background. The user's shell continues when the mount is usable. If mounting
 * fails, the user sees the error message, and the shell gets the exit code.
 *
 *      parent ── fork ── waits ────────────── exits with the child's result
 *                  └──── child: mounts ── background_ready() ── serves
 *
 * Until the child is ready, it has the parent's standard error, and prints its messages there.
 */
#pragma once

#include <stdbool.h>

/**
 * Closes all inherited descriptors except `kept` (-1: none) and the standard streams. So plyfs
 * holds no lock of the program that started it, and keeps open no pipe that another program reads
 * to its end. Opens a closed standard stream on /dev/null. Returns 0 or -errno.
 */
int background_keep_standard(int kept);

struct background {
	int pipe_fd; /* for the child's report that the mount is usable; -1: no parent waits */
	/* /dev/null; opened early, so that no path is looked up once the mount is ready */
	int null_fd;
};

/* Result of background_start() in the parent: the child is ready, or has ended. */
#define BACKGROUND_PARENT 1

/**
 * Forks. In the child, returns 0. In the parent, returns BACKGROUND_PARENT, with the parent's exit
 * code in *exit_code; or -errno if there is no child. Call it before session_mount().
 */
int background_start(struct background *ret, int *exit_code);

/**
 * If a parent waits, opens the standard streams on /dev/null, and reports to the parent that the
 * child is ready.
 */
void background_ready(struct background *background);
