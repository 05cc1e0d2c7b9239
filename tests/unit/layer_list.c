/* Listing a directory of a layer. */
#include "layer_tree.h"

#include <dirent.h>

struct listing {
	char text[512];
	int stop_at;
	int count;
};

static int note(void *context, const char *name, unsigned char type)
{
	struct listing *listing = context;
	size_t len = strlen(listing->text);

	(void)snprintf(listing->text + len, sizeof(listing->text) - len, " %s:%d ", name, type);
	return ++listing->count == listing->stop_at ? 77 : 0;
}

static void assert_listed(const struct listing *listing, const char *name, int type)
{
	char entry[64];

	(void)snprintf(entry, sizeof(entry), " %s:%d ", name, type);
	if (!strstr(listing->text, entry))
		fail_msg("no '%s' in '%s'", entry, listing->text);
}

static void every_name_is_listed_with_its_type(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct listing listing = {0};

	(void)state;
	assert_int_equal(layer_list(layer, "", note, &listing), 0);
	assert_int_equal(listing.count, 10);
	assert_listed(&listing, "app.yaml", DT_REG);
	assert_listed(&listing, "dir", DT_DIR);
	assert_listed(&listing, "pipe", DT_FIFO);
	assert_listed(&listing, "out", DT_LNK);
	assert_listed(&listing, "dangling", DT_LNK);
	assert_int_equal(layer_list(layer, "none", note, &listing), -ENOENT);
	assert_int_equal(layer_list(layer, "out", note, &listing), -ENOTDIR);
}

static void a_following_layer_lists_what_its_links_lead_to(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(true);
	struct listing listing = {0};

	(void)state;
	assert_int_equal(layer_list(layer, "", note, &listing), 0);
	assert_listed(&listing, "out", DT_DIR);
	assert_listed(&listing, "out_file", DT_REG);
	assert_listed(&listing, "loop", DT_LNK);
	assert_null(strstr(listing.text, "dangling"));
}

/* As in a volume of Kubernetes: ..data -> ..2024_1, and app.yaml -> ..data/app.yaml. */
static void names_that_begin_with_two_dots_are_hidden_where_links_are_followed(void **state)
{
	CLEANUP(layer_freep) struct layer *following = open_layer(true);
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct listing listing = {0};
	struct stat stat;

	(void)state;
	assert_int_equal(mkdir("layer/..2024_1", 0755), 0);
	write_file("layer/..2024_1/volume.yaml", "x: 1\n");
	assert_int_equal(symlink("..2024_1", "layer/..data"), 0);
	assert_int_equal(symlink("..data/volume.yaml", "layer/volume.yaml"), 0);
	assert_int_equal(layer_stat(following, "..data", &stat), -ENOENT);
	assert_int_equal(layer_stat(following, "..data/volume.yaml", &stat), -ENOENT);
	assert_int_equal(layer_open_directory(following, "dir/..2024_1"), -ENOENT);
	assert_int_equal(layer_stat(following, "volume.yaml", &stat), 0);
	assert_int_equal(layer_list(following, "", note, &listing), 0);
	assert_null(strstr(listing.text, ".."));
	assert_listed(&listing, "volume.yaml", DT_REG);

	listing = (struct listing){0};
	assert_int_equal(layer_list(layer, "", note, &listing), 0);
	assert_listed(&listing, "..data", DT_LNK);
	assert_int_equal(layer_stat(layer, "..2024_1/volume.yaml", &stat), 0);
	assert_int_equal(unlink("layer/volume.yaml"), 0);
	assert_int_equal(unlink("layer/..data"), 0);
	assert_int_equal(unlink("layer/..2024_1/volume.yaml"), 0);
	assert_int_equal(rmdir("layer/..2024_1"), 0);
}

static void a_listing_ends_when_its_caller_says_so(void **state)
{
	CLEANUP(layer_freep) struct layer *layer = open_layer(false);
	struct listing listing = {.stop_at = 3};

	(void)state;
	assert_int_equal(layer_list(layer, "", note, &listing), 77);
	assert_int_equal(listing.count, 3);
}

static void no_descriptor_is_lost(void **state)
{
	int before = next_descriptor();

	every_name_is_listed_with_its_type(state);
	assert_int_equal(next_descriptor(), before);
}

#define TESTS                                                                                      \
	cmocka_unit_test(every_name_is_listed_with_its_type),                                      \
		cmocka_unit_test(a_following_layer_lists_what_its_links_lead_to),                  \
		cmocka_unit_test(                                                                  \
			names_that_begin_with_two_dots_are_hidden_where_links_are_followed),       \
		cmocka_unit_test(a_listing_ends_when_its_caller_says_so),                          \
		cmocka_unit_test(no_descriptor_is_lost)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTS, cmocka_unit_test(all_of_it_holds_without_openat2), TESTS};

	return cmocka_run_group_tests(tests, make_tree, leave_place);
}
