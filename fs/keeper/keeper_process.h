/*
 * The process plyfs-keep, and what it says to the daemon: whole messages over a socket of packets.
 * What the daemon says, of whatever content, means: plyfs.yaml is to be read again.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/* The first byte of a message; text follows, with no NUL. */
enum keeper_word {
	KEEPER_LOG = 'L',    /* a line */
	KEEPER_STATE = 'S',  /* a layer has a state now, which it had not */
	KEEPER_STATUS = 'T', /* for the service manager's status line */
};

/* Bytes of a message. */
#define KEEPER_MESSAGE_MAX 2048

/** The process's body: keeps the mirrors of `outline` until the socket's other end is closed. */
__attribute__((noreturn)) void keeper_process(
	const struct settings *outline, const struct sandbox_switches *switches, int socket);
