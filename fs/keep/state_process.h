/*
 * The process plyfs-state: the only one that writes the directory of the last-good store, and it can
 * write nothing else (kept_file.h).
 *
 *      daemon ── CALL ──▶ plyfs-state      something is to be written: it waits for more to come
 *             ◀─ NEXT ───
 *             ── PUT, REMOVE ─▶            one file
 *             ◀─ NEXT ───                  … until the daemon has no more:
 *             ── COMMIT ─▶
 *             ◀─ WRITTEN ─                 all of them are on the disk
 *
 * Nobody waits for it while the mount is served. If the disk is full, it answers FAILED once and
 * tries again by itself. It ends with its socket.
 */
#pragma once

#include <stdint.h>

#include "sandbox.h"

enum state_order_kind {
	STATE_CALL,
	STATE_HURRY, /* CALL, and does not wait: the daemon ends */
	STATE_PUT,   /* with the descriptor of its content */
	STATE_REMOVE,
	STATE_COMMIT,
	STATE_RELEASE, /* unlocks the directory: another daemon takes over. The answer: RELEASED */
	STATE_CLAIM,   /* locks it again */
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

/* Files that are committed together. */
#define STATE_BATCH 256

/**
 * Starts it, before the mount is made. The directory's descriptor stays the caller's; a lock that
 * the caller takes with it (flock(2)) is the process's as well. Returns 0 with the socket, which
 * does not block, or -errno.
 */
int state_process_start(int directory, const struct sandbox_switches *switches, int *ret);
