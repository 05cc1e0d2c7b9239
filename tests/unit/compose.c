/*
 * The version of one path, from its sources: bytes, rights, time, and the problem if there can be
 * none.
 */
#include "compose.h"

#include "environment.h"
#include "view_fixture.h"

static struct settings *settings;
static struct composer composer;
static struct problem problem;

static void start_composer(const char *yaml)
{
	settings = settings_with(yaml);
	assert_int_equal(source_cache_new(1 << 20, true, &composer.cache), 0);
	composer.settings = settings;
	composer.mounter = (struct mounter){geteuid(), getegid()};
	problem = (struct problem){0};
}

static int end_composer(void **state)
{
	source_cache_free(composer.cache);
	settings_unref(settings);
	composer = (struct composer){0};
	settings = NULL;
	return tear_down(state);
}

static int make(const char *path, struct version **ret)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	struct path_list asked = {0};

	*ret = NULL;
	assert_non_null(lookup);
	union_look_up(settings, union_all_layers(settings), path, lookup);
	assert_true(lookup->kind == UNION_FILE || lookup->kind == UNION_LINK);
	int r = compose(&composer, path, lookup, &asked, ret, &problem);
	path_list_fini(&asked);
	return r;
}

static struct version *must_make(const char *path)
{
	struct version *version;
	int r = make(path, &version);

	if (r != 0)
		fail_msg("%s: %d %s", path, r, problem.message);
	return version;
}

#define assert_bytes(version, text)                                                                \
	do {                                                                                       \
		assert_int_equal((version)->size, strlen(text));                                   \
		assert_memory_equal((version)->data, text, strlen(text));                          \
	} while (0)

TEST_WITH(layers_merge_lowest_first, set_up, end_composer)
{
	write_file("a/x.yaml", "x: 1\ny: 1\n");
	write_file("b/x.yaml", "x: 2\n");
	write_file("c/x.yaml", "z: 3\n");
	start_composer("a:b:c");
	CLEANUP(version_unrefp) struct version *version = must_make("x.yaml");
	assert_bytes(version, "x: 2\ny: 1\nz: 3\n");
	assert_int_equal(version->kind, VERSION_BYTES);
	assert_string_equal(version->layers, "a:b:c");
	assert_string_equal(version->strategy, "deep");
	assert_int_equal(version->stamp_count, 3);
}

TEST_WITH(file_of_one_layer_is_served_byte_for_byte, set_up, end_composer)
{
	static const char odd[] = "x:   1 # comment\r\n\n...\n";

	write_file("b/x.yaml", odd);
	start_composer("a:b:c");
	CLEANUP(version_unrefp) struct version *version = must_make("x.yaml");
	assert_bytes(version, odd);
	assert_string_equal(version->layers, "b");
}

TEST_WITH(empty_file_is_empty, set_up, end_composer)
{
	write_file("a/x.txt", "");
	start_composer("a:b");
	CLEANUP(version_unrefp) struct version *version = must_make("x.txt");
	assert_bytes(version, "");
}

TEST_WITH(link_is_its_target, set_up, end_composer)
{
	struct stat stat;

	assert_int_equal(symlink("../../etc/passwd", "b/x"), 0);
	start_composer("a:b");
	CLEANUP(version_unrefp) struct version *version = must_make("x");
	assert_bytes(version, "../../etc/passwd");
	version_stat(version, &stat);
	assert_int_equal(stat.st_mode, S_IFLNK | 0777);
}

TEST_WITH(time_is_the_newest_contributors, set_up, end_composer)
{
	write_file("a/x.yaml", "x: 1\n");
	write_file("b/x.yaml", "x: 2\n");
	write_file("c/x.yaml", "x: 3\n");
	run("touch -d @1000 a/x.yaml; touch -d @3000 b/x.yaml; touch -d @2000 c/x.yaml");
	start_composer("a:b:c");
	CLEANUP(version_unrefp) struct version *version = must_make("x.yaml");
	assert_int_equal(version->mtime.tv_sec, 3000);
}

TEST_WITH(sources_that_a_strategy_does_not_look_at_count_for_nothing, set_up, end_composer)
{
	write_file("a/x.txt", "low\n");
	write_file("b/x.txt", "high\n");
	run("touch -d @3000 a/x.txt; touch -d @1000 b/x.txt; chmod 600 a/x.txt");
	start_composer("a:b");
	CLEANUP(version_unrefp) struct version *version = must_make("x.txt");
	assert_bytes(version, "high\n");
	assert_int_equal(version->mode, S_IFREG | 0444);
	assert_int_equal(version->mtime.tv_sec, 1000);
	assert_string_equal(version->layers, "b");
}

TEST_WITH(mode_is_the_and_and_never_writes_or_sets_an_id, set_up, end_composer)
{
	write_file("a/x.yaml", "x: 1\n");
	write_file("b/x.yaml", "y: 1\n");
	assert_int_equal(chmod("a/x.yaml", 06777), 0);
	assert_int_equal(chmod("b/x.yaml", 04750), 0);
	start_composer("a:b");
	CLEANUP(version_unrefp) struct version *version = must_make("x.yaml");
	assert_int_equal(version->mode, S_IFREG | 0550);
}

TEST_WITH(large_file_of_one_layer_is_held_and_not_copied, set_up, end_composer)
{
	char byte;

	write_file("a/x.bin", "x");
	assert_int_equal(truncate("a/x.bin", COMPOSE_HELD_BYTES + 1), 0);
	write_file("a/y.bin", "x");
	assert_int_equal(truncate("a/y.bin", COMPOSE_HELD_BYTES), 0);
	start_composer("a:b");
	CLEANUP(version_unrefp) struct version *held = must_make("x.bin");
	assert_int_equal(held->kind, VERSION_HELD);
	assert_int_equal(held->size, COMPOSE_HELD_BYTES + 1);
	assert_int_equal(version_read(held, &byte, 1, 0), 1);
	assert_int_equal(byte, 'x');
	CLEANUP(version_unrefp) struct version *copied = must_make("y.bin");
	assert_int_equal(copied->kind, VERSION_BYTES);
}

TEST_WITH(problem_has_the_source_and_the_line, set_up, end_composer)
{
	struct version *version;

	write_file("a/x.yaml", "x: 1\n");
	write_file("b/x.yaml", "x: 1\ny: [\n");
	start_composer("a:b");
	assert_int_equal(make("x.yaml", &version), PROBLEM);
	assert_null(version);
	assert_string_equal(problem.source, "b/x.yaml");
	assert_true(problem.line >= 2);
}

TEST_WITH(broken_layer_is_skipped_where_that_is_asked_for, set_up, end_composer)
{
	write_file("a/x.yaml", "x: 1\n");
	write_file("b/x.yaml", "y: [\n");
	write_file("c/x.yaml", "z: 1\n");
	start_composer("layers: [a, b, c]\noptions: {on_error: skip-layer}\n");
	CLEANUP(version_unrefp) struct version *version = must_make("x.yaml");
	assert_bytes(version, "x: 1\nz: 1\n");
	assert_string_equal(version->layers, "a:c");
	assert_string_equal(problem.source, "b/x.yaml");
}

TEST_WITH(layer_whose_source_has_an_escaped_name_is_skipped, set_up, end_composer)
{
	write_file("a/\x01.yaml", "x: 1\n");
	write_file("b/\x01.yaml", "x: [1]\n");
	start_composer("layers: [a, b]\noptions: {on_error: skip-layer}\n"
		       "rules: [{match: '*', options: {kinds: strict}}]\n");
	CLEANUP(version_unrefp) struct version *version = must_make("\x01.yaml");
	assert_bytes(version, "x: 1\n");
	assert_string_equal(problem.source, "b/\\x01.yaml");
}

TEST_WITH(layer_left_alone_by_skipping_is_served_byte_for_byte, set_up, end_composer)
{
	write_file("a/x.yaml", "x:   1\n");
	write_file("b/x.yaml", "y: [\n");
	start_composer("layers: [a, b]\noptions: {on_error: skip-layer}\n");
	CLEANUP(version_unrefp) struct version *version = must_make("x.yaml");
	assert_bytes(version, "x:   1\n");
}

TEST_WITH(all_layers_broken_is_a_problem_even_where_they_are_skipped, set_up, end_composer)
{
	struct version *version;

	write_file("a/x.yaml", "x: [\n");
	write_file("b/x.yaml", "y: [\n");
	start_composer("layers: [a, b]\noptions: {on_error: skip-layer}\n");
	assert_int_equal(make("x.yaml", &version), PROBLEM);
	assert_null(version);
}

TEST_WITH(source_that_went_away_is_no_problem_but_to_be_looked_at_again, set_up, end_composer)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	struct version *version = NULL;
	struct path_list asked = {0};

	write_file("a/x.yaml", "x: 1\n");
	write_file("b/x.yaml", "y: 1\n");
	assert_int_equal(symlink("t", "a/link"), 0);
	start_composer("a:b");
	union_look_up(settings, 3, "x.yaml", lookup);
	unlink("a/x.yaml");
	assert_int_equal(
		compose(&composer, "x.yaml", lookup, &asked, &version, &problem), COMPOSE_MOVED);
	union_look_up(settings, 3, "link", lookup);
	unlink("a/link");
	assert_int_equal(
		compose(&composer, "link", lookup, &asked, &version, &problem), COMPOSE_MOVED);
	write_file("a/link", "");
	assert_int_equal(
		compose(&composer, "link", lookup, &asked, &version, &problem), COMPOSE_MOVED);
	assert_null(version);
	assert_string_equal(problem.message, "");
	path_list_fini(&asked);
}

TEST_WITH(what_can_not_be_looked_at_is_a_problem_with_its_name, set_up, end_composer)
{
	struct version *version;

	write_file("a/x.yaml", "x: 1\n");
	assert_int_equal(symlink("x.yaml", "b/x.yaml"), 0); /* a link to itself */
	start_composer("layers: [a, {path: b, follow: true}]\noptions: {on_error: fail}\n");
	assert_int_equal(make("x.yaml", &version), PROBLEM);
	assert_non_null(strstr(problem.source, "b/x.yaml"));
}

TEST_WITH(broken_version_has_the_rights_that_a_good_one_would_have, set_up, end_composer)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(version_unrefp) struct version *version = NULL;

	write_file("a/x.yaml", "x: [\n");
	write_file("b/x.yaml", "y: 1\n");
	assert_int_equal(chmod("b/x.yaml", 0640), 0);
	start_composer("a:b");
	union_look_up(settings, 3, "x.yaml", lookup);
	assert_int_equal(compose_broken(&composer, "x.yaml", lookup, &version), 0);
	assert_int_equal(version->kind, VERSION_BROKEN);
	assert_int_equal(version->mode, S_IFREG | 0440);
	assert_string_equal(version->layers, "a:b");
}

/* In `given`, the files that a strategy may ask for. */
static int find_given(void *context, const char *directory, const char *name, size_t skip,
	char **ret, layer_mask *layers)
{
	(void)context;
	if (skip > 0)
		return FINDER_ABSENT;
	*layers = 3;
	return asprintf(ret, "%s/%s", directory, name) < 0 ? -ENOMEM : 0;
}

static const struct finder given_finder = {.find = find_given};

TEST_WITH(
	what_a_strategy_asked_for_is_reported_and_counts_for_rights_and_time, set_up, end_composer)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct path_list asked = {0};

	make_directory("a/data");
	write_file("a/data/n.yaml", "n: 1\n");
	write_file("a/x.yaml", "_merge: [n, n]\n");
	run("chmod 600 a/data/n.yaml; touch -d @1000 a/x.yaml; touch -d @2000 a/data/n.yaml");
	start_composer("layers: [a, b]\nrules:\n  - {match: x.yaml, strategy: pillar, options: "
		       "{data_path: data}}\n");
	composer.finder = &given_finder;
	union_look_up(settings, 3, "x.yaml", lookup);
	assert_int_equal(compose(&composer, "x.yaml", lookup, &asked, &version, &problem), 0);
	assert_int_equal(asked.count, 2);
	assert_string_equal(asked.paths[0], "data");
	assert_string_equal(asked.paths[1], "n.yaml");
	assert_int_equal(version->mode, S_IFREG | 0400);
	assert_int_equal(version->mtime.tv_sec, 2000);
	path_list_fini(&asked);
	version_unref(take_ptr(version));
	assert_int_equal(compose(&composer, "x.yaml", lookup, NULL, &version, &problem), 0);
}

static int begun, ended;

static void note_begin(void *context, const struct source *source)
{
	(void)context;
	(void)source;
	begun++;
}

static void note_end(void *context, const struct loaded *loaded, struct span text)
{
	(void)context;
	(void)loaded;
	(void)text;
	ended++;
}

TEST_WITH(a_source_that_can_not_be_read_is_observed_to_its_end, set_up, end_composer)
{
	static const struct source_observer observer = {note_begin, note_end, NULL};
	struct version *version;

	write_file("a/x.yaml", "x: 1\n");
	write_file("b/x.yaml", "x: [\n");
	start_composer("a:b");
	source_cache_observe(composer.cache, &observer);
	assert_int_equal(make("x.yaml", &version), PROBLEM);
	assert_int_equal(begun, 2);
	assert_int_equal(ended, 2);
}

TEST_WITH(missing_reference_is_reported_as_asked_for, set_up, end_composer)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();
	struct version *version = NULL;
	struct path_list asked = {0};

	write_file("a/x.yaml", "_merge: gone\n");
	start_composer("layers: [a, b]\nrules:\n  - {match: x.yaml, strategy: pillar, options: "
		       "{data_path: data}}\n");
	composer.finder = &given_finder;
	union_look_up(settings, 3, "x.yaml", lookup);
	assert_int_equal(compose(&composer, "x.yaml", lookup, &asked, &version, &problem), PROBLEM);
	assert_int_equal(asked.count, 2);
	assert_string_equal(asked.paths[1], "gone.yaml");
	path_list_fini(&asked);
}

TEST_WITH(version_is_current_while_its_sources_stamps_are_the_same, set_up, end_composer)
{
	CLEANUP(union_lookup_freep) struct union_lookup *lookup = union_lookup_new();

	write_file("a/x.yaml", "x: 1\n");
	write_file("b/x.yaml", "y: 1\n");
	start_composer("a:b");
	CLEANUP(version_unrefp) struct version *version = must_make("x.yaml");
	union_look_up(settings, 3, "x.yaml", lookup);
	/* Racy: the next change might not move the stamp. */
	assert_false(compose_is_current(&composer, "x.yaml", lookup, version));
	assert_int_equal(compose_basis(&composer, "x.yaml", lookup, 1), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct stat *stat = &lookup->found[i].stat;
		stat->st_mtim.tv_sec -= 100;
		stat->st_ctim.tv_sec -= 100;
		version->stamps[1 - i] = stamp_of(stat);
	}
	assert_true(compose_is_current(&composer, "x.yaml", lookup, version));

	uint64_t basis = compose_basis(&composer, "x.yaml", lookup, 1);
	assert_int_not_equal(basis, 0);
	assert_int_equal(compose_basis(&composer, "x.yaml", lookup, 1), basis);
	assert_int_not_equal(compose_basis(&composer, "x.yaml", lookup, 2), basis);
	assert_int_not_equal(compose_basis(&composer, "y.yaml", lookup, 1), basis);
	assert_int_equal(compose_basis(&composer, "x.yaml", lookup, 0), 0);
	lookup->found[0].stat.st_ctim.tv_nsec ^= 1;
	assert_int_not_equal(compose_basis(&composer, "x.yaml", lookup, 1), basis);
	lookup->found[0].stat.st_ctim.tv_nsec ^= 1;
	lookup->found[0].layer ^= 1;
	assert_int_not_equal(compose_basis(&composer, "x.yaml", lookup, 1), basis);
	lookup->found[0].layer ^= 1;
	lookup->found[0].error = EACCES;
	assert_int_equal(compose_basis(&composer, "x.yaml", lookup, 1), 0);
	lookup->found[0].error = 0;
	lookup->found[0].path = "x.yaml.d/x.yaml";
	assert_int_equal(compose_basis(&composer, "x.yaml", lookup, 1), 0);
	lookup->found[0].path = NULL;
	lookup->whiteout_error = EIO;
	assert_int_equal(compose_basis(&composer, "x.yaml", lookup, 1), 0);
	lookup->whiteout_error = 0;

	version->stamps[0].size++;
	assert_false(compose_is_current(&composer, "x.yaml", lookup, version));
	version->stamps[0].size--;
	lookup->count = 1;
	assert_false(compose_is_current(&composer, "x.yaml", lookup, version));
}
