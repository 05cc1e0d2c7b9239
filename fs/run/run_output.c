#include "run_output.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "path.h"

/* Bytes of the output in a message. The rest of the message must fit, too. */
#define SHOWN_MAX_BYTES 700

/* Replaces the end of a line: a message is a single line. */
#define LINE_END " | "

/* Maximum digits of a line's or column's number. */
#define DIGITS_MAX 7

/* A place in the copy, and the bytes in one line of the output that name it. */
struct output_place {
	const char *start;
	const char *end;
	unsigned line; /* 0: only the copy is named */
	unsigned column;
};

/* A reader of the output. The copy is the file in the workspace that the check judged. */
struct output_reader {
	const char *workspace; /* the last part of the copy's directory; "": not known */
	const char *name;      /* the copy's */
	const char *path;
	const char *program;
	const struct line_map *map;
	char text[SHOWN_MAX_BYTES];
	size_t used;
};

static bool is_in_word(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_' || byte == '-' || byte == '.' ||
	       (unsigned char)byte >= 0x80;
}

/* Returns the number at *at, and moves *at behind it; 0: there is none. */
static unsigned read_number(const char **at, const char *end)
{
	const char *from = *at;
	unsigned number = 0;

	while (*at < end && isdigit((unsigned char)**at) && *at - from < DIGITS_MAX)
		number = number * 10 + (unsigned)(*(*at)++ - '0');
	if (*at < end && isalnum((unsigned char)**at)) {
		*at = from;
		return 0;
	}
	return number;
}

static void skip(const char **at, const char *end, const char *bytes)
{
	while (*at < end && strchr(bytes, **at))
		(*at)++;
}

/* Moves *at behind `word`, in any case, and the separators that follow. False: no such word. */
static bool take_word(const char **at, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - *at) <= len || strncasecmp(*at, word, len) != 0 ||
		isalpha((unsigned char)(*at)[len]))
		return false;
	*at += len;
	skip(at, end, " \t:#=");
	return true;
}

/* Reads ":11" or ", column 11" behind a line's number. */
static void read_column(const char **at, const char *end, struct output_place *place)
{
	static const char *const words[] = {
		"column", "col", "char", "character", "characters", "pos", "position"};
	const char *next = *at;

	if (next < end && (*next == ':' || *next == ',' || *next == '.') && next + 1 < end &&
		isdigit((unsigned char)next[1])) {
		next++;
		place->column = read_number(&next, end);
	} else {
		skip(&next, end, " ,");
		for (size_t i = 0; i < sizeof(words) / sizeof(*words) && !place->column; i++)
			if (take_word(&next, end, words[i]))
				place->column = read_number(&next, end);
	}
	if (!place->column)
		return;
	/* A range: skips its end, which is not shown. */
	if (next + 1 < end && *next == '-' && isdigit((unsigned char)next[1])) {
		next++;
		skip(&next, end, "0123456789");
	}
	*at = next;
}

/* Reads "line 5, column 3" at `at`. */
static bool read_line_words(const char *at, const char *end, struct output_place *place)
{
	*place = (struct output_place){.start = at};
	if (!take_word(&at, end, "line") && !take_word(&at, end, "lines") &&
		!take_word(&at, end, "row"))
		return false;
	place->line = read_number(&at, end);
	if (!place->line)
		return false;
	read_column(&at, end, place);
	place->end = at;
	return true;
}

/* Reads, behind the copy's name: ":10:11", "#L5", "(5)", "[5:3]", " line 5", ", on line 5". */
static bool read_behind(const char *at, const char *end, struct output_place *place)
{
	static const char *const words[] = {"on or before", "on", "at", "in", "near"};
	struct output_place found = {.start = place->start};
	const char *from = at;

	skip(&at, end, "\"'`");
	bool has_bracket = at < end && (*at == '(' || *at == '[');
	bool has_letter =
		at + 2 < end && strchr(":#", *at) && at[1] == 'L' && isdigit((unsigned char)at[2]);
	bool is_near = at < end && (*at == ':' || *at == '+' || has_bracket || has_letter);
	if (is_near)
		at += has_letter ? 2 : 1;
	bool has_gap = at < end && (*at == ' ' || *at == '\t');
	skip(&at, end, " \t,:)");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (take_word(&at, end, words[i]))
			break;
	if (read_line_words(at, end, &found)) {
		at = found.end;
	} else if (is_near) {
		found.line = read_number(&at, end);
		read_column(&at, end, &found);
		/* "app.yml: 3 errors" is no place. */
		if (has_gap && !found.column && !(at < end && *at == ':'))
			found.line = 0;
	}
	if (!found.line) {
		place->end = from;
		return false;
	}
	if (has_bracket)
		skip(&at, end, ")]");
	place->line = found.line;
	place->column = found.column;
	place->end = at;
	return true;
}

/* Returns the beginning of the path that has its last part at `name`. */
static const char *begin_of(const char *line, const char *name)
{
	while (name > line && !isspace((unsigned char)name[-1]) && !strchr("\"'`([{<=:", name[-1]))
		name--;
	return name;
}

/* Returns whether the path from `start`, which has its last part at `name`, is the copy's. */
static bool is_copy(const struct output_reader *reader, const char *start, const char *name)
{
	size_t len = strlen(reader->workspace);

	if (start == name || (name - start == 2 && strncmp(start, "./", 2) == 0))
		return true;
	return len && (size_t)(name - start) > len && name[-1] == '/' &&
	       strncmp(name - 1 - len, reader->workspace, len) == 0;
}

/* Finds the next mention of the copy by its name in `line`, from `at` on. */
static bool find_named(const struct output_reader *reader, const char *line, const char *at,
	const char *end, struct output_place *ret)
{
	size_t len = strlen(reader->name);

	for (; len && at + len <= end; at++) {
		const char *start = begin_of(line, at);

		if (strncmp(at, reader->name, len) != 0 || !is_copy(reader, start, at) ||
			(at + len < end && is_in_word(at[len]) &&
				!(at[len] == '.' && (at + len + 1 == end || at[len + 1] == ' '))))
			continue;
		*ret = (struct output_place){.start = start};
		bool has_quotes = start > line && at + len < end && start[-1] == at[len] &&
				  strchr("\"'`", at[len]);
		if (read_behind(at + len, end, ret) && has_quotes)
			ret->start--;
		return true;
	}
	return false;
}

/* Takes " of base.yml" behind "line 5". */
static void take_copy(const struct output_reader *reader, const char *line, const char *end,
	struct output_place *place)
{
	static const char *const words[] = {" of file ", " in file ", " of ", " in "};
	struct output_place copy;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *from = place->end + strlen(words[i]);

		if (end - place->end <= (ptrdiff_t)strlen(words[i]) ||
			strncmp(place->end, words[i], strlen(words[i])) != 0)
			continue;
		skip(&from, end, "\"'`");
		if (find_named(reader, line, from, end, &copy) && copy.start == from &&
			!copy.line) {
			place->end = copy.end;
			skip(&place->end, end, "\"'`");
		}
		return;
	}
}

/* Finds a place in standard input: a check may read the copy there. */
static bool find_input(const char *line, const char *end, struct output_place *ret)
{
	static const char *const names[] = {"<stdin>", "/dev/stdin", "(stdin)", "stdin", "-"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *at = memmem(line, (size_t)(end - line), names[i], strlen(names[i]));

		if (!at || (at > line && is_in_word(at[-1])) || (*at == '-' && at != line))
			continue;
		*ret = (struct output_place){.start = at};
		if (read_behind(at + strlen(names[i]), end, ret))
			return true;
	}
	return false;
}

/* Returns whether the line names another file: its line numbers may be those of that file. */
static bool names_other_file(const struct output_reader *reader, const char *line, const char *end)
{
	struct output_place copy;

	for (const char *at = line; at < end; at++) {
		bool begins =
			at == line || isspace((unsigned char)at[-1]) || strchr("\"'`([<=", at[-1]);
		/* A place in quotes begins with the quote, one byte before the name. */
		if (begins && at + 1 < end && *at == '/' && is_in_word(at[1]) &&
			!(find_named(reader, line, at, end, &copy) &&
				(copy.start == at || copy.start + 1 == at)))
			return true;
		if (begins && strncmp(at, "File \"", (size_t)(end - at) < 6 ? 0 : 6) == 0 &&
			end - at >= 6)
			return true;
	}
	return false;
}

/* Whether a script's line is meant: "sh: line 1: x: command not found", "at -e line 1". */
static bool is_of_script(const char *line, const char *at)
{
	size_t before = (size_t)(at - line);

	return (before >= 4 && strncmp(at - 4, "sh: ", 4) == 0) ||
	       (before >= 3 && strncmp(at - 3, "-e ", 3) == 0) ||
	       (before >= 3 && strncmp(at - 3, "-c ", 3) == 0);
}

/* Finds "line 5" from `at` on, unless the line names another file. */
static bool find_words(const struct output_reader *reader, const char *line, const char *at,
	const char *end, struct output_place *ret)
{
	if (names_other_file(reader, line, end))
		return false;
	for (; at < end; at++)
		if ((at == line || !is_in_word(at[-1])) && read_line_words(at, end, ret) &&
			!is_of_script(line, at)) {
			take_copy(reader, line, end, ret);
			return true;
		}
	return false;
}

/* Finds a place as in "  10:11  error  wrong indentation", which stands below the file's name. */
static bool find_bare(const char *line, const char *end, struct output_place *ret)
{
	const char *at = line;

	skip(&at, end, " \t");
	*ret = (struct output_place){.start = at};
	ret->line = read_number(&at, end);
	if (!ret->line || at == end || *at != ':')
		return false;
	read_column(&at, end, ret);
	ret->end = at;
	return ret->column && (at == end || strchr(" \t:", *at));
}

/* Finds the first mention of the copy from `at` on, with or without a line number. */
static bool find(const struct output_reader *reader, const char *line, const char *at,
	const char *end, struct output_place *ret)
{
	struct output_place words;
	bool is_named = find_named(reader, line, at, end, ret);
	bool has_words = find_words(reader, line, at, end, &words);

	if (has_words && (!is_named || words.start < ret->start))
		*ret = words;
	if (is_named || has_words)
		return true;
	return at == line && (find_input(line, end, ret) || find_bare(line, end, ret));
}

/* Finds the first mention with a line number. */
static bool find_place(const struct output_reader *reader, const char *line, const char *end,
	struct output_place *ret)
{
	for (const char *at = line; find(reader, line, at, end, ret); at = ret->end)
		if (ret->line)
			return true;
	return false;
}

static void put(struct output_reader *reader, const char *from, const char *to)
{
	size_t room = sizeof(reader->text) - 1 - reader->used, len = (size_t)(to - from);

	if (len > room) {
		/* Cuts between characters, not in a character. */
		for (len = room; len && ((unsigned char)from[len] & 0xC0) == 0x80; len--)
			;
	}
	memcpy(reader->text + reader->used, from, len);
	reader->used += len;
	reader->text[reader->used] = '\0';
}

static void put_text(struct output_reader *reader, const char *text)
{
	put(reader, text, text + strlen(text));
}

/* Returns the place in the source; if no source has the line, the place in the merged file. */
static struct line_place locate(
	const struct output_reader *reader, const struct output_place *place)
{
	struct line_place found;

	if (place->line && line_map_find(reader->map, place->line, place->column, &found))
		return found;
	return (struct line_place){reader->path, place->line, place->column};
}

static void put_place(struct output_reader *reader, const struct line_place *place)
{
	char numbers[32] = "";

	if (place->line && place->column)
		snprintf(numbers, sizeof(numbers), ":%u:%u", place->line, place->column);
	else if (place->line)
		snprintf(numbers, sizeof(numbers), ":%u", place->line);
	put_text(reader, place->source);
	put_text(reader, numbers);
}

/* Returns whether this part of a line has words: it says what is wrong, and not only where. */
static bool has_words(const char *at, const char *end)
{
	unsigned letters = 0;

	for (; at < end; at++)
		letters += isalpha((unsigned char)*at) || (unsigned char)*at >= 0x80;
	return letters > 8;
}

static bool is_warning(const char *line, const char *end)
{
	static const char *const words[] = {"warn", "notice", "deprecat"};

	for (; line < end; line++)
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if ((size_t)(end - line) >= strlen(words[i]) &&
				strncasecmp(line, words[i], strlen(words[i])) == 0)
				return true;
	return false;
}

/* Returns the first line with a place, warnings last; NULL: no line has a place. */
static const char *find_line(
	const struct output_reader *reader, const char *output, struct output_place *ret)
{
	const char *found = NULL;
	struct output_place place;

	for (const char *line = output, *end; *line; line = end + (*end != '\0')) {
		end = line + strcspn(line, "\r\n");
		if (!find_place(reader, line, end, &place) || (found && is_warning(line, end)))
			continue;
		bool was_warning = found && is_warning(found, found + strcspn(found, "\r\n"));
		if (found && !was_warning)
			continue;
		found = line;
		*ret = place;
	}
	return found;
}

/* Returns the line's beginning behind its indentation and the program's own name. */
static const char *begin_of_words(
	const struct output_reader *reader, const char *line, const char *end)
{
	size_t len = strlen(reader->program);

	skip(&line, end, " \t");
	if ((size_t)(end - line) > len && strncmp(line, reader->program, len) == 0 &&
		line[len] == ':') {
		line += len + 1;
		skip(&line, end, " \t");
	}
	return line;
}

/* Adds the line from `at` on. Replaces the places in it by places in the sources. */
static void put_words(
	struct output_reader *reader, const char *line, const char *at, const char *end)
{
	const char *next = at == begin_of_words(reader, line, end) ? line : at;
	struct output_place place;

	while (find(reader, line, next, end, &place)) {
		const struct line_place found = locate(reader, &place);

		if (place.start > at)
			put(reader, at, place.start);
		put_place(reader, &found);
		at = next = place.end;
	}
	if (end > at)
		put(reader, at, end);
}

static void put_line(struct output_reader *reader, const char *line, const char *end)
{
	put_words(reader, line, begin_of_words(reader, line, end), end);
}

/* Adds the first line without its place: the message already begins with the place. */
static void put_first_line(struct output_reader *reader, const char *line, const char *end,
	const struct output_place *place)
{
	static const char *const words[] = {" in", " at", " on", " of", " in file"};
	const char *at = begin_of_words(reader, line, end), *last = end;
	const char *to = place->start;

	while (last > place->end && strchr(" \t.)]:", last[-1]))
		last--;
	if (to <= at && has_words(place->end, end)) {
		at = place->end;
		skip(&at, end, " \t:,-])");
		put_words(reader, line, at, end);
		return;
	}
	while (to > at && strchr(" \t([,:", to[-1]))
		to--;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if ((size_t)(to - at) > strlen(words[i]) &&
			strncmp(to - strlen(words[i]), words[i], strlen(words[i])) == 0 &&
			last <= place->end && has_words(at, to - strlen(words[i]))) {
			to -= strlen(words[i]);
			while (to > at && strchr(" ,:", to[-1]))
				to--;
			put_words(reader, line, at, to);
			return;
		}
	put_line(reader, line, end);
}

static void put_output(struct output_reader *reader, const char *output, const char *first,
	const struct output_place *place)
{
	const char *end = first ? first + strcspn(first, "\r\n") : NULL;
	/* The lines above `first` are added only if `first` has no words besides its place. */
	bool is_whole = !first || (!has_words(first, place->start) && !has_words(place->end, end));

	for (const char *line = is_whole ? output : first; *line; line = end + (*end != '\0')) {
		end = line + strcspn(line, "\r\n");
		if (end == line)
			continue;
		if (reader->used)
			put_text(reader, LINE_END);
		if (line == first && !is_whole)
			put_first_line(reader, line, end, place);
		else
			put_line(reader, line, end);
	}
}

bool run_output_read(const struct run_result *result, const char *path, const char *program,
	const struct line_map *map, struct problem *problem)
{
	struct output_reader reader = {.workspace = path_name(result->workspace),
		.name = path_name(path),
		.path = path,
		.program = program,
		.map = map};
	struct output_place place = {0};
	const char *first = find_line(&reader, result->output, &place);

	put_output(&reader, result->output, first, &place);
	if (!first) {
		problem_set(problem, path, 0, 0, "%s", reader.text);
		return false;
	}
	const struct line_place found = locate(&reader, &place);
	problem_set(problem, found.source, found.line, found.column, "%s", reader.text);
	problem_by(problem, program);
	return true;
}
