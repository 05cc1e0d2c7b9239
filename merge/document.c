#include "document.h"

#include <errno.h>
#include <inttypes.h>

#include "cleanup.h"
#include "foreign.h"
#include "format/builder.h"
#include "format/output.h"

/* The byte order mark. */
#define MARK "\xEF\xBB\xBF"

static int document_new(const struct source *source, struct document **ret)
{
	CLEANUP(arena_freep) struct arena *arena = NULL;
	const struct source *copy;
	struct document *document;
	int r;

	r = arena_new(&arena);
	if (r < 0)
		return r;
	document = arena_zalloc(arena, 1, sizeof(*document));
	if (!document)
		return -ENOMEM;
	r = source_copy(arena, source, &copy);
	if (r < 0)
		return r;
	document->source = *copy;
	document->arena = take_ptr(arena);
	*ret = document;
	return 0;
}

static int read_text(struct builder *builder, struct span text)
{
	const struct place nowhere = {0, 0};

	if (text.len > builder->options->limits.source_bytes)
		return builder_problem(builder, nowhere,
			"is larger than %zu bytes; raise the limit 'source'",
			builder->options->limits.source_bytes);
	/*
	 * Without this check, the error would only say that the text is not UTF-8, at some place.
	 */
	if (span_begins(text, "\xFF\xFE") || span_begins(text, "\xFE\xFF"))
		return builder_problem(builder, nowhere, "is UTF-16; save it as UTF-8");
	if (span_begins(text, MARK)) {
		text.data += 3;
		text.len -= 3;
	}
	const char *newline = text.len ? memchr(text.data, '\n', text.len) : NULL;
	builder->document->has_crlf = newline && newline > text.data && newline[-1] == '\r';
	return foreign_read(builder, text);
}

int document_read(const struct source *source, struct span text, const struct read_options *options,
	struct document **ret, struct problem *problem)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct read_options checked = *options;
	struct builder builder;
	struct budget budget;
	int r;

	r = document_new(source, &document);
	if (r < 0)
		return r;
	checked.limits = limits_or_default(options->limits);
	builder = (struct builder){
		.document = document, .options = &checked, .problem = problem, .text = text.data};

	budget_init(&budget, checked.limits.time_ms, options->is_cancelled);
	arena_limit(document->arena, &budget);
	r = budget_is_spent(&budget) ? -ENOMEM : read_text(&builder, text);
	if (!r)
		r = builder_finish(&builder);
	arena_limit(document->arena, NULL);
	builder_fini(&builder);
	if (r)
		r = budget_result(&budget, r, document->source.name, problem);
	if (r == PROBLEM)
		problem_place(problem, &document->source);
	if (r)
		return r;
	*ret = take_ptr(document);
	return 0;
}

void document_free(struct document *document)
{
	/* The document lies in its own arena. */
	if (document)
		arena_free(document->arena);
}

void document_freep(struct document **document)
{
	document_free(*document);
}

int document_write(const struct node *root, const struct format *format,
	const struct limits *limits, struct arena *arena, struct span *ret, struct problem *problem)
{
	struct limits checked = limits_or_default(*limits);
	struct output output = {.max = checked.result_bytes};
	struct writer writer = {&output, arena, problem, checked.depth, format_of_tree(format)};
	int r;

	if (!root) {
		*ret = span_of("");
		return 0;
	}
	if (root->weight > checked.nodes)
		return problem_set(problem, NULL, 0, 0,
			"the result has more than %" PRIu32 " values; raise the limit 'nodes'",
			checked.nodes);
	if (node_is_stream(root) && format_of_tree(format) != &format_yaml)
		return problem_at(problem, root->seq.items[1],
			"a second document begins here, and %s has one document in a file; ask "
			"for YAML, take one document out, or make one of all with the option "
			"'documents: merge'",
			format_of_tree(format)->name);
	output.guess = (size_t)root->weight * 16;
	r = format_of_tree(format)->write(&writer, root);
	if (!r)
		r = output_finish(&output, arena, ret, problem);
	output_fini(&output);
	/* The first key may look like the beginning of an HTML page. */
	if (r == 0 && foreign_is_html(*ret))
		return problem_set(problem, NULL, 0, 0,
			"the result would look like an HTML or XML page; put another key first");
	return r;
}
