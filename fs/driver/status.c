/* The state of the mount, for programs (.plyfs/status) and for people (.plyfs/errors). */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cleanup.h"
#include "driver.h"
#include "json_put.h"
#include "last_good.h"
#include "status_parts.h"
#include "text.h"

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
	[REQUEST_SETATTR] = "setattr",
	[REQUEST_RMDIR] = "rmdir",
	[REQUEST_REFUSED] = "refused",
};

static void put_publisher(struct json *out, const struct publishing *publishing)
{
	static const char *const modes[] = {
		[PUBLISH_CLONE] = "clone", [PUBLISH_PATH] = "path", [PUBLISH_NONE] = "none"};
	int error = publishing->error;

	json_put(out, "  'publisher': {'mode': %s, 'published': %llu, 'invalidated': %llu",
		modes[publishing->mode], (unsigned long long)publishing->published,
		(unsigned long long)publishing->invalidated);
	if (error)
		json_put(out, ", 'reason': %s",
			error == EXDEV ? "another file system is mounted over this mount: changes "
					 "show, but programs that watch are not notified"
			: error == EPIPE ? "the process plyfs-publish has ended: changes show, but "
					   "programs that watch are not notified; " RENEWAL
					 : text_error(-error));
	json_put(out, "},\n");
}

static void put_requests(struct json *out, struct session *session)
{
	unsigned long long total = 0;

	json_put(out, "  'requests': {");
	for (int i = 0; i < REQUEST_KINDS; i++) {
		unsigned long long count = session->requests[i];
		total += count;
		json_put(out, "%s: %llu, ", request_names[i], count);
	}
	json_put(out, "'total': %llu},\n  'parallel_lookups': %hhd,\n", total,
		(bool)(session->connection.in_force & FUSE_CAP_PARALLEL_DIROPS));
}

static void put_kept(struct json *out, struct last_good *last_good)
{
	const char *directory = last_good_directory(last_good);
	struct last_good_counts counts;

	last_good_count(last_good, &counts);
	json_put(out, "  'kept': {'versions': %zu, 'bytes': %zu, 'lost': %zu", counts.versions,
		counts.bytes, counts.lost);
	if (directory)
		json_put(out, ", 'directory': %s", directory);
	json_put(out, "},\n");
}

static void put_take_over(struct json *out, const struct handover *offer, bool is_trusted)
{
	const char *error = NULL;

	if (!offer)
		return;
	json_put(out, ",\n  'take_over': {'tried': %u", handover_tried(offer, &error));
	if (error && is_trusted)
		json_put(out, ", 'error': %s", error);
	json_put(out, "}");
}

int status_json(struct session *session, bool is_trusted, char **ret, size_t *size)
{
	struct json json = {.file = open_memstream(ret, size)}, *out = &json;
	CLEANUP(settings_unrefp) struct settings *settings = view_settings(session->view);
	struct fault fault;

	if (!json.file)
		return -ENOMEM;
	json_put(out, "{\n  'version': %s,\n  'pid': %d", PLYFS_VERSION, getpid());
	put_take_over(out, session->handover.offer, is_trusted);
	json_put(
		out, ",\n  'mountpoint': %s,\n  'source': %s", session->mount.path, session->label);
	status_put_settings(out, settings,
		session->coherence == COHERENCE_STRICT ? "strict" : "cached",
		is_trusted && publisher_settings_fault(session->publishing.publisher, &fault)
			? &fault
			: NULL);
	status_put_layers(out, settings, is_trusted);
	put_publisher(out, &session->publishing);
	put_requests(out, session);
	status_put_sandbox(out, &session->sandbox_state);
	status_put_processes(out, RENEWAL);
	status_put_view(out, session->view, settings);
	put_kept(out, session->last_good);
	status_put_hooks(out, session->view, is_trusted);
	status_put_faults(out, is_trusted ? session->view : NULL);
	json_put(out, "\n}\n");
	return fclose(json.file) == 0 ? 0 : -ENOMEM;
}

static void put_error_line(void *context, const char *path, const struct fault *fault)
{
	FILE *out = context;
	char text[FAULT_TEXT_MAX];

	fault_text(fault, path, text);
	fprintf(out, "%s\n", text);
}

static void put_change_hook_line(void *context, const struct change_hook_state *state)
{
	FILE *out = context;
	char since[FAULT_TIME_MAX];

	if (!state->problem.message[0])
		return;
	fault_time(state->ended, since);
	fprintf(out, "%s (at %s; %s)\n", state->problem.message, since,
		state->phase == CHANGE_HOOK_GIVEN_UP
			? "tried too often, and again at the next change"
			: "is tried again");
}

static void put_settings_line(FILE *out, struct publisher *publisher)
{
	struct fault fault;

	if (publisher_settings_fault(publisher, &fault))
		put_error_line(out, NULL, &fault);
}

int status_errors(struct session *session, bool is_trusted, char **ret, size_t *size)
{
	FILE *out = open_memstream(ret, size);

	if (!out)
		return -ENOMEM;
	if (is_trusted) {
		CLEANUP(settings_unrefp) struct settings *settings = view_settings(session->view);

		put_settings_line(out, session->publishing.publisher);
		status_put_process_lines(out, RENEWAL);
		status_put_mirror_lines(out, settings);
		view_change_hooks(session->view, put_change_hook_line, out);
		view_faults(session->view, put_error_line, out);
	}
	return fclose(out) == 0 ? 0 : -ENOMEM;
}
