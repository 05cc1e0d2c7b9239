/*
 * The command of on_change also gets files that the kernel has forgotten.
 */
#include "change_hook.h"
#include "refresh.h"
#include "view_fixture.h"

static const char with_change_hook[] =
	"layers: [a, b]\nrules:\n  - {match: 'conf/*.yaml', on_change: ['true']}\n";

static void note_path(void *context, const char *path)
{
	*(unsigned *)context += strcmp(path, "conf/a.yaml") == 0;
}

/* Whether the command is to run for a change since the last call. */
static bool is_hook_due(void)
{
	unsigned count = 0;

	change_hook_each_path(view, note_path, &count);
	change_hooks_free(view);
	return count > 0;
}

static void show(const char *yaml)
{
	make_directory("a/conf");
	write_file("a/conf/a.yaml", "x: 1\n");
	view = new_view(yaml);
	view_hold_change_hooks(view, true);
	assert_becomes("conf/a.yaml", "x: 1\n");
	publish_all();
}

static void let_go(void)
{
	dentry_drop(dentry_find(VIEW_INO_ROOT, "conf"));
	publish_all();
	(void)is_hook_due();
}

VIEW_TEST(file_that_is_forgotten_is_reported_when_it_changes)
{
	show(with_change_hook);
	let_go();
	replace_file("a/conf/a.yaml", "x: 2\n");
	publish_all();
	assert_true(is_hook_due());
	replace_file("a/conf/a.yaml", "x: 1\n");
	publish_all();
	assert_true(is_hook_due());
}

VIEW_TEST(lost_events_are_told_where_something_has_changed)
{
	show(with_change_hook);
	let_go();
	lose_events();
	publish_all();
	assert_false(is_hook_due());
	replace_file("a/conf/a.yaml", "x: 2\n");
	lose_events();
	publish_all();
	assert_true(is_hook_due());
}

VIEW_TEST(file_shown_before_it_had_an_on_change_is_reported)
{
	show("layers: [a, b]\n");
	struct settings *settings = settings_with(with_change_hook);
	assert_int_equal(view_reload(view, settings), 0);
	settings_unref(settings);
	publish_all();
	let_go();
	replace_file("a/conf/a.yaml", "x: 2\n");
	publish_all();
	assert_true(is_hook_due());
}

VIEW_TEST(file_that_is_read_before_its_event_is_reported)
{
	make_directory("a/conf");
	write_file("a/conf/old.yaml", "x: 1\n");
	view = new_view(with_change_hook);
	view_hold_change_hooks(view, true);
	assert_becomes("conf/old.yaml", "x: 1\n");
	replace_file("a/conf/a.yaml", "x: 1\n");
	assert_shown("conf/a.yaml", "x: 1\n");
	publish_all();
	assert_true(is_hook_due());
}

VIEW_TEST(removal_that_is_outdated_by_a_lookup_is_reported_only_if_something_has_changed)
{
	char text[256];

	snprintf(text, sizeof(text), "%soptions: {coherence: strict}\n", with_change_hook);
	for (int i = 0; i < 2; i++) {
		struct change change;
		struct stat stat;

		show(text);
		(void)is_hook_due();
		uint64_t parent = stat_of("conf").st_ino;
		run("mv a/conf/a.yaml a.yaml");
		do
			view_take_events(view);
		while (view_next_change(view, &change) != 0);
		assert_int_equal(change.kind, CHANGE_REMOVE);
		run(i ? "mkdir a/conf/a.yaml" : "mv a.yaml a/conf/a.yaml");
		assert_int_equal(view_ask(view, parent, "a.yaml", false, &stat), 0);
		publish(&change);
		assert_int_equal(is_hook_due(), i);
		view_forget(view, stat.st_ino, 1);
		tear_down(NULL);
		set_up(NULL);
	}
}

static void count_path(void *context, const char *path)
{
	(void)path;
	++*(unsigned *)context;
}

VIEW_TEST(links_in_a_new_directory_that_lead_in_a_circle_are_not_followed)
{
	unsigned count = 0;

	view = new_view("layers: [{path: a, follow: true}]\noptions: {on_change: ['true']}\n");
	view_hold_change_hooks(view, true);
	make_directory("a/new");
	write_file("a/new/a.yaml", "x: 1\n");
	assert_int_equal(symlink(".", "a/new/circle"), 0);
	publish_all();
	change_hook_each_path(view, count_path, &count);
	assert_int_equal(count, 1);
}
