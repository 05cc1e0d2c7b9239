#include "rights.h"

static mode_t owner_bits(mode_t mode)
{
	return (mode >> 6) & 05;
}

static mode_t group_bits(mode_t mode)
{
	return (mode >> 3) & 05;
}

static mode_t other_bits(mode_t mode)
{
	return mode & 05;
}

/*
 * A user is in exactly one class of each source, and may be in a different one of the result. So a
 * class of the result may have a right only if every class of every source that its members can be
 * in has it:
 *
 *   owners agree, groups agree      each class with itself
 *   owners agree, groups differ     owner with owner; anybody else can be in group or other
 *   owners differ, groups agree     a member of the group can own one of the sources, and so can
 *                                   anybody else
 *   both differ                     anybody can be in any class
 *
 * The mounting user, who then owns the result, is held to the same: a process of his that may read
 * each source can read the sources.
 */
struct rights rights_combine(
	const struct stat *contributors, size_t count, const struct mounter *mounter)
{
	mode_t owner = 05;
	mode_t group = 05;
	mode_t other = 05;
	bool same_uid = true;
	bool same_gid = true;

	for (size_t i = 0; i < count; i++) {
		owner &= owner_bits(contributors[i].st_mode);
		group &= group_bits(contributors[i].st_mode);
		other &= other_bits(contributors[i].st_mode);
		same_uid &= contributors[i].st_uid == contributors[0].st_uid;
		same_gid &= contributors[i].st_gid == contributors[0].st_gid;
	}
	if (!same_uid) {
		group &= owner;
		other &= owner;
	}
	if (!same_gid) {
		group &= other;
		other &= group;
	}
	/* With differing owners the mounter can be owner here, group there and other elsewhere. */
	if (!same_uid && mounter->uid != 0)
		owner &= group & other;

	return (struct rights){
		.mode = (mode_t)(owner << 6 | group << 3 | other),
		.uid = same_uid ? contributors[0].st_uid : mounter->uid,
		.gid = same_gid ? contributors[0].st_gid : mounter->gid,
	};
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

struct rights rights_both(
	const struct rights *a, const struct rights *b, const struct mounter *mounter)
{
	const struct stat stats[] = {
		{.st_mode = a->mode, .st_uid = a->uid, .st_gid = a->gid},
		{.st_mode = b->mode, .st_uid = b->uid, .st_gid = b->gid},
	};

	return rights_combine(stats, 2, mounter);
}
