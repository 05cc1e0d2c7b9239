/* The credentials of a user. A process of root takes them on to have only that user's rights. */
#pragma once

#include <sys/types.h>

/* Maximum number of a user's groups. If there are more, only the primary group is taken. */
#define CREDENTIALS_GROUPS_MAX 256

struct credentials {
	uid_t uid;
	gid_t gid;
	gid_t groups[CREDENTIALS_GROUPS_MAX];
	int count; /* of `groups`; 0 (the struct is all zero): our own credentials are used */

	/* private: the credentials before credentials_take() */
	gid_t own_gid;
	gid_t own_groups[CREDENTIALS_GROUPS_MAX];
	int own_count;
};

/**
 * Initialises `as` with the user `uid` and the user's groups. If the user has no name, `gid` is the
 * only group. Only root may call it.
 */
void credentials_init(struct credentials *as, uid_t uid, gid_t gid);

/** Takes on the credentials in all threads. Returns 0 or -errno. */
int credentials_take(struct credentials *as);

/** Returns to root's own credentials in all threads; aborts if that fails. */
void credentials_give_back(struct credentials *as);

/** Takes on the credentials for good, in a forked process. Returns 0 or -errno. */
int credentials_become(const struct credentials *as);
