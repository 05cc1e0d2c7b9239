/*
 * coherence=strict: a lookup that begins after a change shows it, whatever other lookups run
 * meanwhile.
 *
 * The linker sends calls of close(2) here (--wrap), so that two lookups can be interleaved: a
 * source has been read when it is closed.
 */
#include <fcntl.h>

#include "coroutine.h"
#include "descriptor.h"
#include "view_fixture.h"

int __real_close(int fd);
int __wrap_close(int fd);

static struct coroutine_queue has_read, first, second;
static struct coroutine_queue *go_on = &first;
static bool is_slow;
static unsigned reads;
static void (*when_read)(void); /* by all but the slow one */

int __wrap_close(int fd)
{
	char path[PATH_MAX];
	bool is_read = (fcntl(fd, F_GETFL) & O_PATH) == 0 && descriptor_path(fd, path) == 0 &&
		       strstr(path, "/a/") && strstr(path, "/x.yaml");
	int r = __real_close(fd);

	reads += is_read;
	if (is_read && is_slow) {
		is_slow = false;
		coroutine_wake(&has_read);
		coroutine_wait(go_on, NULL);
	} else if (is_read && when_read) {
		void (*then)(void) = when_read;
		when_read = NULL;
		then();
	}
	return r;
}

static struct coroutine *slow;

static void look_slowly(void *context)
{
	struct stat stat;

	is_slow = true;
	*(int *)context = view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &stat);
}

static void let_the_slow_one_finish(void)
{
	coroutine_wake(&first);
	coroutine_join(slow);
}

static const char one_layer[] = "layers: [a]\noptions: {coherence: strict, header: false}\n";

static struct stat look_at(uint64_t parent, const char *name)
{
	struct stat stat;

	assert_int_equal(view_ask(view, parent, name, false, &stat), 0);
	return stat;
}

static struct stat known_of(uint64_t ino)
{
	struct stat stat;

	assert_int_equal(view_stat(view, ino, &stat), 0);
	return stat;
}

VIEW_TEST(look_shows_what_it_has_read_though_an_older_look_ends_first)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct stat stat;
	int result = -1;

	write_file("a/x.yaml", "x: 1\n");
	start("layers: [a]\noptions: {coherence: strict, header: false}\n");
	assert_int_equal(coroutine_new(look_slowly, &result, &slow), 0);
	coroutine_wait(&has_read, NULL);
	replace_file("a/x.yaml", "x: 2\n");
	when_read = let_the_slow_one_finish;
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &stat), 0);
	assert_null(when_read);
	assert_int_equal(result, 0);
	assert_int_equal(view_version(view, stat.st_ino, &version), 0);
	assert_int_equal(version->size, 5);
	assert_memory_equal(version->data, "x: 2\n", 5);
}

VIEW_TEST(number_that_is_forgotten_during_a_look_goes_to_no_other_content)
{
	struct stat before, after;
	int result = -1;

	write_file("a/x.yaml", "x: 1\n");
	start("layers: [a]\noptions: {coherence: strict, header: false}\n");
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &before), 0);
	replace_file("a/x.yaml", "x: 2\n");
	assert_int_equal(coroutine_new(look_slowly, &result, &slow), 0);
	coroutine_wait(&has_read, NULL);
	view_forget(view, before.st_ino, 1);
	let_the_slow_one_finish();
	assert_int_equal(result, 0);
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &after), 0);
	assert_int_not_equal(after.st_ino, before.st_ino);
}

/* The publisher looks, until there is a change. */
static void decide_slowly(void *context)
{
	is_slow = true;
	do
		view_take_events(view);
	while (view_next_change(view, context) != 0);
}

/* The time that a lookup has shown is announced, however often the file is looked up meanwhile. */
VIEW_TEST(lookups_of_a_touched_file_do_not_hold_up_its_event)
{
	struct stat stat;
	struct change change;

	write_file("a/x.yaml", "x: 1\n");
	start("layers: [a]\noptions: {coherence: strict, header: false}\n");
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &stat), 0);
	run("touch -d @1500000000 a/x.yaml");
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &stat), 0);
	assert_int_equal(stat.st_mtime, 1500000000);
	struct timespec ctime = stat.st_ctim;
	reads = 0;
	assert_int_equal(coroutine_new(decide_slowly, &change, &slow), 0);
	coroutine_wait(&has_read, NULL);
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &stat), 0);
	assert_true(time_equal(stat.st_ctim, ctime));
	let_the_slow_one_finish();
	assert_int_equal(change.kind, CHANGE_TIME);
	assert_int_equal(reads, 2);
	view_end_change(view, &change);
}

static uint64_t told;

static int tell(void *context, uint64_t ino)
{
	(void)context;
	told = ino;
	return 0;
}

/* A lookup that another program has begun before may bring the kernel the old time. */
VIEW_TEST(new_time_makes_the_kernel_drop_the_old_one)
{
	write_file("a/x.yaml", "x: 1\n");
	start(one_layer);
	uint64_t ino = look_at(VIEW_INO_ROOT, "x.yaml").st_ino;
	view->callbacks.notify = tell;
	look_at(VIEW_INO_ROOT, "x.yaml");
	assert_int_equal(told, 0);
	run("touch -d @1500000000 a/x.yaml");
	look_at(VIEW_INO_ROOT, "x.yaml");
	assert_int_equal(told, ino);
	told = 0;
	run("touch -d @1600000000 a/x.yaml");
	publish_all();
	assert_int_equal(told, ino);
}

VIEW_TEST(new_time_of_a_directory_makes_the_kernel_drop_the_old_one)
{
	make_directory("a/d");
	run("touch -d @1400000000 a/d");
	start(one_layer);
	uint64_t ino = look_at(VIEW_INO_ROOT, "d").st_ino;
	publish_all();
	told = 0;
	view->callbacks.notify = tell;
	look_at(VIEW_INO_ROOT, "d");
	assert_int_equal(told, 0);
	run("touch -d @1500000000 a/d");
	assert_int_equal(look_at(VIEW_INO_ROOT, "d").st_mtime, 1500000000);
	assert_int_equal(told, ino);
}

VIEW_TEST(time_that_is_put_back_before_it_is_announced_shows_again)
{
	write_file("a/x.yaml", "x: 1\n");
	run("touch -d @1400000000 a/x.yaml");
	start(one_layer);
	uint64_t ino = look_at(VIEW_INO_ROOT, "x.yaml").st_ino;
	for (int i = 0; i < 2; i++) {
		run("touch -d @1500000000 a/x.yaml");
		assert_int_equal(look_at(VIEW_INO_ROOT, "x.yaml").st_mtime, 1500000000);
		run("touch -d @1400000000 a/x.yaml");
		if (i)
			assert_int_equal(look_at(VIEW_INO_ROOT, "x.yaml").st_mtime, 1400000000);
		events_clear();
		publish_all();
		assert_int_equal(known_of(ino).st_mtime, 1400000000);
		assert_events("TIME x.yaml\n");
	}
}

static int touch_and_look(void *context, uint64_t ino)
{
	(void)context;
	(void)ino;
	view->callbacks.notify = NULL;
	run("touch -d @1600000000 a/x.yaml");
	assert_int_equal(look_at(VIEW_INO_ROOT, "x.yaml").st_mtime, 1600000000);
	return 0;
}

VIEW_TEST(time_that_shows_while_rights_are_settled_stays)
{
	struct change change;

	write_file("a/x.yaml", "x: 1\n");
	start(one_layer);
	uint64_t ino = look_at(VIEW_INO_ROOT, "x.yaml").st_ino;
	run("touch -d @1500000000 a/x.yaml");
	assert_int_equal(coroutine_new(decide_slowly, &change, &slow), 0);
	coroutine_wait(&has_read, NULL);
	run("chmod 700 a");
	view->callbacks.notify = touch_and_look;
	let_the_slow_one_finish();
	assert_null(view->callbacks.notify);
	assert_int_equal(known_of(ino).st_mtime, 1600000000);
	view_end_change(view, &change);
	publish_all();
	assert_int_equal(known_of(ino).st_mtime, 1600000000);
}

VIEW_TEST(look_from_before_a_removal_does_not_show_the_name_again)
{
	int result = -1;

	write_file("a/x.yaml", "x: 1\n");
	start(one_layer);
	assert_shown("x.yaml", "x: 1\n");
	replace_file("a/x.yaml", "x: 2\n");
	assert_int_equal(coroutine_new(look_slowly, &result, &slow), 0);
	coroutine_wait(&has_read, NULL);
	assert_int_equal(unlink("a/x.yaml"), 0);
	publish_all();
	let_the_slow_one_finish();
	assert_int_equal(result, -ENOENT);
	assert_int_equal(count_of_view().files, 0);
}

static uint64_t looked_in;

static void look_slowly_below(void *context)
{
	struct stat stat;

	(void)context;
	/* A new ctime, so that the look reads the file. */
	run("chmod 644 a/d/x.yaml");
	is_slow = true;
	view_ask(view, looked_in, "x.yaml", false, &stat);
}

static void look_beside(void *context)
{
	(void)context;
	look_at(looked_in, "y.yaml");
}

static mode_t mode_below(const char *path)
{
	return stat_of(path).st_mode & 0777;
}

VIEW_TEST(directory_opens_though_readers_overlap_below)
{
	struct coroutine *later;

	make_directory("a/d");
	write_file("a/d/x.yaml", "x: 1\n");
	write_file("a/d/y.yaml", "y: 1\n");
	run("chmod 700 a/d");
	start(one_layer);
	assert_shown("d/x.yaml", "x: 1\n");
	looked_in = stat_of("d").st_ino;
	assert_int_equal(coroutine_new(look_slowly_below, NULL, &slow), 0);
	coroutine_wait(&has_read, NULL);
	run("chmod 755 a/d");
	publish_all();
	assert_int_equal(mode_below("d"), 0500);
	view->waker.count = 0;
	assert_int_equal(coroutine_new(look_beside, NULL, &later), 0);
	coroutine_join(later);
	assert_int_equal(view->waker.count, 0);
	go_on = &second;
	assert_int_equal(coroutine_new(look_slowly_below, NULL, &later), 0);
	coroutine_wait(&has_read, NULL);
	let_the_slow_one_finish();
	assert_int_not_equal(view->waker.count, 0);
	publish_all();
	assert_int_equal(mode_below("d"), 0555);
	coroutine_wake(&second);
	coroutine_join(later);
	go_on = &first;
}

VIEW_TEST(a_directory_in_the_place_of_a_broken_file_has_no_fault)
{
	struct stat stat;

	write_file("a/x.yaml", "x: 1\n");
	write_file("b/x.yaml", "x: [\n");
	start("layers: [a, b]\noptions: {coherence: strict}\n");
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &stat), 0);
	assert_int_equal(count_of_view().faults, 1);
	assert_int_equal(unlink("b/x.yaml"), 0);
	assert_int_equal(mkdir("b/x.yaml", 0755), 0);
	assert_int_equal(view_ask(view, VIEW_INO_ROOT, "x.yaml", false, &stat), 0);
	assert_true(S_ISDIR(stat.st_mode));
	assert_int_equal(count_of_view().faults, 0);
}

/* Reads on in the directory above, from the reader's place. */
static void take_further(struct name_list *list)
{
	assert_int_equal(view_list(view, VIEW_INO_ROOT, list->cookie, true, take_name, list), 0);
}

static void names_clear(struct name_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	list->count = 0;
}

/*
 * The gaps that names leave in a listing are closed now and then: no name that stays may come
 * twice.
 */
VIEW_TEST(name_of_a_virtual_file_comes_once_to_who_lists_beside_another)
{
	CLEANUP(freep) struct name_list *list = calloc(1, sizeof(*list));
	char path[32];

	assert_non_null(list);
	for (int i = 0; i < 31; i++) {
		snprintf(path, sizeof(path), "a/%d.yaml", i);
		write_file(path, "x: 1\n");
	}
	start("layers: [a]\noptions: {coherence: strict}\n"
	      "files: [{path: all.yaml, from: ['*.yaml']}]\n");
	assert_listed("", listed(""));
	for (int i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), "a/%d.yaml", i);
		assert_int_equal(unlink(path), 0);
	}
	publish_all();
	take_further(list);
	assert_int_equal(list->count, 12);
	names_clear(list);

	write_file("a/new.yaml", "x: 1\n");
	free(list_text(view, VIEW_INO_ROOT));
	take_further(list);
	assert_int_equal(list->count, 1);
	assert_string_equal(list->names[0], "new.yaml");
	names_clear(list);
}

int main(void)
{
	return tests_run(NULL, NULL);
}
