/*
 * Requests that wait for an answer. A new daemon gets them as the kernel sent them, and handles
 * each as if it had read the request itself.
 */
#pragma once

#include "driver.h"
#include "record.h"

struct unanswered;

/** Stores a copy of the request that is being handled. NULL: no memory. */
struct unanswered *unanswered_add(struct session *session);

/** Frees the copy of a request that is being answered. */
void unanswered_end(struct unanswered *request);

/**
 * Ends a request with `result`. Returns true if the request must be repeated, because the view was
 * paused (session->is_at_rest): then call fuse_reply_none(). Otherwise frees the copy, and the
 * caller answers the request.
 */
bool unanswered_is_kept(struct session *session, struct unanswered *request, int result);

/** Writes the requests, for the new daemon. */
void unanswered_put(struct session *session, struct record *record);

/** Handles again the requests that must be repeated, or that the old daemon has written. */
void unanswered_ask_again(struct session *session);

/** Reads the requests, for unanswered_ask_again(). Returns 0 or -ENOMEM. */
int unanswered_take(struct session *session, struct record *record);

void unanswered_free(struct session *session);
