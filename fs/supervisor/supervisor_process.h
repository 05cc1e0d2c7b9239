/*
 * The process plyfs-keep, and what it says to the daemon: whole messages over a socket of packets.
 * What the daemon says, of whatever content, means: plyfs.yaml is to be read again.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/* The first byte of a message; text follows, with no NUL. */
enum supervisor_word {
	SUPERVISOR_LOG = 'L',    /* a line */
	SUPERVISOR_STATE = 'S',  /* a layer has a state now, which it had not */
	SUPERVISOR_STATUS = 'T', /* for the service manager's status line */
};

/* Bytes of a message. */
#define SUPERVISOR_MESSAGE_MAX 2048

/** The process's body: keeps the mirrors of `outline` until the socket's other end is closed. */
__attribute__((noreturn)) void supervisor_process(
	const struct settings *outline, const struct sandbox_switches *switches, int socket);
