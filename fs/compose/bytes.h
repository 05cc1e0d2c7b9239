/*
 * Memory for the bytes of files: those of versions, sources and records.
 *
 * Contract: a process that is forked later has none of these bytes, neither in use nor freed
 * (MADV_DONTFORK in madvise(2)). So a worker has the bytes of its own jobs alone. If a forked
 * process accessed the bytes that it lacks, it would crash. With MADV_WIPEONFORK it would find
 * zeros, which it might merge, and plyfs show.
 *
 *      region, 256 KiB ─▶ blocks of 32 bytes to 128 KiB: powers of two
 *      ├ size │ bytes ┤ size │ free ─▶ …
 *
 * Larger bytes are in a mapping of their own.
 *
 * Any thread may call these functions, but the bytes that the first thread has made are its own to
 * resize and free: settings are read aside (aside.h), in records. With sanitizers the functions are
 * malloc(3) and free(3) (bytes_checked.c): so the sanitizer finds leaks, and accesses beyond the
 * end.
 */
#pragma once

#include <stddef.h>

#include "span.h"

/** Allocates `size` bytes, for bytes_free(). NULL: no memory. */
char *bytes_new(size_t size);

/** Copies the text, and adds a NUL, for bytes_free(). NULL: no memory. */
char *bytes_dup(struct span text);

/** Moves the bytes (NULL: none) to a place for `size` bytes. NULL: no memory; nothing changes. */
char *bytes_resize(char *bytes, size_t size);

void bytes_free(char *bytes); /* NULL is fine */
void bytes_freep(char **bytes);

/** Gives free memory back to the system, as malloc_trim(3) does. */
void bytes_trim(void);

/** Keeps a mapping of the caller's out of processes that are forked later. Returns 0 or -ENOMEM. */
int bytes_hide(struct span map);
