/*
 * Composing in a worker: as compose() and the gate do it in one process.
 */
#pragma once

#include "line_map.h"
#include "worker.h"

/**
 * As compose(). A link, and a large file of one layer, need no parser: they are made here.
 * composer->stand_ins and has_doubt apply. Returns also what workers_run() does.
 */
int compose_by(struct workers *workers, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct dependencies *asked, struct version **ret,
	struct problem *problem);

/**
 * Merges once more, and maps the lines of the text if it is the version's. Returns 0 with *ret for
 * line_map_free(), or NULL where the sources have changed or do not merge; -ENOMEM; or -ECANCELED.
 */
int map_lines_by(struct workers *workers, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct version *version, struct line_map **ret);

/* The task, what it is given, and what the daemon takes of its answer: for tests. */
worker_task compose_task;
void compose_job_put(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct record *record);

/**
 * Reads what compose_task() has written for a path of composer->settings. Returns as compose();
 * -EBADMSG: it can't be meant, also as it is not of that kind.
 */
int compose_answer_take(const struct composer *composer, struct record *answer,
	enum union_kind kind, struct dependencies *asked, struct version **ret,
	struct problem *problem);
