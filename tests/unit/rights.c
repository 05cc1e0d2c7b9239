/*
 * Nobody can read a merged file who may not read each of its sources. All combinations of owners,
 * groups and modes are tried, with users in all combinations of groups.
 */
#include "rights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

/* Owners 1 and 2; groups 10 and 20; and users who are neither, or belong to the mounter's group. */
struct person {
	uid_t uid;
	gid_t groups[4]; /* ends with 0 */
};

static const struct person users[] = {
	{1, {10}}, {1, {20}}, {1, {10, 20}}, {1, {50}}, {1, {0}},
	{2, {10}}, {2, {20}}, {2, {10, 20}}, {2, {50}}, {2, {0}},
	{3, {10}}, {3, {20}}, {3, {10, 20}}, {3, {50}}, {3, {0}},
	{5, {50}}, {5, {10, 50}}, {5, {20, 50}}, {5, {10, 20, 50}},
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

/* As the kernel decides it; `right` is 4 to read, 1 to search. Nobody here is root. */
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

static void check(const struct stat *sources, size_t count, mode_t right)
{
	for (size_t m = 0; m < COUNT(mounters); m++) {
		struct rights rights = rights_combine(sources, count, &mounters[m]);
		if (rights.mode & ~(mode_t)0555)
			fail_msg("mode %o", rights.mode);
		for (size_t u = 0; u < COUNT(users); u++) {
			if (!may(&users[u], rights.uid, rights.gid, rights.mode, right))
				continue;
			for (size_t i = 0; i < count; i++)
				if (!may(&users[u], sources[i].st_uid, sources[i].st_gid,
					    sources[i].st_mode, right))
					fail_msg("user %zu has right %o of %o %u:%u, but not of "
						 "%o %u:%u",
						u, right, rights.mode, rights.uid, rights.gid,
						sources[i].st_mode, sources[i].st_uid,
						sources[i].st_gid);
		}
	}
}

/* Calls check() for `count` sources with every combination of owner, group and mode. */
static void check_all(size_t count, mode_t right)
{
	struct stat sources[3];
	uint64_t cases = (uint64_t)1 << 5 * count;

	for (uint64_t number = 0; number < cases; number++) {
		for (size_t i = 0; i < count; i++) {
			unsigned bits = (unsigned)(number >> 5 * i) & 31;
			sources[i] = (struct stat){
				.st_mode = S_IFREG | spread(bits & 7, right),
				.st_uid = bits & 8 ? 1 : 2,
				.st_gid = bits & 16 ? 10 : 20,
			};
		}
		check(sources, count, right);
	}
}

static void nobody_reads_what_one_of_two_sources_denies(void **state)
{
	(void)state;
	check_all(2, 4);
}

static void nobody_reads_what_one_of_three_sources_denies(void **state)
{
	(void)state;
	check_all(3, 4);
}

static void nobody_searches_a_directory_that_one_of_two_layers_denies(void **state)
{
	(void)state;
	check_all(2, 1);
}

static void who_may_search_a_directory_is_told_as_the_kernel_decides_it(void **state)
{
	(void)state;
	for (mode_t mode = 0; mode < 01000; mode++)
		for (size_t u = 0; u < COUNT(users); u++) {
			const struct person *person = &users[u];
			const struct rights rights = {mode, 1, 10};
			struct user user = {
				person->uid, person->groups[0], person->groups + 1, 3, false};
			assert_int_equal(rights_allow_search(&rights, &user),
				may(person, 1, 10, mode, 1));
			/* With groups that are not known he may be in any. */
			user.has_more_groups = true;
			if (rights_allow_search(&rights, &user))
				assert_true(may(person, 1, 10, mode, 1) &&
					    (person->uid == 1 || mode & S_IXGRP));
			user.uid = 0;
			assert_true(rights_allow_search(&rights, &user));
		}
}

static void same_owner_and_group_give_exactly_the_and_of_the_modes(void **state)
{
	(void)state;
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

static void one_source_keeps_its_mode_but_for_writing(void **state)
{
	(void)state;
	for (mode_t mode = 0; mode < 010000; mode++) {
		const struct stat source = {
			.st_mode = S_IFREG | mode, .st_uid = 1, .st_gid = 10};
		assert_int_equal(rights_combine(&source, 1, &mounters[0]).mode, mode & 0555);
	}
}

static void owner_and_group_are_the_mounters_where_sources_differ(void **state)
{
	(void)state;
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
static void secret_over_a_public_default_is_read_by_its_owner_only(void **state)
{
	(void)state;
	const struct stat sources[] = {
		{.st_mode = S_IFREG | 0644, .st_uid = 0, .st_gid = 0},
		{.st_mode = S_IFREG | 0600, .st_uid = 0, .st_gid = 0},
	};
	assert_int_equal(rights_combine(sources, 2, &mounters[0]).mode, 0400);
}

static void user_who_mounts_reads_what_he_may_read_whoever_owns_it(void **state)
{
	(void)state;
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_reads_what_one_of_two_sources_denies),
		cmocka_unit_test(nobody_reads_what_one_of_three_sources_denies),
		cmocka_unit_test(nobody_searches_a_directory_that_one_of_two_layers_denies),
		cmocka_unit_test(who_may_search_a_directory_is_told_as_the_kernel_decides_it),
		cmocka_unit_test(same_owner_and_group_give_exactly_the_and_of_the_modes),
		cmocka_unit_test(one_source_keeps_its_mode_but_for_writing),
		cmocka_unit_test(owner_and_group_are_the_mounters_where_sources_differ),
		cmocka_unit_test(secret_over_a_public_default_is_read_by_its_owner_only),
		cmocka_unit_test(user_who_mounts_reads_what_he_may_read_whoever_owns_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
