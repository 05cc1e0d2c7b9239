/*
 * A directory that is the complete state of one revision: its drafts, their difference, and what a
 * killed process leaves.
 */
#include "replica.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "descriptor.h"
#include "test.h"

struct fixture {
	char directory[64];
	struct replica *replica;
};

static struct replica *open_it(void)
{
	const struct replica_options options = {.directory = "d"};
	struct replica *replica = NULL;
	struct problem problem;

	assert_int_equal(replica_open(&options, &replica, &problem), 0);
	return replica;
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	strcpy(fixture->directory, "/tmp/plyfs-test.XXXXXX");
	if (!mkdtemp(fixture->directory) || chdir(fixture->directory) < 0)
		return -1;
	fixture->replica = open_it();
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	replica_freep(&fixture->replica);
	if (chdir("/") < 0 || tree_remove(AT_FDCWD, fixture->directory) < 0)
		return -1;
	free(fixture);
	return 0;
}

static void put(struct replica *replica, const char *path, const char *text)
{
	size_t clash;

	assert_int_equal(replica_draft_put(replica, path, span_of(text), 0644, &clash), 0);
	assert_int_equal(clash, 0);
}

static struct tree_difference publish(struct replica *replica)
{
	struct tree_difference difference;

	assert_int_equal(replica_compare(replica, &difference), 0);
	assert_int_equal(replica_publish(replica, &difference), 0);
	return difference;
}

/* Begins a draft in which the files at these paths (up to NULL) may change. */
static void begin_at(struct replica *replica, const char *const *paths)
{
	struct path_list list = {0};

	for (; *paths; paths++)
		assert_int_equal(path_list_add(&list, *paths, strlen(*paths)), 0);
	assert_int_equal(replica_begin(replica, &list), 0);
	path_list_fini(&list);
}

#define BEGIN_AT(replica, ...) begin_at(replica, (const char *const[]){__VA_ARGS__, NULL})

/* With a, sub/b and sub/deep/c. */
static void fill(struct replica *replica)
{
	assert_int_equal(replica_begin(replica, NULL), 0);
	put(replica, "a", "1");
	put(replica, "sub/b", "2");
	put(replica, "sub/deep/c", "3");
	publish(replica);
}

static ino_t inode(const char *path)
{
	struct stat stat;

	assert_int_equal(lstat(path, &stat), 0);
	return stat.st_ino;
}

static void assert_file(const char *path, const char *text)
{
	char buffer[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	size_t len = fread(buffer, 1, sizeof(buffer) - 1, file);
	fclose(file);
	assert_int_equal(len, strlen(text));
	assert_string_equal(buffer, text);
}

TEST_WITH(draft_is_seen_when_it_is_published_and_not_before, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;

	assert_false(replica_is_filled(replica));
	fill(replica);
	assert_true(replica_is_filled(replica));
	assert_int_equal(replica_count(replica), 3);
	assert_int_equal(replica_begin(replica, NULL), 0);
	put(replica, "a", "new");
	assert_file("d/a", "1");
	struct tree_difference difference = publish(replica);
	assert_file("d/a", "new");
	assert_int_equal(access("d/sub", F_OK), -1);
	assert_int_equal(difference.changed, 1);
	assert_int_equal(difference.removed, 2);
	assert_int_equal(replica_count(replica), 1);
}

TEST_WITH(what_is_the_same_is_the_same_inode, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;

	fill(replica);
	ino_t a = inode("d/a"), b = inode("d/sub/b");
	assert_int_equal(replica_begin(replica, NULL), 0);
	put(replica, "a", "1");
	put(replica, "sub/b", "other");
	put(replica, "sub/x", "new");
	struct tree_difference difference = publish(replica);
	assert_int_equal(inode("d/a"), a);
	assert_int_not_equal(inode("d/sub/b"), b);
	assert_int_equal(difference.same, 1);
	assert_int_equal(difference.changed, 1);
	assert_int_equal(difference.added, 1);
	assert_int_equal(difference.removed, 1);
	/* A copy is a tree of the same files. */
	BEGIN_AT(replica, "a", "sub/b", "none");
	assert_int_equal(replica_compare(replica, &difference), 0);
	assert_int_equal(difference.same, 3);
	assert_int_equal(difference.count, 3);
	replica_discard(replica);
}

TEST_WITH(one_file_changes_in_its_place, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	bool is_changed;

	fill(replica);
	ino_t place = inode("d/.");
	assert_int_equal(replica_put(replica, "sub/b", span_of("2"), 0644, &is_changed), 0);
	assert_false(is_changed);
	assert_int_equal(replica_put(replica, "sub/b", span_of("9"), 0644, &is_changed), 0);
	assert_true(is_changed);
	assert_int_equal(replica_put(replica, "sub/new", span_of("n"), 0600, &is_changed), 0);
	assert_int_equal(replica_count(replica), 4);
	assert_file("d/sub/b", "9");
	assert_int_equal(replica_remove(replica, "sub/new", &is_changed), 0);
	assert_true(is_changed);
	assert_int_equal(replica_remove(replica, "sub/new", &is_changed), 0);
	assert_false(is_changed);
	assert_int_equal(replica_count(replica), 3);
	assert_int_equal(stat("d/.", &(struct stat){0}), 0);
	assert_true(place == inode("d/."));
}

TEST_WITH(directories_come_and_go_with_a_draft_alone, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	bool is_changed;

	assert_int_equal(
		replica_put(replica, "a", span_of("1"), 0644, &is_changed), REPLICA_NEEDS_DRAFT);
	fill(replica);
	assert_int_equal(
		replica_put(replica, "x/y", span_of("1"), 0644, &is_changed), REPLICA_NEEDS_DRAFT);
	assert_int_equal(
		replica_put(replica, "a/y", span_of("1"), 0644, &is_changed), REPLICA_NEEDS_DRAFT);
	assert_int_equal(
		replica_put(replica, "sub", span_of("1"), 0644, &is_changed), REPLICA_NEEDS_DRAFT);
	assert_int_equal(replica_remove(replica, "sub/deep/c", &is_changed), REPLICA_NEEDS_DRAFT);
	BEGIN_AT(replica, "sub/deep/c", "sub/none/c");
	assert_int_equal(replica_draft_remove(replica, "sub/deep/c"), 0);
	assert_int_equal(replica_draft_remove(replica, "sub/none/c"), 0);
	publish(replica);
	assert_int_equal(access("d/sub/deep", F_OK), -1);
	assert_int_equal(access("d/sub/b", F_OK), 0);
}

TEST_WITH(directory_has_precedence_over_a_file, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	size_t clash;

	assert_int_equal(replica_begin(replica, NULL), 0);
	put(replica, "a", "file");
	assert_int_equal(replica_draft_put(replica, "a/b/c", span_of("1"), 0644, &clash), 0);
	assert_int_equal(clash, 1);
	assert_int_equal(replica_draft_put(replica, "a/b", span_of("1"), 0644, &clash), TREE_CLASH);
	assert_int_equal(publish(replica).count, 1);
	assert_file("d/a/b/c", "1");
}

TEST_WITH(links_lead_nowhere_from_inside, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	bool is_changed;
	size_t clash;

	assert_int_equal(mkdir("outside", 0755), 0);
	assert_int_equal(replica_begin(replica, NULL), 0);
	assert_int_equal(
		replica_draft_put(replica, "link", span_of("../../outside"), S_IFLNK, &clash), 0);
	publish(replica);
	assert_int_equal(replica_put(replica, "link/x", span_of("1"), 0644, &is_changed),
		REPLICA_NEEDS_DRAFT);
	BEGIN_AT(replica, "link/x");
	assert_int_equal(replica_draft_put(replica, "link/x", span_of("1"), 0644, &clash), 0);
	assert_int_equal(clash, 4);
	assert_int_equal(access("outside/x", F_OK), -1);
	replica_discard(replica);
}

/* Both files change together. */
static void change(struct replica *replica, const char *text)
{
	BEGIN_AT(replica, "a", "sub/b");
	put(replica, "a", text);
	put(replica, "sub/b", text);
	publish(replica);
}

TEST_WITH(draft_is_made_of_the_tree_before_the_present_one, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	bool is_changed;

	fill(replica);
	change(replica, "one");
	assert_int_equal(access(".d.mirror/spare/sub/deep/c", F_OK), 0);
	ino_t deep = inode(".d.mirror/spare/sub/deep"), c = inode("d/sub/deep/c");
	assert_int_equal(replica_put(replica, "single", span_of("1"), 0644, &is_changed), 0);
	assert_int_equal(replica_put(replica, "a", span_of("single"), 0644, &is_changed), 0);
	BEGIN_AT(replica, "sub/b", "sub/new");
	put(replica, "sub/b", "two");
	put(replica, "sub/new", "two");
	struct tree_difference difference = publish(replica);
	assert_int_equal(difference.count, 5);
	assert_int_equal(difference.same, 3);
	assert_file("d/a", "single");
	assert_file("d/single", "1");
	assert_file("d/sub/b", "two");
	assert_file("d/sub/new", "two");
	/* An unchanged directory is the one of the tree before, with its files. */
	assert_int_equal(inode("d/sub/deep"), deep);
	assert_int_equal(inode("d/sub/deep/c"), c);
	/* A draft that changes nothing after all is used for the next one. */
	BEGIN_AT(replica, "sub/b");
	put(replica, "sub/b", "two");
	replica_put_back(replica);
	assert_int_equal(access(".d.mirror/draft", F_OK), -1);
	assert_int_equal(access(".d.mirror/spare/single", F_OK), 0);
	replica_discard(replica);
	assert_int_equal(access(".d.mirror/spare", F_OK), -1);
}

/* The file has the text, or is not there. */
static void assert_old(int fd, const char *path, const char *text)
{
	char buffer[16] = "";
	int file = openat(fd, path, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return;
	assert_true(read(file, buffer, sizeof(buffer) - 1) >= 0);
	close(file);
	assert_string_equal(buffer, text);
}

TEST_WITH(who_has_the_old_tree_open_reads_it_or_nothing, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;

	fill(replica);
	change(replica, "0");
	for (int i = 1; i < 5; i++) {
		char text[2] = {(char)('0' + i), '\0'}, before[2] = {(char)('0' + i - 1), '\0'};
		int top = open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		int sub = open("d/sub", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		change(replica, text);
		assert_old(top, "a", before);
		assert_int_equal(faccessat(top, "sub/deep/c", F_OK, 0), 0);
		for (int more = 0; more < 3; more++) {
			assert_old(top, "a", before);
			assert_old(top, "sub/b", before);
			assert_old(sub, "b", before);
			change(replica, more < 2 ? "x" : text);
		}
		close(top);
		close(sub);
	}
}

static bool has_tree(int number)
{
	char path[64];

	snprintf(path, sizeof(path), ".d.mirror/tree.%d", number);
	return access(path, F_OK) == 0;
}

TEST_WITH(tree_that_a_command_holds_keeps_its_files, set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct replica *replica = fixture->replica;

	fill(replica);
	change(replica, "1");
	int held = open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(held, LOCK_SH), 0);
	for (int i = 0; i < 3; i++)
		change(replica, "x");
	/* A mirror that starts again knows nothing of who holds it. */
	replica_freep(&replica);
	replica = fixture->replica = open_it();
	change(replica, "x");
	assert_int_equal(faccessat(held, "a", F_OK, 0), 0);
	assert_int_equal(faccessat(held, "sub/b", F_OK, 0), 0);
	assert_old(held, "a", "1");
	assert_old(held, "sub/b", "1");
	assert_file("d/a", "x");
	assert_true(has_tree(2));
	close(held);
	change(replica, "x");
	assert_false(has_tree(2));
	assert_true(has_tree(7));
}

TEST_WITH(tree_that_a_command_holds_stays_if_descriptors_are_short, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	struct tree_difference difference;
	struct rlimit limit;

	fill(replica);
	int held = open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(held, LOCK_SH), 0);
	assert_int_equal(replica_begin(replica, NULL), 0);
	put(replica, "a", "2");
	assert_int_equal(replica_compare(replica, &difference), 0);
	int last = dup(held);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	const struct rlimit low = {.rlim_cur = (rlim_t)last + 1, .rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	/* The list of the trees gets the only free descriptor, that of the old tree. */
	int r = replica_publish(replica, &difference);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(r, 0);
	assert_true(has_tree(1));
	close(last);
	close(held);
	change(replica, "x");
	assert_false(has_tree(1));
}

TEST_WITH(trees_that_are_held_for_ever_are_few, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	int held[REPLICA_HELD_MAX + 4];
	int trees = 0;

	fill(replica);
	for (int i = 0; i < REPLICA_HELD_MAX + 4; i++) {
		held[i] = open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_int_equal(flock(held[i], LOCK_SH), 0);
		change(replica, "x");
	}
	for (int i = 1; i <= REPLICA_HELD_MAX + 5; i++)
		trees += has_tree(i);
	assert_int_equal(trees, REPLICA_HELD_MAX + 1);
	for (int i = 0; i < REPLICA_HELD_MAX + 4; i++)
		close(held[i]);
}

TEST_WITH(tree_that_could_not_be_shown_leaves_no_other_behind, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	struct tree_difference difference;

	fill(replica);
	BEGIN_AT(replica, "a");
	put(replica, "a", "new");
	assert_int_equal(replica_compare(replica, &difference), 0);
	assert_int_equal(unlink("d"), 0);
	assert_int_equal(mkdir("d", 0755), 0);
	assert_int_equal(mkdir("d/in-the-way", 0755), 0);
	assert_int_equal(replica_publish(replica, &difference), -ENOTEMPTY);
	replica_discard(replica);
	assert_true(has_tree(1));
	assert_int_equal(rmdir("d/in-the-way"), 0);
	change(replica, "x");
	assert_file("d/a", "x");
	assert_false(has_tree(1));
}

/* The expected files, the naive way: texts of paths; NULL: not there. */
#define PATHS 9
static const char *const paths[PATHS] = {
	"a", "a/b", "a/b/c", "a-b", "a.d/x", "a/z", "q/r/s/t", "q/r/u", "v"};

static bool is_below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	return strncmp(path, directory, len) == 0 && path[len] == '/';
}

static void model_put(const char *model[PATHS], size_t at, const char *text)
{
	for (size_t i = 0; i < PATHS; i++)
		if (model[i] && is_below(paths[i], paths[at]))
			return;
	for (size_t i = 0; i < PATHS; i++)
		if (is_below(paths[at], paths[i]))
			model[i] = NULL;
	model[at] = text;
}

static void assert_is_model(const struct replica *replica, const char *const model[PATHS])
{
	size_t count = 0;

	for (size_t i = 0; i < PATHS; i++) {
		char path[64];
		struct stat stat;

		snprintf(path, sizeof(path), "d/%s", paths[i]);
		bool is_there = lstat(path, &stat) == 0 && S_ISREG(stat.st_mode);
		assert_int_equal(is_there, model[i] != NULL);
		if (is_there)
			assert_file(path, model[i]);
		count += is_there;
	}
	assert_int_equal(replica_count(replica), count);
}

/* Makes one random change of the draft, or of the present tree. */
static void change_one(struct replica *replica, const char *model[PATHS], size_t at, bool is_draft)
{
	static const char *const texts[] = {NULL, "1", "22", "333"};
	const char *text = texts[rand() % 4];
	bool is_changed;
	size_t clash;
	int r;

	if (is_draft)
		r = text ? replica_draft_put(replica, paths[at], span_of(text), 0644, &clash)
			 : replica_draft_remove(replica, paths[at]);
	else
		r = text ? replica_put(replica, paths[at], span_of(text), 0644, &is_changed)
			 : replica_remove(replica, paths[at], &is_changed);
	assert_true(r >= 0);
	if (r == REPLICA_NEEDS_DRAFT && !is_draft)
		return;
	if (text)
		model_put(model, at, text);
	else
		model[at] = NULL;
}

TEST_WITH(any_changes_in_any_order_are_what_a_naive_model_says, set_up, tear_down)
{
	struct replica *replica = ((struct fixture *)*state)->replica;
	const char *model[PATHS] = {0};

	srand(1);
	assert_int_equal(replica_begin(replica, NULL), 0);
	publish(replica);
	for (int round = 0; round < 250; round++) {
		size_t many = (size_t)rand() % 4, at[4];
		const char *changes[5] = {0};

		for (size_t i = 0; i < many; i++)
			changes[i] = paths[at[i] = (size_t)rand() % PATHS];
		begin_at(replica, changes);
		for (size_t i = 0; i < many; i++)
			change_one(replica, model, at[i], true);
		publish(replica);
		assert_is_model(replica, model);
		change_one(replica, model, (size_t)rand() % PATHS, false);
		assert_is_model(replica, model);
		if (rand() % 20 == 0)
			replica_discard(replica);
	}
}

TEST_WITH(who_was_killed_leaves_the_last_whole_state, set_up, tear_down)
{
	struct fixture *fixture = *state;

	fill(fixture->replica);
	/*
	 * Killed in a draft; with a new tree that the link does not lead to yet; and without the
	 * link.
	 */
	assert_int_equal(replica_begin(fixture->replica, NULL), 0);
	put(fixture->replica, "half", "1");
	replica_freep(&fixture->replica);
	fixture->replica = open_it();
	assert_int_equal(replica_count(fixture->replica), 3);
	assert_int_equal(access(".d.mirror/draft", F_OK), -1);
	replica_freep(&fixture->replica);
	assert_int_equal(mkdir(".d.mirror/tree.2", 0755), 0);
	assert_int_equal(mkdir(".d.mirror/tree.2/new", 0755), 0);
	fixture->replica = open_it();
	assert_int_equal(access("d/new", F_OK), 0);
	assert_int_equal(access(".d.mirror/tree.1", F_OK), -1);
	replica_freep(&fixture->replica);
	assert_int_equal(unlink("d"), 0);
	fixture->replica = open_it();
	assert_int_equal(access("d/new", F_OK), 0);
}

/* Writes STATE/unsynced, as if in that boot. */
static void mark(const char *boot)
{
	FILE *file = fopen(".d.mirror/unsynced", "w");

	assert_non_null(file);
	fputs(boot, file);
	fclose(file);
}

TEST_WITH(power_failure_before_all_is_on_the_disk_leaves_no_state, set_up, tear_down)
{
	struct fixture *fixture = *state;
	char boot[64] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

	assert_non_null(file);
	assert_true(fread(boot, 1, sizeof(boot) - 1, file) > 0);
	fclose(file);
	fill(fixture->replica);
	for (int i = 0; i < 6000 && access(".d.mirror/unsynced", F_OK) == 0; i++)
		usleep(10000);
	assert_int_equal(access(".d.mirror/unsynced", F_OK), -1);
	replica_freep(&fixture->replica);
	/* Killed, and started in the same boot; and in another one. */
	mark(boot);
	fixture->replica = open_it();
	assert_int_equal(replica_count(fixture->replica), 3);
	for (int i = 0; i < 6000 && access(".d.mirror/unsynced", F_OK) == 0; i++)
		usleep(10000);
	replica_freep(&fixture->replica);
	mark("another");
	fixture->replica = open_it();
	assert_false(replica_is_filled(fixture->replica));
	assert_int_equal(access(".d.mirror/tree.1", F_OK), -1);
	fill(fixture->replica);
	assert_file("d/sub/b", "2");
}

TEST_WITH(what_is_not_ours_is_refused, set_up, tear_down)
{
	static const char *const names[] = {"full", "foreign", "d", "none/d", "..", "file"};
	struct problem problem;
	struct replica *replica;

	assert_int_equal(mkdir("full", 0755), 0);
	assert_int_equal(mkdir("full/sub", 0755), 0);
	assert_int_equal(symlink("full", "foreign"), 0);
	fclose(fopen("file", "w"));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct replica_options options = {.directory = names[i]};
		assert_int_equal(replica_open(&options, &replica, &problem), PROBLEM);
	}
	const struct replica_options options = {.directory = "e", .state = "full"};
	assert_int_equal(replica_open(&options, &replica, &problem), PROBLEM);
}

/* A mirror that stands by: reports that it has the replica, with the number of its files. */
static void stand_by(int out)
{
	const struct replica_options options = {.directory = "d", .stands_by = true};
	struct replica *replica;
	struct problem problem;

	/* The other one's lock, too, which fork(2) has copied. */
	descriptor_close_except(&out, 1);
	char count =
		replica_open(&options, &replica, &problem) == 0 ? (char)replica_count(replica) : -1;
	(void)!write(out, &count, 1);
	_exit(0);
}

TEST_WITH(mirror_that_stands_by_goes_on_when_the_other_one_ends, set_up, tear_down)
{
	struct fixture *fixture = *state;
	char count = 0;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0)
		stand_by(ends[1]);
	struct pollfd said = {.fd = ends[0], .events = POLLIN};
	assert_int_equal(poll(&said, 1, 200), 0);
	/* It reads the state after it has the lock. */
	assert_int_equal(replica_begin(fixture->replica, NULL), 0);
	put(fixture->replica, "a", "1");
	put(fixture->replica, "b", "2");
	publish(fixture->replica);
	replica_freep(&fixture->replica);
	fixture->replica = NULL;
	assert_int_equal(poll(&said, 1, 60000), 1);
	assert_int_equal(read(ends[0], &count, 1), 1);
	assert_int_equal(count, 2);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ends[0]);
	close(ends[1]);
	fixture->replica = open_it();
}
