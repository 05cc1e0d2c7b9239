#include "problem_record.h"

#include <limits.h>
#include <stdlib.h>

#include "cleanup.h"
#include "shown.h"

void problem_put(struct record *record, const struct problem *problem)
{
	record_put_text(record, problem->source);
	record_put_text(record, problem->place);
	record_put(record, problem->line);
	record_put(record, problem->column);
	record_put_text(record, problem->message);
	record_put_text(record, problem->program);
}

bool problem_take(struct record *record, struct problem *ret)
{
	CLEANUP(freep) char *source = record_get_text(record);
	CLEANUP(freep) char *place = record_get_text(record);
	unsigned line = (unsigned)record_get_below(record, UINT_MAX);
	unsigned column = (unsigned)record_get_below(record, UINT_MAX);
	CLEANUP(freep) char *message = record_get_text(record);
	CLEANUP(freep) char *program = record_get_text(record);

	*ret = (struct problem){.message = ""};
	if (!source || !place || !message || !program) {
		record_spoil(record);
		return false;
	}
	problem_set(ret, source, line, column, "%s", message);
	shown_tail(ret->place, sizeof(ret->place), place);
	problem_by(ret, program);
	return true;
}
