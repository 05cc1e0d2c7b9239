/*
 * Every version of a file is an inode of its own, newer than the one before. It stays the same
 * inode when the kernel forgets it and asks again.
 */
#include "view_fixture.h"

VIEW_TEST(open_file_keeps_its_version)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	char text[16] = "";

	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	uint64_t ino = stat_of("app.yaml").st_ino;
	held_find(ino)->opened++;

	replace_file("a/app.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	assert_int_equal(view_version(view, ino, &version), 0);
	assert_int_equal(version_read(version, text, sizeof(text), 0), 5);
	assert_string_equal(text, "x: 1\n");
}

VIEW_TEST(every_version_has_a_number_of_its_own)
{
	uint64_t last = 0;
	char text[16];

	write_file("a/app.yaml", "x: 0\n");
	start("a:b");
	for (int i = 1; i < 10; i++) {
		uint64_t ino = stat_of("app.yaml").st_ino;
		assert_int_not_equal(ino, last);
		last = ino;
		snprintf(text, sizeof(text), "x: %d\n", i);
		replace_file("a/app.yaml", text);
		publish_all();
	}
}

/* Rights and times */

VIEW_TEST(change_of_mode_is_a_new_version)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0444);

	assert_int_equal(chmod("a/app.yaml", 0600), 0);
	publish_all();
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);
	assert_events("MOVED_TO app.yaml\n");
}

static bool is_newer(struct stat a, struct stat b)
{
	return a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
	       (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec > b.st_mtim.tv_nsec);
}

VIEW_TEST(every_version_is_newer_than_the_one_before)
{
	write_file("a/app.yaml", "x: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	run("touch -d 2020-01-01 a/app.yaml");
	run("touch -d 2021-01-01 b/app.yaml");
	start("a:b");
	struct stat both = stat_of("app.yaml");
	assert_int_equal(both.st_mtim.tv_sec, 1609459200);

	/* A source goes away. */
	run("mv b/app.yaml kept");
	publish_all();
	struct stat one = stat_of("app.yaml");
	assert_true(is_newer(one, both));

	/* It comes back as old as it was. */
	run("mv kept b/app.yaml");
	publish_all();
	struct stat again = stat_of("app.yaml");
	assert_true(is_newer(again, one));

	/* One that is older than what it replaces. */
	run("echo 'x: 0' >staged && touch -d 2019-01-01 staged && mv staged a/app.yaml");
	publish_all();
	assert_true(is_newer(stat_of("app.yaml"), again));
}

VIEW_TEST(time_does_not_go_back_when_the_kernel_forgot_the_file)
{
	run("mkdir a/dir b/dir && echo 'x: 1' >a/dir/app.yaml && echo 'y: 1' >b/dir/app.yaml");
	run("touch -d 2020-01-01 a/dir/app.yaml");
	start("a:b");
	struct stat both = stat_of("dir/app.yaml");

	run("rm b/dir/app.yaml");
	publish_all();
	struct stat one = stat_of("dir/app.yaml");
	assert_true(is_newer(one, both));
	forget("dir/app.yaml");
	forget("dir");
	struct stat later = stat_of("dir/app.yaml");
	assert_int_equal(later.st_mtim.tv_sec, one.st_mtim.tv_sec);
	assert_int_equal(later.st_mtim.tv_nsec, one.st_mtim.tv_nsec);
}

VIEW_TEST(file_shown_before_it_is_announced_has_its_source_s_time)
{
	start("a:b");
	assert_listed("", "");

	write_file("a/app.yaml", "x: 1\n");
	struct stat first = stat_of("app.yaml");
	run("touch -d 2001-02-03 a/app.yaml");
	publish_all();
	assert_events("MOVED_TO app.yaml\n");
	struct stat announced = stat_of("app.yaml");
	assert_int_equal(announced.st_mtim.tv_sec, 981158400);
	assert_true(announced.st_ctim.tv_sec >= first.st_ctim.tv_sec);
	publish_all();
	assert_int_equal(stat_of("app.yaml").st_mtim.tv_sec, 981158400);
}

VIEW_TEST(announcing_a_file_changes_no_time_of_it)
{
	start("a:b");
	assert_listed("", "");

	write_file("a/app.yaml", "x: 1\n");
	struct stat first = stat_of("app.yaml");
	publish_all();
	assert_events("MOVED_TO app.yaml\n");
	struct stat announced = stat_of("app.yaml");
	assert_false(is_newer(announced, first));
	assert_false(is_newer(first, announced));
}

/* Forgetting */

VIEW_TEST(forgotten_file_looked_up_again_keeps_its_number)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("", "app.yaml\n");
	uint64_t ino = stat_of("app.yaml").st_ino;

	forget("app.yaml");
	assert_int_equal(count_of_view().versions, 0);
	assert_int_equal(stat_of("app.yaml").st_ino, ino);
	assert_events("");
}

VIEW_TEST(forgotten_directory_looked_up_again_keeps_its_number)
{
	make_directory("a/dir");
	start("a:b");
	uint64_t ino = stat_of("dir").st_ino;

	forget("dir");
	assert_int_equal(stat_of("dir").st_ino, ino);
}

/*
 * No file of the layers has changed, so only these show the change to a poller of number and
 * times.
 */
VIEW_TEST(directory_that_comes_back_from_fewer_layers_shows_other_files)
{
	run("mkdir a/dir b/dir && echo 'x: 1' >a/dir/app.yaml && echo 'y: 1' >b/dir/app.yaml");
	start("a:b");
	assert_shown("dir/app.yaml", "x: 1\ny: 1\n");
	struct stat both = stat_of("dir/app.yaml");

	run("mv a/dir away && mv b/dir gone");
	assert_becomes("dir", "ENOENT");
	run("mv gone b/dir");
	assert_becomes("dir/app.yaml", "y: 1\n");
	struct stat one = stat_of("dir/app.yaml");
	assert_int_not_equal(one.st_ino, both.st_ino);
	assert_true(is_newer(one, both));
}

VIEW_TEST(directory_that_comes_back_as_it_was_shows_the_same_files)
{
	run("mkdir a/dir && echo 'x: 1' >a/dir/app.yaml");
	start("a:b");
	struct stat before = stat_of("dir/app.yaml");

	run("mv a/dir away");
	assert_becomes("dir", "ENOENT");
	run("mv away a/dir");
	publish_all();
	struct stat again = stat_of("dir/app.yaml");
	assert_int_equal(again.st_ino, before.st_ino);
	assert_int_equal(again.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
	assert_int_equal(again.st_ctim.tv_nsec, before.st_ctim.tv_nsec);
}

VIEW_TEST(file_changed_while_forgotten_has_another_number)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	uint64_t ino = stat_of("app.yaml").st_ino;

	forget("app.yaml");
	replace_file("a/app.yaml", "x: 2\n");
	publish_all();
	assert_events("MOVED_TO app.yaml\n");
	assert_int_not_equal(stat_of("app.yaml").st_ino, ino);
	assert_shown("app.yaml", "x: 2\n");
}

VIEW_TEST(change_of_a_forgotten_file_is_reported_when_it_is_looked_up_first)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	/* A watcher of the directory has seen no event for it yet. */
	forget("app.yaml");
	replace_file("a/app.yaml", "x: 2\n");
	assert_shown("app.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(forgotten_file_that_did_not_change_is_no_event)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	forget("app.yaml");
	run("touch a/app.yaml");
	publish_all();
	assert_events("");
}

VIEW_TEST(directory_changed_while_forgotten_is_shown_as_it_is)
{
	make_directory("a/dir");
	write_file("a/dir/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("dir/app.yaml", "x: 1\n");
	assert_listed("dir", "app.yaml\n");

	forget("dir");
	replace_file("a/dir/app.yaml", "x: 2\n");
	write_file("a/dir/new.yaml", "y: 1\n");
	publish_all();
	assert_events("");
	assert_shown("dir/app.yaml", "x: 2\n");
	assert_listed("dir", "app.yaml\nnew.yaml\n");
}
