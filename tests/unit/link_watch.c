/*
 * A change behind a link shows like a change in a layer: of the link's target wherever it is, of
 * the links and directories in the path, and of a file that is written by another of its names.
 */
#include "link_watch.h"

#include "view_fixture.h"

#define FOLLOWED "layers: [{name: a, path: a, follow: true}, {name: b, path: b, follow: true}]\n"

/* Makes and replaces a ConfigMap as Kubernetes' kubelet does. */
static void write_volume(int number, const char *app, const char *other)
{
	run("mkdir a/..%d && echo '%s' >a/..%d/app.yaml && echo '%s' >a/..%d/other.yaml", number,
		app, number, other, number);
	run("ln -s ..%d a/..data_tmp && mv -T a/..data_tmp a/..data", number);
}

static void make_volume(void)
{
	write_volume(1, "x: 1", "y: 1");
	run("ln -s ..data/app.yaml a/app.yaml; ln -s ..data/other.yaml a/other.yaml");
}

VIEW_TEST(target_is_watched_as_a_source_is)
{
	run("mkdir -p srv/shared; echo 'x: 1' >srv/shared/x.yaml");
	run("ln -s \"$PWD/srv/shared/x.yaml\" a/app.yaml");
	start(FOLLOWED);
	assert_shown("app.yaml", "x: 1\n");

	write_file("srv/shared/x.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	replace_file("srv/shared/x.yaml", "x: 3\n");
	assert_becomes("app.yaml", "x: 3\n");
	assert_events("MOVED_TO app.yaml\nMOVED_TO app.yaml\n");
	run("chmod 400 srv/shared/x.yaml");
	publish_all();
	assert_int_equal(stat_of("app.yaml").st_mode & 0777, 0400);
	run("rm srv/shared/x.yaml");
	assert_becomes("app.yaml", "ENOENT");
	assert_listed("", "");
	write_file("srv/shared/x.yaml", "x: 4\n");
	assert_becomes("app.yaml", "x: 4\n");
	assert_listed("", "app.yaml\n");
}

VIEW_TEST(target_that_is_being_written_waits_for_its_writer)
{
	run("mkdir srv; echo 'x: 1' >srv/x.yaml; ln -s ../srv/x.yaml a/app.yaml");
	start(FOLLOWED);
	assert_shown("app.yaml", "x: 1\n");
	FILE *file = fopen("srv/x.yaml", "we");
	assert_non_null(file);
	fputs("x: ", file);
	fflush(file);
	publish_ready();
	assert_shown("app.yaml", "x: 1\n");
	fputs("2\n", file);
	fclose(file);
	assert_becomes("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(directories_and_links_on_the_way_are_watched)
{
	run("mkdir -p s/one/two t/two; echo 'x: 1' >s/one/two/f.yaml; echo 'x: 2' >t/two/f.yaml");
	run("ln -s ../s/one/two/f.yaml a/app.yaml");
	run("ln -s ../chain b/chained.yaml; ln -s a/app.yaml chain");
	start(FOLLOWED);
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("chained.yaml", "x: 1\n");

	run("mv s/one s/old; mv t s/one");
	assert_becomes("app.yaml", "x: 2\n");
	assert_shown("chained.yaml", "x: 2\n");
	write_file("s/one/two/f.yaml", "x: 3\n");
	assert_becomes("app.yaml", "x: 3\n");
	assert_shown("chained.yaml", "x: 3\n");
	run("ln -sfn s/old/two/f.yaml chain");
	assert_becomes("app.yaml", "x: 3\n");
	assert_shown("chained.yaml", "x: 1\n");
	run("rm -r s");
	publish_all();
	assert_listed("", "");
	run("mkdir -p s/one/two s/old/two; echo 'x: 4' | tee s/one/two/f.yaml >s/old/two/f.yaml");
	assert_becomes("app.yaml", "x: 4\n");
	assert_shown("chained.yaml", "x: 4\n");
}

VIEW_TEST(link_to_nothing_shows_when_its_target_comes)
{
	run("ln -s ../srv/deep/x.yaml a/late.yaml; ln -s loop a/loop; ln -s two a/one; ln -s one "
	    "a/two");
	run("ln -s ../srv/tree a/tree");
	start(FOLLOWED);
	assert_shown("late.yaml", "ENOENT");
	assert_shown("loop", "EIO");
	events_clear();
	run("mkdir -p srv/deep; echo 'x: 1' >srv/deep/x.yaml");
	assert_becomes("late.yaml", "x: 1\n");
	assert_events("MOVED_TO late.yaml\n");
	run("echo 'x: 3' >a/plain; ln -sfn plain a/two");
	assert_becomes("one", "x: 3\n");
	events_clear();
	run("mkdir -p srv/tree; echo 'x: 1' >srv/tree/x.yaml");
	publish_all();
	assert_events("CREATE,ISDIR tree\n");
	assert_shown("tree/x.yaml", "x: 1\n");
	write_file("srv/tree/x.yaml", "x: 2\n");
	assert_becomes("tree/x.yaml", "x: 2\n");
}

VIEW_TEST(link_to_nothing_that_was_only_listed_is_watched)
{
	run("mkdir a/dir; ln -s ../../x.yaml a/dir/late.yaml");
	start(FOLLOWED);
	assert_listed("dir", "");
	publish_all();
	write_file("x.yaml", "x: 1\n");
	publish_all();
	assert_listed("dir", "late.yaml\n");
	assert_shown("dir/late.yaml", "x: 1\n");
}

VIEW_TEST(release_that_a_link_leads_to_is_taken)
{
	for (int i = 7; i < 9; i++)
		run("mkdir -p a/release-%d/sub; echo 'x: %d' >a/release-%d/sub/app.yaml;"
		    "ln -s sub a/release-%d/in",
			i, i, i, i);
	run("ln -s release-7 a/current");
	start(FOLLOWED);
	assert_shown("current/sub/app.yaml", "x: 7\n");
	assert_shown("current/in/app.yaml", "x: 7\n");
	assert_shown("release-7/sub/app.yaml", "x: 7\n");
	events_clear();
	run("ln -sfn release-8 a/current");
	assert_becomes("current/sub/app.yaml", "x: 8\n");
	assert_shown("current/in/app.yaml", "x: 8\n");
	assert_shown("release-7/sub/app.yaml", "x: 7\n");
	write_file("a/release-8/sub/app.yaml", "x: 9\n");
	assert_becomes("current/sub/app.yaml", "x: 9\n");
	assert_shown("current/in/app.yaml", "x: 9\n");
	run("mv a/release-8 a/away; mv a/release-7 a/release-8");
	assert_becomes("current/in/app.yaml", "x: 7\n");
}

VIEW_TEST(target_in_another_layer_changes_both)
{
	write_file("a/app.yaml", "x: 1\n");
	run("ln -s ../a/app.yaml b/other.yaml");
	start(FOLLOWED);
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("other.yaml", "x: 1\n");
	write_file("a/app.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	assert_shown("other.yaml", "x: 2\n");
}

VIEW_TEST(sources_of_other_paths_may_be_links)
{
	run("mkdir a/conf.d srv; echo 'x: 1' >srv/one.yaml; ln -s ../../srv/one.yaml "
	    "a/conf.d/one.yaml");
	run("ln -s ../../srv/two.yaml a/conf.d/two.yaml");
	start(FOLLOWED "files: [{path: all.yaml, from: ['conf.d/*.yaml']}]\n");
	assert_shown("all.yaml", "x: 1\n");
	write_file("srv/one.yaml", "x: 2\n");
	assert_becomes("all.yaml", "x: 2\n");
	write_file("srv/two.yaml", "y: 1\n");
	assert_becomes("all.yaml", "x: 2\ny: 1\n");
}

VIEW_TEST(swap_that_was_lost_is_made_up_for)
{
	make_volume();
	start(FOLLOWED);
	assert_shown("app.yaml", "x: 1\n");
	write_volume(2, "x: 2", "y: 1");
	lose_events();
	assert_becomes("app.yaml", "x: 2\n");
	write_volume(3, "x: 3", "y: 1");
	assert_becomes("app.yaml", "x: 3\n");
}

VIEW_TEST(links_through_the_same_directories_share_their_watches)
{
	char name[32];

	run("mkdir -p store/hash/etc; for i in $(seq 300); do echo \"x: $i\" "
	    ">store/hash/etc/$i.yaml;"
	    "ln -s \"$PWD/store/hash/etc/$i.yaml\" a/$i.yaml; done");
	start(FOLLOWED);
	for (int i = 1; i <= 300; i++) {
		snprintf(name, sizeof(name), "%d.yaml", i);
		shown(name);
	}
	assert_true(inotify_watch_count(view->watch.inotify) < 12);
	size_t count = inotify_watch_count(view->watch.inotify);
	for (int i = 0; i < 3; i++) {
		run("mv store/hash store/old; cp -r store/old store/hash; rm -r store/old");
		publish_all();
		assert_events("");
	}
	assert_true(inotify_watch_count(view->watch.inotify) <= count);
	write_file("store/hash/etc/300.yaml", "x: new\n");
	assert_becomes("300.yaml", "x: new\n");
	assert_events("MOVED_TO 300.yaml\n");
	run("rm a/*.yaml");
	publish_all();
	assert_int_equal(inotify_watch_count(view->watch.inotify), 2);
}

VIEW_TEST(layer_that_does_not_follow_watches_its_directories_alone)
{
	run("mkdir srv; echo 'x: 1' >srv/x.yaml; ln -s ../srv/x.yaml a/app.yaml; mkdir a/..data");
	start("a:b");
	assert_listed("", "..data/\napp.yaml@\n");
	assert_shown("app.yaml", "-> ../srv/x.yaml");
	assert_int_equal(inotify_watch_count(view->watch.inotify), 2);
}

/* Hard links */

VIEW_TEST(source_is_watched_by_its_other_names)
{
	write_file("a/app.yaml", "x: 1\n");
	run("ln a/app.yaml outside");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	write_file("outside", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
	run("chmod 600 outside");
	publish_all();
	assert_int_equal(stat_of("app.yaml").st_mode & 0777, 0400);

	FILE *file = fopen("outside", "we");
	assert_non_null(file);
	fputs("x: ", file);
	fflush(file);
	publish_ready();
	assert_shown("app.yaml", "x: 2\n");
	fputs("3\n", file);
	fclose(file);
	assert_becomes("app.yaml", "x: 3\n");
}

VIEW_TEST(covered_name_of_a_source_is_reported_as_well)
{
	write_file("a/app.yaml", "x: 1\n");
	run("ln a/app.yaml a/text; echo covers >b/text; mkdir a/unseen; ln a/app.yaml "
	    "a/unseen/name;"
	    "ln a/app.yaml a/hidden; touch b/.wh.hidden");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("text", "covers\n");
	write_file("a/text", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	write_file("a/unseen/name", "x: 3\n");
	assert_becomes("app.yaml", "x: 3\n");
	run("chmod 600 a/hidden");
	publish_all();
	assert_int_equal(stat_of("app.yaml").st_mode & 0777, 0400);
}

VIEW_TEST(source_that_gains_a_name_in_a_layer_is_watched_from_then_on)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	run("ln a/app.yaml a/second.yaml; ln a/app.yaml outside");
	publish_all();
	write_file("outside", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	assert_shown("second.yaml", "x: 2\n");
	/* If it is replaced under one name, that is another file. */
	replace_file("a/app.yaml", "x: 3\n");
	write_file("outside", "x: 4\n");
	assert_becomes("app.yaml", "x: 3\n");
	assert_shown("second.yaml", "x: 4\n");
	run("rm outside a/second.yaml");
	publish_all();
	assert_int_equal(inotify_watch_count(view->watch.inotify), 2);
}

VIEW_TEST(source_that_gains_a_name_where_no_program_looked_is_watched_from_its_lookup_on)
{
	write_file("a/app.yaml", "x: 1\n");
	run("mkdir a/unseen");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	run("ln a/app.yaml a/unseen/name");
	write_file("a/unseen/name", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("unseen/name", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	write_file("a/unseen/name", "x: 3\n");
	assert_becomes("app.yaml", "x: 3\n");
}

VIEW_TEST(source_with_other_names_may_be_replaced_by_removal)
{
	write_file("a/app.yaml", "x: 1\n");
	run("ln a/app.yaml outside");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	for (int i = 0; i < 20; i++) {
		run("ln -f a/app.yaml outside");
		publish_all();
		events_clear();
		assert_int_equal(unlink("a/app.yaml"), 0);
		publish_ready();
		write_file("a/app.yaml", i % 2 ? "x: 1\n" : "x: 2\n");
		publish_all();
		assert_events("MOVED_TO app.yaml\n");
	}
}

VIEW_TEST(sources_of_other_paths_may_have_more_names)
{
	run("mkdir -p a/conf.d a/data a/top; echo 'x: 1' >a/conf.d/one.yaml; ln a/conf.d/one.yaml "
	    "one");
	run("echo 'x: 1' >a/data/base.yaml; ln a/data/base.yaml base; echo '_merge: base' "
	    ">a/top/t.yaml");
	start("layers: [a, b]\nfiles: [{path: all.yaml, from: ['conf.d/*.yaml']}]\n"
	      "rules: [{match: 'top/*', strategy: pillar, options: {data_path: data}}]\n");
	assert_shown("all.yaml", "x: 1\n");
	assert_shown("top/t.yaml", "x: 1\n");
	write_file("one", "x: 2\n");
	write_file("base", "x: 2\n");
	assert_becomes("all.yaml", "x: 2\n");
	assert_shown("top/t.yaml", "x: 2\n");
}

/* A reader is faster than the publisher. */
VIEW_TEST(source_that_gains_a_name_which_is_read_at_once_is_watched_as_well)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	run("ln a/app.yaml a/second.yaml");
	assert_shown("second.yaml", "x: 1\n");
	publish_all();
	write_file("a/second.yaml", "x: 2\n");
	assert_becomes("second.yaml", "x: 2\n");
	assert_shown("app.yaml", "x: 2\n");
}
