/*
 * A run: one tree is validated against one schema.
 *
 * What went wrong is kept as records, which hold pointers only; those of an alternative are dropped
 * again when another one fits. What the keywords of a map or list have looked at is kept as bits,
 * one an entry, for unevaluatedProperties and unevaluatedItems.
 *
 * Both, the dynamic scope and the way to the instance are stacks. Whoever pushes, pops.
 */
#pragma once

#include "edit/edit.h"
#include "keyword.h"
#include "schema.h"

/* Nobody wants to know what was looked at. */
#define EVALUATED_NOT SIZE_MAX

/*
 * Steps of a few nanoseconds to a few hundred: two seconds of the worst. A million values with a
 * schema of ten keywords each need a fifth of it.
 */
#define RUN_WORK_MAX (UINT64_C(50) * 1000 * 1000)

/* Schemas that are applied within each other: each takes some of a thread's stack. */
#define RUN_DEPTH_MAX 3000

/* Records that are kept at once. */
#define RUN_RECORDS_MAX 400

struct schema_record {
	const struct subschema *rule; /* a schema that is false, when there is no keyword */
	const struct keyword *keyword;
	const struct node *instance;
	const struct node *at; /* the place, when it is not the instance's */
	struct span name;      /* of a key */
	uint64_t first;        /* numbers for the message */
	uint64_t second;
	uint32_t way; /* in run->kept_steps */
	uint32_t way_count;
	uint32_t branch;      /* which alternative it is about */
	uint32_t alternative; /* the same, counted from 1, when it was the nearest of all; else 0 */
	uint32_t children;    /* the next ones say why each alternative failed */
	bool is_key;          /* it is about a key itself */
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
	uint64_t timed;        /* what work was left when the budget was looked at last */
	struct budget *budget; /* NULL: no other end */
	enum run_failure failure;
	const struct node *failed_at;
	bool is_collecting; /* else only whether it fits is asked */
	bool is_key;        /* a key is looked at */
	unsigned depth;

	const struct resource **scope; /* resources that were entered, the first one first */
	size_t scope_count, scope_capacity;
	struct edit_step *steps; /* the way to the instance */
	size_t step_count, step_capacity;
	uint64_t *bits;
	size_t bit_words, bit_capacity;

	struct schema_record *records;
	size_t record_count, record_capacity;
	struct edit_step *kept_steps; /* of the records */
	size_t kept_count, kept_capacity;
	uint64_t dropped; /* records that found no room */
};

/* How much of the records there is, to go back to it. */
struct run_mark {
	size_t records;
	size_t kept;
	uint64_t dropped;
};

/** Takes `steps` of the work that is left. False when there is no more: the run has failed. */
bool run_spend(struct schema_run *run, const struct node *at, uint64_t steps);

/** Keeps the record, with the way to the instance, if anybody collects. Returns false. */
bool run_fail(struct schema_run *run, struct schema_record record);

/** As run_fail() with the keyword and the instance alone. */
bool run_fails(struct schema_run *run, const struct keyword *keyword, const struct node *instance);

struct run_mark run_mark(const struct schema_run *run);
void run_forget(struct schema_run *run, struct run_mark mark);

/**
 * Of the records since then some were taken out: their ways go, too, or a search that tries many
 * alternatives would keep them all. False: the run has failed.
 */
bool run_tidy(struct schema_run *run, struct run_mark mark, const struct node *at);

/** Pushes a step, of `key` or, if it is NULL, of `index`. False: the run has failed. */
bool run_enter(struct schema_run *run, const struct node *key, uint32_t index);
void run_leave(struct schema_run *run);

/** Room for a bit for each entry of the instance, all 0; run->bit_words before frees it again. */
size_t evaluated_new(struct schema_run *run, const struct node *instance);
void evaluated_put(struct schema_run *run, size_t evaluated, uint32_t entry);
bool evaluated_has(const struct schema_run *run, size_t evaluated, uint32_t entry);
/** Adds those of `from`, if both are wanted. */
void evaluated_add(struct schema_run *run, size_t to, size_t from, const struct node *instance);

/**
 * Whether the instance fits. What was looked at is put into `evaluated`, if that is wanted; if the
 * instance does not fit, perhaps too much.
 */
bool run_apply(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, size_t evaluated);

/** The same without records. */
bool run_asks(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, size_t evaluated);

/** The same for an entry of the instance. */
bool run_apply_entry(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, uint32_t entry);

/** Whether the pattern fits `text`, into *ret. False: the run has failed. */
bool run_matches(struct schema_run *run, const struct pattern *pattern, const struct node *at,
	struct span text, bool *ret);

/** Where the dynamic anchor leads to from here; NULL: nowhere, or the run has failed. */
const struct subschema *run_dynamic(
	struct schema_run *run, struct span name, const struct node *instance);
