/*
 * A path that is opened through symbolic links, by rules of our own, whatever the kernel's are set
 * to.
 *
 * In a directory that everybody may write to, as /tmp, a link that somebody else has put there is
 * not followed (the rule of fs.protected_symlinks, proc(5)): we would read, as ourselves, what he
 * chose. It is followed if its owner is who we are, or who owns the directory. Links that the
 * kernel makes up (/proc/PID/fd/…) are not followed at all.
 */
#pragma once

#include <sys/types.h>

/**
 * Opens `path` from `dirfd`, as openat(2) does. O_NOFOLLOW counts for the last name only. Returns a
 * descriptor, or -errno: -EACCES for a link of somebody else, or one in /proc; -ELOOP for a magic
 * one; -EAGAIN where a name has changed meanwhile.
 */
int followed_path_open(int dirfd, const char *path, int flags);

/**
 * What a mount of ours hides is walked through all the same: where a walk comes to the mount, which
 * is the file system `device`, it goes on in the directory `beneath_fd` that the mount lies on. A
 * thread that answers for the mount would else wait for an answer of its own. The descriptor stays
 * the caller's, and open until this is called again; -1: there is none. Before there are threads,
 * or after.
 */
void followed_path_cover(dev_t device, int beneath_fd);

/**
 * If *fd is the mount's root it is closed, and *fd leads to what lies beneath: 1. 0: it is
 * somewhere else; or -errno, -ELOOP for another directory of the mount. Asks no file system.
 */
int followed_path_uncover(int *fd);
