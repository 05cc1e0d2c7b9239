/*
 * A view takes over what another has shown to the kernel, and no damaged state.
 */
#include <sys/mman.h>

#include "change_hook.h"
#include "entry.h"
#include "forged_record.h"
#include "placeholder.h"
#include "state.h"
#include "view.h"
#include "view_fixture.h"

#define FORMAT 7

/*
 * Writes the state of `view`: a file for the caller to close, and descriptors for the caller to
 * free.
 */
static int leave(int **fds, size_t *count)
{
	struct record *record;

	assert_int_equal(record_new(FORMAT, &record), 0);
	view_pause(view);
	view_put_state(view, record);
	const int *own = record_fds(record, count);
	*fds = calloc(*count + 1, sizeof(int));
	assert_non_null(*fds);
	for (size_t i = 0; i < *count; i++)
		assert_true(((*fds)[i] = fcntl(own[i], F_DUPFD_CLOEXEC, 0)) >= 0);
	int file = record_file(record);
	assert_true(file >= 0);
	record_free(record);
	return file;
}

/*
 * In another process all of this would end with the process: its watches belong to the new view
 * now.
 */
static void end_before(struct view *before)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(dup3(nothing, inotify_fd(before->watch.inotify), O_CLOEXEC) >= 0);
	close(nothing);
	publisher_freep(&publisher);
	publisher = NULL;
	view_freep(&before);
}

/* The kernel goes on with a new view. */
static void take_over(const char *yaml)
{
	struct view *before = view;
	struct record *record;
	size_t count;
	int *fds;

	int file = leave(&fds, &count);
	assert_int_equal(record_open(FORMAT, file, fds, count, &record), 0);
	view = new_view(yaml);
	assert_int_equal(view_take_state(view, record), 0);
	assert_int_equal(record_end(record), 0);
	record_free(record);
	close(file);
	end_before(before);
}

static void make_tree(void)
{
	run("mkdir -p a/dir/deep b/dir && echo 'x: 1' >a/app.yaml && echo 'y: 1' >b/app.yaml");
	run("echo 'x: 1' >a/dir/deep/file.yaml && echo 'x: [' >b/bad.yaml && echo 'x: 1' "
	    ">a/bad.yaml && ln -s app.yaml a/link");
	run("echo 'x: 1' >a/unread.yaml && echo 'x: 1' >a/dir/unread.yaml");
	start("a:b");
	assert_shown("app.yaml", "x: 1\ny: 1\n");
	assert_shown("dir/deep/file.yaml", "x: 1\n");
	assert_shown("bad.yaml", "EIO");
	assert_shown("missing.yaml", "ENOENT");
	assert_listed("", "app.yaml\nbad.yaml\ndir/\nlink@\nunread.yaml\n");
	assert_listed("dir", "deep/\nunread.yaml\n");
	stat_of("link");
	publish_all();
	events_clear();
}

VIEW_TEST(what_the_kernel_knows_is_the_same_afterwards)
{
	static const char *const paths[] = {
		"", "app.yaml", "dir", "dir/deep", "dir/deep/file.yaml", "link", "bad.yaml"};
	struct stat before[7];

	make_tree();
	for (size_t i = 0; i < 7; i++)
		before[i] = stat_of(paths[i]);
	take_over("a:b");
	publish_all();
	assert_events("");
	for (size_t i = 0; i < 7; i++) {
		struct stat now = stat_of(paths[i]);
		assert_memory_equal(&before[i], &now, sizeof(now));
	}
	assert_shown("app.yaml", "x: 1\ny: 1\n");
	assert_shown("bad.yaml", "EIO");
	assert_listed("", "app.yaml\nbad.yaml\ndir/\nlink@\nunread.yaml\n");
}

VIEW_TEST(what_changes_before_meanwhile_and_after_is_published_once)
{
	make_tree();
	/* Reported, and not looked up yet; and not even read from the queue. */
	replace_file("a/unread.yaml", "x: 2\n");
	view_take_events(view);
	replace_file("a/dir/unread.yaml", "x: 2\n");
	replace_file("b/app.yaml", "y: 2\n");
	take_over("a:b");
	write_file("a/missing.yaml", "x: 1\n");
	assert_becomes("app.yaml", "x: 1\ny: 2\n");
	assert_shown("missing.yaml", "x: 1\n");
	assert_non_null(strstr(events, "MOVED_TO app.yaml\n"));
	assert_non_null(strstr(events, "MOVED_TO unread.yaml\n"));
	assert_non_null(strstr(events, "MOVED_TO dir/unread.yaml\n"));
	assert_non_null(strstr(events, "MOVED_TO missing.yaml\n"));
	events_clear();
	publish_all();
	assert_events("");
	replace_file("a/dir/deep/file.yaml", "x: 3\n");
	assert_becomes("dir/deep/file.yaml", "x: 3\n");
}

/* Promises a name in `dir`, as a look that a pause has dropped leaves it; returns the number. */
static uint64_t placeholder(const char *name)
{
	struct stat stat;

	struct entry *entry = directory_entry(directory_above(view, "dir/"), name);
	assert_non_null(entry);
	assert_int_equal(placeholder_give(view, entry, &stat), 0);
	assert_null(placeholder_suspend(view, entry));
	return stat.st_ino;
}

VIEW_TEST(time_that_was_shown_and_not_announced_is_announced)
{
	static const char strict[] = "layers: [a]\noptions: {coherence: strict, header: false}\n";
	struct stat stat;

	write_file("a/x.yaml", "x: 1\n");
	run("touch -d @1400000000 a/x.yaml");
	start(strict);
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &stat), 0);
	run("touch -d @1500000000 a/x.yaml");
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &stat), 0);
	assert_int_equal(stat.st_mtime, 1500000000);
	take_over(strict);
	events_clear();
	publish_all();
	assert_events("MOVED_TO x.yaml\n");
}

VIEW_TEST(placeholder_is_kept)
{
	struct view_caller caller = {0};
	struct stat stat;

	make_tree();
	write_file("a/dir/late.yaml", "x: 1\n");
	uint64_t ino = placeholder("late.yaml");
	take_over("a:b");
	assert_int_equal(view_await(view, ino, &caller), VIEW_LATER);
	assert_true(view_give_up(view, ino, &caller));
	assert_int_equal(placeholder_look_again(view), 0);
	assert_int_equal(view_stat(view, ino, &stat), 0);
	assert_int_equal(stat.st_size, 5);
}

/* Another directory in its place may admit fewer users than were let in when it was promised. */
VIEW_TEST(placeholder_in_a_directory_that_went_is_not_kept_in_another)
{
	struct view_caller caller = {0};

	make_tree();
	uint64_t ino = placeholder("late.yaml");
	run("rm -r a/dir b/dir");
	publish_all();
	run("mkdir -m 700 a/dir && echo 'x: 1' >a/dir/late.yaml");
	publish_all();
	stat_of("dir");
	take_over("a:b");
	assert_int_equal(view_await(view, ino, &caller), 0);
	assert_true(view_is_placeholder(view, ino));
}

VIEW_TEST(last_good_version_is_shown_on)
{
	make_tree();
	replace_file("a/app.yaml", "x: [\n");
	assert_becomes("app.yaml", "x: 1\ny: 1\n");
	/* As with a copy of a store. */
	strcpy(directory_find(view->root, "app.yaml")->use->fault->problem.place,
		"etcd:/app.yaml@7");
	take_over("a:b");
	assert_string_equal(directory_find(view->root, "app.yaml")->use->fault->problem.place,
		"etcd:/app.yaml@7");
	assert_becomes("app.yaml", "x: 1\ny: 1\n");
	assert_int_equal(count_of_view().faults, 2);
	replace_file("a/app.yaml", "x: 3\n");
	assert_becomes("app.yaml", "x: 3\ny: 1\n");
	assert_int_equal(count_of_view().faults, 1);
}

VIEW_TEST(what_was_removed_and_is_open_is_forgotten_in_time)
{
	make_tree();
	run("rm -r a/dir b/dir");
	publish_all();
	take_over("a:b");
	assert_becomes("dir/deep/file.yaml", "ENOENT");
	run("mkdir a/dir && echo 'x: 5' >a/dir/app.yaml");
	assert_becomes("dir/app.yaml", "x: 5\n");
}

VIEW_TEST(layers_may_be_others)
{
	make_tree();
	run("mkdir c/dir && echo 'z: 1' >c/app.yaml && echo 'z: 1' >c/dir/unread.yaml");
	take_over("b:c");
	assert_becomes("app.yaml", "y: 1\nz: 1\n");
	assert_shown("dir/deep/file.yaml", "ENOENT");
	assert_shown("dir/unread.yaml", "z: 1\n");
	assert_shown("link", "ENOENT");
}

/* Returns the bytes as a file of their own. */
static int file_of(const char *data, size_t size)
{
	int file = memfd_create("state", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(write(file, data, size), size);
	assert_int_equal(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), 0);
	return file;
}

static char *read_file(int file, size_t *size)
{
	*size = (size_t)lseek(file, 0, SEEK_END);
	char *data = malloc(*size);
	assert_int_equal(pread(file, data, *size, 0), *size);
	return data;
}

static int open_bytes(const char *data, size_t size, struct record **ret)
{
	int file = file_of(data, size);
	int r = record_open(FORMAT, file, NULL, 0, ret);

	close(file);
	return r;
}

VIEW_TEST(what_is_cut_or_changed_on_the_way_is_refused)
{
	struct record *record;
	size_t count, size;
	int *fds;

	make_tree();
	int file = leave(&fds, &count);
	char *data = read_file(file, &size);
	for (size_t i = 0; i < size; i += i < 64 ? 1 : 17)
		assert_true(open_bytes(data, i, &record) < 0);
	for (size_t i = 0; i < size; i++)
		for (int bit = 0; bit < 8; bit++) {
			data[i] = (char)(data[i] ^ 1 << bit);
			int r = open_bytes(data, size, &record);
			assert_int_equal(r, i >= 8 && i < 16 ? -EPROTONOSUPPORT : -EBADMSG);
			data[i] = (char)(data[i] ^ 1 << bit);
		}
	assert_int_equal(record_open(FORMAT + 1, file, NULL, 0, &record), -EPROTONOSUPPORT);
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	free(fds);
	free(data);
	close(file);
}

/* An attacker wrote it so: the sum is right. Whatever is taken from it, nothing breaks. */
static void take_forged(const char *data, size_t size, const int *fds, size_t count)
{
	int file = file_of(data, size), *copies = calloc(count + 1, sizeof(int));
	struct record *record;

	for (size_t i = 0; i < count; i++)
		copies[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 0);
	assert_int_equal(record_open(FORMAT, file, copies, count, &record), 0);
	close(file);
	struct view *other = new_view("a:b");
	int r = view_take_state(other, record);
	if (r == 0)
		r = record_end(record);
	assert_true(r <= 0);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(dup3(nothing, inotify_fd(other->watch.inotify), O_CLOEXEC) >= 0);
	close(nothing);
	view_freep(&other);
	record_free(record);
}

VIEW_TEST(what_was_forged_breaks_nothing)
{
	static const uint64_t values[] = {0, 1, 255, (uint64_t)1 << 62, INT64_MAX, UINT64_MAX};
	size_t count, size;
	int *fds;

	make_tree();
	int file = leave(&fds, &count);
	char *data = read_file(file, &size);
	for (size_t at = 24; at + 16 <= size; at += 8)
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			char before[8];
			memcpy(before, data + at, 8);
			memcpy(data + at, &values[i], 8);
			forge_sum(data, size);
			take_forged(data, size, fds, count);
			memcpy(data + at, before, 8);
		}
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	free(fds);
	free(data);
	close(file);
}

static void note_path(void *context, const char *path)
{
	*(unsigned *)context += strcmp(path, "conf/a.yaml") == 0;
}

/* Of conf/a.yaml. */
static bool is_hook_due(void)
{
	unsigned count = 0;

	change_hook_each_path(view, note_path, &count);
	change_hooks_free(view);
	return count > 0;
}

VIEW_TEST(file_that_the_kernel_has_forgotten_is_reported_when_it_changes)
{
	static const char yaml[] =
		"layers: [a, b]\nrules:\n  - {match: 'conf/*.yaml', on_change: ['true']}\n";

	make_directory("a/conf");
	write_file("a/conf/a.yaml", "x: 1\n");
	start(yaml);
	assert_shown("conf/a.yaml", "x: 1\n");
	dentry_drop(dentry_find(VIEW_INO_ROOT, "conf"));
	publish_all();
	take_over(yaml);
	view_hold_change_hooks(view, true);
	publish_all();
	assert_false(is_hook_due());
	replace_file("a/conf/a.yaml", "x: 2\n");
	take_over(yaml);
	view_hold_change_hooks(view, true);
	publish_all();
	assert_true(is_hook_due());
	replace_file("a/conf/a.yaml", "x: 3\n");
	publish_all();
	assert_true(is_hook_due());
}
