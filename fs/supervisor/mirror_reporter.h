/*
 * The process plyfs-report: reads the reports of all mirrors, and makes one status line of them,
 * for the service manager. A report may lie on a file system that does not answer, and a process
 * that waits for that file system can't be killed. So plyfs-report has none of the daemon's
 * descriptors.
 */
#pragma once

#include <sys/types.h>

#include "sandbox.h"
#include "settings.h"

/* Size of a status line, in bytes. */
#define MIRROR_REPORTER_LINE 2048

/**
 * Forks plyfs-report. The process writes a line whenever the status has changed, and ends if no
 * mirror fills a layer of `settings`. The kernel kills it when the calling thread ends. Returns the
 * pid with *lines, the nonblocking read end of the pipe that gets the lines, for close(2); or
 * -errno.
 */
pid_t mirror_reporter_start(
	const struct settings *settings, const struct sandbox_switches *switches, int *lines);
