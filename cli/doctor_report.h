/* The report of `plyfs doctor`: its findings, each with its remedy, on standard output. */
#pragma once

#include "problem.h"

/* The weight of a finding; the heaviest first. */
enum diagnosis_kind {
	DIAGNOSIS_FAULT,
	DIAGNOSIS_IN_ORDER, /* as DIAGNOSIS_NOTE, with "in order" in place of the message */
	DIAGNOSIS_NOTE,     /* no fault */
};

/* The remedy of a finding, for the user to type or to do. */
struct remedy {
	const char *text;    /* such as "plyfs status"; NULL: the message has the remedy */
	const char *operand; /* a word after `text`, quoted for a shell; NULL: none */
	enum diagnosis_kind kind;
};

#define REMEDY(...) ((struct remedy){__VA_ARGS__})
#define REMEDY_IF(is_wrong, ...) ((is_wrong) ? REMEDY(__VA_ARGS__) : IN_ORDER)
#define IN_ORDER REMEDY(.kind = DIAGNOSIS_IN_ORDER)
#define NOTE REMEDY(.kind = DIAGNOSIS_NOTE)

struct doctor_report {
	enum diagnosis_kind most; /* the last kind in the enum that is reported */
	int out;                  /* a child's pipe to the parent; -1: findings are printed */
	size_t wrong;             /* number of faults */
	size_t printed;           /* number of findings that were printed, or sent to the parent */
};

/** Reports a finding at `place`, such as a path. The message of a fault says what does not work. */
__attribute__((format(printf, 4, 5))) void doctor_report(struct doctor_report *report,
	const char *place, struct remedy remedy, const char *format, ...);

/** Reports a problem; its source, line and column are the place. */
void doctor_report_problem(
	struct doctor_report *report, const struct problem *problem, struct remedy remedy);

/** Adds the findings that a child has written to its pipe. */
void doctor_report_take(struct doctor_report *report, struct span text);

/** Begins the output of a report whose `out` is -1. */
void doctor_report_begin(void);
/** Ends the output of a report whose `out` is -1. Returns an exit code. */
int doctor_report_end(const struct doctor_report *report);
