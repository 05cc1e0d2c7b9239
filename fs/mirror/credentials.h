/*
 * A guise: the credentials of another user, which root takes on to do what that user has asked for.
 * So root gives the user no access that the user does not have.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Maximum number of a user's groups; more are left out. */
#define GUISE_GROUPS_MAX 256

struct guise {
	bool is_none; /* our own credentials are used */
	uid_t uid;
	gid_t gid;
	gid_t groups[GUISE_GROUPS_MAX];
	int count;

	/* private: the credentials before guise_put_on() */
	gid_t own_gid;
	gid_t own_groups[GUISE_GROUPS_MAX];
	int own_count;
};

/**
 * Initialises the guise with the user's groups, or for a user without a name with `gid` alone. Only
 * root may call it.
 */
void guise_init(struct guise *guise, uid_t uid, gid_t gid);

/** Takes on the credentials, in all threads, and gives them up again. Returns 0 or -errno. */
int guise_put_on(struct guise *guise);
void guise_take_off(struct guise *guise);

/** Takes on the credentials for good, in a process of its own. Returns 0 or -errno. */
int guise_become(const struct guise *guise);
