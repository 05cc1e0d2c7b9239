/*
 * The process plyfs-settings, which looks at the paths in settings (outside.h), for the daemon.
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
 * counts as silent, and no other process looks at it. A layer that is known to be silent is not
 * opened either.
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
	char *path; /* for which it gave no answer; NULL: it has always answered, or no memory */
};

struct settings_reader {
	struct settings_process process; /* the present one */
	int socket;                      /* to it; -1: it is not asked any more */
	int error;                       /* what each request returns when there is no socket */
	struct settings_process left[SETTINGS_READERS_MAX];
	struct name_watch *watch;   /* whose watches it adds */
	const struct settings *old; /* those in force, while new ones are read */
	unsigned unwatched;         /* of the last reading: paths with a name that is not watched */
	unsigned failures;          /* ... requests that failed; that may end without an event */
	unsigned answer_ms;         /* how long the process may take for an answer */
	int stop_fd;                /* once it is readable, each request returns -ECANCELED */
};

/** `stop_fd` stays the caller's. */
void settings_reader_init(struct settings_reader *reader, int stop_fd);

/**
 * Forks the process, unless it runs. The process adds watches to `watch`, which must stay valid.
 * Returns 0 or -errno. If too many are left alone, returns 0; then each request gets -ETIMEDOUT.
 */
int settings_reader_begin(
	struct settings_reader *reader, struct name_watch *watch, unsigned answer_ms);

/**
 * Does the same as settings_again(), but the process reads and opens. Adds each name on a path to
 * the watch before it reads what is there, as any of them may be replaced. The coroutine waits.
 */
int settings_reader_read(struct settings_reader *reader, const struct settings *old, dev_t own,
	struct settings **outline, struct settings **ret, struct problem *problem);

/** Ends the process, if there is one. Waits for its end, unless it did not answer. */
void settings_reader_end(struct settings_reader *reader);

/** Reaps processes that were left alone and have ended. Call it after SIGCHLD. */
void settings_reader_reap(struct settings_reader *reader);

/** Calls settings_reader_end(), and forgets the processes that were left alone. */
void settings_reader_fini(struct settings_reader *reader);
