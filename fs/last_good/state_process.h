/*
 * The process plyfs-state: only this process writes the directory of the last-good store
 * (last_good_file.h), and it can write nothing else.
 *
 *      daemon ── CALL ──▶ plyfs-state      a version must be written: it waits a while for more
 *             ◀─ NEXT ───
 *             ── PUT, REMOVE ─▶            one file
 *             ◀─ NEXT ───                  … until the daemon has no more:
 *             ── COMMIT ─▶
 *             ◀─ WRITTEN ─                 all of them are on the disk
 *
 * Nothing waits for it while the mount is served. If an order fails (the disk is full), it sends
 * FAILED once and tries again by itself. It ends when its socket is closed.
 */
#pragma once

#include <stdint.h>

#include "sandbox.h"

enum state_order_kind {
	STATE_CALL,
	STATE_HURRY, /* as CALL, but it must not wait for more: the daemon is ending */
	STATE_PUT,   /* with a descriptor of the file's content */
	STATE_REMOVE,
	STATE_COMMIT,
	STATE_RELEASE, /* unlock the directory for another daemon; the answer is RELEASED */
	STATE_CLAIM,   /* lock the directory again */
};

struct state_order {
	enum state_order_kind kind;
	uint64_t number; /* of the file */
};

enum state_answer_kind { STATE_NEXT, STATE_WRITTEN, STATE_FAILED, STATE_RELEASED };

struct state_answer {
	enum state_answer_kind kind;
	int error; /* STATE_FAILED: -errno */
};

/* Maximum number of files that are committed together. */
#define STATE_BATCH 256

/**
 * Starts the process, before the mount is made. The descriptor `directory` stays the caller's; a
 * lock that the caller takes with it (flock(2)) is the process's, too. Returns 0 with the
 * nonblocking socket in *ret; or -errno.
 */
int state_process_start(int directory, const struct sandbox_switches *switches, int *ret);
