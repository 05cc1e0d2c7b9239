/* How the layers of a plyfs.yaml and of a command line are found and named. */
#include "settings_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <sys/resource.h>

#include "skip.h"

TEST(layers_are_named_by_their_paths_unless_they_have_names)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = must_read("layers:\n"
					      "  - a\n"
					      "  - {path: dir/a/}\n"
					      "  - {path: b, name: a-2}\n"
					      "  - {path: ., optional: yes, follow: on}\n"
					      "  - /\n"
					      "  - {path: missing, optional: true}\n");

	assert_string_equal(settings->layers[0]->name, "a");
	assert_string_equal(settings->layers[1]->name, "a-3");
	assert_string_equal(settings->layers[2]->name, "a-2");
	assert_string_equal(settings->layers[3]->name, "layer");
	assert_true(settings->layers[3]->follow);
	assert_int_equal(settings->specs[3].presence, LAYER_OPTIONAL);
	assert_string_equal(settings->layers[4]->name, "layer-2");
	assert_int_equal(settings->layers[5]->dirfd, -1);
	assert_string_equal(settings->layers[5]->name, "missing");
}

TEST(a_layer_excludes_what_git_and_editors_keep_unless_it_says_otherwise)
{
	CLEANUP(settings_unrefp)
	struct settings *settings =
		must_read("layers:\n"
			  "  - a\n"
			  "  - {path: b, exclude: []}\n"
			  "  - {path: c, exclude: ['d/**', 'e\\/**', '**/*.key', 'x,y']}\n"
			  "  - {path: dir, exclude: '*.bak'}\n"
			  "  - {path: dir/a, exclude: }\n");
	static const struct {
		const char *path;
		const char *excluded_by; /* a digit each */
	} cases[] = {
		{"app.yaml", ""},
		{"", ""},
		{".git", "04"},
		{".git/config", "04"},
		{"sub/.git/objects/ab", "04"},
		{".gitignore", ""},
		{"x.git", ""},
		{"app.yaml~", "04"},
		{"~/app.yaml", ""},
		{"~", ""},
		{"sub/.app.yaml.swp", "04"},
		{"sub/.swp", "04"},
		{"app.swp", ""},
		{".#app.yaml", "04"},
		{"#app.yaml#", "04"},
		{"#app.yaml", ""},
		{".hidden", ""},
		{"d", "2"},
		{"d/x", "2"},
		{"d/x/y", "2"},
		{"dd", ""},
		{"e", "2"},
		{"e/x/y", "2"},
		{"ee", ""},
		{"x/d", ""},
		{"x/a.key", "2"},
		{"a.key/below/it", "2"},
		{"x,y", "2"},
		{"x", ""},
		{"a.bak", "3"},
		{"x/a.bak", ""},
	};

	for (size_t i = 0; i < ELEMENTS(cases); i++)
		for (unsigned layer = 0; layer < 5; layer++) {
			bool wanted = strchr(cases[i].excluded_by, (int)('0' + layer));
			if (layer_excludes(settings->layers[layer], cases[i].path) != wanted)
				fail_msg("'%s' in layer %u", cases[i].path, layer);
		}
}

TEST(what_is_excluded_can_not_be_reached)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = must_read("layers: [{path: ., exclude: ['dir/**', file]}]\n");
	const struct layer *layer = settings->layers[0];
	struct stat stat;
	char *target;

	assert_int_equal(layer_stat(layer, "dir/a", &stat), -ENOENT);
	assert_int_equal(layer_open_file(layer, "file", &stat), -ENOENT);
	assert_int_equal(layer_open_directory(layer, "dir"), -ENOENT);
	assert_int_equal(layer_open_path(layer, "dir/a"), -ENOENT);
	assert_int_equal(layer_read_link(layer, "file", &target), -ENOENT);
	assert_int_equal(layer_list(layer, "dir/a", NULL, NULL), -ENOENT);
	assert_int_equal(layer_stat(layer, "a", &stat), 0);
}

TEST(relative_layers_begin_where_plyfs_yaml_is)
{
	char absolute[PATH_MAX], text[2 * PATH_MAX];
	struct settings *settings;

	(void)snprintf(absolute, sizeof(absolute), "%s/b", place);
	(void)snprintf(text, sizeof(text), "layers: [a, ../b, '%s']\n", absolute);
	write_old_file("dir/plyfs.yaml", text);
	settings = must_read_file("dir/plyfs.yaml");
	assert_string_equal(settings->layers[0]->path, "dir/a");
	assert_string_equal(settings->layers[1]->path, "dir/../b");
	assert_string_equal(settings->layers[2]->path, absolute);
	settings_unref(settings);
}

TEST(percent_letters_stand_for_the_machine_and_the_user)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = must_read("layers:\n"
					      "  - {path: 'none/%H', optional: true}\n"
					      "  - {path: 'none/%u.%%', optional: true}\n");
	char expected[PATH_MAX], host[256];
	const struct passwd *user = getpwuid(geteuid());

	assert_int_equal(gethostname(host, sizeof(host)), 0);
	(void)snprintf(expected, sizeof(expected), "none/%s", host);
	assert_string_equal(settings->layers[0]->path, expected);
	assert_non_null(user);
	(void)snprintf(expected, sizeof(expected), "none/%s.%%", user->pw_name);
	assert_string_equal(settings->layers[1]->path, expected);
}

TEST(home_comes_from_the_user_data_base_when_the_environment_has_none)
{
	struct settings *settings;
	char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
	const struct passwd *user = getpwuid(geteuid());
	char expected[PATH_MAX];

	assert_int_equal(setenv("HOME", "relative", 1), 0);
	settings = must_read("layers: [{path: '%h/no such', optional: true}]\n");
	(void)snprintf(expected, sizeof(expected), "%s/no such", user->pw_dir);
	assert_string_equal(settings->layers[0]->path, expected);
	settings_unref(settings);

	assert_int_equal(setenv("HOME", place, 1), 0);
	settings = must_read("layers: ['%h/a']\n");
	(void)snprintf(expected, sizeof(expected), "%s/a", place);
	assert_string_equal(settings->layers[0]->path, expected);
	settings_unref(settings);
	assert_int_equal(home ? setenv("HOME", home, 1) : unsetenv("HOME"), 0);
	free(home);
}

TEST(an_unreadable_layer_is_reported)
{
	bool is_root = geteuid() == 0;
	struct settings *settings = NULL;
	struct problem problem = {0};
	int r;

	write_old_file("plyfs.yaml", "layers: [a, locked]\n");
	assert_int_equal(mkdir("locked", 0), 0);
	if (is_root) {
		assert_int_equal(chmod(".", 0711), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_problem(r, &problem,
		"plyfs.yaml:1:13: the layer directory 'locked' can't be read: permission denied; "
		"allow it, or mount as a user with that right");
	assert_int_equal(rmdir("locked"), 0);
}

TEST(the_machine_id_is_taken_from_etc)
{
	struct settings *settings = NULL;
	struct problem problem = {0};
	char id[64] = "", expected[64];
	int fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC), r;
	ssize_t len = fd < 0 ? 0 : read(fd, id, sizeof(id) - 1);

	if (fd >= 0)
		close(fd);
	write_old_file("plyfs.yaml", "layers: [{path: '%m', optional: true}]\n");
	r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	assert_int_equal(r, 0);
	(void)snprintf(expected, sizeof(expected), "%.32s", len < 32 ? "%m" : id);
	assert_string_equal(settings->layers[0]->path, expected);
	settings_unref(settings);
}

/* As in a container: no user has this number, and so no name. */
TEST(an_optional_layer_whose_path_has_no_value_is_missing)
{
	struct settings *settings = NULL;
	struct problem problem = {0};
	int r;

	if (geteuid() != 0)
		skip();
	write_old_file("plyfs.yaml", "layers: [{path: '%u', optional: true}]\n");
	assert_int_equal(mkdir("%u", 0700), 0);
	assert_int_equal(chmod(".", 0755), 0);
	assert_int_equal(seteuid(4000000), 0);
	r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(rmdir("%u"), 0);
	assert_int_equal(r, 0);
	assert_int_equal(settings->layers[0]->dirfd, -1);
	assert_string_equal(settings->layers[0]->path, "%u");
	settings_unref(settings);

	write_old_file("plyfs.yaml", "layers: ['%u']\n");
	assert_int_equal(seteuid(4000000), 0);
	r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	assert_int_equal(seteuid(0), 0);
	assert_problem(r, &problem,
		"plyfs.yaml:1:10: '%u' has no value: this machine has no user's name; write the "
		"path "
		"out, or mark the layer 'optional: true'");
}

/* Leaves the process with a host name of its own. */
TEST(a_host_name_can_not_choose_another_directory)
{
	static const char hostile[] = "../../home/eve";
	struct settings *settings = NULL;
	struct problem problem = {0};
	int r;

	if (unshare(CLONE_NEWUTS) < 0 || sethostname(hostile, strlen(hostile)) < 0)
		skip_because("the host name can't be changed here");
	write_old_file("plyfs.yaml", "layers: [{path: 'a/%H', optional: true}]\n");
	r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	assert_problem(r, &problem,
		"plyfs.yaml:1:17: '%H' can't be used: the host name '../../home/eve' is no file "
		"name; write the path out");
}

static void assert_fact(const char *facts, const char *expected)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	struct problem problem = {0};

	write_old_file("facts.yaml", facts);
	int r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	if (*expected == '=') {
		assert_int_equal(r, 0);
		assert_string_equal(settings->layers[0]->path, expected + 1);
	} else {
		assert_problem(r, &problem, expected);
	}
}

TEST(a_fact_is_one_name_in_a_path)
{
	write_old_file("plyfs.yaml",
		"facts: facts.yaml\nlayers: [{path: 'x/%{role}-1', optional: true}]\n");
	assert_fact("role: web\n", "=x/web-1");
	assert_fact("role: 5.10\nother: a/b\n", "=x/5.10-1");
	assert_fact("role: on\n", "=x/on-1");
	assert_fact("role: '%H'\n", "=x/%H-1");
	assert_fact("role:\n", "=x/%{role}-1");
	assert_fact("role: ''\n",
		"facts.yaml:1:7: the fact 'role' is '', and it is empty; a fact in plyfs.yaml must "
		"be one name in a path");
	assert_fact("role: ../a\n",
		"facts.yaml:1:7: the fact 'role' is '../a', and it has a slash; a fact in "
		"plyfs.yaml must be one name in a path");
	assert_fact("role: ..\n",
		"facts.yaml:1:7: the fact 'role' is '..', and it leads to another directory; a "
		"fact in plyfs.yaml must be one name in a path");
	assert_fact("role: \"a\\0b\"\n",
		"facts.yaml:1:7: the fact 'role' is 'a', and it has a control character; a fact in "
		"plyfs.yaml must be one name in a path");
	assert_fact("role: \"a\\nb\"\n",
		"facts.yaml:1:7: the fact 'role' is 'a\\x0Ab', and it has a control character; a "
		"fact in plyfs.yaml must be one name in a path");
	assert_fact("role: [a]\n", "facts.yaml:1:7: the fact 'role' must be one value, not a list");
	assert_fact("role: {\n", "facts.yaml:1:7: the '{' is not closed; write '}' where it ends");
	assert_fact("- role\n",
		"facts.yaml:1:1: facts are one map of names to values, as in 'role: web'");
	assert_fact("a b: c\n",
		"facts.yaml:1:1: the name of a fact has only letters, digits, '_', '-' and '.'");
	assert_fact("roles: web\n",
		"plyfs.yaml:2:17: unknown fact 'role', did you mean 'roles'? (allowed: roles); add "
		"it to facts.yaml, or give --fact role=VALUE");
}

/* The bytes of a fact have no meaning in a pattern or a command. */
TEST(facts_in_rules_stand_for_themselves)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct settings_environment around = {.facts = {"a=x", "a=*,{%f"}};
	struct problem problem = {0};

	write_old_file("plyfs.yaml",
		"layers: [a]\nrules:\n"
		"  - {match: 'dir/%{a}.y', strategy: concat, check: [x, '%{a}', '%%{a}', '%f']}\n");
	assert_int_equal(settings_read(&around, "plyfs.yaml", &settings, &problem), 0);
	assert_string_equal(
		settings_rule(settings, "dir/*,{%f.y")->options.strategy->name, "concat");
	assert_string_equal(settings_rule(settings, "dir/b,{%f.y")->options.strategy->name, "last");
	assert_int_equal(arena_new(&arena), 0);
	char **words = program_words(settings_check(settings, "dir/*,{%f.y"), "file", arena);
	assert_string_equal(words[1], "*,{%f");
	assert_string_equal(words[2], "%{a}");
	assert_string_equal(words[3], "file");
}

TEST(what_an_alias_repeats_is_replaced_once)
{
	CLEANUP(settings_unrefp)
	struct settings *settings = must_read("layers: [a]\nrules:\n"
					      "  - {match: &list ['%%u.x', y], strategy: concat}\n"
					      "  - {match: *list, strategy: deep}\n"
					      "  - &rule {match: '%%u.z', strategy: concat}\n"
					      "  - *rule\n");

	assert_string_equal(settings_rule(settings, "%u.x")->options.strategy->name, "concat");
	assert_string_equal(settings_rule(settings, "%u.z")->options.strategy->name, "concat");
	assert_string_equal(settings->rules[2].match, "%u.x");
	assert_string_equal(settings->rules[5].match, "%u.z");
}

TEST(what_many_aliases_repeat_is_in_memory_once)
{
	FILE *file = fopen("plyfs.yaml", "we");
	char text[2001] = "";

	assert_non_null(file);
	memset(text, '%', sizeof(text) - 1);
	assert_true(fprintf(file,
			    "layers: [a]\nrules:\n"
			    "  - {match: x, check: &words [y, '%%f', &text '%s'",
			    text) > 0);
	for (int i = 0; i < 50; i++)
		assert_true(fputs(", *text", file) >= 0);
	assert_true(fputs("]}\n", file) >= 0);
	for (int i = 0; i < 40; i++)
		assert_true(fputs("  - {match: x, check: *words}\n", file) >= 0);
	assert_int_equal(fclose(file), 0);

	CLEANUP(settings_unrefp) struct settings *settings = must_read_file("plyfs.yaml");
	assert_string_equal(settings_check(settings, "x")->words[52], text);
	assert_true(arena_bytes(settings->arena) < 512 << 10);
}

static long most_kib(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

TEST(a_long_pattern_is_refused_without_much_memory)
{
	static const char before[] = "layers: [a]\nrules: [{match: '";
	struct settings *settings = NULL;
	struct problem problem = {0};
	char text[60000] = "";
	size_t len = strlen(before);
	long had_kib = most_kib();

	memset(text, '%', sizeof(text) - 1);
	memcpy(text, before, len);
	memcpy(text + sizeof(text) - 6, "%'}]\n", 6);
	write_old_file("plyfs.yaml", text);
	assert_int_equal(settings_read(NULL, "plyfs.yaml", &settings, &problem), PROBLEM);
	assert_int_equal(problem.line, 2);
	assert_true(most_kib() - had_kib < 100 << 10);
}

static struct settings *from_layers(const char *layers)
{
	struct settings *settings = NULL;
	struct problem problem = {0};

	if (settings_from_layers(NULL, layers, &settings, &problem) != 0)
		fail_msg("%s", problem.message);
	return settings;
}

TEST(layers_on_a_command_line_have_colons_between_them)
{
	CLEANUP(settings_unrefp) struct settings *settings = from_layers("a:dir/a:x\\:y");
	CLEANUP(settings_unrefp) struct settings *single = from_layers("a/../b");

	assert_null(settings->text.path);
	assert_int_equal(settings->layer_count, 3);
	assert_string_equal(settings->layers[0]->path, "a");
	assert_string_equal(settings->layers[1]->name, "a-2");
	assert_string_equal(settings->layers[2]->path, "x:y");
	assert_int_equal(settings->rule_count, 2);
	assert_string_equal(settings_rule(settings, "x/y.yaml")->options.strategy->name, "deep");
	assert_string_equal(settings_rule(settings, "x/y")->options.strategy->name, "last");
	assert_string_equal(single->layers[0]->path, "a/../b");
}

TEST(wrong_layers_on_a_command_line_are_reported)
{
	static const struct {
		const char *layers;
		const char *expected;
	} cases[] = {
		{"", "layer 1 of '' is empty; write DIRECTORY[:DIRECTORY...], lowest precedence "
		     "first, and \\: for a colon in a path"},
		{"a::b", "layer 2 of 'a::b' is empty; write DIRECTORY[:DIRECTORY...], lowest "
			 "precedence first, and \\: for a colon in a path"},
		{"a:", "layer 2 of 'a:' is empty; write DIRECTORY[:DIRECTORY...], lowest "
		       "precedence first, and \\: for a colon in a path"},
		{":a", "layer 1 of ':a' is empty; write DIRECTORY[:DIRECTORY...], lowest "
		       "precedence first, and \\: for a colon in a path"},
		{"a:none", "the layer directory 'none' does not exist; create it, or leave the "
			   "layer out"},
		{"a:no\\\\ne\\", "the layer directory 'no\\ne\\' does not exist; create it, or "
				 "leave the layer out"},
		{"file", "the layer 'file' is not a directory; a layer is a directory of "
			 "configuration files"},
		{"/:~/none", "the layer directory '~/none' does not exist; write $HOME for '~', "
			     "which a shell replaces only where a word begins"},
	};
	const struct settings_environment mount = {.directory = "/here"};
	char many[1200] = "";

	for (size_t i = 0; i < ELEMENTS(cases); i++) {
		struct settings *settings = NULL;
		struct problem problem = {0};
		int r = settings_from_layers(NULL, cases[i].layers, &settings, &problem);

		assert_problem(r, &problem, cases[i].expected);
		assert_null(settings);
	}

	struct settings *settings = NULL;
	struct problem problem = {0};
	assert_problem(settings_from_layers(&mount, "/:~/none", &settings, &problem), &problem,
		"the layer directory '/here/~/none' does not exist; write $HOME for '~', which a "
		"shell replaces only where a word begins");
	for (size_t i = 0; i <= LAYERS_MAX; i++)
		strcat(many, i ? ":/" : "/");
	assert_problem(settings_from_layers(NULL, many, &settings, &problem), &problem,
		"65 layers are more than the 64 that one mount can have; merge some of them in a "
		"mount of their own");

	many[strlen(many) - strlen(":/")] = '\0';
	assert_int_equal(settings_from_layers(NULL, many, &settings, &problem), 0);
	settings_unref(settings);
}

int main(void)
{
	return tests_run(make_tree, leave_place);
}
