/*
 * If memory or descriptors were missing for a moment, everything is made up for when there are
 * enough again.
 *
 * The linker sends the calls that may fail here (--wrap).
 */
#include <stdarg.h>

#include "dependency.h"
#include "expand.h"
#include "keep.h"
#include "listing.h"
#include "look.h"
#include "reload.h"
#include "view_fixture.h"

static enum {
	NOTHING,
	ENTERING,
	REMEMBERING,
	OPENING,
	STATTING, /* of conf.d, after so many */
	ROOT,     /* of a layer itself, after so many */
	GUARDING, /* after so many */
	RECALLING,
	LISTING,       /* of `where` in the upper layer, after so many */
	LISTING_LINKS, /* after so many */
	READING_LINK,  /* after so many */
	WATCHING,      /* of `where` in the upper layer, until the end */
	BROKEN,        /* the disk fails, at `where` and below, until the end */
	LOOKING        /* until the end */
} failing;
static unsigned looks, calls;
static const char *where;

int __real_lookup_enter(
	struct view *seen, struct directory *parent, const char *name, struct directory **ret);
int __wrap_lookup_enter(
	struct view *seen, struct directory *parent, const char *name, struct directory **ret);
int __wrap_lookup_enter(
	struct view *seen, struct directory *parent, const char *name, struct directory **ret)
{
	if (failing != ENTERING)
		return __real_lookup_enter(seen, parent, name, ret);
	failing = NOTHING;
	return -EMFILE;
}

int __real_dependency_remember_locked(
	struct view *seen, struct entry *entry, const struct dependencies *asked);
int __wrap_dependency_remember_locked(
	struct view *seen, struct entry *entry, const struct dependencies *asked);
int __wrap_dependency_remember_locked(
	struct view *seen, struct entry *entry, const struct dependencies *asked)
{
	if (failing != REMEMBERING)
		return __real_dependency_remember_locked(seen, entry, asked);
	failing = NOTHING;
	dependency_forget_locked(entry);
	return -ENOMEM;
}

static bool is_guard_short(void)
{
	return failing == GUARDING && calls-- == 0;
}

int __real_layer_open_path(const struct layer *layer, const char *path);
int __wrap_layer_open_path(const struct layer *layer, const char *path);
int __wrap_layer_open_path(const struct layer *layer, const char *path)
{
	if (!is_guard_short())
		return __real_layer_open_path(layer, path);
	failing = NOTHING;
	return -ENFILE;
}

int __real_layer_open_parent(const struct layer *layer, const char *path, const char **name);
int __wrap_layer_open_parent(const struct layer *layer, const char *path, const char **name);
int __wrap_layer_open_parent(const struct layer *layer, const char *path, const char **name)
{
	if (!is_guard_short())
		return __real_layer_open_parent(layer, path, name);
	failing = NOTHING;
	return -ENFILE;
}

int __real_open64(const char *name, int flags, ...);
int __wrap_open64(const char *name, int flags, ...);
int __wrap_open64(const char *name, int flags, ...)
{
	if (!(flags & O_PATH) || !is_guard_short())
		return __real_open64(name, flags, 0);
	failing = NOTHING;
	errno = ENFILE;
	return -1;
}

int __real_openat64(int directory, const char *name, int flags, ...);
int __wrap_openat64(int directory, const char *name, int flags, ...);
int __wrap_openat64(int directory, const char *name, int flags, ...)
{
	bool fails = failing == OPENING         ? strcmp(name, "app.yaml") == 0
		     : failing == LISTING_LINKS ? strcmp(name, ".") == 0 && calls-- == 0
						: strcmp(name, "..") == 0 && is_guard_short();

	if (!fails)
		return __real_openat64(directory, name, flags, 0);
	failing = NOTHING;
	errno = EMFILE;
	return -1;
}

int __real_expand_look_up(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct union_lookup *ret);
int __wrap_expand_look_up(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct union_lookup *ret);
int __wrap_expand_look_up(const struct finder *finder, const struct settings *settings,
	layer_mask layers, const char *path, struct union_lookup *ret)
{
	looks++;
	return failing == LOOKING ? -EMFILE
				  : __real_expand_look_up(finder, settings, layers, path, ret);
}

static bool is_broken(const char *path)
{
	size_t length = where ? strlen(where) : 0;

	return failing == BROKEN && strncmp(path, where, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

int __real_layer_open_directory(const struct layer *layer, const char *path);
int __wrap_layer_open_directory(const struct layer *layer, const char *path);
int __wrap_layer_open_directory(const struct layer *layer, const char *path)
{
	return is_broken(path) ? -EIO : __real_layer_open_directory(layer, path);
}

int __real_layer_list(const struct layer *layer, const char *path,
	int (*each)(void *context, const char *name, unsigned char type), void *context);
int __wrap_layer_list(const struct layer *layer, const char *path,
	int (*each)(void *context, const char *name, unsigned char type), void *context);
int __wrap_layer_list(const struct layer *layer, const char *path,
	int (*each)(void *context, const char *name, unsigned char type), void *context)
{
	if (is_broken(path))
		return -EIO;
	if (failing != LISTING || layer->rank != 1 || strcmp(path, where) != 0 || calls-- > 0)
		return __real_layer_list(layer, path, each, context);
	failing = NOTHING;
	return -EMFILE;
}

int __real_layer_read_link(const struct layer *layer, const char *path, char **ret);
int __wrap_layer_read_link(const struct layer *layer, const char *path, char **ret);
int __wrap_layer_read_link(const struct layer *layer, const char *path, char **ret)
{
	if (failing != READING_LINK || calls-- > 0)
		return __real_layer_read_link(layer, path, ret);
	failing = NOTHING;
	return -EMFILE;
}

int __real_watch_add(struct watch *watch, struct layer_watches *watches, unsigned layer, int fd);
int __wrap_watch_add(struct watch *watch, struct layer_watches *watches, unsigned layer, int fd);
int __wrap_watch_add(struct watch *watch, struct layer_watches *watches, unsigned layer, int fd)
{
	const struct directory *directory = watches->owner;

	return failing == WATCHING && layer == 1 && strcmp(directory->path, where) == 0
		       ? -ENOSPC
		       : __real_watch_add(watch, watches, layer, fd);
}

int __real_layer_stat(const struct layer *layer, const char *path, struct stat *ret);
int __wrap_layer_stat(const struct layer *layer, const char *path, struct stat *ret);
int __wrap_layer_stat(const struct layer *layer, const char *path, struct stat *ret)
{
	if (is_broken(path))
		return -EIO;
	bool is_it =
		failing == ROOT ? !*path : failing == STATTING && strncmp(path, "conf.d", 6) == 0;

	if (!is_it || calls-- > 0)
		return __real_layer_stat(layer, path, ret);
	failing = NOTHING;
	return -ENFILE;
}

int __real_keep_find(struct keep *keep, const char *path, struct version **ret);
int __wrap_keep_find(struct keep *keep, const char *path, struct version **ret);
int __wrap_keep_find(struct keep *keep, const char *path, struct version **ret)
{
	if (failing != RECALLING)
		return __real_keep_find(keep, path, ret);
	failing = NOTHING;
	return -ENOMEM;
}

static void file_is_made_of_all_directories_that_were_walked_into(void **state)
{
	(void)state;
	make_directory("a/conf.d");
	make_directory("a/conf.d/sub");
	write_file("a/conf.d/one.yaml", "q: 1\n");
	write_file("a/conf.d/sub/two.yaml", "s: 1\n");
	failing = ENTERING;
	start("layers: [a, b]\nfiles:\n  - {path: v.yaml, from: ['conf.d/**/*.yaml']}\n");
	assert_int_equal(failing, NOTHING);
	assert_shown("v.yaml", "q: 1\ns: 1\n");
}

static void file_follows_what_it_refers_to(void **state)
{
	(void)state;
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
	publish_all();
	assert_shown("top/one.yaml", "x: 2\n");
	assert_shown("top/two.yaml", "x: 2\n");
}

static void link_is_followed(void **state)
{
	(void)state;
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
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
}

static void what_was_good_last_is_shown_again(void **state)
{
	struct problem problem;
	struct version *good = version_new(VERSION_BYTES);
	struct keep *keep;

	(void)state;
	assert_int_equal(keep_open(&(struct keep_options){0}, &keep, &problem), 0);
	good->data = strdup("x: 1\n");
	good->size = strlen(good->data);
	good->mode = S_IFREG | 0444;
	good->strategy = "deep";
	keep_note(keep, "app.yaml", good, true);
	version_unref(good);
	write_file("a/app.yaml", "x: [\n");
	write_file("b/app.yaml", "y: 1\n");
	start("a:b");
	view_set_keep(view, keep);
	failing = RECALLING;
	assert_shown("app.yaml", "ENOMEM");
	assert_int_equal(failing, NOTHING);
	assert_shown("app.yaml", "x: 1\n");
	view_set_keep(view, NULL);
	keep_free(keep);
}

static void shortage_that_lasts_keeps_nobody_busy(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	start("a:b");
	assert_shown("app.yaml", "x: 1\n");
	failing = LOOKING;
	looks = 0;
	replace_file("a/app.yaml", "x: 2\n");
	for (int i = 0; i < 220; i++) {
		publish_ready();
		usleep(10000);
	}
	assert_in_range(looks, 2, 10);
	failing = NOTHING;
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
}

/* Whichever of the calls fails. */
static void rights_are_those_of_the_sources_and_directories(void **state)
{
	char text[32];

	(void)state;
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
		publish_all();
		assert_shown("v.yaml", text);
		assert_int_equal(stat_of("v.yaml").st_mode, S_IFREG | 0444);
		assert_null(strstr(trouble_of("v.yaml").problem.message, "can't"));
	}
	failing = NOTHING;
}

/* Rights of the mount itself: it has no name to be looked up by. */
static void rights_that_a_layer_loses_are_lost_by_the_root(void **state)
{
	(void)state;
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
static void rights_are_those_of_the_directories_that_a_link_leads_past(void **state)
{
	char text[32];

	(void)state;
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
		publish_all();
		assert_shown("app.yaml", text);
		assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0400);
	}
	failing = NOTHING;
}

/* The directories to which it would lead are not known. */
static void source_that_is_left_out_takes_no_rights(void **state)
{
	(void)state;
	assert_int_equal(symlink("/proc/self/status", "a/app.yaml"), 0);
	write_file("b/app.yaml", "r: 1\n");
	start("layers: [{path: a, follow: true}, b]\noptions: {on_error: skip-layer}\n");
	assert_shown("app.yaml", "r: 1\n");
	assert_int_equal(stat_of("app.yaml").st_mode, S_IFREG | 0444);
}

static void file_that_comes_is_told_to_what_is_made_of_it(void **state)
{
	(void)state;
	make_directory("a/conf.d");
	write_file("a/conf.d/one.yaml", "q: 1\n");
	start("layers: [a, b]\nfiles:\n  - {path: v.yaml, from: ['conf.d/*.yaml']}\n");
	assert_shown("v.yaml", "q: 1\n");
	assert_shown("conf.d/one.yaml", "q: 1\n");
	failing = REMEMBERING;
	replace_file("a/conf.d/two.yaml", "r: 1\n");
	publish_all();
	assert_int_equal(failing, NOTHING);
	assert_shown("v.yaml", "q: 1\nr: 1\n");
}

static void what_is_hidden_is_not_listed(void **state)
{
	CLEANUP(settings_unrefp) struct settings *settings = settings_with("a:b");
	bool is_whole = false;

	(void)state;
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

static void file_is_made_of_all_its_dropins(void **state)
{
	char text[64];
	bool is_over = false;

	(void)state;
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

static void source_is_watched_by_its_other_names(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	run("ln a/app.yaml outside");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	failing = GUARDING;
	calls = 0;
	assert_shown("app.yaml", "x: 1\n");
	assert_int_equal(failing, NOTHING);
	publish_all();
	write_file("outside", "x: 2\n");
	publish_all();
	assert_shown("app.yaml", "x: 2\n");
}

static void links_that_were_only_listed_are_watched(void **state)
{
	char name[32], text[64];

	(void)state;
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
static void files_of_a_directory_that_joins_are_told(void **state)
{
	char text[64];
	bool is_over = false;

	(void)state;
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

static void files_of_a_layer_that_leaves_are_told(void **state)
{
	(void)state;
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

static void what_could_not_be_watched_is_polled_no_more_when_it_is_gone(void **state)
{
	(void)state;
	run("mkdir a/d b/d; echo 'x: 1' >a/d/x.yaml");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	where = "d";
	failing = WATCHING;
	assert_shown("d/x.yaml", "x: 1\n");
	assert_true(count_of_view().is_polling);
	run("mv b/d gone");
	for (int i = 0; i < 60 && count_of_view().is_polling; i++) {
		publish_ready();
		usleep(20000);
	}
	failing = NOTHING;
	assert_false(count_of_view().is_polling);
}

static void what_a_layer_could_not_have_watched_is_polled_no_more_without_it(void **state)
{
	(void)state;
	run("mkdir a/d b/d; echo 'x: 1' >a/d/x.yaml");
	start("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	where = "d";
	failing = WATCHING;
	assert_shown("d/x.yaml", "x: 1\n");
	assert_true(count_of_view().is_polling);
	CLEANUP(settings_unrefp)
	struct settings *settings = settings_with("layers: [a]\noptions: {poll_interval: 100ms}\n");
	assert_int_equal(view_reload(view, settings), 0);
	for (int i = 0; i < 60 && count_of_view().is_polling; i++) {
		publish_ready();
		usleep(20000);
	}
	failing = NOTHING;
	assert_false(count_of_view().is_polling);
}

/*
 * The name may still be a directory. No program may take it for a file, and its rights are not
 * known.
 */
static void directory_that_a_disk_fails_to_show_again_is_one_still(void **state)
{
	(void)state;
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
		publish_all();
		assert_shown("p/d/app.yaml", "x: 1\n");
		assert_int_equal(stat_of("p/d").st_mode, S_IFDIR | 0555);
		assert_listed("p/d", "app.yaml\n");
	}
}

static void directory_that_a_disk_fails_to_show_stays_in_a_strict_mount(void **state)
{
	struct stat stat;

	(void)state;
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
static void disk_that_fails_in_a_directory_breaks_what_is_made_of_it_alone(void **state)
{
	(void)state;
	run("mkdir a/conf.d; echo 'q: 1' >a/conf.d/one.yaml; echo 'r: 1' >a/app.yaml");
	where = "conf.d";
	failing = BROKEN;
	view = new_view("layers: [a, b]\nfiles:\n  - {path: v.yaml, from: ['conf.d/*.yaml']}\n"
			"options: {poll_interval: 100ms}\n");
	publish_ready();
	assert_listed("", "app.yaml\nconf.d/\nv.yaml\n");
	assert_shown("app.yaml", "r: 1\n");
	assert_shown("v.yaml", "EIO");
	assert_non_null(strstr(trouble_of("v.yaml").problem.message, "Input/output error"));
	failing = NOTHING;
	publish_all();
	assert_shown("v.yaml", "q: 1\n");
	assert_int_equal(stat_of("v.yaml").st_mode, S_IFREG | 0444);
	assert_string_equal(trouble_of("v.yaml").problem.message, "");
}

/* As after a touch of all files, or a copy over them. */
static void polled_file_with_other_times_and_the_same_bytes_is_made_once(void **state)
{
	(void)state;
	write_file("a/app.yaml", "x: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	where = "";
	failing = WATCHING;
	view = new_view("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	publish_ready();
	assert_shown("app.yaml", "x: 1\ny: 1\n");
	write_file("b/app.yaml", "y: 1\n");
	/* A recent change is checked closely for a while. */
	for (int i = 0; i < 40; i++) {
		usleep(100000);
		publish_ready();
	}
	uint64_t before = count_of_view().compositions;
	assert_true(before > 1);
	for (int i = 0; i < 5; i++) {
		usleep(110000);
		publish_ready();
	}
	failing = NOTHING;
	assert_int_equal(count_of_view().compositions, before);
}

static void file_of_a_directory_that_can_not_be_watched_is_not_told_for_that(void **state)
{
	(void)state;
	run("mkdir a/d b/d; echo 'x: 1' >a/d/x.yaml; echo 'y: 1' >b/d/x.yaml");
	view = new_view("layers: [a, b]\noptions: {poll_interval: 100ms}\n");
	publish_ready();
	where = "d";
	failing = WATCHING;
	assert_listed("d", "x.yaml\n");
	for (int i = 0; i < 20; i++) {
		publish_ready();
		usleep(30000);
	}
	assert_true(count_of_view().is_polling);
	assert_events("");
	/* Once it can be read, no change is missed. */
	failing = NOTHING;
	assert_shown("d/x.yaml", "x: 1\ny: 1\n");
	publish_all();
	assert_false(count_of_view().is_polling);
	write_file("b/d/x.yaml", "y: 2\n");
	publish_all();
	assert_shown("d/x.yaml", "x: 1\ny: 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		view_test(file_is_made_of_all_directories_that_were_walked_into),
		view_test(file_follows_what_it_refers_to),
		view_test(link_is_followed),
		view_test(rights_are_those_of_the_sources_and_directories),
		view_test(rights_that_a_layer_loses_are_lost_by_the_root),
		view_test(rights_are_those_of_the_directories_that_a_link_leads_past),
		view_test(source_that_is_left_out_takes_no_rights),
		view_test(what_was_good_last_is_shown_again),
		view_test(shortage_that_lasts_keeps_nobody_busy),
		view_test(file_that_comes_is_told_to_what_is_made_of_it),
		view_test(what_is_hidden_is_not_listed),
		view_test(file_is_made_of_all_its_dropins),
		view_test(source_is_watched_by_its_other_names),
		view_test(links_that_were_only_listed_are_watched),
		view_test(files_of_a_directory_that_joins_are_told),
		view_test(files_of_a_layer_that_leaves_are_told),
		view_test(what_could_not_be_watched_is_polled_no_more_when_it_is_gone),
		view_test(what_a_layer_could_not_have_watched_is_polled_no_more_without_it),
		view_test(directory_that_a_disk_fails_to_show_again_is_one_still),
		view_test(directory_that_a_disk_fails_to_show_stays_in_a_strict_mount),
		view_test(disk_that_fails_in_a_directory_breaks_what_is_made_of_it_alone),
		view_test(polled_file_with_other_times_and_the_same_bytes_is_made_once),
		view_test(file_of_a_directory_that_can_not_be_watched_is_not_told_for_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
