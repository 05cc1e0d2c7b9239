#include "render_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "generation.h"
#include "json_put.h"
#include "publisher.h"
#include "status_parts.h"

static void put_failure(struct json *out, const char *path, const char *message)
{
	json_put(out, ",\n    {'path': %s, 'message': %s}", path, message);
}

/*
 * Writes the paths that failed, except those that do not merge, which are in "troubles"; and the
 * tree itself, with an empty path, if its next generation could not be made.
 */
static void put_failures(struct json *out, const struct render *render)
{
	char line[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 32];
	const struct owned *owned;

	json_put(out, ",\n  'failures': [");
	if (render->commit_failure) {
		problem_format(&render->commit_problem, line, sizeof(line));
		put_failure(out, "", line);
	}
	for (size_t i = 0; (owned = manifest_at(render->manifest, i)); i++)
		if (owned->fault)
			put_failure(out, owned->path, owned->fault);
	json_put(out, "\n  ]");
}

static void put_rendered(struct json *out, const struct render *render)
{
	const struct rendered_options *options = &render->options;
	size_t counts[] = {0, 0}; /* of files and links; of directories */
	char text[FAULT_TIME_MAX];
	const struct owned *owned;
	struct timespec now;

	for (size_t i = 0; (owned = manifest_at(render->manifest, i)); i++)
		if (owned->fingerprint.mode && !generation_is_beside(owned))
			counts[S_ISDIR(owned->fingerprint.mode)]++;
	clock_gettime(CLOCK_REALTIME, &now);
	fault_time(now, text);
	json_put(out, "  'rendered': {'at': %s, 'files': %zu, 'directories': %zu", text,
		counts[false], counts[true]);
	json_put(out, ", 'atomic': %hhd, 'watch': %hhd, 'drift': %s},\n", options->is_atomic,
		(bool)(options->mode == RENDER_WATCH), options->keeps_drift ? "keep" : "restore");
}

static int make(const struct render *render, char **ret, size_t *size)
{
	const struct rendered_options *options = &render->options;
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(render->view);
	CLEANUP(freep) char *place = realpath(options->directory, NULL);
	struct fault fault;
	struct json json = {.file = open_memstream(ret, size)}, *out = &json;

	if (!json.file)
		return -ENOMEM;
	json_put(out, "{\n  'version': %s,\n  'pid': %d,\n  'mountpoint': %s,\n  'source': %s",
		PLYFS_VERSION, getpid(), place ? place : options->directory, options->source);
	status_put_settings(out, settings, "cached",
		publisher_settings_fault(render->publisher, &fault) ? &fault : NULL);
	status_put_layers(out, settings, true);
	put_rendered(out, render);
	status_put_view(out, render->view, settings);
	status_put_sandbox(out, &render->sandbox);
	status_put_processes(out, RENEWAL);
	status_put_hooks(out, render->view, true);
	status_put_faults(out, render->view);
	put_failures(out, render);
	json_put(out, "\n}\n");
	return fclose(json.file) == 0 ? 0 : -ENOMEM;
}

void render_status_write(const struct render *render)
{
	CLEANUP(freep) char *text = NULL;
	size_t size;

	if (make(render, &text, &size) == 0)
		(void)rendered_write_own(render->rendered, "status", text, size);
}
