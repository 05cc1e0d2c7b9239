/*
 * Merges many small inputs in one process, so that a script can compare thousands with an original.
 *
 * Standard input is a JSON list of requests:
 *
 *      {"strategy": "salt", "from": "yaml", "to": "json", "options": {"level": 1},
 *       "inputs": [["base", "a: 1"]]}
 *
 * An input is its layer's name and its text; `from` and `to` are formats, YAML where they are
 * missing. Standard output has a line for each request, a JSON list: ["text", the merged file] or
 * ["error", the message].
 */
#include <errno.h>
#include <stdio.h>

#include "cleanup.h"
#include "merge.h"
#include "strategy.h"

static void print_string(const char *text, size_t length)
{
	putchar('"');
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void print_result(const char *kind, const char *text, size_t length)
{
	printf("[\"%s\", ", kind);
	print_string(text, length);
	printf("]\n");
}

static void print_problem(const struct problem *problem)
{
	char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];

	problem_format(problem, text, sizeof(text));
	print_result("error", text, strlen(text));
}

static const struct format *format_for(const struct node *request, const char *key)
{
	const struct node *name = node_get(request, key);

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
		print_result("text", result->text.data, result->text.len);
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
		print_problem(&problem);
	return r < 0 ? r : 0;
}

static int read_requests(struct span text, struct document **ret)
{
	const struct source source = {.name = "standard input", .layer = ""};
	const struct read_options options = {.format = &format_json,
		.limits = {.source_bytes = 1u << 30,
			.depth = 1000,
			.nodes = 1u << 30,
			.result_bytes = 1u << 30}};
	struct problem problem;
	int r = document_read(&source, text, &options, ret, &problem);

	if (r == PROBLEM)
		print_problem(&problem);
	return r;
}

int main(void)
{
	CLEANUP(document_freep) struct document *document = NULL;
	CLEANUP(freep) char *text = NULL;
	struct span span = {0};
	int r;

	FILE *copy = open_memstream(&text, &span.len);
	if (!copy)
		return 1;
	for (int c = getchar(); c != EOF; c = getchar())
		putc(c, copy);
	fclose(copy);
	span.data = text;

	r = read_requests(span, &document);
	for (uint32_t i = 0; r == 0 && i < document->roots[0]->seq.count; i++)
		r = run_request(document->roots[0]->seq.items[i]);
	if (r < 0)
		fprintf(stderr, "batch: %s\n", strerror(-r));
	return r != 0;
}
