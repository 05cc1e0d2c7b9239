/*
 * The cache gives what the file holds, and reads a file only when it has changed.
 *
 * The linker sends calls of close(2) here (--wrap), so that a file can change when the cache has
 * read it, and before it is parsed.
 */
#include "source_cache.h"

#include "descriptor.h"
#include "hash.h"
#include "view_fixture.h"

static struct settings *settings;
static struct source_cache *cache;
static const struct layer *layer;

static const struct read_options yaml = {.format = &format_yaml};

static bool changes; /* at the next close of the file */

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	char path[PATH_MAX];
	bool is_it = changes && descriptor_path(fd, path) == 0 && strstr(path, "/a/x.yaml");
	int r = __real_close(fd); /* the cache's lease goes with it */

	if (is_it) {
		changes = false;
		write_file("a/x.yaml", "x: 2\n");
		source_cache_touch(cache, "x.yaml");
	}
	return r;
}

static int start_cache(void **state)
{
	if (set_up(state) < 0)
		return -1;
	settings = settings_with("a");
	layer = settings->layers[0];
	return source_cache_new(1 << 20, true, &cache);
}

static int end_cache(void **state)
{
	source_cache_free(cache);
	settings_unref(settings);
	return tear_down(state);
}

static struct source_want want(const struct stat *stat, const struct read_options *options)
{
	return (struct source_want){stat, options, LIMITS_DEFAULT.source_bytes, false};
}

static int load(const char *path, const struct read_options *options, struct loaded **ret)
{
	struct problem problem = {0};
	struct stat stat = {0};
	struct source_want wanted = want(&stat, options);

	*ret = NULL;
	layer_stat(layer, path, &stat);
	return source_cache_load(cache, layer, path, &wanted, ret, &problem);
}

static struct loaded *must_load(const char *path, const struct read_options *options)
{
	struct loaded *loaded;

	assert_int_equal(load(path, options, &loaded), 0);
	return loaded;
}

/* Returns the value of the only key. */
static struct span value_of(const struct loaded *loaded)
{
	const struct node *root = loaded->document->roots[0];

	return root->map.pairs[0].value->text;
}

/* Makes a file as old as an unchanged file. */
static void age(const char *path)
{
	const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST_WITH(document_is_read_once_while_the_file_stays, start_cache, end_cache)
{
	write_file("a/x.yaml", "x: 1\n");
	struct loaded *one = must_load("x.yaml", &yaml);
	struct loaded *two = must_load("x.yaml", &yaml);
	assert_ptr_equal(one, two);
	assert_true(span_is(value_of(one), "1"));
	assert_string_equal(one->source.name, "a/x.yaml");
	assert_string_equal(one->source.layer, "a");
	loaded_unref(one);
	loaded_unref(two);
	assert_true(source_cache_bytes(cache) > 0);
}

TEST_WITH(changed_file_is_read_again, start_cache, end_cache)
{
	write_file("a/x.yaml", "x: 1\n");
	struct loaded *one = must_load("x.yaml", &yaml);
	replace_file("a/x.yaml", "x: 2\n");
	struct loaded *two = must_load("x.yaml", &yaml);
	assert_true(span_is(value_of(two), "2"));
	assert_true(span_is(value_of(one), "1"));
	loaded_unref(one);
	loaded_unref(two);
}

/* Returns a version of the source, which holds the source's state. */
static struct version *version_of(const struct loaded *loaded)
{
	struct version *version = version_new(VERSION_BYTES);

	version->stamps = calloc(1, sizeof(*version->stamps));
	version->stamps[version->stamp_count++] = loaded->stamp;
	source_cache_hold(cache, version);
	return version;
}

/* Returns whether the cache has the version's state of the source. */
static bool is_kept(const struct version *version)
{
	struct loaded *loaded = source_cache_find(cache, layer, "x.yaml", &yaml, version);

	loaded_unref(loaded);
	return loaded;
}

TEST_WITH(state_stays_beside_newer_ones_while_a_version_has_it, start_cache, end_cache)
{
	write_file("a/x.yaml", "x: 1\n");
	struct loaded *one = must_load("x.yaml", &yaml);
	size_t bytes = source_cache_bytes(cache);
	struct version *first = version_of(one), *second = version_of(one);

	for (char text[] = "x: 2\n"; text[3] < '5'; text[3]++) {
		replace_file("a/x.yaml", text);
		loaded_unref(must_load("x.yaml", &yaml));
		assert_int_equal(source_cache_bytes(cache), 2 * bytes);
	}
	loaded_unref(one);
	version_unref(second);
	assert_true(is_kept(first));

	/* Without a newer state, it stays for the next version that may have it. */
	one = must_load("x.yaml", &yaml);
	second = version_of(one);
	version_take_sources(first, second);
	version_unref(second);
	assert_int_equal(source_cache_bytes(cache), bytes);
	second = version_narrow(first, first, &(struct mounter){0, 0});
	version_unref(first);
	assert_true(is_kept(second));
	replace_file("a/x.yaml", "x: 6\n");
	loaded_unref(must_load("x.yaml", &yaml));
	assert_true(is_kept(second));
	loaded_unref(one);
	version_unref(second);
	assert_int_equal(source_cache_bytes(cache), bytes);
}

/* Returns a number of which the cache takes the remainder, for the stamp's hold and list. */
static uint64_t hash_of(const struct loaded *loaded)
{
	return hash_end(stamp_add(hash_seed(), &loaded->stamp));
}

TEST_WITH(states_in_one_list_stay_until_their_own_version_goes, start_cache, end_cache)
{
	enum { COUNT = 3, LISTS = 4096 };
	struct loaded *loaded[COUNT];
	struct version *versions[COUNT];
	char name[] = "a/0.yaml";

	for (uint64_t i = 0; i < COUNT; i++, name[2]++) {
		write_file(name, "x: 1\n");
		loaded[i] = must_load(name + 2, &yaml);
		/* The same list, and another hold. */
		while (hash_of(loaded[i]) % (16 * LISTS) != i * LISTS + 1)
			loaded[i]->stamp.size++;
		versions[i] = version_of(loaded[i]);
		replace_file(name, "x: 2\n");
		loaded_unref(must_load(name + 2, &yaml));
	}
	size_t bytes = source_cache_bytes(cache);
	for (size_t left = COUNT; left-- > 0;) {
		static const size_t order[COUNT] = {2, 0, 1};

		version_unref(versions[order[left]]);
		loaded_unref(loaded[order[left]]);
		assert_int_equal(source_cache_bytes(cache), bytes / (2 * COUNT) * (COUNT + left));
		for (size_t i = 0; i < left; i++) {
			struct loaded *held = loaded[order[i]];
			struct loaded *found = source_cache_find(
				cache, layer, held->path, &yaml, versions[order[i]]);
			assert_ptr_equal(found, held);
			loaded_unref(found);
		}
	}
}

TEST_WITH(states_that_versions_have_fit_into_the_limit, start_cache, end_cache)
{
	struct version *versions[100];
	const size_t count = sizeof(versions) / sizeof(versions[0]);
	size_t kept = 0;

	source_cache_free(cache);
	assert_int_equal(source_cache_new(20000, true, &cache), 0);
	write_file("a/other.yaml", "x: 1\n");
	struct loaded *other = must_load("other.yaml", &yaml);
	for (size_t i = 0; i < count; i++) {
		replace_file("a/x.yaml", "x: 1\n");
		struct loaded *loaded = must_load("x.yaml", &yaml);
		versions[i] = version_of(loaded);
		loaded_unref(loaded);
		assert_true(source_cache_bytes(cache) <= 20000);
		assert_true(is_kept(versions[i]));
	}
	for (size_t i = 0; i < count; i++)
		kept += is_kept(versions[i]);
	assert_true(kept < count);
	/* They take no room from another source. */
	struct loaded *again = must_load("other.yaml", &yaml);
	assert_ptr_equal(other, again);
	loaded_unref(other);
	loaded_unref(again);
	/* A version may outlive its cache's owner. */
	source_cache_free(cache);
	for (size_t i = 0; i < count; i++)
		version_unref(versions[i]);
	assert_int_equal(source_cache_new(20000, true, &cache), 0);
}

TEST_WITH(change_that_keeps_the_stamp_is_seen_if_it_is_reported, start_cache, end_cache)
{
	struct problem problem = {0};
	struct stat stat;

	write_file("a/x.yaml", "x: 1\n");
	assert_int_equal(layer_stat(layer, "x.yaml", &stat), 0);
	struct loaded *one = must_load("x.yaml", &yaml);
	/* As on a file system with a coarse clock: its stamp has not moved. */
	write_file("a/x.yaml", "x: 2\n");
	one->stamp = stamp_of(&stat);
	source_cache_touch(cache, "x.yaml");
	struct loaded *two;
	struct source_want wanted = want(&stat, &yaml);
	assert_int_equal(source_cache_load(cache, layer, "x.yaml", &wanted, &two, &problem), 0);
	assert_true(span_is(value_of(two), "2"));
	loaded_unref(one);
	loaded_unref(two);
}

TEST_WITH(change_that_keeps_the_stamp_is_seen_if_it_is_reported_before_the_parse, start_cache,
	end_cache)
{
	write_file("a/x.yaml", "x: 1\n");
	changes = true;
	struct loaded *one = must_load("x.yaml", &yaml);
	assert_false(changes);
	assert_true(span_is(value_of(one), "1"));
	/* As on a file system with a coarse clock: its stamp has not moved. */
	struct stat stat;
	assert_int_equal(layer_stat(layer, "x.yaml", &stat), 0);
	one->stamp = stamp_of(&stat);
	struct loaded *two = must_load("x.yaml", &yaml);
	assert_true(span_is(value_of(two), "2"));
	/* The second one was read after the touch. */
	struct loaded *three = must_load("x.yaml", &yaml);
	assert_ptr_equal(two, three);
	loaded_unref(one);
	loaded_unref(two);
	loaded_unref(three);
}

TEST_WITH(racy_file_is_not_trusted_where_changes_are_not_reported, start_cache, end_cache)
{
	source_cache_free(cache);
	assert_int_equal(source_cache_new(1 << 20, false, &cache), 0);
	write_file("a/x.yaml", "x: 1\n");
	struct loaded *one = must_load("x.yaml", &yaml);
	struct loaded *two = must_load("x.yaml", &yaml);
	assert_ptr_not_equal(one, two);
	loaded_unref(one);
	loaded_unref(two);
}

TEST_WITH(file_is_racy_until_its_clock_has_ticked, start_cache, end_cache)
{
	struct stat stat;

	write_file("a/x.yaml", "x: 1\n");
	assert_int_equal(layer_stat(layer, "x.yaml", &stat), 0);
	assert_true(source_is_racy(&stat));
	/* Its mtime can be set, its ctime can't. */
	age("a/x.yaml");
	assert_int_equal(layer_stat(layer, "x.yaml", &stat), 0);
	assert_true(source_is_racy(&stat));
	stat.st_ctim = stat.st_mtim;
	assert_false(source_is_racy(&stat));
}

TEST_WITH(ways_of_reading_are_kept_apart, start_cache, end_cache)
{
	const struct read_options others[] = {
		{.format = &format_yaml, .keep_duplicates = true},
		{.format = &format_yaml, .schema = NODE_YAML_1_2},
		{.format = &format_json},
	};

	write_file("a/x.yaml", "{\"x\": 1}\n");
	struct loaded *one = must_load("x.yaml", &yaml);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct loaded *other = must_load("x.yaml", &others[i]);
		assert_ptr_not_equal(one, other);
		loaded_unref(other);
	}
	struct loaded *bytes = must_load("x.yaml", NULL);
	assert_null(bytes->document);
	assert_true(span_is(bytes->text, "{\"x\": 1}\n"));
	assert_int_equal(bytes->text.data[bytes->text.len], '\0');
	loaded_unref(bytes);
	struct loaded *again = must_load("x.yaml", &yaml);
	assert_ptr_equal(one, again);
	loaded_unref(one);
	loaded_unref(again);
}

TEST_WITH(what_was_not_used_longest_goes_first, start_cache, end_cache)
{
	char name[32];
	struct loaded *loaded;

	source_cache_free(cache);
	assert_int_equal(source_cache_new(100000, true, &cache), 0);
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "a/x%d.yaml", i);
		write_file(name, "x: 1\n");
		loaded_unref(must_load(name + 2, &yaml));
		loaded_unref(loaded = must_load("x0.yaml", &yaml));
		assert_true(source_cache_bytes(cache) <= 100000);
	}
	/* It was used all the time. */
	assert_ptr_equal(must_load("x0.yaml", &yaml), loaded);
	loaded_unref(loaded);
}

TEST_WITH(cache_that_gets_smaller_keeps_what_was_used_last, start_cache, end_cache)
{
	write_file("a/x.yaml", "x: 1\n");
	loaded_unref(must_load("x.yaml", &yaml));
	size_t bytes = source_cache_bytes(cache);
	write_file("a/y.yaml", "x: 1\n");
	struct loaded *loaded = must_load("y.yaml", &yaml);
	source_cache_limit(cache, 2 * bytes - 1);
	assert_int_equal(source_cache_bytes(cache), bytes);
	assert_ptr_equal(must_load("y.yaml", &yaml), loaded);
	loaded_unref(loaded);
	loaded_unref(loaded);
}

/*
 * As after a change of every file; the source that was not used for longest is then the next one
 * needed.
 */
TEST_WITH(round_over_more_than_fits_finds_some_of_it_from_the_round_before, start_cache, end_cache)
{
	enum { COUNT = 300 };
	static struct loaded *before[COUNT];
	char name[32];
	int found = 0;

	write_file("a/x0.yaml", "x: 1\n");
	loaded_unref(must_load("x0.yaml", &yaml));
	size_t room = source_cache_bytes(cache) * COUNT * 3 / 5;
	source_cache_free(cache);
	assert_int_equal(source_cache_new(room, true, &cache), 0);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < COUNT; i++) {
			snprintf(name, sizeof(name), "a/x%d.yaml", i);
			if (round == 0)
				write_file(name, "x: 1\n");
			struct loaded *loaded = must_load(name + 2, &yaml);
			found += round == 2 && loaded == before[i];
			loaded_unref(before[i]);
			before[i] = loaded;
		}
	assert_true(source_cache_bytes(cache) <= room);
	assert_true(source_cache_bytes(cache) > room / 2);
	assert_in_range(found, COUNT / 4, COUNT * 3 / 4);
	for (int i = 0; i < COUNT; i++)
		loaded_unref(before[i]);
}

TEST_WITH(what_is_used_again_finds_room_in_a_full_cache, start_cache, end_cache)
{
	char name[32];
	struct loaded *first = NULL;
	struct loaded *again = NULL;

	source_cache_free(cache);
	assert_int_equal(source_cache_new(100000, true, &cache), 0);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "a/x%d.yaml", i);
		write_file(name, "x: 1\n");
		loaded_unref(must_load(name + 2, &yaml));
	}
	write_file("a/new.yaml", "x: 1\n");
	for (int i = 0; i < 64 && (!first || again != first); i++) {
		loaded_unref(first);
		first = again;
		again = must_load("new.yaml", &yaml);
	}
	assert_ptr_equal(again, first);
	loaded_unref(first);
	loaded_unref(again);
}

TEST_WITH(source_larger_than_the_cache_is_read_all_the_same, start_cache, end_cache)
{
	source_cache_free(cache);
	assert_int_equal(source_cache_new(10, true, &cache), 0);
	write_file("a/x.yaml", "x: 1\n");
	struct loaded *loaded = must_load("x.yaml", &yaml);
	assert_true(span_is(value_of(loaded), "1"));
	loaded_unref(loaded);
	assert_int_equal(source_cache_bytes(cache), 0);
}

TEST_WITH(missing_file_has_moved, start_cache, end_cache)
{
	struct loaded *loaded;

	assert_int_equal(load("none.yaml", &yaml, &loaded), SOURCE_MOVED);
	assert_int_equal(load("none/none.yaml", &yaml, &loaded), SOURCE_MOVED);
	make_directory("a/dir.yaml");
	assert_int_equal(load("dir.yaml", &yaml, &loaded), SOURCE_MOVED);
	assert_int_equal(mkfifo("a/pipe.yaml", 0644), 0);
	assert_int_equal(load("pipe.yaml", &yaml, &loaded), SOURCE_MOVED);
}

TEST_WITH(source_over_the_limit_is_refused_with_the_remedy, start_cache, end_cache)
{
	const struct read_options *const ways[] = {&yaml, NULL};

	for (int i = 0; i < 2; i++) {
		struct problem problem = {0};
		struct loaded *loaded;
		struct stat stat;
		struct source_want wanted = want(&stat, ways[i]);

		wanted.bytes_max = 10;
		write_file("a/x.yaml", "x: 3456789\n");
		assert_int_equal(layer_stat(layer, "x.yaml", &stat), 0);
		assert_int_equal(
			source_cache_load(cache, layer, "x.yaml", &wanted, &loaded, &problem),
			PROBLEM);
		assert_string_equal(problem.source, "a/x.yaml");
		assert_non_null(strstr(problem.message, "limit of 10 bytes"));
		write_file("a/x.yaml", "x: 345678\n");
		assert_int_equal(layer_stat(layer, "x.yaml", &stat), 0);
		assert_int_equal(
			source_cache_load(cache, layer, "x.yaml", &wanted, &loaded, &problem), 0);
		loaded_unref(loaded);
	}
}

TEST_WITH(broken_source_is_not_kept, start_cache, end_cache)
{
	struct problem problem = {0};
	struct loaded *loaded = NULL;
	struct stat stat;

	write_file("a/x.yaml", "x: [\n");
	assert_int_equal(layer_stat(layer, "x.yaml", &stat), 0);
	struct source_want wanted = want(&stat, &yaml);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			source_cache_load(cache, layer, "x.yaml", &wanted, &loaded, &problem),
			PROBLEM);
	assert_string_equal(problem.source, "a/x.yaml");
	assert_true(problem.line > 0);
	assert_int_equal(source_cache_bytes(cache), 0);
	assert_null(loaded);
}

TEST_WITH(cleared_cache_keeps_nothing, start_cache, end_cache)
{
	write_file("a/x.yaml", "x: 1\n");
	struct loaded *loaded = must_load("x.yaml", &yaml);
	source_cache_clear(cache);
	assert_int_equal(source_cache_bytes(cache), 0);
	assert_true(span_is(value_of(loaded), "1"));
	loaded_unref(loaded);
}
