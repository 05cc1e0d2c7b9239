/*
 * The union of the files' lines: for files that are lists of lines, such as hosts, .gitignore and
 * authorized_keys. A line stands where the first file has it, and only once. Comments and empty
 * lines stay as far as they belong to lines. A comment that several files have comes once; a
 * comment that one file repeats is repeated. Of the empty lines of a later file, one is kept
 * between lines that it adds.
 *
 * By the option `order`, the first file is the lowest or the highest one. The order decides where
 * lines stand; it does not decide which lines there are.
 */
#include <errno.h>
#include <inttypes.h>

#include "hash.h"
#include "strategy.h"

/* A line of the result. */
struct merged_line {
	struct span text; /* without its line end */
	uint32_t hash;
	uint32_t input;  /* index of its input */
	uint32_t number; /* line number in that input, starting at 1; 0: the line was removed */
};

struct merged_lines {
	struct merge *merge;
	struct merged_line *entries;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* 0: free; else 1 + an entry. Linear probing, at most half of them used */
	uint32_t mask;   /* slots - 1; their count is a power of two */
	uint32_t used;   /* slots */
	uint32_t empty;  /* number of the last empty line, if no line was put since; 0: none */
	const char *remover; /* begins a line that removes others; "": none does */
	bool is_reversed;    /* the option `order`: highest first */
};

static uint32_t hash_of(struct span text)
{
	return hash_end(hash_bytes(hash_seed(), text));
}

/* Returns the slot that leads to that text, or the free one where it belongs. */
static uint32_t *find(const struct merged_lines *lines, struct span text, uint32_t hash)
{
	for (uint32_t i = hash & lines->mask;; i = (i + 1) & lines->mask) {
		uint32_t slot = lines->slots[i];

		if (!slot || (lines->entries[slot - 1].hash == hash &&
				     span_equal(lines->entries[slot - 1].text, text)))
			return &lines->slots[i];
	}
}

static int grow_slots(struct merged_lines *lines)
{
	uint32_t size = lines->slots ? 2 * (lines->mask + 1) : 64, *old = lines->slots;
	uint32_t old_size = old ? lines->mask + 1 : 0;

	lines->slots = arena_zalloc(lines->merge->arena, size, sizeof(*lines->slots));
	if (!lines->slots)
		return -ENOMEM;
	lines->mask = size - 1;
	for (uint32_t i = 0; i < old_size; i++)
		if (old[i]) {
			const struct merged_line *entry = &lines->entries[old[i] - 1];

			*find(lines, entry->text, entry->hash) = old[i];
		}
	return 0;
}

static int put(struct merged_lines *lines, const struct merged_line *entry)
{
	const struct merge_request *request = lines->merge->request;

	if (lines->count >= request->limits.nodes)
		return problem_set(lines->merge->problem,
			lines->merge->inputs[entry->input].source.name, entry->number, 1,
			"the result has more than %" PRIu32 " lines; raise the limit 'nodes'",
			request->limits.nodes);
	return arena_push(
		lines->merge->arena, lines->entries, lines->count, lines->capacity, *entry);
}

/*
 * Puts a line, so that it can be found. If a later file has empty lines before it, puts one of them
 * first.
 */
static int put_line(struct merged_lines *lines, const struct merged_line *entry)
{
	struct merged_line empty = {.input = entry->input, .number = lines->empty};
	uint32_t *slot;
	int r = 0;

	if (lines->empty)
		r = put(lines, &empty);
	lines->empty = 0;
	if (r == 0)
		r = put(lines, entry);
	if (r == 0 && 2 * (lines->used + 1) > lines->mask + 1)
		r = grow_slots(lines);
	if (r != 0)
		return r;
	slot = find(lines, entry->text, entry->hash);
	lines->used += !*slot;
	*slot = lines->count;
	return 0;
}

/* Returns the first character that is not a blank; a newline if there is none. */
static char first_character(struct span text)
{
	size_t i = 0;

	while (i < text.len && (text.data[i] == ' ' || text.data[i] == '\t'))
		i++;
	return i < text.len ? text.data[i] : '\n';
}

/* Returns whether the result has the line already, or must not have it, so that this one is not
 * put. */
static bool is_there(const struct merged_lines *lines, const struct merged_line *entry)
{
	uint32_t slot = *find(lines, entry->text, entry->hash);
	const struct merged_line *found = slot ? &lines->entries[slot - 1] : NULL;

	/* A higher file has taken it away; what a lower one took away may come again. */
	if (found && !found->number)
		return lines->is_reversed && found->input != entry->input;
	return found && (found->input != entry->input || first_character(entry->text) != '#');
}

/* Takes `text` away from the files up to that of `by`. */
static int remove_line(struct merged_lines *lines, struct span text, const struct merged_line *by)
{
	struct merged_line mark = {
		.text = text, .hash = hash_of(text), .input = by->input, .number = by->number};
	uint32_t slot = *find(lines, text, mark.hash);

	if (slot && !(lines->is_reversed && lines->entries[slot - 1].input != by->input))
		lines->entries[slot - 1].number = 0;
	if (slot || !lines->is_reversed)
		return 0;
	/* For the lower files, which come later. */
	uint32_t empty = lines->empty;
	lines->empty = 0;
	int r = put_line(lines, &mark);
	if (r == 0)
		lines->entries[lines->count - 1].number = 0;
	lines->empty = empty;
	return r;
}

static uint32_t first_input(const struct merged_lines *lines)
{
	return lines->is_reversed ? (uint32_t)lines->merge->count - 1 : 0;
}

static int add_line(struct merged_lines *lines, struct merged_line *entry)
{
	if (first_character(entry->text) == '\n') {
		if (entry->input == first_input(lines))
			return put(lines, entry);
		lines->empty = entry->number;
		return 0;
	}
	if (*lines->remover && *entry->text.data == *lines->remover)
		return remove_line(
			lines, (struct span){entry->text.data + 1, entry->text.len - 1}, entry);
	entry->hash = hash_of(entry->text);
	return is_there(lines, entry) ? 0 : put_line(lines, entry);
}

static int add_input(struct merged_lines *lines, uint32_t number)
{
	struct span text = lines->merge->inputs[number].text;
	const char *p = text.data, *end = p + text.len;
	struct merged_line entry = {.input = number};
	int r = 0;

	lines->empty = 0;
	while (r == 0 && p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;

		entry.text = (struct span){p, (size_t)(stop - p)};
		if (entry.text.len && stop[-1] == '\r')
			entry.text.len--;
		entry.number++;
		r = add_line(lines, &entry);
		p = newline ? newline + 1 : end;
	}
	return r;
}

/* Returns whether the first line end in the files, lowest first, is CRLF. */
static bool has_crlf(const struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++) {
		struct span text = merge->inputs[i].text;
		const char *newline = text.len ? memchr(text.data, '\n', text.len) : NULL;

		if (newline)
			return newline > text.data && newline[-1] == '\r';
	}
	return false;
}

static void note_piece(const struct merged_lines *lines, const struct merged_line *first,
	size_t offset, size_t end)
{
	origin_text_at(lines->merge->origins, offset, end - offset,
		&lines->merge->inputs[first->input].source, first->number);
}

static int write_lines(const struct merged_lines *lines, struct merge_output *ret)
{
	const char *newline = has_crlf(lines->merge) ? "\r\n" : "\n";
	const struct merged_line *first = NULL, *before = NULL;
	size_t size = 1, len = 0, offset = 0;
	char *text;

	for (uint32_t i = 0; i < lines->count; i++)
		size += lines->entries[i].text.len + 2;
	text = arena_alloc(lines->merge->arena, size);
	if (!text)
		return -ENOMEM;
	for (uint32_t i = 0; i < lines->count; i++) {
		const struct merged_line *entry = &lines->entries[i];

		if (!entry->number)
			continue;
		/* Lines that follow each other in their file are one piece. */
		if (first &&
			(entry->input != first->input || entry->number != before->number + 1)) {
			note_piece(lines, first, offset, len);
			first = NULL;
		}
		if (!first) {
			first = entry;
			offset = len;
		}
		before = entry;
		if (entry->text.len)
			memcpy(text + len, entry->text.data, entry->text.len);
		len += entry->text.len;
		len += (size_t)(stpcpy(text + len, newline) - (text + len));
	}
	if (first)
		note_piece(lines, first, offset, len);
	text[len] = '\0';
	*ret = (struct merge_output){.text = {text, len}};
	return 0;
}

static const char *remover(const struct options *options)
{
	return options_bool(options, "remove") ? "-" : "";
}

static int merge_lines(struct merge *merge, struct merge_output *ret)
{
	struct merged_lines lines = {
		.merge = merge,
		.remover = remover(merge->request->options),
		.is_reversed = strategy_is_highest_first(merge),
	};
	int r;

	if (merge->count == 1 && !*lines.remover)
		return merge_give_text(merge, &merge->inputs[0], ret);
	r = grow_slots(&lines);
	for (uint32_t i = 0; r == 0 && i < merge->count; i++)
		r = add_input(&lines, lines.is_reversed ? (uint32_t)merge->count - 1 - i : i);
	return r == 0 ? write_lines(&lines, ret) : r;
}

/* Returns whether no line may remove others. */
static bool is_verbatim(const struct merge_input *only)
{
	const char *p = only->text.data, *end = p ? p + only->text.len : NULL;

	while (p && p < end) {
		if (*p == '-')
			return false;
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : NULL;
	}
	return true;
}

static const struct option_spec options[] = {
	{"remove", OPTION_BOOL, "false", NULL,
		"a line -LINE is not written; it removes each line LINE of lower files, and each "
		"line LINE before it in its own file"},
	STRATEGY_ORDER_OPTION,
	{0},
};

const struct strategy strategy_lines = {
	.name = "lines",
	.summary = "the lines of all files, each once",
	.options = options,
	.is_verbatim = is_verbatim,
	.remover = remover,
	.merge = merge_lines,
};
