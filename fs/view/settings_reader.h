/*
 * The processes that read the settings before the daemon does.
 *
 * A layer, or a file that plyfs.yaml names, may lie on a file system that does not answer. A
 * process that waits there can't be killed, and keeps /dev/fuse open if it has it: the mount would
 * not end. So a process without /dev/fuse reads first, and the daemon only if that process came to
 * its end. A process that waits is left alone; the next one does not open the same layer.
 */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include "settings.h"

/* Maximum number of processes that wait. */
#define SETTINGS_READERS_MAX 16

struct settings_reader {
	struct {
		pid_t pid; /* 0: there is none */
		int pidfd;
	} processes[SETTINGS_READERS_MAX];
	/* Shared with them: the path of the layer that each opened last. NULL: not made yet. */
	char (*layers)[PATH_MAX];
};

/**
 * Reads the settings as settings_again(old, own, …) does, in a new process. The calling coroutine
 * waits. Returns 0 when the process has ended; PROBLEM: a file system has not answered for
 * old->answer_ms; -ECANCELED: `stop_fd` became readable; or another -errno.
 */
int settings_reader_try(struct settings_reader *reader, const struct settings *old, dev_t own,
	int stop_fd, struct problem *problem);

/** Kills the processes, without waiting for their end, and frees what is shared. */
void settings_reader_fini(struct settings_reader *reader);
