/*
 * The state of a session, as an heir is given it: what the kernel and the driver agreed on, what is
 * shown, and what is waited for.
 */
#pragma once

#include "problem.h"
#include "record.h"

struct session;

/**
 * No request is under way. What the kernel and the driver agreed on is the driver's, what is shown
 * the view's.
 */
void session_state_put(struct session *session, struct record *record);

/** 0 or -errno. The descriptors are the caller's, also when it fails. */
int session_state_take_agreement(struct session *session, int *fuse_fd, int *listener);

/** What was shown, and is waited for: behind the agreement. 0, PROBLEM, or -errno. */
int session_state_take_shown(struct session *session, struct problem *problem);

/**
 * What the kernel once said to who served first is said again to us. It takes the answer for one
 * that comes too late, which libfuse knows. 0 or -errno.
 */
int session_state_greet_again(struct session *session, int fuse_fd);
