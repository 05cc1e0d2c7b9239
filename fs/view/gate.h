/*
 * The gate: what has a check in plyfs.yaml is shown only if the check's command ended well for
 * exactly those bytes.
 *
 *      composed ──▶ gate_judge ──▶ the last that passed ──▶ shown
 *                       │      ──▶ the last that failed ──▶ a problem, as a parse error is one
 *                       ▼
 *                   candidate ──▶ queue ──▶ runner: two at a time, one of a path ──▶ verdict
 *
 * Nobody holds anything meanwhile. The publisher's look ends without a change, and the name is
 * looked at again when the verdict is there; of several candidates of a path that wait, the newest
 * counts. A first look is parked, and the pool goes on with it; its name is promised (promise.h)
 * meanwhile to who looks it up. What was said of the last bytes that passed, and of the last that
 * failed, is kept in the entry.
 *
 * The daemon asks by path and kind alone (run_message.h). Which command that is, plyfs-run finds in
 * the plyfs.yaml that it has read itself.
 */
#pragma once

#include "problem.h"
#include "state.h"

struct entry;
struct look;

/**
 * What is said of the version that was composed. Returns 0: it may be shown; PROBLEM, with
 * look->problem; LOOK_AT_GATE or LOOK_IS_CURRENT: what is shown stays for now; LOOK_IS_PARKED: it
 * goes on with look_judged(), and may have done so already; or -errno. Takes the lock.
 */
int gate_judge(struct look *look);

/**
 * Queues what is to be judged again, because it could not be. Returns the milliseconds until there
 * is more; -1: there is none.
 */
int64_t gate_retry_locked(struct view *view, int64_t now_ms);

/** plyfs.yaml is read again, before the view works with it. */
void gate_reload(struct view *view);

/** Nothing is judged any more. Looks that are parked end with -ENOTCONN. */
void gate_stop(struct view *view);

/** Frees the rest, when there are no entries any more. */
void gate_fini(struct view *view);

/** Frees what is known of an entry that goes. */
void gate_forget(struct entry *entry);
