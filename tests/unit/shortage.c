/*
 * If memory or descriptors were missing for a moment, everything is made up for when there are
 * enough again.
 *
 * The linker sends the calls that may fail here (--wrap).
 */
#include <linux/openat2.h>
#include <stdarg.h>
#include <sys/inotify.h>
#include <sys/syscall.h>

#include "bytes.h"
#include "dependency.h"
#include "last_good.h"
#include "listing.h"
#include "look.h"
#include "moved_clock.h"
#include "refresh.h"
#include "view_fixture.h"

static enum {
	NOTHING,
	ENTERING,      /* the directory conf.d/sub */
	REMEMBERING,   /* a dependency, after so many */
	OPENING,       /* app.yaml, by a name */
	STATTING,      /* of conf.d, after so many */
	ROOT,          /* of a layer itself, after so many */
	GUARDING,      /* a path without reading it, after so many */
	COMPOSING,     /* a version, after so many */
	LISTING,       /* of `where` in the upper layer, after so many */
	UNLISTED,      /* `where` in the upper layer: the disk fails to list it, until the end */
	LISTING_LINKS, /* after so many */
	READING_LINK,  /* or a file, in app.yaml.d, after so many */
	WATCHING,      /* of `where` in the upper layer, until the end */
	BROKEN,        /* the disk fails, at `where` and below, until the end */
	BROKEN_UPPER,  /* … that of the upper layer alone */
	LOOKING        /* app.yaml in a layer, until the end */
} failing;
static unsigned slow_looks; /* at `where` in a layer: how many still take long */
static unsigned looks, calls;
static const char *where;

/* Fails once, after so many calls. */
static bool is_next(void)
{
	if (calls > 0) {
		calls--;
		return false;
	}
	failing = NOTHING;
	return true;
}

static bool is_upper_layer(int directory)
{
	struct stat a, b;

	return fstat(directory, &a) == 0 && stat("b", &b) == 0 && a.st_ino == b.st_ino;
}

static bool is_broken(int directory, const char *path)
{
	size_t length = where ? strlen(where) : 0;

	if (failing != BROKEN && (failing != BROKEN_UPPER || !is_upper_layer(directory)))
		return false;
	return strncmp(path, where, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* Returns the error with which openat2(2) fails in a layer, or 0. */
static int error_of_open(int directory, const char *path, uint64_t flags)
{
	bool is_path = flags & O_PATH, is_directory = flags & O_DIRECTORY;

	looks += strcmp(path, "app.yaml") == 0;
	if (slow_looks && strcmp(path, where) == 0) {
		slow_looks--;
		usleep(200000);
	}
	if (is_broken(directory, path))
		return EIO;
	if (failing == LOOKING)
		return strcmp(path, "app.yaml") == 0 ? EMFILE : 0;
	if (failing == ENTERING)
		return is_directory && strcmp(path, "conf.d/sub") == 0 && is_next() ? EMFILE : 0;
	if (failing == GUARDING)
		return is_path && is_next() ? ENFILE : 0;
	if (failing == STATTING)
		return is_path && strncmp(path, "conf.d", 6) == 0 && is_next() ? ENFILE : 0;
	if (failing == READING_LINK)
		return is_path && strncmp(path, "app.yaml.d/", 11) == 0 && is_next() ? EMFILE : 0;
	if (failing == LISTING)
		return !is_path && is_directory && strcmp(path, where) == 0 &&
				       is_upper_layer(directory) && is_next()
			       ? EMFILE
			       : 0;
	if (failing == UNLISTED && !is_path && is_directory && strcmp(path, where) == 0)
		return is_upper_layer(directory) ? EIO : 0;
	return 0;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long arguments[6] = {0};
	va_list list;

	va_start(list, number);
	/* No other call is made with more arguments than openat2(2). */
	for (size_t i = 0; i < 4; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_openat2) {
		const struct open_how *how = (const struct open_how *)arguments[2];

		errno = error_of_open((int)arguments[0], (const char *)arguments[1], how->flags);
		if (errno)
			return -1;
	}
	return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
		arguments[4], arguments[5]);
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return failing == REMEMBERING && size == sizeof(struct dependency) && is_next()
		       ? NULL
		       : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return failing == COMPOSING && size == sizeof(struct version) && is_next()
		       ? NULL
		       : __real_calloc(count, size);
}

int __real_open64(const char *name, int flags, ...);
int __wrap_open64(const char *name, int flags, ...);
int __wrap_open64(const char *name, int flags, ...)
{
	if (failing != GUARDING || !(flags & O_PATH) || !is_next())
		return __real_open64(name, flags, 0);
	errno = ENFILE;
	return -1;
}

int __real_openat64(int directory, const char *name, int flags, ...);
int __wrap_openat64(int directory, const char *name, int flags, ...);
int __wrap_openat64(int directory, const char *name, int flags, ...)
{
	const char *fails = failing == OPENING         ? "app.yaml"
			    : failing == LISTING_LINKS ? "."
			    : failing == GUARDING      ? ".."
						       : "";

	if (strcmp(name, fails) != 0 || !is_next())
		return __real_openat64(directory, name, flags, 0);
	errno = EMFILE;
	return -1;
}

int __real_statx(int directory, const char *name, int flags, unsigned mask, struct statx *ret);
int __wrap_statx(int directory, const char *name, int flags, unsigned mask, struct statx *ret);
int __wrap_statx(int directory, const char *name, int flags, unsigned mask, struct statx *ret)
{
	bool is_it = failing == ROOT ? !*name : failing == STATTING && strcmp(name, "conf.d") == 0;

	errno = is_broken(directory, name) ? EIO : is_it && is_next() ? ENFILE : 0;
	return errno ? -1 : __real_statx(directory, name, flags, mask, ret);
}

int __real_inotify_add_watch(int inotify, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int inotify, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int inotify, const char *path, uint32_t mask)
{
	char name[PATH_MAX];
	struct stat watched, unwatched;

	if (failing != WATCHING)
		return __real_inotify_add_watch(inotify, path, mask);
	snprintf(name, sizeof(name), "b/%s", where);
	if (stat(path, &watched) < 0 || stat(name, &unwatched) < 0 ||
		watched.st_ino != unwatched.st_ino)
		return __real_inotify_add_watch(inotify, path, mask);
	errno = ENOSPC;
	return -1;
}

static void publish_for(int rounds, useconds_t each)
{
	while (rounds-- > 0) {
		publish_ready();
		usleep(each);
	}
}

VIEW_TEST(file_is_made_of_all_directories_that_were_walked_into)
{
	make_directory("a/conf.d");
	make_directory("a/conf.d/sub");
	write_file("a/conf.d/one.yaml", "q: 1\n");
	write_file("a/conf.d/sub/two.yaml", "s: 1\n");
	failing = ENTERING;
	start("layers: [a, b]\nfiles:\n  - {path: v.yaml, from: ['conf.d/**/*.yaml']}\n");
	assert_int_equal(failing, NOTHING);
	assert_shown("v.yaml", "q: 1\ns: 1\n");
}

VIEW_TEST(file_follows_what_it_refers_to)
{
	make_directory("a/data");
	make_directory("a/top");
	write_file("a/data/n.yaml", "x: 1\n");
	write_file("a/top/one.yaml", "_merge: n\n");
	write_file("a/top/two.yaml", "_merge: n\n");
	start("layers: [a, b]\n"
	      "rules: [{match: 'top/*', strategy: pillar, options: {data_path: data}}]\n");
	assert_shown("top/one.yaml", "x: 1\n");
	publish_all();
	failing = REMEMBERING;
	assert_shown("top/two.yaml", "x: 1\n");
	assert_int_equal(failing, NOTHING);
	publish_all();
	replace_file("a/data/n.yaml", "x: 2\n");
	assert_becomes("top/one.yaml", "x: 2\n");
	assert_shown("top/two.yaml", "x: 2\n");
}

VIEW_TEST(link_is_followed)
{
	make_directory("a/..1");
	make_directory("a/..2");
	write_file("a/..1/app.yaml", "x: 1\n");
	write_file("a/..2/app.yaml", "x: 2\n");
	assert_int_equal(symlink("..1", "a/..data"), 0);
	assert_int_equal(symlink("..2", "a/..next"), 0);
	assert_int_equal(symlink("..data/app.yaml", "a/app.yaml"), 0);
	start("layers: [{path: a, follow: true}, b]\noptions: {poll_interval: 100ms}\n");
	failing = OPENING;
	assert_shown("app.yaml", "x: 1\n");
	assert_int_equal(failing, NOTHING);
	publish_all();
	assert_int_equal(rename("a/..next", "a/..data"), 0);
	assert_becomes("app.yaml", "x: 2\n");
}

VIEW_TEST(what_was_good_last_is_shown_again)
{
	struct problem problem;
	struct version *good = version_new(VERSION_BYTES);
	struct last_good *last_good;

	assert_int_equal(last_good_open(&(struct last_good_options){0}, &last_good, &problem), 0);
	good->data = bytes_dup(span_of("x: 1\n"));
	good->size = strlen(good->data);
	good->mode = S_IFREG | 0444;
	good->strategy = "deep";
	last_good_note(last_good, "app.yaml", good);
	version_unref(good);
	write_file("a/app.yaml", "x: [\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	view_set_last_good(view, last_good);
	failing = COMPOSING;
	calls = 1; /* the first one is the broken version */
	assert_shown("app.yaml", "ENOMEM");
	assert_int_equal(failing, NOTHING);
	assert_shown("app.yaml", "x: 1\n");
	view_set_last_good(view, NULL);
	last_good_freep(&last_good);
}

VIEW_TEST(shortage_that_lasts_keeps_nobody_busy)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	failing = LOOKING;
	looks = 0;
	replace_file("a/app.yaml", "x: 2\n");
	publish_for(220, 10000);
	assert_in_range(looks, 2, 10);
	failing = NOTHING;
	assert_becomes("app.yaml", "x: 2\n");
}

/* Whichever of the calls fails. */
VIEW_TEST(rights_are_those_of_the_sources_and_directories)
{
	char text[32];

	make_directory("a/conf.d");
	write_file("a/conf.d/one.yaml", "q: 0\n");
	start("layers: [a, b]\nfiles:\n  - {path: v.yaml, from: ['conf.d/*.yaml']}\n");
	assert_shown("v.yaml", "q: 0\n");
	for (unsigned i = 0; failing == NOTHING; i++) {
		assert_in_range(i, 0, 100);
		calls = i;
		failing = STATTING;
		snprintf(text, sizeof(text), "q: %u\n", i + 1);
		replace_file("a/conf.d/one.yaml", text);
		assert_becomes("v.yaml", text);
		assert_int_equal(stat_of("v.yaml").st_mode, S_IFREG | 0444);
		assert_null(strstr(fault_of("v.yaml").problem.message, "can't"));
	}
	failing = NOTHING;
}

/* Rights of the mount itself: it has no name to be looked up by. */
VIEW_TEST(rights_that_a_layer_loses_are_lost_by_the_root)
{
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	publish_all();
	for (unsigned i = 0; failing == NOTHING; i++) {
		mode_t mode = i % 2 ? 0755 : 0700;
		assert_in_range(i, 0, 100);
		calls = i;
		failing = ROOT;
		assert_int_equal(chmod("a", mode), 0);
		publish_all();
		assert_int_equal(stat_of("").st_mode & 0777, mode & 0555);
	}
	failing = NOTHING;
}

/* Rights of a file that a link leads to. */
VIEW_TEST(rights_are_those_of_the_directories_that_a_link_leads_past)
{
	char text[32];

	make_directory("a/closed");
	make_directory("a/closed/sub");
	assert_int_equal(chmod("a/closed", 0700), 0);
	write_file("a/closed/sub/app.yaml", "q: 0\n");
	write_file("b/app.yaml", "r: 1\n");
	assert_int_equal(symlink("closed/sub/app.yaml", "a/app.yaml"), 0);
	start("layers: [{path: a, follow: true}, b]\noptions: {poll_interval: 100ms}\n");
	assert_shown("app.yaml", "q: 0\nr: 1\n");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);
	for (unsigned i = 0; failing == NOTHING; i++) {
		assert_in_range(i, 0, 100);
		calls = i;
		failing = GUARDING;
		snprintf(text, sizeof(text), "q: %u\n", i + 1);
		replace_file("a/closed/sub/app.yaml", text);
		strcat(text, "r: 1\n");
		assert_becomes("app.yaml", text);
		assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);
	}
	failing = NOTHING;
}

/* The directories to which it would lead are not known. */
VIEW_TEST(source_that_is_left_out_takes_no_rights)
{
	assert_int_equal(symlink("/proc/self/status", "a/app.yaml"), 0);
	write_file("b/app.yaml", "r: 1\n");
	start("layers: [{path: a, follow: true}, b]\noptions: {on_error: skip-layer}\n");
	assert_shown("app.yaml", "r: 1\n");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0444);
}

VIEW_TEST(file_that_comes_is_queued_with_what_is_made_of_it)
{
	make_directory("a/conf.d");
	write_file("a/conf.d/one.yaml", "q: 1\n");
	start("layers: [a, b]\nfiles:\n  - {path: v.yaml, from: ['conf.d/*.yaml']}\n");
	assert_shown("v.yaml", "q: 1\n");
	assert_shown("conf.d/one.yaml", "q: 1\n");
	failing = COMPOSING;
	replace_file("a/conf.d/two.yaml", "r: 1\n");
	publish_all();
	assert_int_equal(failing, NOTHING);
	assert_shown("v.yaml", "q: 1\nr: 1\n");
}

VIEW_TEST(what_is_hidden_is_not_listed)
{
	CLEANUP(settings_unrefp) struct settings *settings = settings_with("a:b");
	bool is_whole = false;

	run("mkdir a/conf.d b/conf.d; echo 1 >a/conf.d/x; echo 1 >a/conf.d/y");
	if (mknod("b/conf.d/x", S_IFCHR, makedev(0, 0)) < 0)
		skip();
	for (unsigned i = 0; !is_whole; i++) {
		struct listing listing = {0};
		assert_in_range(i, 0, 100);
		calls = i;
		failing = STATTING;
		int r = listing_take(settings, union_all_layers(settings), "conf.d", &listing);
		is_whole = failing != NOTHING;
		failing = NOTHING;
		assert_int_equal(r, 0);
		if (listing.error)
			assert_int_equal(listing.error, ENFILE);
		else
			assert_int_equal(listing.count, 1);
		assert_int_equal(!listing.error, is_whole);
		listing_free(&listing);
	}
}

VIEW_TEST(file_is_made_of_all_its_dropins)
{
	char text[64];
	bool is_over = false;

	run("mkdir a/app.yaml.d b/app.yaml.d; echo 'r: 1' >a/app.yaml.d/one.yaml; "
	    "echo 's: 1' >b/app.yaml.d/two.yaml; echo 't: 1' >a/app.yaml.d/masked.yaml; "
	    "ln -s /dev/null b/app.yaml.d/masked.yaml; echo 'q: 0' >a/app.yaml");
	start("layers: [a, b]\nrules: [{match: '*.yaml', dropins: uapi}]\n");
	assert_shown("app.yaml", "q: 0\nr: 1\ns: 1\n");
	where = "app.yaml.d";
	for (unsigned i = 0; !is_over; i++) {
		assert_in_range(i, 0, 100);
		for (int which = 0; which < 2; which++) {
			snprintf(text, sizeof(text), "q: %u\n", 2 * i + (unsigned)which + 1);
			replace_file("a/app.yaml", text);
			strcat(text, "r: 1\ns: 1\n");
			calls = i;
			failing = which ? READING_LINK : LISTING;
			events_clear();
			publish_all();
			is_over = failing != NOTHING;
			failing = NOTHING;
			assert_events("MOVED_TO app.yaml\n");
			assert_shown("app.yaml", text);
		}
	}
}

VIEW_TEST(source_is_watched_by_its_other_names)
{
	write_file("a/app.yaml", "x: 1\n");
	run("ln a/app.yaml outside");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	failing = GUARDING;
	calls = 0;
	assert_shown("app.yaml", "x: 1\n");
	assert_int_equal(failing, NOTHING);
	publish_all();
	write_file("outside", "x: 2\n");
	assert_becomes("app.yaml", "x: 2\n");
}

VIEW_TEST(links_that_were_only_listed_are_watched)
{
	char name[32], text[64];

	for (unsigned i = 0; i < 8; i++)
		run("mkdir a/%u; ln -s ../../late%u a/%u/x.yaml", i, i, i);
	start("layers: [{name: a, path: a, follow: true}, b]\noptions: {poll_interval: 100ms}\n");
	for (unsigned i = 0; failing == NOTHING; i++) {
		assert_in_range(i, 0, 7);
		calls = i;
		failing = LISTING_LINKS;
		snprintf(name, sizeof(name), "%u", i);
		assert_listed(name, "");
		publish_all();
		snprintf(text, sizeof(text), "late%u", i);
		write_file(text, "x: 1\n");
		publish_all();
		assert_listed(name, "x.yaml\n");
	}
	failing = NOTHING;
}

/* No program has read the files, so there is nothing to compare. */
VIEW_TEST(files_of_a_directory_that_joins_are_told)
{
	char text[64];
	bool is_over = false;

	make_directory("a/d");
	for (unsigned i = 0; i < 16; i++)
		run("echo 'x: 1' >a/d/%u.yaml; mkdir %u; echo 'y: 1' >%u/%u.yaml", i, i, i, i);
	start("a:b");
	listed("d");
	publish_all();
	where = "d";
	for (unsigned i = 0; !is_over; i++) {
		assert_in_range(i, 0, 15);
		calls = i;
		failing = LISTING;
		events_clear();
		snprintf(text, sizeof(text), "%u", i);
		assert_int_equal(rename(text, "b/d"), 0);
		publish_all();
		is_over = failing != NOTHING;
		failing = NOTHING;
		snprintf(text, sizeof(text), "MOVED_TO d/%u.yaml\n", i);
		assert_non_null(strstr(events, text));
		run("rm -r b/d");
		publish_all();
	}
}

VIEW_TEST(files_of_a_layer_that_leaves_are_told)
{
	run("mkdir a/d b/d; echo 'x: 1' >a/d/x.yaml; echo 'y: 1' >b/d/x.yaml");
	start("a:b");
	listed("d");
	publish_all();
	events_clear();
	CLEANUP(settings_unrefp) struct settings *settings = settings_with("a");
	where = "d";
	calls = 0;
	failing = LISTING;
	assert_int_equal(view_reload(view, settings), 0);
	assert_int_equal(failing, NOTHING);
	publish_all();
	assert_non_null(strstr(events, "MOVED_TO d/x.yaml\n"));
}

static void start_polling(void)
{
	run("mkdir a/d b/d; echo 'x: 1' >a/d/x.yaml");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	where = "d";
	failing = WATCHING;
	assert_shown("d/x.yaml", "x: 1\n");
	assert_true(count_of_view().polling);
}

static void assert_polls_no_more(void)
{
	for (int i = 0; i < 60 && count_of_view().polling; i++)
		publish_for(1, 20000);
	failing = NOTHING;
	assert_false(count_of_view().polling);
}

VIEW_TEST(what_could_not_be_watched_is_polled_no_more_when_it_is_gone)
{
	start_polling();
	run("mv b/d gone");
	assert_polls_no_more();
}

VIEW_TEST(what_a_layer_could_not_have_watched_is_polled_no_more_without_it)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = settings_with("layers: [a]\noptions: {poll_interval: 100ms}\n");

	start_polling();
	assert_int_equal(view_reload(view, settings), 0);
	assert_polls_no_more();
}

/* Its removal waits for the look, which waits for other coroutines. */
VIEW_TEST(directory_that_goes_while_a_look_in_it_is_under_way_keeps_nobody_waiting)
{
	run("mkdir a/d; echo 'x: 1' >a/d/app.yaml");
	start("layers: [a, b]\n");
	assert_shown("d/app.yaml", "x: 1\n");
	publish_all();
	const struct directory *directory = directory_find(view->root, "d")->use->directory;
	struct look *look = look_new(view, directory_find(directory, "app.yaml"), LOOK_FIRST);
	run("rm -r a/d");
	alarm(20); /* real time: the publisher must not go on for ever */
	for (int i = 0; i < 30; i++) {
		assert_in_range(publish_ready(), 1, 100);
		usleep(100000);
	}
	alarm(0);
	look_free(look);
	publish_all();
	assert_listed("", "");
}

/* Otherwise changed settings would never be read. */
VIEW_TEST(polls_that_take_longer_than_their_interval_leave_time_between_them)
{
	start_polling();
	slow_looks = 100;
	for (int i = 0; i < 4; i++) {
		assert_in_range(publish_ready(), 1, 100);
		usleep(100000);
	}
	assert_in_range(slow_looks, 50, 96);
	slow_looks = 0;
}

/*
 * The name may still be a directory. No program may take it for a file, and its rights are not
 * known.
 */
VIEW_TEST(directory_that_a_disk_fails_to_show_again_is_one_still)
{
	run("mkdir -p a/p/d; echo 'x: 1' >a/p/d/app.yaml");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	for (int i = 0; i < 2; i++) {
		assert_shown("p/d/app.yaml", "x: 1\n");
		publish_all();
		where = i ? "p" : "p/d";
		forget(where);
		failing = BROKEN;
		assert_int_equal(stat_of("p/d").st_mode, S_IFDIR | 0500);
		assert_listed("p/d", "EIO");
		listing_drop(stat_of("p/d").st_ino);
		assert_shown("p/d/app.yaml", "EIO");
		failing = NOTHING;
		assert_becomes("p/d/app.yaml", "x: 1\n");
		assert_int_equal(stat_of("p/d").st_mode, S_IFDIR | 0555);
		assert_listed("p/d", "app.yaml\n");
	}
}

VIEW_TEST(directory_that_a_disk_fails_to_show_stays_in_a_strict_mount)
{
	struct stat stat;

	run("mkdir a/d; echo 'x: 1' >a/d/app.yaml");
	start("layers: [a, b]\noptions: {coherence: strict, header: false}\n");
	assert_shown("d/app.yaml", "x: 1\n");
	uint64_t ino = stat_of("d").st_ino;
	where = "d";
	failing = BROKEN;
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "d", false, &stat), 0);
	view_forget(view, stat.st_ino, 1);
	assert_int_equal(stat.st_ino, ino);
	assert_true(S_ISDIR(stat.st_mode));
	failing = NOTHING;
}

/*
 * The directory of the virtual file can be listed, and the file gives the reason why it can't be
 * read.
 */
VIEW_TEST(disk_that_fails_in_a_directory_breaks_what_is_made_of_it_alone)
{
	run("mkdir a/conf.d; echo 'q: 1' >a/conf.d/one.yaml; echo 'r: 1' >a/app.yaml");
	where = "conf.d";
	failing = BROKEN;
	view = new_view("layers: [a, b]\nfiles:\n  - {path: v.yaml, from: ['conf.d/*.yaml']}\n"
			"options: {poll_interval: 100ms}\n");
	publish_ready();
	assert_listed("", "app.yaml\nconf.d/\nv.yaml\n");
	assert_shown("app.yaml", "r: 1\n");
	assert_shown("v.yaml", "EIO");
	assert_non_null(strstr(fault_of("v.yaml").problem.message, "Input/output error"));
	failing = NOTHING;
	assert_becomes("v.yaml", "q: 1\n");
	assert_int_equal(stat_of("v.yaml").st_mode, S_IFREG | 0444);
	assert_string_equal(fault_of("v.yaml").problem.message, "");
}

/* No event reports that the disk is well again. Nothing is known of the rights meanwhile. */
VIEW_TEST(file_that_a_disk_failed_to_show_is_looked_at_again)
{
	run("mkdir a/d b/d; echo 'x: 1' >a/d/app.yaml; echo 'y: 1' >b/d/app.yaml");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	assert_shown("d/app.yaml", "x: 1\ny: 1\n");
	publish_all();
	where = "d/app.yaml";
	failing = BROKEN;
	write_file("a/d/app.yaml", "x: 2\n");
	publish_for(10, 20000);
	assert_non_null(strstr(fault_of("d/app.yaml").problem.message, "Input/output error"));
	assert_shown("d/app.yaml", "x: 1\ny: 1\n");
	assert_int_equal(stat_of("d/app.yaml").st_mode, S_IFREG | 0444);
	failing = NOTHING;
	assert_polls_no_more();
	assert_shown("d/app.yaml", "x: 2\ny: 1\n");
}

/* A program was told that there is no such file, as a directory of another layer came to light. */
VIEW_TEST(file_that_a_disk_failed_to_show_above_a_directory_is_reported)
{
	run("mkdir a/x; echo text >b/x");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	assert_listed("", "x\n");
	assert_shown("x", "text\n");
	forget("x");
	where = "x";
	failing = BROKEN_UPPER;
	assert_shown("x", "ENOENT");
	publish_for(10, 20000);
	assert_events("");
	failing = NOTHING;
	publish_for(40, 20000);
	assert_shown("x", "text\n");
	assert_events("MOVED_TO x\n");
}

/* The layer may deny what the others allow. */
VIEW_TEST(directory_that_one_layer_fails_to_show_admits_nobody_at_first)
{
	run("mkdir a/d b/d; echo 'x: 1' >a/d/x.yaml; echo 'y: 1' >b/d/y.yaml");
	where = "d";
	failing = BROKEN_UPPER;
	view = new_view("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	publish_ready();
	assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0500);
	failing = NOTHING;
	publish_for(20, 20000);
	assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0555);
}

VIEW_TEST(right_that_a_known_source_loses_is_lost_while_another_layer_fails)
{
	write_file("a/app.yaml", "x: 1\n");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	assert_shown("app.yaml", "x: 1\n");
	where = ".wh.app.yaml";
	failing = BROKEN_UPPER;
	assert_int_equal(chmod("a/app.yaml", 0600), 0);
	publish_for(10, 20000);
	assert_shown("app.yaml", "x: 1\n");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);
	failing = NOTHING;
	assert_int_equal(chmod("a/app.yaml", 0644), 0);
	publish_for(20, 20000);
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0444);
	assert_string_equal(fault_of("app.yaml").problem.message, "");
}

VIEW_TEST(directory_that_a_disk_failed_to_list_is_listed_again)
{
	run("mkdir b/d; echo 'x: 1' >b/d/app.yaml");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	assert_listed("d", "app.yaml\n");
	where = "d";
	failing = UNLISTED;
	write_file("b/d/new.yaml", "y: 1\n");
	lose_events();
	publish_for(50, 20000);
	assert_listed("d", "app.yaml\n");
	failing = NOTHING;
	publish_for(10, 20000);
	assert_listed("d", "app.yaml\nnew.yaml\n");
}

/* As after a touch of all files, or a copy over them. */
VIEW_TEST(polled_file_with_other_times_and_the_same_bytes_is_made_once)
{
	write_file("a/app.yaml", "x: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	where = "";
	failing = WATCHING;
	view = new_view("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	publish_ready();
	assert_shown("app.yaml", "x: 1\ny: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	are_files_aging = true;
	/* A recent change is checked closely for a while. */
	publish_for(40, 100000);
	uint64_t before = count_of_view().compositions;
	assert_true(before > 1);
	publish_for(5, 110000);
	are_files_aging = false;
	failing = NOTHING;
	assert_int_equal(count_of_view().compositions, before);
}

/* A program that has read the former file learns of the change, though another one looked first. */
VIEW_TEST(polled_file_that_changed_while_it_was_forgotten_is_reported)
{
	write_file("b/app.yaml", "x: 1\n");
	where = "";
	failing = WATCHING;
	view = new_view("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	publish_ready();
	assert_shown("app.yaml", "x: 1\n");
	are_files_aging = true;
	publish_for(40, 100000);
	forget("app.yaml");
	write_file("b/app.yaml", "x: 2\n");
	assert_shown("app.yaml", "x: 2\n");
	events_clear();
	publish_for(5, 110000);
	are_files_aging = false;
	failing = NOTHING;
	assert_events("MOVED_TO app.yaml\n");
}

VIEW_TEST(file_of_a_directory_that_can_not_be_watched_is_not_told_for_that)
{
	run("mkdir a/d b/d; echo 'x: 1' >a/d/x.yaml; echo 'y: 1' >b/d/x.yaml");
	view = new_view("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	publish_ready();
	where = "d";
	failing = WATCHING;
	assert_listed("d", "x.yaml\n");
	publish_for(20, 30000);
	assert_true(count_of_view().polling);
	assert_events("");
	/* Once it can be read, no change is missed. */
	failing = NOTHING;
	assert_shown("d/x.yaml", "x: 1\ny: 1\n");
	publish_all();
	assert_false(count_of_view().polling);
	write_file("b/d/x.yaml", "y: 2\n");
	assert_becomes("d/x.yaml", "x: 1\ny: 2\n");
}
