/*
 * Programs of plyfs.yaml: which program runs for which path, and which files are trusted to name
 * it.
 */
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"
#include "test.h"

#define CHECKED "layers: [low]\nrules: [{match: '*.yaml', check: [cat, '%f']}]\n"

static int make_tree(void **state)
{
	if (enter_place(state))
		return -1;
	run("mkdir -p low below/low");
	return 0;
}

static struct settings *read_settings(const char *text)
{
	struct settings *settings = NULL;
	struct problem problem = {0};

	write_file("plyfs.yaml", text);
	if (settings_read(NULL, "plyfs.yaml", &settings, &problem) != 0)
		fail_msg("%u: %s", problem.line, problem.message);
	return settings;
}

static void is_refused(const char *path, const char *what)
{
	struct settings *settings = NULL;
	struct problem problem = {0};

	assert_int_equal(settings_read(NULL, path, &settings, &problem), PROBLEM);
	if (!strstr(problem.message, what))
		fail_msg("no '%s' in: %s", what, problem.message);
	assert_int_equal(problem.line, 2);
}

static void is_taken(const char *path)
{
	struct settings *settings = NULL;
	struct problem problem = {0};

	if (settings_read(NULL, path, &settings, &problem) != 0)
		fail_msg("%s", problem.message);
	settings_unref(settings);
}

TEST_WITH(rule_and_virtual_file_have_their_own, make_tree, leave_place)
{
	struct settings *settings = read_settings(
		"layers: [low]\n"
		"rules:\n"
		" - {match: 'a.yaml', check: [one, '%f'], on_change: [two], user: daemon, timeout: "
		"3s}\n"
		" - {match: '*.yaml', check: {run: [three, '%f'], user: games}, user: daemon}\n"
		"files: [{path: v.yaml, from: x, check: {run: [four, '%f'], timeout: 1m}}]\n"
		"options: {on_change: [five]}\n");
	const struct program *check = settings_check(settings, "a.yaml");

	assert_string_equal(check->words[0], "one");
	assert_string_equal(check->user, "daemon");
	assert_int_equal(check->timeout_ms, 3000);
	assert_string_equal(settings_on_change(settings, "a.yaml")->words[0], "two");
	assert_string_equal(settings_on_change(settings, "a.yaml")->user, "daemon");
	check = settings_check(settings, "b.yaml");
	assert_string_equal(check->words[0], "three");
	assert_string_equal(check->user, "games");
	assert_int_equal(check->timeout_ms, PROGRAM_TIMEOUT_MS);
	check = settings_check(settings, "v.yaml");
	assert_string_equal(check->words[0], "four");
	assert_null(check->user);
	assert_int_equal(check->timeout_ms, 60000);
	assert_null(settings_check(settings, "other"));
	assert_string_equal(settings_on_change(settings, "other")->words[0], "five");
	settings_unref(settings);
}

TEST_WITH(words_have_the_file_in_place_of_percent_f, make_tree, leave_place)
{
	struct settings *settings = read_settings("layers: [low]\nrules:\n - {match: a, check: "
						  "[x, '--file=%f', '%%f', '%f%%%f', '%%']}\n");
	const struct program *check = settings_check(settings, "a");
	struct arena *arena;

	assert_int_equal(arena_new(&arena), 0);
	char **words = program_words(check, "/p", arena);
	assert_string_equal(words[0], "x");
	assert_string_equal(words[1], "--file=/p");
	assert_string_equal(words[2], "%f");
	assert_string_equal(words[3], "/p%/p");
	assert_string_equal(words[4], "%");
	assert_null(words[5]);
	char *key = program_key(check);
	assert_string_equal(key, "10000 - 1:x 9:--file=%f 3:%%f 6:%f%%%f 2:%%");
	free(key);
	arena_free(arena);
	settings_unref(settings);
}

TEST(programs_that_differ_have_different_keys)
{
	const char *words[] = {"x", NULL}, *more[] = {"a", "x", NULL};
	const struct program programs[] = {{.words = words}, {.words = words, .user = "-"},
		{.words = words, .is_optional = true}, {.words = more},
		{.words = words, .user = "- 1:a"}, {.words = words, .user = "1:-"}};
	enum { COUNT = sizeof(programs) / sizeof(*programs) };
	char *keys[COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		keys[i] = program_key(&programs[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(keys[i], keys[j]);
	}
	for (size_t i = 0; i < COUNT; i++)
		free(keys[i]);
}

TEST_WITH(settings_that_others_can_write_name_no_program, make_tree, leave_place)
{
	write_file("plyfs.yaml", CHECKED);
	is_taken("plyfs.yaml");
	assert_int_equal(chmod("plyfs.yaml", 0664), 0);
	is_refused("plyfs.yaml", "plyfs.yaml has the mode 0664: chmod go-w it");
	assert_int_equal(chmod("plyfs.yaml", 0646), 0);
	is_refused("plyfs.yaml", "plyfs.yaml has the mode 0646");
	/* Without a program, any user may have written them. */
	write_file("plyfs.yaml", "layers: [low]\n");
	assert_int_equal(chmod("plyfs.yaml", 0666), 0);
	is_taken("plyfs.yaml");
}

TEST_WITH(settings_of_another_user_name_no_program, make_tree, leave_place)
{
	if (geteuid() != 0)
		skip();
	write_file("plyfs.yaml", CHECKED);
	assert_int_equal(chown("plyfs.yaml", 1, 1), 0);
	is_refused("plyfs.yaml", "plyfs.yaml belongs to the user 1: chown it to root");
	assert_int_equal(chown("plyfs.yaml", 0, 1), 0);
	is_taken("plyfs.yaml");
	assert_int_equal(chown(".", 1, 0), 0);
	is_refused("plyfs.yaml",
		", on the way to plyfs.yaml, belongs to the user 1: chown it to root");
	assert_int_equal(chown(".", 0, 0), 0);
}

TEST_WITH(directory_that_others_can_write_counts, make_tree, leave_place)
{
	write_file("below/plyfs.yaml", CHECKED);
	is_taken("below/plyfs.yaml");
	assert_int_equal(chmod("below", 0777), 0);
	is_refused("below/plyfs.yaml", "/below, on the way to below/plyfs.yaml, belongs to the "
				       "user 0 and has the mode 0777: chmod go-w it");
	assert_int_equal(chmod("below", 01777), 0);
	is_taken("below/plyfs.yaml");
	assert_int_equal(chmod("below", 0755), 0);
	assert_int_equal(chmod(".", 0770), 0);
	is_refused("below/plyfs.yaml", " has the mode 0770: chmod go-w it");
}

TEST_WITH(links_to_settings_count_with_their_directories, make_tree, leave_place)
{
	write_file("below/plyfs.yaml", CHECKED);
	assert_int_equal(mkdir("links", 0755), 0);
	assert_int_equal(symlink("../below/plyfs.yaml", "links/plyfs.yaml"), 0);
	assert_int_equal(mkdir("links/low", 0755), 0);
	is_taken("links/plyfs.yaml");
	assert_int_equal(chmod("links", 0777), 0);
	is_refused(
		"links/plyfs.yaml", "/links, on the way to links/plyfs.yaml, belongs to the user");
	assert_int_equal(chmod("links", 0755), 0);
	assert_int_equal(chmod("below", 0777), 0);
	is_refused(
		"links/plyfs.yaml", "/below, on the way to links/plyfs.yaml, belongs to the user");
}

/* The owner of a link in the middle of the path chooses what runs. */
TEST_WITH(each_link_on_the_way_counts, make_tree, leave_place)
{
	if (geteuid() != 0)
		skip();
	write_file("below/plyfs.yaml", CHECKED);
	assert_int_equal(symlink("below", "turned"), 0);
	assert_int_equal(symlink("turned", "first"), 0);
	is_taken("first/plyfs.yaml");
	assert_int_equal(lchown("turned", 1, 1), 0);
	is_refused("first/plyfs.yaml", "/turned, on the way to first/plyfs.yaml, belongs to the "
				       "user 1: chown -h it to root");
	is_refused("first/../below/plyfs.yaml", "the link ");
	is_taken("below/plyfs.yaml");
	/* Above another link, past "..", and in a directory that any user may write in. */
	assert_int_equal(lchown("turned", 0, 0), 0);
	assert_int_equal(mkdir("theirs", 0755), 0);
	assert_int_equal(symlink("../below", "theirs/link"), 0);
	is_taken("theirs/link/plyfs.yaml");
	assert_int_equal(chown("theirs", 1, 1), 0);
	is_refused("theirs/link/plyfs.yaml", "the directory ");
	is_refused("theirs/link/plyfs.yaml", "/theirs, on the way to theirs/link/plyfs.yaml");
	is_refused("theirs/../below/plyfs.yaml", "/theirs, on the way to");
	assert_int_equal(chown("theirs", 0, 0), 0);
	assert_int_equal(chmod("theirs", 01777), 0);
	is_taken("theirs/link/plyfs.yaml");
	assert_int_equal(lchown("theirs/link", 1, 1), 0);
	is_refused("theirs/link/plyfs.yaml", "the link ");
}

/* The same holds for everything else that decides what runs, and only if something runs. */
TEST_WITH(schemas_and_programs_are_trusted_alike, make_tree, leave_place)
{
	if (geteuid() != 0)
		skip();
	write_file("s.json", "{}");
	assert_int_equal(symlink("s.json", "link.json"), 0);
	assert_int_equal(lchown("link.json", 1, 1), 0);
	write_file("plyfs.yaml", "layers: [low]\nrules: [{match: a, schema: link.json}]\n");
	is_taken("plyfs.yaml");
	write_file("plyfs.yaml",
		"layers: [low]\nrules: [{match: a, check: [cat, '%f'], schema: link.json}]\n");
	is_refused("plyfs.yaml", "link.json belongs to the user 1: chown -h it to root");
	assert_int_equal(lchown("link.json", 0, 0), 0);
	is_taken("plyfs.yaml");
	write_file("run", "#!/bin/sh\n");
	char text[PATH_MAX + 128], here[PATH_MAX];
	assert_non_null(getcwd(here, sizeof(here)));
	snprintf(text, sizeof(text), "layers: [low]\nrules: [{match: a, check: [%s/run, '%%f']}]\n",
		here);
	write_file("plyfs.yaml", text);
	is_taken("plyfs.yaml");
	assert_int_equal(chown("run", 1, 1), 0);
	is_refused("plyfs.yaml", "/run belongs to the user 1: chown it to root");
	snprintf(text, sizeof(text),
		"layers: [low]\nrules: [{match: a, check: {run: [%s/run, '%%f'], user: daemon}}]\n",
		here);
	write_file("plyfs.yaml", text);
	is_taken("plyfs.yaml");
	assert_int_equal(chown("run", 2, 2), 0);
	is_refused("plyfs.yaml", "/run belongs to the user 2");
}

/* What is written to, and read again by the next mount, is no other user's choice, either. */
TEST_WITH(directories_of_states_are_trusted_alike, make_tree, leave_place)
{
	char here[PATH_MAX], text[2 * PATH_MAX];

	if (geteuid() != 0)
		skip();
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(mkdir("theirs", 0755), 0);
	assert_int_equal(symlink("below", "turned"), 0);
	snprintf(text, sizeof(text),
		"layers: [low]\noptions: {state: %s/theirs/new, on_error: last-good}\n", here);
	write_file("plyfs.yaml", text);
	is_taken("plyfs.yaml");
	assert_int_equal(chown("theirs", 1, 1), 0);
	is_refused("plyfs.yaml", "/theirs, on the way to ");
	assert_int_equal(mkdir("theirs/new", 0700), 0);
	is_refused("plyfs.yaml", "/theirs, on the way to ");
	snprintf(text, sizeof(text), "layers: [low]\noptions: {state: %s/turned/}\n", here);
	write_file("plyfs.yaml", text);
	is_taken("plyfs.yaml");
	assert_int_equal(lchown("turned", 1, 1), 0);
	is_refused("plyfs.yaml", "/turned/ belongs to the user 1: chown -h it to root");
	snprintf(text, sizeof(text),
		"layers:\n - {git: {url: 'https://h/r', ref: main, state: %s/theirs/base}}\n",
		here);
	write_file("plyfs.yaml", text);
	is_refused("plyfs.yaml", "/theirs, on the way to ");
}

TEST_WITH(programs_are_read_without_opening_a_layer, make_tree, leave_place)
{
	struct settings *settings = read_settings(CHECKED), *programs = NULL;
	struct problem problem = {0};

	assert_int_equal(rmdir("low"), 0);
	assert_int_equal(
		settings_outline(&settings->around, settings->text.path, &programs, &problem), 0);
	assert_int_equal(programs->layer_count, 0);
	assert_string_equal(settings_check(programs, "a.yaml")->words[0], "cat");
	settings_unref(programs);
	settings_unref(settings);
}

/* Returns the name of the command, as plyfs.yaml has it. */
static void is_called(const char *command, const char *expected)
{
	char text[1024], name[PROGRAM_NAME_MAX];

	snprintf(text, sizeof(text), "layers: [low]\nrules: [{match: '*', check: [%s, '%%f']}]\n",
		command);
	struct settings *settings = read_settings(text);
	program_name(settings_check(settings, "x"), name);
	settings_unref(settings);
	if (strcmp(name, expected) != 0)
		fail_msg("[%s] is called %s, and not %s", command, name, expected);
}

TEST_WITH(program_is_called_by_what_the_shell_starts, make_tree, leave_place)
{
	is_called("promtool, check, config", "promtool");
	is_called("/usr/sbin/visudo, -cf", "visudo");
	is_called("sh, -c, 'promtool check config \"$1\"', sh", "promtool");
	is_called("bash, -euc, 'set -e; exec /usr/bin/promtool check \"$1\"', sh", "promtool");
	is_called("bash, -o, pipefail, -c, 'cd /tmp && nginx -t -c \"$1\"', sh", "nginx");
	is_called("sh, -c, 'command -v promtool >/dev/null || exit 0; exec promtool \"$1\"', sh",
		"promtool");
	is_called("sh, -c, 'if ! LANG=C jq . \"$1\" >/dev/null; then exit 1; fi', sh", "jq");
	is_called("sh, -c, 'told=$(haproxy -c -f \"$1\" 2>&1) || { echo $told; exit 1; }', sh",
		"haproxy");
	is_called("sh, -c, 'timeout 5 env A=b php -l \"$1\"', sh", "php");
	is_called("sh, -c, 'sed s/a/b/ \"$1\" >x 2>&1; jq . x', sh", "jq");
	is_called("sh, -c, 'echo checking >&2 && jq . \"$1\"', sh", "jq");
	is_called("sh, -c, 'echo checking & jq . \"$1\"', sh", "jq");
	is_called("sh, -c, '# the tool\n\ntool \"$1\"', sh", "tool");
	is_called("env, A=b, -u, C, timeout, -k, 5, 10, nice, -n, 5, sshd, -t", "sshd");
	is_called("sudo, -u, bind, named-checkconf", "named-checkconf");
	is_called("sh, /usr/local/bin/check-it", "check-it");
	is_called("python3, /usr/local/bin/check.py", "check.py");
	is_called("python3, -m, yamllint", "yamllint");
	is_called("python3, -c, 'import yaml'", "python3");
	/* A script that judges by itself. */
	is_called("sh, -c, 'grep -q x \"$1\" || { echo no x; exit 1; }', sh", "sh");
	is_called("sh, -c, '\"$TOOL\" \"$1\"', sh", "sh");
	is_called("sh, -c, ':'", "sh");
	is_called("sh", "sh");
	is_called("env, A=b", "env");
}

int main(void)
{
	umask(022);
	return tests_run(NULL, NULL);
}
