/* No access leaves a layer, writes to it or blocks. */
#include "layer_tree.h"
#include "outside.h"

#include <limits.h>

#include "descriptor.h"

static void a_regular_file_is_read(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct stat stat;
	char text[16];
	int fd;

	(void)state;
	fd = layer_open_file(layer, "dir/deep.yaml", &stat);
	assert_true(fd >= 0);
	assert_int_equal(stat.st_size, 5);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	read_all(fd, text, sizeof(text));
	assert_string_equal(text, "deep\n");
}

static void the_empty_path_is_the_layer_itself(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct stat stat, expected;
	int fd;

	(void)state;
	assert_int_equal(lstat("layer", &expected), 0);
	assert_int_equal(layer_stat(layer, "", &stat), 0);
	assert_int_equal(stat.st_ino, expected.st_ino);
	assert_int_equal(layer_open_file(layer, "", &stat), -ENOENT);
	fd = layer_open_directory(layer, "");
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &stat), 0);
	assert_int_equal(stat.st_ino, expected.st_ino);
	close(fd);
}

static void what_is_not_there_is_absent(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct stat stat;
	char *target;

	(void)state;
	assert_int_equal(layer_stat(layer, "none", &stat), -ENOENT);
	assert_int_equal(layer_stat(layer, "dir/none", &stat), -ENOENT);
	assert_int_equal(layer_stat(layer, "app.yaml/none", &stat), -ENOTDIR);
	assert_int_equal(layer_stat(layer, "app.yaml/", &stat), -ENOTDIR);
	assert_int_equal(layer_open_file(layer, "none", &stat), -ENOENT);
	assert_int_equal(layer_open_directory(layer, "app.yaml"), -ENOTDIR);
	assert_int_equal(layer_read_link(layer, "none", &target), -ENOENT);
}

static void what_is_no_regular_file_is_not_opened(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	CLEANUP(layer_freep) struct layer *following = open_layer(true);
	static const char *const names[] = {"pipe", "socket", "dir"};
	struct stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(layer_open_file(layer, names[i], &stat), -ENOENT);
		assert_int_equal(layer_open_file(following, names[i], &stat), -ENOENT);
	}
	assert_int_equal(layer_open_file(layer, "file_link", &stat), -ENOENT);
}

static void a_path_out_of_the_layer_is_refused(void **state)
{
	static const char *const paths[] = {"..", "../outside.yaml", "dir/../../outside.yaml",
		"dir/..", "/etc/passwd", "/", "dir/../app.yaml"};
	struct stat stat;
	char *target;

	(void)state;
	for (int follow = 0; follow < 2; follow++) {
		CLEANUP(layer_freep) struct layer *layer = open_layer(follow);

		for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
			assert_int_equal(layer_stat(layer, paths[i], &stat), -EXDEV);
			assert_int_equal(layer_open_file(layer, paths[i], &stat), -EXDEV);
			assert_int_equal(layer_open_directory(layer, paths[i]), -EXDEV);
			assert_int_equal(layer_read_link(layer, paths[i], &target), -EXDEV);
		}
		/* Two dots at the beginning of a name are only part of the name. */
		assert_int_equal(layer_stat(layer, "..app/...", &stat), -ENOENT);
	}
}

static void a_renamed_layer_stays_the_same_directory(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct stat stat;

	(void)state;
	assert_int_equal(rename("layer", "renamed"), 0);
	assert_int_equal(layer_stat(layer, "dir/deep.yaml", &stat), 0);
	assert_int_equal(rename("renamed", "layer"), 0);
}

static void a_thread_that_stays_knows_which_names_are_missing(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);

	(void)state;
	assert_true(layer_stay_may_have(layer, "dir", "new"));
	layer_stay("dir");
	assert_false(layer_stay_may_have(layer, "dir", "new"));
	assert_true(layer_stay_may_have(layer, "", "new"));
	assert_true(layer_stay_may_have(layer, "dir/dir", "new"));
	write_file("layer/dir/newer", "");
	layer_stay("dir");
	assert_true(layer_stay_may_have(layer, "dir", "new"));
	assert_int_equal(unlink("layer/dir/newer"), 0);
	layer_stay("none");
	assert_true(layer_stay_may_have(layer, "none", "new"));
	layer_stay("");
}

static void a_missing_layer_is_empty_only_when_optional(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = NULL;
	struct stat stat;

	(void)state;
	assert_int_equal(layer_open("x", "none", 0, 0, false, &layer), -ENOENT);
	assert_int_equal(layer_open("x", "outside.yaml", 0, 0, false, &layer), -ENOTDIR);
	assert_null(layer);
	assert_int_equal(
		layer_open("x", "outside.yaml", 0, OUTSIDE_OPTIONAL, false, &layer), -ENOTDIR);
	assert_null(layer);
	assert_int_equal(layer_open("x", "none", 0, OUTSIDE_OPTIONAL, false, &layer), 0);
	assert_int_equal(layer->dirfd, -1);
	assert_int_equal(layer_stat(layer, "", &stat), -ENOENT);
	assert_int_equal(layer_stat(layer, "app.yaml", &stat), -ENOENT);
	assert_int_equal(layer_open_file(layer, "app.yaml", &stat), -ENOENT);
	assert_int_equal(layer_open_directory(layer, ""), -ENOENT);
	assert_int_equal(layer_list(layer, "", NULL, NULL), -ENOENT);
}

static void an_unreadable_layer_is_refused_at_once(void **state)
{
	struct layer *layer = NULL;
	bool is_root = geteuid() == 0;
	int r;

	(void)state;
	assert_int_equal(mkdir("locked", 0111), 0);
	/*
	 * Root may read everything. The user nobody may not, and needs the right to enter the
	 * place.
	 */
	if (is_root) {
		assert_int_equal(chmod(".", 0711), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	r = layer_open("x", "locked", 0, OUTSIDE_OPTIONAL, false, &layer);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(r, -EACCES);
	assert_int_equal(rmdir("locked"), 0);
}

static void names_of_any_bytes_and_lengths_are_taken(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	char name[NAME_MAX + 2], path[PATH_MAX + 2];
	struct stat stat;
	int fd;

	(void)state;
	write_file("layer/\xff\n *", "odd\n");
	fd = layer_open_file(layer, "\xff\n *", &stat);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(unlink("layer/\xff\n *"), 0);

	memset(name, 'n', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	assert_int_equal(layer_stat(layer, name, &stat), -ENAMETOOLONG);
	name[NAME_MAX] = '\0';
	assert_int_equal(layer_stat(layer, name, &stat), -ENOENT);

	memset(path, '/', sizeof(path));
	for (size_t i = 0; i < sizeof(path); i += 2)
		path[i] = '.';
	path[PATH_MAX] = '\0';
	assert_int_equal(layer_stat(layer, path, &stat), -ENAMETOOLONG);
	path[PATH_MAX - 1] = '\0';
	assert_int_equal(layer_stat(layer, path, &stat), 0);
	assert_true(S_ISDIR(stat.st_mode));
}

static void a_source_is_named_as_the_user_wrote_the_layer(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	CLEANUP(layer_freep) struct layer *slash = NULL;
	char *name = NULL;

	(void)state;
	assert_int_equal(layer_source_name(layer, "dir/deep.yaml", &name), 0);
	assert_string_equal(name, "layer/dir/deep.yaml");
	free(name);
	assert_int_equal(layer_source_name(layer, "", &name), 0);
	assert_string_equal(name, "layer");
	free(name);
	assert_int_equal(layer_open("x", "layer/", 0, 0, false, &slash), 0);
	assert_int_equal(layer_source_name(slash, "app.yaml", &name), 0);
	assert_string_equal(name, "layer/app.yaml");
	free(name);
}

static void no_descriptor_is_lost(void **state)
{
	int before = next_descriptor();

	a_regular_file_is_read(state);
	what_is_not_there_is_absent(state);
	what_is_no_regular_file_is_not_opened(state);
	a_path_out_of_the_layer_is_refused(state);
	a_missing_layer_is_empty_only_when_optional(state);
	assert_int_equal(next_descriptor(), before);
}

#define TESTS                                                                                      \
	cmocka_unit_test(a_regular_file_is_read),                                                  \
		cmocka_unit_test(the_empty_path_is_the_layer_itself),                              \
		cmocka_unit_test(what_is_not_there_is_absent),                                     \
		cmocka_unit_test(what_is_no_regular_file_is_not_opened),                           \
		cmocka_unit_test(a_path_out_of_the_layer_is_refused),                              \
		cmocka_unit_test(a_renamed_layer_stays_the_same_directory),                        \
		cmocka_unit_test(a_thread_that_stays_knows_which_names_are_missing),               \
		cmocka_unit_test(a_missing_layer_is_empty_only_when_optional),                     \
		cmocka_unit_test(an_unreadable_layer_is_refused_at_once),                          \
		cmocka_unit_test(names_of_any_bytes_and_lengths_are_taken),                        \
		cmocka_unit_test(a_source_is_named_as_the_user_wrote_the_layer),                   \
		cmocka_unit_test(no_descriptor_is_lost)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTS, cmocka_unit_test(all_of_it_holds_without_openat2), TESTS};

	return cmocka_run_group_tests(tests, make_tree, leave_place);
}
