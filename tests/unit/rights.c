/*
 * A user who can read a merged file may read each of its sources. Every user who may read each
 * source can read the merged file, if an owner, a group and a mode can express that. All
 * combinations of owners, groups and modes are tried, with users in all combinations of groups.
 */
#include "rights.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "test.h"

/* Owners 1 and 2; groups 10 and 20; and users who are neither, or belong to the mounter's group. */
struct person {
	uid_t uid;
	gid_t groups[4]; /* ends with 0 */
};

static const struct person users[] = {
	{1, {10}},
	{1, {20}},
	{1, {10, 20}},
	{1, {50}},
	{1, {0}},
	{2, {10}},
	{2, {20}},
	{2, {10, 20}},
	{2, {50}},
	{2, {0}},
	{3, {10}},
	{3, {20}},
	{3, {10, 20}},
	{3, {50}},
	{3, {0}},
	{5, {50}},
	{5, {10, 50}},
	{5, {20, 50}},
	{5, {10, 20, 50}},
};

static const struct mounter mounters[] = {{0, 0}, {1, 10}, {2, 20}, {5, 50}};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool is_in(const struct person *user, gid_t group)
{
	for (const gid_t *own = user->groups; *own; own++)
		if (*own == group)
			return true;
	return false;
}

/* Decides as the kernel does; `right` is 4 to read, 1 to search. No user here is root. */
static bool may(const struct person *user, uid_t uid, gid_t gid, mode_t mode, mode_t right)
{
	if (user->uid == uid)
		return mode >> 6 & right;
	if (is_in(user, gid))
		return mode >> 3 & right;
	return mode & right;
}

/* 0 … 7: whether owner, group and others have the right. */
static mode_t spread(unsigned bits, mode_t right)
{
	return (mode_t)(((bits & 4) ? right << 6 : 0) | ((bits & 2) ? right << 3 : 0) |
			((bits & 1) ? right : 0));
}

/*
 * A world for sets of users: uids 1 to 4 with every set of the groups 0 to 3, a bit each. Owners
 * and groups of sources are 0, 1 and 2, so 3 and 4 stand for any other user. Root is in every set.
 */
#define WORLD_UIDS 5
#define WORLD_GROUPS 4

static const struct mounter natives[] = {{0, 0}, {1, 1}, {3, 3}, {2, 0}};

static uint64_t sets[WORLD_UIDS][WORLD_GROUPS][8]; /* by owner, group, and the classes that have
                                                      the right */

static uint64_t find_set(uid_t owner, gid_t group, unsigned bits)
{
	uint64_t set = 0;

	for (unsigned user = 0; user < 64; user++) {
		unsigned uid = 1 + user / 16;
		unsigned class = uid == owner ? 4 : user >> group & 1 ? 2 : 1;
		set |= (uint64_t)((bits & class) != 0) << user;
	}
	return set;
}

static void find_sets(void)
{
	for (uid_t uid = 0; uid < WORLD_UIDS; uid++)
		for (gid_t gid = 0; gid < WORLD_GROUPS; gid++)
			for (unsigned bits = 0; bits < 8; bits++)
				sets[uid][gid][bits] = find_set(uid, gid, bits);
}

/* Returns the users that have the right, without root. */
static uint64_t set_of(uid_t uid, gid_t gid, mode_t mode, mode_t right)
{
	unsigned bits = ((mode >> 6 & right) ? 4 : 0) | ((mode >> 3 & right) ? 2 : 0) |
			((mode & right) ? 1 : 0);

	return sets[uid][gid][bits];
}

static bool is_subset(uint64_t a, uint64_t b)
{
	return !(a & ~b);
}

/*
 * Returns the largest of the sets within `all` that a mode with this owner and group can express.
 */
static uint64_t largest_set(uid_t uid, gid_t gid, uint64_t all)
{
	uint64_t largest = 0;

	for (unsigned bits = 0; bits < 8; bits++)
		if (is_subset(sets[uid][gid][bits], all))
			largest |= sets[uid][gid][bits];
	return largest;
}

static bool is_candidate(
	uid_t uid, const struct stat *sources, size_t count, const struct mounter *mounter)
{
	bool is_found = uid == 0 || uid == mounter->uid;

	for (size_t i = 0; i < count; i++)
		is_found |= uid == sources[i].st_uid;
	return is_found;
}

static void fail_with(
	const char *what, const struct stat *sources, size_t count, const struct rights *rights)
{
	char text[200] = "";
	size_t length = 0;

	for (size_t i = 0; i < count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, " %u:%u %03o",
			sources[i].st_uid, sources[i].st_gid, sources[i].st_mode & 0777);
	fail_msg("%s: %u:%u %03o of%s", what, rights->uid, rights->gid, rights->mode, text);
}

/*
 * Safe: a user who has a right has it by each source. Large: no other owner and group could give
 * more, so the result is exact if any could be. Root, who may read everything, may only execute
 * what root may execute of each source.
 */
static void check(const struct stat *sources, size_t count, const struct mounter *mounter)
{
	struct rights rights = rights_combine(sources, count, mounter);
	uint64_t reads = set_of(rights.uid, rights.gid, rights.mode, 4);
	uint64_t searches = set_of(rights.uid, rights.gid, rights.mode, 1);
	uint64_t all_read = UINT64_MAX;
	uint64_t all_search = UINT64_MAX;
	bool root_runs = true;

	for (size_t i = 0; i < count; i++) {
		const struct stat *source = &sources[i];
		all_read &= set_of(source->st_uid, source->st_gid, source->st_mode, 4);
		all_search &= set_of(source->st_uid, source->st_gid, source->st_mode, 1);
		root_runs &= (source->st_mode & 0111) != 0;
	}
	if (rights.mode & ~(mode_t)0555 || !is_subset(reads, all_read) ||
		!is_subset(searches, all_search) || (rights.mode & 0111 && !root_runs))
		fail_with("gives too much", sources, count, &rights);
	for (uid_t uid = 0; uid < WORLD_UIDS; uid++)
		for (gid_t gid = 0; gid < WORLD_GROUPS; gid++) {
			uint64_t more_read = largest_set(uid, gid, all_read);
			uint64_t more_search = largest_set(uid, gid, all_search);
			bool is_more = is_subset(reads, more_read) &&
				       is_subset(searches, more_search) &&
				       (reads != more_read || searches != more_search);
			bool is_exact = more_read == all_read && more_search == all_search;
			if (is_more && (is_exact || is_candidate(uid, sources, count, mounter)))
				fail_with("gives too little", sources, count, &rights);
		}
}

/* 9 owners and groups, with the modes that the bits of `rights` can make: 8, or 64 for both. */
static struct stat make_source(unsigned number, mode_t rights)
{
	unsigned bits = number / 9;
	mode_t mode =
		rights == 5 ? spread(bits & 7, 4) | spread(bits >> 3, 1) : spread(bits, rights);

	return (struct stat){
		.st_mode = S_IFREG | mode, .st_uid = number % 3, .st_gid = number / 3 % 3};
}

TEST(two_sources_let_in_who_may_read_and_search_both_and_nobody_else)
{
	for (unsigned a = 0; a < 9 * 64; a++)
		for (unsigned b = 0; b <= a; b++) {
			const struct stat sources[] = {make_source(a, 5), make_source(b, 5)};
			check(sources, 2, &natives[(a + b) % COUNT(natives)]);
		}
}

static void check_three(mode_t right)
{
	for (unsigned a = 0; a < 9 * 8; a++)
		for (unsigned b = 0; b < 9 * 8; b++)
			for (unsigned c = 0; c <= b; c++) {
				const struct stat sources[] = {make_source(a, right),
					make_source(b, right), make_source(c, right)};
				check(sources, 3, &natives[(a + b + c) % COUNT(natives)]);
			}
}

TEST(three_sources_let_in_who_may_read_each_and_nobody_else)
{
	check_three(4);
}

TEST(three_directories_let_in_who_may_search_each_and_nobody_else)
{
	check_three(1);
}

static void assert_combined(
	struct stat a, struct stat b, const struct mounter *mounter, struct rights wanted)
{
	const struct stat there[] = {a, b};
	const struct stat back[] = {b, a};
	struct rights first = rights_combine(there, 2, mounter);
	struct rights second = rights_combine(back, 2, mounter);

	if (!rights_equal(&first, &wanted) || !rights_equal(&second, &wanted))
		fail_with("is not what it was to be", there, 2, &first);
}

TEST(group_of_one_source_stays_where_others_let_everybody_in)
{
	const struct stat public = {.st_mode = S_IFREG | 0644};
	const struct stat open = {.st_mode = S_IFDIR | 0755};

	assert_combined((struct stat){.st_mode = S_IFREG | 0640, .st_gid = 20}, public,
		&mounters[0], (struct rights){0440, 0, 20});
	assert_combined((struct stat){.st_mode = S_IFREG | 0640, .st_uid = 1, .st_gid = 20}, public,
		&mounters[0], (struct rights){0440, 1, 20});
	assert_combined((struct stat){.st_mode = S_IFDIR | 0750, .st_gid = 20}, open, &mounters[0],
		(struct rights){0550, 0, 20});
	/* All users except the group. */
	assert_combined((struct stat){.st_mode = S_IFREG | 0604, .st_gid = 20}, public,
		&mounters[0], (struct rights){0404, 0, 20});
}

TEST(own_file_of_who_mounts_stays_his_beside_a_public_one)
{
	const struct stat public = {.st_mode = S_IFREG | 0644};

	assert_combined((struct stat){.st_mode = S_IFREG | 0600, .st_uid = 5, .st_gid = 50}, public,
		&mounters[3], (struct rights){0400, 5, 50});
}

TEST(members_of_two_groups_can_not_be_told_so_nobody_but_root_is_let_in)
{
	assert_combined((struct stat){.st_mode = S_IFREG | 0640, .st_gid = 10},
		(struct stat){.st_mode = S_IFREG | 0640, .st_gid = 20}, &mounters[0],
		(struct rights){0400, 0, 0});
}

TEST(more_owners_than_are_tried_give_nobody_too_much)
{
	struct stat sources[200];
	const size_t count = COUNT(sources);

	for (unsigned i = 0; i < count; i++)
		sources[i] = (struct stat){
			.st_mode = S_IFREG | 0640, .st_uid = 1000 + i, .st_gid = 1000 + i};
	assert_int_equal(rights_combine(sources, count, &mounters[0]).mode, 0400);
	for (unsigned i = 0; i < count; i++)
		sources[i].st_mode = S_IFREG | 0644;
	assert_int_equal(rights_combine(sources, count, &mounters[0]).mode, 0444);
}

TEST(what_two_give_is_what_the_narrower_gives)
{
	const struct rights wide = {0555, 0, 0};
	const struct rights narrow = {0550, 0, 20};

	struct rights both = rights_both(&wide, &narrow, &mounters[0]);
	assert_true(rights_equal(&both, &narrow));
	both = rights_both(&narrow, &wide, &mounters[0]);
	assert_true(rights_equal(&both, &narrow));
}

TEST(loss_of_a_right_is_found_by_all_owners_groups_and_modes)
{
	for (unsigned a = 0; a < 4 * 64; a++)
		for (unsigned b = 0; b < 4 * 64; b++) {
			struct rights before = {spread(a & 7, 4) | spread(a >> 3 & 7, 1),
				1 + (a >> 6 & 1), 1 + (a >> 7)};
			struct rights after = {spread(b & 7, 4) | spread(b >> 3 & 7, 1),
				1 + (b >> 6 & 1), 1 + (b >> 7)};
			bool is_lost = false;
			for (mode_t right = 1; right <= 4; right += 3)
				is_lost |= !is_subset(
					set_of(before.uid, before.gid, before.mode, right),
					set_of(after.uid, after.gid, after.mode, right));
			assert_int_equal(rights_take_away(&before, &after), is_lost);
		}
}

TEST(right_to_search_a_directory_is_what_the_kernel_decides)
{
	for (mode_t mode = 0; mode < 01000; mode++)
		for (size_t u = 0; u < COUNT(users); u++) {
			const struct person *person = &users[u];
			const struct rights rights = {mode, 1, 10};
			struct user user = {
				person->uid, person->groups[0], person->groups + 1, 3, false};
			assert_int_equal(
				rights_allow_search(&rights, &user), may(person, 1, 10, mode, 1));
			/* If the groups are not known, the user may be in any. */
			user.has_more_groups = true;
			if (rights_allow_search(&rights, &user))
				assert_true(may(person, 1, 10, mode, 1) &&
					    (person->uid == 1 || mode & S_IXGRP));
			user.uid = 0;
			assert_true(rights_allow_search(&rights, &user));
		}
}

TEST(same_owner_and_group_give_exactly_the_and_of_the_modes)
{
	for (mode_t a = 0; a < 01000; a++)
		for (mode_t b = 0; b < 01000; b++) {
			const struct stat sources[] = {
				{.st_mode = S_IFREG | a, .st_uid = 1, .st_gid = 10},
				{.st_mode = S_IFREG | b, .st_uid = 1, .st_gid = 10},
			};
			struct rights rights = rights_combine(sources, 2, &mounters[3]);
			assert_int_equal(rights.mode, a & b & 0555);
			assert_int_equal(rights.uid, 1);
			assert_int_equal(rights.gid, 10);
		}
}

TEST(one_source_keeps_its_mode_but_for_writing)
{
	for (mode_t mode = 0; mode < 010000; mode++) {
		const struct stat source = {.st_mode = S_IFREG | mode, .st_uid = 1, .st_gid = 10};
		assert_int_equal(rights_combine(&source, 1, &mounters[0]).mode, mode & 0555);
	}
}

TEST(owner_and_group_are_the_mounters_where_sources_differ)
{
	const struct stat sources[] = {
		{.st_mode = S_IFREG | 0644, .st_uid = 1, .st_gid = 10},
		{.st_mode = S_IFREG | 0644, .st_uid = 2, .st_gid = 10},
		{.st_mode = S_IFREG | 0644, .st_uid = 1, .st_gid = 20},
	};
	struct rights rights = rights_combine(sources, 2, &mounters[3]);
	assert_int_equal(rights.uid, 5);
	assert_int_equal(rights.gid, 10);
	assert_int_equal(rights.mode, 0444);
	const struct stat others[] = {sources[0], sources[2]};
	rights = rights_combine(others, 2, &mounters[3]);
	assert_int_equal(rights.uid, 1);
	assert_int_equal(rights.gid, 50);
	assert_int_equal(rights.mode, 0444);
}

/* /etc/app/secret.yaml is root's 0600, and the layer below has root's 0644. */
TEST(secret_over_a_public_default_is_read_by_its_owner_only)
{
	const struct stat sources[] = {
		{.st_mode = S_IFREG | 0644, .st_uid = 0, .st_gid = 0},
		{.st_mode = S_IFREG | 0600, .st_uid = 0, .st_gid = 0},
	};
	assert_int_equal(rights_combine(sources, 2, &mounters[0]).mode, 0400);
}

TEST(user_who_mounts_reads_what_he_may_read_whoever_owns_it)
{
	const struct stat sources[] = {
		{.st_mode = S_IFREG | 0644, .st_uid = 0, .st_gid = 0},
		{.st_mode = S_IFREG | 0644, .st_uid = 5, .st_gid = 50},
	};
	struct rights rights = rights_combine(sources, 2, &mounters[3]);
	assert_int_equal(rights.uid, 5);
	assert_int_equal(rights.mode, 0444);
}

int main(void)
{
	find_sets();
	return tests_run(NULL, NULL);
}
