#include "document.h"

#include <errno.h>
#include <inttypes.h>
#include <strings.h>

#include "cleanup.h"
#include "format/builder.h"
#include "format/output.h"

/*
 * Maximum depth of nested maps and lists, whatever the limits say: functions walk trees by
 * recursion, and this many calls fit on the stack of any thread.
 */
#define DEPTH_MAX 1000u

/* The byte order mark. */
#define MARK "\xEF\xBB\xBF"

static struct limits checked_limits(const struct limits *limits)
{
	struct limits found = limits_or_default(*limits);

	if (found.depth > DEPTH_MAX)
		found.depth = DEPTH_MAX;
	return found;
}

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

/*
 * Returns the first line, not before line `from`, that begins with a byte order mark. Lines count
 * from 1; 0: there is none.
 */
static uint32_t find_mark(struct span text, uint32_t from)
{
	const char *at = text.data, *end = at + text.len;

	for (uint32_t line = 1; at && at < end; line++) {
		if (line >= from && span_begins((struct span){at, (size_t)(end - at)}, MARK))
			return line;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return 0;
}

/*
 * Files that were concatenated have a byte order mark in the middle. In a format without quotes,
 * the mark would become an invisible part of a name or of a section's bracket. In the other formats
 * it may be part of a text, so only a parse error at that line is blamed on it.
 */
static int read_marked(struct builder *builder, struct span text)
{
	const struct format *format = format_of_tree(builder->options->format);
	uint32_t line = format->has_lists ? 0 : find_mark(text, 1);
	int r = line ? PROBLEM : format->read(builder, text);

	if (r == PROBLEM && format->has_lists && builder->problem->line) {
		uint32_t told = (uint32_t)builder->problem->line - builder->options->place.lines;
		line = find_mark(text, told) == told ? told : 0;
	}
	if (!line)
		return r;
	return builder_problem(builder, builder_place(builder, line, 1),
		"a byte order mark (U+FEFF) stands in the middle of the file; remove it");
}

/* A server's error page instead of a file: as YAML it would be a text, or a key. */
static bool is_html(struct span text)
{
	static const char *const starts[] = {"<!doctype", "<html", "<?xml", "<head>", "<body"};

	while (text.len && strchr(" \t\r\n", text.data[0])) {
		text.data++;
		text.len--;
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		size_t length = strlen(starts[i]);
		if (text.len >= length && strncasecmp(text.data, starts[i], length) == 0)
			return true;
	}
	return false;
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
	if (is_html(text))
		return builder_problem(builder, builder_place(builder, 1, 1),
			"is an HTML or XML page, and no %s; check where the file was fetched from",
			format_of_tree(builder->options->format)->name);
	const char *newline = text.len ? memchr(text.data, '\n', text.len) : NULL;
	builder->document->has_crlf = newline && newline > text.data && newline[-1] == '\r';
	return read_marked(builder, text);
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
	checked.limits = checked_limits(&options->limits);
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
	struct limits checked = checked_limits(limits);
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
	output.guess = (size_t)root->weight * 16;
	r = format_of_tree(format)->write(&writer, root);
	if (!r)
		r = output_finish(&output, arena, ret, problem);
	output_fini(&output);
	/* The first key may look like the beginning of an HTML page. */
	if (r == 0 && is_html(*ret))
		return problem_set(problem, NULL, 0, 0,
			"the result would look like an HTML or XML page; put another key first");
	return r;
}
