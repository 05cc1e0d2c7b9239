/* Writes problems to a record (record.h), and reads them from it. */
#pragma once

#include "problem.h"
#include "record.h"

void problem_put(struct record *record, const struct problem *problem);

/**
 * Reads a problem. Escapes control characters, as problem_set() does. Returns false, with an empty
 * problem, if the record is damaged or memory is short.
 */
bool problem_take(struct record *record, struct problem *ret);
