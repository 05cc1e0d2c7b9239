/*
 * The process plyfs-keep, and its messages to the daemon: packets over a socket. Any message from
 * the daemon means: read plyfs.yaml again.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/* The first byte of a message; text follows, with no NUL. */
enum supervisor_word {
	SUPERVISOR_LOG = 'L',    /* a line */
	SUPERVISOR_STATE = 'S',  /* a layer has its first state now */
	SUPERVISOR_STATUS = 'T', /* for the service manager's status line */
};

/* Maximum size of a message, in bytes. */
#define SUPERVISOR_MESSAGE_MAX 2048

/** Runs the process: runs the mirrors of `outline` until the socket's other end is closed. */
__attribute__((noreturn)) void supervisor_process(
	const struct settings *outline, const struct sandbox_switches *switches, int socket);
