/*
 * An overseer: the process that the user has started. A child does the command's work, and the
 * overseer passes on the child's output. If a call of the child on a mount blocks for PROBE_MS
 * (probe.h), the overseer prints a message that names the mount, kills the child, and ends.
 *
 *      user ◀─ overseer ◀─ pipes ── child ── stat(2), read(2) … ──▶ a mount
 *                  └─ /proc/CHILD/task/…/syscall
 */
#pragma once

/**
 * Forks, and returns in the child. The overseer ends as the child did; after a message about a
 * mount, with EXIT_FAILED. If no mount depends on another process or machine, or no child can be
 * forked, returns without an overseer. Call it before there are coroutines, for a command that ends
 * by itself.
 */
void overseer_begin(void);
