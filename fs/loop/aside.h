/*
 * Aside: makes a call that may wait in the kernel for a file system that does not answer. A thread
 * makes only this call, and then ends. So only the calling coroutine waits.
 */
#pragma once

#include <stdbool.h>

/**
 * Runs `run` in a thread of its own, and waits. `run` must not touch anything that other coroutines
 * change. Without other coroutines, or if no thread can be made, runs it in the calling thread.
 */
void aside_run(void (*run)(void *context), void *context);

/** Returns whether a thread of aside_run() runs. */
bool aside_is_running(void);
