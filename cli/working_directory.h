/* The working directory, at which relative paths begin. */
#pragma once

/**
 * Returns the absolute path of the working directory, for free(3). If the directory was removed, or
 * has no path, returns a path that does not exist: "/proc/self/cwd (deleted)". So absolute paths
 * still work, and an error about a relative path shows the reason. Returns NULL with errno if
 * memory is short.
 */
char *working_directory(void);
