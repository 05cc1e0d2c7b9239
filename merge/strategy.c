#include "strategy.h"

#include "scalar.h"

/*
 * The table, in the order of the help text: X(SYMBOL, NAME), where strategy/ defines
 * strategy_SYMBOL, and users write NAME.
 */
#define STRATEGIES(X)                                                                              \
	X(deep, "deep")                                                                            \
	X(salt, "salt")                                                                            \
	X(cfengine, "cfengine")                                                                    \
	X(cloud_init, "cloud-init")                                                                \
	X(pillar, "pillar")                                                                        \
	X(last, "last")                                                                            \
	X(first, "first")                                                                          \
	X(concat, "concat")                                                                        \
	X(lines, "lines")

#define DECLARE(symbol, name) extern const struct strategy strategy_##symbol;
STRATEGIES(DECLARE)
#undef DECLARE

#define ENTRY(symbol, name) &strategy_##symbol,
static const struct strategy *const table[] = {STRATEGIES(ENTRY) NULL};
#undef ENTRY

const struct strategy *strategy_find(struct span name)
{
	for (const struct strategy *const *at = table; *at; at++)
		if (span_is(name, (*at)->name))
			return *at;
	return NULL;
}

const struct strategy *const *strategy_all(void)
{
	return table;
}

const char *strategy_names(void)
{
#define NAME(symbol, name) ", " name
	static const char names[] = STRATEGIES(NAME);
#undef NAME

	return names + 2;
}

bool merge_may_have_tag(const struct merge *merge, const struct node *value)
{
	const struct merge_request *request = merge->request;

	for (size_t i = 0; value->source && i < request->count; i++)
		if (request->inputs[i].source.name &&
			request->inputs[i].source.rank == value->source->rank &&
			strcmp(request->inputs[i].source.name, value->source->name) == 0 &&
			!format_has_tags(format_of_tree(request->inputs[i].format)))
			return false;
	return true;
}

bool strategy_is_highest_first(const struct merge *merge)
{
	return span_is(options_text(merge->request->options, "order"), "highest-first");
}

int merge_check_root(const struct merge *merge, const struct node *below, const struct node *value,
	const char *tag)
{
	bool is_below = node_is_scalar(below);
	const struct node *odd = is_below ? below : value, *other = is_below ? value : below;

	if (below->kind == value->kind || below->tag || value->tag || scalar_is_null(below))
		return 0;
	if (is_below || !merge_may_have_tag(merge, value))
		tag = NULL;
	return problem_at(merge->problem, odd,
		"the file is %s here and %s in %s:%u:%u, so one of them is broken; repair it, or "
		"%s%s%s if that is meant",
		scalar_or_kind_name(odd), node_kind_name(other),
		other->source ? source_shown(other->source) : "", (unsigned)other->line,
		(unsigned)other->column, tag ? "write '" : "remove one", tag ? tag : "",
		tag ? "'" : "");
}

int merge_only_root(
	const struct merge *merge, const struct document *document, const struct node **ret)
{
	*ret = NULL;
	for (size_t i = 0; i < document->count; i++) {
		const struct node *root = document->roots[i];

		if (scalar_is_empty(root))
			continue;
		if (*ret)
			return problem_at(merge->problem, root,
				"a second document begins here, and the strategy '%s' reads one in "
				"each file; give each document a file of its own, or merge them by "
				"'strategy: deep' with its option 'documents'",
				merge->request->options->strategy->name);
		*ret = root;
	}
	return 0;
}
