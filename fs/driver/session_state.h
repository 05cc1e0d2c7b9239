/*
 * The state of a session that a daemon hands to the next daemon: the mount's descriptors; the
 * agreement with the kernel (connection.h); the requests that wait for an answer; the directories
 * of .plyfs/origins; the shown tree; and last good versions.
 */
#pragma once

#include "problem.h"
#include "record.h"

struct session;

/** Writes the state. Call it when no request is under way. */
void session_state_put(struct session *session, struct record *record);

/**
 * Reads the mount's descriptors and the agreement. Returns 0 or -errno. In both cases *fuse_fd
 * becomes the open /dev/fuse, which the caller owns; -1: there is none.
 */
int session_state_take_agreement(struct session *session, int *fuse_fd);

/** Reads everything after the agreement. Returns 0, PROBLEM or -errno. */
int session_state_take_shown(struct session *session, struct problem *problem);

/** Reports that the option `coherence` in the settings is not the mount's. Returns PROBLEM. */
int session_state_refuse_coherence(const char *mountpoint, struct problem *problem);
