/*
 * Changes where layers meet: many of them, a directory that comes in a second one, a directory that
 * is two layers or lies in another.
 */
#include "view_fixture.h"

VIEW_TEST(sixty_four_layers_are_merged_in_order)
{
	char layers[TEXT_MAX] = "";
	char path[64];
	char expected[64];

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
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
	assert_shown("dir/app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\nMOVED_TO dir/app.yaml\n");

	run("rm -r a/dir");
	publish_all();
	assert_shown("dir", "ENOENT");
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
	publish_all();
	assert_shown("one/app.yaml", "x: 2\n");
	assert_shown("one/other.yaml", "y: 1\n");

	run("rm -r b/one");
	publish_all();
	assert_shown("one/app.yaml", "x: 1\n");
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
