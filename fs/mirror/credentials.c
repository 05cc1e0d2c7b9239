#include "credentials.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

void credentials_init(struct credentials *as, uid_t uid, gid_t gid)
{
	const struct passwd *user = getpwuid(uid);

	*as = (struct credentials){.uid = uid, .gid = user ? user->pw_gid : gid};
	as->count = CREDENTIALS_GROUPS_MAX;
	if (user && getgrouplist(user->pw_name, as->gid, as->groups, &as->count) >= 0)
		return;
	as->groups[0] = as->gid;
	as->count = 1;
}

/* Returns to root. A process that can't must not go on. */
void credentials_give_back(struct credentials *as)
{
	if (as->count == 0)
		return;
	if (seteuid(0) < 0 || setegid(as->own_gid) < 0 ||
		setgroups((size_t)as->own_count, as->own_groups) < 0)
		abort();
}

int credentials_take(struct credentials *as)
{
	if (as->count == 0)
		return 0;
	as->own_gid = getegid();
	as->own_count = getgroups(CREDENTIALS_GROUPS_MAX, as->own_groups);
	if (as->own_count < 0)
		return -errno;
	if (setgroups((size_t)as->count, as->groups) < 0)
		return -errno;
	if (setegid(as->gid) == 0 && seteuid(as->uid) == 0)
		return 0;
	int r = -errno;
	credentials_give_back(as);
	return r;
}

int credentials_become(const struct credentials *as)
{
	if (as->count == 0)
		return 0;
	if (setgroups((size_t)as->count, as->groups) < 0 ||
		setresgid(as->gid, as->gid, as->gid) < 0 ||
		setresuid(as->uid, as->uid, as->uid) < 0)
		return -errno;
	return 0;
}
