/*
 * A mark on the first state of a replica (replica.h). The mirror publishes this state before the
 * state's files are on the disk. The mark exists until these files are on the disk:
 *
 *      STATE/unsynced       contains the id of the boot (boot.h)
 *
 * If the mark is of an earlier boot, the state is not used, as files may have lost their bytes.
 */
#pragma once

#include <stdbool.h>

/** Sets the mark. Call it before the state is published. Returns 0 or -errno. */
int unsynced_mark(int state_fd);

/** Returns whether there is a mark of an earlier boot. */
bool unsynced_is_lost(int state_fd);

bool unsynced_is_marked(int state_fd);

/**
 * Starts a process, not a child of ours, that writes everything to the disk (syncfs(2)), and then
 * removes the mark. The process closes its copy of `lock_fd`.
 */
void unsynced_end_beside(int state_fd, int lock_fd);
