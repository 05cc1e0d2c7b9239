/*
 * The merge: sources, a strategy and its options in; one file's bytes out.
 *
 * Pure: memory in, memory out. It opens nothing, keeps nothing between calls and holds no globals,
 * so any number of merges may run at the same time, also over the same documents.
 */
#pragma once

#include "document.h"
#include "limit.h"
#include "option.h"
#include "origin.h"

/* One source. All of it is borrowed until the result is freed. */
struct merge_input {
	struct source source;
	const struct format *format; /* NULL: of none that is known */
	struct span text;
	const struct document *document; /* `text`, read as read_options_for() says; or NULL: not yet */
};

/* Positive result of merge_environment.find. */
#define MERGE_ABSENT 2

/*
 * How a strategy reaches what is not among its inputs. The caller sees every question, also one
 * answered with MERGE_ABSENT, so it knows what the result depends on.
 */
struct merge_environment {
	/*
	 * The sources of the file `name` anywhere under `directory` (relative to the layers; ""
	 * is their root): the first that is found, top directories first, names in byte order.
	 * *ret, lowest layer first, stays good until the result is freed; their documents are
	 * read, unless read_options_for() gives no format.
	 * Returns 0, MERGE_ABSENT, PROBLEM with `problem` filled, or -errno.
	 */
	int (*find)(void *context, const char *directory, const char *name,
		const struct merge_input **ret, size_t *count, struct problem *problem);
	void *context;
};

struct merge_request {
	const struct options *options; /* checked; names the strategy */
	const struct merge_input *inputs; /* lowest precedence first */
	size_t count;                     /* at least 1 */
	const char *path;                 /* of the merged file, relative to the root; may be NULL */
	const struct format *to;          /* NULL: as none is known; a tree is YAML then */
	enum node_schema schema;
	struct limits limits;                        /* all zero: LIMITS_DEFAULT */
	const struct merge_environment *environment; /* NULL: nothing else can be reached */
	bool wants_origins;                          /* fill in the result's `origins` */
	bool wants_tree; /* only the result's root, where the strategy gives a tree: no text */
	/* What merges, but may be meant otherwise; NULL: nobody asks. */
	void (*warn)(void *context, const struct problem *warning);
	void *warn_context;
	bool wants_header; /* a tree begins with a comment that names its sources, where it can */
	const atomic_bool *is_cancelled; /* -ECANCELED when it is; NULL: it never is (budget.h) */
};

/* Refusals that are kept of one merge. */
#define REFUSALS_MAX 50

/* What locks (value_lock.h) kept away: the result is whole, but not what a layer says. */
struct refusals {
	struct problem *items; /* each has the place of the attempt */
	size_t count;
	size_t left_out; /* more than REFUSALS_MAX */
};

struct merge_result {
	struct arena *arena;
	const struct node *root; /* NULL when the strategy gave bytes, or nothing */
	struct span text;        /* the file; NUL-terminated */
	const struct source **sources; /* what it was made of: the inputs, then what was found */
	uint32_t source_count;
	uint32_t source_capacity;
	struct origins *origins; /* where the values come from, if the request wanted it */
	const struct document
		*verbatim; /* with origins: what `text`, served byte for byte, was read as; or NULL */
	struct refusals refusals;
	bool wants_crlf; /* lines end with "\r\n", as those of the lowest source do */
	struct document **owned; /* the documents that merge_run() or the strategy read itself */
	uint32_t owned_count;
	uint32_t owned_capacity;
};

/** How an input's document must be read for this request; with format NULL it need not be. */
struct read_options read_options_for(
	const struct merge_request *request, const struct format *format);

/**
 * Merges. The result refers to the inputs' documents and text, which must outlive it.
 * Returns 0 with *ret for merge_result_free(), PROBLEM, or -errno: -ECANCELED when it was.
 */
int merge_run(
	const struct merge_request *request, struct merge_result **ret, struct problem *problem);

/** The first refusal, with how many more there are. Returns PROBLEM, or 0: there is none. */
int merge_tell_refusals(const struct merge_result *result, struct problem *problem);

void merge_result_free(struct merge_result *result);
void merge_result_freep(struct merge_result **result);
