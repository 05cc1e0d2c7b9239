/*
 * plyfs mount --take-over: the running plyfs executes the program that is now at the path from
 * which the running plyfs was started.
 */
#pragma once

/** Returns EXIT_DONE when the new program serves the mount; EXIT_FAILED after an error message. */
int take_over(const char *mountpoint);
