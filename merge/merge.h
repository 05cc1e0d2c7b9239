/*
 * The merge: sources, a strategy and its options in; one file's bytes out.
 *
 * A merge is pure: it opens no file, except shared libraries that a format or strategy needs. So
 * any number of merges may run at the same time, even over the same documents.
 *
 * The room `merge` is also the library libplymerge (examples/library/merge.c). A program linked
 * with libplymerge.so.2 runs with each later libplymerge.so.2: see plymerge.map. Initialize structs
 * by their members' names: a member that is 0 has its default.
 */
#pragma once

#include "document.h"
#include "limit.h"
#include "option.h"
#include "origin.h"

/* One source. Everything in it is borrowed until the result is freed. */
struct merge_input {
	struct source source;
	const struct format *format; /* NULL: unknown */
	struct span text;
	/* `text`, read with the options of read_options_for(); NULL: not read yet. */
	const struct document *document;
};

/* Positive result of merge_environment.find. */
#define MERGE_ABSENT 2

/*
 * How a strategy reaches files that are not among its inputs. The strategy calls find() even for
 * files that do not exist. So the caller of merge_run() knows all files that decide the result.
 */
struct merge_environment {
	/*
	 * Finds the file `name` at any depth in `directory`, a path from the layers' root ("": the
	 * root itself). If several directories have such a file, the file nearest to the root
	 * counts; of several equally near, the first in byte order. *ret becomes the *count sources
	 * of that file, lowest layer first. They must exist until the result is freed. If the
	 * options of read_options_for() have a format, the sources must have documents. If *count
	 * is N > 0 at the call, the strategy needs only sources with a `rank` below N. find() may
	 * leave out all other sources. If a file has no source with a rank below N, find() may
	 * treat it as a file that does not exist, and take the next file in the order above.
	 * Returns 0, MERGE_ABSENT, PROBLEM with `problem` filled, or -errno.
	 */
	int (*find)(void *context, const char *directory, const char *name,
		const struct merge_input **ret, size_t *count, struct problem *problem);
	void *context;
};

struct merge_request {
	const struct options *options;    /* checked; they name the strategy */
	const struct merge_input *inputs; /* lowest precedence first */
	size_t count;                     /* at least 1 */
	const char *path;        /* of the merged file, relative to the mount; may be NULL */
	const struct format *to; /* NULL: unknown, so a tree is written as YAML */
	enum node_schema schema;
	struct limits limits;                        /* all zero: LIMITS_DEFAULT */
	const struct merge_environment *environment; /* NULL: the strategy reaches no other file */
	bool wants_origins;                          /* fill in the result's `origins` */
	bool wants_tree; /* if the strategy gives a tree, set `root` of the result and not `text` */
	/* Called for input that is valid but probably a mistake. May be NULL. */
	void (*warn)(void *context, const struct problem *warning);
	void *warn_context;
	/* Begin a written tree with the names of its sources, if the format has comments. */
	bool wants_header;
	/* If this becomes true, the merge fails with -ECANCELED. May be NULL. */
	const atomic_bool *is_cancelled;
};

/* Greatest number of refusals in one result. */
#define REFUSALS_MAX 50

/* Changes that locks and bounds refused (value_lock.h). All other changes are in the result. */
struct refusals {
	struct problem *items; /* each has the place of the refused change */
	size_t count;
	size_t left_out; /* refusals beyond REFUSALS_MAX */
};

struct merge_result {
	struct arena *arena;
	const struct node *root; /* NULL if the strategy gave bytes, or no value */
	struct span text;        /* of the file; NUL-terminated */
	/* The sources of the inputs, then those of the files that the strategy found. */
	const struct source **sources;
	uint32_t source_count;
	uint32_t source_capacity;
	struct origins *origins; /* of the values, if the request wanted them */
	/* The document of the only source, if four conditions hold: the request wants origins, the
	 * strategy reads trees, `text` is the unchanged text of the source, and the source
	 * parses.
	 * Otherwise NULL. */
	const struct document *verbatim;
	struct refusals refusals;
	bool wants_crlf;         /* a written tree ends lines with "\r\n", like the lowest source */
	struct document **owned; /* documents that merge_run() or the strategy read itself */
	uint32_t owned_count;
	uint32_t owned_capacity;
};

/**
 * Returns the options with which to read an input in `format`, which may be NULL. If the options
 * have no format, the strategy needs no document of the input.
 */
struct read_options read_options_for(
	const struct merge_request *request, const struct format *format);

/**
 * Merges. The result refers to the inputs' documents and texts, which must outlive it. Returns 0
 * with *ret for merge_result_free(); PROBLEM; or -errno. -ECANCELED: the merge was cancelled.
 */
int merge_run(
	const struct merge_request *request, struct merge_result **ret, struct problem *problem);

/** Reports the first refusal and the number of further ones. Returns PROBLEM; 0: no refusals. */
int merge_report_refusals(const struct merge_result *result, struct problem *problem);

void merge_result_free(struct merge_result *result);
void merge_result_freep(struct merge_result **result);
