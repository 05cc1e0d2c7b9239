#include "check.h"

CHECK(reference)
{
	const struct subschema *target = NULL;

	if (keyword->dynamic.data)
		target = run_dynamic(run, keyword->dynamic, instance);
	return run_apply(run, target ? target : keyword->target, instance, evaluated);
}

CHECK(all_of)
{
	bool fits = true;

	for (uint32_t i = 0; i < keyword->count; i++) {
		fits &= run_apply(run, keyword->members[i].target, instance, evaluated);
		if (!fits && !run->is_collecting)
			return false;
	}
	return fits;
}

/* Applies one alternative. The entries that it evaluated count only if it fits. */
static bool try(struct schema_run *run, const struct keyword *keyword, const struct node *instance,
	uint32_t branch, size_t evaluated)
{
	size_t first = run->record_count, words = run->bit_words, own = EVALUATED_NOT;

	if (evaluated != EVALUATED_NOT)
		own = evaluated_new(run, instance);
	bool fits = run_apply(run, keyword->members[branch].target, instance, own);
	if (fits)
		evaluated_add(run, evaluated, own, instance);
	run->bit_words = words;
	for (size_t i = first; i < run->record_count; i++)
		run->records[i].branch = branch;
	return fits;
}

/*
 * Returns whether the record shows that its alternative was not meant: the value's type differs, or
 * a word that distinguishes the alternatives (`type: tcp`).
 */
static bool is_of_another_kind(const struct schema_run *run, const struct schema_record *record)
{
	static const char words[] = "type,const,enum";

	if (!record->keyword)
		return record->path_count == run->step_count;
	if (!span_is_in(span_of(record->keyword->spec->name), words, ","))
		return false;
	if (record->path_count == run->step_count)
		return true;
	return record->path_count == run->step_count + 1 &&
	       strcmp(record->keyword->spec->name, "type") != 0;
}

/* Returns the only alternative that may have been meant; UINT32_MAX: there is none, or there are
 * several. */
static uint32_t nearest(const struct schema_run *run, const struct keyword *keyword, size_t first)
{
	uint32_t found = UINT32_MAX;
	size_t at = first;

	for (uint32_t branch = 0; branch < keyword->count; branch++) {
		bool is_other = at == run->record_count || run->records[at].branch != branch;

		for (; at < run->record_count && run->records[at].branch == branch; at++)
			is_other |= is_of_another_kind(run, &run->records[at]);
		if (is_other)
			continue;
		if (found != UINT32_MAX)
			return UINT32_MAX;
		found = branch;
	}
	return found;
}

/* Drops the records of all other alternatives. */
static void keep_branch(struct schema_run *run, size_t first, uint32_t branch)
{
	size_t kept = first;

	for (size_t i = first; i < run->record_count; i++) {
		struct schema_record record = run->records[i];

		if (record.branch != branch)
			continue;
		if (!record.alternative)
			record.alternative = branch + 1;
		run->records[kept++] = record;
	}
	run->record_count = kept;
}

/* Makes one record, with the first record of each alternative as its children. */
static void sum_up(struct schema_run *run, const struct keyword *keyword,
	const struct node *instance, struct run_mark mark)
{
	size_t kept = mark.records;
	uint32_t branch = UINT32_MAX;

	for (size_t i = mark.records; i < run->record_count; i++) {
		struct schema_record record = run->records[i];

		if (record.branch == branch)
			continue;
		branch = record.branch;
		record.children = 0;
		run->records[kept++] = record;
	}
	run->record_count = kept;
	uint32_t children = (uint32_t)(kept - mark.records);
	run_fails(run, keyword, instance);
	if (run->record_count == kept)
		return;
	struct schema_record sum = run->records[kept];
	sum.children = children;
	for (size_t i = kept; i > mark.records; i--)
		run->records[i] = run->records[i - 1];
	run->records[mark.records] = sum;
}

/* Handles a value that no alternative fits: keeps the records that help the user. */
static bool fits_none(struct schema_run *run, const struct keyword *keyword,
	const struct node *instance, struct run_mark mark, size_t evaluated)
{
	/* Which alternative was meant is unknown, so entries that none of them evaluated are not
	 * reported. */
	bool is_wanted = evaluated != EVALUATED_NOT && run->is_collecting;

	for (uint32_t i = 0; is_wanted && i < node_count(instance); i++)
		evaluated_put(run, evaluated, i);
	if (!run->is_collecting ||
		!run_spend(run, instance, is_wanted ? node_count(instance) / 8 : 0))
		return false;
	run->dropped = mark.dropped;
	uint32_t branch = nearest(run, keyword, mark.records);
	if (branch != UINT32_MAX)
		keep_branch(run, mark.records, branch);
	else
		sum_up(run, keyword, instance, mark);
	run_tidy(run, mark, instance);
	return false;
}

CHECK(any_of)
{
	struct run_mark mark = run_mark(run);
	bool fits = false;

	for (uint32_t i = 0; i < keyword->count; i++) {
		fits |= try(run, keyword, instance, i, evaluated);
		if (fits)
			run_forget(run, mark);
		/* The others may evaluate further entries. */
		if (fits && evaluated == EVALUATED_NOT)
			return true;
	}
	return fits || fits_none(run, keyword, instance, mark, evaluated);
}

CHECK(one_of)
{
	struct run_mark mark = run_mark(run);
	uint32_t fitting[2] = {0, 0}, count = 0;

	for (uint32_t i = 0; i < keyword->count && count < 2; i++) {
		if (!try(run, keyword, instance, i, evaluated))
			continue;
		run_forget(run, mark);
		fitting[count++] = i;
	}
	if (count == 0)
		return fits_none(run, keyword, instance, mark, evaluated);
	run_forget(run, mark);
	if (count == 1)
		return run->failure == RUN_FINE;
	return run_fail(run, (struct schema_record){.keyword = keyword,
				     .instance = instance,
				     .first = fitting[0] + 1,
				     .second = fitting[1] + 1});
}

CHECK(not )
{
	if (!run_asks(run, keyword->target, instance, EVALUATED_NOT))
		return run->failure == RUN_FINE;
	return run_fails(run, keyword, instance);
}

CHECK(if)
{
	size_t words = run->bit_words, own = EVALUATED_NOT;
	const struct subschema *target = keyword->otherwise;

	if (evaluated != EVALUATED_NOT)
		own = evaluated_new(run, instance);
	if (run_asks(run, keyword->target, instance, own)) {
		target = keyword->then;
		evaluated_add(run, evaluated, own, instance);
	}
	run->bit_words = words;
	return run->failure == RUN_FINE && (!target || run_apply(run, target, instance, evaluated));
}

CHECK(dependent_schemas)
{
	bool fits = true;

	for (uint32_t i = 0; i < keyword->count; i++) {
		const struct member *member = &keyword->members[i];

		if (!run_spend(run, instance, 1))
			return false;
		if (!member->target || !instance_find(instance, member->name, member->hash))
			continue;
		fits &= run_apply(run, member->target, instance, evaluated);
		if (!fits && !run->is_collecting)
			return false;
	}
	return fits;
}

/* Until draft 7 one keyword has both. */
CHECK(dependencies)
{
	bool fits = check_dependent_required(run, keyword, instance, evaluated);

	if (!fits && !run->is_collecting)
		return false;
	return check_dependent_schemas(run, keyword, instance, evaluated) && fits;
}
