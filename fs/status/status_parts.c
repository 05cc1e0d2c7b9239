#include "status_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "helper.h"
#include "json_put.h"
#include "mirror_report.h"
#include "text.h"
#include "worker.h"

/* Writes the rest of a fault's object, behind the fields that it has already, and closes it. */
static void put_fault_rest(struct json *out, const struct fault *fault)
{
	char time[FAULT_TIME_MAX];

	json_put_problem(out, &fault->problem);
	fault_time(fault->since, time);
	json_put(out, ", 'since': %s, 'age_s': %lld, 'serves': %s", time, fault_age_s(fault->since),
		fault_serves_name(fault->serves));
	if (fault->made.tv_sec) {
		fault_time(fault->made, time);
		json_put(out, ", 'served_since': %s, 'served_age_s': %lld", time,
			fault_age_s(fault->made));
	}
	json_put(out, "}");
}

static void put_fault(void *out, const char *path, const struct fault *fault)
{
	json_put(out, ",\n    {'path': %s, ", path);
	put_fault_rest(out, fault);
}

/* Writes for which host, machine, user and facts the settings were read; nothing: for ours. */
static void put_environment(struct json *out, const struct settings_environment *around)
{
	if (around->host)
		json_put(out, ", 'host': %s", around->host);
	if (around->machine_id)
		json_put(out, ", 'machine_id': %s", around->machine_id);
	if (around->user)
		json_put(out, ", 'user': %s", around->user);
	for (size_t i = 0; i < SETTINGS_FACTS_MAX && around->facts[i]; i++)
		json_put(out, i == 0 ? ", 'facts': [%s" : ", %s", around->facts[i]);
	if (around->facts[0])
		json_put(out, "]");
}

void status_put_settings(struct json *out, const struct settings *settings, const char *coherence,
	const struct fault *fault)
{
	/* Relative paths of `source` are relative to the directory; all others are absolute. */
	json_put(out, ",\n  'directory': %s,\n  'settings': {'path': %s",
		settings->around.directory, settings->text.path);
	json_put(out, ", 'coherence': %s, 'header': %hhd", coherence, settings->options.header);
	put_environment(out, &settings->around);
	if (fault) {
		char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];
		problem_format(&fault->problem, text, sizeof(text));
		json_put(out, ", 'error': %s, 'trouble': {", text);
		put_fault_rest(out, fault);
	}
	json_put(out, "},\n");
}

/*
 * Writes a time that another program reported, in the status's format; nothing if it is 0 or
 * absurd.
 */
static void put_moment(struct json *out, const char *name, double seconds)
{
	struct timespec moment = {.tv_sec = (time_t)seconds};
	char text[FAULT_TIME_MAX], age[32];

	if (!(seconds >= 1 && seconds < 1e11))
		return;
	fault_time(moment, text);
	snprintf(age, sizeof(age), "%s_age_s", name);
	json_put(out, ", %s: %s, %s: %lld", name, text, age, fault_age_s(moment));
}

static void put_mirror_faults(struct json *out, const struct mirror_report *report)
{
	json_put(out, ", 'troubles': [");
	for (uint32_t i = 0; i < report_count(report->faults); i++) {
		const struct node *fault = report->faults->seq.items[i];

		json_put(out, ", {'subject': %s, 'message': %s", report_text(fault, "subject"),
			report_text(fault, "message"));
		put_moment(out, "since", report_number(fault, "since"));
		json_put(out, "}");
	}
	json_put(out, "]");
}

/* A report is hostile: with all that it nests, the status might be too deep or large to be read. */
static void put_mirror_sandbox(struct json *out, const struct node *sandbox)
{
	static const char *const names[] = {
		"landlock", "landlock_abi", "seccomp", "no_new_privs", "capabilities"};

	if (!sandbox || !node_is_map(sandbox))
		return;
	json_put(out, ", 'sandbox': {");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct node *value = node_get(sandbox, names[i]);

		if (!value || !node_is_scalar(value))
			continue;
		json_put(out, ", %s: ", names[i]);
		if (value->style == NODE_PLAIN)
			fputs_unlocked(value->text.data, out->file);
		else
			json_put_span(out, value->text);
	}
	json_put(out, "}");
}

static void put_mirror(struct json *out, const struct layer *layer, bool is_trusted)
{
	struct mirror_report report;

	/* A file system that does not answer would hold up all requests. */
	if (layer_is_delegated(layer) || !mirror_report_of(layer->place, &report))
		return;
	const struct node *map = report.map;
	json_put(out, ", 'mirror': {'kind': %s, 'source': %s, 'revision': %s, 'endpoint': %s",
		report_text(map, "kind"), report_text(map, "source"), report_text(map, "revision"),
		report_text(map, "endpoint"));
	json_put(out, ", 'running': %hhd, 'connected': %hhd, 'files': %.0f", (bool)!*report.idle,
		mirror_report_is_connected(&report), report_number(map, "files"));
	if (*report.idle)
		json_put(out, ", 'reason': %s", report.idle);
	put_moment(out, "changed", report_number(map, "changed"));
	put_moment(out, "contact", report_number(map, "contact"));
	json_put(out, ", 'held_back': %hhd, 'trouble_count': %.0f",
		(bool)(*report_text(map, "offer") != '\0'), report_number(map, "trouble_count"));
	put_mirror_sandbox(out, report_get(map, "sandbox"));
	if (is_trusted)
		put_mirror_faults(out, &report);
	json_put(out, "}");
	mirror_report_fini(&report);
}

void status_put_layers(struct json *out, const struct settings *settings, bool is_trusted)
{
	json_put(out, "  'layers': [");
	for (size_t i = 0; i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];

		json_put(out, ", {'name': %s, 'path': %s, 'present': %hhd, 'answers': %hhd",
			layer->name, layer->path, (bool)(layer->dirfd >= 0),
			(bool)(layer_silence(layer) != LAYER_IS_SILENT));
		put_mirror(out, layer, is_trusted);
		json_put(out, "}");
	}
	json_put(out, "],\n");
}

static void put_mirror_line(FILE *out, const struct layer *layer, const char *text)
{
	struct problem line;

	problem_set(&line, NULL, 0, 0, "the mirror of the layer '%s': %s", layer->name, text);
	fprintf(out, "%s\n", line.message);
}

void status_put_mirror_lines(FILE *out, const struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];
		struct mirror_report report;

		if (layer_is_delegated(layer) || !mirror_report_of(layer->place, &report))
			continue;
		if (*report.idle)
			put_mirror_line(out, layer, report.idle);
		for (uint32_t j = 0; j < report_count(report.faults); j++) {
			const struct node *fault = report.faults->seq.items[j];
			char text[PROBLEM_MESSAGE_MAX];

			snprintf(text, sizeof(text), "%s: %s", report_text(fault, "subject"),
				report_text(fault, "message"));
			put_mirror_line(out, layer, text);
		}
		mirror_report_fini(&report);
	}
}

static void put_unchecked(void *out, const struct view_unchecked *unchecked)
{
	json_put(out, ", {'program': %s, 'reason': %s, 'files': %zu, 'shown': %zu}",
		unchecked->program, unchecked->why, unchecked->files, unchecked->shown);
}

/* Processes that merge. */
static void put_workers(struct json *out, struct view *view)
{
	struct worker_counts counts;

	if (!view_workers(view))
		return;
	workers_count(view_workers(view), &counts);
	json_put(out, "  'workers': {'running': %u, 'left': %u, 'failed': %" PRIu64 "},\n",
		counts.running, counts.left, counts.failed);
}

void status_put_view(struct json *out, struct view *view, const struct settings *settings)
{
	struct view_counts counts;
	char text[256];

	json_put(out, "  'not_checked': [");
	view_unchecked(view, put_unchecked, out);
	json_put(out, "],\n");
	view_count(view, &counts);
	json_put(out, "  'versions': {'count': %zu, 'bytes': %zu, 'files': %zu},\n",
		counts.versions, counts.version_bytes, counts.files);
	json_put(out, "  'watches': {'count': %zu", counts.watches);
	if (counts.watch_error) {
		snprintf(text, sizeof(text), "a directory can't be watched, and is polled: %s",
			text_error(-counts.watch_error));
		json_put(out, ", 'error': %s",
			counts.watch_error == ENOSPC
				? "no inotify watches are left; raise the limit: sysctl "
				  "fs.inotify.max_user_watches=1048576"
			: counts.watch_error == EDQUOT
				? "the mount has as many inotify watches as it may have: half of "
				  "fs.inotify.max_user_watches, or what the option 'watches' says; "
				  "raise that"
				: text);
	}
	if (counts.polling) {
		json_put(out, "},\n  'polling': {'interval_ms': %u, 'reason': %s",
			settings->options.poll_ms,
			counts.polling == POLLING_REMOTE
				? "a layer lies on a network or FUSE file system, whose "
				  "changes inotify does not report; put it on a local "
				  "disk to see changes at once"
			: counts.watch_error ? "not every directory can be watched: see watches"
					     : "a file system has failed, and no event reports "
					       "that it is well again");
	}
	json_put(out, "},\n  'cache': {'bytes': %zu},\n", counts.cache_bytes);
	put_workers(out, view);
	json_put(out,
		"  'compositions': %" PRIu64 ",\n  'overflows': %" PRIu64
		",\n  'trouble_count': %zu,\n",
		counts.compositions, counts.overflows, counts.faults);
}

void status_put_sandbox(struct json *out, const struct sandbox_state *state)
{
	json_put(out, "  'sandbox': ");
	sandbox_put(out, state);
	json_put(out, ",\n");
}

/* Returns whether the helper does not run; then writes why. */
static bool is_idle(enum helper_kind kind, enum helper_state state, const char *remedy,
	char ret[HELPER_TEXT_MAX])
{
	if (state == HELPER_RUNS)
		return false;
	helper_text(kind, state, remedy, ret);
	return true;
}

static void put_process(struct json *out, enum helper_kind kind, const char *remedy)
{
	static const char *const states[] = {
		[HELPER_RUNS] = "running", [HELPER_STOPPED] = "stopped", [HELPER_ENDED] = "ended"};
	/* The state may change after this call. */
	enum helper_state state = helper_state(kind);
	char reason[HELPER_TEXT_MAX];

	json_put(out, ",\n    {'name': %s, 'pid': %d, 'state': %s", helper_name(kind),
		(int)helper_pid(kind), states[state]);
	if (is_idle(kind, state, remedy, reason))
		json_put(out, ", 'reason': %s", reason);
	json_put(out, "}");
}

void status_put_processes(struct json *out, const char *remedy)
{
	json_put(out, "  'processes': [");
	for (enum helper_kind kind = 0; kind < HELPER_KINDS; kind++)
		if (helper_pid(kind))
			put_process(out, kind, remedy);
	json_put(out, "\n  ],\n");
}

void status_put_process_lines(FILE *out, const char *remedy)
{
	char reason[HELPER_TEXT_MAX];

	for (enum helper_kind kind = 0; kind < HELPER_KINDS; kind++)
		if (is_idle(kind, helper_state(kind), remedy, reason))
			fprintf(out, "%s\n", reason);
}

static void put_hook(void *out, const struct change_hook_state *state)
{
	char time[FAULT_TIME_MAX];

	json_put(out, ",\n    {'command': %s, 'running': %hhd, 'waiting': %zu", state->name,
		(bool)(state->phase == CHANGE_HOOK_RUNS), state->waiting);
	if (state->began.tv_sec) {
		fault_time(state->began, time);
		json_put(out, ", 'began': %s", time);
	}
	if (state->ended.tv_sec) {
		fault_time(state->ended, time);
		json_put(out, ", 'ended': %s, 'age_s': %lld, 'good': %hhd", time,
			fault_age_s(state->ended), (bool)!state->problem.message[0]);
	}
	if (state->problem.message[0])
		json_put(out, ", 'failures': %u, 'given_up': %hhd, 'again_ms': %" PRId64,
			state->failures, (bool)(state->phase == CHANGE_HOOK_GIVEN_UP),
			state->again_ms);
}

static void put_hook_for_all(void *out, const struct change_hook_state *state)
{
	put_hook(out, state);
	json_put(out, "}");
}

static void put_hook_and_error(void *out, const struct change_hook_state *state)
{
	put_hook(out, state);
	if (state->problem.message[0])
		json_put(out, ", 'error': %s", state->problem.message);
	json_put(out, "}");
}

void status_put_hooks(struct json *out, struct view *view, bool is_trusted)
{
	json_put(out, "  'on_change': [");
	view_change_hooks(view, is_trusted ? put_hook_and_error : put_hook_for_all, out);
	json_put(out, "\n  ],\n");
}

void status_put_faults(struct json *out, struct view *view)
{
	json_put(out, "  'troubles': [");
	if (view)
		view_faults(view, put_fault, out);
	json_put(out, "\n  ]");
}
