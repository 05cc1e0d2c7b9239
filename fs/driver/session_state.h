/*
 * The state of a session that the previous daemon passes to the new one: the driver's agreement
 * with the kernel (the answer to INIT), the requests that wait for an answer, the directories of
 * the origins, the shown tree, and last good versions.
 */
#pragma once

#include "problem.h"
#include "record.h"

struct session;

/** Writes the state. Call it when no request is under way. */
void session_state_put(struct session *session, struct record *record);

/** Reads the agreement. Returns 0 or -errno; in both cases *fuse_fd (or -1) is for close(2). */
int session_state_take_agreement(struct session *session, int *fuse_fd);

/** Reads the rest of the state. Returns 0, PROBLEM or -errno. */
int session_state_take_shown(struct session *session, struct problem *problem);

/** Returns PROBLEM: the settings have another coherence than the mount. */
int session_state_refuse_coherence(const char *mountpoint, struct problem *problem);
