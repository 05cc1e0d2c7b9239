#include "check_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "hash.h"
#include "json_put.h"
#include "message.h"
#include "place.h"

/* Between two signs of progress, and before the first: who is quick need not show any. */
#define PROGRESS_MS 200

/* Bytes of a number with its commas. */
#define NUMBER_SIZE 32

/* "10,000" */
static const char *format_number(size_t number, char text[NUMBER_SIZE])
{
	char *at = text + NUMBER_SIZE - 1;
	unsigned digits = 0;

	*at = '\0';
	do {
		if (digits > 0 && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + number % 10);
		number /= 10;
		digits++;
	} while (number > 0);
	return at;
}

static void hide_progress(struct check_report *report)
{
	if (report->is_shown)
		fputs("\r\033[K", stderr);
	report->is_shown = false;
}

static void show_progress(struct check_report *report)
{
	char done[NUMBER_SIZE], all[NUMBER_SIZE];
	int64_t now = report->has_progress ? clock_ms() : 0;

	if (!report->has_progress || now - report->shown_ms < PROGRESS_MS)
		return;
	report->shown_ms = now;
	report->is_shown = true;
	fprintf(stderr, "\r\033[Kchecking %s of %s", format_number(report->files, done),
		format_number(report->total, all));
}

void check_report_begin(struct check_report *report, size_t total)
{
	report->total = total;
	report->shown_ms = report->has_progress ? clock_ms() : 0;
	if (report->is_json)
		fputs("{\n  \"findings\": [", stdout);
}

/* The place of `key`, or the one where it belongs. There is always a free one. */
static char **find_told(char **places, size_t size, const char *key)
{
	size_t at = hash_end(hash_bytes(hash_seed(), span_of(key)));

	while (places[at & (size - 1)] && strcmp(places[at & (size - 1)], key) != 0)
		at++;
	return &places[at & (size - 1)];
}

/* A power of two, and at least twice as many places as findings. */
static int make_room(struct check_report *report)
{
	size_t size = report->told_size ? 2 * report->told_size : 64;

	if (2 * (report->told_count + 1) <= report->told_size)
		return 0;
	char **larger = calloc(size, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	for (size_t i = 0; i < report->told_size; i++)
		if (report->told[i])
			*find_told(larger, size, report->told[i]) = report->told[i];
	free(report->told);
	report->told = larger;
	report->told_size = size;
	return 0;
}

/* Returns 1 when it was told before, 0, or -ENOMEM. */
static int was_told(struct check_report *report, const struct finding *finding)
{
	const struct problem *problem = &finding->problem;
	CLEANUP(freep) char *key = NULL;

	if (make_room(report) < 0 ||
		asprintf(&key, "%u:%u:%d:%s: %s", problem->line, problem->column,
			(int)finding->kind, problem->source, problem->message) < 0)
		return -ENOMEM;
	char **place = find_told(report->told, report->told_size, key);
	if (*place)
		return 1;
	*place = take_ptr(key);
	report->told_count++;
	return 0;
}

static void put_json(struct check_report *report, const char *path, const struct finding *finding)
{
	printf("%s\n    {\"kind\": \"%s\"", report->findings++ ? "," : "",
		finding->kind == FINDING_ERROR ? "error" : "warning");
	json_put_field(stdout, ", \"path\": ", path);
	fputs(", ", stdout);
	json_put_problem(stdout, &finding->problem);
	fputc('}', stdout);
}

static void put_text(const struct check_report *report, const struct finding *finding)
{
	struct problem warning = finding->problem;

	if (finding->kind == FINDING_ERROR) {
		message_problem(&finding->problem);
		if (report->settings)
			place_show(report->settings, &finding->problem);
		return;
	}
	/* With --strict a warning is a failure, and the reason of one is never kept back. */
	if (report->is_quiet && !report->is_strict)
		return;
	problem_set(&warning, finding->problem.source, finding->problem.line,
		finding->problem.column, "warning: %s", finding->problem.message);
	message_problem(&warning);
}

int check_report_add(struct check_report *report, const char *path, const struct finding *finding)
{
	int told = was_told(report, finding);

	if (told != 0)
		return told < 0 ? told : 0;
	if (finding->kind == FINDING_ERROR)
		report->errors++;
	else
		report->warnings++;
	hide_progress(report);
	if (report->is_json)
		put_json(report, path, finding);
	else
		put_text(report, finding);
	return 0;
}

/* So many warnings that they were not kept. */
static int tell_left_out(struct check_report *report, const char *path, size_t count)
{
	struct finding finding = {.kind = FINDING_WARNING};

	problem_set(&finding.problem, path, 0, 0, "%zu more warnings are not shown", count);
	return check_report_add(report, path, &finding);
}

int check_report_file(
	struct check_report *report, const char *path, const struct findings *findings)
{
	bool is_broken = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < findings->count; i++) {
		is_broken |= findings->items[i].kind == FINDING_ERROR;
		r = check_report_add(report, path, &findings->items[i]);
	}
	if (r == 0 && findings->left_out > 0)
		r = tell_left_out(report, path, findings->left_out);
	report->files++;
	report->failed += is_broken;
	show_progress(report);
	return r;
}

static void print_count(size_t count, const char *one, const char *more)
{
	char text[NUMBER_SIZE];

	printf("%s %s", format_number(count, text), count == 1 ? one : more);
}

static void print_summary(const struct check_report *report)
{
	print_count(report->files, "file: ", "files: ");
	if (report->failed > 0)
		print_count(report->failed, "does not merge", "do not merge");
	else
		fputs("all merge", stdout);
	/* Of what is no file's own, or is several files'. */
	if (report->errors != report->failed) {
		fputs(", ", stdout);
		print_count(report->errors, "error", "errors");
	}
	if (report->warnings > 0) {
		fputs(", ", stdout);
		print_count(report->warnings, "warning", "warnings");
	}
	fputc('\n', stdout);
}

int check_report_end(struct check_report *report)
{
	hide_progress(report);
	if (report->is_json)
		printf("%s],\n  \"files\": %zu,\n  \"failed\": %zu,\n  \"errors\": %zu,\n"
		       "  \"warnings\": %zu\n}\n",
			report->findings ? "\n  " : "", report->files, report->failed,
			report->errors, report->warnings);
	else if (!report->is_quiet)
		print_summary(report);
	if (report->errors > 0 || (report->is_strict && report->warnings > 0))
		return EXIT_FAILED;
	return EXIT_DONE;
}

void check_report_fini(struct check_report *report)
{
	hide_progress(report);
	for (size_t i = 0; i < report->told_size; i++)
		free(report->told[i]);
	free(report->told);
	report->told = NULL;
	report->told_size = 0;
}
