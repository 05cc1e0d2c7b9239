/*
 * Access lists: acl(5). Beside its owner, group and mode a file may have a list that denies or
 * allows single users and groups. A mode can't say that, and what we show has only a mode: so of
 * each class of users (the owner; the group; all others) it says what the list gives every one of
 * them who may be in it. Who is denied by a list is never let in; some whom it lets in are not.
 */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

/**
 * Takes from the mode what the list, the `size` bytes of the attribute system.posix_acl_access
 * (linux/posix_acl_xattr.h), doesn't give everybody of a class. Of a list that can't be understood
 * the owner's own rights are left.
 */
void access_list_narrow(const void *list, size_t size, struct stat *stat);

/**
 * The same by the list of the file that `fd` (it may be O_PATH) and `stat` are of. Of a list that
 * can't be read the owner's own rights are left. Where there are no lists nothing changes.
 */
void access_list_heed(int fd, struct stat *stat);
