/*
 * The monitor: the process plyfs-monitor. It opens new paths of the settings, writes to the log,
 * and unmounts, for a sandboxed process. No sandbox can allow that in advance.
 *
 *      daemon ──a descriptor (O_PATH)──▶ plyfs-monitor: does plyfs.yaml name it?
 *                                                                ──▶ a descriptor to read
 *             ──a line─────────────────▶ the system's log
 *             ──the end────────────────▶ umount(2)
 *
 * Landlock allows the files and directories that exist at the start. A layer that is replaced,
 * renamed, mounted later or new in plyfs.yaml is another directory, and an editor replaces
 * plyfs.yaml by another file. So the monitor reads plyfs.yaml itself. It opens plyfs.yaml, presets,
 * schemas, and everything beneath the layers that plyfs.yaml names at the moment. If a layer has
 * `follow`, the monitor opens any file except those in /proc and the like.
 *
 * Opening a path may access the mount, so that the daemon must answer. So the monitor has two
 * threads. One reads settings, when the publisher does so. The other logs, unmounts, and opens
 * files that are named already, for coroutines that serve the mount: it looks up no path for that.
 *
 * A process has one monitor, as it has one sandbox. The monitor is forked before the mount is made,
 * and never holds /dev/fuse.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

struct monitor_options {
	struct sandbox_switches switches;
	const struct settings *settings;
	int kept; /* a descriptor through which plyfs.yaml is found; -1: none */

	/* Called in the monitor; may be NULL. */
	void (*log)(const char *line);
	int (*unmount)(void *context); /* 0 or -errno */
	void *context;
};

/**
 * Starts the monitor, before there are coroutines; opening.h uses it from now on. Returns 0 when it
 * is in its sandbox, or -errno.
 */
int monitor_start(const struct monitor_options *options);

/** Returns whether the monitor was started and has ended since. */
bool monitor_has_ended(void);

/** Has the monitor log a line. False: no monitor, or no room: the line is lost. */
bool monitor_log(const char *line);

/** Has the monitor unmount. Returns 0 or -errno: -EPIPE: no monitor; -ETIMEDOUT: no answer. */
int monitor_unmount(void);

/** Cancels the reading of settings: a coroutine that waits for it gets -EPIPE. */
void monitor_cancel(void);

/**
 * Ends the monitor, which logs pending lines first. Call it when nothing else uses the monitor.
 * Waits some seconds at most: the monitor may wait for a file system that does not answer.
 */
void monitor_stop(void);
