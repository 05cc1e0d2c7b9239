/* Symbolic links in a layer: how they show without `follow`, and where they lead with it. */
#include "layer_tree.h"

#include <limits.h>

static void links_are_links_without_follow(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	CLEANUP(freep) char *target = NULL;
	struct stat stat;

	(void)state;
	assert_int_equal(layer_stat(layer, "out_file", &stat), 0);
	assert_true(S_ISLNK(stat.st_mode));
	assert_int_equal(layer_stat(layer, "dir/../loop", &stat), -EXDEV);
	assert_int_equal(layer_read_link(layer, "out_file", &target), 0);
	assert_string_equal(target, "../outside.yaml");
	assert_int_equal(layer_read_link(layer, "app.yaml", &target), -EINVAL);
	assert_int_equal(layer_read_link(layer, "dir", &target), -EINVAL);
}

static void a_link_on_the_way_is_no_directory_without_follow(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	static const char *const paths[] = {
		"out/deep.yaml", "inner/deep.yaml", "loop/deep.yaml", "out/", "loop/"};
	struct stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_int_equal(layer_stat(layer, paths[i], &stat), -ENOTDIR);
		assert_int_equal(layer_open_file(layer, paths[i], &stat), -ENOTDIR);
		assert_int_equal(layer_open_directory(layer, paths[i]), -ENOTDIR);
	}
	assert_int_equal(layer_open_directory(layer, "out"), -ENOTDIR);
	assert_int_equal(layer_open_directory(layer, "inner"), -ENOTDIR);
}

static void follow_allows_links_also_out_of_the_layer(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(true);
	CLEANUP(freep) char *target = NULL;
	struct stat stat;
	char text[16];
	int fd;

	(void)state;
	assert_int_equal(layer_stat(layer, "out_file", &stat), 0);
	assert_true(S_ISREG(stat.st_mode));
	fd = layer_open_file(layer, "out/deep.yaml", &stat);
	assert_true(fd >= 0);
	read_all(fd, text, sizeof(text));
	assert_string_equal(text, "other\n");
	assert_int_equal(layer_stat(layer, "dangling", &stat), -ENOENT);
	assert_int_equal(layer_stat(layer, "loop", &stat), -ELOOP);
	assert_int_equal(layer_read_link(layer, "out/deep.yaml", &target), -EINVAL);
	assert_int_equal(layer_read_link(layer, "out_file", &target), 0);
	assert_string_equal(target, "../outside.yaml");
}

/* It would be read with the daemon's identity, not with that of the mount's reader. */
static void follow_leads_not_into_file_systems_of_the_kernel(void **state)
{
	static const char *const targets[] = {"/proc/self/maps", "/proc/self", "/sys/kernel"};
	CLEANUP(layer_freep) struct layer *layer = open_layer(true);
	struct stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		assert_int_equal(symlink(targets[i], "layer/kernel"), 0);
		int of_stat = layer_stat(layer, "kernel", &stat);
		int of_file = layer_open_file(layer, "kernel", &stat);
		int of_directory = layer_open_directory(layer, "kernel");
		unlink("layer/kernel");
		assert_int_equal(of_stat, -EACCES);
		assert_int_equal(of_file, -EACCES);
		assert_int_equal(of_directory, i ? -EACCES : -ENOTDIR);
	}
}

/* A user who may write to a directory that is open to all must not choose what the daemon reads. */
static void follow_falls_into_no_trap(void **state)
{
	static const struct {
		mode_t mode;
		uid_t directory, link;
		bool is_followed;
	} cases[] = {{01777, 0, 4711, false}, {01777, 4712, 4711, false}, {01777, 4711, 4711, true},
		{01777, 4711, 0, true}, {01777, 0, 0, true}, {0777, 0, 4711, true},
		{01775, 0, 4711, true}};
	CLEANUP(layer_freep) struct layer *layer = open_layer(true);
	struct stat stat;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir("layer/shared", 0755), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int wanted = cases[i].is_followed ? 0 : -EACCES;
		/* One link that is the last name, and one in the middle of the path. */
		assert_int_equal(symlink("../../outside.yaml", "layer/shared/trap"), 0);
		assert_int_equal(symlink("../../other", "layer/shared/way"), 0);
		assert_int_equal(lchown("layer/shared/trap", cases[i].link, 0), 0);
		assert_int_equal(lchown("layer/shared/way", cases[i].link, 0), 0);
		assert_int_equal(chown("layer/shared", cases[i].directory, 0), 0);
		assert_int_equal(chmod("layer/shared", cases[i].mode), 0);
		int of_stat = layer_stat(layer, "shared/trap", &stat);
		int of_directory = layer_open_directory(layer, "shared/way");
		int of_file = layer_open_file(layer, "shared/way/deep.yaml", &stat);
		CLEANUP(freep) char *target = NULL;
		int of_link = layer_read_link(layer, "shared/trap", &target);
		unlink("layer/shared/trap");
		unlink("layer/shared/way");
		close(of_directory);
		close(of_file);
		assert_int_equal(of_stat, wanted);
		assert_int_equal(of_directory < 0 ? of_directory : 0, wanted);
		assert_int_equal(of_file < 0 ? of_file : 0, wanted);
		assert_int_equal(of_link, 0);
	}
	rmdir("layer/shared");
}

static void long_link_targets_are_whole(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	CLEANUP(freep) char *target = NULL;
	char expected[PATH_MAX];

	(void)state;
	memset(expected, 't', sizeof(expected));
	expected[sizeof(expected) - 1] = '\0';
	assert_int_equal(symlink(expected, "layer/long"), 0);
	assert_int_equal(layer_read_link(layer, "long", &target), 0);
	assert_string_equal(target, expected);
	assert_int_equal(unlink("layer/long"), 0);
}

static void no_descriptor_is_lost(void **state)
{
	int before = next_descriptor();

	a_link_on_the_way_is_no_directory_without_follow(state);
	follow_allows_links_also_out_of_the_layer(state);
	assert_int_equal(next_descriptor(), before);
}

#define TESTS                                                                                      \
	cmocka_unit_test(links_are_links_without_follow),                                          \
		cmocka_unit_test(a_link_on_the_way_is_no_directory_without_follow),                \
		cmocka_unit_test(follow_allows_links_also_out_of_the_layer),                       \
		cmocka_unit_test(follow_leads_not_into_file_systems_of_the_kernel),                \
		cmocka_unit_test(follow_falls_into_no_trap),                                       \
		cmocka_unit_test(long_link_targets_are_whole),                                     \
		cmocka_unit_test(no_descriptor_is_lost)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTS, cmocka_unit_test(all_of_it_holds_without_openat2), TESTS};

	return cmocka_run_group_tests(tests, make_tree, leave_place);
}
