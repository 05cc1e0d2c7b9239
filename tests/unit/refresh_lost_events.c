/*
 * If inotify's events were lost, or descriptors run out, the view is corrected afterwards, without
 * events for names that did not change.
 */
#include <sys/resource.h>

#include "view_fixture.h"

VIEW_TEST(lost_events_are_made_up_for)
{
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
	lose_events();
	assert_becomes("app.yaml", "x: 2\n");
	assert_shown("dir/app.yaml", "x: 2\n");
	assert_shown("dir/gone.yaml", "ENOENT");
	assert_shown("dir/new.yaml", "x: 2\n");
	assert_shown("new/app.yaml", "x: 2\n");
	assert_int_equal(stat_of("").st_mode, S_IFDIR | 0500);
}

VIEW_TEST(files_that_did_not_change_make_no_event_when_events_were_lost)
{
	run("echo 'x: 1' >a/app.yaml && echo 'x: 1' >a/never-read.yaml");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\nnever-read.yaml\n");
	lose_events();
	publish_all();
	assert_events("");
}

/* Shortage */

VIEW_TEST(when_descriptors_run_out_what_is_shown_stays_until_there_are_some)
{
	struct rlimit limit;
	struct stat stat;

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

	assert_becomes("dir/app.yaml", "x: 2\n");
	assert_shown("dir/other.yaml", "y: 1\n");
	assert_shown("dir/in", "ENOENT");
	assert_int_equal(stat_of("dir").st_mode, S_IFDIR | 0500);
}
