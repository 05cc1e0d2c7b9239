#include "rights.h"

/*
 * Maximum number of owners, or of groups, that are tried. Beyond it the result may exclude users
 * that it could admit.
 */
#define CANDIDATES_MAX 32

struct candidates {
	unsigned ids[CANDIDATES_MAX];
	size_t count;
};

static void add_candidate(struct candidates *candidates, unsigned id)
{
	for (size_t i = 0; i < candidates->count; i++)
		if (candidates->ids[i] == id)
			return;
	if (candidates->count < CANDIDATES_MAX)
		candidates->ids[candidates->count++] = id;
}

/*
 * Returns a number for the set of users to whom a mode gives a right. If one set contains another,
 * it has the greater number. Others count first, then the group, then the owner. Root may do
 * everything: if root is the owner, no user is in the owner's class, and every user is in one of
 * the other two.
 */
static int score_of(const struct rights *rights, mode_t right)
{
	int owner = (rights->mode >> 6 & right) != 0;
	int group = (rights->mode >> 3 & right) != 0;
	int other = (rights->mode & right) != 0;

	return 8 * other + 4 * group + (rights->uid == 0 ? group + other : 2 * owner);
}

struct rights_choice {
	const struct stat *contributors;
	size_t count;
	struct rights best; /* so far */
	int score;          /* of `best`; -1: there is none yet */
};

/*
 * Takes this owner and group if more is safe with them. A class of the result (owner, group,
 * others) gets a right only if each contributor gives it to every class that a member can be in
 * there. A user that does not own the contributor may be in its group or not. If the groups differ,
 * a member of the result's group, or any other user, may be in the contributor's group. Both may
 * own the contributor, unless its owner is the result's owner, too, or root.
 */
static void consider(struct rights_choice *choice, uid_t uid, gid_t gid)
{
	struct rights rights = {.mode = 0555, .uid = uid, .gid = gid};
	int score = -1;

	for (size_t i = 0; i < choice->count; i++) {
		const struct stat *from = &choice->contributors[i];
		mode_t owner = from->st_mode >> 6 & 05;
		mode_t group = from->st_mode >> 3 & 05;
		mode_t other = from->st_mode & 05;
		mode_t own = from->st_uid == uid || from->st_uid == 0 ? 05 : owner;

		if (from->st_uid != uid && uid != 0)
			owner = group & other;
		if (from->st_gid != gid)
			group = other = group & other;
		rights.mode &= owner << 6 | (group & own) << 3 | (other & own);
		score = 16 * score_of(&rights, 04) + score_of(&rights, 01);
		if (score <= choice->score)
			return;
	}
	choice->best = rights;
	choice->score = score;
}

struct rights rights_combine(
	const struct stat *contributors, size_t count, const struct mounter *mounter)
{
	struct candidates owners = {0};
	struct candidates groups = {0};
	struct rights_choice choice = {contributors, count, .score = -1};
	bool same_uid = true;
	bool same_gid = true;

	for (size_t i = 1; i < count; i++) {
		same_uid &= contributors[i].st_uid == contributors[0].st_uid;
		same_gid &= contributors[i].st_gid == contributors[0].st_gid;
	}
	if (!same_uid) {
		add_candidate(&owners, mounter->uid);
		add_candidate(&owners, 0);
	}
	if (!same_gid)
		add_candidate(&groups, mounter->gid);
	for (size_t i = 0; i < count; i++) {
		add_candidate(&owners, contributors[i].st_uid);
		add_candidate(&groups, contributors[i].st_gid);
	}
	for (size_t i = 0; i < owners.count; i++)
		for (size_t j = 0; j < groups.count; j++)
			consider(&choice, owners.ids[i], groups.ids[j]);
	return choice.best;
}

static bool is_member(const struct user *user, gid_t gid)
{
	bool is_found = user->gid == gid;

	for (size_t i = 0; i < user->group_count; i++)
		is_found |= user->groups[i] == gid;
	return is_found;
}

bool rights_allow_search(const struct rights *rights, const struct user *user)
{
	if (user->uid == 0)
		return true;
	if (user->uid == rights->uid)
		return rights->mode & S_IXUSR;
	if (is_member(user, rights->gid))
		return rights->mode & S_IXGRP;
	return rights->mode & S_IXOTH && (rights->mode & S_IXGRP || !user->has_more_groups);
}

bool rights_equal(const struct rights *a, const struct rights *b)
{
	return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid;
}

/* Returns the bits of the owner, of a member of the group, or of another user. */
static mode_t bits_of(const struct rights *rights, bool is_owner, bool is_member)
{
	return rights->mode >> (is_owner ? 6 : is_member ? 3 : 0) & 7;
}

bool rights_take_away(const struct rights *before, const struct rights *after)
{
	bool has_owner = before->uid == after->uid, has_group = before->gid == after->gid;

	/*
	 * A user may be the owner before, after or never (both, if the owner stays), and a member
	 * of the group before, after, both or never.
	 */
	for (unsigned who = 0; who < 16; who++) {
		bool was_owner = who & 1, is_owner = who & 2, was_member = who & 4,
		     is_member = who & 8;
		if (has_owner ? was_owner != is_owner : was_owner && is_owner)
			continue;
		if (has_group && was_member != is_member)
			continue;
		if (bits_of(before, was_owner, was_member) & ~bits_of(after, is_owner, is_member))
			return true;
	}
	return false;
}

struct rights rights_both(
	const struct rights *a, const struct rights *b, const struct mounter *mounter)
{
	const struct stat stats[] = {
		{.st_mode = a->mode, .st_uid = a->uid, .st_gid = a->gid},
		{.st_mode = b->mode, .st_uid = b->uid, .st_gid = b->gid},
	};

	return rights_combine(stats, 2, mounter);
}
