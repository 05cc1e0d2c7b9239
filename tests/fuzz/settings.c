/*
 * Any plyfs.yaml is refused with a problem, or read the same each time, and its settings for any
 * path can be asked for. The text is written to a directory that is made for it, with layers `a`
 * and `b` and a schema `s.json`. The directory is removed if the run ends without a finding.
 */
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "fuzz.h"
#include "settings.h"

static char directory[] = "/tmp/plyfs-fuzz-XXXXXX";
static bool is_made;

static void write_file(const char *name, struct span text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text.data, text.len) != (ssize_t)text.len || close(fd) < 0)
		abort();
}

static void remove_directory(void)
{
	static const char *const names[] = {
		"a/x.yaml", "plyfs.yaml", "s.json", "a", "b", directory};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)remove(names[i]);
}

static void make_directory(void)
{
	if (!mkdtemp(directory) || chdir(directory) < 0 || mkdir("a", 0755) < 0 ||
		mkdir("b", 0755) < 0 || setenv("PLYFS_PRESETS", FUZZ_PRESETS, 1) < 0)
		abort();
	write_file("a/x.yaml", span_of("a: 1\n"));
	write_file("s.json", span_of("{\"type\": \"object\"}"));
	atexit(remove_directory);
	is_made = true;
}

static void check_path(
	const struct settings *settings, const struct settings *again, const char *path)
{
	if (!settings_rule(settings, path) || !settings_equal_at(settings, again, path))
		fuzz_stop("settings that are equal say different things of a path", span_of(path));
	(void)settings_format(settings, path);
	(void)settings_source_format(settings, path, "x.json");
	(void)settings_check(settings, path);
	(void)settings_on_change(settings, path);
	(void)settings_rule_for(settings, path)->schema;
}

/* NaN equals nothing, so settings with one are different each time they are read. */
static bool has_nan(struct span text)
{
	for (size_t i = 0; i + 4 <= text.len; i++)
		if (strncasecmp(text.data + i, ".nan", 4) == 0)
			return true;
	return false;
}

static void check_settings(const struct settings *settings)
{
	CLEANUP(settings_unrefp) struct settings *again = NULL;
	struct problem problem;

	if (settings_again(settings, 0, NULL, &again, &problem) != 0)
		fuzz_stop("settings that were read can't be read again", span_of(problem.message));
	if (!settings_equal(settings, again) || settings_layers_without(settings, again))
		fuzz_stop("settings that are read again are others", span_of(""));
	check_path(settings, again, "app.yaml");
	check_path(settings, again, "etc/deep/er/app.conf");
	for (size_t i = 0; i < settings->file_count; i++)
		if (settings_file(settings, settings->files[i].path) != &settings->files[i])
			fuzz_stop("a virtual file is not found", span_of(settings->files[i].path));
	/* A pattern is bytes, as a path is. */
	for (size_t i = 0; i < settings->rule_count; i++)
		if (settings->rules[i].match)
			check_path(settings, again, settings->rules[i].match);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	CLEANUP(settings_unrefp) struct settings *outline = NULL;
	struct problem problem;

	if (!is_made)
		make_directory();
	write_file("plyfs.yaml", (struct span){(const char *)data, size});
	int r = settings_read(NULL, "plyfs.yaml", &settings, &problem);
	if (r == PROBLEM)
		fuzz_check_problem(&problem);
	else if (r != 0)
		fuzz_stop("the environment did not fail", span_of(strerror(-r)));
	if (r == 0 && !has_nan((struct span){(const char *)data, size}))
		check_settings(settings);
	if (settings_outline(NULL, "plyfs.yaml", &outline, &problem) != 0 && r == 0)
		fuzz_stop("settings have no outline", span_of(problem.message));
	return 0;
}
