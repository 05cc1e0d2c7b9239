/*
 * An overseer: the process that the user has started. A child does the command's work, and the
 * overseer passes on the child's output. If one call of the child on a mount blocks for PROBE_MS
 * (probe.h), the mount's server counts as silent. The overseer then prints a message that names the
 * mount, and ends.
 *
 *      user ◀─ overseer ◀─ pipes ── child ── stat(2), read(2) … ──▶ a mount
 *                  └─ /proc/CHILD/task/…/syscall
 *
 * Nothing ends a call on a silent mount, not even SIGKILL, so the child must not hold a pipe that
 * another program reads to its end.
 */
#pragma once

/**
 * Forks, and returns in the child. The overseer itself exits with the child's exit code, or with
 * EXIT_FAILED after it has named a mount. If no mount depends on another process or machine, or a
 * pipe or process can't be made, overseer_begin() returns without an overseer. Call it before there
 * are coroutines, and not for a command that runs until a signal ends it.
 */
void overseer_begin(void);
