/*
 * What .plyfs/status and .plyfs/errors say: the state of the mount, for programs and for people.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "driver.h"
#include "json_put.h"

static const char *const request_names[REQUEST_KINDS] = {
	[REQUEST_LOOKUP] = "lookup",
	[REQUEST_FORGET] = "forget",
	[REQUEST_GETATTR] = "getattr",
	[REQUEST_OPEN] = "open",
	[REQUEST_READ] = "read",
	[REQUEST_OPENDIR] = "opendir",
	[REQUEST_READDIR] = "readdir",
	[REQUEST_READLINK] = "readlink",
	[REQUEST_GETXATTR] = "getxattr",
	[REQUEST_LISTXATTR] = "listxattr",
	[REQUEST_STATFS] = "statfs",
	[REQUEST_ACCESS] = "access",
	[REQUEST_RENAME] = "rename",
	[REQUEST_UNLINK] = "unlink",
	[REQUEST_MKDIR] = "mkdir",
	[REQUEST_RMDIR] = "rmdir",
	[REQUEST_REFUSED] = "refused",
};

/* "source": …, "serves": …}, behind what else the object has. */
static void put_trouble_rest(FILE *out, const struct trouble *trouble)
{
	char time[TROUBLE_TIME_MAX];

	json_put_problem(out, &trouble->problem);
	trouble_time(trouble->since, time);
	fprintf(out, ", \"since\": \"%s\", \"age_s\": %lld, \"serves\": \"%s\"", time,
		trouble_age_s(trouble->since), trouble_serves_name(trouble->serves));
	if (trouble->made.tv_sec) {
		trouble_time(trouble->made, time);
		fprintf(out, ", \"served_since\": \"%s\", \"served_age_s\": %lld", time,
			trouble_age_s(trouble->made));
	}
	fputc('}', out);
}

/* The list of troubles, being written. */
struct writer {
	FILE *out;
	size_t count;
};

static void put_trouble(void *context, const char *path, const struct trouble *trouble)
{
	struct writer *writer = context;
	FILE *out = writer->out;

	json_put_field(out, writer->count++ ? ",\n    {\"path\": " : "\n    {\"path\": ", path);
	fputs(", ", out);
	put_trouble_rest(out, trouble);
}

static void put_settings(
	FILE *out, struct session *session, const struct settings *settings, bool is_trusted)
{
	json_put_field(out, "  \"settings\": {\"path\": ", settings->path);
	fprintf(out, ", \"coherence\": \"%s\", \"header\": %s",
		session->is_strict ? "strict" : "cached", settings->header ? "true" : "false");
	struct trouble trouble;
	if (is_trusted && publisher_settings_trouble(session->publisher, &trouble)) {
		char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];
		problem_format(&trouble.problem, text, sizeof(text));
		json_put_field(out, ", \"error\": ", text);
		fputs(", \"trouble\": {", out);
		put_trouble_rest(out, &trouble);
	}
	fputs("},\n", out);
}

/* What relative paths of settings and layers are relative to. */
static void put_directory(FILE *out, const struct settings *settings)
{
	json_put_field(out, ",\n  \"directory\": ", settings->around.directory);
	fputs(",\n", out);
}

static void put_layers(FILE *out, const struct settings *settings)
{
	fputs("  \"layers\": [", out);
	for (size_t i = 0; i < settings->layer_count; i++) {
		json_put_field(out, i ? ", {\"name\": " : "{\"name\": ", settings->layers[i]->name);
		json_put_field(out, ", \"path\": ", settings->layers[i]->path);
		fprintf(out, ", \"present\": %s}",
			settings->layers[i]->dirfd >= 0 ? "true" : "false");
	}
	fputs("],\n", out);
}

static void put_publisher(FILE *out, struct session *session)
{
	static const char *const modes[] = {
		[PUBLISH_CLONE] = "clone", [PUBLISH_PATH] = "path", [PUBLISH_NONE] = "none"};
	int error = atomic_load(&session->publish_error);

	fprintf(out,
		"  \"publisher\": {\"mode\": \"%s\", \"published\": %llu, "
		"\"invalidated\": %llu",
		modes[atomic_load(&session->publish_mode)],
		(unsigned long long)atomic_load(&session->published),
		(unsigned long long)atomic_load(&session->invalidated));
	if (error) {
		json_put_field(out, ", \"reason\": ",
			error == EXDEV   ? "something else is mounted over this mount: "
					   "changes are seen, but wake nobody"
			: error == EPIPE ? "the process plyfs-publish has ended: changes are seen, "
					   "but wake nobody; unmount and mount again"
					 : strerror(error));
	}
	fputs("},\n", out);
}

static void put_time(FILE *out, const char *before, struct timespec time)
{
	char text[TROUBLE_TIME_MAX];

	trouble_time(time, text);
	json_put_field(out, before, text);
}

/* The list of commands that are run after changes, being written. */
struct notice_writer {
	FILE *out;
	size_t count;
	bool is_trusted;
};

static void put_notice(void *context, const struct notice_state *state)
{
	struct notice_writer *writer = context;
	FILE *out = writer->out;

	json_put_field(out,
		writer->count++ ? ",\n    {\"command\": " : "\n    {\"command\": ", state->name);
	fprintf(out, ", \"running\": %s, \"waiting\": %zu", state->is_running ? "true" : "false",
		state->waiting);
	if (state->began.tv_sec)
		put_time(out, ", \"began\": ", state->began);
	if (state->ended.tv_sec) {
		put_time(out, ", \"ended\": ", state->ended);
		fprintf(out, ", \"age_s\": %lld, \"good\": %s", trouble_age_s(state->ended),
			state->problem.message[0] ? "false" : "true");
	}
	if (state->problem.message[0]) {
		fprintf(out, ", \"failures\": %u, \"given_up\": %s, \"again_ms\": %" PRId64,
			state->failures, state->is_given_up ? "true" : "false", state->again_ms);
		if (writer->is_trusted)
			json_put_field(out, ", \"error\": ", state->problem.message);
	}
	fputc('}', out);
}

static void put_notices(FILE *out, struct session *session, bool is_trusted)
{
	struct notice_writer writer = {.out = out, .is_trusted = is_trusted};

	fputs("  \"on_change\": [", out);
	view_notices(session->view, put_notice, &writer);
	fputs(writer.count ? "\n  ],\n" : "],\n", out);
}

static void put_requests(FILE *out, struct session *session)
{
	unsigned long long total = 0;

	fputs("  \"requests\": {", out);
	for (int i = 0; i < REQUEST_KINDS; i++) {
		unsigned long long count = atomic_load(&session->requests[i]);
		total += count;
		fprintf(out, "\"%s\": %llu, ", request_names[i], count);
	}
	fprintf(out, "\"total\": %llu},\n", total);
}

static void put_view(FILE *out, struct view *view, const struct settings *settings)
{
	struct view_counts counts;

	view_count(view, &counts);
	fprintf(out, "  \"versions\": {\"count\": %zu, \"bytes\": %zu},\n", counts.versions,
		counts.version_bytes);
	fprintf(out, "  \"watches\": {\"count\": %zu", counts.watches);
	if (counts.watch_error) {
		json_put_field(out, ", \"error\": ",
			counts.watch_error == ENOSPC
				? "no inotify watches are left; raise the limit: sysctl "
				  "fs.inotify.max_user_watches=1048576"
				: strerror(counts.watch_error));
	}
	if (counts.is_polling) {
		fprintf(out, "},\n  \"polling\": {\"interval_ms\": %u", settings->poll_ms);
		json_put_field(out, ", \"reason\": ",
			counts.is_remote
				? "a layer lies on a network or FUSE file system, whose changes "
				  "inotify does not tell; put it on a local disk to see changes "
				  "at once"
				: "not every directory can be watched: see watches");
	}
	fprintf(out, "},\n  \"cache\": {\"bytes\": %zu},\n", counts.cache_bytes);
	fprintf(out,
		"  \"compositions\": %" PRIu64 ",\n  \"overflows\": %" PRIu64
		",\n  \"trouble_count\": %zu,\n",
		counts.compositions, counts.overflows, counts.troubles);
}

int status_json(struct session *session, bool is_trusted, char **ret, size_t *size)
{
	FILE *out = open_memstream(ret, size);
	struct writer writer = {.out = out};
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(session->view);

	if (!out)
		return -ENOMEM;
	json_put_field(out, "{\n  \"version\": ", PLYFS_VERSION);
	fprintf(out, ",\n  \"pid\": %d", getpid());
	json_put_field(out, ",\n  \"mountpoint\": ", session->mountpoint);
	json_put_field(out, ",\n  \"source\": ", session->label);
	put_directory(out, settings);
	put_settings(out, session, settings, is_trusted);
	put_layers(out, settings);
	put_publisher(out, session);
	put_requests(out, session);
	put_view(out, session->view, settings);
	put_notices(out, session, is_trusted);
	fputs("  \"troubles\": [", out);
	if (is_trusted)
		view_troubles(session->view, put_trouble, &writer);
	fputs(writer.count ? "\n  ]\n}\n" : "]\n}\n", out);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

static void put_error_line(void *context, const char *path, const struct trouble *trouble)
{
	FILE *out = context;
	char text[TROUBLE_TEXT_MAX];

	trouble_text(trouble, path, text);
	fprintf(out, "%s\n", text);
}

static void put_notice_line(void *context, const struct notice_state *state)
{
	FILE *out = context;
	char since[TROUBLE_TIME_MAX];

	if (!state->problem.message[0])
		return;
	trouble_time(state->ended, since);
	fprintf(out, "%s (at %s; %s)\n", state->problem.message, since,
		state->is_given_up ? "tried too often, and again at the next change"
				   : "is tried again");
}

static void put_settings_line(FILE *out, struct session *session)
{
	struct trouble trouble;

	if (publisher_settings_trouble(session->publisher, &trouble))
		put_error_line(out, NULL, &trouble);
}

int status_errors(struct session *session, bool is_trusted, char **ret, size_t *size)
{
	FILE *out = open_memstream(ret, size);

	if (!out)
		return -ENOMEM;
	if (is_trusted) {
		put_settings_line(out, session);
		view_notices(session->view, put_notice_line, out);
		view_troubles(session->view, put_error_line, out);
	}
	return fclose(out) == 0 ? 0 : -ENOMEM;
}
