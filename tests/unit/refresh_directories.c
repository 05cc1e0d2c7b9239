/*
 * Directories that come, are replaced, change their mode or give way to a file: the view always
 * shows their current content.
 */
#include "view_fixture.h"

VIEW_TEST(new_directory_comes_with_all_that_is_in_it)
{
	start("a:b");
	assert_shown("one/two/app.yaml", "ENOENT");

	run("mkdir -p a/one/two && echo 'x: 1' >a/one/two/app.yaml");
	assert_becomes("one/two/app.yaml", "x: 1\n");
	assert_listed("", "one/\n");
	assert_listed("one", "two/\n");
	assert_listed("one/two", "app.yaml\n");
	assert_events("CREATE,ISDIR one\n");
}

VIEW_TEST(directory_moved_in_comes_with_all_that_is_in_it)
{
	run("mkdir -p new/two && echo 'x: 1' >new/two/app.yaml");
	start("a:b");
	assert_shown("one", "ENOENT");

	assert_int_equal(rename("new", "b/one"), 0);
	assert_becomes("one/two/app.yaml", "x: 1\n");
	run("echo 'x: 2' >b/one/two/app.yaml");
	assert_becomes("one/two/app.yaml", "x: 2\n");
}

VIEW_TEST(directory_replaced_by_another_shows_the_other)
{
	run("mkdir a/one new && echo 'x: 1' >a/one/app.yaml && echo 'y: 1' >new/other.yaml");
	start("a:b");
	assert_shown("one/app.yaml", "x: 1\n");
	assert_shown("one/other.yaml", "ENOENT");

	run("mv a/one old && mv new a/one");
	assert_becomes("one/app.yaml", "ENOENT");
	assert_shown("one/other.yaml", "y: 1\n");
	run("echo 'y: 2' >a/one/other.yaml");
	assert_becomes("one/other.yaml", "y: 2\n");
}

/* As a deployment does: the layer has no such directory for a moment. */
VIEW_TEST(directory_that_is_replaced_at_once_tells_only_what_differs)
{
	run("mkdir a/one new && echo 'x: 1' | tee a/one/app.yaml >new/app.yaml");
	write_file("new/other.yaml", "y: 1\n");
	start("layers: [a, b]\nfiles: [{path: all.yaml, from: ['one/*.yaml']}]\n");
	assert_shown("one/app.yaml", "x: 1\n");
	assert_shown("all.yaml", "x: 1\n");
	assert_listed("one", "app.yaml\n");

	assert_int_equal(rename("a/one", "old"), 0);
	publish_ready();
	assert_shown("all.yaml", "x: 1\n");
	assert_int_equal(rename("new", "a/one"), 0);
	assert_becomes("one/other.yaml", "y: 1\n");
	assert_shown("all.yaml", "x: 1\ny: 1\n");
	assert_events("MOVED_TO one/other.yaml\nMOVED_TO all.yaml\n");
}

VIEW_TEST(file_over_directory_and_back)
{
	run("mkdir a/one && echo 'x: 1' >a/one/app.yaml");
	start("a:b");
	assert_shown("one/app.yaml", "x: 1\n");

	write_file("b/one", "a file\n");
	assert_becomes("one", "a file\n");
	assert_listed("", "one\n");
	assert_events("DELETE one/app.yaml\nDELETE,ISDIR one\nMOVED_TO one\n");

	events_clear();
	assert_int_equal(unlink("b/one"), 0);
	assert_becomes("one/app.yaml", "x: 1\n");
	assert_listed("", "one/\n");
	assert_events("DELETE one\nCREATE,ISDIR one\n");
}

VIEW_TEST(link_over_file_and_back)
{
	write_file("a/one", "text\n");
	start("a:b");
	assert_shown("one", "text\n");

	assert_int_equal(symlink("other", "b/one"), 0);
	assert_becomes("one", "-> other");
	assert_int_equal(symlink("third", "staged"), 0);
	assert_int_equal(rename("staged", "b/one"), 0);
	assert_becomes("one", "-> third");
	assert_int_equal(unlink("b/one"), 0);
	assert_becomes("one", "text\n");
	assert_events("MOVED_TO one\nMOVED_TO one\nMOVED_TO one\n");
}

VIEW_TEST(change_of_a_directorys_mode_is_reported)
{
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

/* As with two lookups that find at the same time that the directory is not watched yet. */
VIEW_TEST(directory_that_is_watched_twice_is_watched_once)
{
	start("a:b");
	size_t count = inotify_watch_count(view->watch.inotify);
	int fd = open("a", O_PATH | O_DIRECTORY);
	assert_return_code(watch_add(&view->watch, &view->root->watches, 0, fd), 0);
	close(fd);
	assert_int_equal(inotify_watch_count(view->watch.inotify), count);
	run("rmdir a");
	publish_all();
}
