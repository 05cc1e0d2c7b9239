/*
 * The opening of files that settings name, for reading.
 *
 * A process in a sandbox (fs/sandbox) may read only the files that its settings named at its start.
 * Another process, the delegate, opens the files that the settings name later. Without a delegate,
 * this process opens all files.
 *
 * A descriptor with O_PATH gives no right to read its file, and opening one needs no such right.
 */
#pragma once

#include <stdbool.h>

/* The functions that ask the delegate. */
struct opening_delegate {
	/* Opens the file of an O_PATH descriptor. Returns a descriptor or -errno. May wait; with
	 * `is_setting` (for opening_at()), the call may take long. */
	int (*open)(int path_fd, int flags, bool is_setting);
	/* Makes the delegate read the settings, which are about to be read here. */
	void (*look)(void);
	/* Returns whether the settings that look() has read name the directory as a layer; with
	 * `follows`, also whether any of their layers has `follow`. */
	bool (*has_found)(int directory, bool follows);
	void (*take)(void); /* Reports to the delegate that those settings are in force. */
};

/** Sets the delegate to a copy of *named; all NULL: none. */
void opening_delegate(const struct opening_delegate *named);

/** Announces that the settings are about to be read: the delegate reads them first. */
void opening_announce(void);

/**
 * Returns whether the delegate has read the settings completely, and has opened the same directory
 * for a layer. False if the directory was replaced in between. With `follows`, some layer must have
 * `follow`, too. Without a delegate, or after it has ended, returns true.
 */
bool opening_has_found(int directory, bool follows);

/**
 * Makes the delegate put in force the settings that it read last, if it read them completely. Then
 * the delegate no longer opens files that only the earlier settings named.
 */
void opening_take(void);

/**
 * Sets `observer`, which is called with each descriptor that opening_at() opens without the
 * delegate; NULL: none. While it is set, no other thread may call opening_at().
 */
void opening_observe(void (*observer)(void *context, int fd), void *context);

/**
 * Opens a file that settings name, like openat(2); after EACCES, through the delegate. Returns a
 * descriptor, or -errno: -EPIPE if the delegate has ended, -EBUSY if it waits for a file system.
 */
int opening_at(int dirfd, const char *path, int flags);

/** Describes an error of opening_at(), with a remedy: as text_error(), or about the delegate. */
const char *opening_error(int error);

/**
 * Lets the delegate open the file of an O_PATH descriptor with `flags`. The file must be one
 * that the settings in force, or those read last, name (fs/sandbox/named_files.h). Returns quickly:
 * a descriptor, or -errno; without a delegate, -EACCES.
 */
int opening_ask(int path_fd, int flags);
