#include "merge.h"

#include <assert.h>
#include <errno.h>

#include "cleanup.h"
#include "header.h"
#include "shown.h"
#include "strategy.h"
#include "value_lock.h"

struct read_options read_options_for(
	const struct merge_request *request, const struct format *format)
{
	const struct strategy *strategy = request->options->strategy;
	bool is_salt = strategy->reads == STRATEGY_READS_SALT;

	return (struct read_options){
		.format = strategy_reads_trees(strategy) ? format_of_tree(format) : format,
		.schema = is_salt && request->schema == NODE_YAML_1_1 ? NODE_SALT : request->schema,
		.keep_duplicates = is_salt,
		.as_pyyaml = strategy->reads == STRATEGY_READS_PYYAML,
		.limits = limits_or_default(request->limits),
		.is_cancelled = request->is_cancelled,
	};
}

/* merge_run() makes one. Its callers see only the member `result`. */
struct merge_made {
	struct merge_result result; /* must be first */
	struct merge_output output;
	const struct merge_input *inputs; /* with documents, if the strategy reads trees */
};

static bool is_verbatim(const struct merge_request *request)
{
	const struct strategy *strategy = request->options->strategy;

	if (request->count != 1 || !strategy->is_verbatim || request->wants_tree)
		return false;
	if (strategy_reads_trees(strategy) &&
		format_of_tree(request->inputs[0].format) != format_of_tree(request->to))
		return false;
	return strategy->is_verbatim(&request->inputs[0]);
}

/* Copies the inputs, and reads the documents that are missing. */
static int read_inputs(const struct merge_request *request, struct merge_result *result,
	const struct merge_input **ret, struct problem *problem)
{
	struct merge_input *inputs = arena_zalloc(result->arena, request->count, sizeof(*inputs));
	result->owned = arena_zalloc(result->arena, request->count, sizeof(*result->owned));
	result->owned_capacity = (uint32_t)request->count;
	if (!inputs || !result->owned)
		return -ENOMEM;

	for (size_t i = 0; i < request->count; i++) {
		inputs[i] = request->inputs[i];
		if (inputs[i].document)
			continue;

		struct read_options options = read_options_for(request, inputs[i].format);
		struct budget *budget = arena_budget(result->arena);
		uint64_t paused_ns = budget_pause(budget);
		struct document *document;
		int r = document_read(
			&inputs[i].source, inputs[i].text, &options, &document, problem);
		/* Each source has a budget of its own. */
		budget_resume(budget, paused_ns);
		if (r != 0)
			return r;
		result->owned[result->owned_count++] = document;
		inputs[i].document = document;
	}
	for (size_t i = 0; result->origins && i < request->count; i++) {
		int r = origins_unshare(result->origins, inputs[i].document, &inputs[i].document);
		if (r < 0)
			return r;
	}
	/* In a quoted text of several lines, a carriage return is a part of the value. */
	result->wants_crlf = inputs[0].document->has_crlf && inputs[0].format == request->to &&
			     !(request->to && format_has_quotes(request->to));
	*ret = inputs;
	return 0;
}

int merge_adopt(struct merge *merge, struct document *document)
{
	struct merge_result *result = merge->result;

	return arena_push(
		merge->arena, result->owned, result->owned_count, result->owned_capacity, document);
}

static int add_source(struct merge_result *result, const struct source *source)
{
	return arena_push(result->arena, result->sources, result->source_count,
		result->source_capacity, source);
}

/* The caller's environment; the files that it finds are added to the sources. */
struct noting_environment {
	struct merge_environment callbacks;
	const struct merge_environment *asked;
	struct merge_result *result;
};

static int find_and_note(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	struct noting_environment *noting = context;
	struct budget *budget = arena_budget(noting->result->arena);
	uint64_t paused_ns = budget_pause(budget);
	size_t found = *count;

	int r = noting->asked->find(noting->asked->context, directory, name, ret, &found, problem);
	/* The cost of this merge must not depend on whether the file was read now or earlier. */
	budget_resume(budget, paused_ns);
	for (size_t i = 0; r == 0 && i < found; i++)
		r = add_source(noting->result, &(*ret)[i].source);
	if (r == 0)
		*count = found;
	return r;
}

static int join(struct arena *arena, struct span head, struct span body, struct span *ret)
{
	char *text = arena_alloc(arena, head.len + body.len + 1);
	if (!text)
		return -ENOMEM;
	if (head.len > 0)
		memcpy(text, head.data, head.len);
	if (body.len > 0)
		memcpy(text + head.len, body.data, body.len);
	text[head.len + body.len] = '\0';
	*ret = (struct span){text, head.len + body.len};
	return 0;
}

/* Returns the name for problems of the result as a whole. */
static const char *result_name(const struct merge_request *request)
{
	const char *name = request->inputs[request->count - 1].source.name;

	if (request->path)
		return request->path;
	return name ? name : "";
}

static int make_head(const struct merge_request *request, const struct merge_output *output,
	struct span body, struct merge_result *result, struct span *ret)
{
	const char *comment = format_of_tree(request->to)->comment;
	struct span header;

	*ret = (struct span){NULL, 0};
	if (!comment)
		return 0;
	if (span_begins(output->head, comment))
		*ret = output->head;
	/* A file without values stays empty. */
	if (!request->wants_header || !output->root || body.len == 0)
		return 0;
	int r = header_make(request, result, &header);
	return r < 0 ? r : join(result->arena, *ret, header, ret);
}

static int end_lines_with_crlf(struct arena *arena, struct span text, struct span *ret)
{
	char *copy, *out;

	copy = out = arena_alloc(arena, text.len + span_count(text, '\n') + 1);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '\n')
			*out++ = '\r';
		*out++ = text.data[i];
	}
	*out = '\0';
	*ret = (struct span){copy, (size_t)(out - copy)};
	return 0;
}

static int write_tree(const struct merge_request *request, const struct merge_output *output,
	struct merge_result *result, struct problem *problem)
{
	const struct format *format = format_of_tree(request->to);
	struct span head, body = span_of(format->nothing);
	int r;

	if (output->root) {
		if (output->root->weight > request->limits.nodes)
			return problem_set(problem, result_name(request), 0, 0,
				"the merged file has more than %u values; raise the limit 'nodes'",
				(unsigned)request->limits.nodes);
		r = document_write(
			output->root, format, &request->limits, result->arena, &body, problem);
		if (r == PROBLEM && problem->source[0] == '\0')
			shown_tail(problem->source, sizeof(problem->source), result_name(request));
		if (r != 0)
			return r;
	}
	r = make_head(request, output, body, result, &head);
	if (r < 0)
		return r;
	result->root = output->root;
	result->text = body;
	if (head.len > 0 || !output->root)
		r = join(result->arena, head, body, &result->text);
	if (r == 0 && result->wants_crlf)
		r = end_lines_with_crlf(result->arena, result->text, &result->text);
	return r;
}

int merge_give_text(struct merge *merge, const struct merge_input *input, struct merge_output *ret)
{
	char *copy = arena_copy(merge->arena, input->text);

	if (!copy)
		return -ENOMEM;
	origin_text(merge->origins, 0, input->text.len, &input->source);
	*ret = (struct merge_output){.text = {copy, input->text.len}};
	return 0;
}

/*
 * Copies a source that is served byte for byte. If it was not read for a bound, it is read only if
 * origins are on.
 */
static int copy_text(struct merge *merge, struct merge_output *ret)
{
	const struct merge_request *request = merge->request;

	if (merge->origins && strategy_reads_trees(request->options->strategy)) {
		const struct merge_input *inputs = merge->inputs;
		struct problem ignored; /* a source that does not parse is served as well */
		int r = 0;
		if (inputs == request->inputs)
			r = read_inputs(request, merge->result, &inputs, &ignored);
		if (r < 0)
			return r;
		if (r == 0)
			merge->result->verbatim = inputs[0].document;
	}
	return merge_give_text(merge, &request->inputs[0], ret);
}

/* Returns the caller's environment of a completed request. */
static const struct merge_environment *asked_of(const struct merge_request *request)
{
	const struct merge_environment *environment = request->environment;

	return environment ? ((const struct noting_environment *)environment->context)->asked
			   : NULL;
}

/* Refuses a source that is valid alone, but would lose something if it is written anew. */
static int check_inputs(const struct merge_request *request, const struct merge_input *inputs,
	struct problem *problem)
{
	for (size_t i = 0; i < request->count; i++)
		if (inputs[i].document && inputs[i].document->doubt) {
			*problem = *inputs[i].document->doubt;
			return PROBLEM;
		}
	return 0;
}

static int check_merged(const struct merge_request *request, const struct merge_input *inputs,
	const struct merge_output *output, struct arena *arena, struct problem *problem)
{
	int r = 0;

	for (size_t i = 0; r == 0 && request->count > 1 && output->root && i < request->count;
		i++) {
		const struct format *format = inputs[i].format;

		if (format && format->check_merged && inputs[i].document)
			r = format->check_merged(
				format, output->root, inputs[i].document, arena, problem);
	}
	return r;
}

static int merge_or_copy(
	const struct merge_request *request, struct merge_made *made, struct problem *problem)
{
	const struct strategy *strategy = request->options->strategy;
	struct merge_result *result = &made->result;
	struct merge_output *ret = &made->output;
	struct merge merge = {
		.request = request,
		.inputs = request->inputs,
		.count = request->count,
		.arena = result->arena,
		.problem = problem,
		.result = result,
		.origins = result->origins,
		.asked = asked_of(request),
	};

	if (is_verbatim(request) && !value_locks_bind(request))
		return copy_text(&merge, ret);
	if (strategy_reads_trees(strategy)) {
		bool is_one = request->count == 1 && request->inputs[0].format == request->to;
		int r = read_inputs(request, result, &merge.inputs, problem);
		if (r == 0 && !is_one)
			r = check_inputs(request, merge.inputs, problem);
		if (r != 0)
			return r;
	}
	bool is_changed;
	int r = value_locks_merge(&merge, ret, &is_changed);
	if (r == 0 && !is_changed && is_verbatim(request) && request->inputs[0].text.data)
		return copy_text(&merge, ret);
	made->inputs = merge.inputs;
	if (r == 0 && !ret->text.data && !request->wants_tree)
		r = check_inputs(request, merge.inputs, problem);
	return r == 0 ? check_merged(request, merge.inputs, ret, result->arena, problem) : r;
}

/* Sets the root or the text of the result. */
static int finish(
	const struct merge_request *request, struct merge_made *made, struct problem *problem)
{
	struct merge_result *result = &made->result;
	int r = 0;

	if (made->output.text.data)
		result->text = made->output.text;
	else if (request->wants_tree)
		result->root = made->output.root;
	else
		r = write_tree(request, &made->output, result, problem);
	if (r != 0)
		return r;
	if (result->text.len > request->limits.result_bytes)
		return problem_set(problem, result_name(request), 0, 0,
			"the merged file has %zu bytes, more than %zu; raise the limit 'result'",
			result->text.len, request->limits.result_bytes);
	return 0;
}

/* Runs the request with defaults for everything that it may leave open. */
static int run_completed(
	const struct merge_request *request, struct merge_made *made, struct problem *problem)
{
	struct merge_result *result = &made->result;
	struct merge_request completed = *request;
	struct noting_environment noting = {
		.callbacks = {.find = find_and_note, .context = &noting},
		.asked = request->environment,
		.result = result,
	};

	completed.limits = limits_or_default(request->limits);
	if (request->environment)
		completed.environment = &noting.callbacks;
	for (size_t i = 0; i < request->count; i++) {
		int r = add_source(result, &request->inputs[i].source);
		if (r < 0)
			return r;
	}
	int r = merge_or_copy(&completed, made, problem);
	return r == 0 ? finish(&completed, made, problem) : r;
}

int merge_run(
	const struct merge_request *request, struct merge_result **ret, struct problem *problem)
{
	assert(request->count > 0);

	struct merge_made *made = calloc(1, sizeof(*made));
	CLEANUP(merge_result_freep) struct merge_result *result = made ? &made->result : NULL;
	struct budget budget;
	if (!result)
		return -ENOMEM;
	int r = arena_new(&result->arena);
	if (r != 0)
		return r;

	if (request->wants_origins) {
		result->origins = origins_new(result->arena);
		if (!result->origins)
			return -ENOMEM;
	}
	budget_init(&budget, limits_or_default(request->limits).time_ms, request->is_cancelled);
	arena_limit(result->arena, &budget);
	r = run_completed(request, made, problem);
	if (r == 0)
		r = origins_check(result->origins);
	arena_limit(result->arena, NULL);
	if (r == -EFBIG)
		r = problem_set(problem, result_name(request), 0, 0,
			"the sources' aliases stand for so many values that plyfs can't record "
			"where each is from; use fewer aliases");
	if (r != 0)
		return budget_result(&budget, r, result_name(request), problem);
	*ret = take_ptr(result);
	return 0;
}

int merge_write(
	const struct merge_request *request, struct merge_result *result, struct problem *problem)
{
	struct merge_made *made = (struct merge_made *)result;
	struct merge_request completed = *request;
	struct budget budget;

	assert(request->count > 1);
	completed.limits = limits_or_default(request->limits);
	completed.wants_tree = false;
	budget_init(&budget, completed.limits.time_ms, request->is_cancelled);
	arena_limit(result->arena, &budget);
	int r = check_inputs(request, made->inputs, problem);
	if (r == 0)
		r = finish(&completed, made, problem);
	arena_limit(result->arena, NULL);
	return budget_result(&budget, r, result_name(request), problem);
}

int merge_report_refusals(const struct merge_result *result, struct problem *problem)
{
	const struct refusals *refusals = &result->refusals;
	const struct problem *first = refusals->items;
	size_t more = refusals->count + refusals->left_out - 1;

	if (refusals->count == 0)
		return 0;
	*problem = *first;
	if (more == 0)
		return PROBLEM;
	return problem_set(problem, first->source, first->line, first->column,
		"%s (and %zu more that are refused)", first->message, more);
}

void merge_result_free(struct merge_result *result)
{
	if (!result)
		return;
	for (size_t i = 0; i < result->owned_count; i++)
		document_free(result->owned[i]);
	arena_free(result->arena);
	free(result);
}

void merge_result_freep(struct merge_result **result)
{
	merge_result_free(*result);
}
