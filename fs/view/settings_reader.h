/*
 * The process plyfs-settings, which accesses the paths in settings (outside.h) for the daemon.
 *
 *      daemon ── read, find, open, watch, trust PATH ──▶ plyfs-settings
 *         ◀── text, path, directory, watches, problem ──
 *
 * Contract: the daemon makes no system call on these paths, as their file systems may not answer.
 * plyfs-settings, which does not have /dev/fuse, reads files, opens directories, and checks which
 * users may have written the files (trust.h). The daemon parses the texts.
 *
 * If a process does not answer in time, the daemon kills the process, but does not wait for its
 * end: the process is *left alone*. Until it ends, no new process accesses the path for which it
 * waits.
 */
#pragma once

#include <sys/types.h>

#include "settings.h"

struct name_watch;

/* Maximum number of processes that are left alone at a time. */
#define SETTINGS_READERS_MAX 16

struct settings_process {
	pid_t pid;  /* 0: there is none */
	char *path; /* the path for which it does not answer; NULL: none, or memory was short */
};

struct settings_reader {
	struct settings_process process; /* the present one */
	int socket;                      /* to the process; -1: requests return `error` */
	int error;                       /* -errno */
	struct settings_process left[SETTINGS_READERS_MAX]; /* those left alone */
	struct name_watch *watch;                           /* the process adds watches to it */
	const struct settings *old; /* the settings in force, while new ones are read */
	unsigned unwatched; /* number of paths with an unwatched name, in the last reading */
	/* number of requests that failed in the last reading; they may succeed later without an
	 * event */
	unsigned failures;
	unsigned answer_ms; /* time limit of an answer */
	int stop_fd;        /* once it is readable, each request returns -ECANCELED */
};

/** Prepares the reader, without a process. `stop_fd` stays the caller's. */
void settings_reader_init(struct settings_reader *reader, int stop_fd);

/**
 * Forks the process if it does not run. The process adds watches to `watch`, which must stay valid.
 * If too many processes are left alone, forks none, and each request returns -ETIMEDOUT. Returns 0
 * or -errno.
 */
int settings_reader_begin(
	struct settings_reader *reader, struct name_watch *watch, unsigned answer_ms);

/**
 * Does settings_again(). The process reads the files, opens the layers, and watches each name on
 * the paths of these files and layers. The calling coroutine waits.
 */
int settings_reader_read(struct settings_reader *reader, const struct settings *old, dev_t own,
	struct settings **outline, struct settings **ret, struct problem *problem);

/** Ends the process, if there is one. If it has answered every request, waits for its end. */
void settings_reader_end(struct settings_reader *reader);

/** Reaps processes that were left alone and have ended. Call it after SIGCHLD. */
void settings_reader_reap(struct settings_reader *reader);

/** Calls settings_reader_end(), and forgets the processes that were left alone. */
void settings_reader_fini(struct settings_reader *reader);
