/*
 * A probe: a call on a file system that may never answer, made by a child process.
 *
 * When the time is up, probe_end() kills the child, and waits at most 50 ms for its end. If the
 * kernel can't interrupt the call, the child outlives probe_end(). The child has no open file of
 * the caller. It stays in the caller's process group: if the caller makes a mount for an
 * automounter, processes of all other groups wait for that mount (autofs(5)).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Time limits in milliseconds: for a mount that the user has named, and for any other. */
#define PROBE_MS 5000
#define PROBE_OTHERS_MS 2000

/* Limit in ms of a probe that asks whether a mount is silent. A healthy mount answers sooner. */
#define PROBE_NAME_MS 300

struct probe {
	pid_t pid;
	int fd;              /* the child's output; -1: no child was started */
	int64_t deadline_ms; /* when the time is up, by CLOCK_MONOTONIC */
	int error;           /* -errno: why no child was started */
};

/** The child's work: writes its output to `out`. Returns 0 or -errno. May leak memory. */
typedef int probe_call(void *context, int out);

/** Starts a child that makes the call. Its time is up after `limit_ms`. Always call probe_end(). */
void probe_start(struct probe *probe, unsigned limit_ms, probe_call *call, void *context);

/**
 * Waits for the child. Returns the call's result; -ETIMEDOUT; -EFBIG: the output has more than
 * 64 MiB; or another -errno. After 0, *ret is the output with a NUL behind it, for free(3). `ret`
 * and `ret_len` may be NULL.
 */
int probe_end(struct probe *probe, char **ret, size_t *ret_len);

/** Calls probe_start() and probe_end(). */
int probe_run(unsigned limit_ms, probe_call *call, void *context, char **ret, size_t *ret_len);

/** Calls realpath(3) in a probe. Returns 0 with *ret for free(3), or -errno. */
int probe_real_path(unsigned limit_ms, const char *path, char **ret);
