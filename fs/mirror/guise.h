/*
 * A guise: the rights of another user, which root takes on to do what that user has asked for. What
 * he could not read or reach himself, he does not get by asking root.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Groups of a user, at most; more are left out. */
#define GUISE_GROUPS_MAX 256

struct guise {
	bool is_none; /* everything is done with our own rights */
	uid_t uid;
	gid_t gid;
	gid_t groups[GUISE_GROUPS_MAX];
	int count;

	/* private: what it was before */
	gid_t own_gid;
	gid_t own_groups[GUISE_GROUPS_MAX];
	int own_count;
};

/** That of the user, with his groups; of one without a name, with `gid` alone. Root only. */
void guise_init(struct guise *guise, uid_t uid, gid_t gid);

/** Puts it on for a while, in all threads; and takes it off again. 0 or -errno. */
int guise_put_on(struct guise *guise);
void guise_take_off(struct guise *guise);

/** For ever, in a process of its own. 0 or -errno. */
int guise_become(const struct guise *guise);
