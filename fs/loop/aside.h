/*
 * Aside: a thread that makes one call, and then ends. If the call waits in the kernel, only the
 * coroutine that called aside_run() waits.
 */
#pragma once

#include <stdbool.h>

/**
 * Runs `run` in a thread of its own, while the calling coroutine waits. `run` must not touch
 * anything that other coroutines change. If there is no other coroutine or no thread, runs it
 * directly.
 */
void aside_run(void (*run)(void *context), void *context);

/** Returns whether any thread of aside_run() is running now. */
bool aside_is_running(void);
