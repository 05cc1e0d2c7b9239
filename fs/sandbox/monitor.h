/*
 * The monitor: the process plyfs-monitor, which does for a process in a sandbox the little that
 * must be possible later, and that a sandbox can't allow ahead.
 *
 *      daemon ──a descriptor (O_PATH)──▶ plyfs-monitor: does plyfs.yaml name it?
 *                                                                ──▶ a descriptor to read
 *             ──a line─────────────────▶ the system's log
 *             ──the end────────────────▶ umount(2)
 *
 * Landlock allows what is there when it begins. A layer that is replaced, turned to another
 * directory, mounted later or new in plyfs.yaml is another directory, and what an editor puts in
 * the place of plyfs.yaml another file. So the monitor reads plyfs.yaml itself, and opens what lies
 * beneath the layers that it names by now; or is plyfs.yaml, a preset or a schema. Where a layer
 * has `follow`, links may lead anywhere but into /proc and the like, and so may what is asked for.
 *
 * To open a path may be to look through the mount, and then the daemon must answer. So the monitor
 * has two threads. One reads settings, and is asked by who reads settings. The other is asked by
 * who serves the mount: it opens what is named already, looks at no path and keeps nobody waiting.
 *
 * There is one, as there is one sandbox, of the process. It is forked before the mount is made, and
 * never holds /dev/fuse.
 */
#pragma once

#include "sandbox.h"
#include "settings.h"

struct monitor_options {
	struct sandbox_switches switches;
	const struct settings *settings;
	int kept; /* which the way to plyfs.yaml leads through; -1: none */

	/* By the monitor; NULL: there is nothing to do. */
	void (*log)(const char *line);
	int (*unmount)(void *context); /* 0 or -errno */
	void *context;
};

/**
 * Starts it, before there are threads; opening.h asks it from now on. 0 when it is in its
 * sandbox, or -errno.
 */
int monitor_start(const struct monitor_options *options);

/** Whether it was started, and has ended since: somebody has killed it. Any thread. */
bool monitor_has_ended(void);

/** Has it log a line. Without one: false. Any thread. */
bool monitor_log(const char *line);

/** Has it unmount. 0 or -errno; -EPIPE: there is none; -ETIMEDOUT: somebody has stopped it. */
int monitor_unmount(void);

/** Settings are not read again: a thread that waits for that gets -EPIPE. Any thread. */
void monitor_cancel(void);

/**
 * Ends it, when no other thread has a use for it. What it was asked to log is logged; a file
 * system that does not answer it is not waited for.
 */
void monitor_stop(void);
