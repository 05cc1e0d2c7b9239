/*
 * Merges files by the strategy "deep", appends their lists, and says where each value is from:
 *
 *      cc merge.c -o merge $(pkg-config --cflags --libs libplymerge)
 *      ./merge vendor/app.yaml site/app.yaml
 */
#include <stdio.h>
#include <stdlib.h>

#include <merge.h>
#include <strategy.h>

/* Gives the file's bytes; the caller frees ret->data. Returns whether it could be read. */
static bool read_file(const char *name, struct span *ret)
{
	char *text = malloc(LIMITS_DEFAULT.source_bytes);
	FILE *file = fopen(name, "r");

	*ret = (struct span){text, 0};
	if (text && file)
		ret->len = fread(text, 1, LIMITS_DEFAULT.source_bytes, file);
	bool is_read = text && file && !ferror(file);
	if (!is_read)
		perror(name);
	if (file)
		fclose(file);
	return is_read;
}

static int fail(const struct problem *problem)
{
	char line[3000];

	problem_format(problem, line, sizeof(line));
	fprintf(stderr, "%s\n", line);
	return 1;
}

/* Options are values: here, they are read from a YAML text. */
static int read_options(const char *text, struct options *options, struct document **document,
	struct problem *problem)
{
	const struct source source = {.name = "options"};
	int r = document_read(&source, span_of(text), &(struct read_options){0}, document, problem);

	if (r != 0)
		return r;
	options->map = (*document)->roots[0];
	return options_check(options, problem);
}

static void print_place(const char *before, const struct node *value, const char *after)
{
	if (value->source)
		printf("%s%s:%u:%u%s\n", before, value->source->name, value->line, value->column,
			after);
}

/* Prints the place of each value of the root, and the places of its other contributors. */
static void print_origins(const struct merge_result *result)
{
	for (uint32_t i = 0; result->root && i < node_count(result->root); i++) {
		const struct node *value = *node_entry(result->root, i);
		const struct origin *origin = origin_of(result->origins, value);
		const struct origin_step *step = NULL;

		if (node_is_map(result->root))
			printf("# %s\n", result->root->map.pairs[i].key->text.data);
		print_place("#   ", value, "");
		while (origin && (step = origin_next(origin, step)))
			print_place("#   ", step->value,
				step->fate == ORIGIN_PART ? " (a part)" : " (lost)");
	}
}

int main(int count, char **names)
{
	struct merge_input *inputs = calloc((size_t)count, sizeof(*inputs));
	struct options options = {.strategy = strategy_find(span_of("deep"))};
	struct document *document = NULL;
	struct merge_result *result = NULL;
	struct problem problem;

	if (!inputs || count < 2)
		return 2;
	for (int i = 1; i < count; i++) {
		struct merge_input *input = &inputs[i - 1];
		input->source = (struct source){.name = names[i], .layer = "", .rank = (unsigned)i};
		input->format = format_of_name(names[i]);
		if (!read_file(names[i], &input->text))
			return 1;
	}
	int r = read_options("{lists: append}", &options, &document, &problem);
	if (r == 0)
		r = merge_run(&(struct merge_request){.options = &options,
				      .inputs = inputs,
				      .count = (size_t)count - 1,
				      .to = inputs[0].format,
				      .wants_origins = true},
			&result, &problem);
	if (r == 0) {
		fwrite(result->text.data, 1, result->text.len, stdout);
		print_origins(result);
	}
	merge_result_free(result);
	document_free(document);
	for (int i = 1; i < count; i++)
		free((char *)inputs[i - 1].text.data);
	free(inputs);
	if (r < 0)
		fprintf(stderr, "not enough memory\n");
	return r == 0 ? 0 : r < 0 ? 1 : fail(&problem);
}
