/*
 * A run: the validation of one tree against one schema.
 *
 * Faults are kept as records, which contain only pointers. An alternative is an entry of `anyOf` or
 * `oneOf`: its records are dropped if another one fits. For unevaluatedProperties and
 * unevaluatedItems, a bit for each entry says whether a keyword has evaluated it.
 *
 * The records, the bits, the dynamic scope and the path to the instance are stacks. A function that
 * pushes also pops.
 */
#pragma once

#include "edit/edit.h"
#include "keyword.h"
#include "schema.h"

/*
 * The argument `evaluated` of a caller that does not need to know the evaluated entries. Otherwise
 * `evaluated` is an offset in schema_run.bits.
 */
#define EVALUATED_NOT SIZE_MAX

/*
 * Limit of the work, in steps. Steps differ in length, but this many take two seconds at most. If
 * ten keywords apply to each of a million values, the run needs a fifth of this limit.
 */
#define RUN_WORK_MAX (UINT64_C(50) * 1000 * 1000)

/* Limit of nested applications of schemas. Each takes some of a thread's stack. */
#define RUN_DEPTH_MAX 3000

/* Greatest number of records at once. */
#define RUN_RECORDS_MAX 400

struct schema_record {
	const struct subschema *rule;  /* the schema `false`, which has no keyword; else NULL */
	const struct keyword *keyword; /* that failed; NULL: see `rule` */
	const struct node *instance;
	const struct node *at; /* the node to report; NULL: the instance */
	struct span name;      /* of a key */
	uint64_t first;        /* numbers for the message */
	uint64_t second;
	uint32_t path; /* to the instance: index of the first step in run->kept_steps */
	uint32_t path_count;
	uint32_t branch; /* index of the outermost alternative that has failed with this record */
	/* number (from 1) of the nearest alternative, if all others were dropped; else 0 */
	uint32_t alternative;
	uint32_t children; /* number of records behind this one that say why an alternative fails */
	bool is_key;       /* the fault is in the key itself */
};

enum run_failure {
	RUN_FINE,
	RUN_NO_MEMORY,
	RUN_TOO_MUCH_WORK,
	RUN_TOO_DEEP,
};

struct schema_run {
	const struct schema *schema;
	struct matcher *matcher;
	uint64_t work;
	uint64_t timed;        /* the work that was left at the last check of the budget */
	struct budget *budget; /* NULL: there is none */
	enum run_failure failure;
	const struct node *failed_at;
	bool is_collecting; /* false: only the result matters, without records */
	bool is_key;        /* the instance is a key */
	unsigned depth;

	const struct resource **scope; /* the resources that were entered, from the first one on */
	size_t scope_count, scope_capacity;
	struct edit_step *steps; /* the path to the instance */
	size_t step_count, step_capacity;
	uint64_t *bits;
	size_t bit_words, bit_capacity;

	struct schema_record *records;
	size_t record_count, record_capacity;
	struct edit_step *kept_steps; /* the paths of the records */
	size_t kept_count, kept_capacity;
	uint64_t dropped; /* number of records that had no room */
};

/* A state of the records: run_mark() notes it, and run_forget() returns to it. */
struct run_mark {
	size_t records;
	size_t kept;
	uint64_t dropped;
};

/**
 * Reduces the remaining work by `steps`. Returns false if too little remains: the run has failed.
 */
bool run_spend(struct schema_run *run, const struct node *at, uint64_t steps);

/** Adds the record, with the path to the instance, if records are collected. Returns false. */
bool run_fail(struct schema_run *run, struct schema_record record);

/** As run_fail(), for a record of the keyword and the instance alone. */
bool run_fails(struct schema_run *run, const struct keyword *keyword, const struct node *instance);

struct run_mark run_mark(const struct schema_run *run);
void run_forget(struct schema_run *run, struct run_mark mark);

/**
 * Frees the paths of the records that were removed since the mark, and closes the gaps between the
 * other paths. Without this, a search with many alternatives would keep all paths. Returns false if
 * the run has failed.
 */
bool run_tidy(struct schema_run *run, struct run_mark mark, const struct node *at);

/** Pushes a step: to `key` or, if it is NULL, to `index`. Returns false if the run has failed. */
bool run_enter(struct schema_run *run, const struct node *key, uint32_t index);
void run_leave(struct schema_run *run);

/**
 * Makes a bit for each entry, all 0. Returns their offset; EVALUATED_NOT: the run has failed. To
 * free the bits, the caller restores run->bit_words.
 */
size_t evaluated_new(struct schema_run *run, const struct node *instance);
void evaluated_put(struct schema_run *run, size_t evaluated, uint32_t entry);
bool evaluated_has(const struct schema_run *run, size_t evaluated, uint32_t entry);
/** Sets in `to` the bits that are set in `from`; does nothing if one of them is EVALUATED_NOT. */
void evaluated_add(struct schema_run *run, size_t to, size_t from, const struct node *instance);

/**
 * Returns whether the instance satisfies the subschema. Unless `evaluated` is EVALUATED_NOT, sets
 * the bits of the entries that the subschema evaluates, and perhaps others if the result is false.
 */
bool run_apply(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, size_t evaluated);

/** As run_apply(), without records. */
bool run_asks(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, size_t evaluated);

/** As run_apply(), for an entry of the instance, with EVALUATED_NOT. */
bool run_apply_entry(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, uint32_t entry);

/** Sets *ret to whether the pattern matches `text`. Returns false if the run has failed. */
bool run_matches(struct schema_run *run, const struct pattern *pattern, const struct node *at,
	struct span text, bool *ret);

/**
 * Returns the target of the dynamic anchor `name` in the present scope; NULL: none, or the run
 * has failed.
 */
const struct subschema *run_dynamic(
	struct schema_run *run, struct span name, const struct node *instance);
