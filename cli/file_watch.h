/*
 * A watch on a few files, by way of the directories that they are in: so it makes no difference
 * whether a file is written in place, replaced, removed or made.
 *
 *      file_watch_new ── add files ── read them ── file_watch_wait ──▶ begin again, with a new one
 *
 * What changes after a file was added is not missed, also where inotify can't tell: there the file
 * is looked at again and again.
 */
#pragma once

struct file_watch;

/** Returns 0 with *ret for file_watch_freep(), or -errno. */
int file_watch_new(struct file_watch **ret);
void file_watch_freep(struct file_watch **watch);

/** Watches a file, which need not be there, and what it is a link to. 0 or -ENOMEM. */
int file_watch_add(struct file_watch *watch, const char *file);

/** Watches all that is in a directory, but not what is in those in it. 0 or -ENOMEM. */
int file_watch_add_directory(struct file_watch *watch, const char *directory);

/** Results of file_watch_wait(). */
enum {
	FILE_WATCH_CHANGED, /* something changed, and whoever did it seems to be done */
	FILE_WATCH_ENDED,   /* one of the descriptors has something to say */
};

/**
 * Waits for a change, or for an event on one of `fds` (-1: none): input on the first, or an error,
 * such as a pipe that nobody reads any more, on the second.
 */
int file_watch_wait(struct file_watch *watch, const int fds[2]);
