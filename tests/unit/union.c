/*
 * The union of the layers at a path: which of them take part, and what they hide.
 */
#include "listing.h"
#include "skip.h"
#include "view_fixture.h"

static struct settings *settings;

static int start_layers(void **state)
{
	int r = set_up(state);

	settings = r == 0 ? settings_with("a:b:c") : NULL;
	return r;
}

static int end_layers(void **state)
{
	settings_unref(settings);
	return tear_down(state);
}

/* "F ca": a file of the layers c and a, highest first. */
static const char *seen_in(layer_mask layers, const char *path)
{
	static char text[80];
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();

	assert_non_null(lookup);
	union_look_up(settings, layers, path, lookup);
	snprintf(text, sizeof(text), "%c ", "-FDL"[lookup->kind]);
	layer_mask mask = 0;
	for (unsigned i = 0; i < lookup->count; i++) {
		mask |= (layer_mask)1 << lookup->found[i].layer;
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s",
			settings->layers[lookup->found[i].layer]->name);
		if (lookup->found[i].error)
			strcat(text, "!");
	}
	assert_int_equal(mask, lookup->layers);
	return text;
}

static const char *seen(const char *path)
{
	return seen_in(union_all_layers(settings), path);
}

TEST_WITH(highest_layer_decides_the_kind_and_lower_ones_of_that_kind_take_part, start_layers,
	end_layers)
{
	run("mkdir a/x b/x c/x; touch a/f b/f c/f; touch a/y; mkdir b/y c/y; mkdir a/z; touch b/z; "
	    "mkdir c/z");
	assert_string_equal(seen("x"), "D cba");
	assert_string_equal(seen("f"), "F cba");
	assert_string_equal(seen("y"), "D cb");
	assert_string_equal(seen("z"), "D c");
	assert_string_equal(seen("none"), "- ");
	assert_string_equal(seen(""), "D cba");
}

TEST_WITH(link_stands_alone, start_layers, end_layers)
{
	run("ln -s t a/x; ln -s t b/x; touch a/y; ln -s t b/y; ln -s t a/z; touch b/z");
	assert_string_equal(seen("x"), "L b");
	assert_string_equal(seen("y"), "L b");
	assert_string_equal(seen("z"), "F b");
}

TEST_WITH(pipes_and_sockets_are_passed_over, start_layers, end_layers)
{
	run("touch a/x; mkfifo b/x c/y");
	assert_string_equal(seen("x"), "F a");
	assert_string_equal(seen("y"), "- ");
}

/* Names with this in them get no answer. */
static const char *unanswered;

static int stat_or_time_out(const struct layer *layer, const char *path, struct stat *ret)
{
	if (unanswered && strstr(path, unanswered))
		return -ETIMEDOUT;
	return fstatat(layer->dirfd, *path ? path : ".", ret, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

TEST_WITH(layer_that_does_not_say_whether_it_hides_is_not_taken_for_one_that_does_not, start_layers,
	end_layers)
{
	static const struct layer_delegate delegate = {.stat = stat_or_time_out};
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();

	run("touch a/f a/.keep; mkdir a/d c/d; touch a/d/x");
	layer_delegate(&delegate);
	layer_note_remote(settings->layers[2]);
	assert_string_equal(seen("f"), "F a");
	unanswered = ".wh.f";
	assert_string_equal(seen("f"), "F c!a");
	unanswered = ".opq";
	assert_string_equal(seen("d"), "D ca");
	union_look_up(settings, union_all_layers(settings), "d", lookup);
	assert_int_equal(lookup->whiteout_error, ETIMEDOUT);
	unanswered = "f";
	union_look_up(settings, union_all_layers(settings), "f", lookup);
	assert_int_equal(lookup->failure, ETIMEDOUT);
	assert_int_equal(lookup->whiteout_error, 0);
	unanswered = NULL;
	layer_delegate(NULL);
}

TEST_WITH(whiteout_hides_lower_layers_and_not_its_own, start_layers, end_layers)
{
	run("touch a/x b/x b/.wh.x c/x; touch a/y b/.wh.y; mkdir a/d b/d; touch a/d/z b/d/.wh.z; "
	    "touch c/.wh.q c/q");
	assert_string_equal(seen("x"), "F cb");
	assert_string_equal(seen("y"), "- ");
	assert_string_equal(seen("d/z"), "- ");
	assert_string_equal(seen("q"), "F c");
}

TEST_WITH(character_device_0_0_hides_lower_layers, start_layers, end_layers)
{
	run("touch a/x c/x; touch a/y");
	/* Since Linux 5.8 every user may make 0:0. */
	if (mknod("b/x", S_IFCHR, makedev(0, 0)) < 0 || mknod("c/y", S_IFCHR, makedev(1, 3)) < 0)
		skip_because("device files can't be made here");
	assert_int_equal(mknod("b/y", S_IFCHR, makedev(0, 0)), 0);
	assert_string_equal(seen("x"), "F c");
	assert_string_equal(seen("y"), "- ");
}

TEST_WITH(opaque_directory_hides_lower_ones, start_layers, end_layers)
{
	run("mkdir a/d b/d c/d; touch b/d/.wh..wh..opq");
	assert_string_equal(seen("d"), "D cb");
}

TEST_WITH(only_the_layers_that_show_the_directory_are_looked_at, start_layers, end_layers)
{
	run("mkdir a/d b/d c/d; touch a/d/x b/d/x c/d/x");
	assert_string_equal(seen_in(2, "d/x"), "F b");
	assert_string_equal(seen_in(5, "d/x"), "F ca");
	assert_string_equal(seen_in(0, "d/x"), "- ");
}

TEST_WITH(link_on_the_way_is_no_directory, start_layers, end_layers)
{
	run("mkdir a/d outside; touch a/d/x outside/x; ln -s ../outside b/d");
	assert_string_equal(seen("d/x"), "F a");
}

TEST_WITH(what_can_not_be_looked_at_counts_as_a_file_that_can_not_be_read, start_layers, end_layers)
{
	settings_unref(settings);
	settings = settings_with("layers:\n  - a\n  - {path: b, follow: true}\n");
	run("touch a/x; ln -s x b/x"); /* a link to itself */
	assert_string_equal(seen("x"), "F b!a");
}

TEST_WITH(path_too_long_for_the_system_is_absent, start_layers, end_layers)
{
	char name[300];
	char path[5000];

	memset(name, 'n', sizeof(name));
	name[299] = '\0';
	assert_string_equal(seen(name), "- ");
	memset(path, '/', sizeof(path));
	for (size_t i = 0; i < sizeof(path); i += 2)
		path[i] = 'd';
	path[4999] = '\0';
	assert_string_equal(seen(path), "- ");
}

TEST_WITH(marks_are_recognised_by_name, start_layers, end_layers)
{
	assert_true(union_is_mark(".wh.x"));
	assert_true(union_is_mark(".wh..wh..opq"));
	assert_false(union_is_mark(".whx"));
	assert_false(union_is_mark("x.wh."));
	assert_string_equal(union_marked_name(".wh.x"), "x");
	assert_string_equal(union_marked_name(".wh..wh..opq"), "");
	assert_null(union_marked_name("x"));
}

static char kind_of(const struct listing *listing, const char *name)
{
	for (size_t i = 0; i < listing->count; i++)
		if (strcmp(listing->items[i].name, name) == 0)
			return "-FDL"[listing->items[i].kind];
	return '-';
}

#define KINDS 8

/* Makes one of the kinds of entries that a layer can have at a name. */
static void make(char layer, int kind, const char *name)
{
	char path[64];
	char mark[64];

	snprintf(path, sizeof(path), "%c/%s", layer, name);
	snprintf(mark, sizeof(mark), "%c/.wh.%s", layer, name);
	switch (kind) {
	case 1:
		write_file(path, "");
		break;
	case 2:
		make_directory(path);
		break;
	case 3:
		assert_int_equal(symlink("target", path), 0);
		break;
	case 4:
		assert_int_equal(mkfifo(path, 0644), 0);
		break;
	case 5:
		write_file(mark, "");
		break;
	case 6:
		write_file(path, "");
		write_file(mark, "");
		break;
	case 7: /* only root may make one; else nothing is there */
		(void)!mknod(path, S_IFCHR, makedev(0, 0));
		break;
	}
}

TEST_WITH(listing_agrees_with_what_a_look_at_each_name_finds, start_layers, end_layers)
{
	struct listing listing;
	char name[32];

	for (int i = 0; i < KINDS * KINDS * KINDS; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		make('a', i % KINDS, name);
		make('b', i / KINDS % KINDS, name);
		make('c', i / KINDS / KINDS, name);
	}
	assert_int_equal(listing_take(settings, union_all_layers(settings), "", &listing), 0);
	assert_int_equal(listing.error, 0);
	for (size_t i = 1; i < listing.count; i++)
		assert_true(strcmp(listing.items[i - 1].name, listing.items[i].name) < 0);
	for (int i = 0; i < KINDS * KINDS * KINDS; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		if (kind_of(&listing, name) != *seen(name))
			fail_msg("%s (%o): listed as %c, seen as %s", name, (unsigned)i,
				kind_of(&listing, name), seen(name));
	}
	listing_free(&listing);
}

TEST_WITH(listing_of_what_is_no_directory_is_empty, start_layers, end_layers)
{
	struct listing listing;

	write_file("a/x", "");
	assert_int_equal(listing_take(settings, 7, "x", &listing), 0);
	assert_int_equal(listing.count, 0);
	assert_int_equal(listing.error, 0);
	listing_free(&listing);
	assert_int_equal(listing_take(settings, 7, "none", &listing), 0);
	assert_int_equal(listing.count, 0);
	listing_free(&listing);
}
