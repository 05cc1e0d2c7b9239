/*
 * The rights on a merged file: a user may read a merge of several contributors (sources, and the
 * directories above them) only if that user may read each contributor. The kernel checks a reader
 * against the mode, the owner and the group that stat(2) shows (default_permissions). This module
 * computes these three.
 *
 * A contributor admits a set of users: root; its owner, by the owner's bits alone; other members of
 * its group, by the group's bits alone; and all other users, by the bits of others. This module
 * assumes that a user may be in any group. The result admits only users that every contributor
 * admits, and as many of these users as one owner, one group and one mode can admit.
 *
 * If all contributors have one owner, the result has that owner. Else the result's owner is a
 * contributor's owner, the user that mounts, or root. If all contributors have one group, the
 * result has that group. Else the result's group is a contributor's group, or the mounting user's.
 * Each possible pair of owner and group has a safe mode: the widest mode that admits only users
 * whom every contributor admits. The result is the pair and safe mode that admit most users.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct rights {
	mode_t mode; /* no bits other than 0555 */
	uid_t uid;
	gid_t gid;
};

/* A user that asks for access. */
struct user {
	uid_t uid;
	gid_t gid;
	const gid_t *groups; /* supplementary groups */
	size_t group_count;
	bool has_more_groups; /* `groups` is incomplete: the user may be in any other group */
};

/* The user that mounts. */
struct mounter {
	uid_t uid;
	gid_t gid;
};

bool rights_equal(const struct rights *a, const struct rights *b);

/** Returns whether any user, in any groups, has a right by `before` and not by `after`. */
bool rights_take_away(const struct rights *before, const struct rights *after);

/**
 * Returns whether the user may search a directory with these rights (path_resolution(7)). If the
 * answer depends on groups that are missing in user->groups, returns false.
 */
bool rights_allow_search(const struct rights *rights, const struct user *user);

/** Returns the mode 0555, without the rights of users that may not search the directory. */
static inline mode_t rights_of_files_in(mode_t directory)
{
	return (directory & 0111) << 2 | (directory & 0111);
}

/** Combines `count` contributors, at least one. */
struct rights rights_combine(
	const struct stat *contributors, size_t count, const struct mounter *mounter);

/** Combines two results of rights_combine(). */
struct rights rights_both(
	const struct rights *a, const struct rights *b, const struct mounter *mounter);
