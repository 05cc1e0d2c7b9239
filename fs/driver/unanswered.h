/*
 * Requests that wait for an answer. After a take-over, the new daemon handles them as new ones.
 *
 * Some wait until the file of a placeholder inode (placeholder.h) is composed. Then the daemon
 * handles them as new ones. As on a disk, a signal ends such a request only if the signal kills the
 * program; the request is then answered with EINTR, as the kernel waits for an answer. If we can't
 * see the program (it is in another PID namespace, or /proc hides it), any signal does the same.
 */
#pragma once

#include <stddef.h>

#include "driver.h"
#include "pool.h"
#include "record.h"

struct fuse_session;

/* A copy of a request that waits, with what answers it. */
struct unanswered {
	struct pool_job job;       /* first; for unanswered_run() */
	struct view_caller caller; /* for view_lookup() */
	struct session *session;
	fuse_req_t req; /* NULL: no coroutine will answer the request: it must be repeated */
	fuse_ino_t ino; /* of the request; LOOKUP: of the directory */

	/* READDIR */
	size_t size;
	off_t offset;

	/* private */
	struct unanswered *next;
	struct unanswered **place; /* the pointer to it */
	struct span bytes;
	_Alignas(max_align_t) char data[]; /* of `bytes`; aligned for request_loop_ask() */
};

/**
 * Copies the present request, for unanswered_end(), _is_kept() or _run(). If memory is short,
 * answers the request, and returns NULL.
 */
struct unanswered *unanswered_add(fuse_req_t req, fuse_ino_t ino);

/** Returns the copy that has `caller`. */
struct unanswered *unanswered_of(struct view_caller *caller);

/** Returns the name in the copy of a LOOKUP. */
const char *unanswered_name(const struct unanswered *request);

/** Frees the copy of a request that is being answered. */
void unanswered_end(struct unanswered *request);

/**
 * Call it when the work on a request has ended with `result`. If the session rests
 * (session_handover_is_at_rest()), and `result` is -ENOTCONN, keeps the copy, makes libfuse forget
 * the request, and returns true. Otherwise frees the copy, and returns false: the caller must
 * answer.
 */
bool unanswered_is_kept(struct unanswered *request, int result);

/** Calls `run` with the copy, as view_run(); if the pool stops first, calls unanswered_drop(). */
void unanswered_run(struct unanswered *request, void (*run)(struct pool_job *job), uint64_t bytes);

/** Keeps the copy for the next daemon, or answers with ENOTCONN. */
void unanswered_drop(struct pool_job *job);

/** Writes the copies of all requests, kept or not, to `record`. */
void unanswered_put(const struct session_handover *handover, struct record *record);

/** Handles the requests that unanswered_is_kept() has kept or unanswered_take() has read. */
void unanswered_ask_again(struct session_handover *handover, struct fuse_session *fuse);

/** In the new daemon: reads requests from `record`. Returns 0 or -ENOMEM. */
int unanswered_take(struct session_handover *handover, struct record *record);

void unanswered_free(struct session_handover *handover);

/**
 * Returns whether the present request must wait for the file of the placeholder `ino`. If so, the
 * request is handled again when the file is composed, or ends with an error: the caller must not
 * answer it.
 */
bool unanswered_waits(fuse_req_t req, fuse_ino_t ino);
