/*
 * The publisher's operations: several in one batch, not seen by other programs, tried again when
 * they fail, and given up if a request has shown something newer since.
 *
 * The linker sends calls of inotify_add_watch(2) here (--wrap).
 */
#include <assert.h>
#include <stdatomic.h>
#include <sys/inotify.h>
#include <sys/mman.h>

#include "await.h"
#include "coroutine.h"
#include "view_fixture.h"

/* Names of settings are watched by a process of their own, which shares this. */
struct added_watches {
	atomic_bool are_short;
	atomic_uint count; /* of watches, or attempts */
	/* when a directory of this name is about to be watched, the test makes another one in it,
	 * once */
	const char *_Atomic late;
};

static struct added_watches *added;

__attribute__((constructor)) static void share_watches(void)
{
	added = mmap(
		NULL, sizeof(*added), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(added != MAP_FAILED);
}

int __real_inotify_add_watch(int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	const char *late = atomic_load(&added->late);
	char directory[PATH_MAX] = "";

	if (late && readlink(path, directory, sizeof(directory) - 1) > 0 &&
		strcmp(strrchr(directory, '/'), late) == 0) {
		atomic_store(&added->late, NULL);
		run("mkdir %s/late", directory);
	}
	bool is_short = atomic_load(&added->are_short);
	int watch = is_short ? -1 : __real_inotify_add_watch(fd, path, mask);
	if (is_short)
		errno = ENOSPC;
	atomic_fetch_add(&added->count, 1);
	return watch;
}

VIEW_TEST(changes_that_come_together_are_one_batch)
{
	for (unsigned i = 0; i < 20; i++)
		run("echo 'a: 1' >a/%u.yaml", i);
	start("a:b");
	listed("");
	for (unsigned i = 0; i < 20; i++)
		run("echo 'b: 1' >b/%u.yaml", i);
	batches = 0;
	events_clear();
	publish_ready();
	assert_int_equal(batches, 1);
	publish_ready();
	assert_int_equal(batches, 1);
}

VIEW_TEST(what_can_not_be_published_is_tried_again)
{
	write_file("a/app.yaml", "a: 1\n");
	start("a:b");
	assert_shown("app.yaml", "a: 1\n");
	events_clear();

	is_full = true;
	replace_file("a/app.yaml", "a: 2\n");
	write_file("a/new.yaml", "n: 1\n");
	make_directory("a/dir");
	assert_true(publish_ready() >= 0);
	assert_shown("app.yaml", "a: 1\n");
	assert_events("");

	is_full = false;
	assert_becomes("app.yaml", "a: 2\n");
	assert_shown("new.yaml", "n: 1\n");
	assert_listed("", "app.yaml\ndir/\nnew.yaml\n");
}

VIEW_TEST(what_the_publisher_takes_away_is_seen_by_nobody_else)
{
	struct change change;
	struct stat stat;

	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_listed("", "app.yaml\n");
	assert_int_equal(unlink("a/app.yaml"), 0);
	do
		view_take_events(view);
	while (view_next_change(view, &change) != 0);
	assert_int_equal(change.kind, CHANGE_REMOVE);

	view_begin_change(view, &change);
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "app.yaml", true, &stat), VIEW_PASSING);
	uint64_t passing = stat.st_ino;
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "app.yaml", false, &stat), VIEW_GOING);
	assert_int_equal(view_apply_change(view, VIEW_INO_ROOT, true, NULL), 0);
	view_end_change(view, &change);
	view_forget(view, passing, 1);
	assert_int_equal(view_stat(view, passing, &stat), -ESTALE);
}

VIEW_TEST(where_nothing_can_be_published_caches_are_right_all_the_same)
{
	run("mkdir a/dir a/gone && echo 'x: 1' >a/dir/app.yaml && echo 'x: 1' >a/gone.yaml");
	start("a:b");
	assert_shown("dir/app.yaml", "x: 1\n");
	assert_shown("gone.yaml", "x: 1\n");
	assert_shown("new/app.yaml", "ENOENT");
	assert_listed("", "dir/\ngone.yaml\ngone/\n");
	is_hidden = true;

	run("echo 'x: 2' >a/dir/app.yaml; rm -r a/gone.yaml a/gone; mkdir a/new");
	run("echo 'x: 2' >a/new/app.yaml");
	publish_all();
	assert_listed("", "dir/\nnew/\n");
	assert_shown("dir/app.yaml", "x: 2\n");
	assert_shown("gone.yaml", "ENOENT");
	assert_shown("new/app.yaml", "x: 2\n");
	run("echo 'x: 3' >a/new/app.yaml");
	assert_becomes("new/app.yaml", "x: 3\n");
}

/* The request comes when the change is decided, and not yet carried out. */
VIEW_TEST(change_does_not_go_behind_what_a_request_has_shown_since)
{
	struct change change;

	start("a:b");
	assert_listed("", "");
	write_file("a/app.yaml", "low: 1\n");
	do
		view_take_events(view);
	while (view_next_change(view, &change) != 0);
	assert_int_equal(change.kind, CHANGE_REPLACE);
	write_file("b/app.yaml", "high: 1\n");
	assert_shown("app.yaml", "low: 1\nhigh: 1\n");
	publish(&change);
	assert_shown("app.yaml", "low: 1\nhigh: 1\n");
	assert_becomes("app.yaml", "low: 1\nhigh: 1\n");
	assert_listed("", "app.yaml\n");
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(removal_does_not_take_away_what_a_request_has_shown_since)
{
	struct change change;

	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	run("rm a/app.yaml");
	do
		view_take_events(view);
	while (view_next_change(view, &change) != 0);
	assert_int_equal(change.kind, CHANGE_REMOVE);
	forget("app.yaml");
	write_file("a/app.yaml", "x: 2\n");
	assert_shown("app.yaml", "x: 2\n");
	publish(&change);
	assert_shown("app.yaml", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
}

/* Looks until the publisher has decided to remove `name`. */
static void decide_removal(enum change_kind kind, struct change *ret)
{
	do
		view_take_events(view);
	while (view_next_change(view, ret) != 0);
	assert_int_equal(ret->kind, kind);
}

static uint64_t number_of(uint64_t parent, const char *name)
{
	struct stat stat;

	assert_int_equal(view_ask(view, parent, name, false, &stat), 0);
	return stat.st_ino;
}

VIEW_TEST(removal_of_a_file_does_not_take_away_a_directory_that_a_request_has_shown_since)
{
	struct change change;

	write_file("a/x", "text\n");
	start("layers: [a]\noptions: {coherence: strict}\n");
	number_of(VIEW_INO_ROOT, "x");
	run("rm a/x");
	decide_removal(CHANGE_REMOVE, &change);
	run("mkdir a/x; echo new >a/x/file");
	uint64_t ino = number_of(VIEW_INO_ROOT, "x");
	publish(&change);
	assert_int_equal(number_of(VIEW_INO_ROOT, "x"), ino);
	number_of(ino, "file");
}

VIEW_TEST(removal_of_a_directory_does_not_take_away_one_that_a_request_has_shown_since)
{
	struct change change;

	run("mkdir a/x");
	start("layers: [a]\noptions: {coherence: strict}\n");
	uint64_t ino = number_of(VIEW_INO_ROOT, "x");
	run("rmdir a/x");
	decide_removal(CHANGE_REMOVE_DIRECTORY, &change);
	run("mkdir a/x; echo new >a/x/file");
	assert_int_equal(number_of(VIEW_INO_ROOT, "x"), ino);
	publish(&change);
	assert_int_equal(number_of(VIEW_INO_ROOT, "x"), ino);
	number_of(ino, "file");
}

VIEW_TEST(what_is_made_of_a_file_that_can_be_published_later_is_made_of_it_then)
{
	make_directory("a/conf.d");
	write_file("a/conf.d/one.yaml", "x: 1\n");
	start("layers: [a, b]\nfiles: [{path: all.yaml, from: ['conf.d/*.yaml']}]\n");
	assert_shown("all.yaml", "x: 1\n");
	assert_shown("conf.d/one.yaml", "x: 1\n");

	is_full = true;
	replace_file("a/conf.d/two.yaml", "y: 2\n");
	assert_true(publish_ready() >= 0);
	assert_shown("all.yaml", "x: 1\n");

	is_full = false;
	assert_becomes("conf.d/two.yaml", "y: 2\n");
	assert_shown("all.yaml", "x: 1\ny: 2\n");
}

static void run_publisher(void *context)
{
	publisher_run(context);
}

/* Counts the layers that exist. */
static bool has_layers(size_t count)
{
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(view);

	for (size_t i = 0; i < settings->layer_count; i++)
		count -= settings->layers[i]->dirfd >= 0;
	return count == 0;
}

static bool has_come_to_have_layers(size_t count)
{
	for (int i = 0; i < 10000 && !has_layers(count); i++)
		await_pause_us(20000);
	return has_layers(count);
}

/* Starts the publisher, which watches the settings or tries to. */
static struct coroutine *run_until_it_watches(struct publisher *running)
{
	struct coroutine *coroutine;

	atomic_store(&added->count, 0);
	assert_int_equal(coroutine_new(run_publisher, running, &coroutine), 0);
	while (!atomic_load(&added->count))
		await_pause_us(1000);
	return coroutine;
}

VIEW_TEST(settings_that_no_watch_was_left_for_are_followed_later)
{
	start("layers: [a, b]\n");
	struct publisher *running = publisher_here();
	atomic_store(&added->are_short, true);
	struct coroutine *coroutine = run_until_it_watches(running);
	/* Until the publisher has given up for now. */
	for (int i = 0; i < 100; i++)
		await_pause_us(1);
	atomic_store(&added->are_short, false);
	write_file("plyfs.yaml", "layers: [a, b, c]\n");
	bool are_followed = has_come_to_have_layers(3);
	publisher_stop(running);
	coroutine_join(coroutine);
	assert_true(are_followed);
}

VIEW_TEST(layer_that_is_made_just_before_its_name_is_watched_is_seen)
{
	start("layers: [a, b, {path: parent/late, optional: true}]\n");
	struct publisher *running = publisher_here();
	struct coroutine *coroutine = run_until_it_watches(running);
	assert_true(has_layers(2));
	atomic_store(&added->late, "/parent");
	make_directory("parent");
	bool is_seen = has_come_to_have_layers(3);
	publisher_stop(running);
	coroutine_join(coroutine);
	assert_null(atomic_load(&added->late));
	assert_true(is_seen);
}
