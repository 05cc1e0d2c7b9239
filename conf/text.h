/*
 * The text of a file, read whole.
 */
#pragma once

#include <stddef.h>

/**
 * Reads the rest of `fd`, up to `limit` bytes. Returns 0 with *ret, NUL-terminated, for free(3);
 * -EFBIG when there is more; or another -errno.
 */
int text_read(int fd, size_t limit, char **ret, size_t *ret_len);

/** The same, but of a longer file its first `limit` bytes. */
int text_read_head(int fd, size_t limit, char **ret, size_t *ret_len);

/** Writes all of it. Returns 0 or -errno. */
int text_write(int fd, const char *text, size_t len);
