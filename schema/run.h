/*
 * A run: the validation of one tree against one schema.
 *
 * Each fault is kept as a record. A record has no message yet, because it may be dropped again. An
 * alternative is an entry of `anyOf` or `oneOf`. If one alternative fits, the records of the others
 * are dropped. For unevaluatedProperties and unevaluatedItems, a bit for each entry of an instance
 * says whether a keyword has evaluated the entry.
 *
 * The records, the bits, the dynamic scope (the resources that the run has entered) and the path to
 * the instance are stacks. Before a check (check.h) returns, it removes everything that it has put
 * on these stacks, except records.
 */
#pragma once

#include "edit/edit.h"
#include "keyword.h"
#include "schema.h"

/*
 * The value of an argument `evaluated` if the caller does not need to know the evaluated entries.
 * Otherwise the argument is the offset of their bits in schema_run.bits, from evaluated_new().
 */
#define EVALUATED_NOT SIZE_MAX

/*
 * Limit of the work, in steps. Steps differ in length, but all together take two seconds at most.
 */
#define RUN_WORK_MAX (UINT64_C(50) * 1000 * 1000)

/* Limit of schemas that are applied inside each other, as each takes some of a thread's stack. */
#define RUN_DEPTH_MAX 3000

/* Greatest number of records at once. */
#define RUN_RECORDS_MAX 400

struct schema_record {
	const struct subschema *rule;  /* if the schema `false` failed: that schema; else NULL */
	const struct keyword *keyword; /* the keyword that failed; NULL: `rule` failed */
	const struct node *instance;
	const struct node *at; /* the node to report; NULL: the instance */
	struct span name;      /* a key that the message names */
	uint64_t first;        /* numbers for the message */
	uint64_t second;
	uint32_t path;       /* index in run->kept_steps at which the path to the instance begins */
	uint32_t path_count; /* number of steps of that path */
	/* index, in `anyOf` or `oneOf`, of the outermost alternative in which the fault is */
	uint32_t branch;
	/* number (from 1) of the alternative that was likely meant; 0: unknown */
	uint32_t alternative;
	/* The next `children` records belong to this one: the first fault of each alternative. */
	uint32_t children;
	bool is_key;    /* the fault is in the key itself */
	bool is_secret; /* a message must not quote the instance */
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
	uint64_t work;         /* steps that are left */
	uint64_t timed;        /* `work` at the last check of the budget */
	struct budget *budget; /* NULL: there is none */
	enum run_failure failure;
	const struct node *failed_at; /* the instance at which the run failed */
	bool is_collecting;           /* false: only the result matters, and no records are made */
	bool is_key;                  /* the instance is a key */
	unsigned depth;               /* of schemas that are applied inside each other */

	const struct resource **scope; /* the resources that were entered, the outermost first */
	size_t scope_count, scope_capacity;
	struct edit_step *steps; /* the path to the instance */
	size_t step_count, step_capacity;
	uint64_t *bits;
	size_t bit_words, bit_capacity;
	struct secrets secrets; /* instances to which a subschema with is_secret was applied */

	struct schema_record *records;
	size_t record_count, record_capacity;
	struct edit_step *kept_steps; /* the paths of the records */
	size_t kept_count, kept_capacity;
	uint64_t dropped; /* number of records above RUN_RECORDS_MAX, which were not kept */
};

/* A state of the records. run_mark() returns the present one, run_forget() restores an old one. */
struct run_mark {
	size_t records;
	size_t kept;
	uint64_t dropped;
};

/** Ends the run, unless it has failed already. Returns false, for the caller to return. */
bool run_give_up(struct schema_run *run, enum run_failure failure, const struct node *at);

/**
 * Reduces the remaining work by `steps`. `at` is the place of the failure if too little is left.
 * Returns false if the run has failed, now or before.
 */
bool run_spend(struct schema_run *run, const struct node *at, uint64_t steps);

/**
 * If records are collected, adds `record`, and completes it with the path to the instance. Returns
 * false, for the caller to return.
 */
bool run_fail(struct schema_run *run, struct schema_record record);

/** As run_fail(), for a record that has only `keyword` and `instance`. */
bool run_fails(struct schema_run *run, const struct keyword *keyword, const struct node *instance);

struct run_mark run_mark(const struct schema_run *run);
void run_forget(struct schema_run *run, struct run_mark mark);

/**
 * Removes the paths of records that were added after the mark and then removed, and closes the gaps
 * between the other paths. `at` is as in run_spend(). Returns false if the run has failed.
 */
bool run_tidy(struct schema_run *run, struct run_mark mark, const struct node *at);

/**
 * Adds a step to the path: `key`, or `index` if `key` is NULL. Returns false if the run has failed.
 */
bool run_enter(struct schema_run *run, const struct node *key, uint32_t index);
void run_leave(struct schema_run *run);

/**
 * Makes a bit for each entry of the instance, all 0. Returns their offset, or EVALUATED_NOT if the
 * run has failed. To free the bits, the caller restores run->bit_words.
 */
size_t evaluated_new(struct schema_run *run, const struct node *instance);

/** Sets the bit of the entry. Does nothing if `evaluated` is EVALUATED_NOT. */
void evaluated_put(struct schema_run *run, size_t evaluated, uint32_t entry);

/** Returns the bit of the entry. `evaluated` must not be EVALUATED_NOT. */
bool evaluated_has(const struct schema_run *run, size_t evaluated, uint32_t entry);

/** Sets at `to` the bits that are set at `from`. Does nothing if either is EVALUATED_NOT. */
void evaluated_add(struct schema_run *run, size_t to, size_t from, const struct node *instance);

/**
 * Returns whether the instance satisfies the subschema. Sets at `evaluated` the bits of the entries
 * that the subschema evaluates. If the result is false, the bits of other entries may be set, too.
 */
bool run_apply(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, size_t evaluated);

/** As run_apply(), but makes no records. */
bool run_asks(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, size_t evaluated);

/** As run_apply() with EVALUATED_NOT, for the value of one entry of the instance. */
bool run_apply_entry(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, uint32_t entry);

/**
 * Sets *ret to whether the pattern matches `text`. `at` is as in run_spend(). Returns false if the
 * run has failed.
 */
bool run_matches(struct schema_run *run, const struct pattern *pattern, const struct node *at,
	struct span text, bool *ret);

/**
 * Returns the target of the outermost dynamic anchor `name` in the dynamic scope; NULL if there is
 * no such anchor, or the run has failed. `instance` is as `at` in run_spend().
 */
const struct subschema *run_dynamic(
	struct schema_run *run, struct span name, const struct node *instance);

/** Converts the run's records to faults (schema.h), in `arena`. Returns 0 or -ENOMEM. */
int faults_make(const struct schema_run *run, struct arena *arena, struct faults *ret);
