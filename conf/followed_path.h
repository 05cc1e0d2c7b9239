/*
 * A path that is opened through symbolic links, by plyfs's own rules.
 *
 * In a sticky directory that every user may write to, such as /tmp, a link is followed only if it
 * belongs to this process's user or to the owner of the directory (the rule of
 * fs.protected_symlinks, proc(5)). A magic link (/proc/PID/fd/…) never leads to its file.
 *
 * A thread may forbid paths that reach network and FUSE file systems. Opening such a path then
 * fails before any system call that such a file system has to answer.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/**
 * Opens `path` from `dirfd`, like openat(2). O_NOFOLLOW applies to the last name only. Returns a
 * descriptor, or -errno:
 *
 *   -EACCES    a link in a sticky directory is another user's; or, without O_NOFOLLOW, the last
 *              name is a link in /proc or the like (layer_is_kernels_own()), magic or not
 *   -ELOOP     a link before the last name is magic; or the path has more than 40 links; or the
 *              path leads to a file of our own mount other than the root
 *   -EREMOTE   the path reaches a file system that followed_path_stay_local() forbids
 *   -EAGAIN    the last name has become a link meanwhile
 *
 * If `follows` is false, a link gives -ENOTDIR. But with O_PATH, a last name that is a link is
 * opened: the descriptor is of the link itself.
 */
int followed_path_open(int dirfd, const char *path, int flags, bool follows);

/**
 * Lets paths lead beneath our own mount. If a path comes to the root of the mount, whose device is
 * `device`, the path continues in `beneath_fd`, the directory that the mount lies on.
 *
 * The caller still owns `beneath_fd` (-1: there is no mount), and must leave it open until the next
 * call of this function.
 */
void followed_path_cover(dev_t device, int beneath_fd);

/** Returns the `beneath_fd` of followed_path_cover(); -1: none. */
int followed_path_beneath(void);

/** Forbids this thread's paths to reach network and FUSE file systems; false: allows it again. */
void followed_path_stay_local(bool is_local);

/** Returns the device of the file system for which this thread last got -EREMOTE. */
dev_t followed_path_remote(void);

/**
 * If *fd is the root of the mount of followed_path_cover(), closes it, sets *fd to a new descriptor
 * of the directory `beneath_fd`, and returns 1. Returns 0 if *fd is not in that mount; -ELOOP for
 * any other file of the mount; or another -errno. Makes no request to a file system.
 */
int followed_path_uncover(int *fd);

/** As followed_path_uncover(). -EREMOTE: followed_path_stay_local() forbids the file system. */
int followed_path_check(int *fd);
