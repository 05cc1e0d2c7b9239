/*
 * Aside: a thread that makes one call, and then ends. If the call waits in the kernel, only the
 * coroutine that has started the thread waits.
 */
#pragma once

#include <stdbool.h>

/**
 * Runs `run` in a thread of its own, and returns true when `run` has returned. Meanwhile the
 * calling coroutine waits. `run` must not touch anything that other coroutines change. If there is
 * no other coroutine, or the thread can't be started, does nothing and returns false.
 */
bool aside_try(void (*run)(void *context), void *context);

/** Calls aside_try(). If it returns false, runs `run` in the caller's thread. */
void aside_run(void (*run)(void *context), void *context);

/** Returns whether a thread of aside_try() is running now. */
bool aside_is_running(void);
