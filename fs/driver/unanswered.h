/*
 * Requests that wait for an answer. After a take-over, the new daemon handles them as new ones.
 *
 * Some wait until the file of a placeholder inode (placeholder.h) is composed, and are then handled
 * as new ones. If the program that made such a request gets a signal, the request ends with EINTR.
 */
#pragma once

#include "driver.h"
#include "record.h"

struct fuse_session;
struct unanswered;

/** Copies the present request, for unanswered_end(), _handle() or _is_kept(). NULL: no memory. */
struct unanswered *unanswered_add(struct session_handover *handover);

/** Frees the copy of a request that is being answered. */
void unanswered_end(struct unanswered *request);

/** Handles the request as a new one. Frees the copy, and makes libfuse forget `req`. */
void unanswered_handle(struct unanswered *request, fuse_req_t req);

/**
 * Call it when the work on a request has ended with `result`. If the view was paused
 * (session_handover_is_at_rest()), and `result` is -ENOTCONN, keeps the copy, makes libfuse forget
 * `req`, and returns true. If not, frees the copy, and returns false: the caller answers.
 */
bool unanswered_is_kept(
	struct session_handover *handover, struct unanswered *request, fuse_req_t req, int result);

/** Writes the copies of all requests, kept or not, to `record`. */
void unanswered_put(const struct session_handover *handover, struct record *record);

/** Handles the requests that unanswered_is_kept() has kept, or unanswered_take() has read. */
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
