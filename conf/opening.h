/*
 * Opening for reading what was found by name. A process in a sandbox (fs/sandbox) may read only
 * what its settings named when it began; what they name later is opened for it by another process,
 * which it asks here. Until somebody is named, nobody is asked.
 *
 * A path that is opened with O_PATH gives no right to read, and needs none.
 */
#pragma once

#include <stdbool.h>

/* Who opens. */
struct opening_delegate {
	/* What an O_PATH descriptor leads to: a descriptor or -errno. For any thread; where it is a
	 * setting's (opening_at()), for the one that reads settings, and it may take long. */
	int (*open)(int path_fd, int flags, bool is_setting);
	void (*look)(void); /* has it read the settings, as they are about to be read here */
	/* Whether they named it then, and as one whose links are followed, if that is asked. */
	bool (*has_found)(int directory, bool follows);
	void (*take)(void); /* tells it that those are in force */
};

/** Named once, before there are threads. */
void opening_delegate(const struct opening_delegate *named);

/** The settings are about to be read: the delegate reads them first. */
void opening_announce(void);

/**
 * Whether the delegate could read the settings to their end, and has found that directory by the
 * name of a layer: where another took its place in between, it knows nothing of this one.
 * `follows`: whether it knows, too, that links are followed. Without a delegate: yes.
 */
bool opening_has_found(int directory, bool follows);

/** What was read is in force: what only the settings before it named is not opened any more. */
void opening_take(void);

/** Has `observer` told of each descriptor that opening_at() returns; NULL: nobody. No other thread.
 */
void opening_observe(void (*observer)(void *context, int fd), void *context);

/**
 * openat(2) of what settings name. Where it is refused (EACCES), the delegate may do it. A
 * descriptor, or -errno; -EPIPE: it would be for the delegate, who has ended.
 */
int opening_at(int dirfd, const char *path, int flags);

/** What an error of opening_at() means, with a remedy where only we know it: strerror(3) for it. */
const char *opening_error(int error);

/**
 * What the O_PATH descriptor leads to, beneath what the settings in force name, or those that were
 * read last, opened with `flags` by the delegate. It keeps nobody waiting. A descriptor, or -errno.
 */
int opening_ask(int path_fd, int flags);
