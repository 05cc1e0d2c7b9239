/*
 * A clock that the test moves, so that no test sleeps: each wait of the test moves CLOCK_MONOTONIC,
 * and takes no time.
 */
#pragma once

#include <stdbool.h>

/*
 * Whether CLOCK_REALTIME is moved, too. The kernel stamps files by its own clock, so a file that is
 * written afterwards looks older than it is.
 */
extern bool are_files_aging;

/* Whether ppoll(2) takes real time: for a test that waits for the answer of a process. */
extern bool are_waits_real;
