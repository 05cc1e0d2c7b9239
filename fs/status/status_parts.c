#include "status_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "helper.h"
#include "json_put.h"
#include "mirror_report.h"
#include "monitor.h"
#include "text.h"
#include "worker.h"

/* Writes the rest of a fault's object, behind the fields that it has already, and closes it. */
static void put_fault_rest(FILE *out, const struct trouble *trouble)
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

/* The state of writing a list. */
struct fault_writer {
	FILE *out;
	size_t count;
};

static void put_fault(void *context, const char *path, const struct trouble *trouble)
{
	struct fault_writer *writer = context;
	FILE *out = writer->out;

	json_put_field(out, writer->count++ ? ",\n    {\"path\": " : "\n    {\"path\": ", path);
	fputs(", ", out);
	put_fault_rest(out, trouble);
}

/* Writes for which host, machine, user and facts the settings were read; nothing: for ours. */
static void put_environment(FILE *out, const struct settings_environment *around)
{
	if (around->host)
		json_put_field(out, ", \"host\": ", around->host);
	if (around->machine_id)
		json_put_field(out, ", \"machine_id\": ", around->machine_id);
	if (around->user)
		json_put_field(out, ", \"user\": ", around->user);
	for (size_t i = 0; i < SETTINGS_FACTS_MAX && around->facts[i]; i++)
		json_put_field(out, i == 0 ? ", \"facts\": [" : ", ", around->facts[i]);
	if (around->facts[0])
		fputc(']', out);
}

static void put_settings(FILE *out, const struct settings *settings, const char *coherence,
	const struct trouble *trouble)
{
	json_put_field(out, "  \"settings\": {\"path\": ", settings->path);
	fprintf(out, ", \"coherence\": \"%s\", \"header\": %s", coherence,
		settings->header ? "true" : "false");
	put_environment(out, &settings->around);
	if (trouble) {
		char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];
		problem_format(&trouble->problem, text, sizeof(text));
		json_put_field(out, ", \"error\": ", text);
		fputs(", \"trouble\": {", out);
		put_fault_rest(out, trouble);
	}
	fputs("},\n", out);
}

/* Writes the directory to which relative paths of settings and layers are relative. */
static void put_directory(FILE *out, const struct settings *settings)
{
	json_put_field(out, ",\n  \"directory\": ", settings->around.directory);
	fputs(",\n", out);
}

/*
 * Writes a time that another program reported, in the status's format; nothing if it is 0 or
 * absurd.
 */
static void put_moment(FILE *out, const char *name, double seconds)
{
	struct timespec moment = {.tv_sec = (time_t)seconds};
	char text[TROUBLE_TIME_MAX];

	if (!(seconds >= 1 && seconds < 1e11))
		return;
	trouble_time(moment, text);
	fprintf(out, ", \"%s\": \"%s\", \"%s_age_s\": %lld", name, text, name,
		trouble_age_s(moment));
}

static void put_mirror_faults(FILE *out, const struct mirror_report *report)
{
	fputs(", \"troubles\": [", out);
	for (uint32_t i = 0; i < report_count(report->troubles); i++) {
		const struct node *trouble = report->troubles->seq.items[i];

		json_put_field(out,
			i ? ", {\"subject\": " : "{\"subject\": ", report_text(trouble, "subject"));
		json_put_field(out, ", \"message\": ", report_text(trouble, "message"));
		put_moment(out, "since", report_number(trouble, "since"));
		fputc('}', out);
	}
	fputc(']', out);
}

/*
 * Writes "sandbox" for the mirror, as far as the mirror reports it, in the form of the mount's own.
 */
static void put_mirror_sandbox(FILE *out, const struct node *sandbox)
{
	static const char *const names[] = {
		"landlock", "landlock_abi", "seccomp", "no_new_privs", "capabilities"};
	const char *separator = "";

	if (!sandbox || !node_is_map(sandbox))
		return;
	fputs(", \"sandbox\": {", out);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct node *value = node_get(sandbox, names[i]);

		if (!value || !node_is_scalar(value))
			continue;
		fprintf(out, "%s\"%s\": ", separator, names[i]);
		if (value->style == NODE_PLAIN)
			fputs(value->text.data, out);
		else
			json_put_string(out, value->text.data);
		separator = ", ";
	}
	fputc('}', out);
}

static void put_mirror(FILE *out, const struct layer *layer, bool is_trusted)
{
	struct mirror_report report;

	if (!mirror_report_of(layer->place, &report))
		return;
	const struct node *map = report.map;
	json_put_field(out, ", \"mirror\": {\"kind\": ", report_text(map, "kind"));
	json_put_field(out, ", \"source\": ", report_text(map, "source"));
	json_put_field(out, ", \"revision\": ", report_text(map, "revision"));
	json_put_field(out, ", \"endpoint\": ", report_text(map, "endpoint"));
	fprintf(out, ", \"running\": %s, \"connected\": %s, \"files\": %.0f",
		report.is_running ? "true" : "false", report.is_connected ? "true" : "false",
		report_number(map, "files"));
	put_moment(out, "changed", report_number(map, "changed"));
	put_moment(out, "contact", report_number(map, "contact"));
	fprintf(out, ", \"held_back\": %s, \"trouble_count\": %.0f",
		*report_text(map, "offer") ? "true" : "false", report_number(map, "trouble_count"));
	put_mirror_sandbox(out, report_get(map, "sandbox"));
	if (is_trusted)
		put_mirror_faults(out, &report);
	fputc('}', out);
	mirror_report_fini(&report);
}

void status_put_layers(FILE *out, const struct settings *settings, bool is_trusted)
{
	fputs("  \"layers\": [", out);
	for (size_t i = 0; i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];

		json_put_field(out, i ? ", {\"name\": " : "{\"name\": ", layer->name);
		json_put_field(out, ", \"path\": ", layer->path);
		fprintf(out, ", \"present\": %s, \"answers\": %s",
			layer->dirfd >= 0 ? "true" : "false",
			layer_silence(layer) == LAYER_IS_SILENT ? "false" : "true");
		put_mirror(out, layer, is_trusted);
		fputc('}', out);
	}
	fputs("],\n", out);
}

void status_put_mirror_lines(FILE *out, const struct settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++) {
		const struct layer *layer = settings->layers[i];
		struct mirror_report report;

		if (!mirror_report_of(layer->place, &report))
			continue;
		for (uint32_t j = 0; j < report_count(report.troubles); j++) {
			const struct node *trouble = report.troubles->seq.items[j];
			struct problem line;

			problem_set(&line, NULL, 0, 0, "the mirror of the layer '%s': %s: %s",
				layer->name, report_text(trouble, "subject"),
				report_text(trouble, "message"));
			fprintf(out, "%s\n", line.message);
		}
		mirror_report_fini(&report);
	}
}

void status_put_settings(FILE *out, const struct settings *settings, const char *coherence,
	const struct trouble *trouble)
{
	put_directory(out, settings);
	put_settings(out, settings, coherence, trouble);
}

static void put_unchecked(void *context, const struct view_unchecked *unchecked)
{
	struct fault_writer *writer = context;
	FILE *out = writer->out;

	json_put_field(
		out, writer->count++ ? ", {\"program\": " : "{\"program\": ", unchecked->program);
	json_put_field(out, ", \"reason\": ", unchecked->why);
	fprintf(out, ", \"files\": %zu, \"shown\": %zu}", unchecked->files, unchecked->shown);
}

/* Those that merge. */
static void put_workers(FILE *out, struct view *view)
{
	struct worker_counts counts;

	if (!view_workers(view))
		return;
	workers_count(view_workers(view), &counts);
	fprintf(out, "  \"workers\": {\"running\": %u, \"left\": %u, \"failed\": %" PRIu64 "},\n",
		counts.running, counts.left, counts.failed);
}

void status_put_view(FILE *out, struct view *view, const struct settings *settings)
{
	struct fault_writer writer = {.out = out};
	struct view_counts counts;

	fputs("  \"not_checked\": [", out);
	view_unchecked(view, put_unchecked, &writer);
	fputs("],\n", out);
	view_count(view, &counts);
	fprintf(out, "  \"versions\": {\"count\": %zu, \"bytes\": %zu, \"files\": %zu},\n",
		counts.versions, counts.version_bytes, counts.files);
	fprintf(out, "  \"watches\": {\"count\": %zu", counts.watches);
	if (counts.watch_error) {
		json_put_field(out, ", \"error\": ",
			counts.watch_error == ENOSPC
				? "no inotify watches are left; raise the limit: sysctl "
				  "fs.inotify.max_user_watches=1048576"
			: counts.watch_error == EDQUOT
				? "the mount has as many inotify watches as it may have: half of "
				  "fs.inotify.max_user_watches, or what the option 'watches' says; "
				  "raise that"
				: text_error(-counts.watch_error));
	}
	if (counts.is_polling) {
		fprintf(out, "},\n  \"polling\": {\"interval_ms\": %u", settings->poll_ms);
		json_put_field(out, ", \"reason\": ",
			counts.is_remote ? "a layer lies on a network or FUSE file system, whose "
					   "changes inotify does not report; put it on a local "
					   "disk to see changes at once"
					 : "not every directory can be watched: see watches");
	}
	fprintf(out, "},\n  \"cache\": {\"bytes\": %zu},\n", counts.cache_bytes);
	put_workers(out, view);
	fprintf(out,
		"  \"compositions\": %" PRIu64 ",\n  \"overflows\": %" PRIu64
		",\n  \"trouble_count\": %zu,\n",
		counts.compositions, counts.overflows, counts.troubles);
}

void status_put_sandbox(FILE *out, const struct sandbox_state *state, const char *remedy)
{
	char reason[256];

	fputs("  \"sandbox\": ", out);
	sandbox_put(out, state);
	fputs(",\n  \"monitor\": {\"running\": ", out);
	if (monitor_has_ended()) {
		snprintf(reason, sizeof(reason),
			"the process plyfs-monitor has ended: new paths in plyfs.yaml, or in a "
			"layer's place, can't be opened; %s",
			remedy);
		json_put_field(out, "false, \"reason\": ", reason);
	} else {
		fputs("true", out);
	}
	fputs("},\n", out);
}

/* Returns whether the helper does not run; then writes why. "monitor" reports its own end. */
static bool is_idle(enum helper_kind kind, enum helper_state state, const char *remedy,
	char ret[HELPER_TEXT_MAX])
{
	if (state == HELPER_RUNS || (state == HELPER_ENDED && kind == HELPER_MONITOR))
		return false;
	helper_text(kind, state, remedy, ret);
	return true;
}

static void put_process(FILE *out, enum helper_kind kind, const char *remedy)
{
	static const char *const states[] = {
		[HELPER_RUNS] = "running", [HELPER_STOPPED] = "stopped", [HELPER_ENDED] = "ended"};
	/* It may be another one a moment later. */
	enum helper_state state = helper_state(kind);
	char reason[HELPER_TEXT_MAX];

	fprintf(out, "{\"name\": \"%s\", \"pid\": %d, \"state\": \"%s\"", helper_name(kind),
		(int)helper_pid(kind), states[state]);
	if (is_idle(kind, state, remedy, reason))
		json_put_field(out, ", \"reason\": ", reason);
	fputc('}', out);
}

void status_put_processes(FILE *out, const char *remedy)
{
	const char *before = "  \"processes\": [\n    ";

	for (enum helper_kind kind = 0; kind < HELPER_KINDS; kind++) {
		if (!helper_pid(kind))
			continue;
		fputs(before, out);
		put_process(out, kind, remedy);
		before = ",\n    ";
	}
	fputs(*before == ',' ? "\n  ],\n" : "  \"processes\": [],\n", out);
}

void status_put_process_lines(FILE *out, const char *remedy)
{
	char reason[HELPER_TEXT_MAX];

	for (enum helper_kind kind = 0; kind < HELPER_KINDS; kind++)
		if (is_idle(kind, helper_state(kind), remedy, reason))
			fprintf(out, "%s\n", reason);
}

static void put_time(FILE *out, const char *before, struct timespec time)
{
	char text[TROUBLE_TIME_MAX];

	trouble_time(time, text);
	json_put_field(out, before, text);
}

/* The state of writing the list of change hooks. */
struct hook_writer {
	FILE *out;
	size_t count;
	bool is_trusted;
};

static void put_hook(void *context, const struct notice_state *state)
{
	struct hook_writer *writer = context;
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

void status_put_hooks(FILE *out, struct view *view, bool is_trusted)
{
	struct hook_writer writer = {.out = out, .is_trusted = is_trusted};

	fputs("  \"on_change\": [", out);
	view_notices(view, put_hook, &writer);
	fputs(writer.count ? "\n  ],\n" : "],\n", out);
}

void status_put_faults(FILE *out, struct view *view)
{
	struct fault_writer writer = {.out = out};

	fputs("  \"troubles\": [", out);
	if (view)
		view_troubles(view, put_fault, &writer);
	fputs(writer.count ? "\n  ]" : "]", out);
}
