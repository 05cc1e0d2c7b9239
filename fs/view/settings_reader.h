/*
 * The process plyfs-settings, which looks at what settings name (outside.h) in place of the daemon.
 *
 *      daemon ── read, find, open, watch, trust PATH ──▶ plyfs-settings
 *         ◀── text, path, directory, watches, problem ──
 *
 * Contract: the daemon makes no system call on these paths. Their file systems may not answer, and
 * a process that waits there can't be killed: with /dev/fuse open, its mount would not end. The
 * process has no /dev/fuse. It reads, opens, and checks who may have written the files (trust.h);
 * the daemon parses. So everything is read once.
 *
 * A process that does not answer in time is left alone. Until it ends, the path for which it waits
 * counts as silent, and no other process looks at it. Nor is a layer opened that is known to be
 * silent.
 *
 * The process is forked when it is needed, and ends with settings_reader_end().
 */
#pragma once

#include <sys/types.h>

#include "settings.h"

struct name_watch;

/* Maximum number of processes that are left alone. */
#define SETTINGS_READERS_MAX 16

struct settings_process {
	pid_t pid;  /* 0: there is none */
	int pidfd;  /* -1: the kernel gave none */
	char *path; /* for which it waits; NULL: it does not wait, or for an unknown one */
};

struct settings_reader {
	struct settings_process process; /* the present one */
	int socket;                      /* to it; -1: it is not asked any more */
	int error;                       /* the -errno of each request when there is no socket */
	struct settings_process left[SETTINGS_READERS_MAX];
	struct name_watch *watch;   /* whose watches it adds */
	const struct settings *old; /* while settings are read */
	unsigned unwatched;         /* of the last reading: paths with a name that is not watched */
	unsigned failures;          /* ... requests that failed; that may end without an event */
	unsigned answer_ms;         /* the time that it has for an answer */
	int stop_fd;                /* when it becomes readable, all answers are -ECANCELED */
};

/** `stop_fd` stays the caller's. */
void settings_reader_init(struct settings_reader *reader, int stop_fd);

/**
 * Forks the process, unless it runs. It adds watches to `watch`, which must stay valid. Returns 0
 * or -errno.
 */
int settings_reader_begin(
	struct settings_reader *reader, struct name_watch *watch, unsigned answer_ms);

/**
 * Does the same as settings_again() by the process. Adds each name on a path to the watch before it
 * reads what is there: one of them may be replaced. The calling coroutine waits.
 */
int settings_reader_read(struct settings_reader *reader, const struct settings *old, dev_t own,
	struct settings **outline, struct settings **ret, struct problem *problem);

/** Ends the process, and waits until it has ended, if there is one that answers. */
void settings_reader_end(struct settings_reader *reader);

/** Reaps processes that were left alone and have ended. Call it after SIGCHLD. */
void settings_reader_reap(struct settings_reader *reader);

/** Kills all processes, without waiting for those that wait. */
void settings_reader_fini(struct settings_reader *reader);
