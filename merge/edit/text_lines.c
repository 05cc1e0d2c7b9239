#include "text_lines.h"

#include <errno.h>

#include "flow.h"
#include "format/line.h"

static bool is_break(const struct text_lines *lines, size_t offset)
{
	char c = edit_at(lines->edit, offset);

	if (c != '\r' || !lines->dialect->has_cr)
		return c == '\n';
	return offset + 1 == lines->edit->text.len || edit_at(lines->edit, offset + 1) != '\n';
}

size_t text_lines_begin(const struct text_lines *lines, size_t offset)
{
	while (offset > 0 && !is_break(lines, offset - 1))
		offset--;
	return offset ? offset : edit_text_begin(lines->edit);
}

size_t text_lines_end(const struct text_lines *lines, size_t offset)
{
	size_t end = offset;

	while (end < lines->edit->text.len && !is_break(lines, end))
		end++;
	if (end > offset && edit_at(lines->edit, end) == '\n' &&
		edit_at(lines->edit, end - 1) == '\r')
		end--;
	return end;
}

size_t text_lines_after(const struct text_lines *lines, size_t offset)
{
	offset = text_lines_end(lines, offset);
	offset += edit_at(lines->edit, offset) == '\r';
	offset += edit_at(lines->edit, offset) == '\n';
	return offset;
}

/* Returns the line that begins at `begin`, without blanks around it. */
static struct span text_of(const struct text_lines *lines, size_t begin)
{
	return line_trim((struct span){
		lines->edit->text.data + begin, text_lines_end(lines, begin) - begin});
}

bool text_lines_is_blank(const struct text_lines *lines, size_t begin)
{
	return !text_of(lines, begin).len;
}

bool text_lines_is_comment(const struct text_lines *lines, size_t begin)
{
	struct span line = text_of(lines, begin);

	return line.len && strchr(lines->dialect->comments, *line.data);
}

size_t text_lines_at(const struct text_lines *lines, const struct extent *entry)
{
	return text_lines_begin(lines, entry->member.begin);
}

size_t text_lines_behind(const struct text_lines *lines, const struct extent *entry)
{
	return text_lines_after(lines, entry->member.end);
}

size_t text_lines_above(const struct text_lines *lines, const struct extent *entry, size_t floor)
{
	size_t begin = text_lines_at(lines, entry);
	size_t start = floor ? text_lines_after(lines, floor) : text_lines_begin(lines, 0);

	while (begin > start && text_lines_is_comment(lines, text_lines_begin(lines, begin - 1)))
		begin = text_lines_begin(lines, begin - 1);
	return begin;
}

size_t text_lines_own(const struct text_lines *lines, const struct extent *in,
	const struct extent *entry, bool is_root)
{
	size_t begin = text_lines_at(lines, entry);
	size_t floor = is_root ? 0 : in->key.end, above;

	for (const struct extent *at = in->first; at != entry; at = at->next)
		floor = at->member.end;
	above = text_lines_above(lines, entry, floor);
	/* If nothing else is in the text, comments at its top may be about the file. */
	if (is_root && !entry->next && above == text_lines_begin(lines, 0))
		return begin;
	if (entry == in->first || above == text_lines_begin(lines, 0) ||
		text_lines_is_blank(lines, text_lines_begin(lines, above - 1)))
		return above;
	return begin;
}

int text_lines_finish(const struct text_lines *lines, struct output *output, struct span *ret)
{
	char *copy = output->failure ? NULL
				     : arena_copy(lines->edit->arena,
					       (struct span){output->data, output->len});

	*ret = (struct span){copy, output->len};
	output_fini(output);
	return copy ? 0 : -ENOMEM;
}

/* Returns whether the line before the offset, or before comments there, continues in the next. */
static bool goes_on(const struct text_lines *lines, size_t offset)
{
	enum line_more more = lines->dialect->more;
	size_t count = 0, begin, end;

	if (more != LINE_MORE_BACKSLASH && more != LINE_MORE_UNIT)
		return false;
	do {
		if (offset == text_lines_begin(lines, 0))
			return false;
		begin = text_lines_begin(lines, offset - 1);
		end = text_lines_end(lines, begin);
		offset = begin;
	} while (text_lines_is_comment(lines, begin));
	while (count < end - begin && edit_at(lines->edit, end - 1 - count) == '\\')
		count++;
	return count % 2;
}

static bool is_lines(const struct text_lines *lines, const struct splice *splice)
{
	size_t end = splice->offset + splice->len, size = lines->edit->text.len;

	return text_lines_begin(lines, splice->offset) == splice->offset
		       ? end == size || text_lines_begin(lines, end) == end
		       : end == size && text_lines_end(lines, splice->offset) == splice->offset;
}

static bool ends_line(struct span text)
{
	return !text.len || text.data[text.len - 1] == '\n';
}

/* Returns the removed lines that contain the offset, or end or begin there. */
static struct splice *taken_at(const struct text_lines *lines, size_t offset)
{
	struct edit *edit = lines->edit;

	for (uint32_t i = edit->count; i-- > 0;) {
		struct splice *splice = &edit->splices[i];

		if (splice->len && is_lines(lines, splice) && ends_line(splice->text) &&
			splice->offset <= offset && offset <= splice->offset + splice->len)
			return splice;
	}
	return NULL;
}

int text_lines_insert(const struct text_lines *lines, size_t offset, struct span added)
{
	struct edit *edit = lines->edit;
	struct splice *taken = taken_at(lines, offset);
	struct span parts[] = {{"", 0}, edit_line_end(edit), added};
	bool begins_line = text_lines_begin(lines, taken ? taken->offset : offset) ==
			   (taken ? taken->offset : offset);

	if (!added.len)
		return 0;
	if (taken)
		parts[0] = taken->text;
	else if (goes_on(lines, offset))
		parts[0] = parts[1];
	/* Behind a line without a break, the text stays so. */
	if (begins_line || (!taken && offset < edit->text.len))
		parts[1].len = 0;
	parts[2].len -= parts[1].len;
	if (!taken)
		return edit_splice_all(edit, (struct range){offset, offset}, parts, 3);
	taken->text.data = edit_join(edit, parts, 3, &taken->text.len);
	return taken->text.data ? 0 : -ENOMEM;
}

static bool has_insertion(const struct edit *edit, size_t offset)
{
	for (uint32_t i = 0; i < edit->count; i++)
		if (edit->splices[i].offset == offset && !edit->splices[i].len)
			return true;
	return false;
}

int text_lines_insert_apart(const struct text_lines *lines, size_t offset, struct span added)
{
	const struct splice *taken = taken_at(lines, offset);
	size_t begin = taken ? taken->offset : offset;
	bool is_below = begin > text_lines_begin(lines, 0) && !(taken && taken->text.len) &&
			text_lines_is_comment(lines, text_lines_begin(lines, begin - 1));
	int r = 0;

	if (is_below && !goes_on(lines, offset) && !has_insertion(lines->edit, offset))
		r = text_lines_insert(lines, offset, edit_line_end(lines->edit));
	return r == 0 ? text_lines_insert(lines, offset, added) : r;
}

/* Returns whether a blank line or nothing is before text that is inserted at the offset, below the
 * text that is inserted there already. `taken`: the lines removed there, or NULL. */
static bool is_below_blank(
	const struct text_lines *lines, size_t offset, const struct splice *taken)
{
	const struct edit *edit = lines->edit;
	struct span there = taken ? taken->text : (struct span){0};

	for (uint32_t i = 0; i < edit->count && !taken; i++)
		if (edit->splices[i].offset == offset && !edit->splices[i].len)
			there = edit->splices[i].text;
	if (there.len) {
		size_t end = edit_line_end(edit).len;

		return ends_line(there) &&
		       (there.len <= end || there.data[there.len - end - 1] == '\n');
	}
	return offset == text_lines_begin(lines, 0) ||
	       text_lines_is_blank(lines, text_lines_begin(lines, offset - 1));
}

int text_lines_insert_sections(
	const struct text_lines *lines, size_t offset, struct span added, bool is_dense)
{
	struct edit *edit = lines->edit;
	const struct splice *taken = taken_at(lines, offset);
	size_t begin = taken ? taken->offset : offset, end = begin + (taken ? taken->len : 0);
	struct span parts[] = {added, edit_line_end(edit)};
	int r = 0;

	if (!is_dense && !is_below_blank(lines, begin, taken))
		r = text_lines_insert(lines, offset, parts[1]);
	if (is_dense || end == edit->text.len || text_lines_is_blank(lines, end))
		parts[1].len = 0;
	added.data = edit_join(edit, parts, 2, &added.len);
	if (r == 0 && !added.data)
		r = -ENOMEM;
	return r ? r : text_lines_insert_apart(lines, offset, added);
}

int text_lines_take_out(const struct text_lines *lines, size_t begin, size_t end)
{
	struct edit *edit = lines->edit;
	struct splice *last = edit->count ? &edit->splices[edit->count - 1] : NULL;

	if (!last || last->text.len || !last->len || last->offset > end ||
		last->offset + last->len < begin)
		return edit_splice(edit, (struct range){begin, end}, (struct span){"", 0});
	if (last->offset + last->len > end)
		end = last->offset + last->len;
	if (last->offset < begin)
		begin = last->offset;
	*last = (struct splice){begin, end - begin, last->text};
	return 0;
}

int text_lines_take(const struct text_lines *lines, size_t begin, size_t end)
{
	const struct edit *edit = lines->edit;
	const struct splice *above = taken_at(lines, begin);

	/* text_lines_take_out() joins the lines to the last removed ones. */
	if (above && above == &edit->splices[edit->count - 1] && !above->text.len &&
		above->offset < begin)
		begin = above->offset;
	bool is_first = begin == text_lines_begin(lines, 0);
	bool is_behind_blank =
		is_first || text_lines_is_blank(lines, text_lines_begin(lines, begin - 1));
	size_t size = lines->edit->text.len, next = end;

	while (next < size && text_lines_is_blank(lines, next))
		next = text_lines_after(lines, next);
	if (is_behind_blank)
		end = next;
	if (next == size && end == size && !is_first) {
		/* The new last line ends as the old one did: with or without a break. */
		bool has_break = text_lines_begin(lines, size) == size;

		while (begin > text_lines_begin(lines, 0) &&
			text_lines_is_blank(lines, text_lines_begin(lines, begin - 1)))
			begin = text_lines_begin(lines, begin - 1);
		if (!has_break && begin > text_lines_begin(lines, 0))
			begin = text_lines_end(lines, text_lines_begin(lines, begin - 1));
	}
	return text_lines_take_out(lines, begin, end);
}
