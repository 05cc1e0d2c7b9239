/*
 * The gate: if a path has a check in plyfs.yaml, new bytes are shown only after the check's command
 * has accepted exactly these bytes.
 *
 *      composed ──▶ gate_judge ──▶ the last that passed ──▶ shown
 *                       │      ──▶ the last that failed ──▶ a problem, as a parse error is one
 *                       ▼
 *                   candidate ──▶ queue ──▶ runner: two at a time, one of a path ──▶ verdict
 *
 * No lock is held during a check. The publisher's job ends without a change, and the name is queued
 * again when the verdict is there; of several candidates of a path, the newest counts. A first
 * lookup is parked until the verdict, and is answered with a placeholder inode (promise.h). The
 * entry keeps the verdicts on the last bytes that passed and the last that failed.
 *
 * The daemon sends only path and kind (run_message.h). plyfs-run finds the command in the
 * plyfs.yaml that it has read itself.
 */
#pragma once

#include "problem.h"
#include "state.h"

struct entry;
struct look;

/**
 * Judges the version that was composed. Returns 0: it may be shown; PROBLEM, with look->problem;
 * LOOK_AT_GATE or LOOK_IS_CURRENT: the version shown stays for now; LOOK_IS_PARKED: look_judged()
 * continues the look, perhaps before this returns; or -errno. Takes the lock.
 */
int gate_judge(struct look *look);

/**
 * Queues again the candidates whose check could not run. Returns the milliseconds until the next of
 * them is due; -1: there is none.
 */
int64_t gate_retry_locked(struct view *view, int64_t now_ms);

/** Makes plyfs-run read plyfs.yaml again. Call it before the view uses the new settings. */
void gate_reload(struct view *view);

/** Stops judging. Parked looks end with -ENOTCONN. */
void gate_stop(struct view *view);

/** Frees the gate. Call it after the last entry is gone. */
void gate_fini(struct view *view);

/** Frees the verdicts on an entry that is about to be freed. */
void gate_forget(struct entry *entry);
