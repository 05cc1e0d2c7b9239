/*
 * The sandbox of a worker. Only workers parse the files of layers. So a user who exploits a bug in
 * a parser gains only the worker's rights, such as to read the layers.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/**
 * In the process that will fork workers, before the mount is made: loads the libraries that the
 * settings need, makes the filter of system calls, and enters the sandbox in a child, as a test. If
 * this function was not called, workers have no sandbox. Returns 0 with *ret, the parts that will
 * be in force in each worker; PROBLEM: the kernel offers a part of the sandbox that can't be used;
 * or -errno.
 */
int reader_sandbox_prepare(const struct settings *settings, const struct sandbox_switches *switches,
	struct sandbox_state *ret, struct problem *problem);

/**
 * In a worker: enters the sandbox for ever. The sandbox allows reading beneath the layers of
 * `settings`, and the system calls for that. `watches` is the daemon's descriptor of inotify(7);
 * -1: none. Returns as reader_sandbox_prepare().
 */
int reader_sandbox_enter(const struct settings *settings, int watches, struct sandbox_state *ret,
	struct problem *problem);
