/* The composition of a version in a worker. */
#pragma once

#include "line_map.h"
#include "worker.h"

/**
 * Does what compose() does, but in a worker. Exception: the calling process itself composes a link
 * in a layer that is not remote (layer_task.h), and a file that is shown without a copy
 * (compose_held_source()). If this file lies in a remote layer, the exception holds only if the
 * file is larger than 64 MiB and the layer answers. Returns as compose() or workers_run().
 */
int compose_by(struct workers *workers, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct path_list *asked, struct version **ret,
	struct problem *problem);

/**
 * Makes the line map of the version: a worker repeats the merge. Returns 0 with *ret for
 * line_map_freep() (NULL: the merge failed, or gave another text), -ENOMEM or -ECANCELED.
 */
int map_lines_by(struct workers *workers, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, const struct version *version, struct line_map **ret);

/* Declared for tests: the task of compose_by(), and the function that writes the task's job. */
worker_task compose_task;
void compose_job_put(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct record *record);

/**
 * Declared for tests. Reads an answer of compose_task(). Returns as compose(); or -EBADMSG: the
 * answer is damaged, or its version is not of `kind`.
 */
int compose_answer_take(const struct composer *composer, struct record *answer,
	enum union_kind kind, struct path_list *asked, struct version **ret,
	struct problem *problem);
