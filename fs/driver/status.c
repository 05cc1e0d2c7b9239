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
#include "tree.h"

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

/* A JSON string (RFC 8259). Bytes that are not UTF-8, which a name may hold, come as U+FFFD. */
static void put_string(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	fputc('"', out);
	while (*at) {
		size_t n = *at < 0x80 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;
		for (size_t i = 1; i < n; i++)
			if ((at[i] & 0xc0) != 0x80)
				n = 0;
		if (n == 0) {
			fputs("\xef\xbf\xbd", out);
			n = 1;
		} else if (*at == '"' || *at == '\\') {
			fprintf(out, "\\%c", *at);
		} else if (*at < 0x20) {
			fprintf(out, "\\u%04x", *at);
		} else {
			fwrite(at, 1, n, out);
		}
		at += n;
	}
	fputc('"', out);
}

static void put_time(FILE *out, struct timespec time)
{
	struct tm tm;
	char text[32];

	gmtime_r(&time.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fputs(text, out);
}

static int64_t age_s(struct timespec since)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - since.tv_sec;
}

static bool has_good_version(const struct version *shown)
{
	return shown && shown->kind != VERSION_BROKEN;
}

/* The list of troubles, being written. */
struct writer {
	FILE *out;
	size_t count;
};

static void put_trouble(
	void *context, const char *path, const struct trouble *trouble, const struct version *shown)
{
	struct writer *writer = context;
	FILE *out = writer->out;

	fputs(writer->count++ ? ",\n    {\"path\": " : "\n    {\"path\": ", out);
	put_string(out, path);
	fputs(", \"source\": ", out);
	put_string(out, trouble->problem.source);
	fprintf(out, ", \"line\": %u, \"column\": %u, \"message\": ", trouble->problem.line,
		trouble->problem.column);
	put_string(out, trouble->problem.message);
	fputs(", \"since\": \"", out);
	put_time(out, trouble->since);
	fprintf(out, "\", \"age_s\": %" PRId64 ", \"serves\": \"%s\"}", age_s(trouble->since),
		has_good_version(shown) ? "last-good" : "nothing");
}

static void put_settings(FILE *out, struct session *session, const struct settings *settings,
	bool is_trusted)
{
	fputs("  \"settings\": {\"path\": ", out);
	if (settings->path)
		put_string(out, settings->path);
	else
		fputs("null", out);
	fprintf(out, ", \"coherence\": \"%s\"", session->is_strict ? "strict" : "cached");
	pthread_mutex_lock(&session->view->lock);
	if (session->settings_problem && is_trusted) {
		char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];
		problem_format(session->settings_problem, text, sizeof(text));
		fputs(", \"error\": ", out);
		put_string(out, text);
	}
	pthread_mutex_unlock(&session->view->lock);
	fputs("},\n", out);
}

static void put_layers(FILE *out, const struct settings *settings)
{
	fputs("  \"layers\": [", out);
	for (size_t i = 0; i < settings->layer_count; i++) {
		fputs(i ? ", {\"name\": " : "{\"name\": ", out);
		put_string(out, settings->layers[i]->name);
		fputs(", \"path\": ", out);
		put_string(out, settings->layers[i]->path);
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
		"  \"publisher\": {\"mode\": \"%s\", \"published\": %llu, \"invalidated\": %llu",
		modes[atomic_load(&session->publish_mode)],
		(unsigned long long)atomic_load(&session->published),
		(unsigned long long)atomic_load(&session->invalidated));
	if (error) {
		fputs(", \"reason\": ", out);
		put_string(out, error == EXDEV ? "something else is mounted over this mount: "
						 "changes are seen, but "
						 "wake nobody"
					       : strerror(error));
	}
	fputs("},\n", out);
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

static void put_view(FILE *out, struct view *view)
{
	pthread_mutex_lock(&view->lock);
	size_t count = view->version_count;
	size_t bytes = view->version_bytes;
	uint64_t compositions = view->compositions;
	uint64_t overflows = view->overflows;
	size_t trouble_count = view->trouble_count;
	int watch_error = view->watch_error;
	bool is_polling = view->is_polling;
	bool is_remote = view->is_remote;
	unsigned poll_ms = view->composer.settings->poll_ms;
	pthread_mutex_unlock(&view->lock);

	fprintf(out, "  \"versions\": {\"count\": %zu, \"bytes\": %zu},\n", count, bytes);
	fprintf(out, "  \"watches\": {\"count\": %zu", watch_count(view->watch));
	if (watch_error) {
		fputs(", \"error\": ", out);
		put_string(out, watch_error == ENOSPC
					? "no inotify watches are left; raise the limit: sysctl "
					  "fs.inotify.max_user_watches=1048576"
					: strerror(watch_error));
	}
	if (is_polling) {
		fprintf(out, "},\n  \"polling\": {\"interval_ms\": %u, \"reason\": ", poll_ms);
		put_string(out,
			is_remote ? "a layer lies on a network or FUSE file system, whose changes "
				    "inotify does not tell; put it on a local disk to see changes "
				    "at once"
				  : "not every directory can be watched: see watches");
	}
	fprintf(out, "},\n  \"cache\": {\"bytes\": %zu},\n", source_cache_bytes(view->cache));
	fprintf(out, "  \"compositions\": %" PRIu64 ",\n  \"overflows\": %" PRIu64
		",\n  \"trouble_count\": %zu,\n",
		compositions, overflows, trouble_count);
}

int status_json(struct session *session, bool is_trusted, char **ret, size_t *size)
{
	FILE *out = open_memstream(ret, size);
	struct writer writer = {.out = out};
	struct era era;

	if (!out)
		return -ENOMEM;
	pthread_mutex_lock(&session->view->lock);
	era_init(session->view, &era);
	pthread_mutex_unlock(&session->view->lock);
	fputs("{\n  \"version\": ", out);
	put_string(out, PLYFS_VERSION);
	fprintf(out, ",\n  \"pid\": %d,\n  \"mountpoint\": ", getpid());
	put_string(out, session->mountpoint);
	fputs(",\n  \"source\": ", out);
	put_string(out, session->label);
	fputs(",\n", out);
	put_settings(out, session, era.composer.settings, is_trusted);
	put_layers(out, era.composer.settings);
	put_publisher(out, session);
	put_requests(out, session);
	put_view(out, session->view);
	fputs("  \"troubles\": [", out);
	if (is_trusted)
		view_troubles(session->view, put_trouble, &writer);
	era_fini(&era);
	fputs(writer.count ? "\n  ]\n}\n" : "]\n}\n", out);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

static void put_error_line(
	void *context, const char *path, const struct trouble *trouble, const struct version *shown)
{
	char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];
	const struct problem *problem = &trouble->problem;
	FILE *out = context;
	struct problem line;
	struct tm tm;
	char since[32];

	gmtime_r(&trouble->since.tv_sec, &tm);
	strftime(since, sizeof(since), "%Y-%m-%dT%H:%M:%SZ", &tm);
	/* A name may hold anything; problem_set() makes one line of it. */
	problem_set(&line, problem->source, problem->line, problem->column, "%s (%s, since %s, %s)",
		problem->message, path, since,
		has_good_version(shown) ? "the last good version is served" : "nothing is served");
	problem_format(&line, text, sizeof(text));
	fprintf(out, "%s\n", text);
}

int status_errors(struct session *session, bool is_trusted, char **ret, size_t *size)
{
	FILE *out = open_memstream(ret, size);

	if (!out)
		return -ENOMEM;
	if (is_trusted)
		view_troubles(session->view, put_error_line, out);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}
