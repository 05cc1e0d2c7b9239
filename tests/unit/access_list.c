/*
 * A mode is derived from an access list. For every user, in every set of groups, the mode gives
 * nothing that acl(5), "Access check algorithm", denies that user. If a list says no more than a
 * mode can, the mode gives all of it.
 */
#include "access_list.h"

#include <endian.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "test.h"

#define OWNER 1
#define NAMED_USER 2
#define OWN_GROUP 10
#define NAMED_GROUP 20
#define NOBODY ((unsigned)ACL_UNDEFINED_ID)

#define ENTRIES_MAX 8

struct list {
	struct posix_acl_xattr_header header;
	struct posix_acl_xattr_entry entries[ENTRIES_MAX];
	size_t count;
};

static void add(struct list *list, unsigned tag, unsigned perm, unsigned id)
{
	list->entries[list->count++] =
		(struct posix_acl_xattr_entry){.e_tag = htole16((uint16_t)tag),
			.e_perm = htole16((uint16_t)perm),
			.e_id = htole32(id)};
}

static size_t size_of(const struct list *list)
{
	return sizeof(list->header) + list->count * sizeof(list->entries[0]);
}

/* The users to whom each entry gives one right: a bit each. */
enum {
	BIT_USER_OBJ = 1,
	BIT_USER = 2,
	BIT_GROUP_OBJ = 4,
	BIT_GROUP = 8,
	BIT_MASK = 16,
	BIT_OTHER = 32,
	BITS_END = 64,
};

static struct list list_of(unsigned bits, unsigned right, unsigned user, unsigned group)
{
	struct list list = {.header.a_version = htole32(POSIX_ACL_XATTR_VERSION)};

	add(&list, ACL_USER_OBJ, bits & BIT_USER_OBJ ? right : 0, NOBODY);
	add(&list, ACL_USER, bits & BIT_USER ? right : 0, user);
	add(&list, ACL_GROUP_OBJ, bits & BIT_GROUP_OBJ ? right : 0, NOBODY);
	add(&list, ACL_GROUP, bits & BIT_GROUP ? right : 0, group);
	add(&list, ACL_MASK, bits & BIT_MASK ? right : 0, NOBODY);
	add(&list, ACL_OTHER, bits & BIT_OTHER ? right : 0, NOBODY);
	return list;
}

struct person {
	unsigned uid;
	bool is_in_own, is_in_named;
};

/* acl(5), step by step. */
static bool list_lets_in(unsigned bits, const struct person *person, unsigned user, unsigned group)
{
	bool mask = bits & BIT_MASK;
	bool is_in_group = person->is_in_named && group == NAMED_GROUP;

	is_in_group |= person->is_in_own && group == OWN_GROUP;
	if (person->uid == OWNER)
		return bits & BIT_USER_OBJ;
	if (person->uid == user)
		return bits & BIT_USER && mask;
	if (person->is_in_own && bits & BIT_GROUP_OBJ)
		return mask;
	if (is_in_group && bits & BIT_GROUP)
		return mask;
	if (person->is_in_own || is_in_group)
		return false;
	return bits & BIT_OTHER;
}

static bool mode_lets_in(mode_t mode, mode_t right, const struct person *person)
{
	if (person->uid == OWNER)
		return mode & right << 6;
	return mode & (person->is_in_own ? right << 3 : right);
}

static void check_list(unsigned bits, mode_t right, unsigned user, unsigned group)
{
	const struct list list = list_of(bits, right, user, group);
	/* stat(2) shows the mask for the group. */
	struct stat stat = {.st_uid = OWNER,
		.st_gid = OWN_GROUP,
		.st_mode = S_IFREG | (bits & BIT_USER_OBJ ? right << 6 : 0) |
			   (bits & BIT_MASK ? right << 3 : 0) | (bits & BIT_OTHER ? right : 0)};
	bool denies_nobody = (bits | BIT_USER_OBJ) == BITS_END - 1;

	access_list_narrow(&list, size_of(&list), &stat);
	assert_true(S_ISREG(stat.st_mode));
	for (unsigned i = 0; i < 12; i++) {
		const struct person person = {OWNER + i % 3, i & 4, i >= 6};
		bool is_let_in = mode_lets_in(stat.st_mode, right, &person);
		bool may = list_lets_in(bits, &person, user, group);
		if (is_let_in && !may)
			fail_msg("list %x of user %u, group %u: %u is let in", bits, user, group,
				person.uid);
		if ((denies_nobody || person.uid == OWNER) && may && !is_let_in)
			fail_msg("list %x of user %u, group %u: %u is shut out", bits, user, group,
				person.uid);
	}
}

TEST(test_nobody_is_let_in_whom_the_list_denies)
{
	for (unsigned bits = 0; bits < BITS_END; bits++)
		for (mode_t right = 1; right <= 4; right *= 4)
			for (unsigned user = OWNER; user <= NAMED_USER; user++)
				for (unsigned group = OWN_GROUP; group <= NAMED_GROUP; group += 10)
					check_list(bits, right, user, group);
}

static mode_t narrowed(const void *list, size_t size, mode_t mode)
{
	struct stat stat = {.st_uid = OWNER, .st_gid = OWN_GROUP, .st_mode = S_IFREG | mode};

	access_list_narrow(list, size, &stat);
	return stat.st_mode & 07777;
}

TEST(test_one_who_is_named_takes_nothing_from_others_that_he_has)
{
	struct list list = list_of(BITS_END - 1, 4, NAMED_USER, NAMED_GROUP);

	assert_int_equal(narrowed(&list, size_of(&list), 0444), 0444);
	/* A denial counts for every user who may be in the class. */
	list = list_of((BITS_END - 1) & ~BIT_USER, 4, NAMED_USER, NAMED_GROUP);
	assert_int_equal(narrowed(&list, size_of(&list), 0444), 0400);
	/* No member of the file's own group is denied by another group's entry. */
	list = list_of((BITS_END - 1) & ~BIT_GROUP, 4, NAMED_USER, NAMED_GROUP);
	assert_int_equal(narrowed(&list, size_of(&list), 0444), 0440);
	/* The group's bits of stat(2) are the mask: the group itself may have fewer rights. */
	list = list_of((BITS_END - 1) & ~BIT_GROUP_OBJ, 4, NAMED_USER, NAMED_GROUP);
	assert_int_equal(narrowed(&list, size_of(&list), 0444), 0404);
}

TEST(test_a_list_that_is_not_understood_is_the_owners)
{
	struct list list = list_of(BITS_END - 1, 4, NAMED_USER, NAMED_GROUP);

	assert_int_equal(narrowed(NULL, 0, 0644), 0600);
	assert_int_equal(narrowed(&list, 3, 0644), 0600);
	assert_int_equal(narrowed(&list, size_of(&list) - 1, 0644), 0600);
	list.header.a_version = htole32(3);
	assert_int_equal(narrowed(&list, size_of(&list), 0644), 0600);
	list.header.a_version = htole32(POSIX_ACL_XATTR_VERSION);
	list.entries[1].e_tag = htole16(0x40);
	assert_int_equal(narrowed(&list, size_of(&list), 0644), 0600);
}
