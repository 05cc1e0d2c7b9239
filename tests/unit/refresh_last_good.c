/*
 * If a source can't be merged any more, the last good version stays, and the error is noted, until
 * the source is mended.
 */
#include "refresh.h"
#include "view_fixture.h"

VIEW_TEST(broken_source_keeps_the_last_good_version)
{
	start_merged();

	replace_file("a/app.yaml", "x: [\n");
	assert_becomes("app.yaml", "x: 1\ny: 1\n");
	assert_events("");
	struct fault fault = fault_of("app.yaml");
	assert_string_equal(fault.problem.source, "a/app.yaml");
	assert_true(fault.problem.line > 0);
	assert_int_equal(count_of_view().faults, 1);

	replace_file("a/app.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\ny: 1\n");
	assert_events("MOVED_TO app.yaml\n");
	assert_int_equal(count_of_view().faults, 0);
}

VIEW_TEST(broken_source_whose_name_is_escaped_keeps_the_last_good_version)
{
	write_file("a/app\x01.yaml", "x: 1\n");
	write_file("b/app\x01.yaml", "x: 1\ny: 1\n");
	start("layers: [a, b]\nrules: [{match: '*', options: {kinds: strict}}]\n");
	assert_shown("app\x01.yaml", "x: 1\ny: 1\n");
	replace_file("a/app\x01.yaml", "x: 2\nz: 1\n");
	replace_file("b/app\x01.yaml", "x: [1]\n");
	assert_becomes("app\x01.yaml", "x: 1\nz: 1\ny: 1\n");
	struct fault fault = fault_of("app\x01.yaml");
	assert_string_equal(fault.problem.source, "b/app\\x01.yaml");
}

VIEW_TEST(source_mended_to_what_it_was_is_no_event)
{
	start_merged();

	replace_file("a/app.yaml", "x: [\n");
	publish_all();
	replace_file("a/app.yaml", "x: 1\n");
	publish_all();
	assert_events("");
	assert_int_equal(count_of_view().faults, 0);
}

VIEW_TEST(path_that_was_never_good_reads_as_an_error)
{
	write_file("a/app.yaml", "x: [\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("app.yaml", "EIO");
	assert_true(stat_of("app.yaml").st_size > 0);
	assert_int_equal(count_of_view().faults, 1);

	replace_file("a/app.yaml", "x: 1\n");
	assert_becomes("app.yaml", "x: 1\ny: 1\n");
	assert_events("MOVED_TO app.yaml\n");
	assert_int_equal(count_of_view().faults, 0);
}

VIEW_TEST(broken_path_that_goes_is_no_fault_any_more)
{
	write_file("a/app.yaml", "x: [\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	assert_shown("app.yaml", "EIO");
	run("rm a/app.yaml b/app.yaml");
	assert_becomes("app.yaml", "ENOENT");
	assert_int_equal(count_of_view().faults, 0);
}

VIEW_TEST(reload_of_settings_keeps_the_last_good_state_of_a_source)
{
	write_file("a/x.yaml", "a: 1\n");
	write_file("b/x.yaml", "b: 1\n");
	start("layers: [a, b]\n");
	assert_shown("x.yaml", "a: 1\nb: 1\n");
	CLEANUP(settings_unrefp)
	struct settings *settings =
		settings_with("layers: [a, b]\nrules: [{match: y.yaml, strategy: last}]\n");
	assert_int_equal(view_reload(view, settings), 0);
	write_file("a/x.yaml", "a: [\n");
	write_file("b/x.yaml", "b: 2\n");
	assert_becomes("x.yaml", "a: 1\nb: 2\n");
}

VIEW_TEST(reload_gives_the_cache_its_new_size)
{
	write_file("a/x.yaml", "a: 1\n");
	write_file("b/x.yaml", "b: 1\n");
	start("layers: [a, b]\n");
	assert_shown("x.yaml", "a: 1\nb: 1\n");
	assert_true(count_of_view().cache_bytes > 0);
	CLEANUP(settings_unrefp)
	struct settings *settings = settings_with("layers: [a, b]\noptions: {cache_mib: 0}\n");
	assert_int_equal(view_reload(view, settings), 0);
	assert_int_equal(count_of_view().cache_bytes, 0);
}

VIEW_TEST(last_good_version_outlives_the_kernels_memory_until_the_source_is_mended)
{
	enum { STAYS, IS_MENDED, IS_MENDED_UNSEEN };

	for (int then = STAYS; then <= IS_MENDED_UNSEEN; then++) {
		run("mkdir a/dir b/dir; echo 'x: 1' >a/dir/app.yaml; echo 'y: 1' >b/dir/app.yaml");
		start("a:b");
		assert_shown("dir/app.yaml", "x: 1\ny: 1\n");
		replace_file("a/dir/app.yaml", "x: [\n");
		publish_all();
		forget("dir");
		if (then != STAYS)
			replace_file("a/dir/app.yaml", "x: 2\n");
		if (then == IS_MENDED_UNSEEN)
			lose_events();
		assert_becomes("dir/app.yaml", then == STAYS ? "x: 1\ny: 1\n" : "x: 2\ny: 1\n");
		assert_int_equal(count_of_view().faults, then == STAYS);
		tear_down(NULL);
		set_up(NULL);
	}
}

VIEW_TEST(rights_taken_from_a_broken_source_hold_for_the_last_good_version)
{
	start_merged();
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0444);

	replace_file("a/app.yaml", "x: [\n");
	assert_int_equal(chmod("b/app.yaml", 0600), 0);
	assert_becomes("app.yaml", "x: 1\ny: 1\n");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);
}

/*
 * A value that no user may read any more, and one that no user ever could, do not meet in one
 * file.
 */
VIEW_TEST(last_good_of_a_source_is_for_who_may_read_it_and_what_came_in_its_place)
{
	write_file("a/app.yaml", "secret: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	assert_int_equal(chmod("a/app.yaml", 0600), 0);
	start("a:b");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);
	assert_shown("app.yaml", "secret: 1\ny: 1\n");

	replace_file("a/app.yaml", "open: [\n");
	assert_int_equal(chmod("a/app.yaml", 0644), 0);
	write_file("b/app.yaml", "y: 2\n");
	assert_becomes("app.yaml", "secret: 1\ny: 2\n");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);

	replace_file("a/app.yaml", "open: 1\n");
	assert_int_equal(chmod("a/app.yaml", 0644), 0);
	assert_becomes("app.yaml", "open: 1\ny: 2\n");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0444);
}

VIEW_TEST(comment_that_changes_no_byte_makes_a_source_good_all_the_same)
{
	start_merged();
	replace_file("a/app.yaml", "# a comment\nx: 1\n");
	publish_all();
	assert_events("");
	replace_file("a/app.yaml", "x: [\n");
	replace_file("b/app.yaml", "y: 2\n");
	assert_becomes("app.yaml", "x: 1\ny: 2\n");
	assert_int_equal(fault_of("app.yaml").serves, FAULT_SERVES_FALLBACK);
}

/* The first broken source, which never was good, has the file stay as it was. */
VIEW_TEST(last_good_state_of_a_source_stays_while_a_version_has_it)
{
	write_file("a/app.yaml", "x: 1\n");
	write_file("b/app.yaml", "x: 1\ny: 1\n");
	start("layers: [a, b, c]\nrules: [{match: '*', options: {kinds: strict}}]\n");
	assert_shown("app.yaml", "x: 1\ny: 1\n");
	replace_file("b/app.yaml", "x: [1]\n");
	replace_file("c/app.yaml", "z: [\n");
	assert_becomes("app.yaml", "x: 1\ny: 1\n");
	assert_int_equal(fault_of("app.yaml").serves, FAULT_SERVES_LAST_GOOD);
	replace_file("b/app.yaml", "x: [2]\n");
	publish_all();
	replace_file("c/app.yaml", "z: 1\n");
	assert_becomes("app.yaml", "x: 1\ny: 1\nz: 1\n");
	assert_int_equal(fault_of("app.yaml").serves, FAULT_SERVES_FALLBACK);
}

VIEW_TEST(text_of_the_only_source_that_is_left_is_not_shown_if_it_is_broken)
{
	write_file("b/app.yaml", "y: 1\n");
	write_file("c/app.yaml", "z: 1\n");
	start("layers: [a, b, c]\noptions: {on_error: skip-layer}\n");
	assert_shown("app.yaml", "y: 1\nz: 1\n");
	replace_file("a/app.yaml", "x: [\n");
	replace_file("b/app.yaml", "y: [\n");
	run("rm c/app.yaml");
	assert_becomes("app.yaml", "y: 1\nz: 1\n");
}

VIEW_TEST(file_that_others_refer_to_has_a_last_good_state_as_well)
{
	run("mkdir -p a/top a/data b/top");
	write_file("a/data/n.yaml", "x: 1\n");
	write_file("a/top/p.yaml", "_merge: n\nz: 1\n");
	start("layers: [a, b]\n"
	      "rules:\n"
	      "  - {match: \"top/*.yaml\", strategy: pillar, options: {data_path: data}}\n");
	assert_has("top/p.yaml", "x: 1\n");
	replace_file("a/data/n.yaml", "x: [\n");
	replace_file("a/top/p.yaml", "_merge: n\nz: 2\n");
	assert_comes_to_have("top/p.yaml", "x: 1\n");
	assert_has("top/p.yaml", "z: 2\n");
	assert_string_equal(fault_of("top/p.yaml").problem.source, "a/data/n.yaml");
	replace_file("a/data/n.yaml", "x: 3\n");
	assert_comes_to_have("top/p.yaml", "x: 3\n");
	assert_int_equal(count_of_view().faults, 0);
}

/* A virtual file is made of what the layers have, and not of what is shown instead. */
VIEW_TEST(virtual_file_is_made_of_a_broken_file_that_was_a_link)
{
	write_file("a/app.yaml", "x: [\n");
	run("ln -s other b/app.yaml");
	start("layers: [a, b]\nfiles: [{path: all.yaml, from: [app.yaml]}]\n");
	assert_shown("app.yaml", "-> other");
	assert_shown("all.yaml", "ENOENT");
	assert_listed("", "app.yaml@\n");
	replace_file("b/app.yaml", "y: 1\n");
	assert_becomes("app.yaml", "-> other");
	assert_shown("all.yaml", "EIO");
	assert_listed("", "all.yaml\napp.yaml@\n");
	replace_file("a/app.yaml", "x: 1\n");
	assert_becomes("app.yaml", "x: 1\ny: 1\n");
	assert_shown("all.yaml", "x: 1\ny: 1\n");
	run("ln -sfn other b/app.yaml");
	assert_becomes("all.yaml", "ENOENT");
}
