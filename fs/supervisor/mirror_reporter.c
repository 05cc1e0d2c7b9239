#include "mirror_reporter.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cleanup.h"
#include "forked.h"
#include "helper.h"
#include "mirror_process.h"
#include "mirror_report.h"

/* ms between two readings. */
#define INTERVAL_MS 1000

/* The arguments of begin(). */
struct new_reporter {
	const struct settings *settings;
	const struct sandbox_switches *switches;
	int lines;
	pid_t parent;
};

/* Writes "fleet: etcd /fleet/ at 4711 from https://…; …", without a newline. Returns false if no
 * layer is, or will be, a mirror's. */
static bool put_status(const struct settings *settings, FILE *out)
{
	bool has_mirror = false;

	for (size_t i = 0; i < settings->spec_count; i++) {
		const struct layer_spec *spec = &settings->specs[i];
		struct mirror_report report;

		has_mirror |= spec->store != NULL;
		if (!mirror_report_of(spec->store ? spec->store->directory : spec->path, &report))
			continue;
		fputs(ftell(out) > 0 ? "; " : "", out);
		mirror_report_put(out, spec->name, &report);
		mirror_report_fini(&report);
		has_mirror = true;
	}
	return has_mirror;
}

/* Enters the sandbox of a mirror, without a place to write: a report is hostile input. */
static int enter_sandbox(const struct sandbox_switches *switches)
{
	const struct sandbox_options options = {.process = SANDBOX_MIRROR, .switches = *switches};
	CLEANUP(sandbox_freep) struct sandbox *sandbox = NULL;
	struct sandbox_state state;
	struct problem problem;

	int r = sandbox_prepare(&options, &sandbox, &problem);
	return r == 0 ? sandbox_enter(sandbox, &state, &problem) : r;
}

/* Writes the line if it differs from `last`. Returns false if no layer is a mirror's. */
static bool report(const struct new_reporter *reporter, char last[MIRROR_REPORTER_LINE])
{
	char line[MIRROR_REPORTER_LINE] = "";
	FILE *out = fmemopen(line, sizeof(line) - 1, "w");

	if (!out)
		return true;
	bool has_mirror = put_status(reporter->settings, out);
	/* A line that is too long is cut. */
	(void)fclose(out);
	for (char *at = line; *at; at++)
		if (*at == '\n')
			*at = ' ';
	if (*line && strcmp(line, last) != 0) {
		dprintf(reporter->lines, "%s\n", line);
		memcpy(last, line, sizeof(line));
	}
	return has_mirror;
}

/* Runs in the new process. */
static void begin(void *context)
{
	struct new_reporter *reporter = context;
	char last[MIRROR_REPORTER_LINE] = "";

	/* The program that started plyfs may wait until no process has its output open. */
	if (forked_keep_only(-1, &(int){reporter->lines}, 1) < 0)
		_exit(1);
	helper_reset_signals();
	prctl(PR_SET_NAME, "plyfs-report");
	/* After the sandbox, as a change of rights may reset it. */
	if (enter_sandbox(reporter->switches) != 0 || !forked_dies_with(reporter->parent) ||
		chdir("/") < 0)
		_exit(1);
	while (report(reporter, last))
		poll(NULL, 0, INTERVAL_MS);
	_exit(0);
}

pid_t mirror_reporter_start(
	const struct settings *settings, const struct sandbox_switches *switches, int *lines)
{
	struct new_reporter reporter = {settings, switches, .parent = getpid()};

	return mirror_process_fork(begin, &reporter, &reporter.lines, lines);
}
