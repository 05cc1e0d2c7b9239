/*
 * Opening for reading what was found by name. A process in a sandbox (fs/sandbox) may read only
 * what its settings named when it began; what they name later is opened for it by another process,
 * which it asks here. Until somebody is named, nobody is asked.
 *
 * A path that is opened with O_PATH gives no right to read, and needs none.
 */
#pragma once

#include <stdbool.h>

/**
 * Named once, before there are threads. `opener` opens what an O_PATH descriptor leads to, and
 * gives a descriptor or -errno: for any thread; where it is a setting's (opening_at()), for the one
 * that reads settings, and it may take long. `look` has it read the settings, as they are about to
 * be read here.
 */
void opening_delegate(int (*opener)(int path_fd, int flags, bool is_setting), void (*look)(void));

/** The settings are about to be read: the opener reads them first. */
void opening_announce(void);

/** Has `observer` told of each descriptor that opening_at() returns; NULL: nobody. No other thread.
 */
void opening_observe(void (*observer)(void *context, int fd), void *context);

/**
 * openat(2) of what settings name. Where it is refused (EACCES), the opener may do it. A
 * descriptor, or -errno.
 */
int opening_at(int dirfd, const char *path, int flags);

/**
 * What the O_PATH descriptor leads to, beneath what settings named when they were read last, opened
 * with `flags` by the opener. It keeps nobody waiting. A descriptor, or -errno.
 */
int opening_ask(int path_fd, int flags);
