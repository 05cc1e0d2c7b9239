/*
 * Merges many small inputs in one process, so that a script can compare thousands with an original.
 *
 * Standard input is a JSON list of requests:
 *
 *      {"strategy": "salt", "from": "yaml", "to": "json", "options": {"level": 1},
 *       "inputs": [["base", "a: 1"]]}
 *
 * An input is its layer's name and its text. `from` and `to` are formats; the default is YAML.
 * Standard output has a line for each request, a JSON list: ["text", the merged file] or ["error",
 * the message].
 */
#include <errno.h>
#include <stdio.h>

#include "cleanup.h"
#include "merge.h"
#include "requests.h"
#include "strategy.h"

static const struct format *format_for(const struct node *request, const char *key)
{
	const struct node *name = node_get(request, key);

	if (name && span_is(name->text, "toml-1.0"))
		return &format_toml_1_0;
	return name ? format_find(name->text) : &format_yaml;
}

static int run(const struct options *options, const struct node *request, struct problem *problem)
{
	const struct node *list = node_get(request, "inputs");
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	CLEANUP(freep) struct merge_input *inputs = calloc(list->seq.count, sizeof(*inputs));
	int r;

	if (!inputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->seq.count; i++) {
		const struct node *const *pair = list->seq.items[i]->seq.items;

		inputs[i].source = (struct source){
			.name = pair[0]->text.data, .layer = pair[0]->text.data, .rank = i};
		inputs[i].text = pair[1]->text;
		inputs[i].format = format_for(request, "from");
	}
	r = options_check(options, problem);
	if (r != 0)
		return r;

	struct merge_request merge = {
		.options = options,
		.inputs = inputs,
		.count = list->seq.count,
		.to = format_for(request, "to"),
	};
	r = merge_run(&merge, &result, problem);
	if (r == 0)
		requests_print_answer("text", result->text);
	return r;
}

static int run_request(const struct node *request)
{
	struct problem problem = {0};
	struct options options = {
		.strategy = strategy_find(node_get(request, "strategy")->text),
		.map = node_get(request, "options"),
	};
	int r;

	if (!options.strategy)
		return -EINVAL;
	r = run(&options, request, &problem);
	if (r == PROBLEM)
		requests_print_problem(&problem);
	return r < 0 ? r : 0;
}

int main(void)
{
	return requests_run("batch", run_request);
}
