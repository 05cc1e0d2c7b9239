/*
 * A program that runs while we read its output. It has a session of its own (setsid(2)), without a
 * terminal. After the time limit subprocess_end() kills it. If we end first, the kernel kills it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "credentials.h"

/*
 * Maximum number of bytes of standard error. The last ones are kept: git names the cause at the
 * end, after the greeting of an ssh server.
 */
#define SUBPROCESS_ERROR_MAX 1024

struct subprocess {
	pid_t pid;
	int out;          /* its standard output */
	int err;          /* its standard error; -1: the program has closed it */
	int64_t deadline; /* by clock_ms(), in milliseconds */
	char error[SUBPROCESS_ERROR_MAX];
	size_t error_len;
	char buffer[1 << 16]; /* output; the part from `begin` to `end` is not returned yet */
	size_t begin;
	size_t end;
};

/* Arguments and environment are as for execve(2). arguments[0] is searched for in PATH. */
struct subprocess_options {
	char *const *arguments;
	char *const *environment;
	int input;                    /* standard input; -1: /dev/null */
	const struct credentials *as; /* its credentials; NULL: ours */
	unsigned timeout_s;
};

/** Starts the program. Returns 0 or -errno. After 0, the caller must call subprocess_end(). */
int subprocess_start(struct subprocess *child, const struct subprocess_options *options);

/**
 * Reads exactly `len` bytes of standard output into `bytes`; NULL: skips them. Returns 0; -ENODATA
 * if the output has fewer bytes; -ETIMEDOUT if the time limit has passed; or another -errno.
 */
int subprocess_read_all(struct subprocess *child, char *bytes, size_t len);

/**
 * Reads standard output up to the byte `end`, and drops that byte. Returns 0 with a string in
 * `text`, which has room for `size` bytes, and with the string's length in *ret_len; -ENODATA if
 * the output has no such byte; -EMSGSIZE if `text` is too small; or another -errno.
 */
int subprocess_read_until(
	struct subprocess *child, char end, char *text, size_t size, size_t *ret_len);

/** As subprocess_read_until(), but cuts a longer text. So it never returns -EMSGSIZE. */
int subprocess_read_cut(struct subprocess *child, char end, char *text, size_t size);

/** Makes subprocess_end() kill the program at once and return -ETIMEDOUT. */
void subprocess_give_up(struct subprocess *child);

/**
 * Waits for the program's end, and drops its remaining output. Makes child->error a string without
 * line ends. Returns the exit status; -ETIMEDOUT if the time limit has passed; -ECHILD if a signal
 * ended the program; or another -errno.
 */
int subprocess_end(struct subprocess *child);
