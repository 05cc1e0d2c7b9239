#include "strategy.h"

/*
 * The table, in the order of the help text: the symbol strategy_SYMBOL that strategy/ defines, and
 * the name that users write.
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
