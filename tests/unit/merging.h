/* A merge of texts, for the tests of the merge core. */
#pragma once

#include "merge.h"
#include "reading.h"
#include "strategy.h"
#include "test.h"

#define SOURCES_MAX 4

/* The sources are named a, b, c and d, as are their layers. A test may change the request. */
struct setting {
	struct document *given; /* the options as text */
	struct options options;
	struct merge_input inputs[SOURCES_MAX];
	struct merge_request request;
	struct merge_result *result;
	struct problem problem;
};

#define TEXTS(...) ((const char *const[SOURCES_MAX + 1]){__VA_ARGS__})

/* The options are YAML, or NULL. The texts end with NULL, and must live as long as the setting. */
static inline void set(struct setting *setting, const char *strategy, const char *options,
	const char *const *texts)
{
	static const char *const names[] = {"a", "b", "c", "d"};

	*setting = (struct setting){
		.options = {.strategy = strategy_find(span_of(strategy))},
		.request = {.options = &setting->options,
			.inputs = setting->inputs,
			.to = &format_yaml},
	};
	if (options) {
		setting->given = read_yaml(options);
		setting->options.map = setting->given->roots[0];
	}
	assert_int_equal(options_check(&setting->options, &setting->problem), 0);
	for (unsigned i = 0; i < SOURCES_MAX && texts[i]; i++) {
		setting->inputs[i] = (struct merge_input){.source = {names[i], names[i], i},
			.format = &format_yaml,
			.text = span_of(texts[i])};
		setting->request.count++;
	}
}

static inline int run(struct setting *setting)
{
	return merge_run(&setting->request, &setting->result, &setting->problem);
}

static inline void must_run(struct setting *setting)
{
	const struct problem *problem = &setting->problem;
	int r = run(setting);

	if (r == PROBLEM)
		fail_msg("%s:%u: %s", problem->source, problem->line, problem->message);
	assert_int_equal(r, 0);
}

static inline void setting_fini(struct setting *setting)
{
	merge_result_free(setting->result);
	document_free(setting->given);
}
