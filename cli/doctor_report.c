#include "doctor_report.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "command.h"
#include "json_put.h"
#include "message.h"
#include "proposal.h"
#include "shown.h"
#include "text.h"

/* A finding. It has no pointers: a child writes it to its parent as it is. */
struct diagnosis {
	enum diagnosis_kind kind;
	struct problem problem;
	char remedy[128];       /* "": the message has it */
	char operand[PATH_MAX]; /* "": none */
};

static char *remedy_of(const struct diagnosis *diagnosis)
{
	char *text = NULL;
	size_t size;
	FILE *out = diagnosis->remedy[0] ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	fputs(diagnosis->remedy, out);
	if (diagnosis->operand[0])
		proposal_put_word(out, diagnosis->operand);
	fclose(out);
	return text;
}

static void print_json(const struct doctor_report *report, const struct diagnosis *diagnosis)
{
	CLEANUP(freep) char *remedy = remedy_of(diagnosis);

	json_put(JSON(stdout), report->printed ? ",\n    {'kind': %s, " : "\n    {'kind': %s, ",
		diagnosis->kind == DIAGNOSIS_FAULT ? "error" : "ok");
	json_put_problem(JSON(stdout), &diagnosis->problem);
	json_put(JSON(stdout), ", 'remedy': %s}", remedy);
}

static void print_text(const struct diagnosis *diagnosis)
{
	CLEANUP(freep) char *remedy = remedy_of(diagnosis);
	char text[MESSAGE_MAX], shown[PATH_MAX * SHOWN_MAX];
	size_t len = problem_format(&diagnosis->problem, text, sizeof(text));
	size_t place = len - strlen(diagnosis->problem.message);
	bool is_bold = diagnosis->kind == DIAGNOSIS_FAULT && colour_use(STDOUT_FILENO);

	shown_head(shown, sizeof(shown), remedy ? remedy : "");
	printf("%s%.*s%s%s%s%s\n", is_bold ? COLOUR_BOLD : "", (int)place, text,
		is_bold ? COLOUR_NORMAL : "", text + place, remedy ? "; " : "", shown);
}

static void add(struct doctor_report *report, const struct diagnosis *diagnosis)
{
	report->wrong += diagnosis->kind == DIAGNOSIS_FAULT;
	if (diagnosis->kind > report->most)
		return;
	if (report->out >= 0)
		(void)text_write(report->out, (const char *)diagnosis, sizeof(*diagnosis));
	else if (message_is_json())
		print_json(report, diagnosis);
	else
		print_text(diagnosis);
	report->printed++;
}

void doctor_report_problem(
	struct doctor_report *report, const struct problem *problem, struct remedy remedy)
{
	struct diagnosis diagnosis = {.kind = remedy.kind, .problem = *problem};

	if (remedy.kind == DIAGNOSIS_IN_ORDER)
		problem_reword(&diagnosis.problem, problem, "in order");
	snprintf(diagnosis.remedy, sizeof(diagnosis.remedy), "%s", remedy.text ? remedy.text : "");
	snprintf(diagnosis.operand, sizeof(diagnosis.operand), "%s",
		remedy.operand ? remedy.operand : "");
	add(report, &diagnosis);
}

void doctor_report(struct doctor_report *report, const char *place, struct remedy remedy,
	const char *format, ...)
{
	char text[PROBLEM_MESSAGE_MAX];
	struct problem problem;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	problem_set(&problem, place, 0, 0, "%s", text);
	doctor_report_problem(report, &problem, remedy);
}

void doctor_report_take(struct doctor_report *report, struct span text)
{
	struct diagnosis diagnosis;

	for (; text.len >= sizeof(diagnosis); text.len -= sizeof(diagnosis)) {
		memcpy(&diagnosis, text.data, sizeof(diagnosis));
		add(report, &diagnosis);
		text.data += sizeof(diagnosis);
	}
}

void doctor_report_begin(void)
{
	if (message_is_json())
		json_put(JSON(stdout), "{\n  'findings': [");
}

int doctor_report_end(const struct doctor_report *report)
{
	if (message_is_json())
		json_put(JSON(stdout),
			report->printed ? "\n  ],\n  'errors': %zu\n}\n"
					: "],\n  'errors': %zu\n}\n",
			report->wrong);
	else if (report->wrong == 0)
		puts("Nothing is wrong.");
	return report->wrong ? EXIT_FAILED : EXIT_DONE;
}
