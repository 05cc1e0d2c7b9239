/* What a plyfs.yaml may contain and what it means; settings_bad.c has what it may not contain. */
#include "settings_fixture.h"

#include <pthread.h>

static void assert_rule(const struct settings *settings, const char *path, const char *strategy)
{
	assert_string_equal(settings_rule(settings, path)->options.strategy->name, strategy);
}

TEST(layers_alone_are_enough)
{
	CLEANUP(settings_unrefp) struct settings *settings = must_read("layers: [a, b]\n");

	assert_string_equal(settings->text.path, "plyfs.yaml");
	assert_int_equal(settings->layer_count, 2);
	assert_string_equal(settings->layers[0]->name, "a");
	assert_string_equal(settings->layers[1]->path, "b");
	assert_int_equal(settings->layers[0]->rank, 0);
	assert_int_equal(settings->layers[1]->rank, 1);
	assert_int_equal(settings->specs[0].presence, LAYER_EXPECTED);
	assert_false(settings->layers[0]->follow);
	assert_int_equal(settings->file_count, 0);
	assert_int_equal(settings->options.coherence, COHERENCE_CACHED);
	assert_int_equal(settings->options.on_error, ON_ERROR_LAST_GOOD);
	assert_int_equal(settings->options.yaml, NODE_YAML_1_1);
	assert_true(settings->options.header);
	assert_int_equal(settings->options.poll_ms, 1000);
	assert_int_equal(settings->options.cache_mib, 64);
	assert_memory_equal(
		&settings->options.limits, &LIMITS_DEFAULT, sizeof(settings->options.limits));
}

TEST(without_rules_yaml_and_json_merge_and_the_rest_is_last)
{
	CLEANUP(settings_unrefp) struct settings *settings = must_read("layers: [a]\nrules:\n");
	const struct rule *rule = settings_rule(settings, "app.yaml");

	assert_rule(settings, "dir/sub/app.yml", "deep");
	assert_rule(settings, "app.jsonc", "deep");
	assert_rule(settings, "dir/app.toml", "deep");
	assert_rule(settings, "app.json", "deep");
	assert_rule(settings, ".hidden.yaml", "deep");
	assert_rule(settings, "app.yaml.bak", "last");
	assert_rule(settings, "app.yaml/x", "last");
	assert_rule(settings, "app.", "last");
	assert_rule(settings, "yaml", "last");
	assert_rule(settings, "", "last");
	assert_int_equal(rule->line, 0);
	assert_null(rule->source.name);
	assert_int_equal(rule->dropins, DROPINS_NONE);
}

TEST(the_first_rule_that_matches_wins)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = must_read("layers: [a]\n"
					      "rules:\n"
					      "  - {match: app.yaml, strategy: first}\n"
					      "  - match: ['*.yaml', 'motd.d/*']\n"
					      "    strategy: concat\n"
					      "    dropins: true\n"
					      "  - {match: app.yaml, strategy: last}\n"
					      "  - {match: raw/**}\n");
	const struct rule *rule;

	assert_rule(settings, "app.yaml", "first");
	assert_rule(settings, "b.yaml", "concat");
	assert_rule(settings, "motd.d/10", "concat");
	assert_rule(settings, "raw/x", "deep");
	assert_rule(settings, "dir/b.yaml", "deep");
	rule = settings_rule(settings, "motd.d/10");
	assert_string_equal(rule->match, "motd.d/*");
	assert_int_equal(rule->dropins, DROPINS_LAYERS);
	assert_string_equal(rule->source.name, "plyfs.yaml");
	assert_int_equal(rule->line, 4);
	assert_int_equal(settings_rule(settings, "app.yaml")->dropins, DROPINS_NONE);
}

TEST(a_rules_options_reach_its_strategy)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = must_read(
		"layers: [a]\n"
		"rules: [{match: 'm/*', strategy: concat, options: {separator: '--'}}]\n");
	const struct options *options = &settings_rule(settings, "m/x")->options;

	assert_true(span_is(options_text(options, "separator"), "--"));
}

TEST(virtual_files_are_found_by_their_paths)
{
	CLEANUP(settings_unrefp)
	struct settings *settings =
		must_read("layers: [a]\n"
			  "files:\n"
			  "  - {path: motd, from: 'motd.d/*', strategy: concat}\n"
			  "  - {path: etc/app.yaml, from: [app.yaml, 'conf.d/*.yaml']}\n"
			  "  - {path: etc-2, from: [x]}\n");
	const struct virtual_file *file = settings_file(settings, "etc/app.yaml");

	assert_non_null(file);
	assert_int_equal(file->from_count, 2);
	assert_string_equal(file->from[1], "conf.d/*.yaml");
	assert_string_equal(file->rule.options.strategy->name, "deep");
	assert_int_equal(file->place->line, 4);
	assert_string_equal(settings_file(settings, "motd")->rule.options.strategy->name, "concat");
	assert_null(settings_file(settings, "etc"));
	assert_null(settings_file(settings, "app.yaml"));
}

TEST(a_format_is_the_rules_then_the_names_then_that_of_the_whole_file)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = must_read("layers: [a]\n"
					      "rules:\n"
					      "  - {match: '**/*.cnf', format: ini}\n"
					      "  - {match: 'odd.yaml', format: json}\n"
					      "files:\n"
					      "  - {path: x.yaml, from: 'x/*', format: toml}\n"
					      "  - {path: y.cnf, from: 'y/*'}\n");

	assert_ptr_equal(settings_format(settings, "my.cnf"), &format_ini);
	assert_ptr_equal(settings_format(settings, "odd.yaml"), &format_json);
	assert_ptr_equal(settings_format(settings, "a.yaml"), &format_yaml);
	assert_null(settings_format(settings, "motd"));
	assert_ptr_equal(settings_format(settings, "x.yaml"), &format_toml);
	assert_null(settings_format(settings, "y.cnf"));

	assert_ptr_equal(settings_source_format(settings, "my.cnf", "my.cnf"), &format_ini);
	assert_ptr_equal(settings_source_format(settings, "my.cnf", "my.cnf.d/1.cnf"), &format_ini);
	assert_ptr_equal(settings_source_format(settings, "my.cnf", "my.cnf.d/1"), &format_ini);
	assert_ptr_equal(
		settings_source_format(settings, "my.cnf", "my.cnf.d/1.yaml"), &format_yaml);
	assert_ptr_equal(settings_source_format(settings, "x.yaml", "x/1"), &format_toml);
	assert_ptr_equal(settings_source_format(settings, "x.yaml", "x/1.cnf"), &format_ini);
	assert_ptr_equal(settings_source_format(settings, "a.service", "a.service.d/1.conf"),
		&format_systemd);
	/* JSON is YAML, too. */
	assert_null(settings_source_format(settings, "odd.yaml", "odd.yaml.d/1"));
}

TEST(units_are_shown_whole_and_other_formats_of_texts_merge)
{
	CLEANUP(settings_unrefp) struct settings *settings = must_read("layers: [a]\n");

	assert_rule(settings, "a.service", "last");
	assert_rule(settings, "d/a.network", "last");
	assert_rule(settings, "d/a.ini", "deep");
	assert_rule(settings, "a.desktop", "deep");
	assert_rule(settings, ".env", "deep");
	assert_rule(settings, "d/app.env", "deep");
	assert_rule(settings, "app.properties", "deep");
}

TEST(every_option_can_be_set)
{
	CLEANUP(settings_unrefp)
	struct settings *settings =
		must_read("layers: [a]\n"
			  "options:\n"
			  "  coherence: strict\n"
			  "  on_error: skip-layer\n"
			  "  header: true\n"
			  "  schema: 1.2\n"
			  "  poll_interval: 250ms\n"
			  "  cache_mib: 0\n"
			  "  limits: {source: 1M, result: 1GiB, depth: 7, nodes: 99, time: 2s}\n");

	assert_int_equal(settings->options.coherence, COHERENCE_STRICT);
	assert_int_equal(settings->options.on_error, ON_ERROR_SKIP_LAYER);
	assert_int_equal(settings->options.yaml, NODE_YAML_1_2);
	assert_true(settings->options.header);
	assert_int_equal(settings->options.poll_ms, 250);
	assert_int_equal(settings->options.cache_mib, 0);
	assert_int_equal(settings->options.limits.source_bytes, 1 << 20);
	assert_int_equal(settings->options.limits.result_bytes, 1 << 30);
	assert_int_equal(settings->options.limits.depth, 7);
	assert_int_equal(settings->options.limits.nodes, 99);
	assert_int_equal(settings->options.limits.time_ms, 2000);
}

TEST(sizes_and_times_have_units)
{
	static const struct {
		const char *size, *time;
		size_t bytes;
		unsigned ms;
	} cases[] = {
		{"4096", "10ms", 4096, 10},
		{"64K", "2s", 65536, 2000},
		{"64KiB", "1m", 65536, 60000},
		{"'3MiB'", "60m", 3 << 20, 3600000},
		{"1G", "3600s", 1 << 30, 3600000},
	};

	for (size_t i = 0; i < ELEMENTS(cases); i++) {
		struct settings *settings;
		char text[256];

		(void)snprintf(text, sizeof(text),
			"layers: [a]\noptions: {limits: {source: %s}, poll_interval: %s}\n",
			cases[i].size, cases[i].time);
		settings = must_read(text);
		assert_int_equal(settings->options.limits.source_bytes, cases[i].bytes);
		assert_int_equal(settings->options.poll_ms, cases[i].ms);
		settings_unref(settings);
	}
}

TEST(settings_live_as_long_as_somebody_holds_them)
{
	struct settings *settings = must_read(
		"layers: [a]\nrules: [{match: x, strategy: concat, options: {separator: s}}]\n");
	struct settings *second = settings_ref(settings);

	assert_ptr_equal(second, settings);
	settings_unref(settings);
	/* The options' text lies in the document, which must still exist. */
	assert_true(span_is(options_text(&settings_rule(second, "x")->options, "separator"), "s"));
	settings_unref(second);
	settings_unref(NULL);
}

static void *count_up_and_down(void *settings)
{
	for (int i = 0; i < 10000; i++)
		settings_unref(settings_ref(settings));
	return NULL;
}

TEST(references_are_counted_by_many_threads)
{
	struct settings *settings = must_read("layers: [a]\n");
	pthread_t threads[4];

	for (size_t i = 0; i < ELEMENTS(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_up_and_down, settings), 0);
	for (size_t i = 0; i < ELEMENTS(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(settings->references, 1);
	settings_unref(settings);
}

TEST(what_is_no_file_is_not_read)
{
	static const struct {
		const char *path;
		const char *expected;
	} cases[] = {
		{"none.yaml", "none.yaml: can't be opened: there is no such file or directory; "
			      "check its path"},
		{"dir", "dir: is a directory; settings are read from a file"},
		{"pipe", "pipe: is no regular file; settings are read from a file"},
		{"/dev/zero", "/dev/zero: is no regular file; settings are read from a file"},
		{"", "can't be opened: there is no such file or directory; check its path"},
		{"huge", "huge: is larger than 1048576 bytes; is this a plyfs.yaml?"},
	};

	write_old_file("huge", "");
	assert_int_equal(truncate("huge", (off_t)1 << 40), 0);
	for (size_t i = 0; i < ELEMENTS(cases); i++) {
		struct settings *settings = NULL;
		struct problem problem = {0};
		int r = settings_read(NULL, cases[i].path, &settings, &problem);

		assert_problem(r, &problem, cases[i].expected);
		assert_null(settings);
	}
}

TEST(no_text_makes_it_crash_or_hang)
{
	static const char good[] =
		"layers: [a, {path: b, name: x}]\n"
		"rules: [{match: ['*', b], options: {lists: {a: append}}}]\n"
		"files: [{path: p/q, from: [x, 'y/*'], strategy: concat}]\n"
		"options: {limits: {depth: 3}, poll_interval: 2s, schema: 1.2}\n";
	static const char bytes[] = "{}[]:,-*&!|>'\"%#@ \n\t\\x09\xff";
	uint32_t seed = 1;

	for (int round = 0; round < 4000; round++) {
		struct settings *settings = NULL;
		struct problem problem = {0};
		char text[sizeof(good)];
		int r;

		memcpy(text, good, sizeof(good));
		for (int i = 0; i < 1 + round % 4; i++) {
			seed = seed * 1664525u + 1013904223u;
			text[(seed >> 8) % (sizeof(good) - 1)] =
				bytes[(seed >> 20) % sizeof(bytes)];
		}
		write_bytes("plyfs.yaml", text, sizeof(good) - 1);
		r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
		assert_true(r == 0 || (r == PROBLEM && !settings && problem.message[0]));
		settings_unref(settings);
	}
}

/* plyfs.yaml with `entries` entries that have 200 patterns each, by an alias. */
static void write_many(const char *first, const char *entry, int entries)
{
	FILE *file = fopen("plyfs.yaml", "we");

	assert_non_null(file);
	assert_true(fprintf(file, "layers: [a]\n%s &p [b", first) > 0);
	for (int i = 1; i < 200; i++)
		assert_true(fputs(",b", file) >= 0);
	assert_true(fputs("]}\n", file) >= 0);
	for (int i = 1; i < entries; i++)
		assert_true(fprintf(file, entry, i) > 0);
	assert_int_equal(fclose(file), 0);
}

TEST(patterns_are_counted_with_their_aliases)
{
	struct settings *settings = NULL;
	struct problem problem = {0};
	int r;

	write_many("rules:\n- {match:", "- {match: *p, options: {}} # %d\n", 20);
	settings_unref(must_read_file("plyfs.yaml"));
	write_many("rules:\n- {match:", "- {match: *p, options: {}} # %d\n", 21);
	r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	assert_problem(r, &problem,
		"plyfs.yaml:3:1: the rules have 4200 patterns; at most 4096 are allowed");

	write_many("files:\n- {path: x, from:", "- {path: %d, from: *p}\n", 20);
	settings_unref(must_read_file("plyfs.yaml"));
	write_many("files:\n- {path: x, from:", "- {path: %d, from: *p}\n", 21);
	r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	assert_problem(r, &problem,
		"plyfs.yaml:23:3: up to here, the virtual files have more than the 4096 patterns "
		"that are allowed");
}

TEST(anchors_and_merge_keys_work_in_settings)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = must_read("layers: [a]\n"
					      "rules:\n"
					      "  - &r {match: x, strategy: concat, dropins: true}\n"
					      "  - {<<: *r, match: y}\n");
	const struct rule *rule = settings_rule(settings, "y");

	assert_string_equal(rule->options.strategy->name, "concat");
	assert_int_equal(rule->dropins, DROPINS_LAYERS);
	assert_int_equal(rule->line, 4);
}

TEST(a_word_for_drop_ins_may_be_quoted)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = must_read("layers: [a]\n"
					      "rules:\n"
					      "  - {match: a, dropins: 'true'}\n"
					      "  - {match: b, dropins: 'false'}\n"
					      "  - {match: c, dropins: 'uapi'}\n");

	assert_int_equal(settings_rule(settings, "a")->dropins, DROPINS_LAYERS);
	assert_int_equal(settings_rule(settings, "b")->dropins, DROPINS_NONE);
	assert_int_equal(settings_rule(settings, "c")->dropins, DROPINS_UAPI);
}

int main(void)
{
	return tests_run(make_tree, leave_place);
}
