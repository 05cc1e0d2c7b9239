#include "document.h"

#include <errno.h>
#include <inttypes.h>
#include <strings.h>

#include "cleanup.h"
#include "format/builder.h"
#include "format/output.h"
#include "utf8.h"

/*
 * Foreign text: text that is not of the file's format. If a file with foreign text does not parse,
 * the problem names that text as the cause: it helps more than the place where the parser stops.
 */

/* The byte order mark. */
#define MARK "\xEF\xBB\xBF"

/* The length of git's marks of a conflict, in bytes. */
#define CONFLICT_LEN 7

/* Returns whether the text is an HTML page, such as a server's error page, instead of the file. */
static bool foreign_is_html(struct span text)
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

/* Moves *at to the beginning of the next line; NULL: there is none. */
static void next_line(const char **at, const char *end)
{
	*at = memchr(*at, '\n', (size_t)(end - *at));
	if (*at && ++*at == end)
		*at = NULL;
}

/*
 * Returns the first line, not before line `from`, that begins with a byte order mark. Lines count
 * from 1; 0: there is none.
 */
static uint32_t find_mark(struct span text, uint32_t from)
{
	const char *at = text.len ? text.data : NULL, *end = span_end(text);

	for (uint32_t line = 1; at; line++, next_line(&at, end))
		if (line >= from && span_begins((struct span){at, (size_t)(end - at)}, MARK))
			return line;
	return 0;
}

static bool is_conflict_mark(const char *at, const char *end, const char *mark)
{
	size_t left = (size_t)(end - at);

	return left >= CONFLICT_LEN && memcmp(at, mark, CONFLICT_LEN) == 0 &&
	       (left == CONFLICT_LEN || strchr(" \r\n", at[CONFLICT_LEN]));
}

/* Returns the first line of a conflict that git has left in the text; 0: there is none. */
static uint32_t find_conflict(struct span text)
{
	static const char *const marks[] = {"<<<<<<<", "=======", ">>>>>>>"};
	const char *at = text.len ? text.data : NULL, *end = span_end(text);
	uint32_t first = 0;
	size_t seen = 0;

	/* Few files have any of the first mark, and one byte is found fastest. */
	if (!at || !memchr(text.data, '<', text.len) ||
		!memmem(text.data, text.len, marks[0], CONFLICT_LEN))
		return 0;
	for (uint32_t line = 1; at && seen < 3; line++, next_line(&at, end)) {
		if (!is_conflict_mark(at, end, marks[seen]))
			continue;
		first = seen++ ? first : line;
	}
	return seen == 3 ? first : 0;
}

/* Returns the text from a place in it on; empty: the place is not in the text. */
static struct span text_at(struct span text, uint32_t line, uint32_t column)
{
	const char *at = text.len ? text.data : NULL, *end = span_end(text);

	for (; at && line > 1; line--)
		next_line(&at, end);
	for (; at && at < end && column > 1; column--) {
		size_t len = utf8_length(at, end);
		at += len ? len : 1;
	}
	return at ? (struct span){at, (size_t)(end - at)} : (struct span){"", 0};
}

static bool begins_with_any(struct span text, const char *const *words)
{
	for (; *words; words++)
		if (span_begins(text, *words))
			return true;
	return false;
}

/* Returns the foreign text at or just before the place of the problem; NULL: there is none. */
static const char *name_at(
	const struct format *format, struct span text, uint32_t line, uint32_t column)
{
	static const char *const templates[] = {"{%", "${", "<%", "{{", NULL};
	static const char *const quotes[] = {"“", "”", "„", "‘", "’", "«", "»", NULL};

	/*
	 * A parser may have taken the first character already. The parser of YAML itself says
	 * what to do.
	 */
	for (uint32_t back = 0; format != &format_yaml && back < 2 && back < column; back++)
		if (begins_with_any(text_at(text, line, column - back), templates))
			return "a template stands here; fill it in first, or put it in quotes, if "
			       "the program fills it in";
	const struct span at = text_at(text, line, column);
	if (begins_with_any(at, quotes))
		return "a typographic quotation mark stands here; write \" in its place";
	if (at.len && !*at.data)
		return "has a NUL byte, which no text has; remove it";
	return NULL;
}

/* Names the cause of a problem in the text. Returns PROBLEM. */
static int blame(struct builder *builder, struct span text)
{
	const struct text_place *from = &builder->options->place;
	bool has_place = builder->problem->line > from->lines && !from->is_rewritten;
	uint32_t line = has_place ? (uint32_t)builder->problem->line - from->lines : 0;
	uint32_t column = builder->problem->column > from->columns
				  ? (uint32_t)builder->problem->column - from->columns
				  : 1;
	const struct format *format = format_of_tree(builder->options->format);
	const char *name = line ? name_at(format, text, line, column) : NULL;

	if (line && find_mark(text, line) == line)
		return builder_problem(builder, builder_place(builder, line, 1),
			"a byte order mark (U+FEFF) stands in the middle of the file; remove it");
	return name ? builder_problem(builder, builder_place(builder, line, column), "%s", name)
		    : PROBLEM;
}

/*
 * Reads the text in the builder's format. The text must not begin with a byte order mark. Returns
 * as format.read (format.h). An HTML page is always a problem.
 *
 * The marks of a merge conflict, and a byte order mark that begins a later line, may be part of a
 * value if the format has lists, or quoted text of several lines. In these formats they only
 * explain why a text does not parse. In all other formats they are always problems.
 */
static int foreign_read(struct builder *builder, struct span text)
{
	const struct format *format = format_of_tree(builder->options->format);
	/* Elsewhere, such lines may be part of a text. */
	bool is_quoted = format->values >= FORMAT_QUOTED_TEXTS;
	uint32_t conflict = find_conflict(text), mark = is_quoted ? 0 : find_mark(text, 1);

	if (foreign_is_html(text))
		return builder_problem(builder, builder_place(builder, 1, 1),
			"is an HTML or XML page, and no %s; check where the file was fetched from",
			format->name);
	/* The mark would become an invisible part of a name or of a section's bracket. */
	if (mark)
		return builder_problem(builder, builder_place(builder, mark, 1),
			"a byte order mark (U+FEFF) stands in the middle of the file; remove it");
	int r = conflict && !is_quoted ? PROBLEM : format->read(builder, text);
	if (r == PROBLEM && conflict)
		return builder_problem(builder, builder_place(builder, conflict, 1),
			"a merge conflict begins here; keep one side, and remove the lines that "
			"begin with '<<<<<<<', '=======' and '>>>>>>>'");
	return r == PROBLEM ? blame(builder, text) : r;
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

/* The mark of UTF-32 in little endian begins with that of UTF-16. */
static bool is_utf32(struct span text)
{
	return text.len >= 4 && (memcmp(text.data, "\xFF\xFE\0\0", 4) == 0 ||
					memcmp(text.data, "\0\0\xFE\xFF", 4) == 0);
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
	if (is_utf32(text))
		return builder_problem(builder, nowhere, "is UTF-32; save it as UTF-8");
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
