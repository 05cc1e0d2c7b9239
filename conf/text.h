/*
 * Texts from malloc(3): of a file, read whole; and put together.
 */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

#include "problem.h"

/**
 * Reads the rest of `fd`, up to `limit` bytes. Returns 0 with *ret, NUL-terminated, for free(3);
 * -EFBIG when there is more; or another -errno.
 */
int text_read(int fd, size_t limit, char **ret, size_t *ret_len);

/** The same, but of a longer file its first `limit` bytes. */
int text_read_head(int fd, size_t limit, char **ret, size_t *ret_len);

/* What a file is read as. */
struct text_kind {
	const char *name; /* for messages: "plyfs.yaml" */
	const char *what; /* "settings are" */
	size_t size_max;  /* bytes */
};

/**
 * Opens and reads the file at `place`, which messages call `path`; `ret_stat` may be NULL; a directory, a pipe or a file
 * that is too large is a problem. Returns 0 with *ret for free(3), PROBLEM or -ENOMEM.
 */
int text_read_file(const char *path, const char *place, const struct text_kind *kind,
	struct stat *ret_stat, char **ret, size_t *len, struct problem *problem);

/** As asprintf(3). Returns 0 with *ret for free(3), or -ENOMEM with *ret NULL. */
__attribute__((format(printf, 2, 3))) int text_format(char **ret, const char *format, ...);

/** Writes all of it. Returns 0 or -errno. */
int text_write(int fd, const char *text, size_t len);
