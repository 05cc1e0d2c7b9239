/*
 * The process plyfs-state, which writes the directory of the last-good store (last_good_file.h). No
 * other process writes there, and plyfs-state can write nowhere else.
 *
 *      daemon ── CALL ──▶ plyfs-state      there are files to write
 *             ◀─ NEXT ───                  a second later
 *             ── PUT or REMOVE ─▶          one file
 *             ◀─ NEXT ───                  these two repeat, at most STATE_BATCH times
 *             ── COMMIT ─▶
 *             ◀─ WRITTEN ─                 all of them are on the disk
 *
 * If an order fails (the disk is full), plyfs-state sends FAILED once, and repeats the order until
 * it succeeds. plyfs-state ends when its socket is closed.
 */
#pragma once

#include <stdint.h>

#include "sandbox.h"

enum state_order_kind {
	STATE_CALL,
	STATE_HURRY, /* as STATE_CALL, but NEXT comes at once: the daemon is ending */
	STATE_PUT,   /* with a descriptor of the file's content */
	STATE_REMOVE,
	STATE_COMMIT,
	STATE_RELEASE, /* unlock the directory for another daemon; the answer is RELEASED */
	STATE_CLAIM,   /* lock the directory again */
};

struct state_order {
	enum state_order_kind kind;
	uint64_t number; /* of the file (last_good_file.h) */
};

enum state_answer_kind { STATE_NEXT, STATE_WRITTEN, STATE_FAILED, STATE_RELEASED };

struct state_answer {
	enum state_answer_kind kind;
	int error; /* STATE_FAILED: -errno */
};

/* Maximum number of files in one commit. */
#define STATE_BATCH 256

/**
 * Starts the process; call it before the mount is made. The descriptor `directory` stays the
 * caller's. The process inherits it, and shares the caller's flock(2) on it. Returns 0 with the
 * nonblocking socket in *ret, for close(2); or -errno.
 */
int state_process_start(int directory, const struct sandbox_switches *switches, int *ret);
