/* Texts in memory from malloc(3): read from files, or formatted. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "problem.h"

/**
 * Reads the rest of `fd`, up to `limit` bytes. Returns 0 with *ret, NUL-terminated, for free(3);
 * -EFBIG if there is more; or another -errno.
 */
int text_read(int fd, size_t limit, char **ret, size_t *ret_len);

/**
 * As text_read(), for a regular file to which fstat(2) gave `size` bytes, but gives only the first
 * `limit` bytes if there is more. If fstat(2) gives the same size afterwards, the text is whole.
 */
int text_read_sized(int fd, size_t size, size_t limit, char **ret, size_t *ret_len);

/* The kind of a file, for messages. */
struct text_kind {
	const char *name; /* "plyfs.yaml" */
	const char *what; /* "settings are", for "is a directory; settings are read from a file" */
	size_t size_max;  /* bytes */
};

/**
 * Opens and reads the file at `place`. Messages call it `path`. `ret_stat` may be NULL. A
 * directory, a pipe, and a file that is too large are problems. Returns 0 with *ret for free(3),
 * PROBLEM or -ENOMEM.
 */
int text_read_file(const char *path, const char *place, const struct text_kind *kind,
	struct stat *ret_stat, char **ret, size_t *len, struct problem *problem);

/** Formats like asprintf(3). Returns 0 with *ret for free(3), or -ENOMEM with *ret NULL. */
__attribute__((format(printf, 2, 3))) int text_format(char **ret, const char *format, ...);

/** Writes the word, quoted for a shell. */
void text_put_word(FILE *out, const char *word);

/** Writes the whole text. Returns 0 or -errno. */
int text_write(int fd, const char *text, size_t len);

/**
 * Returns a text about `error`, the -errno of a call on a path. It names the error and a remedy.
 * For a rare error, it is the text of strerror(3).
 */
const char *text_error(int error);
