/*
 * When a directory loses rights, the kernel is notified before anything that is written in it later
 * can be read. A walk that was let in before is judged once more.
 */
#include "attributes.h"
#include "entry.h"
#include "refresh.h"
#include "view_fixture.h"

static uint64_t notified[64]; /* inode numbers, in order */
static size_t notified_count;
static int tell_result;

/* The content of `watched` when the kernel is notified that other users may search it. */
static uint64_t watched;
static char shown_when_open[64];

static void note_opening(uint64_t ino)
{
	struct stat stat;

	if (ino != watched || view_stat(view, ino, &stat) < 0 || !(stat.st_mode & S_IXOTH))
		return;
	const struct dentry *dentry = dentry_find(ino, "key");
	CLEANUP(version_unrefp) struct version *version = NULL;
	strcpy(shown_when_open, "nothing");
	if (dentry && dentry->ino && view_version(view, dentry->ino, &version) == 0) {
		ssize_t n = version_read(version, shown_when_open, 32, 0);
		shown_when_open[n < 0 ? 0 : n] = '\0';
	}
}

static int tell(void *context, uint64_t ino)
{
	(void)context;
	note_opening(ino);
	assert_true(notified_count < sizeof(notified) / sizeof(*notified));
	notified[notified_count++] = ino;
	return tell_result;
}

static bool was_notified(uint64_t ino)
{
	for (size_t i = 0; i < notified_count; i++)
		if (notified[i] == ino)
			return true;
	return false;
}

static void start_with_kernel(const char *yaml)
{
	start(yaml);
	view->callbacks.notify = tell;
	uncached = 0;
	notified_count = 0;
	tell_result = 0;
}

static uint64_t ino_of(const char *path)
{
	return stat_of(path).st_ino;
}

/* Whether user 1003, of no group in particular, gets the answer of a lookup in `path`. */
static bool is_outsider_let_in(const char *path)
{
	const struct user outsider = {.uid = 1003, .gid = 2003};

	return view_lets_in(view, ino_of(path), &outsider);
}

VIEW_TEST(first_look_tells_of_a_closed_directory_before_the_publisher_does)
{
	make_directory("a/d");
	start_with_kernel("a:b");
	uint64_t ino = ino_of("d");
	run("chmod 700 a/d");
	write_file("a/d/key", "secret");
	assert_shown("d/key", "secret");
	assert_true(was_notified(ino));
	assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0500);
	/*
	 * The user may have been let in by the old mode, a moment before; or may wait for this
	 * answer.
	 */
	assert_false(is_outsider_let_in("d"));
	assert_int_equal(uncached, 1);
	assert_shown("d/none", "ENOENT");
	assert_int_equal(uncached, 1);
}

/* A walk that was let in before may wait for another lookup's answer, however long that takes. */
VIEW_TEST(nothing_is_cached_in_a_directory_that_was_closed_long_ago)
{
	struct stat stat;

	make_directory("a/d");
	start_with_kernel("a:b");
	uint64_t ino = ino_of("d");
	run("chmod 700 a/d");
	publish_all();
	assert_true(was_notified(ino));
	sleep(2);
	write_file("a/d/key", "secret");
	assert_shown("d/key", "secret");
	assert_int_equal(uncached, 1);
	assert_int_equal(view_ask(view, ino, "key", false, &stat), 0);
	assert_int_equal(uncached, 2);
	view_forget(view, stat.st_ino, 1);
	/* The answer to mkdir(2), as well; the kernel has cached the listing. */
	listed("d");
	uncached = 0;
	make_directory("a/d/e");
	publish_all();
	assert_int_equal(uncached, 1);
}

/* rename(2) looks its target up first, and a walk that was let in before may find that name. */
VIEW_TEST(nothing_is_cached_in_a_closed_directory_for_the_publisher_either)
{
	struct change change;
	struct stat stat;

	make_directory("a/d");
	start_with_kernel("a:b");
	uint64_t ino = ino_of("d");
	run("chmod 700 a/d");
	write_file("a/d/key", "secret");
	assert_shown("d/key", "secret");
	publish_all();
	replace_file("a/d/key", "other");
	view_take_events(view);
	assert_int_equal(view_next_change(view, &change), 0);
	assert_int_equal(change.kind, CHANGE_REPLACE);
	view_begin_change(view, &change);
	assert_int_equal(view_ask(view, ino, "key", true, &stat), VIEW_PASSING);
	view_forget(view, stat.st_ino, 1);
	view_end_change(view, &change);
}

/* A placeholder that was given between the two is of a user who has lost the right since. */
VIEW_TEST(each_right_that_is_taken_away_counts_before_the_kernel_is_notified)
{
	make_directory("a/d");
	start_with_kernel("a:b");
	const struct directory *directory = inode_directory(view, ino_of("d"));
	tell_result = -ENOENT;
	run("chmod 750 a/d");
	publish_ready();
	uint64_t before = attributes_revocations(directory);
	run("chmod 700 a/d");
	write_file("a/d/key", "secret");
	assert_shown("d/key", "secret");
	assert_true(attributes_revocations(directory) > before);
}

VIEW_TEST(another_owner_who_shuts_out_nobody_leaves_all_cached)
{
	make_directory("a/d");
	write_file("a/d/x", "x: 1");
	start_with_kernel("a:b");
	uint64_t ino = ino_of("d");
	run("chown 1001:1001 a/d");
	publish_all();
	assert_true(was_notified(ino));
	assert_int_equal(stat_of("d").st_uid, 1001);
	ino_of("d/x");
	assert_int_equal(uncached, 0);
}

/* Closes a directory, and writes into one below it. Returns its number. */
static uint64_t close_above(void)
{
	make_directory("a/d");
	make_directory("a/d/e");
	start_with_kernel("a:b");
	uint64_t ino = ino_of("d");
	ino_of("d/e");
	run("chmod 700 a/d");
	write_file("a/d/e/key", "secret");
	return ino;
}

VIEW_TEST(closed_directory_closes_what_is_below_it)
{
	uint64_t ino = close_above();
	assert_shown("d/e/key", "secret");
	assert_true(was_notified(ino));
	assert_int_equal(uncached, 1);
	assert_false(is_outsider_let_in("d/e"));
}

VIEW_TEST(closed_root_shuts_out_as_well)
{
	start_with_kernel("a:b");
	run("chmod 700 b");
	write_file("a/key", "secret");
	assert_shown("key", "secret");
	assert_true(was_notified(VIEW_INO_ROOT));
	assert_int_equal(uncached, 1);
	assert_false(is_outsider_let_in(""));
}

VIEW_TEST(closed_directory_of_which_the_report_was_lost_is_looked_at)
{
	uint64_t ino = close_above();
	lose_events();
	view_take_events(view);
	assert_shown("d/e/key", "secret");
	assert_true(was_notified(ino));
	assert_int_equal(uncached, 1);
	assert_false(is_outsider_let_in("d/e"));
}

VIEW_TEST(directory_that_lets_in_more_is_reported_by_the_publisher_and_delays_nobody)
{
	make_directory("a/d");
	run("chmod 700 a/d");
	start_with_kernel("a:b");
	uint64_t ino = ino_of("d");
	run("chmod 755 a/d");
	publish_all();
	assert_true(was_notified(ino));
	assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0555);
	assert_int_equal(uncached, 0);
	assert_true(is_outsider_let_in("d"));
}

/* With a directory that only its owner may search, and a file in it. */
static void start_closed(const char *yaml)
{
	make_directory("a/d");
	write_file("a/d/key", "secret");
	run("chmod 700 a/d");
	start_with_kernel(yaml);
	assert_shown("d/key", "secret");
	watched = ino_of("d");
	strcpy(shown_when_open, "closed");
}

static void assert_open(const char *shown_then)
{
	publish_all();
	assert_string_equal(shown_when_open, shown_then);
	assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0555);
}

VIEW_TEST(directory_opens_when_what_was_removed_from_it_is_gone)
{
	start_closed("a:b");
	run("rm a/d/key; chmod 755 a/d");
	assert_open("nothing");
}

VIEW_TEST(directory_opens_when_what_was_replaced_in_it_is_shown)
{
	start_closed("a:b");
	replace_file("a/d/key", "public");
	run("chmod 755 a/d");
	assert_open("public");
}

/* In the place of a broken source its last good state is shown, which the new users never might
 * read. */
VIEW_TEST(directory_that_opens_opens_nothing_that_is_of_a_broken_source)
{
	static const char *const settings[] = {"a:b",
		"layers: [a, b]\noptions: {coherence: strict, header: false}\n",
		"layers: [a, b]\nrules: [{match: '**', schema: fits.json}]\n"};

	for (int i = 0; i < 3; i++) {
		write_file("fits.json", "{\"properties\": {\"secret\": {\"const\": 1}}}");
		make_directory("b/d");
		write_file("b/d/key.yaml", "open: 1\n");
		make_directory("a/d");
		write_file("a/d/key.yaml", "secret: 1\n");
		run("chmod 700 a/d");
		start_with_kernel(settings[i]);
		assert_has("d/key.yaml", "secret: 1\n");
		replace_file("a/d/key.yaml", i < 2 ? "secret: [\n" : "secret: 2\n");
		run("chmod 755 a/d");
		assert_comes_to_have("d/key.yaml", "secret: 1\n");
		assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0555);
		assert_int_equal(stat_of("d/key.yaml").st_mode, S_IFREG | 0400);
		replace_file("a/d/key.yaml", "public: 1\n");
		assert_comes_to_have("d/key.yaml", "public: 1\n");
		assert_int_equal(stat_of("d/key.yaml").st_mode, S_IFREG | 0444);
		tear_down(NULL);
		set_up(NULL);
	}
}

VIEW_TEST(file_of_a_broken_source_keeps_its_owner_and_can_still_be_executed)
{
	make_directory("b/d");
	make_directory("a/d");
	write_file("b/d/run.yaml", "y: 1\n");
	write_file("a/d/run.yaml", "x: 1\n");
	run("chmod 755 a/d b/d ?/d/run.yaml && chown 1:1 ?/d/run.yaml");
	start_with_kernel("a:b");
	assert_has("d/run.yaml", "x: 1\n");
	replace_file("a/d/run.yaml", "x: [\n");
	run("chmod 755 a/d/run.yaml && chown 1:1 a/d/run.yaml");
	for (int i = 0; i < 100 && !fault_of("d/run.yaml").problem.message[0]; i++) {
		publish_ready();
		usleep(50000);
	}
	assert_has("d/run.yaml", "x: 1\n");
	assert_int_equal(stat_of("d/run.yaml").st_mode, S_IFREG | 0555);
	assert_int_equal(stat_of("d/run.yaml").st_uid, 1);
}

/* The look at a/d finds it open, and waits while a/first is published. a/d is closed meanwhile. */
static void assert_stays_closed(const char *command, const char *read)
{
	struct change change;

	strcpy(shown_when_open, "closed");
	replace_file("a/first", "2");
	run("%s", command);
	view_take_events(view);
	assert_int_equal(view_next_change(view, &change), 0);
	assert_non_null(view->looks.done);
	run("chmod 700 a/d");
	assert_shown(read, "text");
	/* It is published while the next look at a/d waits. */
	replace_file("a/first", "3");
	publish(&change);
	publish_all();
	assert_string_equal(shown_when_open, "closed");
	assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0500);
}

VIEW_TEST(directory_does_not_open_by_a_look_from_before_it_was_closed)
{
	write_file("a/first", "1");
	start_closed("a:b");
	run("mkdir a/d/e; printf text | tee a/d/e/one >a/d/e/other");
	assert_shown("first", "1");
	ino_of("d/e");
	publish_all(); /* A directory that is so new is looked up once more. */
	assert_stays_closed("chmod 755 a/d", "d/e/one");
	run("chmod 755 a/d");
	assert_open("secret");
	assert_stays_closed("touch a/d", "d/e/other");
}

VIEW_TEST(directory_opens_when_what_a_layer_had_in_it_is_gone)
{
	make_directory("b/d");
	start_closed("a:b");
	run("mv a/d old");
	assert_open("nothing");
}

VIEW_TEST(directory_opens_when_what_fallbacks_its_place_is_gone)
{
	make_directory("other");
	start_closed("a:b");
	run("mv a/d old; mv other a/d");
	publish_all();
	assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0555);
	assert_shown("d/key", "ENOENT");
	/* It may have gone and come again: then no user was shown the old one. */
	assert_string_not_equal(shown_when_open, "secret");
}

VIEW_TEST(directory_opens_when_what_a_layer_had_that_left_is_gone)
{
	make_directory("b/d");
	start_closed("a:b");
	CLEANUP(settings_unrefp) struct settings *settings = settings_with("b");
	assert_int_equal(view_reload(view, settings), 0);
	assert_open("nothing");
}

VIEW_TEST(directory_of_a_strict_mount_opens_at_once)
{
	struct stat stat;

	start_closed("layers: [a, b]\noptions: {coherence: strict, header: false}\n");
	run("rm a/d/key; chmod 755 a/d");
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "d", false, &stat), 0);
	view_forget(view, stat.st_ino, 1);
	assert_int_equal(stat.st_mode, S_IFDIR | 0555);
	assert_int_equal(view_ask(view, stat.st_ino, "key", false, &stat), -ENOENT);
}

VIEW_TEST(root_opens_when_what_was_removed_from_it_is_gone)
{
	run("chmod 700 a");
	write_file("a/key", "secret");
	start_with_kernel("a:b");
	assert_shown("key", "secret");
	watched = VIEW_INO_ROOT;
	run("rm a/key; chmod 755 a");
	publish_all();
	assert_string_equal(shown_when_open, "nothing");
	assert_int_equal(stat_of("").st_mode, S_IFDIR | 0555);
}

VIEW_TEST(kernel_is_not_notified_where_no_right_changed)
{
	make_directory("a/d");
	write_file("a/d/key", "secret");
	start_with_kernel("a:b");
	assert_shown("d/key", "secret");
	run("touch a/d");
	write_file("a/d/other", "text");
	assert_becomes("d/other", "text");
	assert_int_equal(notified_count, 0);
}

/* A walk that is under way at that moment makes no request: the kernel has all that it needs. */
VIEW_TEST(publisher_shows_nothing_new_before_the_kernel_was_notified)
{
	struct change change;

	make_directory("a/d");
	write_file("a/d/key", "public");
	start_with_kernel("a:b");
	assert_shown("d/key", "public");
	publish_all(); /* A directory that is so new is looked up once more. */
	uint64_t ino = ino_of("d");
	notified_count = 0;
	/* The file's event comes first; the directory's has been taken in all the same. */
	replace_file("a/d/key", "secret");
	run("chmod 700 a/d");
	view_take_events(view);
	assert_int_equal(view_next_change(view, &change), 0);
	assert_int_equal(change.kind, CHANGE_REPLACE);
	assert_true(was_notified(ino));
	assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0500);
	publisher_carry_out(publisher, &change);
	assert_shown("d/key", "secret");
}

VIEW_TEST(new_settings_that_shut_somebody_out_are_told)
{
	make_directory("a/d");
	make_directory("b/d");
	run("chmod 711 b; chmod 700 b/d");
	start_with_kernel("a");
	uint64_t ino = ino_of("d");
	CLEANUP(settings_unrefp) struct settings *settings = settings_with("a:b");
	assert_int_equal(view_reload(view, settings), 0);
	publish_all();
	assert_true(was_notified(ino));
	assert_true(was_notified(VIEW_INO_ROOT));
	assert_int_equal(stat_of("d").st_mode, S_IFDIR | 0500);
	assert_int_equal(stat_of("").st_mode, S_IFDIR | 0511);
}

VIEW_TEST(kernel_that_does_not_know_the_directory_yet_is_notified_again)
{
	make_directory("a/d");
	start_with_kernel("a:b");
	uint64_t ino = ino_of("d");
	tell_result = -ENOENT;
	run("chmod 700 a/d");
	publish_ready();
	assert_true(was_notified(ino));
	notified_count = 0;
	tell_result = 0;
	publish_all();
	assert_true(was_notified(ino));
	notified_count = 0;
	publish_all();
	assert_int_equal(notified_count, 0);
}

/* It gained a right before, which waits for a writer. Later writes wait behind that. */
VIEW_TEST(directory_that_opens_further_waits_for_what_was_changed_till_then)
{
	start_closed("a:b");
	FILE *log = fopen("a/d/log", "we");
	assert_non_null(log);
	fputs("one\n", log);
	fflush(log);
	publish_ready();
	run("chmod 750 a/d");
	publish_ready();
	FILE *key = fopen("a/d/key", "we");
	assert_non_null(key);
	fputs("public", key);
	fflush(key);
	publish_ready();
	run("chmod 755 a/d");
	publish_ready();
	fclose(log);
	publish_ready();
	usleep(5000);
	publish_ready();
	fclose(key);
	assert_open("public");
}
