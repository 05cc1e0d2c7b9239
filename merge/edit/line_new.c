#include "line_new.h"

#include <errno.h>

#include "edit_tree.h"
#include "format/line.h"

bool line_place_is_section(const struct extent *extent)
{
	return node_is_map(extent->node);
}

bool line_place_is_include(const struct extent *extent)
{
	return extent->keys[0]->text.len && *extent->keys[0]->text.data == '!';
}

static int add(
	const struct line_editor *editor, struct line_places *places, const struct extent *extent)
{
	return arena_push(
		editor->edit->arena, places->items, places->count, places->capacity, extent);
}

/* Returns whether the pair has the key, or the section has the name. */
static bool has_key(const struct extent *extent, const struct node *key)
{
	return node_is_scalar(key) && span_equal(extent->keys[0]->text, key->text);
}

const struct extent *line_place_next_part(const struct line_editor *editor,
	const struct line_section *section, const struct extent *before)
{
	const struct extent *at = before ? before->next : editor->root ? editor->root->first : NULL;

	if (section->only || !section->name)
		return before ? NULL : section->only ? section->only : editor->root;
	while (at && !(line_place_is_section(at) && has_key(at, section->name)))
		at = at->next;
	return at;
}

uint32_t line_place_find_item(const struct line_editor *editor, const struct node *name, uint32_t i,
	const struct extent **ret)
{
	const struct line_section section = {.name = name};
	const struct extent *at = NULL;
	uint32_t count = 0;

	*ret = NULL;
	while ((at = line_place_next_part(editor, &section, at)))
		if (count++ == i)
			*ret = at;
	return count;
}

int line_place_find_pairs(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, struct line_places *ret)
{
	const struct extent *part = NULL;
	int r = 0;

	*ret = (struct line_places){0};
	while ((part = line_place_next_part(editor, section, part)))
		for (const struct extent *at = part->first; at && r == 0; at = at->next)
			if (!line_place_is_section(at) && (!key || has_key(at, key)))
				r = add(editor, ret, at);
	return r;
}

void line_sample_fini(struct line_sample *sample)
{
	document_free(sample->document);
}

int line_sample_pair(const struct line_editor *editor, const struct line_section *section,
	const struct node *key, const struct node *value, struct line_sample *ret)
{
	const struct edit_step steps[] = {{.key = section->name}, {.key = key}};
	size_t first = !section->name;
	const struct node *tree =
		edit_tree_wrap(steps + first, 2 - first, value, editor->edit->arena);

	int r = edit_sample(editor->edit, tree, &ret->text, &ret->document);
	const struct extent *at =
		r == 0 && ret->document->count ? ret->document->extents[0]->first : NULL;

	if (at && line_place_is_section(at))
		at = at->first;
	for (; at && r == 0; at = at->next)
		r = add(editor, &ret->pairs, at);
	return r;
}

bool line_begins_below(struct span value)
{
	size_t blanks = 0;

	while (blanks < value.len && line_is_blank(value.data[blanks]))
		blanks++;
	return blanks < value.len && strchr("\r\n", value.data[blanks]);
}

struct line_separator line_separator_of(struct span text, const struct extent *pair)
{
	struct span between = line_place_text(text, pair->key.end, pair->value.begin);
	struct span value = line_place_text(text, pair->value.begin, pair->value.end);
	struct line_separator separator = {0};

	if (!between.len)
		return separator;
	separator.c = ' ';
	for (size_t i = 0; i < between.len && separator.c == ' '; i++)
		if (between.data[i] == '=' || between.data[i] == ':')
			separator.c = between.data[i];
	separator.before = line_is_blank(*between.data) ? " " : "";
	separator.after = line_is_blank(between.data[between.len - 1]) ? " " : "";
	/* `key =`, the form of an empty value, and of one that begins in the next line */
	if (separator.c != ' ' && (!value.len || line_begins_below(value)))
		separator.after = separator.before;
	return separator;
}

void line_separator_put(struct output *output, struct line_separator separator, struct span value)
{
	output_string(output, separator.before);
	if (separator.c == ' ')
		return;
	output_char(output, separator.c);
	if (value.len && !line_begins_below(value))
		output_string(output, separator.after);
}

/* Returns the blanks at the beginning of the value's second line, if it has one. */
static struct span inner_indent(const struct line_editor *editor, const struct extent *pair)
{
	size_t begin = text_lines_after(&editor->lines, pair->value.begin), end = begin;

	if (begin >= pair->value.end)
		return (struct span){"", 0};
	while (end < pair->value.end && line_is_blank(editor->edit->text.data[end]))
		end++;
	return line_place_text(editor->edit->text, begin, end);
}

void line_manner_set(
	const struct line_editor *editor, const struct extent *pair, struct line_manner *manner)
{
	struct span text = editor->edit->text;
	size_t begin = text_lines_at(&editor->lines, pair);
	struct line_separator separator = line_separator_of(text, pair);
	char first = pair->value.begin < pair->value.end ? text.data[pair->value.begin] : '\0';

	manner->prefix = line_place_text(text, begin, pair->key.begin);
	manner->indent = inner_indent(editor, pair);
	if (separator.c)
		manner->separator = separator;
	if (format_has_quotes(editor->edit->options->format) && first && strchr("\"'", first))
		manner->quote = first;
}

struct line_manner line_manner_of(
	const struct line_editor *editor, const struct line_section *section)
{
	struct line_manner manner = {.prefix = {"", 0}, .indent = {"", 0}};
	const struct extent *other = NULL;
	bool is_in_section = false;

	if (!editor->root)
		return manner;
	for (const struct extent *at = editor->root->first; at; at = at->next) {
		bool is_here =
			section->name && line_place_is_section(at) && has_key(at, section->name);

		if (!line_place_is_section(at) && !section->name)
			line_manner_set(editor, at, &manner);
		else if (!line_place_is_section(at) && !line_place_is_include(at))
			other = other ? other : at;
		for (const struct extent *pair = line_place_is_section(at) ? at->first : NULL; pair;
			pair = pair->next) {
			is_in_section = true;
			other = pair;
			if (is_here)
				line_manner_set(editor, pair, &manner);
		}
	}
	if (!manner.separator.c && other) {
		line_manner_set(editor, other, &manner);
		if (!section->name || !is_in_section)
			manner.prefix = (struct span){"", 0};
	}
	return manner;
}

/* Returns whether every reader takes the value for the same with and without quotes. */
static bool is_bare(struct span text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i], small = (char)(c | 0x20);

		if (!(small >= 'a' && small <= 'z') && !(c >= '0' && c <= '9') &&
			!strchr("_./:@%+,-", c))
			return false;
	}
	return text.len > 0;
}

/* Writes a value in the quotes of its neighbours, if they can hold it unchanged. */
static bool put_quoted(struct output *output, struct span value, char quote)
{
	bool is_quoted = value.len >= 2 && *value.data == '"';
	struct span bare = is_quoted ? line_place_text(value, 1, value.len - 1) : value;

	if (!quote && is_quoted && is_bare(bare)) {
		output_put(output, bare.data, bare.len);
		return true;
	}
	if (!quote || (value.len && *value.data == quote) || (value.len && *value.data == '\''))
		return false;
	/* A "$" and a backslash have a meaning in one kind of quotes only. */
	for (size_t i = 0; i < bare.len; i++)
		if (strchr("'\"\\\n", bare.data[i]) || (bare.data[i] == '$' && quote == '\''))
			return false;
	output_char(output, quote);
	output_put(output, bare.data, bare.len);
	output_char(output, quote);
	return true;
}

void line_new_put_value(const struct line_editor *editor, struct output *output, struct span value,
	const struct line_manner *manner)
{
	struct span end = edit_line_end(editor->edit);

	if (format_has_quotes(editor->edit->options->format) &&
		put_quoted(output, value, manner->quote))
		return;
	for (size_t i = 0; i < value.len; i++) {
		/* In quotes, "\r\n" would be another value than a newline. */
		if (value.data[i] != '\n' || format_has_quotes(editor->edit->options->format)) {
			output_char(output, value.data[i]);
			continue;
		}
		output_put(output, end.data, end.len);
		if (i + 1 == value.len || value.data[i + 1] != '\t')
			continue;
		i++;
		if (manner->indent.len) {
			output_put(output, manner->indent.data, manner->indent.len);
			continue;
		}
		output_put(output, manner->prefix.data, manner->prefix.len);
		output_char(output, '\t');
	}
}

void line_separator_check(const struct line_editor *editor, struct span key, struct span value,
	struct line_separator *separator)
{
	const struct ini_dialect *ini = line_editor_ini(editor);
	bool has_equals = (key.len && memchr(key.data, '=', key.len)) ||
			  (value.len && memchr(value.data, '=', value.len));

	if (separator->c == ':' && has_equals && ini && ini->keys == INI_DOUBT)
		*separator = (struct line_separator){'=', separator->after, separator->after};
	if (separator->c == ' ' && value.len && strchr("=:", *value.data))
		separator->c = '=';
}

void line_new_put_pair(const struct line_editor *editor, struct output *output,
	const struct line_sample *sample, const struct extent *pair,
	const struct line_manner *manner)
{
	struct span key = line_place_text(sample->text, pair->key.begin, pair->key.end);
	struct span value = line_place_text(sample->text, pair->value.begin, pair->value.end);
	struct line_separator own = line_separator_of(sample->text, pair);
	struct span end = edit_line_end(editor->edit);

	output_put(output, manner->prefix.data, manner->prefix.len);
	output_put(output, key.data, key.len);
	if (own.c) {
		struct line_separator separator = manner->separator.c ? manner->separator : own;

		line_separator_check(editor, key, value, &separator);
		line_separator_put(output, separator, value);
		line_new_put_value(editor, output, value, manner);
	}
	output_put(output, end.data, end.len);
}
