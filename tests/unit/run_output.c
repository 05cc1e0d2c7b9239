/*
 * Output of check programs: its places become those of the sources.
 */
#include "run_output.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "strategy.h"
#include "test.h"

#define AT "/run/plyfs/run-x/base.yml"

/* The even lines of the merged file are the site's. */
static const char merged[] = "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\ng: 7\nh: 8\ni: 9\n";
static const char vendor[] = "a: 1\nb: 0\nc: 3\nd: 0\ne: 5\nf: 0\ng: 7\nh: 0\ni: 9\n";
static const char site[] = "# site's\n\nb: 2\nd: 4\nf: 6\nh: 8\n";

static struct line_map *map;

static int make_map(void **state)
{
	const struct merge_input inputs[] = {
		{.source = {.name = "vendor/base.yml", .rank = 0, .layer = "vendor"},
			.text = span_of(vendor)},
		{.source = {.name = "site/base.yml", .rank = 1, .layer = "site"},
			.text = span_of(site)}};
	struct options options = {.strategy = strategy_find(span_of("deep"))};
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	struct merge_request request = {.path = "base.yml",
		.inputs = inputs,
		.count = 2,
		.options = &options,
		.limits = LIMITS_DEFAULT,
		.wants_origins = true};
	struct problem problem = {0};

	(void)state;
	if (merge_run(&request, &result, &problem) != 0 ||
		line_map_make(&request, result, &map) != 0)
		fail_msg("%s", problem.message);
	assert_int_equal(strlen(merged), result->text.len);
	return 0;
}

static int free_map(void **state)
{
	(void)state;
	line_map_freep(&map);
	return 0;
}

/* Returns the problem of that output as text. */
static void reads(const char *program, const char *output, const char *expected)
{
	struct run_result result = {.workspace = "/run/plyfs/run-x"};
	struct problem problem;
	char text[2 * PROBLEM_MESSAGE_MAX];

	snprintf(result.output, sizeof(result.output), "%s", output);
	run_output_read(&result, "sub/base.yml", program, map, &problem);
	problem_format(&problem, text, sizeof(text));
	if (strcmp(text, expected) != 0)
		fail_msg("%s\nis read as  %s\nand not as  %s", output, text, expected);
}

TEST(every_way_to_tell_a_place_is_understood)
{
	reads("promtool", "Checking " AT "\n" AT ": 4:6: group \"x\": could not parse",
		"promtool: site/base.yml:4:6: group \"x\": could not parse");
	reads("promtool",
		"Checking " AT "\n  FAILED: parsing YAML file " AT
		": yaml: unmarshal errors:\n  line 3: field c not found",
		"promtool: vendor/base.yml:3: field c not found");
	reads("nginx",
		"nginx: [emerg] unknown directive \"x\" in " AT ":2\nnginx: configuration file " AT
		" test failed",
		"nginx: site/base.yml:3: [emerg] unknown directive \"x\" | configuration file "
		"sub/base.yml test failed");
	reads("sshd",
		AT ": line 5: Bad configuration option: Foo\n" AT
		   ": terminating, 1 bad configuration options",
		"sshd: vendor/base.yml:5: Bad configuration option: Foo | sub/base.yml: "
		"terminating, 1 bad configuration options");
	reads("sshd", AT " line 5: no argument", "sshd: vendor/base.yml:5: no argument");
	reads("visudo", AT ":2:10: syntax error", "visudo: site/base.yml:3:10: syntax error");
	reads("named-checkconf", AT ":7: unknown option 'x'",
		"named-checkconf: vendor/base.yml:7: unknown option 'x'");
	reads("haproxy",
		"[NOTICE]   (1) : haproxy version is 2.6\n[ALERT]    (1) : config : parsing [" AT
		":2] : unknown keyword 'x'",
		"haproxy: site/base.yml:3: [ALERT]    (1) : config : parsing [site/base.yml:3] : "
		"unknown keyword 'x'");
	reads("jq", "jq: parse error: Expected separator between values at line 3, column 2",
		"jq: vendor/base.yml:3:2: parse error: Expected separator between values");
	reads("jq", "jq: error (at <stdin>:3): x is no number",
		"jq: vendor/base.yml:3: error (at vendor/base.yml:3): x is no number");
	reads("php",
		"PHP Parse error:  syntax error, unexpected '=' in " AT
		" on line 4\nErrors parsing " AT,
		"php: site/base.yml:4: PHP Parse error:  syntax error, unexpected '=' | Errors "
		"parsing sub/base.yml");
	reads("systemd-analyze", AT ":3: Unknown key name 'X' in section 'Unit', ignoring.",
		"systemd-analyze: vendor/base.yml:3: Unknown key name 'X' in section 'Unit', "
		"ignoring.");
	reads("check.py",
		"Traceback (most recent call last):\n  File \"/usr/bin/check.py\", line 3, in "
		"<module>\n"
		"yaml.scanner.ScannerError: mapping values are not allowed here\n  in \"" AT
		"\", line 2, column 4",
		"check.py: site/base.yml:3:4: Traceback (most recent call last): | File "
		"\"/usr/bin/check.py\", line 3, in "
		"<module> | yaml.scanner.ScannerError: mapping values are not allowed here | in "
		"site/base.yml:3:4");
	reads("yamllint", AT "\n  2:1       error    duplication of key  (key-duplicates)",
		"yamllint: site/base.yml:3:1: error    duplication of key  (key-duplicates)");
	reads("apachectl", "AH00526: Syntax error on line 2 of " AT ":\nInvalid command 'X'",
		"apachectl: site/base.yml:3: AH00526: Syntax error | Invalid command 'X'");
	reads("x", "base.yml(2): no such thing here", "x: site/base.yml:3: no such thing here");
	reads("x", "Error at line 2: no such thing",
		"x: site/base.yml:3: Error at site/base.yml:3: no such thing");
}

TEST(the_copy_is_never_named_and_its_quotes_go_with_it)
{
	reads("ruby",
		AT ":3:in `parse': (" AT "): did not find expected key at line 2 column 1 (x)",
		"ruby: vendor/base.yml:3: in `parse': (sub/base.yml): did not find expected key at "
		"site/base.yml:3:1 (x)");
	reads("grafana", "Error: failed to parse \"" AT "\": no delimiter found: b on line 2",
		"grafana: site/base.yml:3: Error: failed to parse \"sub/base.yml\": no delimiter "
		"found: b");
	reads("crontab", "\"" AT "\":2: bad minute", "crontab: site/base.yml:3: bad minute");
	reads("python", "  File \"" AT "\", line 2\n    b: 2\nSyntaxError: invalid syntax",
		"python: site/base.yml:3: File site/base.yml:3 | b: 2 | SyntaxError: invalid "
		"syntax");
	reads("dnsmasq", "dnsmasq: bad option here at line 2 of " AT,
		"dnsmasq: site/base.yml:3: bad option here");
	reads("chrony", "Fatal: could not parse x at line 2 in file '" AT "'",
		"chrony: site/base.yml:3: Fatal: could not parse x");
	reads("caddy", "Error: unrecognized directive: x, at " AT ":2",
		"caddy: site/base.yml:3: Error: unrecognized directive: x");
	reads("nft", AT ":2:1-3: Error: syntax error",
		"nft: site/base.yml:3:1: Error: syntax error");
	reads("x", "bad input given in line=2 col=3 of " AT,
		"x: site/base.yml:3:3: bad input given");
	reads("x", "syntax error at row 2 col 3", "x: site/base.yml:3:3: syntax error");
	reads("x", AT "#L2: bad input given", "x: site/base.yml:3: bad input given");
	reads("x", "line 2 of /etc/other/base.yml: bad input given",
		"sub/base.yml: line 2 of /etc/other/base.yml: bad input given");
}

TEST(other_places_are_left_alone)
{
	/* A place of the program's own, or in another file. */
	reads("x", "  File \"/usr/bin/check.py\", line 3, in main",
		"sub/base.yml: File \"/usr/bin/check.py\", line 3, in main");
	reads("x", "/etc/other.conf:3: bad", "sub/base.yml: /etc/other.conf:3: bad");
	reads("x", "sh: line 1: y: command not found",
		"sub/base.yml: sh: line 1: y: command not found");
	reads("x", "/other/base.yml:3: bad", "sub/base.yml: /other/base.yml:3: bad");
	reads("x", AT ": 3 errors found", "sub/base.yml: sub/base.yml: 3 errors found");
	reads("x", "base.yml2:3: bad", "sub/base.yml: base.yml2:3: bad");
	/* A place in the merged file, if no source has the line. */
	reads("x", AT ":99:1: bad thing here", "x: sub/base.yml:99:1: bad thing here");
}

TEST(hostile_output_is_harmless)
{
	char output[RUN_OUTPUT_MAX];
	static const char *const pieces[] = {AT, ":", "line ", "99999999999", "\"", "\n", " ", "(",
		"base.yml", "-", "\xff", "2:3"};
	struct run_result result = {.workspace = "/run/plyfs/run-x"};
	struct problem problem;
	uint32_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		size_t used = 0;
		while (used < 100) {
			seed = seed * 1103515245u + 12345u;
			used += (size_t)snprintf(output + used, sizeof(output) - used, "%s",
				pieces[(seed >> 16) % (sizeof(pieces) / sizeof(*pieces))]);
		}
		strcpy(result.output, output);
		run_output_read(&result, "sub/base.yml", "x", map, &problem);
		run_output_read(&result, "", "", NULL, &problem);
	}
}

int main(void)
{
	return tests_run(make_map, free_map);
}
