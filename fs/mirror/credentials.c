#include "credentials.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

void guise_init(struct guise *guise, uid_t uid, gid_t gid)
{
	const struct passwd *user = getpwuid(uid);

	*guise = (struct guise){.uid = uid, .gid = user ? user->pw_gid : gid};
	guise->count = GUISE_GROUPS_MAX;
	if (user && getgrouplist(user->pw_name, guise->gid, guise->groups, &guise->count) >= 0)
		return;
	guise->groups[0] = guise->gid;
	guise->count = 1;
}

/* Returns to root. A process that can't must not go on. */
void guise_take_off(struct guise *guise)
{
	if (guise->is_none)
		return;
	if (seteuid(0) < 0 || setegid(guise->own_gid) < 0 ||
		setgroups((size_t)guise->own_count, guise->own_groups) < 0)
		abort();
}

int guise_put_on(struct guise *guise)
{
	if (guise->is_none)
		return 0;
	guise->own_gid = getegid();
	guise->own_count = getgroups(GUISE_GROUPS_MAX, guise->own_groups);
	if (guise->own_count < 0)
		return -errno;
	if (setgroups((size_t)guise->count, guise->groups) < 0)
		return -errno;
	if (setegid(guise->gid) == 0 && seteuid(guise->uid) == 0)
		return 0;
	int r = -errno;
	guise_take_off(guise);
	return r;
}

int guise_become(const struct guise *guise)
{
	if (guise->is_none)
		return 0;
	if (setgroups((size_t)guise->count, guise->groups) < 0 ||
		setresgid(guise->gid, guise->gid, guise->gid) < 0 ||
		setresuid(guise->uid, guise->uid, guise->uid) < 0)
		return -errno;
	return 0;
}
