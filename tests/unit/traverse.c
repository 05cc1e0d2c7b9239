/*
 * A traversal visits what a mount would list, in one order. Whiteouts that hide nothing are found.
 * An inspection reports everything that is wrong with a path, and what may be.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "inspect.h"
#include "place.h"
#include "test.h"
#include "traverse.h"
#include "unshown.h"

static char text[4096];
static struct settings *settings;
static struct offline *offline;

static int set_up(void **state)
{
	if (enter_place(state))
		return -1;
	run("mkdir a b c");
	return 0;
}

static int tear_down(void **state)
{
	offline_free(offline);
	settings_unref(settings);
	offline = NULL;
	settings = NULL;
	return leave_place(state);
}

/* Starts with a plyfs.yaml, or with the layers a, b and c. */
static void start(const char *yaml)
{
	struct problem problem = {0};
	int r;

	if (yaml) {
		FILE *file = fopen("plyfs.yaml", "we");
		assert_non_null(file);
		assert_true(fputs(yaml, file) >= 0);
		assert_int_equal(fclose(file), 0);
		r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	} else {
		r = settings_from_layers(NULL, "a:b:c", &settings, &problem);
	}
	if (r != 0)
		fail_msg("%s", problem.message);
	assert_int_equal(offline_new(settings, &offline), 0);
}

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + len, sizeof(text) - len, format, args);
	va_end(args);
}

static int add_traversed(void *context, const struct traversed *found)
{
	(void)context;
	add("%s%s ", found->path,
		found->kind == UNION_DIRECTORY ? "/"
		: found->kind == UNION_LINK    ? "@"
					       : "");
	return 0;
}

static int traversed(const char *path)
{
	*text = '\0';
	return offline_traverse(offline, path, add_traversed, NULL);
}

TEST_WITH(names_of_all_layers_come_in_byte_order, set_up, tear_down)
{
	run("mkdir -p a/d/e b/d c/d && touch a/z a/d/x b/d/y b/d.yaml c/d/x a/d/e/f && ln -s z "
	    "c/l");
	start(NULL);
	assert_int_equal(traversed(""), 0);
	assert_string_equal(text, "/ d/ d/e/ d/e/f d/x d/y d.yaml l@ z ");
	assert_int_equal(traversed("d"), 0);
	assert_string_equal(text, "d/ d/e/ d/e/f d/x d/y ");
	assert_int_equal(traversed("d/y"), 0);
	assert_string_equal(text, "d/y ");
	assert_int_equal(traversed("n"), -ENOENT);
	assert_int_equal(traversed("d/n"), -ENOENT);
	assert_int_equal(traversed("d/x/y"), -ENOTDIR);
	assert_string_equal(text, "");
}

TEST_WITH(what_is_hidden_is_left_out, set_up, tear_down)
{
	run("mkdir -p a/d b/d c && touch a/x a/d/old b/d/new a/fifo && touch b/.wh.x "
	    "b/d/.wh..wh..opq && rm a/fifo && mkfifo a/fifo && mkdir a/y && touch a/y/z b/y");
	start(NULL);
	assert_int_equal(traversed(""), 0);
	assert_string_equal(text, "/ d/ d/new y ");
}

TEST_WITH(virtual_files_and_dropins_are_there, set_up, tear_down)
{
	run("mkdir -p a/conf.d b/app.yaml.d && echo 'k: 1' | tee a/conf.d/1.yaml "
	    "b/app.yaml.d/2.yaml "
	    ">/dev/null");
	start("layers: [a, b]\n"
	      "rules: [{match: '*.yaml', strategy: deep, dropins: true}]\n"
	      "files:\n"
	      "  - {path: made/all.yaml, from: ['conf.d/*.yaml'], strategy: deep}\n"
	      "  - {path: made/none.yaml, from: ['none/*.yaml'], strategy: deep}\n");
	assert_int_equal(traversed(""), 0);
	assert_string_equal(text,
		"/ app.yaml app.yaml.d/ app.yaml.d/2.yaml conf.d/ conf.d/1.yaml made/ "
		"made/all.yaml ");
}

TEST_WITH(directory_at_the_path_of_a_virtual_file_has_no_sources, set_up, tear_down)
{
	run("mkdir -p a/conf a/d && echo 'k: 1' | tee a/conf/1.yaml >a/d/2.yaml");
	start("layers: [a]\n"
	      "files: [{path: conf, from: ['co*/*.yaml']}, {path: all, from: ['conf/*', "
	      "'d/*']}]\n");
	assert_int_equal(traversed(""), 0);
	assert_string_equal(text, "/ all conf/ conf/1.yaml d/ d/2.yaml ");
}

TEST_WITH(links_in_circles_come_to_an_end, set_up, tear_down)
{
	run("mkdir -p a/d/e && touch a/d/f && ln -s .. a/d/up && ln -s ../.. a/d/e/top");
	start("layers: [{name: a, path: a, follow: true}]\n");
	assert_int_equal(traversed(""), 0);
	assert_string_equal(text, "/ d/ d/e/ d/f ");
}

static int stop_at_second(void *context, const struct traversed *found)
{
	(void)found;
	return ++*(unsigned *)context == 2 ? 7 : 0;
}

TEST_WITH(traversal_ends_when_it_is_asked_to, set_up, tear_down)
{
	unsigned count = 0;

	run("touch a/x a/y a/z");
	start(NULL);
	assert_int_equal(offline_traverse(offline, "", stop_at_second, &count), 7);
	assert_int_equal(count, 2);
}

TEST_WITH(order_of_paths_is_that_of_the_traversal, set_up, tear_down)
{
	static const char *const paths[] = {"", "a", "a/b", "a/b/c", "a!", "a.b", "b", "b\xff"};
	const int count = sizeof(paths) / sizeof(*paths);

	for (int i = 0; i < count; i++)
		for (int j = 0; j < count; j++) {
			int order = traverse_compare(paths[i], paths[j]);
			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
}

static int add_idle(void *context, const struct layer *layer, const char *path, const char *hides)
{
	(void)context;
	add("%s:%s:%s ", layer->name, path, hides);
	return 0;
}

static int add_whiteouts(void *context, const struct traversed *found)
{
	if (found->kind != UNION_DIRECTORY)
		return 0;
	return whiteouts_idle(settings, found, add_idle, context);
}

TEST_WITH(whiteouts_that_hide_nothing_are_found, set_up, tear_down)
{
	run("mkdir -p a/d b/d b/e c/d && touch a/x a/d/y");
	/* x and d/y are hidden, and in c for a second time. */
	run("touch b/.wh.q b/.wh.x c/.wh.x b/d/.wh.y b/d/.wh.z a/.wh.x c/d/.wh..wh..opq "
	    "b/e/.wh..wh..opq");
	start(NULL);
	*text = '\0';
	assert_int_equal(offline_traverse(offline, "", add_whiteouts, NULL), 0);
	/* Marks in the directories below an opaque one have no effect, whatever they are. */
	assert_string_equal(text, "a:.wh.x:x b:.wh.q:q c:.wh.x:x b:e/.wh..wh..opq: ");
}

static const struct inspection *inspected(const char *path)
{
	static struct inspection inspection;

	inspection_fini(&inspection);
	assert_int_equal(inspect(offline, path, &inspection), 0);
	*text = '\0';
	for (size_t i = 0; i < inspection.findings.count; i++) {
		const struct finding *finding = &inspection.findings.items[i];
		add("%c %s:%u:%u\n", "ESRW"[finding->kind], finding -> problem.source,
			finding->problem.line, finding->problem.column);
	}
	return &inspection;
}

static void inspection_drop(void)
{
	run("echo >a/empty.yaml");
	inspected("empty.yaml");
}

TEST_WITH(every_source_is_read, set_up, tear_down)
{
	run("printf 'a: [\\n' >a/x.yaml; printf 'a: 1\\na: 2\\n' >b/x.yaml; printf '}\\n' "
	    ">c/x.yaml");
	run("printf '{\"a\": 1, \"a\": 2}' >b/x.json; printf 'a: [\\n' >c/alone.yaml");
	run("printf 'a: [\\n' >c/text; printf 'a: 1\\n' >c/good.yaml; ln -s nowhere a/link");
	start(NULL);
	inspected("x.yaml");
	assert_string_equal(text, "E a/x.yaml:1:4\nW b/x.yaml:2:1\nE c/x.yaml:1:1\n");
	inspected("x.json");
	assert_string_equal(text, "W b/x.json:1:10\n");
	inspected("alone.yaml");
	assert_string_equal(text, "E c/alone.yaml:1:4\n");
	inspected("text");
	assert_string_equal(text, "");
	inspected("good.yaml");
	assert_string_equal(text, "");
	inspected("link");
	assert_string_equal(text, "");
	struct inspection inspection;
	assert_int_equal(inspect(offline, "nothing", &inspection), -ENOENT);
	inspection_drop();
}

TEST_WITH(tags_that_look_like_directives_are_warned_of, set_up, tear_down)
{
	run("printf 'a: !apend [1]\\nb: !append [1]\\nc: !Ref x\\n!delte d: 1\\n' >a/x.yaml");
	run("printf 'a: !aggr-sec [1]\\n' >a/x.salt.yaml");
	start("layers: [a]\nrules: [{match: '*.salt.yaml', strategy: salt}]\n");
	inspected("x.yaml");
	assert_string_equal(text, "W a/x.yaml:1:4\nW a/x.yaml:4:1\n");
	inspected("x.salt.yaml");
	assert_string_equal(text, "E a/x.salt.yaml:1:4\nW a/x.salt.yaml:1:4\n");
	inspection_drop();
}

TEST_WITH(warnings_are_bounded_and_errors_are_not, set_up, tear_down)
{
	run("for i in $(seq 200); do echo 'a: 1'; done >a/x.yaml; printf 'a: [\\n' >b/x.yaml");
	start(NULL);
	const struct inspection *inspection = inspected("x.yaml");
	assert_int_equal(inspection->findings.count, FINDINGS_MAX + 1);
	assert_int_equal(inspection->findings.left_out, 199 - FINDINGS_MAX);
	assert_non_null(strstr(text, "E b/x.yaml:1:4"));
	inspection_drop();
}

TEST_WITH(references_and_patterns_are_reported, set_up, tear_down)
{
	run("mkdir -p a/data/in && echo 'x: 1' >a/data/in/base.yaml");
	run("mkdir -p a/top && printf 'y: 1\\n_merge:\\n  - base\\n' >a/top/p.yaml");
	start("layers: [a]\n"
	      "rules: [{match: 'top/*.yaml', strategy: pillar, options: {data_path: data}}]\n"
	      "files: [{path: all.yaml, from: ['top/*.yaml', 'no/*', 'top/p*'], strategy: "
	      "deep}]\n");
	const struct inspection *inspection = inspected("top/p.yaml");
	assert_string_equal(text, "");
	assert_int_equal(inspection->reference_count, 1);
	assert_string_equal(inspection->references[0].directory, "data");
	assert_string_equal(inspection->references[0].name, "base.yaml");
	assert_int_equal(inspection->references[0].place.line, 3);
	assert_null(inspection->is_matched);
	inspection = inspected("all.yaml");
	assert_non_null(inspection->is_matched);
	assert_true(inspection->is_matched[0]);
	assert_false(inspection->is_matched[1]);
	assert_true(inspection->is_matched[2]);
	inspection_drop();
}

TEST_WITH(layer_that_is_left_out_is_an_error, set_up, tear_down)
{
	run("echo 'a: 1' >a/x.yaml; echo 'a: [' >b/x.yaml");
	start("layers: [a, b]\noptions: {on_error: skip-layer}\n");
	inspected("x.yaml");
	assert_string_equal(text, "S b/x.yaml:1:4\n");
	inspection_drop();
}

TEST_WITH(single_look_finds_what_a_mount_would_show, set_up, tear_down)
{
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem = {0};

	run("mkdir -p a/d b/d; echo 'x: 1' >a/d/x.yaml; echo 'y: 1' >b/d/x.yaml; ln -s d a/l");
	start("layers: [a, b]\noptions: {header: false}\n");
	assert_int_equal(offline_read(offline, "d/x.yaml", &version, &problem), 0);
	assert_memory_equal(version->data, "x: 1\ny: 1\n", 10);
	struct version *none = NULL;
	assert_int_equal(offline_read(offline, "d", &none, &problem), -EISDIR);
	/* A mark is no file, for any command. */
	run("touch a/.wh.none");
	assert_int_equal(offline_read(offline, ".wh.none", &none, &problem), -ENOENT);
	assert_int_equal(offline_read(offline, "none", &none, &problem), -ENOENT);
	assert_int_equal(offline_read(offline, "none/x", &none, &problem), -ENOENT);
	assert_int_equal(offline_read(offline, "d/x.yaml/x", &none, &problem), -ENOTDIR);
	assert_int_equal(offline_read(offline, "l/x.yaml", &none, &problem), -ENOTDIR);
	assert_null(none);
}
