/*
 * What changes in a layer is shown, once, with the events of an atomic replace; and nothing that
 * the kernel keeps for ever is ever out of date.
 */
#include <sys/resource.h>

#include "view_fixture.h"

/* Contents */

static void replaced_source_is_one_replace(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	replace_file("a/app.yaml", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void source_written_in_place_is_one_replace(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	write_file("a/app.yaml", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void many_events_are_one_change(void **state)
{
	char text[32];

	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "x: %d\n", i);
		if (i % 2)
			write_file("a/app.yaml", text);
		else
			replace_file("b/app.yaml", text);
	}
	publish_all();
	assert_shown("app.yaml", "x: 98\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void removal_followed_by_creation_is_one_replace(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	assert_int_equal(unlink("a/app.yaml"), 0);
	write_file("a/app.yaml", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void same_bytes_are_no_change(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\ny: 1\n");
	struct stat before = stat_of("app.yaml");

	replace_file("a/app.yaml", "x: 1\n");
	run("touch a/app.yaml");
	replace_file("a/app.yaml", "# a comment\nx: 1\n");
	publish_all();
	assert_events("");
	assert_int_equal(stat_of("app.yaml").st_ino, before.st_ino);
}

static void file_that_is_being_written_waits_for_its_writer(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	FILE *file = fopen("a/app.yaml", "we");
	assert_non_null(file);
	fputs("x: ", file);
	fflush(file);
	publish_ready();
	assert_shown("app.yaml", "x: 1\n");
	fputs("2\n", file);
	fclose(file);
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void writer_of_one_layer_is_waited_for_when_another_layer_changes(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\ny: 1\n");
	write_file("b/app.yaml", "z: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\ny: 1\nz: 1\n");

	FILE *file = fopen("a/app.yaml", "we");
	assert_non_null(file);
	fputs("x: 2\n", file);
	fflush(file);
	replace_file("b/app.yaml", "z: 2\n");
	publish_ready();
	assert_shown("app.yaml", "x: 1\ny: 1\nz: 1\n");
	fputs("y: 2\n", file);
	fclose(file);
	publish_all();
	assert_shown("app.yaml", "x: 2\ny: 2\nz: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void new_file_waits_for_its_writer(void **state)
{
	(void)state;
	start("a:b");
	assert_shown("app.yaml", "ENOENT");

	FILE *file = fopen("a/app.yaml", "we");
	assert_non_null(file);
	publish_ready();
	assert_shown("app.yaml", "ENOENT");
	fputs("x: 1\n", file);
	fclose(file);
	publish_all();
	assert_shown("app.yaml", "x: 1\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void open_writer_who_is_quiet_is_not_waited_for(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	FILE *file = fopen("a/app.yaml", "we");
	assert_non_null(file);
	fputs("x: 2\n", file);
	fflush(file);
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	fclose(file);
}

static void file_that_nobody_ever_opened_for_writing_appears(void **state)
{
	(void)state;
	start("a:b");
	assert_shown("app.yaml", "ENOENT");

	assert_int_equal(mknod("a/app.yaml", S_IFREG | 0644, 0), 0);
	publish_all();
	assert_shown("app.yaml", "");
	assert_events("MOVED_TO app.yaml\n");
}

static void hard_link_appears_at_once(void **state)
{
	(void)state;
	write_file("elsewhere", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "ENOENT");

	assert_int_equal(link("elsewhere", "a/app.yaml"), 0);
	assert_int_equal(publish_ready(), -1);
	assert_shown("app.yaml", "x: 1\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void open_file_keeps_its_version(void **state)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	char text[16] = "";

	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	uint64_t ino = stat_of("app.yaml").st_ino;
	held_find(ino)->opened++;

	replace_file("a/app.yaml", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_int_equal(view_version(view, ino, &version), 0);
	assert_int_equal(version_read(version, text, sizeof(text), 0), 5);
	assert_string_equal(text, "x: 1\n");
}

static void every_version_has_a_number_of_its_own(void **state)
{
	uint64_t last = 0;
	char text[16];

	(void)state;
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

/* Names */

static void new_file_replaces_its_cached_absence(void **state)
{
	(void)state;
	start("a:b");
	assert_shown("app.yaml", "ENOENT");

	write_file("b/app.yaml", "x: 1\n");
	publish_all();
	assert_shown("app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void removed_file_is_one_delete(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\n");

	assert_int_equal(unlink("a/app.yaml"), 0);
	publish_all();
	assert_shown("app.yaml", "ENOENT");
	assert_listed("", "");
	assert_events("DELETE app.yaml\n");
}

static void removed_file_that_nobody_looked_at_is_one_delete(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("", "app.yaml\n");

	assert_int_equal(unlink("a/app.yaml"), 0);
	publish_all();
	assert_listed("", "");
	assert_shown("app.yaml", "ENOENT");
	assert_events("DELETE app.yaml\n");
}

static void what_the_publisher_takes_away_is_seen_by_nobody_else(void **state)
{
	struct change change;
	struct stat stat;

	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("", "app.yaml\n");
	assert_int_equal(unlink("a/app.yaml"), 0);
	do
		view_take_events(view);
	while (view_next_change(view, &change) != 0);
	assert_int_equal(change.kind, CHANGE_REMOVE);

	view_begin_change(view, &change);
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "app.yaml", true, &stat), VIEW_PASSING);
	uint64_t passing = stat.st_ino;
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "app.yaml", false, &stat), -ENOENT);
	assert_int_equal(view_apply_change(view, VIEW_INO_ROOT, true, NULL), 0);
	view_end_change(view, &change);
	view_forget(view, passing, 1);
	assert_int_equal(view_stat(view, passing, &stat), -ESTALE);
}

static void renamed_file_goes_and_comes(void **state)
{
	(void)state;
	write_file("a/one.yaml", "x: 1\n");
	start("a:b");
	assert_shown("one.yaml", "x: 1\n");
	assert_shown("two.yaml", "ENOENT");

	assert_int_equal(rename("a/one.yaml", "a/two.yaml"), 0);
	publish_all();
	assert_shown("one.yaml", "ENOENT");
	assert_shown("two.yaml", "x: 1\n");
	assert_events("MOVED_TO two.yaml\nDELETE one.yaml\n");
}

static void new_directory_comes_with_all_that_is_in_it(void **state)
{
	(void)state;
	start("a:b");
	assert_shown("one/two/app.yaml", "ENOENT");

	run("mkdir -p a/one/two && echo 'x: 1' >a/one/two/app.yaml");
	publish_all();
	assert_shown("one/two/app.yaml", "x: 1\n");
	assert_listed("", "one/\n");
	assert_listed("one", "two/\n");
	assert_listed("one/two", "app.yaml\n");
	assert_events("CREATE,ISDIR one\n");
}

static void directory_moved_in_comes_with_all_that_is_in_it(void **state)
{
	(void)state;
	run("mkdir -p new/two && echo 'x: 1' >new/two/app.yaml");
	start("a:b");
	assert_shown("one", "ENOENT");

	assert_int_equal(rename("new", "b/one"), 0);
	publish_all();
	assert_shown("one/two/app.yaml", "x: 1\n");
	run("echo 'x: 2' >b/one/two/app.yaml");
	publish_all();
	assert_shown("one/two/app.yaml", "x: 2\n");
}

static void removed_directory_goes_with_all_that_is_in_it(void **state)
{
	(void)state;
	run("mkdir -p a/one/two && echo 'x: 1' >a/one/two/app.yaml");
	start("a:b");
	assert_shown("one/two/app.yaml", "x: 1\n");

	run("mv a/one gone");
	publish_all();
	assert_shown("one/two/app.yaml", "ENOENT");
	assert_shown("one", "ENOENT");
	assert_listed("", "");
	assert_events("DELETE one/two/app.yaml\nDELETE,ISDIR one/two\nDELETE,ISDIR one\n");

	run("mv gone a/one");
	publish_all();
	assert_shown("one/two/app.yaml", "x: 1\n");
}

static void directory_removed_step_by_step_goes(void **state)
{
	(void)state;
	run("mkdir -p a/one/two && echo 'x: 1' >a/one/two/app.yaml");
	start("a:b");
	assert_shown("one/two/app.yaml", "x: 1\n");

	run("rm -r a/one");
	publish_all();
	assert_shown("one", "ENOENT");
	assert_listed("", "");
}

static void directory_in_a_second_layer_joins_the_first(void **state)
{
	(void)state;
	make_directory("a/one");
	write_file("a/one/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("one", "app.yaml\n");
	assert_shown("one/app.yaml", "x: 1\n");
	assert_shown("one/other.yaml", "ENOENT");

	make_directory("b/one");
	write_file("b/one/app.yaml", "x: 2\n");
	write_file("b/one/other.yaml", "y: 1\n");
	publish_all();
	assert_shown("one/app.yaml", "x: 2\n");
	assert_shown("one/other.yaml", "y: 1\n");

	run("rm -r b/one");
	publish_all();
	assert_shown("one/app.yaml", "x: 1\n");
	assert_shown("one/other.yaml", "ENOENT");
	assert_listed("one", "app.yaml\n");
}

static void files_that_a_joining_directory_does_not_have_stay_as_they_are(void **state)
{
	(void)state;
	make_directory("a/one");
	write_file("a/one/app.yaml", "x: 1\n");
	write_file("a/one/other.yaml", "y: 1\n");
	start("a:b");
	assert_listed("one", "app.yaml\nother.yaml\n");
	assert_shown("one/app.yaml", "x: 1\n");

	make_directory("b/one");
	publish_all();
	assert_null(strstr(events, "MOVED_TO"));
}

static void directory_replaced_by_another_shows_the_other(void **state)
{
	(void)state;
	run("mkdir a/one new && echo 'x: 1' >a/one/app.yaml && echo 'y: 1' >new/other.yaml");
	start("a:b");
	assert_shown("one/app.yaml", "x: 1\n");
	assert_shown("one/other.yaml", "ENOENT");

	run("mv a/one old && mv new a/one");
	publish_all();
	assert_shown("one/app.yaml", "ENOENT");
	assert_shown("one/other.yaml", "y: 1\n");
	run("echo 'y: 2' >a/one/other.yaml");
	publish_all();
	assert_shown("one/other.yaml", "y: 2\n");
}

static void file_over_directory_and_back(void **state)
{
	(void)state;
	run("mkdir a/one && echo 'x: 1' >a/one/app.yaml");
	start("a:b");
	assert_shown("one/app.yaml", "x: 1\n");

	write_file("b/one", "a file\n");
	publish_all();
	assert_shown("one", "a file\n");
	assert_listed("", "one\n");
	assert_events("DELETE one/app.yaml\nDELETE,ISDIR one\nMOVED_TO one\n");

	events_clear();
	assert_int_equal(unlink("b/one"), 0);
	publish_all();
	assert_shown("one/app.yaml", "x: 1\n");
	assert_listed("", "one/\n");
	assert_events("DELETE one\nCREATE,ISDIR one\n");
}

static void link_over_file_and_back(void **state)
{
	(void)state;
	write_file("a/one", "text\n");
	start("a:b");
	assert_shown("one", "text\n");

	assert_int_equal(symlink("other", "b/one"), 0);
	publish_all();
	assert_shown("one", "-> other");
	assert_int_equal(symlink("third", "staged"), 0);
	assert_int_equal(rename("staged", "b/one"), 0);
	publish_all();
	assert_shown("one", "-> third");
	assert_int_equal(unlink("b/one"), 0);
	publish_all();
	assert_shown("one", "text\n");
	assert_events("MOVED_TO one\nMOVED_TO one\nMOVED_TO one\n");
}

static void whiteout_hides_and_its_removal_uncovers(void **state)
{
	(void)state;
	run("mkdir a/dir && echo 'x: 1' >a/dir/app.yaml && echo 'x: 1' >a/app.yaml");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("dir/app.yaml", "x: 1\n");

	write_file("b/.wh.app.yaml", "");
	write_file("b/.wh.dir", "");
	publish_all();
	assert_shown("app.yaml", "ENOENT");
	assert_shown("dir", "ENOENT");
	assert_shown(".wh.dir", "ENOENT");
	assert_listed("", "");

	run("rm b/.wh.app.yaml b/.wh.dir");
	publish_all();
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("dir/app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\ndir/\n");
}

static void overlay_whiteout_hides(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	if (mknod("b/app.yaml", S_IFCHR, makedev(0, 0)) < 0)
		skip(); /* only root may make one */
	publish_all();
	assert_shown("app.yaml", "ENOENT");
	assert_listed("", "");
	assert_int_equal(unlink("b/app.yaml"), 0);
	publish_all();
	assert_shown("app.yaml", "x: 1\n");
}

static void opaque_mark_hides_what_lies_below_and_its_removal_uncovers(void **state)
{
	(void)state;
	run("mkdir a/dir b/dir && echo 'x: 1' >a/dir/app.yaml && echo 'y: 1' >b/dir/other.yaml");
	start("a:b");
	assert_listed("dir", "app.yaml\nother.yaml\n");
	assert_shown("dir/app.yaml", "x: 1\n");

	write_file("b/dir/.wh..wh..opq", "");
	publish_all();
	assert_listed("dir", "other.yaml\n");
	assert_shown("dir/app.yaml", "ENOENT");

	assert_int_equal(unlink("b/dir/.wh..wh..opq"), 0);
	publish_all();
	assert_listed("dir", "app.yaml\nother.yaml\n");
	assert_shown("dir/app.yaml", "x: 1\n");
}

static void opaque_mark_at_the_root_hides_all_lower_layers(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	write_file("b/.wh..wh..opq", "");
	publish_all();
	assert_shown("app.yaml", "ENOENT");
	assert_listed("", "");
	assert_int_equal(unlink("b/.wh..wh..opq"), 0);
	publish_all();
	assert_shown("app.yaml", "x: 1\n");
}

/* Rights and times */

static void change_of_mode_is_a_new_version(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0444);

	assert_int_equal(chmod("a/app.yaml", 0600), 0);
	publish_all();
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);
	assert_events("MOVED_TO app.yaml\n");
}

static void change_of_a_directorys_mode_is_told(void **state)
{
	(void)state;
	make_directory("a/dir");
	start("a:b");
	assert_int_equal(stat_of("dir").st_mode, S_IFDIR | 0555);

	assert_int_equal(chmod("a/dir", 0700), 0);
	assert_int_equal(chmod("a", 0700), 0);
	publish_all();
	assert_int_equal(stat_of("dir").st_mode, S_IFDIR | 0500);
	assert_int_equal(stat_of("").st_mode, S_IFDIR | 0500);
	assert_non_null(strstr(events, "ATTRIBUTES dir\n"));
	assert_non_null(strstr(events, "ATTRIBUTES \n"));
}

static bool is_newer(struct stat a, struct stat b)
{
	return a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
	       (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec > b.st_mtim.tv_nsec);
}

static void every_version_is_newer_than_the_one_before(void **state)
{
	(void)state;
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

static void time_does_not_go_back_when_the_kernel_forgot_the_file(void **state)
{
	(void)state;
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

/* Forgetting */

static void forgotten_file_looked_up_again_keeps_its_number(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("", "app.yaml\n");
	uint64_t ino = stat_of("app.yaml").st_ino;

	forget("app.yaml");
	assert_int_equal(count_of_view().versions, 0);
	assert_int_equal(stat_of("app.yaml").st_ino, ino);
	assert_events("");
}

static void forgotten_directory_looked_up_again_keeps_its_number(void **state)
{
	(void)state;
	make_directory("a/dir");
	start("a:b");
	uint64_t ino = stat_of("dir").st_ino;

	forget("dir");
	assert_int_equal(stat_of("dir").st_ino, ino);
}

static void file_changed_while_forgotten_has_another_number(void **state)
{
	(void)state;
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

static void change_of_a_forgotten_file_is_told_when_it_is_looked_up_first(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	/* Who watches the directory has seen nothing of it yet. */
	forget("app.yaml");
	replace_file("a/app.yaml", "x: 2\n");
	assert_shown("app.yaml", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void forgotten_file_that_did_not_change_is_no_event(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	forget("app.yaml");
	run("touch a/app.yaml");
	publish_all();
	assert_events("");
}

static void directory_changed_while_forgotten_is_shown_as_it_is(void **state)
{
	(void)state;
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

/* Broken sources */

static void broken_source_keeps_the_last_good_version(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\ny: 1\n");

	replace_file("a/app.yaml", "x: [\n");
	publish_all();
	assert_shown("app.yaml", "x: 1\ny: 1\n");
	assert_events("");
	struct trouble trouble = trouble_of("app.yaml");
	assert_string_equal(trouble.problem.source, "a/app.yaml");
	assert_true(trouble.problem.line > 0);
	assert_int_equal(count_of_view().troubles, 1);

	replace_file("a/app.yaml", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\ny: 1\n");
	assert_events("MOVED_TO app.yaml\n");
	assert_int_equal(count_of_view().troubles, 0);
}

static void source_mended_to_what_it_was_is_no_event(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\ny: 1\n");

	replace_file("a/app.yaml", "x: [\n");
	publish_all();
	replace_file("a/app.yaml", "x: 1\n");
	publish_all();
	assert_events("");
	assert_int_equal(count_of_view().troubles, 0);
}

static void path_that_was_never_good_reads_as_an_error(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: [\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("app.yaml", "EIO");
	assert_true(stat_of("app.yaml").st_size > 0);
	assert_int_equal(count_of_view().troubles, 1);

	replace_file("a/app.yaml", "x: 1\n");
	publish_all();
	assert_shown("app.yaml", "x: 1\ny: 1\n");
	assert_events("MOVED_TO app.yaml\n");
	assert_int_equal(count_of_view().troubles, 0);
}

static void broken_path_that_goes_is_no_trouble_any_more(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: [\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("app.yaml", "EIO");
	run("rm a/app.yaml b/app.yaml");
	publish_all();
	assert_shown("app.yaml", "ENOENT");
	assert_int_equal(count_of_view().troubles, 0);
}

static void last_good_version_outlives_the_kernels_memory(void **state)
{
	(void)state;
	make_directory("a/dir");
	write_file("a/dir/app.yaml", "x: 1\n");
	make_directory("b/dir");
	write_file("b/dir/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("dir/app.yaml", "x: 1\ny: 1\n");
	replace_file("a/dir/app.yaml", "x: [\n");
	publish_all();

	forget("dir");
	publish_all();
	assert_shown("dir/app.yaml", "x: 1\ny: 1\n");
}

static void source_mended_while_its_directory_is_forgotten_is_shown(void **state)
{
	(void)state;
	make_directory("a/dir");
	write_file("a/dir/app.yaml", "x: 1\n");
	make_directory("b/dir");
	write_file("b/dir/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("dir/app.yaml", "x: 1\ny: 1\n");
	replace_file("a/dir/app.yaml", "x: [\n");
	publish_all();

	forget("dir");
	replace_file("a/dir/app.yaml", "x: 2\n");
	publish_all();
	assert_shown("dir/app.yaml", "x: 2\ny: 1\n");
	assert_int_equal(count_of_view().troubles, 0);
}

static void rights_taken_from_a_broken_source_hold_for_the_last_good_version(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0444);

	replace_file("a/app.yaml", "x: [\n");
	assert_int_equal(chmod("b/app.yaml", 0600), 0);
	publish_all();
	assert_shown("app.yaml", "x: 1\ny: 1\n");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);
}

/* Lookups that come before their event */

static void absence_is_replaced_when_a_listing_saw_the_directory_first(void **state)
{
	(void)state;
	make_directory("a/dir");
	view = new_view("a:b");
	assert_shown("dir/new", "ENOENT");

	make_directory("a/dir/new");
	assert_listed("dir", "new/\n");
	publish_all();
	assert_shown("dir/new/app.yaml", "ENOENT");
	assert_int_equal(stat_of("dir/new").st_mode & S_IFMT, S_IFDIR);
}

static void absence_is_replaced_when_a_listing_saw_the_file_first(void **state)
{
	(void)state;
	make_directory("a/dir");
	view = new_view("a:b");
	assert_shown("dir/new", "ENOENT");

	write_file("a/dir/new", "text\n");
	assert_listed("dir", "new\n");
	publish_all();
	assert_shown("dir/new", "text\n");
}

static void absence_is_replaced_when_the_directory_that_hid_the_name_goes(void **state)
{
	(void)state;
	run("mkdir a/dir b/dir && touch b/dir/.wh.x && echo text >a/dir/x && mkdir a/dir/y");
	write_file("b/dir/.wh.y", "");
	view = new_view("a:b");
	assert_shown("dir/x", "ENOENT");
	assert_shown("dir/y", "ENOENT");

	assert_int_equal(rename("b/dir", "gone"), 0);
	assert_listed("dir", "x\ny/\n");
	publish_all();
	assert_shown("dir/x", "text\n");
	assert_int_equal(stat_of("dir/y").st_mode & S_IFMT, S_IFDIR);
}

static void file_seen_before_its_event_is_told(void **state)
{
	(void)state;
	start("a:b");
	assert_listed("", "");

	write_file("a/app.yaml", "x: 1\n");
	assert_shown("app.yaml", "x: 1\n");
	publish_all();
	assert_shown("app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void directory_asked_for_before_its_event_is_told(void **state)
{
	uint64_t ino;

	(void)state;
	start("a:b");
	assert_listed("", "");

	make_directory("a/dir");
	kernel_find("dir", &ino);
	publish_all();
	assert_listed("", "dir/\n");
	assert_int_equal(stat_of("dir").st_mode & S_IFMT, S_IFDIR);
	assert_events("CREATE,ISDIR dir\n");
}

/* Listings */

static bool count_name(void *context, const char *name, uint64_t ino, mode_t type, uint64_t cookie)
{
	unsigned *counts = context;
	unsigned number;

	(void)ino;
	(void)type;
	if (sscanf(name, "file%u", &number) == 1)
		counts[number]++;
	counts[2000] = (unsigned)cookie;
	return cookie % 50 != 0;
}

static void listing_in_parts_neither_doubles_nor_misses_while_names_come_and_go(void **state)
{
	unsigned counts[2001] = {0};
	char name[32];
	uint64_t cookie = 0;
	uint64_t ino;

	(void)state;
	make_directory("a/dir");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "a/dir/file%d", i);
		write_file(name, "");
	}
	start("a:b");
	assert_int_equal(kernel_find("dir", &ino), 0);
	for (int part = 0; part < 100; part++) {
		counts[2000] = 0;
		assert_int_equal(view_list(view, ino, cookie, count_name, counts), 0);
		if (!counts[2000])
			break;
		cookie = counts[2000];
		/* The second half goes little by little, and as many others come. */
		for (int i = part * 10; i < part * 10 + 10 && part < 50; i++) {
			snprintf(name, sizeof(name), "a/dir/file%d", 500 + i);
			assert_int_equal(unlink(name), 0);
			snprintf(name, sizeof(name), "a/dir/file%d", 1000 + i);
			write_file(name, "");
		}
		publish_all();
	}
	for (int i = 0; i < 500; i++)
		assert_int_equal(counts[i], 1);
	for (int i = 500; i < 2000; i++)
		assert_true(counts[i] <= 1);
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "file%d", 1000 + i);
		assert_non_null(strstr(listed("dir"), name));
	}
}

/* Layers */

static void sixty_four_layers_are_merged_in_order(void **state)
{
	char layers[TEXT_MAX] = "";
	char path[64];
	char expected[64];

	(void)state;
	for (int i = 0; i < LAYERS_MAX; i++) {
		snprintf(path, sizeof(path), "%d", i);
		make_directory(path);
		snprintf(path, sizeof(path), "%d/app.yaml", i);
		snprintf(expected, sizeof(expected), "last: %d\nk%d: %d\n", i, i, i);
		write_file(path, expected);
		snprintf(layers + strlen(layers), sizeof(layers) - strlen(layers), "%s%d",
			i ? ":" : "", i);
	}
	start(layers);
	assert_non_null(strstr(shown("app.yaml"), "last: 63\n"));
	for (int i = 0; i < LAYERS_MAX; i++) {
		snprintf(expected, sizeof(expected), "k%d: %d\n", i, i);
		assert_non_null(strstr(shown("app.yaml"), expected));
	}
	for (int i = LAYERS_MAX - 1; i > 0; i--) {
		snprintf(path, sizeof(path), "%d/app.yaml", i);
		assert_int_equal(unlink(path), 0);
		publish_all();
		snprintf(expected, sizeof(expected), "last: %d\n", i - 1);
		assert_non_null(strstr(shown("app.yaml"), expected));
	}
}

static void more_layers_than_a_mask_holds_are_refused(void **state)
{
	char layers[TEXT_MAX] = "";
	char path[64];
	struct view *made = NULL;

	(void)state;
	for (int i = 0; i <= LAYERS_MAX; i++) {
		snprintf(path, sizeof(path), "%d", i);
		make_directory(path);
		snprintf(layers + strlen(layers), sizeof(layers) - strlen(layers), "%s%d",
			i ? ":" : "", i);
	}
	CLEANUP(settings_unrefp) struct settings *settings = settings_with(layers);
	assert_true(view_new(settings, &(struct view_callbacks){0}, &made) < 0);
}

static void same_directory_as_two_layers_changes_once(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	make_directory("a/dir");
	write_file("a/dir/app.yaml", "x: 1\n");
	start("a:b:a");
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("dir/app.yaml", "x: 1\n");

	replace_file("a/app.yaml", "x: 2\n");
	replace_file("a/dir/app.yaml", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_shown("dir/app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\nMOVED_TO dir/app.yaml\n");

	run("rm -r a/dir");
	publish_all();
	assert_shown("dir", "ENOENT");
}

static void layer_inside_another_layer_changes_in_both(void **state)
{
	(void)state;
	make_directory("a/in");
	write_file("a/in/app.yaml", "x: 1\n");
	start("a:a/in");
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("in/app.yaml", "x: 1\n");

	replace_file("a/in/app.yaml", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_shown("in/app.yaml", "x: 2\n");
}

/* Lost events */

static void drop_events(void)
{
	char buffer[1 << 16];

	while (read(watch_fd(view->watch), buffer, sizeof(buffer)) > 0)
		;
	view_lock(view);
	view->is_overflowed = true;
	view_unlock(view);
}

static void lost_events_are_made_up_for(void **state)
{
	(void)state;
	run("mkdir a/dir && echo 'x: 1' >a/dir/app.yaml && echo 'x: 1' >a/dir/gone.yaml");
	run("echo 'x: 1' >a/app.yaml");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("dir/app.yaml", "x: 1\n");
	assert_shown("dir/gone.yaml", "x: 1\n");
	assert_shown("dir/new.yaml", "ENOENT");
	assert_shown("new/app.yaml", "ENOENT");

	run("echo 'x: 2' >a/app.yaml && echo 'x: 2' >a/dir/app.yaml && rm a/dir/gone.yaml");
	run("echo 'x: 2' >a/dir/new.yaml && mkdir a/new && echo 'x: 2' >a/new/app.yaml");
	assert_int_equal(chmod("a", 0700), 0);
	drop_events();
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_shown("dir/app.yaml", "x: 2\n");
	assert_shown("dir/gone.yaml", "ENOENT");
	assert_shown("dir/new.yaml", "x: 2\n");
	assert_shown("new/app.yaml", "x: 2\n");
	assert_int_equal(stat_of("").st_mode, S_IFDIR | 0500);
}

static void files_that_did_not_change_make_no_event_when_events_were_lost(void **state)
{
	(void)state;
	run("echo 'x: 1' >a/app.yaml && echo 'x: 1' >a/never-read.yaml");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\nnever-read.yaml\n");
	drop_events();
	publish_all();
	assert_events("");
}

static void last_good_version_of_a_forgotten_directory_is_mended_after_lost_events(void **state)
{
	(void)state;
	run("mkdir a/dir b/dir && echo 'x: 1' >a/dir/app.yaml && echo 'y: 1' >b/dir/app.yaml");
	start("a:b");
	assert_shown("dir/app.yaml", "x: 1\ny: 1\n");
	replace_file("a/dir/app.yaml", "x: [\n");
	publish_all();
	forget("dir");
	replace_file("a/dir/app.yaml", "x: 2\n");
	drop_events();
	publish_all();
	assert_shown("dir/app.yaml", "x: 2\ny: 1\n");
}

/* Shortage */

static void when_descriptors_run_out_what_is_shown_stays_until_there_are_some(void **state)
{
	struct rlimit limit;
	struct stat stat;

	(void)state;
	run("mkdir -p a/dir/in && echo 'x: 1' >a/dir/app.yaml && echo 'y: 1' >a/dir/other.yaml");
	start("a:b");
	assert_shown("dir/app.yaml", "x: 1\n");
	uint64_t parent = stat_of("dir").st_ino;

	run("echo 'x: 2' >a/dir/app.yaml && chmod 700 a/dir && mkdir b/dir && touch b/dir/.wh.in");
	int next = dup(0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)next, limit.rlim_max}), 0);
	publish_ready();
	int r = view_ask(view, parent, "other.yaml", false, &stat);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(r, -EMFILE);
	assert_shown("dir/app.yaml", "x: 1\n");
	assert_events("");

	publish_all();
	assert_shown("dir/app.yaml", "x: 2\n");
	assert_shown("dir/other.yaml", "y: 1\n");
	assert_shown("dir/in", "ENOENT");
	assert_int_equal(stat_of("dir").st_mode, S_IFDIR | 0500);
}

/* Hidden mounts */

static void where_nothing_can_be_published_caches_are_right_all_the_same(void **state)
{
	(void)state;
	run("mkdir a/dir a/gone && echo 'x: 1' >a/dir/app.yaml && echo 'x: 1' >a/gone.yaml");
	start("a:b");
	assert_shown("dir/app.yaml", "x: 1\n");
	assert_shown("gone.yaml", "x: 1\n");
	assert_shown("new/app.yaml", "ENOENT");
	assert_listed("", "dir/\ngone.yaml\ngone/\n");
	is_hidden = true;

	run("echo 'x: 2' >a/dir/app.yaml; rm -r a/gone.yaml a/gone; mkdir a/new");
	run("echo 'x: 2' >a/new/app.yaml");
	publish_all();
	assert_listed("", "dir/\nnew/\n");
	assert_shown("dir/app.yaml", "x: 2\n");
	assert_shown("gone.yaml", "ENOENT");
	assert_shown("new/app.yaml", "x: 2\n");
	run("echo 'x: 3' >a/new/app.yaml");
	publish_all();
	assert_shown("new/app.yaml", "x: 3\n");
}

/* The request comes when the change is decided, and not made yet. */
static void change_does_not_go_behind_what_a_request_has_shown_since(void **state)
{
	struct change change;

	(void)state;
	start("a:b");
	assert_listed("", "");
	write_file("a/app.yaml", "low: 1\n");
	do
		view_take_events(view);
	while (view_next_change(view, &change) != 0);
	assert_int_equal(change.kind, CHANGE_REPLACE);
	write_file("b/app.yaml", "high: 1\n");
	assert_shown("app.yaml", "low: 1\nhigh: 1\n");
	publish(&change);
	assert_shown("app.yaml", "low: 1\nhigh: 1\n");
	publish_all();
	assert_shown("app.yaml", "low: 1\nhigh: 1\n");
	assert_listed("", "app.yaml\n");
	assert_events("MOVED_TO app.yaml\n");
}

static void removal_does_not_take_away_what_a_request_has_shown_since(void **state)
{
	struct change change;

	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	run("rm a/app.yaml");
	do
		view_take_events(view);
	while (view_next_change(view, &change) != 0);
	assert_int_equal(change.kind, CHANGE_REMOVE);
	forget("app.yaml");
	write_file("a/app.yaml", "x: 2\n");
	assert_shown("app.yaml", "x: 2\n");
	publish(&change);
	assert_shown("app.yaml", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
}

/* As by two looks that find at the same time that it is not watched yet. */
static void directory_that_is_watched_twice_is_watched_once(void **state)
{
	(void)state;
	start("a:b");
	size_t count = watch_count(view->watch);
	int fd = open("a", O_PATH | O_DIRECTORY);
	assert_return_code(watch_add(view->watch, view->root, 0, fd), 0);
	close(fd);
	assert_int_equal(watch_count(view->watch), count);
	run("rmdir a");
	publish_all();
}

static void what_can_not_be_published_is_tried_again(void **state)
{
	(void)state;
	write_file("a/app.yaml", "a: 1\n");
	start("a:b");
	assert_shown("app.yaml", "a: 1\n");
	events_clear();

	is_full = true;
	replace_file("a/app.yaml", "a: 2\n");
	write_file("a/new.yaml", "n: 1\n");
	make_directory("a/dir");
	assert_true(publish_ready() >= 0);
	assert_shown("app.yaml", "a: 1\n");
	assert_events("");

	is_full = false;
	publish_all();
	assert_shown("app.yaml", "a: 2\n");
	assert_shown("new.yaml", "n: 1\n");
	assert_listed("", "app.yaml\ndir/\nnew.yaml\n");
}

static void changes_that_come_together_are_one_batch(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		run("echo 'a: 1' >a/%u.yaml", i);
	start("a:b");
	listed("");
	for (unsigned i = 0; i < 20; i++)
		run("echo 'b: 1' >b/%u.yaml", i);
	batches = 0;
	events_clear();
	publish_ready();
	assert_int_equal(batches, 1);
	publish_ready();
	assert_int_equal(batches, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		view_test(changes_that_come_together_are_one_batch),
		view_test(what_can_not_be_published_is_tried_again),
		view_test(replaced_source_is_one_replace),
		view_test(source_written_in_place_is_one_replace),
		view_test(many_events_are_one_change),
		view_test(removal_followed_by_creation_is_one_replace),
		view_test(same_bytes_are_no_change),
		view_test(file_that_is_being_written_waits_for_its_writer),
		view_test(writer_of_one_layer_is_waited_for_when_another_layer_changes),
		view_test(new_file_waits_for_its_writer),
		view_test(open_writer_who_is_quiet_is_not_waited_for),
		view_test(file_that_nobody_ever_opened_for_writing_appears),
		view_test(hard_link_appears_at_once),
		view_test(open_file_keeps_its_version),
		view_test(every_version_has_a_number_of_its_own),
		view_test(new_file_replaces_its_cached_absence),
		view_test(removed_file_is_one_delete),
		view_test(removed_file_that_nobody_looked_at_is_one_delete),
		view_test(what_the_publisher_takes_away_is_seen_by_nobody_else),
		view_test(renamed_file_goes_and_comes),
		view_test(new_directory_comes_with_all_that_is_in_it),
		view_test(directory_moved_in_comes_with_all_that_is_in_it),
		view_test(removed_directory_goes_with_all_that_is_in_it),
		view_test(directory_removed_step_by_step_goes),
		view_test(directory_in_a_second_layer_joins_the_first),
		view_test(files_that_a_joining_directory_does_not_have_stay_as_they_are),
		view_test(directory_replaced_by_another_shows_the_other),
		view_test(file_over_directory_and_back),
		view_test(link_over_file_and_back),
		view_test(whiteout_hides_and_its_removal_uncovers),
		view_test(overlay_whiteout_hides),
		view_test(opaque_mark_hides_what_lies_below_and_its_removal_uncovers),
		view_test(opaque_mark_at_the_root_hides_all_lower_layers),
		view_test(change_of_mode_is_a_new_version),
		view_test(change_of_a_directorys_mode_is_told),
		view_test(every_version_is_newer_than_the_one_before),
		view_test(time_does_not_go_back_when_the_kernel_forgot_the_file),
		view_test(forgotten_file_looked_up_again_keeps_its_number),
		view_test(forgotten_directory_looked_up_again_keeps_its_number),
		view_test(file_changed_while_forgotten_has_another_number),
		view_test(change_of_a_forgotten_file_is_told_when_it_is_looked_up_first),
		view_test(forgotten_file_that_did_not_change_is_no_event),
		view_test(directory_changed_while_forgotten_is_shown_as_it_is),
		view_test(broken_source_keeps_the_last_good_version),
		view_test(source_mended_to_what_it_was_is_no_event),
		view_test(path_that_was_never_good_reads_as_an_error),
		view_test(broken_path_that_goes_is_no_trouble_any_more),
		view_test(last_good_version_outlives_the_kernels_memory),
		view_test(source_mended_while_its_directory_is_forgotten_is_shown),
		view_test(rights_taken_from_a_broken_source_hold_for_the_last_good_version),
		view_test(absence_is_replaced_when_a_listing_saw_the_directory_first),
		view_test(absence_is_replaced_when_a_listing_saw_the_file_first),
		view_test(absence_is_replaced_when_the_directory_that_hid_the_name_goes),
		view_test(file_seen_before_its_event_is_told),
		view_test(directory_asked_for_before_its_event_is_told),
		view_test(listing_in_parts_neither_doubles_nor_misses_while_names_come_and_go),
		view_test(sixty_four_layers_are_merged_in_order),
		view_test(more_layers_than_a_mask_holds_are_refused),
		view_test(same_directory_as_two_layers_changes_once),
		view_test(layer_inside_another_layer_changes_in_both),
		view_test(directory_that_is_watched_twice_is_watched_once),
		view_test(change_does_not_go_behind_what_a_request_has_shown_since),
		view_test(removal_does_not_take_away_what_a_request_has_shown_since),
		view_test(lost_events_are_made_up_for),
		view_test(files_that_did_not_change_make_no_event_when_events_were_lost),
		view_test(last_good_version_of_a_forgotten_directory_is_mended_after_lost_events),
		view_test(when_descriptors_run_out_what_is_shown_stays_until_there_are_some),
		view_test(where_nothing_can_be_published_caches_are_right_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
