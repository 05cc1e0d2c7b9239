/*
 * Handing a session over (handover.h): to the next daemon, and from the previous one.
 *
 *      session_handover_begin()   the publisher stops, then the request loop: the session rests
 *      session_handover_run()     the view is paused, the state written; then exec, or the service
 *                                 manager gets the state
 *      session_handover_go_on()   if session_handover_run() has failed: the view is resumed
 */
#pragma once

#include <stdbool.h>

#include "handover.h"
#include "problem.h"
#include "record.h"

struct session;

struct session_handover {
	struct previous *previous; /* the source of `record`, in a take-over; else NULL */
	struct record *record;   /* the previous daemon's state, from previous_take(); else NULL */
	struct handover *offer;  /* our side of the next take-over; NULL: none is possible */
	enum handover_wish wish; /* while the session rests: _WANTED or _LEAVE; else _NOTHING */
	struct unanswered *unanswered; /* requests that wait for an answer */
};

void session_handover_fini(struct session_handover *handover);

/** Lets SIGUSR2 begin a take-over, if session_options.call is set. Returns 0 or -errno. */
int session_handover_offer(struct session *session);

/** Returns whether the session rests, or will soon: requests dropped now are repeated later. */
bool session_handover_is_at_rest(const struct session_handover *handover);

/**
 * Handles a signal, or the end of a trial (trial.h). `context` is the session. If the session is
 * about to rest, returns true, and the request loop must end.
 */
bool session_handover_begin(void *context);

/**
 * Hands the mount over. Call it when no coroutine reads requests any longer. Does not return if the
 * exec succeeds. Returns SESSION_LEFT (session.h): the service manager has the mount; or -errno.
 */
int session_handover_run(struct session *session);

/**
 * Logs that session_handover_run() has returned `error`, and resumes the view. Afterwards, the
 * caller must start a new publisher, and repeat dropped requests. Returns 0 or -errno.
 */
int session_handover_go_on(struct session *session, int error);

/**
 * Reads the mount's descriptors and the agreement with the kernel (connection.h) from the previous
 * daemon's state. Returns 0 with *fuse_fd, the open /dev/fuse. If the result is -errno, the caller
 * must end this process, to close /dev/fuse.
 */
int session_handover_take_agreement(struct session *session, int *fuse_fd);

/** Reads the rest of the previous daemon's state. Returns 0, PROBLEM or -errno. */
int session_handover_take_shown(struct session *session, struct problem *problem);

/** Reports that `coherence` in plyfs.yaml differs from that of the mount. Returns PROBLEM. */
int session_handover_refuse_coherence(const char *mountpoint, struct problem *problem);
