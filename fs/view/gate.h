/*
 * The gate: what has a check in plyfs.yaml is shown only if the check's command ended well for
 * exactly those bytes.
 *
 *      look.c: composed ──▶ gate_judge ──▶ the last that passed ───────▶ goes on
 *                               │      ──▶ the last that failed ───────▶ a problem, as a parse
 * error ▼ candidate ──▶ queue ──▶ runner, two at a time, one of a path │ the path is looked at
 * again ◀── verdict ┘
 *
 * No look waits here. The publisher's ends without a change, and comes again when the verdict is
 * there; of several candidates of a path that wait, the newest counts. A request's shows the
 * candidate at once, but whoever reads it waits for the verdict: a lookup that waited would hold
 * the directory's lock in the kernel, and so all that is published there.
 */
#pragma once

#include "problem.h"
#include "state.h"

struct entry;
struct look;

/**
 * What is said of the version that was composed. Returns 0: it may be shown, though perhaps not yet
 * read; PROBLEM, with look->problem; LOOK_AT_GATE or LOOK_IS_CURRENT: what is shown stays for now;
 * or -ENOMEM. Takes the lock.
 */
int gate_judge(struct look *look);

/** plyfs.yaml is read again, before the view works with it. */
void gate_reload(struct view *view);

/** Nothing is judged any more. Who waits for a verdict is told -ENOTCONN. */
void gate_stop(struct view *view);

/** Frees what is known of an entry that goes. */
void gate_forget(struct entry *entry);
