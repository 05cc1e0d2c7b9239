/*
 * A probe: a call on a file system that may never answer, made by a child process. When its time is
 * up the child is killed and left alone: in a call that can't be interrupted it ends when that ends,
 * and meanwhile holds nothing of ours, no terminal, no pipe and no open file.
 *
 * stat(2), open(2), realpath(3) and getxattr(2) wait for the process that serves a FUSE mount, or
 * for a server somewhere in the network. Any user who may mount can make one that is silent.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Milliseconds. A mount that the user has named may have much to do; of others there are many. */
#define PROBE_MS 5000
#define PROBE_OTHERS_MS 2000

struct probe {
	pid_t pid;
	int fd; /* the child's output; -1: none was started */
	int64_t due_ms;
	int error; /* why none was started */
};

/** What the child does: writes to `out`, and returns 0 or -errno. It may keep all it allocates. */
typedef int probe_call(void *context, int out);

/** Starts a child that makes the call, for `limit_ms` from now on. Ended by probe_end(). */
void probe_start(struct probe *probe, unsigned limit_ms, probe_call *call, void *context);

/**
 * Waits for it. Returns what the call returned, if that is 0 with *ret for free(3), what it wrote and
 * a NUL; -ETIMEDOUT: it did not end in time; -EFBIG: it wrote more than a status has; or another
 * -errno.
 */
int probe_end(struct probe *probe, char **ret, size_t *ret_len);

/** Both. */
int probe_run(
	unsigned limit_ms, probe_call *call, void *context, char **ret, size_t *ret_len);

/** realpath(3), of a `path` that somebody may have named. Returns 0 with *ret for free(3), or -errno. */
int probe_real_path(unsigned limit_ms, const char *path, char **ret);
