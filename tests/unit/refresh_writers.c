/*
 * A file that is being written is shown when it is whole, once, however many events its writers
 * make. The view waits for writers, but not for one that keeps the file open and is quiet.
 */
#include "view_fixture.h"

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

/* Without its other name it looks like a file that its maker still has open. */
static void name_that_was_made_by_a_link_holds_up_nobody(void **state)
{
	(void)state;
	write_file("a/y.yaml", "y: 1\n");
	write_file("elsewhere", "x: 1\n");
	start("layers: [a, b]\nfiles:\n  - {path: all.yaml, from: [x.yaml, y.yaml]}\n");
	assert_shown("x.yaml", "ENOENT");
	assert_int_equal(link("elsewhere", "a/x.yaml"), 0);
	publish_all();
	assert_int_equal(unlink("elsewhere"), 0);
	publish_all();
	assert_shown("all.yaml", "x: 1\ny: 1\n");

	replace_file("a/y.yaml", "y: [\n");
	for (int i = 0; i < 100 && !trouble_of("all.yaml").problem.message[0]; i++) {
		publish_ready();
		usleep(50000);
	}
	assert_non_null(strstr(trouble_of("all.yaml").problem.message, "is not closed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		view_test(source_written_in_place_is_one_replace),
		view_test(many_events_are_one_change),
		view_test(file_that_is_being_written_waits_for_its_writer),
		view_test(writer_of_one_layer_is_waited_for_when_another_layer_changes),
		view_test(new_file_waits_for_its_writer),
		view_test(open_writer_who_is_quiet_is_not_waited_for),
		view_test(file_that_nobody_ever_opened_for_writing_appears),
		view_test(hard_link_appears_at_once),
		view_test(name_that_was_made_by_a_link_holds_up_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
