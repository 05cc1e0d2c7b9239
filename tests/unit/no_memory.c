/*
 * Each allocation of the merge core fails once: the result is -ENOMEM, and nothing leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing.h"
#include "reading.h"

/* Reads the text, and writes it in each format that can hold it. Returns 0 or -ENOMEM. */
static int round_trip(const struct format *format, struct span text)
{
	const struct source source = {.name = "app.yaml", .layer = "site"};
	const struct read_options options = {.format = format};
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct limits limits = {0};
	struct problem problem;
	struct span written;
	int r;

	r = document_read(&source, text, &options, &document, &problem);
	if (r)
		return r;
	r = arena_new(&arena);
	if (r < 0)
		return r;
	for (const struct format *const *to = format_all(); r >= 0 && *to; to++)
		r = document_write(document->roots[0], *to, &limits, arena, &written, &problem);
	/* Not every format can hold it. */
	return r < 0 ? r : 0;
}

static void fail_each_allocation(const struct format *format, struct span text)
{
	int r = -ENOMEM, n;

	for (n = 0; r; n++) {
		allocations_left = n;
		r = round_trip(format, text);
		allocations_left = INT_MAX;
		if (r && r != -ENOMEM)
			fail_msg("allocation %d fails, and the answer is %d", n, r);
	}
	assert_in_range(n, 5, 10000);
}

static void yaml_without_memory_leaks_nothing(void **state)
{
	char text[40000] = "<<: {a: &a 1, 0x10: *a}\n16: !x 0x1F_FFFF_FFFF_FFFF_FFFF\n";

	(void)state;
	for (int i = 0; i < 500; i++)
		sprintf(text + strlen(text), "key %d: &a%d [!t%d 1, {2: 3}, *a]\n", i, i, i);
	fail_each_allocation(&format_yaml, span_of(text));
}

static void json_without_memory_leaks_nothing(void **state)
{
	char text[40000] = "[";

	(void)state;
	for (int i = 0; i < 500; i++)
		sprintf(text + strlen(text), "{\"key %d\": [%d, \"\\n\"]}, ", i, i);
	strcat(text, "{}]");
	fail_each_allocation(&format_json, span_of(text));
}

static void toml_without_memory_leaks_nothing(void **state)
{
	char text[40000] = "a.b = [0x1F, 1e3, {c = 'd'}]\n8080 = 1979-05-27 07:32:00z\n";

	(void)state;
	for (int i = 0; i < 500; i++)
		sprintf(text + strlen(text), "[[t.t%d]]\n\"a b\".c = \"\"\"\n%d\\u0041\"\"\"\n",
			i % 50, i);
	fail_each_allocation(&format_toml, span_of(text));
}

static void toml_of_yaml_without_memory_leaks_nothing(void **state)
{
	(void)state;
	fail_each_allocation(&format_yaml, span_of("{1: 0644, 2.5: .5, a: 2001-1-2 3:04:05, b: "
						   "!!float 1, c: [-.inf, {d: e}]}"));
}

static void formats_of_lines_without_memory_leak_nothing(void **state)
{
	static const struct {
		const struct format *format;
		const char *line;
	} formats[] = {
		{&format_ini, "[s%d]\nkey %d = a\n  b\nkey\n[s0]\nx=1\n"},
		{&format_systemd, "[s%d]\nKey%d=a \\\n  b\n[s0]\nKey=1\nKey=2\n[Route]\n"},
		{&format_keyfile, "[s%d]\nkey%d[de]=a\n[s0]\nx=1\n"},
		{&format_env, "A%d=\"b%d\\n\nc\"\nA=1\n"},
		{&format_properties, "key%d=a%d\\u00e4\\\n \xE4\nkey=\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char text[40000] = "";

		for (int n = 0; n < 300; n++)
			sprintf(text + strlen(text), formats[i].line, n, n);
		fail_each_allocation(formats[i].format, span_of(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_of_lines_without_memory_leak_nothing),
		cmocka_unit_test(yaml_without_memory_leaks_nothing),
		cmocka_unit_test(json_without_memory_leaks_nothing),
		cmocka_unit_test(toml_without_memory_leaks_nothing),
		cmocka_unit_test(toml_of_yaml_without_memory_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
