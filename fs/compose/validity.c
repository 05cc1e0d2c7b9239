#include "validity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cleanup.h"
#include "shown.h"

/* The result of a merge, as trees. */
struct merged_trees {
	struct document *read;     /* the text, read again; NULL: the result is a tree */
	const struct node *single; /* the result's tree; NULL: it was a text, or is empty */
	const struct node *const *roots;
	size_t count;
};

/* Gets the result's trees. A text is read as the merged file is; if it is a copy of one source, its
 * places are that source's. */
static int read_trees(const struct merge_request *request, const struct merge_result *result,
	struct arena *arena, struct merged_trees *ret, struct problem *problem)
{
	struct read_options options = {.format = format_of_tree(request->to),
		.schema = request->schema,
		.limits = limits_or_default(request->limits),
		.is_cancelled = request->is_cancelled};
	struct source source = request->inputs[0].source;
	int r = 0;

	if (result->source_count > 1)
		source = (struct source){.name = request->path, .layer = ""};
	ret->single = result->root;
	/* A result may be larger than a source. */
	options.limits.source_bytes = options.limits.result_bytes;
	if (!result->root)
		r = document_read(&source, result->text, &options, &ret->read, problem);
	if (r != 0)
		return r;
	if (ret->read && ret->read->count) {
		ret->roots = ret->read->roots;
		ret->count = ret->read->count;
		return 0;
	}
	if (!ret->single) {
		struct node *nothing = node_new_scalar(arena, span_of("null"), NODE_PLAIN);
		if (!nothing || source_copy(arena, &source, &nothing->source) < 0)
			return -ENOMEM;
		nothing->schema = NODE_JSON;
		ret->single = nothing;
	}
	ret->roots = node_documents(&ret->single, &ret->count);
	return 0;
}

/* Finds where line `wanted` of the result's text, numbered from 1, stands in its source. */
static bool find_line(const struct merge_result *result, uint32_t wanted,
	const struct source **source, uint32_t *line)
{
	const struct origin_piece *piece = origin_pieces(result->origins);
	uint32_t first = 1;
	size_t at = 0;

	for (; piece; piece = piece->next) {
		size_t end = piece->offset + piece->len;

		for (; at < piece->offset && at < result->text.len; at++)
			first += result->text.data[at] == '\n';
		uint32_t begin = first;
		for (; at < end && at < result->text.len; at++)
			first += result->text.data[at] == '\n';
		/* A piece without a newline at its end shares its last line with the next piece. */
		bool is_open =
			at == result->text.len || (piece->len && result->text.data[at - 1] != '\n');
		if (wanted >= begin && wanted < first + is_open) {
			*source = piece->source;
			*line = piece->line + (wanted - begin);
			return true;
		}
	}
	return false;
}

/* Returns the place of a value; of a merged one, that of the first value it was made of. */
static const struct node *placed(const struct merge_result *result, const struct node *at)
{
	const struct origin *origin;
	const struct origin_step *step = NULL;

	if (at->source || !result->origins)
		return at;
	origin = origin_of(result->origins, at);
	while (origin && (step = origin_next(origin, step)))
		if (step->value->source)
			return step->value;
	return at;
}

static void report(const struct merge_request *request, const struct merge_result *result,
	const struct schema_fault *fault, struct problem *ret)
{
	struct schema_fault at_source = *fault;
	const struct source *source;
	uint32_t line;

	at_source.at = placed(result, fault->at);
	fault_problem(&at_source, ret);
	source = at_source.at->source;
	if (!result->root && result->origins && find_line(result, ret->line, &source, &line)) {
		shown_tail(ret->source, sizeof(ret->source), source->name);
		problem_place(ret, source);
		ret->line = line;
	}
	if (!ret->source[0] && request->path)
		shown_tail(ret->source, sizeof(ret->source), request->path);
	if (source && source->layer[0])
		problem_reword(ret, ret, "%s, in the layer '%s'", ret->message, source->layer);
}

static int add(struct validity *validity, const struct merge_request *request,
	const struct merge_result *result, const struct faults *faults)
{
	struct problem *larger = reallocarray(validity->problems,
		validity->count + faults->count + 1, sizeof(*validity->problems));

	if (!larger)
		return -ENOMEM;
	validity->problems = larger;
	for (uint32_t i = 0; i < faults->count; i++)
		report(request, result, &faults->items[i], &validity->problems[validity->count++]);
	validity->more += faults->more;
	return 0;
}

/* Validates each document of the result. Returns 0, PROBLEM if that failed, or -ENOMEM. */
static int validate(const struct schema *schema, const struct merge_request *request,
	const struct merge_result *result, struct validity *ret, struct problem *problem)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	struct merged_trees trees = {0};
	struct budget budget;

	int r = arena_new(&arena);
	if (r == 0)
		r = read_trees(request, result, arena, &trees, problem);
	budget_init(&budget, limits_or_default(request->limits).time_ms, request->is_cancelled);
	if (r == 0)
		arena_limit(arena, &budget);
	for (size_t i = 0; r == 0 && i < trees.count; i++) {
		struct faults faults;

		r = schema_validate(schema, trees.roots[i], arena, &faults, problem);
		if (r == 0 && faults.count)
			r = add(ret, request, result, &faults);
	}
	r = budget_result(&budget, r, request->path, problem);
	if (r == PROBLEM && !problem->source[0] && request->path)
		shown_tail(problem->source, sizeof(problem->source), request->path);
	document_free(trees.read);
	return r;
}

/* Validates again, with the origins of merged values, for the places. */
static int validate_with_origins(const struct schema *schema, const struct merge_request *request,
	struct validity *ret, struct problem *problem)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	struct merge_request again = *request;

	again.wants_origins = true;
	again.wants_tree = false;
	again.warn = NULL;
	int r = merge_run(&again, &result, problem);
	return r == 0 ? validate(schema, request, result, ret, problem) : r;
}

static int sum_up(const struct validity *validity, struct problem *problem)
{
	uint64_t others = validity->count - 1 + validity->more;

	*problem = validity->problems[0];
	if (others == 0)
		return PROBLEM;
	return problem_reword(problem, problem,
		"%s; and %" PRIu64 " more, which 'plyfs check' shows", problem->message, others);
}

int validity_check_by(const struct schema *schema, const struct merge_request *request,
	const struct merge_result *result, struct validity *ret, struct problem *problem)
{
	CLEANUP(validity_fini) struct validity validity = {0};
	struct problem own = {.message = ""};

	int r = validate(schema, request, result, &validity, &own);
	if (r == 0 && validity.count && !result->origins) {
		validity_fini(&validity);
		r = validate_with_origins(schema, request, &validity, &own);
	}
	if (r == PROBLEM)
		*problem = own;
	/* The text does not parse. */
	if (r == PROBLEM && schema_has_secrets(schema))
		problem_hide_word(problem);
	if (r != 0 || !validity.count)
		return r;
	sum_up(&validity, problem);
	if (ret) {
		*ret = validity;
		validity = (struct validity){0};
	}
	return PROBLEM;
}

int validity_check(const struct settings *settings, const struct merge_request *request,
	const struct merge_result *result, struct validity *ret, struct problem *problem)
{
	const struct schema_file *file = settings_rule_for(settings, request->path)->schema;

	return file ? validity_check_by(file->schema, request, result, ret, problem) : 0;
}

void validity_fini(struct validity *validity)
{
	free(validity->problems);
	*validity = (struct validity){0};
}
