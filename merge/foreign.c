#include "foreign.h"

#include <strings.h>

#include "format/builder.h"
#include "utf8.h"

/* The byte order mark. */
#define MARK "\xEF\xBB\xBF"

/* The length of git's marks of a conflict, in bytes. */
#define CONFLICT_LEN 7

bool foreign_is_html(struct span text)
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
	const char *at = text.len ? text.data : NULL, *end = text.data + text.len;

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
	const char *at = text.len ? text.data : NULL, *end = text.data + text.len;
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
	const char *at = text.len ? text.data : NULL, *end = text.data + text.len;

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
	if (begins_with_any(text_at(text, line, column), quotes))
		return "a typographic quotation mark stands here; write \" in its place";
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

int foreign_read(struct builder *builder, struct span text)
{
	const struct format *format = format_of_tree(builder->options->format);
	/* Elsewhere, such lines may be part of a text. */
	bool is_quoted = format->has_lists || format->has_quotes;
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
