/*
 * Reads plyfs.yaml and what a mount would show of its layers, without memory. It works in a
 * directory of its own that it makes. Prints TAP.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "offline.h"
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

static char directory[] = "/tmp/plyfs-memory-XXXXXX";

static void write_file(const char *path, const char *text)
{
	char parent[64] = "";
	FILE *stream;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		memcpy(parent, path, (size_t)(slash - path));
		parent[slash - path] = '\0';
		mkdir(parent, 0755);
	}
	stream = fopen(path, "we");
	if (!stream || fputs(text, stream) < 0 || fclose(stream) != 0)
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
	ret->r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	if (ret->r == 0)
		ret->r = settings_again(settings, 0, &again, &problem);
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

	ret->r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
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
	ret->r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
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

int main(void)
{
	static const char *const shown[] = {"a.yaml", "bad.yaml", "t.toml", "salt/s.yaml", "c.cfg",
		"p.yaml", "u.yaml", "unit.service", "all.yaml", "all.txt", "x.ini", "x.env",
		"x.properties", "1.txt"};
	char command[64];

	umask(022);
	if (!mkdtemp(directory) || chdir(directory) < 0)
		abort();
	for (size_t i = 0; i < FILES; i++)
		write_file(files[i][0], files[i][1]);
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
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		trial_run(&(struct trial){
			.name = shown[i], .run = show, .context = (void *)shown[i]});
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return chdir("/") < 0 || system(command) != 0 || trial_end();
}
