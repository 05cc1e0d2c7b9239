#include "check_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "json_put.h"
#include "message.h"
#include "place.h"
#include "text.h"

/* Delay of the first progress line, in ms: a quick check shows none. */
#define PROGRESS_MS 200

/* Number of hosts that a message names; if there is only one more, it names that, too. */
#define HOSTS_SHOWN 3

/* Size of their names in a message, in bytes; each may have HOST_NAME_MAX. */
#define HOSTS_SIZE ((HOSTS_SHOWN + 1) * 72)

void check_report_begin(struct check_report *report, size_t count)
{
	report->total += count;
	if (report->is_begun)
		return;
	report->is_begun = true;
	progress_begin(&report->progress, PROGRESS_MS);
	if (message_is_json())
		json_put(JSON(stdout), "{\n  'findings': [");
}

/* A finding that was printed, or, with hosts, that will be. */
struct reported_finding {
	/* with hosts: */
	struct finding *finding;
	const char *path;    /* NULL: it concerns no file */
	bool is_of_settings; /* it concerns plyfs.yaml, not a layer's file */
	const char **hosts;  /* those that have the finding */
	uint32_t host_count;
	uint32_t host_capacity;
	struct reported_finding *next; /* in order of addition */
};

static int store(struct check_report *report, const char *path, const struct finding *finding,
	struct reported_finding *reported)
{
	const char *settings = report->settings ? report->settings->text.path : NULL;

	reported->finding = arena_alloc(report->arena, sizeof(*reported->finding));
	reported->path = path ? arena_copy(report->arena, span_of(path)) : NULL;
	if (!reported->finding || (path && !reported->path))
		return -ENOMEM;
	*reported->finding = *finding;
	reported->is_of_settings = settings && strcmp(finding->problem.source, settings) == 0;
	*(report->last ? &report->last->next : &report->stored) = reported;
	report->last = reported;
	return 0;
}

static void put_json(struct check_report *report, const char *path, const struct finding *finding,
	const struct reported_finding *reported)
{
	json_put(JSON(stdout),
		report->findings++ ? ",\n    {'kind': %s, 'path': %s, "
				   : "\n    {'kind': %s, 'path': %s, ",
		finding->kind == FINDING_WARNING ? "warning" : "error", path);
	json_put_problem(JSON(stdout), &finding->problem);
	for (size_t i = 0; i < reported->host_count; i++)
		json_put(JSON(stdout), i ? ", %s" : ", 'hosts': [%s", reported->hosts[i]);
	fputs(reported->host_count ? "]}" : "}", stdout);
}

/* Formats " (on web1, web2 and 5 more hosts)"; "" if all hosts have the finding. */
static void format_hosts(const struct check_report *report, const struct reported_finding *reported,
	char *text, size_t size)
{
	size_t shown = reported->host_count <= HOSTS_SHOWN + 1 ? reported->host_count : HOSTS_SHOWN,
	       len = 0;

	*text = '\0';
	if (reported->host_count == report->hosts)
		return;
	for (size_t i = 0; i < shown && len < size; i++)
		len += (size_t)snprintf(
			text + len, size - len, "%s%s", i ? ", " : " (on ", reported->hosts[i]);
	if (shown < reported->host_count && len < size)
		len += (size_t)snprintf(text + len, size - len, " and %zu more hosts",
			(size_t)reported->host_count - shown);
	if (shown && len < size)
		snprintf(text + len, size - len, ")");
}

static void put_text(const struct check_report *report, const struct finding *finding,
	const struct reported_finding *reported)
{
	bool is_error = finding->kind != FINDING_WARNING;
	struct problem problem;
	char hosts[HOSTS_SIZE];

	/* With --strict a warning is a failure, and must not be suppressed. */
	if (!is_error && report->progress.state == PROGRESS_QUIET && !report->is_strict)
		return;
	format_hosts(report, reported, hosts, sizeof(hosts));
	problem_reword(&problem, &finding->problem, "%s%s%s",
		is_error ? "" : "warning: ", finding->problem.message, hosts);
	message_problem(&problem);
	if (is_error)
		place_show(report->settings, &finding->problem);
}

static void print(struct check_report *report, const char *path, const struct finding *finding,
	const struct reported_finding *reported)
{
	if (finding->kind != FINDING_WARNING)
		report->errors++;
	else
		report->warnings++;
	progress_hide(&report->progress);
	if (message_is_json())
		put_json(report, path, finding, reported);
	else
		put_text(report, finding, reported);
}

int check_report_add(struct check_report *report, const char *path, const struct finding *finding)
{
	const struct problem *problem = &finding->problem;
	CLEANUP(freep) char *text = NULL;
	int r = report->arena ? 0 : arena_new(&report->arena);

	if (r == 0)
		r = text_format(&text, "%u:%u:%d:%s: %s", problem->line, problem->column,
			(int)finding->kind, problem->source, problem->message);
	if (r < 0)
		return r;
	struct reported_finding *reported = table_get(&report->entries, span_of(text));
	if (!reported) {
		const char *key = arena_copy(report->arena, span_of(text));
		reported = arena_zalloc(report->arena, 1, sizeof(*reported));
		if (!key || !reported ||
			table_put(&report->entries, report->arena, span_of(key), reported) < 0)
			return -ENOMEM;
		if (report->host)
			r = store(report, path, finding, reported);
		else
			print(report, path, finding, reported);
	}
	uint32_t count = reported->host_count;
	if (r < 0 || !report->host || (count && reported->hosts[count - 1] == report->host))
		return r;
	return arena_push(report->arena, reported->hosts, reported->host_count,
		reported->host_capacity, report->host);
}

int check_report_warn(void *report, const struct problem *problem)
{
	return check_report_add(
		report, NULL, &(struct finding){.kind = FINDING_WARNING, .problem = *problem});
}

int check_report_file(
	struct check_report *report, const char *path, const struct findings *findings)
{
	struct finding more = {.kind = FINDING_WARNING};
	bool is_broken = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < findings->count; i++) {
		is_broken |= findings->items[i].kind == FINDING_ERROR;
		r = check_report_add(report, path, &findings->items[i]);
	}
	if (r == 0 && findings->left_out > 0) {
		problem_set(&more.problem, path, 0, 0, "%zu more warnings are not shown",
			findings->left_out);
		r = check_report_add(report, path, &more);
	}
	report->files++;
	report->failed += is_broken;
	progress_show(&report->progress, "checking", report->files, report->total);
	return r;
}

static void print_summary(const struct check_report *report)
{
	if (report->host)
		progress_print_count("", report->hosts, "host, ", "hosts, ");
	progress_print_count("", report->files, "file: ", "files: ");
	if (report->failed > 0)
		progress_print_count("", report->failed, "does not merge", "do not merge");
	else
		fputs("all merge", stdout);
	/* Errors that belong to no file, or to several. */
	if (report->errors != report->failed)
		progress_print_count(", ", report->errors, "error", "errors");
	if (report->warnings > 0)
		progress_print_count(", ", report->warnings, "warning", "warnings");
	fputc('\n', stdout);
}

int check_report_end(struct check_report *report)
{
	/* A warning about the settings must hold on all hosts. */
	for (const struct reported_finding *at = report->stored; at; at = at->next)
		if (at->finding->kind != FINDING_WARNING || !at->is_of_settings ||
			at->host_count == report->hosts)
			print(report, at->path, at->finding, at);
	/* Nothing has checked the files of a check command that can't be run. */
	for (size_t i = 0; i < report->unchecked.count; i++) {
		struct finding finding = {.kind = FINDING_WARNING};

		unchecked_list_describe(&report->unchecked.items[i], &finding.problem);
		print(report, NULL, &finding, &(struct reported_finding){0});
	}
	progress_hide(&report->progress);
	if (message_is_json()) {
		printf("%s],\n", report->findings ? "\n  " : "");
		unchecked_list_print_json(&report->unchecked);
		json_put(JSON(stdout), "  'files': %zu,\n  'failed': %zu,\n  'errors': %zu,\n",
			report->files, report->failed, report->errors);
		json_put(JSON(stdout), "  'warnings': %zu\n}\n", report->warnings);
	} else if (report->progress.state != PROGRESS_QUIET) {
		print_summary(report);
	}
	if (report->errors > 0 || (report->is_strict && report->warnings > 0))
		return EXIT_FAILED;
	return EXIT_DONE;
}

void check_report_fini(struct check_report *report)
{
	progress_hide(&report->progress);
	arena_free(report->arena);
	arena_free(report->unchecked.arena);
}
