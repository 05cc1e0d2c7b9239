/*
 * The gate: if a path has a check in plyfs.yaml, new bytes are shown only after the check's command
 * has accepted exactly these bytes. An optional check whose program is missing accepts all bytes.
 *
 *      composed ──▶ gate_judge ──▶ the bytes accepted last ──▶ shown
 *                       │      ──▶ the bytes refused last  ──▶ a fault, like a parse error
 *                       ▼
 *                   candidate ──▶ queue ──▶ runner: two at a time, one per path ──▶ verdict
 *
 * A candidate is a version that waits for its verdict. Of several candidates of a path, the newest
 * counts. If a look (look.h) of the publisher makes a candidate, the look ends without a change,
 * and the verdict queues the name again. If a first look makes a candidate, the look is parked
 * until the verdict, and its callers get a placeholder inode (placeholder.h).
 *
 * The command of a check comes from the settings that are in force when the check starts.
 */
#pragma once

#include "problem.h"
#include "state.h"

struct entry;
struct look;

/**
 * Judges the version in look->result. May wait. Returns 0: the version may be shown; PROBLEM, with
 * look->result.problem: it must not be shown; LOOK_AT_GATE or LOOK_IS_CURRENT (look.h): the shown
 * version stays for now; LOOK_IS_PARKED: look_judged() ends the look, perhaps before this
 * function returns; or -errno.
 */
int gate_judge(struct look *look);

/**
 * Queues each name whose check could not run, and for which another try is due. Returns the
 * milliseconds until the next try; -1: there is none.
 */
int64_t gate_retry(struct view *view, int64_t now_ms);

/** Stops all checks, and the runner. Parked looks end with -ENOTCONN. */
void gate_stop(struct view *view);

/** Frees the gate. Call it after the last entry is gone. */
void gate_fini(struct view *view);

/** Frees the verdicts of an entry that is about to be freed. */
void gate_forget(struct entry *entry);
