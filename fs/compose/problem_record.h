/* A problem in a record (record.h). */
#pragma once

#include "problem.h"
#include "record.h"

void problem_put(struct record *record, const struct problem *problem);

/**
 * Reads a problem. Escapes control characters, as problem_set() does. Returns false, with an empty
 * problem, if the record is damaged or memory is short.
 */
bool problem_take(struct record *record, struct problem *ret);
