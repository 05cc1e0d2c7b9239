/*
 * Aside: for a call that may wait in the kernel for a file system that does not answer. A thread of
 * its own makes the call, and ends with it. So only the calling coroutine waits.
 */
#pragma once

#include <stdbool.h>

/**
 * Runs `run` in a thread of its own, and waits. `run` must not touch anything that other coroutines
 * change. Without other coroutines, or if no thread can be made, runs it in the calling thread.
 */
void aside_run(void (*run)(void *context), void *context);

/** Returns whether such a thread runs. */
bool aside_is_running(void);
