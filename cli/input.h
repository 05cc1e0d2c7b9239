/* An input of a command: a file, or standard input. */
#pragma once

#include <stddef.h>

#include "problem.h"

/* The name of standard input in messages. */
#define INPUT_STDIN "<stdin>"

/**
 * Reads the file; NULL: standard input. Returns 0 with *ret, NUL-terminated, for free(3); PROBLEM;
 * -EFBIG: it has more than `limit` bytes; or -ENOMEM.
 */
int input_read(const char *file, size_t limit, char **ret, size_t *len, struct problem *problem);
