#include "toml_items.h"

#include <errno.h>

#include "flow.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

int toml_items_of(const struct text_lines *lines, const struct extent *in, struct toml_items *ret)
{
	uint32_t count = 0;

	*ret = (struct toml_items){lines, in, NULL, 0};
	for (const struct extent *at = in->first; at; at = at->next)
		count++;
	ret->items = arena_zalloc(lines->edit->arena, count + 1, sizeof(const struct extent *));
	if (!ret->items)
		return -ENOMEM;
	for (const struct extent *at = in->first; at; at = at->next)
		ret->items[ret->count++] = at;
	return 0;
}

static const char *text_of(const struct toml_items *items)
{
	return items->lines->edit->text.data;
}

static size_t end_of(const struct toml_items *items)
{
	return items->in->value.end - 1;
}

/* Returns whether a comment stands between two entries. Otherwise only blanks and commas stand
 * there. */
static bool has_comment(const struct toml_items *items, size_t begin, size_t end)
{
	return end > begin && memchr(text_of(items) + begin, '#', end - begin);
}

/* Returns the range behind entry `i`, up to the next one or the bracket. */
static struct range gap_behind(const struct toml_items *items, uint32_t i)
{
	return (struct range){items->items[i]->member.end,
		i + 1 < items->count ? items->items[i + 1]->member.begin : end_of(items)};
}

/* Returns the offset of the comma behind entry `i`; 0: there is none. */
static size_t comma_behind(const struct toml_items *items, uint32_t i)
{
	struct range gap = gap_behind(items, i);
	const char *text = text_of(items);

	for (size_t at = gap.begin; at < gap.end; at++) {
		if (text[at] == ',')
			return at;
		if (text[at] == '#')
			at = text_lines_end(items->lines, at);
	}
	return 0;
}

static size_t end_with_comma(const struct toml_items *items, uint32_t i)
{
	size_t comma = comma_behind(items, i);

	return comma ? comma + 1 : items->items[i]->member.end;
}

static bool has_own_lines(const struct toml_items *items, uint32_t i)
{
	size_t begin = items->items[i]->member.begin, end = end_with_comma(items, i);
	const char *text = text_of(items);

	while (begin > 0 && is_blank(text[begin - 1]))
		begin--;
	while (is_blank(text[end]))
		end++;
	return begin > 0 && text[begin - 1] == '\n' && (text[end] == '\n' || text[end] == '#');
}

static int remove_all(const struct toml_items *items)
{
	struct range inner = {items->in->value.begin + 1, end_of(items)};

	for (uint32_t i = 0; i < items->count; i++) {
		struct range gap = gap_behind(items, i);

		if (has_comment(items, gap.begin, gap.end))
			return EDIT_CANNOT;
	}
	if (has_comment(items, inner.begin, items->items[0]->member.begin))
		return EDIT_CANNOT;
	return text_lines_take_out(items->lines, inner.begin, inner.end);
}

static int remove_lines(const struct toml_items *items, uint32_t first, uint32_t end)
{
	size_t comma = first && end == items->count && !comma_behind(items, end - 1)
			       ? comma_behind(items, first - 1)
			       : 0;
	int r = 0;

	/* The new last entry has a comma if the old one had one. */
	if (comma)
		r = text_lines_take_out(items->lines, comma, comma + 1);
	for (uint32_t i = first; i < end && r == 0; i++)
		r = text_lines_take(items->lines,
			text_lines_own(items->lines, items->in, items->items[i], false),
			text_lines_after(items->lines, end_with_comma(items, i)));
	return r;
}

static bool has_comments(const struct toml_items *items, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i + 1 < end; i++) {
		struct range gap = gap_behind(items, i);

		if (has_comment(items, gap.begin, gap.end))
			return true;
	}
	return false;
}

/* Removes entries whose lines contain other entries, too. */
static int remove_inline(const struct toml_items *items, uint32_t first, uint32_t end)
{
	size_t from = items->items[first]->member.begin, to = items->items[end - 1]->member.end;
	bool is_last = end == items->count;
	size_t comma =
		is_last && !comma_behind(items, end - 1) ? comma_behind(items, first - 1) : 0;
	int r = 0;

	if (has_comments(items, first, end))
		return EDIT_CANNOT;
	/* Remove the text up to the next entry, or else from the comma before. */
	if (!is_last && !has_comments(items, end - 1, end + 1))
		return text_lines_take_out(items->lines, from, items->items[end]->member.begin);
	if (first && !has_comments(items, first - 1, first + 1))
		return text_lines_take_out(items->lines, items->items[first - 1]->member.end, to);
	if (comma)
		r = text_lines_take_out(items->lines, comma, comma + 1);
	return r ? r : text_lines_take_out(items->lines, from, end_with_comma(items, end - 1));
}

/* Returns whether another op of the same edit removes entry `i`. */
static bool is_removed(const struct toml_items *items, uint32_t i)
{
	const struct edit *edit = items->lines->edit;
	struct range member = items->items[i]->member;
	bool is_so = false;

	for (size_t k = 0; k < edit->count && !is_so; k++) {
		const struct splice *splice = &edit->splices[k];

		is_so = !splice->text.len && splice->offset <= member.begin &&
			splice->offset + splice->len >= member.end;
	}
	return is_so;
}

int toml_items_remove(const struct toml_items *items, uint32_t first, uint32_t end)
{
	bool has_lines = true;

	/* The comma before all of them would stay: TOML 1.0 has none before a brace. */
	if ((first && is_removed(items, first - 1)) ||
		(end < items->count && is_removed(items, end)))
		return EDIT_CANNOT;
	for (uint32_t i = first; i < end; i++)
		has_lines = has_lines && has_own_lines(items, i);
	if (has_lines && end - first == items->count) {
		int r = remove_all(items);

		return r == EDIT_CANNOT ? remove_lines(items, first, end) : r;
	}
	if (end - first == items->count)
		return remove_all(items);
	if (has_lines)
		return remove_lines(items, first, end);
	return remove_inline(items, first, end);
}

/* Inserts each text on a line of its own, before entry `at` or after the last one. */
static int insert_lines(
	const struct toml_items *items, uint32_t at, const struct span *texts, uint32_t count)
{
	const struct text_lines *lines = items->lines;
	struct output output = {.max = SIZE_MAX};
	struct span end = edit_line_end(lines->edit), text;
	bool is_last = at == items->count;
	const struct extent *like = items->items[is_last ? at - 1 : at];
	size_t begin = text_lines_at(lines, like);
	bool has_comma = !is_last || comma_behind(items, at - 1);

	for (uint32_t i = 0; i < count; i++) {
		output_put(&output, text_of(items) + begin, like->member.begin - begin);
		output_put(&output, texts[i].data, texts[i].len);
		output_string(&output, has_comma || i + 1 < count ? "," : "");
		output_put(&output, end.data, end.len);
	}
	int r = text_lines_finish(lines, &output, &text);
	if (r == 0 && !has_comma)
		r = edit_splice(lines->edit, (struct range){like->member.end, like->member.end},
			span_of(","));
	if (r != 0)
		return r;
	return text_lines_insert(lines,
		is_last ? text_lines_after(lines, end_with_comma(items, at - 1))
			: text_lines_above(lines, like,
				  at ? end_with_comma(items, at - 1) : items->in->value.begin),
		text);
}

/* Inserts into brackets that contain only blanks and comments. */
static int insert_first(const struct toml_items *items, struct span all)
{
	struct edit *edit = items->lines->edit;
	const char *text = text_of(items);
	size_t begin = items->in->value.begin + 1, end = end_of(items);
	size_t line = text_lines_begin(items->lines, end);
	struct span blank = span_of(text[begin - 1] == '{' ? " " : "");

	if (!has_comment(items, begin, end))
		return edit_splice_all(
			edit, (struct range){begin, end}, (struct span[]){blank, all, blank}, 3);
	if (line < begin)
		return EDIT_CANNOT;
	/* Insert behind the comments: the bracket has a line of its own. */
	return edit_splice_all(edit, (struct range){line, line},
		(struct span[]){{text + line, end - line}, span_of("  "), all, span_of(","),
			edit_line_end(edit)},
		5);
}

int toml_items_insert(
	const struct toml_items *items, uint32_t at, const struct span *texts, uint32_t count)
{
	struct output output = {.max = SIZE_MAX};
	bool is_last = at == items->count;
	size_t offset, comma;
	struct span all;

	if (items->count && has_own_lines(items, is_last ? at - 1 : at))
		return insert_lines(items, at, texts, count);
	for (uint32_t i = 0; i < count; i++) {
		output_string(&output, i ? ", " : "");
		output_put(&output, texts[i].data, texts[i].len);
	}
	if (text_lines_finish(items->lines, &output, &all) < 0)
		return -ENOMEM;
	if (!items->count)
		return insert_first(items, all);
	comma = is_last ? comma_behind(items, at - 1) : 0;
	offset = !is_last ? items->items[at]->member.begin : end_with_comma(items, at - 1);
	return edit_splice_all(items->lines->edit, (struct range){offset, offset},
		(struct span[]){span_of(!is_last ? ""
					: comma  ? " "
						 : ", "),
			all,
			span_of(!is_last ? ", "
				: comma  ? ","
					 : "")},
		3);
}
