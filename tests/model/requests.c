#include "requests.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "format.h"

void requests_print_string(struct span text)
{
	putchar('"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

void requests_print_answer(const char *word, struct span text)
{
	printf("[\"%s\", ", word);
	requests_print_string(text);
	printf("]\n");
}

void requests_print_problem(const struct problem *problem)
{
	char text[PROBLEM_SOURCE_MAX + PROBLEM_MESSAGE_MAX + 64];

	problem_format(problem, text, sizeof(text));
	requests_print_answer("error", span_of(text));
}

static int read_input(struct document **ret)
{
	const struct source source = {.name = "standard input", .layer = ""};
	const struct read_options options = {.format = &format_json,
		.limits = {.source_bytes = 1u << 30,
			.depth = 1000,
			.nodes = 1u << 30,
			.result_bytes = 1u << 30}};
	CLEANUP(freep) char *text = NULL;
	struct span span = {0};
	struct problem problem;

	FILE *copy = open_memstream(&text, &span.len);
	if (!copy)
		return -ENOMEM;
	for (int c = getchar(); c != EOF; c = getchar())
		putc(c, copy);
	fclose(copy);
	span.data = text;
	int r = document_read(&source, span, &options, ret, &problem);
	if (r == PROBLEM)
		requests_print_problem(&problem);
	return r;
}

int requests_run(const char *program, int (*run)(const struct node *request))
{
	CLEANUP(document_freep) struct document *document = NULL;
	int r = read_input(&document);

	for (uint32_t i = 0; r == 0 && i < document->roots[0]->seq.count; i++)
		r = run(document->roots[0]->seq.items[i]);
	if (r < 0)
		fprintf(stderr, "%s: %s\n", program, strerror(-r));
	return r != 0;
}
