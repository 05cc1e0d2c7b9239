#include "line_edit.h"

#include <errno.h>

#include "cleanup.h"
#include "format/line.h"
#include "scalar.h"
#include "text_lines.h"

struct line_editor {
	struct edit *edit;
	struct text_lines lines;
	const struct line_dialect *dialect;
	const struct extent *root; /* NULL: nothing is written yet */
};

/* Where pairs are: in the root, in all sections of one name, or in one of them. */
struct section {
	const struct node *name;   /* NULL: the root */
	const struct extent *only; /* NULL: all of that name */
};

/* Extents of pairs, or of sections, in the order of the text. */
struct places {
	const struct extent **items;
	uint32_t count;
	uint32_t capacity;
};

/* A tree as the format writes it, and where its parts stand. */
struct sample {
	struct span text;
	struct document *document;
};

static bool is_section(const struct extent *extent)
{
	return node_is_map(extent->node);
}

static struct span range_text(struct span text, size_t begin, size_t end)
{
	return (struct span){text.data + begin, end - begin};
}

static int add_place(
	const struct line_editor *editor, struct places *places, const struct extent *extent)
{
	if (places->count == places->capacity) {
		const struct extent **items = arena_grow(editor->edit->arena, places->items,
			places->count, &places->capacity, sizeof(const struct extent *));
		if (!items)
			return -ENOMEM;
		places->items = items;
	}
	places->items[places->count++] = extent;
	return 0;
}

static bool has_key(const struct extent *extent, const struct node *key)
{
	return node_is_scalar(key) && span_equal(extent->keys[0]->text, key->text);
}

/* The sections of that name. */
static int find_sections(
	const struct line_editor *editor, const struct node *name, struct places *ret)
{
	int r = 0;

	*ret = (struct places){0};
	if (!editor->root)
		return 0;
	for (const struct extent *at = editor->root->first; at && r == 0; at = at->next)
		if (is_section(at) && has_key(at, name))
			r = add_place(editor, ret, at);
	return r;
}

/* The parts of a section that are written: the root is one. */
static int find_parts(
	const struct line_editor *editor, const struct section *section, struct places *ret)
{
	*ret = (struct places){0};
	if (section->only)
		return add_place(editor, ret, section->only);
	if (section->name)
		return find_sections(editor, section->name, ret);
	return editor->root ? add_place(editor, ret, editor->root) : 0;
}

/* The pairs of that key; NULL: of all keys. */
static int find_pairs(const struct line_editor *editor, const struct section *section,
	const struct node *key, struct places *ret)
{
	struct places parts;
	int r = find_parts(editor, section, &parts);

	*ret = (struct places){0};
	for (uint32_t i = 0; i < parts.count; i++)
		for (const struct extent *at = parts.items[i]->first; at && r == 0; at = at->next)
			if (!is_section(at) && (!key || has_key(at, key)))
				r = add_place(editor, ret, at);
	return r;
}

/* Writes a tree as a text of its own. 0 with *ret, whose document is the caller's. */
static int make_sample(
	const struct line_editor *editor, const struct node *tree, struct sample *ret)
{
	struct edit *edit = editor->edit;
	struct read_options options = *edit->options;
	int r;

	options.wants_extents = true;
	options.warn = NULL;
	r = document_write(
		tree, options.format, &options.limits, edit->arena, &ret->text, edit->problem);
	if (r == 0)
		r = document_read(&edit->document->source, ret->text, &options, &ret->document,
			edit->problem);
	return r;
}

static void sample_fini(struct sample *sample)
{
	document_free(sample->document);
}

/* A map of one pair. NULL: no memory. */
static struct node *map_of(
	const struct line_editor *editor, const struct node *key, const struct node *value)
{
	struct node *map = node_new_map(editor->edit->arena, NULL);

	return map && node_put(editor->edit->arena, map, key, value) == 0 ? map : NULL;
}

/*
 * As the pair would stand in its section. Some formats have no pairs in front of the sections, and
 * what a key may be is the same in each.
 */
static int sample_pair(const struct line_editor *editor, const struct section *section,
	const struct node *key, const struct node *value, struct sample *ret)
{
	struct node *tree = map_of(editor, key, value);

	if (tree && section->name)
		tree = map_of(editor, section->name, tree);
	return tree ? make_sample(editor, tree, ret) : -ENOMEM;
}

/* The pairs of a sample, which has one key. */
static int sample_pairs(
	const struct line_editor *editor, const struct sample *sample, struct places *ret)
{
	const struct extent *at =
		sample->document->count ? sample->document->extents[0]->first : NULL;
	int r = 0;

	*ret = (struct places){0};
	if (at && is_section(at))
		at = at->first;
	for (; at && r == 0; at = at->next)
		r = add_place(editor, ret, at);
	return r;
}

/* What stands between a key and its value: "=" or ":" and blanks, or blanks alone. */
struct separator {
	char c; /* '\0': none, or blanks */
	bool is_blank_before;
	bool is_blank_after;
	bool is_missing; /* nothing at all, and so no value */
};

static struct separator separator_of(struct span text, const struct extent *pair)
{
	struct span between = range_text(text, pair->key.end, pair->value.begin);
	struct separator separator = {.is_missing = !between.len};

	for (size_t i = 0; i < between.len && !separator.c; i++)
		if (between.data[i] == '=' || between.data[i] == ':')
			separator.c = between.data[i];
	if (!between.len)
		return separator;
	separator.is_blank_before = line_is_blank(*between.data);
	separator.is_blank_after = line_is_blank(between.data[between.len - 1]);
	/* `key =`, as it is written when the value is empty. */
	if (separator.c && pair->value.begin == pair->value.end)
		separator.is_blank_after = separator.is_blank_before;
	return separator;
}

static void put_separator(struct output *output, struct separator separator, bool has_value)
{
	if (separator.is_blank_before)
		output_char(output, ' ');
	if (separator.c)
		output_char(output, separator.c);
	if (separator.c && separator.is_blank_after && has_value)
		output_char(output, ' ');
}

/* How a pair is written: as its neighbours. */
struct manner {
	struct span prefix; /* what stands in the line before the key */
	struct span indent; /* of the lines of a value but the first */
	struct separator separator;
	bool has_separator;
	char quote; /* '\0': none */
};

/* The blanks that the line of a value goes on with, if it has such a line. */
static struct span inner_indent(const struct line_editor *editor, const struct extent *pair)
{
	size_t begin = text_lines_after(&editor->lines, pair->value.begin), end = begin;

	if (begin >= pair->value.end)
		return (struct span){"", 0};
	while (end < pair->value.end && line_is_blank(editor->edit->text.data[end]))
		end++;
	return range_text(editor->edit->text, begin, end);
}

static void set_manner(
	const struct line_editor *editor, const struct extent *pair, struct manner *manner)
{
	struct span text = editor->edit->text;
	size_t begin = text_lines_begin(&editor->lines, pair->member.begin);
	struct separator separator = separator_of(text, pair);
	char first = pair->value.begin < pair->value.end ? text.data[pair->value.begin] : '\0';

	manner->prefix = range_text(text, begin, pair->key.begin);
	manner->indent = inner_indent(editor, pair);
	if (!separator.is_missing) {
		manner->separator = separator;
		manner->has_separator = true;
	}
	if (editor->dialect->has_quotes && first && strchr("\"'", first))
		manner->quote = first;
}

/* That of the last pair in the section, or else of the last one of another. */
static struct manner manner_of(const struct line_editor *editor, const struct section *section)
{
	struct manner manner = {.prefix = {"", 0}, .indent = {"", 0}};
	const struct extent *other = NULL;
	bool is_in_section = false;

	if (!editor->root)
		return manner;
	for (const struct extent *at = editor->root->first; at; at = at->next) {
		bool is_here = section->name && is_section(at) && has_key(at, section->name);

		if (!is_section(at) && !section->name)
			set_manner(editor, at, &manner);
		else if (!is_section(at))
			other = other ? other : at;
		for (const struct extent *pair = is_section(at) ? at->first : NULL; pair;
			pair = pair->next) {
			is_in_section = true;
			other = pair;
			if (is_here)
				set_manner(editor, pair, &manner);
		}
	}
	if (!manner.has_separator && other) {
		set_manner(editor, other, &manner);
		if (!section->name || !is_in_section)
			manner.prefix = (struct span){"", 0};
	}
	return manner;
}

/* Whether a value is the same to everybody with quotes and without. */
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

/* A value in the quotes of what stands there, where they can hold it as it is. */
static bool put_quoted(struct output *output, struct span value, char quote)
{
	bool is_quoted = value.len >= 2 && *value.data == '"';
	struct span bare = is_quoted ? range_text(value, 1, value.len - 1) : value;

	if (!quote && is_quoted && is_bare(bare)) {
		output_put(output, bare.data, bare.len);
		return true;
	}
	if (!quote || (value.len && *value.data == quote) || (value.len && *value.data == '\''))
		return false;
	/* A "$" has a meaning in one kind of quotes alone, and a backslash too. */
	for (size_t i = 0; i < bare.len; i++)
		if (strchr("'\"\\\n", bare.data[i]) || (bare.data[i] == '$' && quote == '\''))
			return false;
	output_char(output, quote);
	output_put(output, bare.data, bare.len);
	output_char(output, quote);
	return true;
}

static void put_value(const struct line_editor *editor, struct output *output, struct span value,
	const struct manner *manner)
{
	struct span end = edit_line_end(editor->edit);

	if (editor->dialect->has_quotes && put_quoted(output, value, manner->quote))
		return;
	for (size_t i = 0; i < value.len; i++) {
		if (value.data[i] != '\n') {
			output_char(output, value.data[i]);
			continue;
		}
		output_put(output, end.data, end.len);
		if (i + 1 == value.len || value.data[i + 1] != '\t' || editor->dialect->has_quotes)
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

/* Where another "=" or ":" would be taken for it, the separator is "=". */
static void check_separator(const struct line_editor *editor, struct span key, struct span value,
	struct separator *separator)
{
	bool has_equals = (key.len && memchr(key.data, '=', key.len)) ||
			  (value.len && memchr(value.data, '=', value.len));

	if (separator->c == ':' && has_equals && editor->dialect->colon_yields)
		*separator = (struct separator){
			'=', separator->is_blank_after, separator->is_blank_after, false};
	if (!separator->c && value.len && strchr("=:", *value.data))
		separator->c = '=';
}

/* The line, or lines, of a pair of a sample. */
static void put_pair(const struct line_editor *editor, struct output *output,
	const struct sample *sample, const struct extent *pair, const struct manner *manner)
{
	struct span key = range_text(sample->text, pair->key.begin, pair->key.end);
	struct span value = range_text(sample->text, pair->value.begin, pair->value.end);
	struct separator own = separator_of(sample->text, pair);
	struct span end = edit_line_end(editor->edit);

	output_put(output, manner->prefix.data, manner->prefix.len);
	output_put(output, key.data, key.len);
	if (!own.is_missing) {
		struct separator separator = manner->has_separator ? manner->separator : own;

		check_separator(editor, key, value, &separator);
		put_separator(output, separator, value.len);
		put_value(editor, output, value, manner);
	}
	output_put(output, end.data, end.len);
}

/* Whether the line is a comment though the lines around it are one. */
static bool is_inner_comment(const struct line_editor *editor, size_t begin)
{
	return editor->dialect->has_inner_comments && text_lines_is_comment(&editor->lines, begin);
}

/*
 * Puts a text in the place of a range, of which the lines of comment stay: they stood between lines
 * that were one.
 */
static int replace(const struct line_editor *editor, struct range range, struct span text)
{
	size_t end = text_lines_end(&editor->lines, range.begin), next;

	if (end >= range.end || !editor->dialect->has_inner_comments)
		return edit_splice(editor->edit, range, text);
	int r = edit_splice(editor->edit, (struct range){range.begin, end}, text);
	while (r == 0 && (next = text_lines_after(&editor->lines, end)) < range.end) {
		size_t next_end = text_lines_end(&editor->lines, next);

		if (!is_inner_comment(editor, next))
			r = text_lines_take_out(&editor->lines, end, next_end);
		end = next_end;
	}
	return r;
}

/* Takes out the lines of a pair, but for comments between them. */
static int remove_pair(const struct line_editor *editor, const struct extent *pair)
{
	size_t begin = text_lines_begin(&editor->lines, pair->member.begin);
	size_t at = begin, end = text_lines_after(&editor->lines, pair->member.end);
	bool has_comment = false;
	int r = 0;

	for (size_t line = begin; line < end; line = text_lines_after(&editor->lines, line))
		has_comment |= is_inner_comment(editor, line);
	if (!has_comment)
		return text_lines_take(&editor->lines, begin, end);
	while (r == 0 && at < end) {
		size_t next = text_lines_after(&editor->lines, at);

		if (!is_inner_comment(editor, at))
			r = text_lines_take_out(&editor->lines, at, next);
		at = next;
	}
	return r;
}

/* Puts the value of a sample's pair in the place of one that is there. */
static int replace_value(const struct line_editor *editor, const struct extent *old,
	const struct sample *sample, const struct extent *pair)
{
	struct span value = range_text(sample->text, pair->value.begin, pair->value.end);
	struct separator own = separator_of(sample->text, pair);
	struct separator there = separator_of(editor->edit->text, old);
	struct output output = {.max = SIZE_MAX};
	struct range range = old->value;
	struct manner manner = {0};
	struct span text;

	set_manner(editor, old, &manner);
	if (own.is_missing || there.is_missing || !value.len || range.begin == range.end ||
		there.c != '=')
		range.begin = old->key.end;
	if (!own.is_missing && range.begin == old->key.end) {
		struct separator separator = there.is_missing ? own : there;

		check_separator(editor, (struct span){"", 0}, value, &separator);
		if (separator.c == there.c && value.len && old->value.begin < old->value.end)
			range.begin = old->value.begin;
		else
			put_separator(&output, separator, value.len);
	}
	if (!own.is_missing)
		put_value(editor, &output, value, &manner);
	int r = text_lines_finish(&editor->lines, &output, &text);
	return r == 0 ? replace(editor, range, text) : r;
}

/* Behind the comments that belong to no line below them, as far as one can tell. */
static size_t top_of(const struct line_editor *editor)
{
	const struct extent *first = editor->root ? editor->root->first : NULL;
	size_t start = text_lines_begin(&editor->lines, 0), at, block;

	if (!first)
		return editor->edit->text.len;
	at = text_lines_begin(&editor->lines, first->member.begin);
	block = text_lines_above(&editor->lines, at);
	return block > start ? block : at;
}

/* The line behind which a new pair of the section comes. */
static int find_end(
	const struct line_editor *editor, const struct section *section, size_t *ret, bool *is_top)
{
	struct places parts;
	const struct extent *part, *last = NULL;
	int r = find_parts(editor, section, &parts);

	*is_top = false;
	if (r < 0)
		return r;
	part = parts.count ? parts.items[parts.count - 1] : NULL;
	for (const struct extent *at = part ? part->first : NULL; at; at = at->next)
		if (!is_section(at))
			last = at;
	if (last || section->name) {
		*ret = text_lines_after(&editor->lines, last ? last->member.end : part->key.end);
		return 0;
	}
	*ret = top_of(editor);
	*is_top = true;
	return 0;
}

/* The lines of pairs of a sample. */
static int put_pairs(const struct line_editor *editor, const struct manner *manner,
	const struct sample *sample, const struct places *pairs, struct span *ret)
{
	struct output output = {.max = SIZE_MAX};

	for (uint32_t i = 0; i < pairs->count; i++)
		put_pair(editor, &output, sample, pairs->items[i], manner);
	return text_lines_finish(&editor->lines, &output, ret);
}

/* What follows must not stand further in than a new key: it would go on with its value. */
static void go_in(const struct line_editor *editor, size_t offset, struct manner *manner)
{
	const struct text_lines *lines = &editor->lines;
	size_t end = offset;

	if (!editor->dialect->has_indents)
		return;
	while (offset < editor->edit->text.len &&
		(text_lines_is_blank(lines, offset) || text_lines_is_comment(lines, offset)))
		offset = text_lines_after(lines, offset);
	for (end = offset;
		end < editor->edit->text.len && line_is_blank(editor->edit->text.data[end]);)
		end++;
	if (end - offset > manner->prefix.len)
		manner->prefix = range_text(editor->edit->text, offset, end);
}

/* Lines of a section that has no such key. */
static int add_pairs(const struct line_editor *editor, const struct section *section,
	const struct sample *sample, const struct places *pairs)
{
	struct manner manner = manner_of(editor, section);
	struct edit *edit = editor->edit;
	struct span lines;
	size_t offset;
	bool is_top;

	int r = find_end(editor, section, &offset, &is_top);
	if (r != 0)
		return r;
	go_in(editor, offset, &manner);
	r = put_pairs(editor, &manner, sample, pairs, &lines);
	if (r == 0)
		r = text_lines_insert(&editor->lines, offset, lines);
	/* Between the first pair and the sections. */
	if (r == 0 && is_top && offset < edit->text.len &&
		!text_lines_is_blank(&editor->lines, offset))
		r = edit_splice(edit, (struct range){offset, offset}, edit_line_end(edit));
	return r;
}

static bool is_same(const struct extent *a, const struct extent *b)
{
	return edit_same(a->node, b->node, false);
}

/* The pairs that are there become those of the sample: what is alike at both ends stays. */
static int change_pairs(const struct line_editor *editor, const struct section *section,
	struct places there, const struct sample *sample, struct places wanted)
{
	const struct extent *behind = NULL, *before = NULL;
	struct manner manner = manner_of(editor, section);
	struct span lines;
	int r = 0;

	while (there.count && wanted.count && is_same(*there.items, *wanted.items)) {
		behind = *there.items++;
		there.count--;
		wanted.items++;
		wanted.count--;
	}
	while (there.count && wanted.count &&
		is_same(there.items[there.count - 1], wanted.items[wanted.count - 1])) {
		before = there.items[--there.count];
		wanted.count--;
	}
	for (; r == 0 && there.count && wanted.count; there.count--, wanted.count--) {
		behind = *there.items++;
		r = replace_value(editor, behind, sample, *wanted.items++);
	}
	for (; r == 0 && there.count; there.count--)
		r = remove_pair(editor, *there.items++);
	if (r != 0 || !wanted.count)
		return r;
	r = put_pairs(editor, &manner, sample, &wanted, &lines);
	if (r != 0)
		return r;
	return text_lines_insert(&editor->lines,
		behind ? text_lines_after(&editor->lines, behind->member.end)
		       : text_lines_begin(&editor->lines, before->member.begin),
		lines);
}

static bool is_reset(const struct extent *pair)
{
	return !pair->node->text.len;
}

/* Leaves those of a key's pairs that count: an empty one takes away what is before it. */
static struct places effective(const struct line_editor *editor, struct places pairs)
{
	uint32_t first = 0;

	if (!editor->edit->options->format->repeats)
		first = pairs.count ? pairs.count - 1 : 0;
	else
		for (uint32_t i = 0; i < pairs.count; i++)
			if (is_reset(pairs.items[i]))
				first = i;
	return (struct places){pairs.items + first, pairs.count - first, pairs.count - first};
}

static int set_pair(const struct line_editor *editor, const struct section *section,
	const struct node *key, const struct node *value)
{
	CLEANUP(sample_fini) struct sample sample = {0};
	struct places there, wanted;

	int r = find_pairs(editor, section, key, &there);
	if (r == 0)
		r = sample_pair(editor, section, key, value, &sample);
	if (r == 0)
		r = sample_pairs(editor, &sample, &wanted);
	if (r != 0)
		return r;
	if (!wanted.count)
		return EDIT_CANNOT;
	if (!there.count)
		return add_pairs(editor, section, &sample, &wanted);
	/* Where nothing takes them away any more, those before it are wanted no more than before.
	 */
	if (!editor->edit->options->format->repeats || is_reset(*wanted.items))
		there = effective(editor, there);
	return change_pairs(editor, section, there, &sample, wanted);
}

static int remove_key(
	const struct line_editor *editor, const struct section *section, const struct node *key)
{
	struct places there;

	int r = find_pairs(editor, section, key, &there);
	for (uint32_t i = 0; r == 0 && i < there.count; i++)
		r = remove_pair(editor, there.items[i]);
	return r;
}

/* Takes out a section, from its header to its last pair. */
static int remove_section(const struct line_editor *editor, const struct extent *section)
{
	size_t begin = text_lines_begin(&editor->lines, section->member.begin);

	return text_lines_take(
		&editor->lines, begin, text_lines_after(&editor->lines, section->member.end));
}

/* Whether there is no blank line in front of sections. */
static bool is_dense(const struct line_editor *editor)
{
	const struct extent *last = NULL;

	for (const struct extent *at = editor->root ? editor->root->first : NULL; at; at = at->next)
		if (is_section(at) && at != editor->root->first)
			last = at;
	if (!last)
		return false;
	size_t begin = text_lines_above(
		&editor->lines, text_lines_begin(&editor->lines, last->member.begin));
	return !text_lines_is_blank(&editor->lines, text_lines_begin(&editor->lines, begin - 1));
}

/* The lines of sections, one for each in the sample. */
static int put_sections(
	const struct line_editor *editor, const struct sample *sample, struct span *ret)
{
	struct output output = {.max = SIZE_MAX};
	struct span end = edit_line_end(editor->edit);
	const struct extent *root = sample->document->extents[0];
	bool is_tight = is_dense(editor);

	for (const struct extent *at = root->first; at; at = at->next) {
		const struct section section = {.name = at->keys[0]};
		struct manner manner = manner_of(editor, &section);
		struct span header = range_text(sample->text, at->member.begin, at->key.end + 1);

		if (at != root->first && !is_tight)
			output_put(&output, end.data, end.len);
		output_put(&output, header.data, header.len);
		output_put(&output, end.data, end.len);
		for (const struct extent *pair = at->first; pair; pair = pair->next)
			put_pair(editor, &output, sample, pair, &manner);
	}
	return text_lines_finish(&editor->lines, &output, ret);
}

/* Puts sections where a line begins, or at the end, with a blank line to what is there. */
static int insert_sections(
	const struct line_editor *editor, size_t offset, const struct sample *sample)
{
	struct edit *edit = editor->edit;
	struct span end = edit_line_end(edit), lines;
	size_t start = text_lines_begin(&editor->lines, 0);
	int r = put_sections(editor, sample, &lines);

	if (r != 0)
		return r;
	if (offset > start && !is_dense(editor) &&
		!text_lines_is_blank(&editor->lines, text_lines_begin(&editor->lines, offset - 1)))
		r = text_lines_insert(&editor->lines, offset, end);
	if (r == 0)
		r = text_lines_insert(&editor->lines, offset, lines);
	if (r == 0 && offset < edit->text.len && !is_dense(editor) &&
		!text_lines_is_blank(&editor->lines, offset))
		r = edit_splice(edit, (struct range){offset, offset}, end);
	return r;
}

static bool is_sections(const struct node *value)
{
	return node_is_map(value) ||
	       (node_is_sequence(value) && value->seq.count && node_is_map(value->seq.items[0]));
}

/* Where sections of that name end; at the end of the text if there are none. */
static int end_of_sections(const struct line_editor *editor, const struct node *name, size_t *ret)
{
	struct places there;
	int r = find_sections(editor, name, &there);

	*ret = editor->edit->text.len;
	if (r == 0 && there.count)
		*ret = text_lines_after(&editor->lines, there.items[there.count - 1]->member.end);
	return r;
}

/* Puts new sections of that name, before the one at `before` or behind all of them. */
static int add_sections(const struct line_editor *editor, const struct node *name,
	const struct node *value, const struct extent *before)
{
	CLEANUP(sample_fini) struct sample sample = {0};
	struct node *tree = map_of(editor, name, value);
	size_t offset;

	int r = tree ? make_sample(editor, tree, &sample) : -ENOMEM;
	if (r == 0)
		r = end_of_sections(editor, name, &offset);
	if (r != 0)
		return r;
	if (!sample.document->count)
		return EDIT_CANNOT;
	if (before)
		offset = text_lines_above(
			&editor->lines, text_lines_begin(&editor->lines, before->member.begin));
	return insert_sections(editor, offset, &sample);
}

static int remove_sections(const struct line_editor *editor, const struct node *name)
{
	struct places there;

	int r = find_sections(editor, name, &there);
	for (uint32_t i = 0; r == 0 && i < there.count; i++)
		r = remove_section(editor, there.items[i]);
	return r;
}

/* A section's pairs become those of `value`. */
static int set_section(const struct line_editor *editor, const struct section *section,
	const struct node *there, const struct node *value)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < there->map.count; i++)
		if (!node_find(value, there->map.pairs[i].key))
			r = remove_key(editor, section, there->map.pairs[i].key);
	for (uint32_t i = 0; r == 0 && i < value->map.count; i++) {
		const struct pair *pair = &value->map.pairs[i];
		const struct pair *old = node_find(there, pair->key);

		if (!old || !edit_same(old->value, pair->value, false))
			r = set_pair(editor, section, pair->key, pair->value);
	}
	return r;
}

/* A list of sections, each of its own, becomes that of `value`. */
static int set_list(const struct line_editor *editor, const struct node *name,
	const struct node *there, const struct node *value)
{
	struct places items;
	uint32_t count = there->seq.count;
	struct node *rest;

	int r = find_sections(editor, name, &items);
	if (r != 0 || items.count != count)
		return r != 0 ? r : EDIT_CANNOT;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct section section = {name, items.items[i]};

		if (i >= value->seq.count)
			r = remove_section(editor, items.items[i]);
		else if (!node_is_map(value->seq.items[i]))
			r = EDIT_CANNOT;
		else
			r = set_section(editor, &section, there->seq.items[i], value->seq.items[i]);
	}
	if (r != 0 || value->seq.count <= count)
		return r;
	rest = node_new_sequence(editor->edit->arena, NULL);
	for (uint32_t i = count; rest && i < value->seq.count; i++)
		if (node_push(editor->edit->arena, rest, value->seq.items[i]) < 0)
			rest = NULL;
	return rest ? add_sections(editor, name, rest, NULL) : -ENOMEM;
}

/* What a key of the root has: a section, several, or a value. */
static int set_root_key(const struct line_editor *editor, const struct node *key,
	const struct node *there, const struct node *value)
{
	const struct section root = {0}, section = {.name = key};
	bool was_sections = there && is_sections(there), is_now = is_sections(value);
	int r = 0;

	if (was_sections && is_now && there->kind == value->kind)
		return node_is_map(value) ? set_section(editor, &section, there, value)
					  : set_list(editor, key, there, value);
	if (was_sections)
		r = remove_sections(editor, key);
	else if (there && is_now)
		r = remove_key(editor, &root, key);
	if (r != 0)
		return r;
	if (!is_now)
		return set_pair(editor, &root, key, value);
	return node_count(value) || node_is_map(value) ? add_sections(editor, key, value, NULL) : 0;
}

static int remove_root_key(
	const struct line_editor *editor, const struct node *key, const struct node *there)
{
	const struct section root = {0};

	return is_sections(there) ? remove_sections(editor, key) : remove_key(editor, &root, key);
}

static int set_root(
	const struct line_editor *editor, const struct node *there, const struct node *value)
{
	int r = 0;

	if (!node_is_map(value))
		return EDIT_CANNOT;
	for (uint32_t i = 0; r == 0 && there && i < there->map.count; i++)
		if (!node_find(value, there->map.pairs[i].key))
			r = remove_root_key(
				editor, there->map.pairs[i].key, there->map.pairs[i].value);
	for (uint32_t i = 0; r == 0 && i < value->map.count; i++) {
		const struct pair *pair = &value->map.pairs[i];
		const struct pair *old = there ? node_find(there, pair->key) : NULL;

		if (!old || !edit_same(old->value, pair->value, false))
			r = set_root_key(editor, pair->key, old ? old->value : NULL, pair->value);
	}
	return r;
}

/* One of a key's assignments, as systemd has them. */
static int edit_assignment(const struct line_editor *editor, const struct section *section,
	const struct edit_step *steps, const struct edit_op *op)
{
	CLEANUP(sample_fini) struct sample sample = {0};
	struct places there, wanted;
	uint32_t i = steps[1].index;
	struct manner manner;
	struct span lines;

	int r = find_pairs(editor, section, steps->key, &there);
	if (r != 0)
		return r;
	there = effective(editor, there);
	if (!there.count || i > there.count || (i == there.count && op->kind != EDIT_INSERT))
		return EDIT_CANNOT;
	if (op->kind == EDIT_REMOVE)
		return remove_pair(editor, there.items[i]);
	r = sample_pair(editor, section, steps->key, op->value, &sample);
	if (r == 0)
		r = sample_pairs(editor, &sample, &wanted);
	if (r != 0)
		return r;
	if (wanted.count != 1)
		return EDIT_CANNOT;
	if (op->kind == EDIT_SET)
		return replace_value(editor, there.items[i], &sample, *wanted.items);
	manner = manner_of(editor, section);
	r = put_pairs(editor, &manner, &sample, &wanted, &lines);
	if (r != 0)
		return r;
	return text_lines_insert(&editor->lines,
		i == there.count ? text_lines_after(&editor->lines, there.items[i - 1]->member.end)
				 : text_lines_begin(&editor->lines, there.items[i]->member.begin),
		lines);
}

/* A pair of a section, by one step, or an item of its list by two. */
static int edit_pair(const struct line_editor *editor, const struct section *section, size_t done,
	const struct edit_op *op)
{
	const struct edit_step *steps = op->steps + done;

	if (!steps->key)
		return EDIT_CANNOT;
	if (op->count == done + 2 && !steps[1].key)
		return edit_assignment(editor, section, steps, op);
	if (op->count != done + 1)
		return EDIT_CANNOT;
	return op->kind == EDIT_REMOVE ? remove_key(editor, section, steps->key)
				       : set_pair(editor, section, steps->key, op->value);
}

/* One of a list of sections, or what is in it. */
static int edit_item(
	const struct line_editor *editor, const struct node *list, const struct edit_op *op)
{
	const struct node *name = op->steps->key;
	uint32_t i = op->steps[1].index;
	struct section section = {.name = name};
	struct places items;

	int r = find_sections(editor, name, &items);
	if (r != 0)
		return r;
	if (op->steps[1].key || items.count != list->seq.count || i > items.count)
		return EDIT_CANNOT;
	if (op->count == 2 && op->kind == EDIT_INSERT)
		return add_sections(
			editor, name, op->value, i < items.count ? items.items[i] : NULL);
	if (i == items.count)
		return EDIT_CANNOT;
	section.only = items.items[i];
	if (op->count > 2)
		return edit_pair(editor, &section, 2, op);
	if (op->kind == EDIT_REMOVE)
		return remove_section(editor, section.only);
	return node_is_map(op->value) ? set_section(editor, &section, list->seq.items[i], op->value)
				      : EDIT_CANNOT;
}

int line_edit(struct edit *edit, const struct edit_op *op, const struct line_dialect *dialect)
{
	const struct document *document = edit->document;
	struct line_editor editor = {edit,
		{edit, dialect->comments, dialect->has_cr, dialect->has_continuation}, dialect,
		document->count ? document->extents[0] : NULL};
	const struct node *tree = document->count ? document->roots[0] : NULL;
	const struct section root = {0};
	const struct pair *pair;
	const struct node *there;

	if (!op->count)
		return op->kind == EDIT_SET ? set_root(&editor, tree, op->value) : EDIT_CANNOT;
	if (!op->steps->key)
		return EDIT_CANNOT;
	pair = tree ? node_find(tree, op->steps->key) : NULL;
	there = pair ? pair->value : NULL;
	if (op->count == 1 && op->kind == EDIT_SET)
		return set_root_key(&editor, op->steps->key, there, op->value);
	if (!there)
		return EDIT_CANNOT;
	if (op->count == 1)
		return op->kind == EDIT_REMOVE ? remove_root_key(&editor, op->steps->key, there)
					       : EDIT_CANNOT;
	if (node_is_map(there)) {
		const struct section section = {.name = op->steps->key};

		return edit_pair(&editor, &section, 1, op);
	}
	return is_sections(there) ? edit_item(&editor, there, op)
				  : edit_pair(&editor, &root, 0, op);
}
