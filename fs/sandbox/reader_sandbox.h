/*
 * The sandbox of a worker. Only workers parse the files of layers. So a user who exploits a bug in
 * a parser gains only the worker's rights, such as to read the layers.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/**
 * Loads the libraries that the settings need, makes the filter of system calls, and enters the
 * sandbox in a child, as a test. Call this before the mount is made, in the process that will fork
 * workers; otherwise workers have no sandbox. Returns 0 with *ret, the parts that will be in force
 * in each worker; PROBLEM: a part of the sandbox that the kernel offers can't be used; or -errno.
 */
int reader_sandbox_prepare(const struct settings *settings, const struct sandbox_switches *switches,
	struct sandbox_state *ret, struct problem *problem);

/**
 * Enters the sandbox for ever. Call this in a worker. The sandbox allows reading beneath the layers
 * of `settings`, and the system calls for that. `watches` is the daemon's descriptor of inotify(7);
 * -1: none. Returns as reader_sandbox_prepare().
 */
int reader_sandbox_enter(const struct settings *settings, int watches, struct sandbox_state *ret,
	struct problem *problem);
