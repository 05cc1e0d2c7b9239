#include "render_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json_put.h"
#include "message.h"
#include "report_print.h"
#include "view.h"

struct named_outcome {
	enum outcome outcome;
	const char *path;
	const char *why; /* NULL: it has not failed */
};

void render_report_log(void *context, const char *line, const struct problem *problem)
{
	struct render_report *report = context;

	progress_hide(&report->progress);
	if (problem && message_is_json())
		message_problem(problem);
	else
		message("%s", line);
}

static size_t count_files(const struct render_report *report)
{
	const size_t *counts = report->counts;

	return counts[OUTCOME_WRITTEN] + counts[OUTCOME_CHANGED] + counts[OUTCOME_UNCHANGED] +
	       counts[OUTCOME_BROKEN];
}

static int keep(
	struct render_report *report, enum outcome outcome, const char *path, const char *why)
{
	if (!report->arena && arena_new(&report->arena) < 0)
		return -ENOMEM;
	struct named_outcome name = {outcome, arena_copy(report->arena, span_of(path)),
		why ? arena_copy(report->arena, span_of(why)) : NULL};
	if (!name.path || (why && !name.why))
		return -ENOMEM;
	return arena_push(
		report->arena, report->names, report->name_count, report->name_capacity, name);
}

void render_report_add(void *context, enum outcome outcome, const char *path, const char *why)
{
	struct render_report *report = context;

	report->counts[outcome]++;
	if ((message_is_json() || (report->options->mode == RENDER_DRY && !why &&
					  outcome != OUTCOME_UNCHANGED)) &&
		keep(report, outcome, path, why) < 0)
		report->result = -ENOMEM;
	progress_show(&report->progress,
		report->options->mode == RENDER_DRY ? "looking at" : "rendering",
		count_files(report), 0);
}

void render_report_add_unchecked(void *context, const struct view_unchecked *unchecked)
{
	struct render_report *report = context;

	if (unchecked_list_add(
		    &report->unchecked, unchecked->program, unchecked->why, unchecked->files) < 0)
		report->result = -ENOMEM;
}

static void warn_of_unchecked(const struct render_report *report)
{
	for (size_t i = 0; i < report->unchecked.count; i++) {
		struct problem problem;

		unchecked_list_describe(&report->unchecked.items[i], &problem);
		message_warning(&problem);
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct named_outcome *one = a, *other = b;

	return strcmp(one->path, other->path);
}

static void put_list(const struct render_report *report, const char *name, unsigned outcomes)
{
	struct json *out = JSON(stdout);

	json_put(out, "  %s: [", name);
	for (size_t i = 0; i < report->name_count; i++) {
		const struct named_outcome *noted = &report->names[i];

		if (!(outcomes & 1u << noted->outcome))
			continue;
		if (noted->why)
			json_put(
				out, ",\n    {'path': %s, 'message': %s}", noted->path, noted->why);
		else
			json_put(out, ",\n    %s", noted->path);
	}
	json_put(out, "\n  ],\n");
}

static void put_json(const struct render_report *report)
{
	fputs("{\n", stdout);
	put_list(report, "written", 1u << OUTCOME_WRITTEN | 1u << OUTCOME_CHANGED);
	put_list(report, "unchanged", 1u << OUTCOME_UNCHANGED);
	put_list(report, "removed", 1u << OUTCOME_REMOVED);
	put_list(report, "failed", 1u << OUTCOME_BROKEN | 1u << OUTCOME_FAILED);
	unchecked_list_print_json(&report->unchecked);
	json_put(JSON(stdout), "  'files': %zu,\n  'dry_run': %hhd\n}\n", count_files(report),
		(bool)(report->options->mode == RENDER_DRY));
}

static void print_names(const struct render_report *report)
{
	static const char *const words[] = {[OUTCOME_WRITTEN] = "write",
		[OUTCOME_CHANGED] = "change",
		[OUTCOME_REMOVED] = "remove"};

	for (size_t i = 0; i < report->name_count; i++) {
		printf("would %s ", words[report->names[i].outcome]);
		report_print(report->names[i].path);
		putchar('\n');
	}
}

static void print_summary(const struct render_report *report)
{
	const char *written = report->options->mode == RENDER_DRY ? "would be written" : "written";
	const char *removed = report->options->mode == RENDER_DRY ? "would be removed" : "removed";
	const size_t *counts = report->counts;

	progress_print_count("", count_files(report), "file", "files");
	progress_print_count(
		", ", counts[OUTCOME_WRITTEN] + counts[OUTCOME_CHANGED], written, written);
	if (counts[OUTCOME_REMOVED])
		progress_print_count(", ", counts[OUTCOME_REMOVED], removed, removed);
	if (counts[OUTCOME_BROKEN])
		progress_print_count(
			", ", counts[OUTCOME_BROKEN], "does not merge", "do not merge");
	if (counts[OUTCOME_FAILED])
		progress_print_count(", ", counts[OUTCOME_FAILED], "failed", "failed");
	fputc('\n', stdout);
}

int render_report_end(struct render_report *report)
{
	progress_hide(&report->progress);
	if (report->result < 0)
		return message_result(report->result, NULL, NULL);
	if (report->name_count)
		qsort(report->names, report->name_count, sizeof(*report->names), compare_names);
	if (message_is_json())
		put_json(report);
	else
		warn_of_unchecked(report);
	if (!message_is_json() && report->options->mode == RENDER_DRY)
		print_names(report);
	if (!message_is_json() && report->progress.state != PROGRESS_QUIET)
		print_summary(report);
	return EXIT_DONE;
}

void render_report_fini(struct render_report *report)
{
	arena_free(report->arena);
	arena_free(report->unchecked.arena);
}
