/*
 * A mark on the first state, which is served before it is on the disk, as a mount may be waiting
 * for it:
 *
 *      STATE/unsynced       names the boot in which that was; removed when all is on the disk
 *
 * If the mark names an earlier boot, there was a power failure meanwhile: files may have names but
 * no bytes, so the state is not used. A mirror that was only killed has lost nothing.
 */
#pragma once

#include <stdbool.h>

/** Sets the mark, before the state gets its name. Returns 0 or -errno. */
int unsynced_mark(int state_fd);

/** Returns whether data that was not on the disk may be lost. */
bool unsynced_is_lost(int state_fd);

/** Returns whether the mark is set. */
bool unsynced_is_marked(int state_fd);

/**
 * Starts a process that writes everything to the disk and then removes the mark. It is not our
 * child, and does not hold `lock_fd`.
 */
void unsynced_end_beside(int state_fd, int lock_fd);
