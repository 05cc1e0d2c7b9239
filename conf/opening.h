/*
 * Opening for reading what was found by name. A process in a sandbox (fs/sandbox) may read only what
 * its settings named when it began; what they name later is opened for it by another process, which
 * it asks here. Until somebody is named, nobody is asked.
 *
 * A path that is opened with O_PATH gives no right to read, and needs none.
 */
#pragma once

/** Named once, before there are threads; any thread may call it. A descriptor, or -errno. */
void opening_delegate(int (*opener)(int path_fd, int flags));

/** Has `observer` told of each descriptor that opening_at() returns; NULL: nobody. No other thread. */
void opening_observe(void (*observer)(void *context, int fd), void *context);

/** openat(2). Where it is refused (EACCES), the opener may do it. A descriptor, or -errno. */
int opening_at(int dirfd, const char *path, int flags);

/** What the O_PATH descriptor leads to, opened with `flags` by the opener. A descriptor, or -errno. */
int opening_ask(int path_fd, int flags);
