/*
 * Calls that may wait in the kernel for a file system that does not answer: a thread makes them,
 * for as long as they take, so that only the calling coroutine waits.
 */
#pragma once

#include <stdbool.h>

/**
 * Runs `run` in a thread of its own, and waits. `run` must not touch anything that other coroutines
 * change. Without other coroutines, or if there can be no thread, runs it in the calling thread.
 */
void aside_run(void (*run)(void *context), void *context);

/** Returns whether such a thread runs. */
bool aside_is_running(void);
