/*
 * Requests that wait for an answer. A new daemon gets them as the kernel sent them, and handles
 * each as if it had read the request itself.
 */
#pragma once

#include "driver.h"
#include "record.h"

struct fuse_session;
struct unanswered;

/**
 * Stores a copy of the request that is being handled. Returns the copy for unanswered_end() or
 * unanswered_is_kept(); NULL: no memory.
 */
struct unanswered *unanswered_add(struct session_handover *handover);

/** Frees the copy of a request that is being answered. */
void unanswered_end(struct unanswered *request);

/**
 * Call it when the work on a request has ended with `result`. Returns true if that is -ENOTCONN
 * because the view was paused (session_handover_is_at_rest()): then the copy is kept, and libfuse
 * forgets the request `req`. Otherwise frees the copy and returns false: the caller sends the
 * answer.
 */
bool unanswered_is_kept(
	struct session_handover *handover, struct unanswered *request, fuse_req_t req, int result);

/** Writes all stored requests. */
void unanswered_put(const struct session_handover *handover, struct record *record);

/**
 * Handles, as if they were new, the requests that unanswered_is_kept() has kept or
 * unanswered_take() has read.
 */
void unanswered_ask_again(struct session_handover *handover, struct fuse_session *fuse);

/** In the new daemon: reads the requests, for unanswered_ask_again(). Returns 0 or -ENOMEM. */
int unanswered_take(struct session_handover *handover, struct record *record);

void unanswered_free(struct session_handover *handover);
