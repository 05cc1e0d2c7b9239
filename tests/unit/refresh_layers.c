/*
 * Changes where layers meet: a directory that comes in a second one, is two layers, or lies in
 * another.
 */
#include "view_fixture.h"

VIEW_TEST(same_directory_as_two_layers_changes_once)
{
	write_file("a/app.yaml", "x: 1\n");
	make_directory("a/dir");
	write_file("a/dir/app.yaml", "x: 1\n");
	start("a:b:a");
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("dir/app.yaml", "x: 1\n");

	replace_file("a/app.yaml", "x: 2\n");
	replace_file("a/dir/app.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	assert_shown("dir/app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\nMOVED_TO dir/app.yaml\n");

	run("rm -r a/dir");
	assert_becomes("dir", "ENOENT");
}

VIEW_TEST(directory_in_a_second_layer_joins_the_first)
{
	make_directory("a/one");
	write_file("a/one/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("one", "app.yaml\n");
	assert_shown("one/app.yaml", "x: 1\n");
	assert_shown("one/other.yaml", "ENOENT");

	make_directory("b/one");
	write_file("b/one/app.yaml", "x: 2\n");
	write_file("b/one/other.yaml", "y: 1\n");
	assert_becomes("one/app.yaml", "x: 2\n");
	assert_shown("one/other.yaml", "y: 1\n");

	run("rm -r b/one");
	assert_becomes("one/app.yaml", "x: 1\n");
	assert_shown("one/other.yaml", "ENOENT");
	assert_listed("one", "app.yaml\n");
}

VIEW_TEST(files_that_a_joining_directory_does_not_have_stay_as_they_are)
{
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

VIEW_TEST(layer_inside_another_layer_changes_in_both)
{
	run("mkdir -p a/in/dir a/dir; echo 'x: 1' >a/dir/app.yaml; echo 'y: 1' >a/in/dir/app.yaml");
	start("a:a/in");
	assert_shown("dir/app.yaml", "x: 1\ny: 1\n");
	assert_shown("in/dir/app.yaml", "y: 1\n");

	replace_file("a/in/dir/app.yaml", "y: 2\n");
	assert_becomes("dir/app.yaml", "x: 1\ny: 2\n");
	assert_shown("in/dir/app.yaml", "y: 2\n");
	assert_events("MOVED_TO in/dir/app.yaml\nMOVED_TO dir/app.yaml\n");
	run("rm -r a/dir");
	assert_becomes("dir/app.yaml", "y: 2\n");
	run("rm -r a/in/dir");
	assert_becomes("dir", "ENOENT");
	assert_shown("in/dir", "ENOENT");
}
