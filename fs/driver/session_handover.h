/*
 * Handing a session over (handover.h): the previous daemon's state, while we take over from it, and
 * our own way to the next daemon.
 *
 *      session_handover_begin()   the publisher stops; the request loop and the view come to rest
 *      session_handover_run()     the state is written; exec, or the service manager has the mount
 *      session_handover_go_on()   that has failed: the view is resumed
 */
#pragma once

#include <stdbool.h>

#include "handover.h"

struct session;

struct session_handover {
	struct heir *heir;       /* has the previous daemon's state; NULL: the mount is ours */
	struct record *record;   /* that state; NULL: we mounted ourselves */
	struct handover *offer;  /* NULL: the mount can't be taken over */
	enum handover_wish wish; /* _WANTED or _LEAVE while at rest; else _NOTHING */
	struct unanswered *unanswered; /* requests that wait for an answer */
};

void session_handover_fini(struct session_handover *handover);

/** Lets SIGUSR2 begin a take-over, if options.call says by what. Returns 0 or -errno. */
int session_handover_offer(struct session *session);

/** Returns whether the view is paused: requests that it drops are repeated later. */
bool session_handover_is_at_rest(const struct session_handover *handover);

/**
 * Handles a signal, or the end of a trial; its context is the session. Returns whether the session
 * comes to rest: then the request loop must end.
 */
bool session_handover_begin(void *context);

/**
 * Hands the mount over, while no request is under way. Does not return if the exec succeeds.
 * Returns SESSION_LEFT: the manager has the mount; or -errno: this process must go on.
 */
int session_handover_run(struct session *session);

/**
 * After `error`, ends the rest. The caller starts the publisher, and repeats dropped requests.
 * Returns 0 or -errno.
 */
int session_handover_go_on(struct session *session, int error);
