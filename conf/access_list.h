/*
 * Access lists of files (acl(5)), which deny or allow single users and groups.
 *
 * The files of a mount have a mode, and no list. So the mode gives each class of users (the owner;
 * the group; all others) the rights that the list gives to every possible member of that class. A
 * user whom the list denies is never let in. A user whom the list allows may be refused.
 */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

/**
 * Removes from stat->st_mode the rights that the list does not give to every member of a class.
 * `list` is the attribute system.posix_acl_access (linux/posix_acl_xattr.h) of `size` bytes. If
 * the list is invalid, only the owner's rights stay.
 */
void access_list_narrow(const void *list, size_t size, struct stat *stat);

/**
 * Calls access_list_narrow() with the list of the open file `fd` (O_PATH is enough). `stat` is from
 * fstat(2) of that file. If there is no list, the mode stays. Returns 0; or an -errno for which
 * layer_says_nothing() (layer.h) is true. After any other error, returns 0, and only the owner's
 * rights stay.
 */
int access_list_heed(int fd, struct stat *stat);
