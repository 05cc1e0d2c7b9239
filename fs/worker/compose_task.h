/* Composing in a worker, as compose() does it in the calling process. */
#pragma once

#include "line_map.h"
#include "worker.h"

/**
 * Does what compose() does, in a worker. But the calling process itself composes links, and large
 * files that only one layer has, as these need no parser. If the link or file is in a remote layer,
 * the calling process composes only files above 64 MiB, and only while the layer answers. Returns
 * as compose() or workers_run().
 */
int compose_by(struct workers *workers, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct dependencies *asked, struct version **ret,
	struct problem *problem);

/**
 * Merges again, and if the text is the same as the version's, maps its lines. Returns 0 with *ret
 * for line_map_free() (NULL: the sources have changed, or can't be merged); -ENOMEM; -ECANCELED.
 */
int map_lines_by(struct workers *workers, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct version *version, struct line_map **ret);

/* The task of compose_by(), the writer of its job, and the reader of its answer: for tests. */
worker_task compose_task;
void compose_job_put(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct record *record);

/**
 * Reads an answer of compose_task(). Returns as compose(); -EBADMSG: the answer is damaged, or its
 * version is not of `kind`.
 */
int compose_answer_take(const struct composer *composer, struct record *answer,
	enum union_kind kind, struct dependencies *asked, struct version **ret,
	struct problem *problem);
