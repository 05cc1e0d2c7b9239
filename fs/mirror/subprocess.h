/*
 * A program that runs beside us, and whose output we read as it comes. It has a session of its own,
 * so it can't ask for anything at a terminal. It is killed at its time limit, and when we end.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "credentials.h"

/* Maximum number of bytes of standard error that are stored; the rest is dropped. */
#define SUBPROCESS_ERROR_MAX 1024

struct subprocess {
	pid_t pid;
	int out;          /* its standard output */
	int err;          /* its standard error; -1: the program has closed it */
	int64_t deadline; /* by clock_ms(), in milliseconds */
	char error[SUBPROCESS_ERROR_MAX];
	size_t error_len;
	char buffer[1 << 16]; /* output; the caller has not taken that from `begin` to `end` yet */
	size_t begin;
	size_t end;
};

/* Arguments and environment are as for execve(2). The program is searched for in PATH. */
struct subprocess_options {
	char *const *arguments;
	char *const *environment;
	int input;                    /* standard input; -1: /dev/null */
	const struct credentials *as; /* its credentials; NULL: ours */
	unsigned timeout_s;
};

/** Starts the program. Returns 0: then the caller must call subprocess_end(); or -errno. */
int subprocess_start(struct subprocess *child, const struct subprocess_options *options);

/**
 * Reads up to `len` bytes of standard output. Returns their number; 0: the end; -ETIMEDOUT; or
 * another -errno.
 */
ssize_t subprocess_read(struct subprocess *child, char *bytes, size_t len);

/** Reads `len` bytes; NULL: skips them. Returns 0; -ENODATA: the output is shorter; or -errno. */
int subprocess_read_all(struct subprocess *child, char *bytes, size_t len);

/**
 * Reads a string up to the byte `end`, which it drops. Returns 0 with the string's length; -ENODATA
 * at the end of the output; -EMSGSIZE if `text` is too small; or another -errno.
 */
int subprocess_read_until(
	struct subprocess *child, char end, char *text, size_t size, size_t *ret_len);

/** Makes subprocess_end() kill the program at once and return -ETIMEDOUT. */
void subprocess_give_up(struct subprocess *child);

/**
 * Waits for the program's end, and drops its remaining output. Returns its exit status; or -errno:
 * -ETIMEDOUT, or -ECHILD if a signal ended it. child->error is then one line.
 */
int subprocess_end(struct subprocess *child);
