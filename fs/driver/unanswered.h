/*
 * Requests that wait for an answer: who takes the mount over is asked them once more, as the kernel
 * asked us, and answers under their numbers.
 */
#pragma once

#include "driver.h"
#include "record.h"

struct unanswered;

/** Keeps a copy of the request that this thread is taking apart. NULL: no memory. */
struct unanswered *unanswered_add(struct session *session);

/** It is being answered. */
void unanswered_end(struct session *session, struct unanswered *request);

/**
 * Whether nobody is to answer it here: it was given up because the view is at rest, and will be
 * asked again. Then *req must be given to fuse_reply_none(), and else it is being answered.
 */
bool unanswered_is_kept(struct session *session, struct unanswered *request, int result);

/**
 * All of them, and the ones that were given up are asked again here: the mount was not handed over.
 */
void unanswered_put(struct session *session, struct record *record);
void unanswered_ask_again(struct session *session);

/** Those of the record are asked by unanswered_ask_again(). 0 or -ENOMEM. */
int unanswered_take(struct session *session, struct record *record);

void unanswered_free(struct session *session);
