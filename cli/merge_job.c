#include "merge_job.h"

#include <errno.h>
#include <inttypes.h>

#include "cleanup.h"
#include "command.h"
#include "message.h"
#include "place.h"
#include "strategy.h"
#include "text.h"

static void clear(struct merge_job *job)
{
	merge_result_free(job->result);
	data_search_fini(&job->search);
	inputs_fini(&job->inputs);
	validity_fini(&job->validity);
	job->result = NULL;
	job->search = (struct data_search){0};
	job->inputs = (struct inputs){0};
}

void merge_job_fini(struct merge_job *job)
{
	clear(job);
	typed_documents_fini(&job->documents);
	arena_free(job->arena);
	settings_unref(job->schemas);
	free(job->schema_refs);
}

/* Parses the value; an empty one is null, as in a YAML file. */
static int read_value(struct merge_job *job, const struct source *source, const char *text,
	const struct node **ret, struct problem *problem)
{
	const struct read_options options = {.format = &format_yaml};
	struct document *document;
	int r = document_read(source, span_of(text), &options, &document, problem);

	if (r == 0)
		r = typed_documents_take(&job->documents, document);
	if (r != 0)
		return r;
	if (document->count > 1)
		return problem_at(
			problem, document->roots[1], "a value is one document; take this one out");
	*ret = document->count ? document->roots[0]
			       : node_new_scalar(job->arena, span_of(""), NODE_PLAIN);
	return *ret ? 0 : -ENOMEM;
}

int merge_job_set(struct merge_job *job, struct node **map, const char *option,
	const char *argument, struct problem *problem)
{
	const struct span name = {argument, strcspn(argument, "=")};
	const struct node *value = NULL;

	if (!argument[name.len] || name.len == 0)
		return problem_set(problem, option, 0, 0, "'%s' is not NAME=VALUE", argument);
	if (!job->arena && arena_new(&job->arena) < 0)
		return -ENOMEM;
	if (!*map)
		*map = node_new_map(job->arena, NULL);

	struct source *source = arena_zalloc(job->arena, 1, sizeof(*source));
	const char *copy = arena_copy(job->arena, name);
	struct node *key = copy ? node_new_scalar(job->arena, span_of(copy), NODE_PLAIN) : NULL;
	if (!*map || !source || !key)
		return -ENOMEM;
	source->name = arena_printf(job->arena, "%s %s", option, copy);
	source->layer = "";
	/* The place of the name is the option itself. */
	key->source = source;
	if (!source->name)
		return -ENOMEM;
	int r = read_value(job, source, argument + name.len + 1, &value, problem);
	return r != 0 ? r : node_put(job->arena, *map, key, value);
}

/* Files without a suffix, and standard input, do not count. */
const struct format *merge_job_format(const struct merge_job *job)
{
	const struct format *format = job->to;

	for (size_t i = 0; !job->to && i < job->inputs.count; i++) {
		const struct format *own = format_of_name(job->inputs.data[i].source.name);

		if (own && format && own != format)
			return format_of_tree(NULL);
		format = own ? own : format;
	}
	return format_of_tree(format);
}

/*
 * Reads a file without a known suffix in the format of the merged file, and INI in its dialect.
 * Standard input is YAML, but for a dialect, which no file's name tells.
 */
static void choose_formats(struct merge_job *job, const struct format *to)
{
	bool is_dialect = to->dialect && to != &format_ini;

	for (size_t i = 0; i < job->inputs.count; i++) {
		struct merge_input *input = &job->inputs.data[i];
		const struct format *own = format_of_name(input->source.name);

		if (own)
			input->format = is_dialect ? format_within(to, own) : own;
		else if (to != &format_json && (is_dialect || !input->format))
			input->format = to;
	}
}

static void complain(const struct merge_job *job, const struct problem *problem)
{
	message_problem(problem);
	if (place_is_secret(job->schemas))
		return;
	struct span text = inputs_text(&job->inputs, problem->source);
	if (!text.data)
		text = data_search_text(&job->search, problem->source);
	message_excerpt(stderr, MESSAGE_INDENT, problem, text);
}

int merge_job_complain(const struct merge_job *job, int result, const struct problem *problem)
{
	if (result != PROBLEM)
		return message_result(result, problem, NULL);
	for (size_t i = 0; i < job->validity.count; i++)
		complain(job, &job->validity.problems[i]);
	if (job->validity.count == 0)
		complain(job, problem);
	if (job->validity.more)
		message("%" PRIu64 " more places do not match the schema", job->validity.more);
	return EXIT_FAILED;
}

/* Reads the schema, each time, as with --watch it may change, too. */
static int read_schema(
	struct merge_job *job, const struct schema_file **file, struct problem *problem)
{
	static const char *const none[] = {NULL};

	settings_unref(take_ptr(job->schemas));
	return job->schema ? settings_from_schema(job->schema,
				     job->schema_refs ? job->schema_refs : none,
				     job->validates_formats, &job->schemas, file, problem)
			   : 0;
}

/* A single file is copied unchanged, but it must be valid. */
static int parse_copied(const struct merge_request *request, const struct merge_result *result,
	struct problem *problem)
{
	const struct merge_input *only = &request->inputs[0];
	CLEANUP(document_freep) struct document *document = NULL;

	if (request->count > 1 || result->root || !strategy_reads_trees(request->options->strategy))
		return 0;
	const struct read_options options = read_options_for(request, only->format);
	return document_read(&only->source, only->text, &options, &document, problem);
}

int merge_job_run(struct merge_job *job, struct problem *problem)
{
	const struct options options = {job->strategy, job->set};
	const struct merge_environment environment = {
		.find = data_search_find, .context = &job->search};

	clear(job);
	for (char **file = job->files; *file; file++) {
		int r = job->is_cancelled && atomic_load(job->is_cancelled)
				? -ECANCELED
				: inputs_add(
					  &job->inputs, *file, job->limits.source_bytes, problem);
		if (r != 0)
			return r;
	}
	choose_formats(job, merge_job_format(job));
	const struct merge_request request = {
		.options = &options,
		.inputs = job->inputs.data,
		.count = job->inputs.count,
		.to = merge_job_format(job),
		.schema = job->yaml,
		.limits = job->limits,
		.environment = &environment,
		.wants_header = job->has_header,
		.is_cancelled = job->is_cancelled,
	};
	job->search.request = &request;
	const struct schema_file *file;
	/* First: it says which words of the sources no message may show. */
	int r = read_schema(job, &file, problem);
	if (r == 0)
		r = merge_run(&request, &job->result, problem);
	if (r == 0)
		r = parse_copied(&request, job->result, problem);
	if (r == PROBLEM && place_is_secret(job->schemas))
		problem_hide_word(problem);
	if (r == 0 && job->schema)
		r = validity_check_by(file->schema, &request, job->result, &job->validity, problem);
	job->search.request = NULL;
	return r;
}
