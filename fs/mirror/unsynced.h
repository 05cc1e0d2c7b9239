/*
 * A mark on the first state of a replica. As a mount may wait for that state, the mirror publishes
 * it before it is on the disk:
 *
 *      STATE/unsynced       has the id of the boot (boot.h); removed when all is on the disk
 *
 * If the mark is of an earlier boot, the state is not used.
 */
#pragma once

#include <stdbool.h>

/** Sets the mark, before the state gets its name. Returns 0 or -errno. */
int unsynced_mark(int state_fd);

/** Returns whether the mark is of an earlier boot, so that files may have lost their bytes. */
bool unsynced_is_lost(int state_fd);

/** Returns whether the mark is set. */
bool unsynced_is_marked(int state_fd);

/**
 * Starts a process that waits until everything is on the disk, and then removes the mark. That
 * process is not our child, and closes its `lock_fd`.
 */
void unsynced_end_beside(int state_fd, int lock_fd);
