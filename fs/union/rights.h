/*
 * Who may read what several contributors (sources, and the directories that guard them) make
 * together: nobody who may not read each of them. The kernel enforces it (default_permissions), so
 * what is decided here is the mode, the owner and the group that stat(2) shows.
 *
 * A contributor lets a set of users in: root; its owner, by the owner's bits alone; of all others
 * the members of its group, by the group's bits alone; and the rest. A user may be in any groups.
 * The result lets in nobody who is not in all of these sets, and shuts out nobody who is where an
 * owner, a group and a mode can say that; reading and searching are two rights of which each has
 * its sets.
 *
 * The owner is the contributors' where they have one and the same. Else it is tried with the one
 * who mounts, root, and each of theirs; and so the group, but for root's. Each pair has a largest
 * safe mode, and the pair whose mode lets in most is taken: others count first, then the group,
 * then the owner, and reading before searching; of pairs that let in alike, the first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct rights {
	mode_t mode; /* permission bits only: no type, no write, no set-id, no sticky bit */
	uid_t uid;
	gid_t gid;
};

/** Who asks. */
struct user {
	uid_t uid;
	gid_t gid;
	const gid_t *groups; /* further ones */
	size_t group_count;
	bool has_more_groups; /* … that are not known: he is let in only where that makes no
				 difference */
};

/** Who mounts. */
struct mounter {
	uid_t uid;
	gid_t gid;
};

bool rights_equal(const struct rights *a, const struct rights *b);

/** Whether anybody loses a right, in whichever groups he is. */
bool rights_take_away(const struct rights *before, const struct rights *after);

/** Whether the user may search a directory with these rights: path_resolution(7), "Permissions". */
bool rights_allow_search(const struct rights *rights, const struct user *user);

/** Combines `count` >= 1 contributors. All cases are tried in tests/unit/rights.c. */
struct rights rights_combine(
	const struct stat *contributors, size_t count, const struct mounter *mounter);

/** What both give, as rights_combine(). */
struct rights rights_both(
	const struct rights *a, const struct rights *b, const struct mounter *mounter);
