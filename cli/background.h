/*
 * A mount in the background. The user's shell continues when the mount is usable, or has failed.
 *
 *      parent ── fork ── waits ────────────── exits with the child's result
 *                  └──── child: mounts ── background_ready() ── serves
 *
 * Until the child is ready, it prints its messages to the parent's standard error.
 */
#pragma once

/**
 * Closes all inherited descriptors except `kept` (-1: none) and the standard streams. Opens a
 * closed standard stream on /dev/null. Returns 0 or -errno.
 */
int background_keep_standard(int kept);

struct background {
	int pipe_fd; /* for the child's report that the mount is usable; -1: no parent waits */
	int null_fd; /* /dev/null */
};

/* Result of background_start() in the parent: the child is ready, or has ended. */
#define BACKGROUND_PARENT 1

/**
 * Forks. Returns 0 in the child, and -errno if there is no child. In the parent, waits, and returns
 * BACKGROUND_PARENT with the parent's exit code in *exit_code. Call it before session_mount().
 */
int background_start(struct background *ret, int *exit_code);

/**
 * If a parent waits, begins a session, opens the standard streams on /dev/null, and reports that we
 * are ready. Until then this process is in the caller's process group. If an automounter called us,
 * processes of all other groups wait for the mount (autofs(5)).
 */
void background_ready(struct background *background);
