/* A directory that is the complete state of one revision: its drafts, their difference, and what is
 * left behind by who was killed. */
#include "replica.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cleanup.h"

struct fixture {
	char directory[64];
	struct replica *replica;
};

static struct replica *open_it(void)
{
	const struct replica_options options = {.directory = "d"};
	struct replica *replica = NULL;
	struct problem problem;

	assert_int_equal(replica_open(&options, &replica, &problem), 0);
	return replica;
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	strcpy(fixture->directory, "/tmp/plyfs-test.XXXXXX");
	if (!mkdtemp(fixture->directory) || chdir(fixture->directory) < 0)
		return -1;
	fixture->replica = open_it();
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	replica_freep(&fixture->replica);
	if (chdir("/") < 0 || tree_remove(AT_FDCWD, fixture->directory) < 0)
		return -1;
	free(fixture);
	return 0;
}

static void put(struct replica *replica, const char *path, const char *text)
{
	size_t clash;

	assert_int_equal(replica_draft_put(replica, path, span_of(text), 0644, &clash), 0);
	assert_int_equal(clash, 0);
}

static struct tree_difference publish(struct replica *replica)
{
	struct tree_difference difference;

	assert_int_equal(replica_compare(replica, &difference), 0);
	assert_int_equal(replica_publish(replica, &difference), 0);
	return difference;
}

/* With a, sub/b and sub/deep/c. */
static void fill(struct replica *replica)
{
	assert_int_equal(replica_begin(replica, false), 0);
	put(replica, "a", "1");
	put(replica, "sub/b", "2");
	put(replica, "sub/deep/c", "3");
	publish(replica);
}

static ino_t inode(const char *path)
{
	struct stat stat;

	assert_int_equal(lstat(path, &stat), 0);
	return stat.st_ino;
}

static void assert_file(const char *path, const char *text)
{
	char buffer[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	size_t len = fread(buffer, 1, sizeof(buffer) - 1, file);
	fclose(file);
	assert_int_equal(len, strlen(text));
	assert_string_equal(buffer, text);
}

static void draft_is_seen_when_it_is_published_and_not_before(void **state)
{
	struct replica *replica = ((struct fixture *)*state)->replica;

	assert_false(replica_is_filled(replica));
	fill(replica);
	assert_true(replica_is_filled(replica));
	assert_int_equal(replica_count(replica), 3);
	assert_int_equal(replica_begin(replica, false), 0);
	put(replica, "a", "new");
	assert_file("d/a", "1");
	struct tree_difference difference = publish(replica);
	assert_file("d/a", "new");
	assert_int_equal(access("d/sub", F_OK), -1);
	assert_int_equal(difference.changed, 1);
	assert_int_equal(difference.removed, 2);
	assert_int_equal(replica_count(replica), 1);
}

static void what_is_the_same_is_the_same_inode(void **state)
{
	struct replica *replica = ((struct fixture *)*state)->replica;

	fill(replica);
	ino_t a = inode("d/a"), b = inode("d/sub/b");
	assert_int_equal(replica_begin(replica, false), 0);
	put(replica, "a", "1");
	put(replica, "sub/b", "other");
	put(replica, "sub/x", "new");
	struct tree_difference difference = publish(replica);
	assert_int_equal(inode("d/a"), a);
	assert_int_not_equal(inode("d/sub/b"), b);
	assert_int_equal(difference.same, 1);
	assert_int_equal(difference.changed, 1);
	assert_int_equal(difference.added, 1);
	assert_int_equal(difference.removed, 1);
	/* A copy is a tree of the same files. */
	assert_int_equal(replica_begin(replica, true), 0);
	assert_int_equal(replica_compare(replica, &difference), 0);
	assert_int_equal(difference.same, 3);
	assert_int_equal(difference.count, 3);
	replica_discard(replica);
}

static void one_file_changes_in_its_place(void **state)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	bool is_changed;

	fill(replica);
	ino_t place = inode("d/.");
	assert_int_equal(replica_put(replica, "sub/b", span_of("2"), 0644, &is_changed), 0);
	assert_false(is_changed);
	assert_int_equal(replica_put(replica, "sub/b", span_of("9"), 0644, &is_changed), 0);
	assert_true(is_changed);
	assert_int_equal(replica_put(replica, "sub/new", span_of("n"), 0600, &is_changed), 0);
	assert_int_equal(replica_count(replica), 4);
	assert_file("d/sub/b", "9");
	assert_int_equal(replica_remove(replica, "sub/new", &is_changed), 0);
	assert_true(is_changed);
	assert_int_equal(replica_remove(replica, "sub/new", &is_changed), 0);
	assert_false(is_changed);
	assert_int_equal(replica_count(replica), 3);
	assert_int_equal(stat("d/.", &(struct stat){0}), 0);
	assert_true(place == inode("d/."));
}

static void directories_come_and_go_with_a_draft_alone(void **state)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	bool is_changed;

	assert_int_equal(
		replica_put(replica, "a", span_of("1"), 0644, &is_changed), REPLICA_NEEDS_DRAFT);
	fill(replica);
	assert_int_equal(
		replica_put(replica, "x/y", span_of("1"), 0644, &is_changed), REPLICA_NEEDS_DRAFT);
	assert_int_equal(
		replica_put(replica, "a/y", span_of("1"), 0644, &is_changed), REPLICA_NEEDS_DRAFT);
	assert_int_equal(
		replica_put(replica, "sub", span_of("1"), 0644, &is_changed), REPLICA_NEEDS_DRAFT);
	assert_int_equal(replica_remove(replica, "sub/deep/c", &is_changed), REPLICA_NEEDS_DRAFT);
	assert_int_equal(replica_begin(replica, true), 0);
	assert_int_equal(replica_draft_remove(replica, "sub/deep/c"), 0);
	assert_int_equal(replica_draft_remove(replica, "sub/none/c"), 0);
	publish(replica);
	assert_int_equal(access("d/sub/deep", F_OK), -1);
	assert_int_equal(access("d/sub/b", F_OK), 0);
}

static void directory_has_precedence_over_a_file(void **state)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	size_t clash;

	assert_int_equal(replica_begin(replica, false), 0);
	put(replica, "a", "file");
	assert_int_equal(replica_draft_put(replica, "a/b/c", span_of("1"), 0644, &clash), 0);
	assert_int_equal(clash, 1);
	assert_int_equal(replica_draft_put(replica, "a/b", span_of("1"), 0644, &clash), TREE_CLASH);
	assert_int_equal(publish(replica).count, 1);
	assert_file("d/a/b/c", "1");
}

static void links_lead_nowhere_from_inside(void **state)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	bool is_changed;
	size_t clash;

	assert_int_equal(mkdir("outside", 0755), 0);
	assert_int_equal(replica_begin(replica, false), 0);
	assert_int_equal(
		replica_draft_put(replica, "link", span_of("../../outside"), S_IFLNK, &clash), 0);
	publish(replica);
	assert_int_equal(replica_put(replica, "link/x", span_of("1"), 0644, &is_changed),
		REPLICA_NEEDS_DRAFT);
	assert_int_equal(replica_begin(replica, true), 0);
	assert_int_equal(replica_draft_put(replica, "link/x", span_of("1"), 0644, &clash), 0);
	assert_int_equal(clash, 4);
	assert_int_equal(access("outside/x", F_OK), -1);
	replica_discard(replica);
}

static void who_was_killed_leaves_the_last_whole_state(void **state)
{
	struct fixture *fixture = *state;

	fill(fixture->replica);
	/* In a draft; with a new tree that the link does not lead to yet; and without the link. */
	assert_int_equal(replica_begin(fixture->replica, false), 0);
	put(fixture->replica, "half", "1");
	replica_freep(&fixture->replica);
	fixture->replica = open_it();
	assert_int_equal(replica_count(fixture->replica), 3);
	assert_int_equal(access(".d.mirror/draft", F_OK), -1);
	replica_freep(&fixture->replica);
	assert_int_equal(mkdir(".d.mirror/tree.2", 0755), 0);
	assert_int_equal(mkdir(".d.mirror/tree.2/new", 0755), 0);
	fixture->replica = open_it();
	assert_int_equal(access("d/new", F_OK), 0);
	assert_int_equal(access(".d.mirror/tree.1", F_OK), -1);
	replica_freep(&fixture->replica);
	assert_int_equal(unlink("d"), 0);
	fixture->replica = open_it();
	assert_int_equal(access("d/new", F_OK), 0);
}

static void what_is_not_ours_is_refused(void **state)
{
	static const char *const names[] = {"full", "foreign", "d", "none/d", "..", "file"};
	struct problem problem;
	struct replica *replica;

	(void)state;
	assert_int_equal(mkdir("full", 0755), 0);
	assert_int_equal(mkdir("full/sub", 0755), 0);
	assert_int_equal(symlink("full", "foreign"), 0);
	fclose(fopen("file", "w"));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct replica_options options = {.directory = names[i]};
		assert_int_equal(replica_open(&options, &replica, &problem), PROBLEM);
	}
	const struct replica_options options = {.directory = "e", .state = "full"};
	assert_int_equal(replica_open(&options, &replica, &problem), PROBLEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(draft_is_seen_when_it_is_published_and_not_before),
		TEST(what_is_the_same_is_the_same_inode),
		TEST(one_file_changes_in_its_place),
		TEST(directories_come_and_go_with_a_draft_alone),
		TEST(directory_has_precedence_over_a_file),
		TEST(links_lead_nowhere_from_inside),
		TEST(who_was_killed_leaves_the_last_whole_state),
		TEST(what_is_not_ours_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
