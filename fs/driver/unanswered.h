/*
 * Requests that wait for an answer. A new daemon gets them as the kernel sent them, and handles
 * each as if it had read the request itself.
 */
#pragma once

#include "record.h"
#include "session_handover.h"

struct fuse_session;
struct unanswered;

/** Stores a copy of the request that is being handled. NULL: no memory. */
struct unanswered *unanswered_add(struct session_handover *handover);

/** Frees the copy of a request that is being answered. */
void unanswered_end(struct unanswered *request);

/**
 * Ends the work on a request, with `result`. Returns true if the request must be repeated, as the
 * view is paused (session_handover_is_at_rest()): then call fuse_reply_none(). If it returns false,
 * the copy is freed, and the caller answers.
 */
bool unanswered_is_kept(struct session_handover *handover, struct unanswered *request, int result);

/** _put writes all requests for a new daemon. _ask_again handles those that must be repeated. */
void unanswered_put(const struct session_handover *handover, struct record *record);
void unanswered_ask_again(struct session_handover *handover, struct fuse_session *fuse);

/** Reads the requests, for unanswered_ask_again(). Returns 0 or -ENOMEM. */
int unanswered_take(struct session_handover *handover, struct record *record);

void unanswered_free(struct session_handover *handover);
