/*
 * A mark on a state that is served before it is on the disk, as somebody waits for it:
 *
 *      STATE/unsynced       the boot in which that was; it goes when all is on the disk
 *
 * With the mark of an earlier boot, there was a power failure meanwhile: names may be there without
 * their bytes, and the state is none. Who was only killed has lost nothing.
 */
#pragma once

#include <stdbool.h>

/** Sets it, before the state gets its name. 0 or -errno. */
int unsynced_mark(int state_fd);

/** Whether what was not on the disk may be lost. */
bool unsynced_is_lost(int state_fd);

/** Whether it is there. */
bool unsynced_is_marked(int state_fd);

/**
 * Has everything written to the disk, and the mark removed, by another process, which is nobody's
 * child and does not hold `lock_fd`.
 */
void unsynced_end_beside(int state_fd, int lock_fd);
