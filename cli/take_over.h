/* plyfs mount --take-over: the running plyfs becomes the program that now lies at its path. */
#pragma once

/**
 * Makes the plyfs that serves `mountpoint` become that program, and waits. Returns EXIT_DONE when
 * the new program serves; or EXIT_FAILED after an error message.
 */
int take_over(const char *mountpoint);
