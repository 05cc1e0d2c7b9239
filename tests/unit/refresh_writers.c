/*
 * A file that is being written is shown when it is whole, once, however many events its writers
 * make. The view waits for writers, but not for one that keeps the file open and is quiet.
 */
#include "clock.h"
#include "events.h"
#include "queue.h"
#include "view_fixture.h"

VIEW_TEST(source_written_in_place_is_one_replace)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	write_file("a/app.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(many_events_are_one_change)
{
	char text[32];

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
	assert_becomes("app.yaml", "x: 98\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(file_that_is_being_written_waits_for_its_writer)
{
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
	assert_becomes("app.yaml", "x: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

/* The look that falls short was begun before the writer's events. */
VIEW_TEST(look_without_memory_does_not_end_the_wait_for_a_writer)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	FILE *file = fopen("a/app.yaml", "we");
	assert_non_null(file);
	fputs("x: ", file);
	fflush(file);
	publish_ready();
	queue_later(view, directory_find(view->root, "app.yaml"), SHORTAGE_MS);
	publish_ready();
	assert_shown("app.yaml", "x: 1\n");
	fputs("2\n", file);
	fclose(file);
	assert_becomes("app.yaml", "x: 2\n");
}

VIEW_TEST(writer_of_one_layer_is_waited_for_when_another_layer_changes)
{
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
	assert_becomes("app.yaml", "x: 2\ny: 2\nz: 2\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(new_file_waits_for_its_writer)
{
	start("a:b");
	assert_shown("app.yaml", "ENOENT");

	FILE *file = fopen("a/app.yaml", "we");
	assert_non_null(file);
	publish_ready();
	assert_shown("app.yaml", "ENOENT");
	fputs("x: 1\n", file);
	fclose(file);
	assert_becomes("app.yaml", "x: 1\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(open_writer_who_is_quiet_is_not_waited_for)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");

	FILE *file = fopen("a/app.yaml", "we");
	assert_non_null(file);
	fputs("x: 2\n", file);
	fflush(file);
	assert_becomes("app.yaml", "x: 2\n");
	fclose(file);
}

VIEW_TEST(file_that_nobody_ever_opened_for_writing_appears)
{
	start("a:b");
	assert_shown("app.yaml", "ENOENT");

	assert_int_equal(mknod("a/app.yaml", S_IFREG | 0644, 0), 0);
	assert_becomes("app.yaml", "");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(hard_link_is_not_waited_for_as_a_writer_is)
{
	write_file("elsewhere", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "ENOENT");

	assert_int_equal(link("elsewhere", "a/app.yaml"), 0);
	assert_in_range(publish_ready(), 0, EVENTS_GONE_MS);
	assert_becomes("app.yaml", "x: 1\n");
	assert_events("MOVED_TO app.yaml\n");
}

/* Each write, and each removal, begins the wait for a rename anew. */
VIEW_TEST(new_name_shows_however_restless_it_is)
{
	for (int removes = 0; removes < 2; removes++) {
		const char *path = removes ? "removed.yaml" : "app.yaml";
		char layer_path[32];
		int64_t began_ms = clock_ms(), shown_ms = 0;
		snprintf(layer_path, sizeof(layer_path), "a/%s", path);
		if (!removes)
			start("a:b");
		assert_listed("", removes ? "app.yaml\n" : "");
		for (int i = 0; !shown_ms && clock_ms() < began_ms + 3000; i++) {
			if (removes && i)
				assert_int_equal(unlink(layer_path), 0);
			write_file(layer_path, "x: 1\n");
			publish_ready();
			if (strstr(listed(""), path))
				shown_ms = clock_ms();
			usleep(500);
		}
		assert_in_range(shown_ms - began_ms, 0, 2000);
		assert_becomes(path, "x: 1\n");
	}
}

/* As `ln -sf` and tools that unpack do, and those that keep a backup by a hard link. */
VIEW_TEST(temporary_link_or_directory_is_not_shown)
{
	write_file("a/app.yaml", "x: 1\n");
	start("layers: [a, b]\nfiles: [{path: all.yaml, from: ['*.yaml']}]\n");
	assert_shown("all.yaml", "x: 1\n");
	assert_listed("", "all.yaml\napp.yaml\n");

	assert_int_equal(symlink("app.yaml", "a/CuXyz1"), 0);
	assert_int_equal(link("a/app.yaml", "a/backup.yaml"), 0);
	assert_int_equal(mkdir("a/.tmp", 0755), 0);
	write_file("a/.tmp/in.yaml", "y: 1\n");
	publish_ready();
	assert_int_equal(rename("a/CuXyz1", "a/link"), 0);
	assert_int_equal(unlink("a/backup.yaml"), 0);
	assert_int_equal(rename("a/.tmp", "a/dir"), 0);
	assert_becomes("link", "-> app.yaml");
	assert_shown("dir/in.yaml", "y: 1\n");
	assert_listed("", "all.yaml\napp.yaml\ndir/\nlink@\n");
	assert_events("MOVED_TO link\nCREATE,ISDIR dir\n");
}

/* Without its other name it looks like a file that its maker still has open. */
VIEW_TEST(name_that_was_made_by_a_link_holds_up_nobody)
{
	write_file("a/y.yaml", "y: 1\n");
	write_file("elsewhere", "x: 1\n");
	start("layers: [a, b]\nfiles:\n  - {path: all.yaml, from: [x.yaml, y.yaml]}\n");
	assert_shown("x.yaml", "ENOENT");
	assert_int_equal(link("elsewhere", "a/x.yaml"), 0);
	publish_all();
	assert_int_equal(unlink("elsewhere"), 0);
	assert_becomes("all.yaml", "x: 1\ny: 1\n");

	replace_file("a/y.yaml", "y: [\n");
	for (int i = 0; i < 100 && !fault_of("all.yaml").problem.message[0]; i++) {
		publish_ready();
		usleep(50000);
	}
	assert_non_null(strstr(fault_of("all.yaml").problem.message, "is not closed"));
}
