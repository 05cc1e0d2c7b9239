/*
 * A change in a layer shows, once, with the events of an atomic replace. Nothing that the kernel
 * caches for ever is ever out of date, also if a request comes before the event.
 */
#include "view_fixture.h"

VIEW_TEST(replaced_source_is_one_replace)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	replace_file("a/app.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(removal_followed_by_creation_is_one_replace)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	assert_int_equal(unlink("a/app.yaml"), 0);
	write_file("a/app.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(same_bytes_are_no_change)
{
	start_merged();
	struct stat before = stat_of("app.yaml");

	replace_file("a/app.yaml", "x: 1\n");
	run("touch a/app.yaml");
	replace_file("a/app.yaml", "# a comment\nx: 1\n");
	publish_all();
	assert_events("");
	assert_int_equal(stat_of("app.yaml").st_ino, before.st_ino);
}

VIEW_TEST(new_file_replaces_its_cached_absence)
{
	start("a:b");
	assert_shown("app.yaml", "ENOENT");

	write_file("b/app.yaml", "x: 1\n");
	assert_becomes("app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\n");
	assert_events("MOVED_TO app.yaml\n");
}

/* Lookups that come before their event */

VIEW_TEST(absence_is_replaced_when_a_listing_saw_the_directory_first)
{
	make_directory("a/dir");
	view = new_view("a:b");
	assert_shown("dir/new", "ENOENT");

	make_directory("a/dir/new");
	assert_listed("dir", "new/\n");
	assert_becomes("dir/new/app.yaml", "ENOENT");
	assert_int_equal(stat_of("dir/new").st_mode & S_IFMT, S_IFDIR);
}

VIEW_TEST(absence_is_replaced_when_a_listing_saw_the_file_first)
{
	make_directory("a/dir");
	view = new_view("a:b");
	assert_shown("dir/new", "ENOENT");

	write_file("a/dir/new", "text\n");
	assert_listed("dir", "new\n");
	assert_becomes("dir/new", "text\n");
}

VIEW_TEST(absence_is_replaced_when_the_directory_that_hid_the_name_goes)
{
	run("mkdir a/dir b/dir && touch b/dir/.wh.x && echo text >a/dir/x && mkdir a/dir/y");
	write_file("b/dir/.wh.y", "");
	view = new_view("a:b");
	assert_shown("dir/x", "ENOENT");
	assert_shown("dir/y", "ENOENT");

	assert_int_equal(rename("b/dir", "gone"), 0);
	assert_listed("dir", "x\ny/\n");
	assert_becomes("dir/x", "text\n");
	assert_int_equal(stat_of("dir/y").st_mode & S_IFMT, S_IFDIR);
}

VIEW_TEST(file_seen_before_its_event_is_reported)
{
	start("a:b");
	assert_listed("", "");

	write_file("a/app.yaml", "x: 1\n");
	assert_shown("app.yaml", "x: 1\n");
	assert_becomes("app.yaml", "x: 1\n");
	assert_listed("", "app.yaml\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(directory_asked_for_before_its_event_is_reported)
{
	uint64_t ino;

	start("a:b");
	assert_listed("", "");

	make_directory("a/dir");
	kernel_find("dir", &ino);
	publish_all();
	assert_listed("", "dir/\n");
	assert_int_equal(stat_of("dir").st_mode & S_IFMT, S_IFDIR);
	assert_events("CREATE,ISDIR dir\n");
}

/* Lookups that find nothing, and names that come back: a program was told that they are gone. */

VIEW_TEST(file_that_a_lookup_has_missed_is_reported_when_it_is_back)
{
	run("mkdir a/dir && echo text >b/dir && echo 'x: 1' >b/app.yaml");
	start("a:b");
	assert_listed("", "app.yaml\ndir\n");
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("dir", "text\n");
	forget("app.yaml");
	forget("dir");

	/* A directory, and nothing, are in their places. */
	run("mkdir away && mv b/app.yaml b/dir away");
	assert_shown("app.yaml", "ENOENT");
	assert_shown("dir", "ENOENT");
	run("mv away/* b");
	publish_all();
	assert_shown("app.yaml", "x: 1\n");
	assert_shown("dir", "text\n");
	assert_non_null(strstr(events, "MOVED_TO app.yaml\n"));
	assert_non_null(strstr(events, "MOVED_TO dir\n"));
}

VIEW_TEST(file_that_a_lookup_has_missed_is_reported_though_another_lookup_sees_it_first)
{
	run("mkdir a/dir && echo text >b/dir");
	start("a:b");
	assert_listed("", "dir\n");

	assert_int_equal(rename("b/dir", "away"), 0);
	assert_shown("dir", "ENOENT");
	assert_int_equal(rename("away", "b/dir"), 0);
	assert_shown("dir", "text\n");
	assert_becomes("dir", "text\n");
	assert_events("MOVED_TO dir\n");
}

VIEW_TEST(directory_that_a_lookup_has_missed_is_reported_though_another_lookup_sees_it_first)
{
	uint64_t ino;

	run("mkdir a/dir && echo 'x: 1' >a/dir/app.yaml");
	start("a:b");
	assert_listed("", "dir/\n");

	assert_int_equal(rename("a/dir", "away"), 0);
	assert_int_equal(kernel_find("dir", &ino), -ENOENT);
	assert_int_equal(rename("away", "a/dir"), 0);
	view_take_events(view);
	kernel_find("dir", &ino);
	assert_becomes("dir/app.yaml", "x: 1\n");
	assert_listed("", "dir/\n");
	assert_events("CREATE,ISDIR dir\n");
}

/* As if the publisher had looked before the lookup ended, which began earlier. */
VIEW_TEST(name_that_a_lookup_has_missed_is_looked_at_without_an_event)
{
	char buffer[1 << 12];
	uint64_t ino;

	run("mkdir a/dir && echo 'x: 1' >a/app.yaml");
	start("a:b");
	assert_listed("", "app.yaml\ndir/\n");

	run("mkdir away && mv a/* away");
	assert_shown("app.yaml", "ENOENT");
	assert_int_equal(kernel_find("dir", &ino), -ENOENT);
	run("mv away/* a");
	assert_true(read(inotify_fd(view->watch.inotify), buffer, sizeof(buffer)) > 0);
	publish_all();
	assert_shown("app.yaml", "x: 1\n");
	assert_int_equal(stat_of("dir").st_mode & S_IFMT, S_IFDIR);
	assert_non_null(strstr(events, "MOVED_TO app.yaml\n"));
	assert_non_null(strstr(events, "CREATE,ISDIR dir\n"));
}

VIEW_TEST(forgotten_file_that_was_never_listed_becomes_a_directory_by_a_delete)
{
	uint64_t ino;

	write_file("a/one", "text\n");
	view = new_view("a:b");
	assert_shown("one", "text\n");
	forget("one");

	run("rm a/one && mkdir a/one");
	kernel_find("one", &ino);
	publish_all();
	assert_int_equal(stat_of("one").st_mode & S_IFMT, S_IFDIR);
	assert_events("DELETE one\nCREATE,ISDIR one\n");
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

VIEW_TEST(listing_in_parts_neither_doubles_nor_misses_while_names_come_and_go)
{
	unsigned counts[2001] = {0};
	char name[32];
	uint64_t cookie = 0;
	uint64_t ino;

	make_directory("a/dir");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "a/dir/file%d", i);
		write_file(name, "");
	}
	start("a:b");
	assert_int_equal(kernel_find("dir", &ino), 0);
	for (int part = 0; part < 100; part++) {
		counts[2000] = 0;
		assert_int_equal(view_list(view, ino, cookie, true, count_name, counts), 0);
		if (!counts[2000])
			break;
		cookie = counts[2000];
		/* The second half of the names goes one after another, and as many others come. */
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

/* A watcher of a directory gets an event for every name that comes, however early it begins. */
VIEW_TEST(file_seen_before_its_event_in_a_directory_that_was_just_found_is_reported)
{
	make_directory("a/d");
	write_file("a/d/old", "x");
	start("a:b");
	stat_of("d");
	replace_file("a/d/new", "x");
	assert_shown("d/new", "x");
	assert_shown("d/old", "x");
	publish_all();
	assert_events("MOVED_TO d/new\n");
	assert_shown("d/new", "x");
	publish_all();
	assert_events("MOVED_TO d/new\n");
}
