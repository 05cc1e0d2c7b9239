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

/**
 * Opens `path` from `dirfd`, as openat(2) does. O_NOFOLLOW counts for the last name only. Returns a
 * descriptor, or -errno: -EACCES for a link of somebody else, or one in /proc; -ELOOP for a magic
 * one; -EAGAIN where a name has changed meanwhile.
 */
int followed_open(int dirfd, const char *path, int flags);
