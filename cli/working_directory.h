/* The working directory, at which relative paths begin. */
#pragma once

/**
 * Returns its absolute path, for free(3). If it was removed, or has no path, returns one that
 * nobody can make: absolute paths work, and the error of a relative path says why it is missing.
 * Returns NULL with errno if memory is short.
 */
char *working_directory(void);
