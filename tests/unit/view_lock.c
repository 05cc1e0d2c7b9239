/*
 * The layers' file system may be slow: no descriptor of theirs is closed while the view's lock is
 * held.
 */
#include "view_fixture.h"

#include "reload.h"

static unsigned closed_under_lock;

int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_close(int fd)
{
	closed_under_lock += view && view->lock.is_held;
	return __real_close(fd);
}

static void write_large(const char *path)
{
	write_file("new", "");
	assert_int_equal(truncate("new", COMPOSE_HELD_BYTES + 1), 0);
	assert_int_equal(rename("new", path), 0);
}

VIEW_TEST(file_that_was_held_open_is_closed_without_the_lock)
{
	write_large("a/x.bin");
	start("a:b");
	assert_int_equal(stat_of("x.bin").st_size, COMPOSE_HELD_BYTES + 1);
	closed_under_lock = 0;
	write_large("a/x.bin");
	publish_all();
	assert_int_equal(unlink("a/x.bin"), 0);
	publish_all();
	assert_int_equal(view->counts.versions, 0);
	assert_int_equal(closed_under_lock, 0);
}

/* Lookups that began before are the last to use the old layers. */
VIEW_TEST(replaced_layers_are_closed_without_the_lock)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	struct change change;

	write_file("a/x.yaml", "x: 1\n");
	write_file("a/y.yaml", "y: 1\n");
	start("a:b");
	assert_shown("x.yaml", "x: 1\n");
	assert_shown("y.yaml", "y: 1\n");
	replace_file("a/x.yaml", "x: 2\n");
	replace_file("a/y.yaml", "y: 2\n");
	view_take_events(view);
	assert_int_equal(view_next_change(view, &change), 0);
	settings = settings_with("b:a");
	assert_int_equal(view_reload(view, settings), 0);
	closed_under_lock = 0;
	view_end_change(view, &change);
	assert_becomes("y.yaml", "y: 2\n");
	assert_int_equal(closed_under_lock, 0);
}
