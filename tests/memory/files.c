/*
 * Reads plyfs.yaml and what a mount would show of its layers, and blames each line, without memory.
 * It works in a directory of its own that it makes. Prints TAP.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "explain.h"
#include "line_origin.h"
#include "trial.h"

static const char settings_text[] =
	"layers:\n"
	"- low\n"
	"- {path: middle, name: mid, exclude: ['*.bak', 'x/**'], follow: true}\n"
	"- {path: 'high-*', optional: true}\n"
	"- {path: host/%H, optional: true}\n"
	"presets: [docker, prometheus]\n"
	"rules:\n"
	"- {match: 'salt/**', strategy: salt, options: {level: 2}}\n"
	"- {match: ['a.{yaml,json}', '*.toml'], strategy: deep, options: {lists: {l: append, "
	"'*': replace}}, schema: s.json}\n"
	"- {match: c.cfg, strategy: cfengine, format: json}\n"
	"- {match: p.yaml, strategy: pillar}\n"
	"- {match: u.yaml, strategy: cloud-init}\n"
	"- {match: unit.service, strategy: deep, dropins: uapi, format: systemd}\n"
	"- {match: checked.yaml, check: [/bin/true, '%f'], on_change: {run: [/bin/true], timeout: "
	"1s}}\n"
	"files:\n"
	"- {path: all.yaml, from: ['conf.d/*.yaml'], strategy: deep}\n"
	"- {path: all.txt, from: ['*.txt'], strategy: concat}\n"
	"options: {header: true, limits: {depth: 40}, on_error: skip-layer}\n";

static const char *const files[][2] = {
	{"plyfs.yaml", settings_text},
	{"s.json", "{\"type\": \"object\", \"properties\": {\"a\": {\"pattern\": \"^x\", \"enum\": "
		   "[\"x1\", \"x2\"]}}, \"additionalProperties\": {\"type\": [\"array\", "
		   "\"string\"]}}"},
	{"low/a.yaml", "a: x1\nl: [1, 2]\n"},
	{"middle/a.yaml", "a: x2\nl: [3]\n"},
	{"high-1/a.yaml", "l: !append [4]\nb: 'two'\n"},
	{"low/bad.yaml", "a: [1\n"},
	{"middle/bad.yaml", "a: 1\n"},
	{"low/t.toml", "a = 'x1'\n[b]\nc = 1\n"},
	{"middle/t.toml", "[b]\nd = 2\n"},
	{"low/salt/s.yaml", "a: !aggr-map {b: 1}\n"},
	{"middle/salt/s.yaml", "a: !aggr-map {c: 1}\n"},
	{"low/c.cfg", "{\"a\": [1]}"},
	{"middle/c.cfg", "{\"a\": [2]}"},
	{"low/p.yaml", "_merge: base\na: 1\n"},
	{"low/base.yaml", "a: 2\nb: 3\n"},
	{"low/u.yaml", "#cloud-config\na: [1]\nmerge_how: list(append)\n"},
	{"middle/u.yaml",
		"#cloud-config-jsonp\n[{\"op\": \"add\", \"path\": \"/b\", \"value\": 1}]\n"},
	{"low/unit.service", "[Unit]\nAfter=a\n"},
	{"low/unit.service.d/10-x.conf", "[Unit]\nAfter=b\n"},
	{"low/conf.d/1.yaml", "a: 1\n"},
	{"middle/conf.d/2.yaml", "b: 1\n"},
	{"low/x.ini", "[a]\nb=1\n"},
	{"middle/x.ini", "[a]\nc=1\n"},
	{"low/x.env", "A=1\n"},
	{"middle/x.env", "B='2'\n"},
	{"low/x.properties", "a.b=1\n"},
	{"middle/x.properties", "a.c=2\n"},
	{"low/1.txt", "one\n"},
	{"middle/2.txt", "two\n"},
	{"middle/2.txt.bak", "two\n"},
	{"low/.wh.gone", ""},
};

#define FILES (sizeof(files) / sizeof(files[0]))

/*
 * Files for which each table and array grows a few times: the first text, then `lines` times the
 * second, with the number in place of each @, then the third.
 */
static const char *const tables[][4] = {
	{"plyfs.yaml", "layers: [low, middle, low]\n"
		       "rules:\n"
		       "- {match: '{append,maps}.yaml', options: {lists: append}}\n"
		       "- {match: prepend.yaml, options: {lists: prepend}}\n"
		       "- {match: unique.yaml, options: {lists: unique}}\n"
		       "- {match: by.yaml, options: {lists: {'*': {by: n}}}}\n"
		       "- {match: documents.yaml, options: {documents: merge}}\n"
		       "- {match: salt.yaml, strategy: salt, options: {level: false}}\n"
		       "- {match: pillar.yaml, strategy: pillar}\n"},
	{"schema.yaml", "layers: [low, middle]\nrules: [{match: valid.yaml, schema: s.yaml}]\n"},
	{"little.yaml", "layers: [low]\nrules: [{match: valid.yaml, schema: little-s.yaml}]\n"},
	{"little-s.yaml", "patternProperties: {'^[k-l]+[^0]*$': {type: [string, array], "
			  "uniqueItems: true}}\nunevaluatedProperties: false\n"},
	{"scalars.yaml",
		"{1: 0644, 2.5: .5, a: 2001-1-2 3:04:05, b: !!float 1, c: [-.inf, {d: e}]}"},
	{"low/maps.yaml", "", "k@: {a: &x@ 1, b: *x@, l: [1]}\n"},
	{"middle/maps.yaml", "", "k@: {a: !delete , b: 2, c: !replace 1, l: [2]}\nn@: 1\n"},
	{"low/append.yaml", "", "- !replace @\n"},
	{"middle/append.yaml", "", "- [@]\n"},
	{"low/prepend.yaml", "", "- @\n"},
	{"middle/prepend.yaml", "", "- |\n  @\n  two\n"},
	{"low/unique.yaml", "", "- @\n"},
	{"middle/unique.yaml", "", "- {a@: 1}\n"},
	{"low/by.yaml", "", "- {n: @}\n"},
	{"middle/by.yaml", "", "- {n: x@}\n- !delete {n: @}\n"},
	{"low/documents.yaml", "", "---\na: @\n---\na: 1\n---\na: 2\n---\na: 3\n"},
	{"middle/documents.yaml", "", "---\na: {x: @}\n"},
	{"low/salt.yaml", "", "k@: {a: 1, b: !aggr-seq [1], c: 1}\n"},
	{"middle/salt.yaml", "", "k@: {a: 2, b: !aggr-seq [2]}\n"},
	{"low/reset.yaml", "", "k: {a: @}\n"},
	{"middle/reset.yaml", "", "k: !reset [@]\n"},
	{"low/pillar.yaml", "_merge: [z, y]\n_neighbours: [z]\n",
		"k@: {a: 1, l: [_replace, 1], m: {x: 1}}\n"},
	{"low/z.yaml", "", "k@: {a: 2, l: [2], m: {y: 1}}\n---\n"},
	{"low/y.yaml", "_merge: z\n", "k@: {a: 3, l: [3], m: 1}\n"},
	{"low/t.toml", "a.b = [0x1F, 1e3, {c = 'd'}]\n8080 = 1979-05-27 07:32:00z\n",
		"[[t.t@]]\n\"a b\".c = \"\"\"\n@\\u0041\"\"\"\n"},
	{"low/j.json", "[{}", ", {\"key @\": [@, \"\\n\"]}", "]"},
	{"low/x.ini", "[s0]\nx=1\n", "[s@]\nkey @ = a\n  b\n"},
	{"low/u.service", "", "[s@]\nKey@=a \\\n  b\n[s0]\nKey=1\nKey=2\n[Route]\n"},
	{"low/x.nmconnection", "", "[s@]\nkey@[de]=a\n[s0]\nx=1\n"},
	{"low/x.env", "", "A@=\"b@\\n\nc\"\nA=1\n"},
	{"low/x.properties", "", "key@=a@\\u00e4\\\n \\u00e4\nkey=\n"},
	{"low/valid.yaml", "q: 1\nr: 2\n", "k@: b\nl@: [1, 2, 3, 4, 5, 5]\n"},
	{"s.yaml",
		"$defs: {a: {$anchor: x, pattern: '^a', enum: [a, b]}}\n"
		"unevaluatedProperties: false\nrequired: [z]\npatternProperties: {'^q': false}\n"
		"$comment: {$ref: https://json-schema.org/draft/2020-12/schema}\n"
		"allOf: [{$ref: https://json-schema.org/draft/2020-12/schema}]\nproperties:\n",
		"  k@: &k {anyOf: [{$ref: '#x'}, {uniqueItems: true, type: array}]}\n  l@: *k\n"},
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

static char directory[] = "/tmp/plyfs-memory-XXXXXX";
static const char *settings_name = "plyfs.yaml";
static int lines;

static void write_file(const char *path, const char *first, const char *line, const char *last)
{
	char parent[64] = "";
	FILE *stream;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		memcpy(parent, path, (size_t)(slash - path));
		parent[slash - path] = '\0';
		mkdir(parent, 0755);
	}
	stream = fopen(path, "we");
	if (!stream || fputs(first, stream) < 0)
		abort();
	for (int i = 0; line && i < lines; i++)
		for (const char *at = line; *at; at++)
			if (*at == '@' ? fprintf(stream, "%d", i) < 0 : fputc(*at, stream) < 0)
				abort();
	if ((last && fputs(last, stream) < 0) || fclose(stream) != 0)
		abort();
}

static void give_problem(const struct problem *problem, struct outcome *ret)
{
	ret->text = strdup(problem->message);
	if (!ret->text)
		ret->r = -ENOMEM;
}

static void read_settings(void *context, struct outcome *ret)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(settings_unrefp) struct settings *again = NULL;
	struct problem problem;

	(void)context;
	ret->r = settings_read(NULL, settings_name, &settings, &problem);
	if (ret->r == 0)
		ret->r = settings_again(settings, 0, NULL, &again, &problem);
	if (ret->r == PROBLEM)
		give_problem(&problem, ret);
}

/* Reads what is shown at one path. */
static void show(void *context, struct outcome *ret)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(offline_freep) struct offline *offline = NULL;
	CLEANUP(version_unrefp) struct version *version = NULL;
	struct problem problem;

	ret->r = settings_read(NULL, settings_name, &settings, &problem);
	if (ret->r == 0)
		ret->r = offline_new(settings, &offline);
	if (ret->r == 0)
		ret->r = offline_read(offline, context, &version, &problem);
	if (ret->r == PROBLEM)
		give_problem(&problem, ret);
	if (ret->r != 0)
		return;
	ret->text = strndup(version->data, version->size);
	if (!ret->text)
		ret->r = -ENOMEM;
}

/* Finds where each line of what is shown at one path comes from. */
static void blame(void *context, struct outcome *ret)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(offline_freep) struct offline *offline = NULL;
	CLEANUP(line_origins_freep) struct line_origins *origins = NULL;
	struct explanation *explanation = NULL;
	struct problem problem;

	ret->r = settings_read(NULL, settings_name, &settings, &problem);
	if (ret->r == 0)
		ret->r = offline_new(settings, &offline);
	if (ret->r == 0)
		ret->r = explain(offline, context, &explanation, &problem);
	if (ret->r == PROBLEM)
		give_problem(&problem, ret);
	if (ret->r == 0 && explanation->kind == VERSION_BYTES)
		ret->r = line_origins_read(explanation->request, explanation->result, &origins);
	/* No failure may be overlooked: the place of the last line is in the outcome. */
	const struct line *last =
		origins && origins->count ? &origins->lines[origins->count - 1] : NULL;
	if (last && last->source &&
		asprintf(&ret->text, "%s:%u", last->source->name, last->source_line) < 0)
		*ret = (struct outcome){.r = -ENOMEM};
	explanation_free(explanation);
}

/* Writes a file in each format that can hold it. */
static void convert(void *context, struct outcome *ret)
{
	const struct source source = {.name = context, .layer = ""};
	const struct read_options options = {.format = format_of_name(context)};
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct limits limits = {0};
	struct problem problem;
	struct span written;
	static char text[1 << 16];
	int fd = open(context, O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, text, sizeof(text));

	if (len <= 0 || close(fd) < 0)
		abort();
	ret->r = document_read(
		&source, (struct span){text, (size_t)len}, &options, &document, &problem);
	if (ret->r == PROBLEM)
		abort();
	if (ret->r == 0)
		ret->r = arena_new(&arena);
	for (const struct format *const *to = format_all(); ret->r >= 0 && *to; to++)
		ret->r =
			document_write(document->roots[0], *to, &limits, arena, &written, &problem);
	ret->r = ret->r < 0 ? ret->r : 0;
}

static int take_name(void *context, const struct traversed *found)
{
	char **names = context, *longer = NULL;

	if (asprintf(&longer, "%s %s", *names ? *names : "", found->path) < 0)
		return -ENOMEM;
	free(*names);
	*names = longer;
	return 0;
}

/* Reads the names of all that is shown. */
static void list(void *context, struct outcome *ret)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(offline_freep) struct offline *offline = NULL;
	struct problem problem;

	(void)context;
	ret->r = settings_read(NULL, settings_name, &settings, &problem);
	if (ret->r == 0)
		ret->r = offline_new(settings, &offline);
	if (ret->r == 0)
		ret->r = offline_traverse(offline, "", take_name, &ret->text);
	if (ret->r == PROBLEM)
		give_problem(&problem, ret);
}

/* Checks that the same without a failing allocation is no mistake. */
static void check_settings(void)
{
	struct outcome outcome = {0};

	read_settings(NULL, &outcome);
	if (outcome.r != 0) {
		fprintf(stderr, "%s\n", outcome.text ? outcome.text : strerror(-outcome.r));
		abort();
	}
}

static void try_each(const char *const *paths, void (*run)(void *context, struct outcome *ret))
{
	for (; *paths; paths++)
		trial_run(&(struct trial){.name = *paths, .run = run, .context = (void *)*paths});
}

/* Tries what has tables that grow, in a directory of its own. */
static void try_tables(int line_count)
{
	static const char *const blamed[] = {"maps.yaml", "append.yaml", "prepend.yaml",
		"unique.yaml", "by.yaml", "documents.yaml", "salt.yaml", "reset.yaml",
		"pillar.yaml", NULL};
	static const char *const schemas[] = {"little.yaml", "schema.yaml"};
	static const char *const valid[] = {"valid.yaml", NULL};
	static const char *const converted[] = {"scalars.yaml", "low/maps.yaml", "low/t.toml",
		"low/j.json", "low/x.ini", "low/u.service", "low/x.nmconnection", "low/x.env",
		"low/x.properties", NULL};

	if (mkdir("tables", 0755) < 0 || chdir("tables") < 0)
		abort();
	lines = line_count;
	for (size_t i = 0; i < TABLES; i++)
		write_file(tables[i][0], tables[i][1], tables[i][2], tables[i][3]);
	check_settings();
	try_each(blamed, blame);
	try_each(converted, convert);
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		settings_name = schemas[i];
		check_settings();
		trial_run(&(struct trial){.name = settings_name, .run = read_settings});
		try_each(valid, show);
	}
	settings_name = "plyfs.yaml";
	if (chdir("..") < 0 || system("rm -r tables") != 0)
		abort();
}

int main(void)
{
	static const char *const shown[] = {"a.yaml", "bad.yaml", "t.toml", "salt/s.yaml", "c.cfg",
		"p.yaml", "u.yaml", "unit.service", "all.yaml", "all.txt", "x.ini", "x.env",
		"x.properties", "1.txt", NULL};
	static const int line_counts[] = {2, 12, 70, 160};
	char command[64];

	umask(022);
	if (!mkdtemp(directory) || chdir(directory) < 0)
		abort();
	for (size_t i = 0; i < FILES; i++)
		write_file(files[i][0], files[i][1], NULL, NULL);
	/*
	 * Copies: in the source tree a group may have write access, and plyfs refuses such
	 * presets.
	 */
	if (system("cp -R \"$PLYFS_PRESETS\" presets && chmod -R go-w presets") != 0 ||
		setenv("PLYFS_PRESETS", "presets", 1) < 0)
		abort();
	check_settings();
	trial_run(&(struct trial){.name = "settings are read", .run = read_settings});
	trial_run(&(struct trial){.name = "all is listed", .run = list});
	try_each(shown, show);
	/* Tables that never grow, grow once, and grow several times. */
	for (size_t i = 0; i < sizeof(line_counts) / sizeof(line_counts[0]); i++)
		try_tables(line_counts[i]);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return chdir("/") < 0 || system(command) != 0 || trial_end();
}
