/*
 * A watch on a few files. It notices that a file is written in place, replaced, removed or made.
 *
 *      file_watch_new ── add files ── read them ── file_watch_wait ──▶ file_watch_new again
 *
 * No change of a file after file_watch_add() is missed: files are watched by inotify, and polled.
 * Directories are not polled.
 */
#pragma once

struct file_watch;

/** Returns 0 with *ret for file_watch_freep(), or -errno. */
int file_watch_new(struct file_watch **ret);
void file_watch_freep(struct file_watch **watch);

/**
 * Watches a file, which need not exist. If `file` is a link, watches the link and its target.
 * Returns 0 or -ENOMEM.
 */
int file_watch_add(struct file_watch *watch, const char *file);

/** Watches all names in a directory, without its subdirectories. Returns 0 or -ENOMEM. */
int file_watch_add_directory(struct file_watch *watch, const char *directory);

/* Results of file_watch_wait(). */
enum {
	FILE_WATCH_CHANGED, /* a change; returned after 50 ms without events, or after 1 s */
	FILE_WATCH_ENDED,   /* input on fds[0], or an error on fds[1] */
};

/**
 * Waits for a change, for input on fds[0], or for an error on fds[1], such as that of a pipe
 * without a reader. A descriptor may be -1. Returns one of the results above.
 */
int file_watch_wait(struct file_watch *watch, const int fds[2]);
