/*
 * A program that is run for us, with what it writes read as it comes. It has a session of its own,
 * so it asks nobody at a terminal; it is killed when its time is up, and when we are.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "guise.h"

/* Bytes of what it says on standard error that are kept; the rest is dropped. */
#define SUBPROCESS_ERROR_MAX 1024

struct subprocess {
	pid_t pid;
	int out;
	int err;           /* -1: it has closed it */
	uint64_t deadline; /* mirror_now() */
	char error[SUBPROCESS_ERROR_MAX];
	size_t error_len;
	char buffer[1 << 16]; /* of what was read and not taken */
	size_t begin;
	size_t end;
};

/* What is run: arguments and environment as in execve(2), the program found in PATH. */
struct subprocess_options {
	char *const *arguments;
	char *const *environment;
	int input; /* standard input; -1: nothing */
	const struct guise *guise; /* with whose rights; NULL: ours */
	unsigned timeout_s;
};

/** Starts it. Returns 0, and then subprocess_end() must be called; or -errno. */
int subprocess_start(struct subprocess *child, const struct subprocess_options *options);

/** Up to `len` bytes of its standard output; 0: its end. -ETIMEDOUT or another -errno. */
ssize_t subprocess_read(struct subprocess *child, char *bytes, size_t len);

/** All of `len` bytes; NULL: passes over them. 0; -ENODATA: it ends before; or -errno. */
int subprocess_read_all(struct subprocess *child, char *bytes, size_t len);

/**
 * Up to the byte `end`, which is not in it, as a string: 0 with its length; -ENODATA at the end of
 * all; -EMSGSIZE when it is longer; or -errno.
 */
int subprocess_read_until(struct subprocess *child, char end, char *text, size_t size, size_t *ret_len);

/** Nobody wants to know any more what it has to say: subprocess_end() ends it at once, and is -ETIMEDOUT. */
void subprocess_give_up(struct subprocess *child);

/**
 * Waits for its end, with what it still says dropped. Its exit status; or -errno: -ETIMEDOUT, and
 * -ECHILD when a signal ended it. child->error is then one line.
 */
int subprocess_end(struct subprocess *child);
