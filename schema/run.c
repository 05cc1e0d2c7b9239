#include "run.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "budget.h"
#include "cleanup.h"
#include "reading.h"

#define BITS_A_WORD 64

/* Bytes of a text that are read, and steps of a path that are copied, in one step of the work. */
#define TEXT_A_STEP 64
#define STEPS_OF_A_UNIT 8

/* Steps between two checks of the budget. */
#define TIMED_STEPS 50000

bool run_give_up(struct schema_run *run, enum run_failure failure, const struct node *at)
{
	if (run->failure == RUN_FINE) {
		run->failure = failure;
		run->failed_at = at;
	}
	return false;
}

bool run_spend(struct schema_run *run, const struct node *at, uint64_t steps)
{
	if (steps > run->work) {
		run->work = 0;
		run_give_up(run, RUN_TOO_MUCH_WORK, at);
	}
	if (run->failure != RUN_FINE)
		return false;
	run->work -= steps;
	if (run->timed - run->work < TIMED_STEPS)
		return true;
	run->timed = run->work;
	/* An arena whose budget is spent gives no memory, either. */
	return !budget_is_spent(run->budget) || run_give_up(run, RUN_NO_MEMORY, NULL);
}

/* Returns false, for run_fail() to return. */
static bool keep(struct schema_run *run, struct schema_record record)
{
	record.path = (uint32_t)run->kept_count;
	record.path_count = (uint32_t)run->step_count;
	for (size_t i = 0; i < run->step_count; i++)
		if (array_push(run->kept_steps, run->kept_count, run->kept_capacity,
			    run->steps[i]) < 0)
			return run_give_up(run, RUN_NO_MEMORY, NULL);
	if (array_push(run->records, run->record_count, run->record_capacity, record) < 0)
		return run_give_up(run, RUN_NO_MEMORY, NULL);
	return false;
}

bool run_fail(struct schema_run *run, struct schema_record record)
{
	if (!run->is_collecting ||
		!run_spend(run, record.instance, 1 + run->step_count / STEPS_OF_A_UNIT))
		return false;
	record.is_key = run->is_key;
	if (run->record_count < RUN_RECORDS_MAX)
		return keep(run, record);
	run->dropped++;
	return false;
}

bool run_fails(struct schema_run *run, const struct keyword *keyword, const struct node *instance)
{
	return run_fail(run, (struct schema_record){.keyword = keyword, .instance = instance});
}

struct run_mark run_mark(const struct schema_run *run)
{
	return (struct run_mark){run->record_count, run->kept_count, run->dropped};
}

void run_forget(struct schema_run *run, struct run_mark mark)
{
	run->record_count = mark.records;
	run->kept_count = mark.kept;
	run->dropped = mark.dropped;
}

bool run_tidy(struct schema_run *run, struct run_mark mark, const struct node *at)
{
	size_t used = 0, put = 0;

	for (size_t i = mark.records; i < run->record_count; i++)
		used += run->records[i].path_count;
	if (mark.kept + used == run->kept_count)
		return run->failure == RUN_FINE;
	if (!run_spend(run, at, 1 + used / STEPS_OF_A_UNIT))
		return false;
	/* The records may be in another order than their paths. */
	CLEANUP(freep) struct edit_step *steps = reallocarray(NULL, used + 1, sizeof(*steps));
	if (!steps)
		return run_give_up(run, RUN_NO_MEMORY, NULL);
	for (size_t i = mark.records; i < run->record_count; i++) {
		struct schema_record *record = &run->records[i];

		for (size_t k = 0; k < record->path_count; k++)
			steps[put + k] = run->kept_steps[record->path + k];
		record->path = (uint32_t)(mark.kept + put);
		put += record->path_count;
	}
	for (size_t i = 0; i < used; i++)
		run->kept_steps[mark.kept + i] = steps[i];
	run->kept_count = mark.kept + used;
	return true;
}

bool run_enter(struct schema_run *run, const struct node *key, uint32_t index)
{
	return array_push(run->steps, run->step_count, run->step_capacity,
		       (struct edit_step){key, index}) == 0 ||
	       run_give_up(run, RUN_NO_MEMORY, NULL);
}

void run_leave(struct schema_run *run)
{
	run->step_count--;
}

static size_t words_of(const struct node *instance)
{
	return ((size_t)node_count(instance) + BITS_A_WORD - 1) / BITS_A_WORD;
}

size_t evaluated_new(struct schema_run *run, const struct node *instance)
{
	size_t start = run->bit_words, words = words_of(instance);

	if (!run_spend(run, instance, words))
		return EVALUATED_NOT;
	while (start + words > run->bit_capacity)
		if (array_grow(run->bits, run->bit_capacity, run->bit_capacity) < 0) {
			run_give_up(run, RUN_NO_MEMORY, NULL);
			return EVALUATED_NOT;
		}
	if (words)
		memset(run->bits + start, 0, words * sizeof(*run->bits));
	run->bit_words += words;
	return start;
}

void evaluated_put(struct schema_run *run, size_t evaluated, uint32_t entry)
{
	if (evaluated != EVALUATED_NOT)
		run->bits[evaluated + entry / BITS_A_WORD] |= UINT64_C(1) << entry % BITS_A_WORD;
}

bool evaluated_has(const struct schema_run *run, size_t evaluated, uint32_t entry)
{
	return run->bits[evaluated + entry / BITS_A_WORD] >> entry % BITS_A_WORD & 1;
}

void evaluated_add(struct schema_run *run, size_t to, size_t from, const struct node *instance)
{
	if (to == EVALUATED_NOT || from == EVALUATED_NOT || to == from)
		return;
	for (size_t i = 0; i < words_of(instance); i++)
		run->bits[to + i] |= run->bits[from + i];
}

static bool enter_resource(struct schema_run *run, const struct resource *resource)
{
	if (run->scope_count && run->scope[run->scope_count - 1] == resource)
		return true;
	return array_push(run->scope, run->scope_count, run->scope_capacity, resource) == 0 ||
	       run_give_up(run, RUN_NO_MEMORY, NULL);
}

const struct subschema *run_dynamic(
	struct schema_run *run, struct span name, const struct node *instance)
{
	const struct subschema *found = NULL;
	uint64_t looked = 0;

	for (size_t i = 0; !found && i < run->scope_count; i++, looked++)
		for (const struct dynamic_anchor *anchor = run->scope[i]->dynamic; !found && anchor;
			anchor = anchor->next, looked++)
			if (span_equal(anchor->name, name))
				found = anchor->target;
	return run_spend(run, instance, looked) ? found : NULL;
}

static bool apply_keywords(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, size_t evaluated)
{
	unsigned type = instance_type(instance);
	/* A keyword may read the whole text. */
	uint64_t cost = 1 + (node_is_scalar(instance) ? instance->text.len / TEXT_A_STEP : 0);
	bool fits = true;

	for (uint32_t i = 0; i < subschema->count; i++) {
		const struct keyword *keyword = &subschema->keywords[i];

		if (!(keyword->spec->types & type))
			continue;
		if (!run_spend(run, instance, cost))
			return false;
		if (!keyword->spec->check(run, keyword, instance, evaluated))
			fits = false;
		if (!fits && !run->is_collecting)
			return false;
	}
	return fits;
}

/* The keywords unevaluatedProperties and unevaluatedItems come last. */
static bool has_unevaluated(const struct subschema *subschema)
{
	return subschema->count &&
	       subschema->keywords[subschema->count - 1].spec->role == KEYWORD_LAST;
}

bool run_apply(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, size_t evaluated)
{
	size_t words = run->bit_words, scope = run->scope_count, own = evaluated;
	bool fits = true;

	if (!run_spend(run, instance, 1))
		return false;
	if (subschema->form >= SCHEMA_TRUE)
		return subschema->form == SCHEMA_TRUE ||
		       run_fail(run,
			       (struct schema_record){.rule = subschema, .instance = instance});
	if (run->depth == RUN_DEPTH_MAX)
		return run_give_up(run, RUN_TOO_DEEP, instance);
	if (subschema->form == SCHEMA_SECRET && array_push(run->secrets.items, run->secrets.count,
							run->secrets.capacity, instance) < 0)
		return run_give_up(run, RUN_NO_MEMORY, NULL);
	/* Entries that keywords around this schema evaluated do not count in it. */
	if (has_unevaluated(subschema) && !node_is_scalar(instance))
		own = evaluated_new(run, instance);
	if (run->failure != RUN_FINE || !enter_resource(run, subschema->resource))
		return false;
	run->depth++;
	fits = apply_keywords(run, subschema, instance, own);
	run->depth--;
	run->scope_count = scope;
	evaluated_add(run, evaluated, own, instance);
	run->bit_words = words;
	return fits;
}

bool run_asks(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, size_t evaluated)
{
	bool is_collecting = run->is_collecting, fits;

	run->is_collecting = false;
	fits = run_apply(run, subschema, instance, evaluated);
	run->is_collecting = is_collecting;
	return fits;
}

bool run_apply_entry(struct schema_run *run, const struct subschema *subschema,
	const struct node *instance, uint32_t entry)
{
	const struct node *key = node_is_map(instance) ? instance->map.pairs[entry].key : NULL;

	if (!run_enter(run, key, entry))
		return false;
	bool fits = run_apply(run, subschema, *node_entry(instance, entry), EVALUATED_NOT);
	run_leave(run);
	return fits;
}

bool run_matches(struct schema_run *run, const struct pattern *pattern, const struct node *at,
	struct span text, bool *ret)
{
	if (!run_spend(run, at, 1))
		return false;
	int r = pattern_match(pattern, run->matcher, text, &run->work, ret);
	if (r != 0)
		run_give_up(run, r < 0 ? RUN_NO_MEMORY : RUN_TOO_MUCH_WORK, at);
	return r == 0;
}

static int report_failure(const struct schema_run *run, const char *name, struct problem *problem)
{
	if (run->failure == RUN_NO_MEMORY)
		return -ENOMEM;
	return problem_at(problem, run->failed_at,
		run->failure == RUN_TOO_DEEP
			? "the schema '%s' does not come to an end here: it refers to itself too "
			  "often, or this is too deep"
			: "it takes too much work to validate this by the schema '%s'; make its "
			  "alternatives and patterns simpler",
		name);
}

static void run_fini(struct schema_run *run)
{
	matcher_free(run->matcher);
	free(run->scope);
	free(run->steps);
	free(run->bits);
	free(run->secrets.items);
	free(run->records);
	free(run->kept_steps);
}

static int compare_addresses(const void *a, const void *b)
{
	const struct node *const *left = a, *const *right = b;

	return (*left > *right) - (*left < *right);
}

bool schema_has_secrets(const struct schema *schema)
{
	return schema && schema->has_secrets;
}

bool secrets_have(const struct secrets *secrets, const struct node *value)
{
	return secrets->count &&
	       bsearch(&value, secrets->items, secrets->count, sizeof(value), compare_addresses);
}

/* Sorts the secrets, each once. */
static void sort(struct secrets *secrets)
{
	size_t count = 0;

	if (secrets->count)
		qsort(secrets->items, secrets->count, sizeof(*secrets->items), compare_addresses);
	for (size_t i = 0; i < secrets->count; i++)
		if (!i || secrets->items[i] != secrets->items[i - 1])
			secrets->items[count++] = secrets->items[i];
	secrets->count = count;
}

static int push(struct secrets *secrets, const struct node *value)
{
	return array_push(secrets->items, secrets->count, secrets->capacity, value);
}

/* Adds what is in the secrets. */
static int complete(struct secrets *secrets)
{
	int r = 0;

	sort(secrets);
	for (size_t i = 0; i < secrets->count; i++) {
		const struct node *value = secrets->items[i];
		uint32_t count = node_is_scalar(value) ? 0 : node_count(value);

		for (uint32_t k = 0; r == 0 && k < count; k++) {
			r = push(secrets, *node_entry(value, k));
			if (r == 0 && node_is_map(value))
				r = push(secrets, value->map.pairs[k].key);
		}
	}
	sort(secrets);
	return r;
}

static struct schema_run run_of(const struct schema *schema)
{
	return (struct schema_run){.schema = schema,
		.matcher = matcher_new(),
		.work = RUN_WORK_MAX,
		.timed = RUN_WORK_MAX};
}

int schema_secrets(const struct schema *schema, const struct node *root, struct secrets *ret)
{
	CLEANUP(run_fini) struct schema_run run = run_of(schema);

	if (!run.matcher)
		return -ENOMEM;
	/* Goes on behind a misfit. */
	run.is_collecting = true;
	(void)run_apply(&run, schema->root, root, EVALUATED_NOT);
	for (size_t i = 0; i < run.secrets.count; i++)
		if (push(ret, run.secrets.items[i]) < 0)
			return -ENOMEM;
	/* Any value that was not reached may be one. */
	if (run.failure == RUN_NO_MEMORY || (run.failure != RUN_FINE && push(ret, root) < 0))
		return -ENOMEM;
	return complete(ret);
}

int schema_validate(const struct schema *schema, const struct node *root, struct arena *arena,
	struct faults *ret, struct problem *problem)
{
	CLEANUP(run_fini) struct schema_run run = run_of(schema);

	if (!run.matcher)
		return -ENOMEM;
	run.budget = arena_budget(arena);
	run.is_collecting = true;
	*ret = (struct faults){0};
	bool fits = run_apply(&run, schema->root, root, EVALUATED_NOT);
	if (run.failure != RUN_FINE)
		return report_failure(&run, schema->root->resource->file, problem);
	if (fits)
		return 0;
	if (complete(&run.secrets) < 0)
		return -ENOMEM;
	return faults_make(&run, arena, ret);
}
