/*
 * Requests that wait for an answer. A daemon that takes the mount over gets them as the kernel sent
 * them, and answers under their numbers.
 */
#pragma once

#include "driver.h"
#include "record.h"

struct unanswered;

/** Keeps a copy of the request that this thread is handling. NULL: no memory. */
struct unanswered *unanswered_add(struct session *session);

/** Drops a request that is being answered. */
void unanswered_end(struct session *session, struct unanswered *request);

/**
 * Returns whether the request was dropped because the view is at rest, and will be repeated: then
 * call fuse_reply_none(). Else it is being answered.
 */
bool unanswered_is_kept(struct session *session, struct unanswered *request, int result);

/** Write them for an heir; and repeat the dropped ones here, if the mount was not handed over. */
void unanswered_put(struct session *session, struct record *record);
void unanswered_ask_again(struct session *session);

/** Reads them, for unanswered_ask_again(). Returns 0 or -ENOMEM. */
int unanswered_take(struct session *session, struct record *record);

void unanswered_free(struct session *session);
