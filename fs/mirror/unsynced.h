/*
 * A mark on the first state of a replica (replica.h). A mount may wait for that state, so the
 * mirror publishes the state before its files are on the disk. Until they are, the mark is there:
 *
 *      STATE/unsynced       contains the id of the boot (boot.h)
 *
 * If the mark is of an earlier boot, the state may be incomplete, and is not used.
 */
#pragma once

#include <stdbool.h>

/** Sets the mark. Call it before the state is published. Returns 0 or -errno. */
int unsynced_mark(int state_fd);

/** Returns whether there is a mark of an earlier boot. If so, files may have lost their bytes. */
bool unsynced_is_lost(int state_fd);

/** Returns whether the mark is set. */
bool unsynced_is_marked(int state_fd);

/**
 * Starts a process that waits until everything is on the disk, and then removes the mark. That
 * process is not our child. It closes its copy of `lock_fd`, so that it does not hold our lock.
 */
void unsynced_end_beside(int state_fd, int lock_fd);
