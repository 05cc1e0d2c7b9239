/*
 * A run: the validation of one tree against one schema.
 *
 * Each fault is kept as a record. An alternative is an entry of `anyOf` or `oneOf`. If one
 * alternative fits, the records of the others are dropped. For unevaluatedProperties and
 * unevaluatedItems, a bit for each entry of an instance says whether a keyword has evaluated it.
 *
 * The records, the bits, the dynamic scope (the resources that the run has entered) and the path to
 * the instance are stacks. A function that checks a keyword (check.h) may add records. When the
 * function returns, the other stacks are as they were before.
 */
#pragma once

#include "edit/edit.h"
#include "keyword.h"
#include "schema.h"

/*
 * An argument `evaluated` is the offset of bits in schema_run.bits, from evaluated_new();
 * EVALUATED_NOT: the caller needs no bits.
 */
#define EVALUATED_NOT SIZE_MAX

/* Limit of the work, in steps; about two seconds at most. */
#define RUN_WORK_MAX (UINT64_C(50) * 1000 * 1000)

/* Limit of schemas applied inside each other, as each takes some of a thread's stack. */
#define RUN_DEPTH_MAX 3000

/* Greatest number of records at once. */
#define RUN_RECORDS_MAX 400

struct schema_record {
	const struct subschema *rule;  /* the schema `false` that failed; else NULL */
	const struct keyword *keyword; /* the keyword that failed; NULL: `rule` failed */
	const struct node *instance;
	const struct node *at; /* the node to report; NULL: the instance */
	struct span name;      /* a key that the message names */
	uint64_t first;        /* numbers for the message */
	uint64_t second;
	uint32_t path;        /* where the path to the instance begins: index in run->kept_steps */
	uint32_t path_count;  /* number of steps of that path */
	uint32_t branch;      /* index of the outermost alternative that has the fault */
	uint32_t alternative; /* number (from 1) of the alternative probably meant; 0: unknown */
	/* if no alternative fits: number of records behind this one, one for each alternative */
	uint32_t children;
	bool is_key; /* the fault is in the key itself */
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
	struct budget *budget; /* NULL: none */
	enum run_failure failure;
	const struct node *failed_at; /* the instance at which the run failed */
	bool is_collecting;           /* records are made */
	bool is_key;                  /* the instance is a key */
	unsigned depth;               /* of schemas applied inside each other */

	const struct resource **scope; /* the resources that were entered, the outermost first */
	size_t scope_count, scope_capacity;
	struct edit_step *steps; /* the path to the instance */
	size_t step_count, step_capacity;
	uint64_t *bits;
	size_t bit_words, bit_capacity;
	struct secrets secrets; /* instances to which a SCHEMA_SECRET was applied */

	struct schema_record *records;
	size_t record_count, record_capacity;
	struct edit_step *kept_steps; /* the paths of the records */
	size_t kept_count, kept_capacity;
	uint64_t dropped; /* number of records above RUN_RECORDS_MAX */
};

/* A state of the records. run_mark() returns the present state; run_forget() restores it. */
struct run_mark {
	size_t records;
	size_t kept;
	uint64_t dropped;
};

/** Notes that the run has failed, unless it had failed before. Returns false. */
bool run_give_up(struct schema_run *run, enum run_failure failure, const struct node *at);

/**
 * Reduces the remaining work by `steps`. If too little is left, the run fails at `at`. Returns
 * false if the run has failed, now or before.
 */
bool run_spend(struct schema_run *run, const struct node *at, uint64_t steps);

/** If run->is_collecting, adds `record` with the path to the instance. Returns false. */
bool run_fail(struct schema_run *run, struct schema_record record);

/** As run_fail(), for a record that has only `keyword` and `instance`. */
bool run_fails(struct schema_run *run, const struct keyword *keyword, const struct node *instance);

struct run_mark run_mark(const struct schema_run *run);
void run_forget(struct schema_run *run, struct run_mark mark);

/**
 * Frees the paths of records that were added after the mark and then removed. `at` is as in
 * run_spend(). Returns false if the run has failed.
 */
bool run_tidy(struct schema_run *run, struct run_mark mark, const struct node *at);

/** Adds the step `key` (NULL: the step `index`) to the path. Returns false if the run fails. */
bool run_enter(struct schema_run *run, const struct node *key, uint32_t index);
void run_leave(struct schema_run *run);

/**
 * Makes a bit for each entry of the instance, all 0. Returns their offset, or EVALUATED_NOT if the
 * run has failed. The caller frees them by restoring run->bit_words.
 */
size_t evaluated_new(struct schema_run *run, const struct node *instance);

/** Sets the bit of the entry. Does nothing if `evaluated` is EVALUATED_NOT. */
void evaluated_put(struct schema_run *run, size_t evaluated, uint32_t entry);

/** Returns the bit of the entry. `evaluated` must not be EVALUATED_NOT. */
bool evaluated_has(const struct schema_run *run, size_t evaluated, uint32_t entry);

/** Sets at the offset `to` the bits set at `from`. Does nothing if one of them is EVALUATED_NOT. */
void evaluated_add(struct schema_run *run, size_t to, size_t from, const struct node *instance);

/**
 * Returns whether the instance satisfies the subschema. Sets at `evaluated` the bits of the entries
 * that the subschema evaluates; if the result is false, perhaps bits of other entries, too.
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
 * run fails.
 */
bool run_matches(struct schema_run *run, const struct pattern *pattern, const struct node *at,
	struct span text, bool *ret);

/**
 * Returns the target of the outermost anchor `name` in the dynamic scope; NULL: there is none, or
 * the run has failed. `instance` is as `at` in run_spend().
 */
const struct subschema *run_dynamic(
	struct schema_run *run, struct span name, const struct node *instance);

/** Converts the run's records to faults (schema.h), in `arena`. Returns 0 or -ENOMEM. */
int faults_make(const struct schema_run *run, struct arena *arena, struct faults *ret);
