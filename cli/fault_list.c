#include "fault_list.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "fault.h"
#include "message.h"
#include "mounted_settings.h"
#include "place.h"
#include "report_print.h"
#include "shown.h"
#include "text.h"

/* Columns. */
#define INDENT 14
#define MESSAGE_AT 4
#define EXCERPT_AT 6

/* The means to find the sources of faults. */
struct ground {
	struct settings *settings; /* NULL: they can't be made here */
	const char *directory;     /* relative names are relative to it; "": unknown */
	dev_t dev;                 /* of the mount: a name on it is not a source */
};

/* `ground` NULL: a layer does not answer, so no source is read. */
static void print_place(const struct ground *ground, struct problem *problem, bool is_file)
{
	CLEANUP(freep) char *absolute = NULL;
	const char *name = problem->source;

	/* The settings would tell whether a file may have secrets. */
	if (!ground || (is_file && !ground->settings))
		return;
	if (ground->settings && place_print(stdout, EXCERPT_AT, ground->settings, problem))
		return;
	if (*name != '/' && *ground->directory) {
		if (text_format(&absolute, "%s/%s", ground->directory, name) < 0)
			return;
		name = absolute;
	}
	if (absolute && strlen(absolute) < sizeof(problem->source) && ground->settings) {
		strcpy(problem->source, absolute);
		if (place_print(stdout, EXCERPT_AT, ground->settings, problem))
			return;
	}
	place_print_file(stdout, EXCERPT_AT, name, ground->dev, problem);
}

/* Prints "since TIME; WHAT IS SERVED:", the message, and the line of the source. */
static void print_fault(const struct ground *ground, const struct node *fault)
{
	enum fault_serves serves = fault_serves_of(report_text(fault, "serves"));
	struct problem problem;
	char served[FAULT_AGE_MAX + 64], text[MESSAGE_MAX];

	fault_serves_text(
		serves, (long long)report_number(fault, "served_age_s"), served, sizeof(served));
	problem_set(&problem, report_text(fault, "source"), (unsigned)report_number(fault, "line"),
		(unsigned)report_number(fault, "column"), "%s", report_text(fault, "message"));
	shown_tail(problem.place, sizeof(problem.place), report_text(fault, "place"));
	problem_by(&problem, report_text(fault, "program"));
	problem_format(&problem, text, sizeof(text));
	report_put(fault, "since {since}");
	printf("; %s:\n%*s%s\n", served, MESSAGE_AT, "", text);
	print_place(ground, &problem, report_get(fault, "path"));
}

enum cause { CAUSE_MERGE, CAUSE_LOCK, CAUSE_CHECK, CAUSES };

static enum cause cause_of(const struct node *fault)
{
	const char *message = report_text(fault, "message");

	if (fault_serves_of(report_text(fault, "serves")) == FAULT_SERVES_LOCKED)
		return CAUSE_LOCK;
	if (report_get(fault, "program") || span_begins(span_of(message), "the check '"))
		return CAUSE_CHECK;
	return CAUSE_MERGE;
}

static void print_caused(const struct ground *ground, const struct node *faults, enum cause cause)
{
	static const char *const one[] = {"A file does not merge",
		"A locked or bounded value was set in a file", "A file does not pass its check"};
	static const char *const more[] = {"files do not merge",
		"files set a locked or bounded value", "files do not pass their checks"};
	unsigned count = 0;

	for (uint32_t i = 0; i < report_count(faults); i++)
		count += cause_of(faults->seq.items[i]) == cause;
	if (count == 1)
		printf("\n%s:\n", one[cause]);
	else if (count > 1)
		printf("\n%u %s:\n", count, more[cause]);
	for (uint32_t i = 0; i < report_count(faults); i++) {
		if (cause_of(faults->seq.items[i]) != cause)
			continue;
		report_put(faults->seq.items[i], "  {path}, ");
		print_fault(ground, faults->seq.items[i]);
	}
}

static void print_all(const struct ground *ground, const struct node *report)
{
	const struct node *faults = report_get(report, "troubles");
	const struct node *settings = report_get(report, "settings.trouble");

	if (settings) {
		printf("\nThe settings can't be used as they are, ");
		print_fault(ground, settings);
	}
	for (enum cause cause = CAUSE_MERGE; cause < CAUSES; cause++)
		print_caused(ground, faults, cause);
	putchar('\n');
}

static double faults_of_files(const struct node *report)
{
	return report_number(report, "trouble_count") +
	       (report_get(report, "settings.trouble") ? 1 : 0);
}

static double faults_of_mirrors(const struct node *layers)
{
	double count = 0;

	for (uint32_t i = 0; i < report_count(layers); i++) {
		const struct node *mirror = report_get(layers->seq.items[i], "mirror");
		if (!mirror)
			continue;
		count += report_number(mirror, "trouble_count");
		count += report_is(mirror, "running", "false");
	}
	return count;
}

bool fault_list_hook_has_failed(const struct node *hook)
{
	return *report_text(hook, "ended") && !report_is(hook, "good", "true");
}

bool fault_list_layer_is_silent(const struct node *layer)
{
	return report_is(layer, "answers", "false");
}

double fault_list_count(const struct node *report)
{
	const struct node *layers = report_get(report, "layers");
	const struct node *hooks = report_get(report, "on_change");
	const struct node *unchecked = report_get(report, "not_checked");
	const struct node *processes = report_get(report, "processes");
	double count = faults_of_files(report) + faults_of_mirrors(layers);

	for (uint32_t i = 0; i < report_count(layers); i++)
		count += fault_list_layer_is_silent(layers->seq.items[i]);
	for (uint32_t i = 0; i < report_count(hooks); i++)
		count += fault_list_hook_has_failed(hooks->seq.items[i]);
	for (uint32_t i = 0; i < report_count(unchecked); i++)
		/*
		 * A file that is not shown for lack of its check is a fault of that file, which
		 * counts already.
		 */
		count += report_number(unchecked->seq.items[i], "shown") > 0;
	for (uint32_t i = 0; i < report_count(processes); i++)
		count += report_get(processes->seq.items[i], "reason") != NULL;
	count += report_count(report_get(report, "failures"));
	return count + report_is(report, "publisher.mode", "none");
}

void fault_list_print_unchecked(const struct node *report)
{
	const struct node *list = report_get(report, "not_checked");

	for (uint32_t i = 0; i < report_count(list); i++) {
		const struct node *unchecked = list->seq.items[i];
		bool is_one = report_is(unchecked, "files", "1");

		printf("%-*s", INDENT, "  checks");
		report_put(unchecked, is_one ? "{#files} file" : "{#files} files");
		report_put(unchecked, " not checked: {program} {reason}\n");
	}
}

void fault_list_print(const char *mountpoint, const struct node *report)
{
	CLEANUP(settings_unrefp) struct settings *settings = NULL;
	const struct node *layers = report_get(report, "layers");
	struct ground ground = {.directory = report_text(report, "directory")};
	struct problem problem;
	struct stat stat_of_mount;
	bool is_silent = false;

	if (!report_count(report_get(report, "troubles")) &&
		!report_get(report, "settings.trouble")) {
		/* Messages may quote the sources, so other users do not get them. */
		if (faults_of_files(report) > 0)
			printf("%-*sto root and to the user who mounted only\n", INDENT, "  shown");
		return;
	}
	if (!report_get(report, "rendered") && stat(mountpoint, &stat_of_mount) == 0)
		ground.dev = stat_of_mount.st_dev;
	for (uint32_t i = 0; i < report_count(layers); i++)
		is_silent |= fault_list_layer_is_silent(layers->seq.items[i]);
	if (!is_silent && mounted_settings(mountpoint, &(struct settings_environment){0}, &settings,
				  &problem) == 0)
		ground.settings = settings;
	print_all(is_silent ? NULL : &ground, report);
}
