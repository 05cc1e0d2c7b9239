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
 * As text_read(), for a regular file; `size` is its size in bytes by fstat(2). But if the file is
 * longer than `limit` bytes, reads only `limit` bytes. The text is the whole file if two conditions
 * hold: the text is shorter than `limit`, and fstat(2) gives the same size after the call.
 */
int text_read_sized(int fd, size_t size, size_t limit, char **ret, size_t *ret_len);

/* The kind of a file, for messages. */
struct text_kind {
	const char *name; /* "plyfs.yaml" */
	const char *what; /* "settings are", for "is a directory; settings are read from a file" */
	size_t size_max;  /* bytes */
};

/**
 * Reads the file at `place`. Messages call the file `path`. `ret_stat` may be NULL. A directory, a
 * pipe, and a file larger than kind->size_max are problems. Returns 0 with *ret for free(3),
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

/** Writes the whole content of the file `from` to the descriptor `to`. Returns 0 or -errno. */
int text_copy(int from, int to);

/**
 * Returns a text with the meaning of `error`, the -errno of a call on a path, and with the remedy.
 * For a rare error, returns the text of strerror(3).
 */
const char *text_error(int error);
