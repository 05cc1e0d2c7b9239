/* The view as requests see it: lookups, listings and forgetting. */
#include <stdatomic.h>

#include "attach.h"
#include "bytes.h"
#include "entry.h"
#include "names.h"
#include "refresh.h"
#include "view_fixture.h"

static uint64_t lookup(uint64_t parent, const char *name)
{
	struct stat stat;

	assert_int_equal(view_ask(view, parent, name, false, &stat), 0);
	return stat.st_ino;
}

VIEW_TEST(root_has_the_number_that_fuse_gives_it)
{
	struct stat stat;

	view = new_view("a:b");
	assert_int_equal(view_stat(view, VIEW_INO_ROOT, &stat), 0);
	assert_true(S_ISDIR(stat.st_mode));
	view_forget(view, VIEW_INO_ROOT, 100);
	assert_int_equal(view_stat(view, VIEW_INO_ROOT, &stat), 0);
}

VIEW_TEST(object_is_known_until_it_was_forgotten_as_often_as_looked_up)
{
	struct stat stat;

	write_file("a/x", "text\n");
	view = new_view("a:b");
	uint64_t ino = lookup(VIEW_INO_ROOT, "x");
	assert_int_equal(lookup(VIEW_INO_ROOT, "x"), ino);
	assert_int_equal(lookup(VIEW_INO_ROOT, "x"), ino);
	view_forget(view, ino, 2);
	assert_int_equal(view_stat(view, ino, &stat), 0);
	view_forget(view, ino, 1);
	assert_int_equal(view_stat(view, ino, &stat), -ESTALE);
	view_forget(view, ino, 1);
	assert_int_equal(count_of_view().versions, 0);
	assert_int_equal(count_of_view().version_bytes, 0);
}

VIEW_TEST(unknown_numbers_are_stale)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	char *value = NULL;
	struct stat stat;

	view = new_view("a:b");
	assert_int_equal(view_stat(view, 12345, &stat), -ESTALE);
	assert_int_equal(view_version(view, 12345, &version), -ESTALE);
	assert_int_equal(view_version(view, VIEW_INO_ROOT, &version), -EISDIR);
	assert_int_equal(view_attribute(view, 12345, VIEW_ERROR, &value), -ENODATA);
	assert_int_equal(view_list(view, 12345, 0, true, take_name, NULL), -ENOTDIR);
	assert_int_equal(view_ask(view, 12345, "x", false, &stat), -ENOENT);
	view_forget(view, 12345, 1);
}

VIEW_TEST(name_too_long_and_marks_are_not_looked_for)
{
	char name[NAME_MAX + 2];
	struct stat stat;

	write_file("a/.wh.x", "");
	view = new_view("a:b");
	memset(name, 'n', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, name, false, &stat), -ENAMETOOLONG);
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, name + 1, false, &stat), -ENOENT);
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, ".wh.x", false, &stat), -ENOENT);
}

VIEW_TEST(absence_costs_no_memory)
{
	char name[32];
	struct stat stat;

	view = new_view("a:b");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "none%d", i);
		assert_int_equal(view_ask(view, VIEW_INO_ROOT, name, false, &stat), -ENOENT);
	}
	assert_int_equal(view->root->entries.count, 0);
}

VIEW_TEST(forgotten_tree_costs_no_memory_but_its_root)
{
	run("mkdir -p a/1/2/3/4/5; for i in $(seq 100); do echo $i >a/1/2/3/4/5/f$i; done");
	start("a:b");
	assert_shown("1/2/3/4/5/f7", "7\n");
	listed("1/2/3/4/5");
	publish_all();
	size_t watches = inotify_watch_count(view->watch.inotify);
	forget("1");
	publish_all();
	assert_true(inotify_watch_count(view->watch.inotify) < watches);
	assert_int_equal(inotify_watch_count(view->watch.inotify), 2);
	assert_int_equal(view->inodes.table.count, 1);
	assert_null(directory_find(view->root, "1")->use->directory);
}

VIEW_TEST(listing_gives_the_number_that_a_lookup_gives)
{
	uint64_t cookie = 0;

	run("touch a/x a/y; mkdir a/d; ln -s t a/l");
	view = new_view("a:b");
	CLEANUP(freep) char *names = list_text(view, VIEW_INO_ROOT);
	assert_string_equal(names, "d/\nl@\nx\ny\n");
	for (size_t i = directory_seek(view->root, cookie); i < view->root->order.count; i++) {
		const struct entry *entry = directory_listed(view->root, i);
		uint64_t ino = entry_ino(entry);
		assert_int_equal(lookup(VIEW_INO_ROOT, entry->name), ino);
	}
}

VIEW_TEST(adopted_version_lives_until_it_is_forgotten)
{
	struct version *version = version_new(VERSION_BYTES);
	struct stat stat;

	view = new_view("a:b");
	version->data = bytes_dup(span_of("status\n"));
	version->size = 7;
	view_adopt(view, version, &stat);
	assert_true(stat.st_ino > VIEW_INO_RESERVED);
	assert_int_equal(count_of_view().versions, 1);
	view_forget(view, stat.st_ino, 1);
	assert_int_equal(count_of_view().versions, 0);
}

static void note_fault(void *context, const char *path, const struct fault *fault)
{
	char *text = context;

	assert_true(fault->since.tv_sec > 0);
	strcat(strcat(text, path), "\n");
}

VIEW_TEST(paths_in_fault_are_told)
{
	char text[TEXT_MAX] = "";

	run("mkdir a/d b/d; echo 'x: [' >a/d/x.yaml; echo 'y: 1' >b/d/x.yaml; echo 1 >a/y");
	view = new_view("a:b");
	view_faults(view, note_fault, text);
	assert_string_equal(text, "");
	assert_shown("d/x.yaml", "EIO");
	assert_shown("y", "1\n");
	view_faults(view, note_fault, text);
	assert_string_equal(text, "d/x.yaml\n");
}

VIEW_TEST(missing_optional_layers_are_an_empty_tree)
{
	struct stat stat;

	view = new_view("layers:\n  - {path: none, optional: true}\n");
	assert_int_equal(view_stat(view, VIEW_INO_ROOT, &stat), 0);
	assert_true(S_ISDIR(stat.st_mode));
	CLEANUP(freep) char *names = list_text(view, VIEW_INO_ROOT);
	assert_string_equal(names, "");
}

VIEW_TEST(name_that_goes_while_a_listing_is_taken_is_not_listed)
{
	struct listing listing = {0};
	struct change change;

	run("mkdir a/dir && touch a/dir/gone a/dir/kept && ln -s target new");
	view = new_view("a");
	publish_all();
	assert_int_equal(stat_of("dir").st_mode & S_IFMT, S_IFDIR);
	struct directory *directory = directory_find(view->root, "dir")->use->directory;

	/* The steps of a request, which may wait in between. */
	names_begin(directory);
	assert_int_equal(
		listing_take(view->composer.settings, directory->layers, "dir", &listing), 0);
	assert_int_equal(unlink("a/dir/gone"), 0);
	view_take_events(view);
	usleep(5000);
	view_take_events(view);
	assert_int_equal(rename("new", "a/dir/new"), 0);
	view_take_events(view);
	assert_int_equal(view_next_change(view, &change), 0);
	assert_string_equal(change.path, "dir/new");
	assert_int_equal(directory->names, NAMES_SOME);
	names_install(view, directory, &listing);
	names_end(directory);
	listing_free(&listing);

	publish(&change);
	publish_all();
	assert_listed("dir", "kept\nnew@\n");
	assert_null(directory_find(directory, "gone"));
}

/* An event for a name, or a second lookup of it, does not show whether it was there before. */
VIEW_TEST(name_that_waits_to_be_looked_at_is_in_the_first_listing)
{
	run("mkdir a/dir && touch a/dir/x a/old.yaml a/other.yaml");
	view = new_view("a");
	run("touch a/old.yaml && mv a/dir a/away && mv a/away a/dir");
	view_take_events(view);
	assert_non_null(directory_find(view->root, "old.yaml"));
	CLEANUP(freep) char *names = list_text(view, VIEW_INO_ROOT);
	assert_string_equal(names, "dir/\nold.yaml\nother.yaml\n");
	publish_all();
	assert_listed("", "dir/\nold.yaml\nother.yaml\n");
}

static void take_settings(const char *yaml)
{
	CLEANUP(settings_unrefp) struct settings *settings = settings_with(yaml);

	assert_int_equal(view_reload(view, settings), 0);
}

VIEW_TEST(rescan_before_the_first_listing_hides_nothing_and_tells_nothing)
{
	run("mkdir a/dir && touch a/dir/x a/old.yaml && mkdir a/parts && touch a/parts/one.yaml");
	view = new_view("layers: [a, b]\nfiles: [{path: all.yaml, from: ['parts/*']}]\n");
	lose_events();
	view_take_events(view);
	assert_true(names_scan_next(view));
	CLEANUP(freep) char *names = list_text(view, VIEW_INO_ROOT);
	assert_string_equal(names, "all.yaml\ndir/\nold.yaml\nparts/\n");
	publish_all();
	assert_listed("", "all.yaml\ndir/\nold.yaml\nparts/\n");
	assert_events("");
}

VIEW_TEST(virtual_file_is_listed_while_all_is_looked_at_again)
{
	run("mkdir a/parts && touch a/parts/one.yaml");
	view = new_view("layers: [a, b]\nfiles: [{path: all.yaml, from: ['parts/*']}]\n");
	assert_int_equal(names_complete(view, view->root), 0);
	lose_events();
	view_take_events(view);
	assert_true(names_scan_next(view));
	CLEANUP(freep) char *names = list_text(view, VIEW_INO_ROOT);
	assert_string_equal(names, "all.yaml\nparts/\n");
	publish_all();
	assert_listed("", "all.yaml\nparts/\n");
}

/* Whether the kernel asks for the listing before the publisher has looked, or afterwards. */
VIEW_TEST(name_that_new_settings_make_is_reported)
{
	run("mkdir a/parts && echo 'x: 1' >a/parts/one.yaml");
	start("layers: [a, b]\n");
	assert_listed("", "parts/\n");
	take_settings("layers: [a, b]\nfiles: [{path: v/x.yaml, from: ['parts/*']}]\n");
	publish_all();
	assert_events("CREATE,ISDIR v\n");
	assert_listed("", "parts/\nv/\n");
	assert_listed("v", "x.yaml\n");

	events_clear();
	take_settings("layers: [a, b]\n"
		      "files:\n"
		      "  - {path: v/x.yaml, from: ['parts/*']}\n"
		      "  - {path: w/y.yaml, from: ['parts/*']}\n");
	CLEANUP(freep) char *names = list_text(view, VIEW_INO_ROOT);
	assert_string_equal(names, "parts/\nv/\nw/\n");
	publish_all();
	assert_non_null(strstr(events, "CREATE,ISDIR w\n"));
	assert_listed("", "parts/\nv/\nw/\n");
}

/*
 * A mark can't be found by a lookup of the names that it hides: the directory itself is looked up
 * again.
 */
VIEW_TEST(mark_that_comes_between_a_look_and_its_watch_is_heeded)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	const struct settings *settings;
	char buffer[1 << 12];

	run("mkdir a/d && touch a/d/low");
	start("a:b");
	assert_listed("d", "low\n");
	struct directory *directory = directory_find(view->root, "d")->use->directory;
	settings = view->composer.settings;
	run("mkdir b/d");
	assert_true(read(inotify_fd(view->watch.inotify), buffer, sizeof(buffer)) > 0);
	assert_int_equal(union_look_up(settings, union_all_layers(settings), "d", lookup), 0);
	run("touch b/d/.wh..wh..opq");
	attach_update(view, settings, directory, lookup);
	assert_becomes("d/low", "ENOENT");
	assert_listed("d", "");
}

/* The scan of a directory first lists the names of the layers, and then those that rules make. */
VIEW_TEST(virtual_directory_is_there_while_its_parent_is_being_scanned)
{
	struct stat stat;

	run("mkdir a/parts && echo 'x: 1' >a/parts/one.yaml");
	view = new_view("layers: [a, b]\nfiles: [{path: v/x.yaml, from: ['parts/*']}]\n");
	assert_int_equal(names_complete(view, view->root), 0);
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "v", false, &stat), 0);
	view_forget(view, stat.st_ino, 1);
	assert_becomes("v/x.yaml", "x: 1\n");
	assert_listed("", "parts/\nv/\n");
}

/* Shows the files 1 and 2 of five, each merged of two sources. */
static void show_two_in_order(void)
{
	for (int i = 1; i <= 5; i++) {
		char path[32];
		snprintf(path, sizeof(path), "a/%d.yaml", i);
		write_file(path, "x: 1\n");
		snprintf(path, sizeof(path), "b/%d.yaml", i);
		write_file(path, "y: 1\n");
	}
	start("a:b");
	assert_shown("1.yaml", "x: 1\ny: 1\n");
	assert_shown("2.yaml", "x: 1\ny: 1\n");
}

static bool is_kept(const char *name)
{
	const struct entry *entry = directory_find(view->root, name);

	for (size_t i = 0; i < AHEAD_MAX; i++)
		if (view->looks.ahead[i] && view->looks.ahead[i] == entry->use->look)
			return true;
	return false;
}

VIEW_TEST(files_after_two_in_a_row_are_looked_at_before_they_are_asked_for)
{
	show_two_in_order();
	assert_false(is_kept("3.yaml"));
	assert_shown("3.yaml", "x: 1\ny: 1\n");
	assert_true(is_kept("4.yaml"));
	assert_true(is_kept("5.yaml"));
	assert_int_equal(count_of_view().files, 3);
	assert_shown("4.yaml", "x: 1\ny: 1\n");
	assert_false(is_kept("4.yaml"));
	assert_true(is_kept("5.yaml"));
	publish_all();
	assert_int_equal(count_of_view().files, 4);
}

VIEW_TEST(file_that_was_read_ahead_shows_a_change_that_no_event_has_reported_yet)
{
	show_two_in_order();
	assert_shown("3.yaml", "x: 1\ny: 1\n");
	write_file("b/4.yaml", "y: 2\n");
	assert_shown("4.yaml", "x: 1\ny: 2\n");
	assert_becomes("5.yaml", "x: 1\ny: 1\n");
}

VIEW_TEST(file_that_was_read_ahead_is_looked_at_again_if_events_were_lost)
{
	show_two_in_order();
	assert_shown("3.yaml", "x: 1\ny: 1\n");
	write_file("b/4.yaml", "y: 2\n");
	lose_events();
	assert_shown("4.yaml", "x: 1\ny: 2\n");
}

VIEW_TEST(file_that_was_read_ahead_and_removed_is_not_there)
{
	show_two_in_order();
	assert_shown("3.yaml", "x: 1\ny: 1\n");
	assert_int_equal(unlink("a/4.yaml"), 0);
	assert_int_equal(unlink("b/4.yaml"), 0);
	assert_shown("4.yaml", "ENOENT");
	publish_all();
	assert_shown("4.yaml", "ENOENT");
}

VIEW_TEST(file_that_was_read_ahead_holds_no_former_settings)
{
	show_two_in_order();
	assert_shown("3.yaml", "x: 1\ny: 1\n");
	assert_true(is_kept("4.yaml"));
	CLEANUP(settings_unrefp) struct settings *settings = settings_with("a:c");
	assert_int_equal(view_reload(view, settings), 0);
	assert_false(is_kept("4.yaml"));
	assert_becomes("4.yaml", "x: 1\n");
}

VIEW_TEST(file_that_a_check_must_judge_is_not_read_ahead)
{
	for (int i = 1; i <= 5; i++) {
		char path[32];
		snprintf(path, sizeof(path), "a/%d.yaml", i);
		write_file(path, "x: 1\n");
	}
	start("layers: [a]\nrules: [{match: '4.yaml', check: ['true', '%f']}]\n");
	assert_shown("1.yaml", "x: 1\n");
	assert_shown("2.yaml", "x: 1\n");
	assert_shown("3.yaml", "x: 1\n");
	assert_false(is_kept("4.yaml"));
	assert_true(is_kept("5.yaml"));
}
