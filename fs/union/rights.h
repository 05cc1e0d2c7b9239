/*
 * Who may read what several sources make together: nobody who may not read each of them (design,
 * section 7). The kernel enforces it (default_permissions), so what is decided here is the mode and
 * the owner that stat(2) shows.
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

/** Who mounts: the owner of what the contributors don't agree upon. */
struct mounter {
	uid_t uid;
	gid_t gid;
};

bool rights_equal(const struct rights *a, const struct rights *b);

/** What both give, as rights_combine(). */
struct rights rights_both(
	const struct rights *a, const struct rights *b, const struct mounter *mounter);

/** Whether the user may search a directory with these rights: path_resolution(7), "Permissions". */
bool rights_allow_search(const struct rights *rights, const struct user *user);

/** Combines `count` >= 1 contributors. A table of every case is in tests/unit/rights.c. */
struct rights rights_combine(
	const struct stat *contributors, size_t count, const struct mounter *mounter);
