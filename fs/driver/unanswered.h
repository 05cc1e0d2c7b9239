/* Requests that wait for an answer. After a take-over, the new daemon handles them as new ones. */
#pragma once

#include "driver.h"
#include "record.h"

struct fuse_session;
struct unanswered;

/** Copies request_loop_current() for unanswered_end(), _handle() or _is_kept(). NULL: no memory. */
struct unanswered *unanswered_add(struct session_handover *handover);

/** Frees the copy of a request that is being answered. */
void unanswered_end(struct unanswered *request);

/** Makes libfuse forget `req`, and handles the copy as a new request. Frees the copy. */
void unanswered_handle(struct unanswered *request, fuse_req_t req);

/**
 * Call it when the work on a request has ended with `result`. If the session rests
 * (session_handover_is_at_rest()), and `result` is -ENOTCONN, keeps the copy, makes libfuse forget
 * `req`, and returns true. Otherwise frees the copy, and returns false: the caller must answer.
 */
bool unanswered_is_kept(
	struct session_handover *handover, struct unanswered *request, fuse_req_t req, int result);

/** Writes the copies of all requests, kept or not, to `record`. */
void unanswered_put(const struct session_handover *handover, struct record *record);

/** Handles the requests that unanswered_is_kept() has kept or unanswered_take() has read. */
void unanswered_ask_again(struct session_handover *handover, struct fuse_session *fuse);

/** In the new daemon: reads requests from `record`. Returns 0 or -ENOMEM. */
int unanswered_take(struct session_handover *handover, struct record *record);

void unanswered_free(struct session_handover *handover);
