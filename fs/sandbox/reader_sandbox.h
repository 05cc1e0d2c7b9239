/*
 * The sandbox of a worker. Only workers parse the files of layers: so a user who exploits a bug in
 * a parser gains the right to read the layers, and nothing else.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

/**
 * In the process that will fork workers, before a mount is made: loads the libraries that the
 * settings need, makes the filter, and enters the sandbox in a child, as a trial. Without this call
 * workers have no sandbox. Returns 0 with *ret, the parts that are in force in each worker;
 * PROBLEM: the kernel offers a part of the sandbox that can't be used; or -errno.
 */
int reader_sandbox_prepare(const struct settings *settings, const struct sandbox_switches *switches,
	struct sandbox_state *ret, struct problem *problem);

/**
 * In a worker, for ever: allows reading beneath the layers of `settings`, and what that needs.
 * `watches` is the daemon's descriptor of inotify(7), -1: none. Returns as
 * reader_sandbox_prepare().
 */
int reader_sandbox_enter(const struct settings *settings, int watches, struct sandbox_state *ret,
	struct problem *problem);
