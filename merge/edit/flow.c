#include "flow.h"

#include <errno.h>

#include "format/yaml_text.h"

static const struct span COMMA = {",", 1};

static bool is_break(char c)
{
	return c == '\n' || c == '\r';
}

/* Returns whether comments are those of YAML and TOML; false: JSONC's. */
static bool has_hashes(const struct edit *edit)
{
	const char *comment = format_of_tree(edit->options->format)->comment;

	return comment && *comment == '#';
}

/* Returns the end of the comment at `offset`, before its line break; `offset`: there is none. */
static size_t skip_comment(const struct edit *edit, size_t offset)
{
	const char *end;

	if (has_hashes(edit) ? edit_at(edit, offset) == '#'
			     : edit_at(edit, offset) == '/' && edit_at(edit, offset + 1) == '/') {
		while (offset < edit->text.len && !is_break(edit_at(edit, offset)))
			offset++;
		return offset;
	}
	if (has_hashes(edit) || edit_at(edit, offset) != '/' || edit_at(edit, offset + 1) != '*')
		return offset;
	end = memmem(edit->text.data + offset + 2, edit->text.len - offset - 2, "*/", 2);
	return end ? (size_t)(end + 2 - edit->text.data) : edit->text.len;
}

/* Returns the end of the last comment between `from` and `end`; `from`: there is none. */
static size_t behind_comments(const struct edit *edit, size_t from, size_t end)
{
	size_t behind = from;

	for (size_t p = from; p < end;) {
		size_t next = skip_comment(edit, p);

		if (next != p)
			behind = next;
		p = next == p ? p + 1 : next;
	}
	return behind;
}

/* Returns the offset after the blanks, line breaks and comments at `offset`. */
static size_t skip(const struct edit *edit, size_t offset)
{
	for (;;) {
		size_t next;

		while (edit_is_blank(edit_at(edit, offset)) || is_break(edit_at(edit, offset)))
			offset++;
		next = skip_comment(edit, offset);
		if (next == offset)
			return offset;
		offset = next;
	}
}

/* Returns the end of the comments on the same line. *ends_line: nothing follows them there. */
static size_t own_comments(const struct edit *edit, size_t offset, bool *ends_line)
{
	size_t behind = offset;

	for (;;) {
		size_t next;

		while (edit_is_blank(edit_at(edit, offset)))
			offset++;
		next = skip_comment(edit, offset);
		if (next == offset || edit_has_lines(edit, (struct range){offset, next}))
			break;
		offset = behind = next;
	}
	*ends_line = offset >= edit->text.len || is_break(edit_at(edit, offset));
	return behind;
}

bool edit_is_first_on_line(const struct edit *edit, size_t offset)
{
	size_t begin = edit_text_begin(edit);

	/* Search backwards from `offset`: a large file may be a single line. */
	while (offset > begin && edit_is_blank(edit_at(edit, offset - 1)))
		offset--;
	return offset <= begin || edit_at(edit, offset - 1) == '\n';
}

struct span edit_indent(const struct edit *edit, size_t offset)
{
	struct span indent = {edit->text.data + edit_line_begin(edit, offset), 0};
	const char *end = span_end(edit->text);

	while (span_end(indent) < end && edit_is_blank(indent.data[indent.len]))
		indent.len++;
	return indent;
}

bool edit_has_lines(const struct edit *edit, struct range range)
{
	return memchr(edit->text.data + range.begin, '\n', range.end - range.begin) != NULL;
}

char *edit_join(const struct edit *edit, const struct span *parts, size_t count, size_t *len)
{
	char *text, *p;

	*len = 0;
	for (size_t i = 0; i < count; i++) {
		if (parts[i].len && !parts[i].data)
			return NULL;
		*len += parts[i].len;
	}
	text = p = arena_alloc(edit->arena, *len + 1);
	if (!text)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (parts[i].len)
			memcpy(p, parts[i].data, parts[i].len);
		p += parts[i].len;
	}
	*p = '\0';
	return text;
}

int edit_splice_all(struct edit *edit, struct range range, const struct span *parts, size_t count)
{
	struct span text;

	text.data = edit_join(edit, parts, count, &text.len);
	return text.data ? edit_splice(edit, range, text) : -ENOMEM;
}

static int insert(struct edit *edit, size_t offset, const struct span *parts, size_t count)
{
	return edit_splice_all(edit, (struct range){offset, offset}, parts, count);
}

size_t flow_open(const struct edit *edit, const struct extent *in)
{
	size_t offset = in->value.begin;

	while (has_hashes(edit) && (edit_at(edit, offset) == '!' || edit_at(edit, offset) == '&')) {
		while (offset < in->value.end && !edit_is_blank(edit_at(edit, offset)) &&
			!is_break(edit_at(edit, offset)))
			offset++;
		offset = skip(edit, offset);
	}
	return offset;
}

bool edit_is_entry(const struct extent *entry, uint32_t i, const struct edit_step *step)
{
	if (!step->key)
		return i == step->index;
	return entry->key_count == 1 && !entry->is_merge_key &&
	       node_equal(entry->keys[0], step->key);
}

static bool find_comma(const struct edit *edit, const struct extent *entry, size_t *ret)
{
	*ret = skip(edit, entry->member.end);
	return edit_at(edit, *ret) == ',';
}

static int insert_first(struct edit *edit, const struct extent *in, struct span item,
	const struct flow_layout *layout)
{
	struct range inner = {flow_open(edit, in) + 1, in->value.end - 1};
	struct span eol = edit_line_end(edit);
	size_t behind = behind_comments(edit, inner.begin, inner.end);

	if (behind != inner.begin) {
		bool ends_line;

		own_comments(edit, behind, &ends_line);
		if (ends_line)
			return insert(edit, behind, (struct span[]){eol, layout->indent, item}, 3);
		return insert(edit, behind, (struct span[]){span_of(" "), item}, 2);
	}
	if (layout->base.data)
		return edit_splice_all(edit, inner,
			(struct span[]){eol, layout->indent, item, eol, layout->base}, 5);
	return edit_splice_all(edit, inner, (struct span[]){layout->pad, item, layout->pad}, 3);
}

/* Returns the text between two entries of one line: a comma with the blanks around it. */
static struct span gap_of(
	const struct edit *edit, const struct extent *in, const struct flow_layout *layout)
{
	for (const struct extent *entry = in->first; entry && entry->next; entry = entry->next) {
		size_t comma = entry->member.end, end = comma + 1;

		if (edit_at(edit, comma) != ',')
			continue;
		while (edit_is_blank(edit_at(edit, end)))
			end++;
		if (end == entry->next->member.begin)
			return (struct span){edit->text.data + comma, end - comma};
	}
	return layout->gap.len ? span_of(", ") : COMMA;
}

/* Returns where a comma behind the entry can stand: after "a:" a blank must come first. */
static size_t comma_offset(const struct edit *edit, const struct extent *entry)
{
	size_t end = entry->member.end;

	return edit_at(edit, end - 1) == ':' && edit_is_blank(edit_at(edit, end)) ? end + 1 : end;
}

/*
 * Returns whether a new last entry gets a line of its own, as the last two entries have. A wrapped
 * list grows on its last line:
 * [1, 2,
 * 3, 4]
 */
static bool grows_by_lines(const struct edit *edit, const struct extent *in)
{
	const struct extent *first = in->first, *before = first;
	size_t comma;
	bool has_comma, ends_line;

	if (!edit_is_first_on_line(edit, in->last->member.begin))
		return false;
	while (before->next && before->next != in->last)
		before = before->next;
	if (before == first || edit_is_first_on_line(edit, before->member.begin) ||
		edit_is_first_on_line(edit, first->member.begin))
		return true;
	has_comma = find_comma(edit, in->last, &comma);
	own_comments(edit, has_comma ? comma + 1 : in->last->member.end, &ends_line);
	return ends_line;
}

/* Returns what separates new entries from each other and from their neighbours: a comma, and the
 * text behind it. They go before `behind`; NULL: to the end. */
static struct span separator(const struct edit *edit, const struct extent *in,
	const struct extent *behind, const struct flow_layout *layout)
{
	const struct extent *like = behind ? behind : in->last;
	struct span text;

	if (!like || !(behind ? edit_is_first_on_line(edit, behind->member.begin)
			      : grows_by_lines(edit, in)))
		return gap_of(edit, in, layout);
	text.data = edit_join(edit,
		(struct span[]){COMMA, edit_line_end(edit), edit_indent(edit, like->member.begin)},
		3, &text.len);
	return text;
}

static struct span without_comma(struct span between)
{
	return (struct span){between.data + 1, between.len - 1};
}

static struct span join(
	const struct edit *edit, const struct span *items, uint32_t count, struct span between)
{
	struct span *parts = arena_zalloc(edit->arena, count, 2 * sizeof(*parts)), text = {0};

	for (uint32_t i = 0; parts && i < count; i++) {
		parts[2 * i] = items[i];
		parts[2 * i + 1] = i + 1 < count ? between : (struct span){0};
	}
	text.data = parts ? edit_join(edit, parts, 2 * (size_t)count, &text.len) : NULL;
	return text;
}

/* Returns whether a comma is already inserted at `offset`: edit_split() adds entry by entry. */
static bool gets_comma(const struct edit *edit, size_t offset)
{
	for (uint32_t i = 0; i < edit->count; i++) {
		const struct splice *splice = &edit->splices[i];

		if (splice->offset == offset && !splice->len && span_equal(splice->text, COMMA))
			return true;
	}
	return false;
}

static int append(struct edit *edit, const struct extent *in, struct span item, struct span between)
{
	const struct extent *last = in->last;
	struct span eol = edit_line_end(edit), indent = edit_indent(edit, last->member.begin);
	bool is_own_line = memchr(between.data, '\n', between.len) != NULL, ends_line;
	size_t comma, behind;
	bool has_comma = find_comma(edit, last, &comma);
	int r = 0;

	if (!has_comma)
		comma = comma_offset(edit, last);
	behind = own_comments(edit, comma + has_comma, &ends_line);
	/* After a comment that ends its line, the item needs a new line. */
	if (is_own_line || (ends_line && behind > comma + has_comma)) {
		if (!has_comma && behind > comma && gets_comma(edit, comma))
			return insert(edit, behind, (struct span[]){COMMA, eol, indent, item}, 4);
		if (!has_comma)
			r = insert(edit, comma, &COMMA, 1);
		return r ? r
			 : insert(edit, behind,
				   (struct span[]){
					   eol, indent, item, has_comma ? COMMA : (struct span){0}},
				   4);
	}
	if (has_comma)
		return insert(
			edit, behind, (struct span[]){without_comma(between), item, COMMA}, 3);
	return insert(edit, behind, (struct span[]){between, item}, 2);
}

int flow_insert(struct edit *edit, const struct extent *in, uint32_t index,
	const struct span *items, uint32_t count, const struct flow_layout *layout)
{
	const struct extent *before = NULL, *behind = in->first;
	struct span between, item;
	size_t offset;
	bool ends_line;

	for (; behind && index > 0; index--) {
		before = behind;
		behind = behind->next;
	}
	between = separator(edit, in, behind, layout);
	item = count == 1 ? *items : join(edit, items, count, between);
	if (!between.data || (count > 1 && !item.data))
		return -ENOMEM;
	if (!in->first)
		return insert_first(edit, in, item, layout);
	if (!behind)
		return append(edit, in, item, between);
	/* Comments before the next entry stay there, so the new one goes before them. */
	if (before)
		find_comma(edit, before, &offset);
	else
		offset = flow_open(edit, in);
	if (!edit_is_first_on_line(edit, behind->member.begin)) {
		if (behind_comments(edit, offset + 1, behind->member.begin) == offset + 1)
			return insert(
				edit, behind->member.begin, (struct span[]){item, between}, 2);
		between = before ? without_comma(between) : (struct span){0};
		return insert(edit, offset + 1, (struct span[]){between, item, COMMA}, 3);
	}
	offset = own_comments(edit, offset + 1, &ends_line);
	return insert(edit, offset, (struct span[]){without_comma(between), item, COMMA}, 3);
}

/* An entry that is removed, and the text that goes with it. */
struct leaving {
	const struct extent *in;   /* the collection */
	const struct extent *kept; /* its last entry that stays; NULL: none stays */
	const struct extent *entry;
	size_t begin;  /* the text that goes begins here, after the last bracket or comma */
	size_t behind; /* the end of the entry and its comma */
	size_t comma;  /* its offset; 0: the entry has none */
};

static bool is_first_entry(const struct leaving *leaving)
{
	return leaving->entry == leaving->in->first;
}

/* Returns whether no entry behind it stays. */
static bool is_last_entry(const struct leaving *leaving)
{
	const struct extent *kept = leaving->kept;

	return !kept || kept->member.begin < leaving->entry->member.begin;
}

size_t flow_comments_above(const struct edit *edit, size_t begin, size_t floor, bool is_first)
{
	size_t indent = edit_indent(edit, begin).len, block = begin;
	bool may_begin = is_first;

	for (size_t line = floor; line < begin;) {
		size_t blanks = edit_indent(edit, line).len, first = line + blanks;
		size_t end = skip_comment(edit, first);

		if (end == first) {
			block = begin;
			may_begin = is_first || is_break(edit_at(edit, first));
		} else if (blanks != indent) {
			block = begin;
			may_begin = is_first;
		} else if (may_begin) {
			block = line;
			may_begin = false;
		}
		line = edit_line_after(edit, end);
	}
	return block;
}

static bool is_blank_line(const struct edit *edit, size_t begin)
{
	return is_break(edit_at(edit, begin + edit_indent(edit, begin).len));
}

/*
 * Returns the lines of an entry that has them for itself, with the comments above it. `behind`: the
 * end of its last comment. Of two blank lines that would follow each other, one goes, too.
 */
static struct range lines_of(const struct edit *edit, const struct leaving *leaving, size_t behind)
{
	size_t floor = edit_line_after(edit, leaving->begin);
	size_t begin =
		flow_comments_above(edit, edit_line_begin(edit, leaving->entry->member.begin),
			floor, is_first_entry(leaving));
	size_t end = edit_line_after(edit, behind);
	size_t above = begin > floor ? edit_line_begin(edit, begin - 1) : begin;
	bool is_behind_blank = above < begin && is_blank_line(edit, above);

	if (is_blank_line(edit, end) &&
		(is_behind_blank || (above == begin && is_first_entry(leaving))))
		end = edit_line_after(edit, end);
	else if (is_behind_blank && is_last_entry(leaving))
		begin = above;
	return (struct range){begin, end};
}

static struct range leaving_range(const struct edit *edit, const struct leaving *leaving)
{
	const struct extent *entry = leaving->entry;
	struct range range = {entry->member.begin, leaving->behind};
	bool is_first_on_line = edit_is_first_on_line(edit, range.begin), ends_line;
	bool has_comments = behind_comments(edit, leaving->begin, range.begin) != leaving->begin;
	size_t own = own_comments(edit, leaving->behind, &ends_line);

	if (is_first_on_line && ends_line)
		return lines_of(edit, leaving, own);
	if (!leaving->comma || is_last_entry(leaving)) {
		if (!has_comments)
			range.begin = leaving->begin;
		return range;
	}
	if (!ends_line) {
		while (edit_is_blank(edit_at(edit, range.end)))
			range.end++;
		return range;
	}
	/* [1, # of the first alone */
	if (is_first_entry(leaving)) {
		size_t next = behind_comments(edit, own, entry->next->member.begin);

		range.end = next == own ? entry->next->member.begin : own;
		return range;
	}
	while (edit_is_blank(edit_at(edit, range.begin - 1)))
		range.begin--;
	return range;
}

/* Removes an entry, except for the text before *done. *done becomes the end of the removed text. */
static int remove_entry(struct edit *edit, struct leaving *leaving, size_t *done)
{
	size_t comma = leaving->comma;
	bool is_comma_apart =
		comma && edit_has_lines(edit, (struct range){leaving->entry->member.end, comma});
	struct range range;
	int r;

	/* Comments may stand before a comma on another line. */
	if (is_comma_apart)
		leaving->behind = leaving->entry->member.end;
	range = leaving_range(edit, leaving);
	if (range.begin < *done)
		range.begin = *done;
	*done = range.end;
	r = edit_splice(edit, range, (struct span){"", 0});
	if (r != 0 || !is_comma_apart || range.end > comma)
		return r;
	*done = comma + 1;
	return edit_splice(edit, (struct range){comma, comma + 1}, (struct span){"", 0});
}

/* Removes the comma of the last entry that stays, if the removed entries had none at their end. */
static int drop_comma(struct edit *edit, const struct extent *kept)
{
	struct range range;

	find_comma(edit, kept, &range.begin);
	range.end = range.begin + 1;
	if (behind_comments(edit, kept->member.end, range.begin) == kept->member.end)
		range.begin = comma_offset(edit, kept);
	return edit_splice(edit, range, (struct span){"", 0});
}

/* Returns whether the splices from `i` on leave nothing between the brackets, and no comment. */
static bool is_empty_without(const struct edit *edit, const struct extent *in, uint32_t i)
{
	size_t at = flow_open(edit, in) + 1, close = in->value.end - 1;

	if (behind_comments(edit, at, in->first->member.begin) != at)
		return false;
	for (; i < edit->count; i++) {
		const struct splice *splice = &edit->splices[i];

		if (at < splice->offset && behind_comments(edit, at, splice->offset) != at)
			return false;
		at = splice->offset + splice->len;
	}
	return at >= close || behind_comments(edit, at, close) == at;
}

static bool is_leaving(
	const struct extent *entry, uint32_t i, const struct edit_step *step, uint32_t count)
{
	return step->key ? edit_is_entry(entry, i, step)
			 : i >= step->index && i - step->index < count;
}

int flow_remove(
	struct edit *edit, const struct extent *in, const struct edit_step *step, uint32_t count)
{
	struct leaving leaving = {.in = in, .begin = flow_open(edit, in) + 1};
	size_t done = leaving.begin;
	uint32_t first_splice = edit->count, i = 0;
	int r = 0;

	for (const struct extent *entry = in->first; entry; entry = entry->next)
		if (!is_leaving(entry, i++, step, count))
			leaving.kept = entry;
	i = 0;
	for (const struct extent *entry = in->first; r == 0 && entry; entry = entry->next) {
		size_t comma;
		bool has_comma = find_comma(edit, entry, &comma);
		size_t behind = has_comma ? comma + 1 : entry->member.end;

		leaving.entry = entry;
		leaving.comma = has_comma ? comma : 0;
		leaving.behind = behind;
		if (is_leaving(entry, i++, step, count))
			r = remove_entry(edit, &leaving, &done);
		leaving.begin = behind;
	}
	if (r != 0)
		return r;
	if (!leaving.kept && is_empty_without(edit, in, first_splice)) {
		edit->count = first_splice;
		return edit_splice(edit, (struct range){flow_open(edit, in) + 1, in->value.end - 1},
			(struct span){"", 0});
	}
	return leaving.kept && leaving.kept->next && !leaving.comma ? drop_comma(edit, leaving.kept)
								    : 0;
}
