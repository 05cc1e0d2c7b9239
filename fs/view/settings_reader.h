/*
 * The process plyfs-settings, which accesses the paths in settings (outside.h) for the daemon.
 *
 *      daemon ── read, find, open, watch, trust PATH ──▶ plyfs-settings
 *         ◀── text, path, directory, watches, problem ──
 *
 * Contract: the daemon makes no system call on these paths. Their file systems may not answer, and
 * a process that waits for one can't be killed: if it has /dev/fuse open, the mount does not end.
 * plyfs-settings does not have /dev/fuse. It reads files, opens directories, and checks which users
 * may have written the files (trust.h). The daemon parses the texts that it gets.
 *
 * A process that does not answer in time is left alone. Until it ends, the path for which it waits
 * counts as silent, and no other process accesses that path. plyfs-settings is not asked
 * to open a layer that is known to be silent.
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
	char *path; /* the one for which it gave no answer; NULL: none, or memory was short */
};

struct settings_reader {
	struct settings_process process; /* the present one */
	int socket;                      /* to the process; -1: it is not asked any more */
	int error;                       /* without a socket, each request returns this -errno */
	struct settings_process left[SETTINGS_READERS_MAX]; /* those left alone */
	struct name_watch *watch;                           /* the process adds watches to it */
	const struct settings *old; /* those in force, while new ones are read */
	unsigned unwatched;         /* in the last reading: how many paths have an unwatched name */
	/* In the last reading: failed requests. These may succeed later without an event. */
	unsigned failures;
	unsigned answer_ms; /* how long the process may take for an answer */
	int stop_fd;        /* once it is readable, each request returns -ECANCELED */
};

/** Prepares the reader, without a process. `stop_fd` stays the caller's. */
void settings_reader_init(struct settings_reader *reader, int stop_fd);

/**
 * Forks the process, unless it runs. The process adds watches to `watch`, which must stay valid.
 * Returns 0 or -errno. If too many processes are left alone, forks none, and returns 0: then each
 * request gets -ETIMEDOUT.
 */
int settings_reader_begin(
	struct settings_reader *reader, struct name_watch *watch, unsigned answer_ms);

/**
 * Does settings_again(), but the process reads the files and opens the layers. Before that, it adds
 * each name on a path to the watch, as any of these names may be replaced. The calling coroutine
 * waits.
 */
int settings_reader_read(struct settings_reader *reader, const struct settings *old, dev_t own,
	struct settings **outline, struct settings **ret, struct problem *problem);

/** Ends the process, if there is one. Waits for its end, unless it did not answer. */
void settings_reader_end(struct settings_reader *reader);

/** Reaps processes that were left alone and have ended. Call it after SIGCHLD. */
void settings_reader_reap(struct settings_reader *reader);

/** Calls settings_reader_end(), and forgets the processes that were left alone. */
void settings_reader_fini(struct settings_reader *reader);
