#include "yaml_read.h"

#include "utf8.h"
#include "yaml_text.h"

static const char *at(const struct yaml_extents *extents, size_t offset)
{
	return extents->text.data + offset;
}

static bool is_at(const struct yaml_extents *extents, size_t offset, char c)
{
	return offset < extents->text.len && *at(extents, offset) == c;
}

size_t yaml_offset(struct yaml_extents *extents, const yaml_mark_t *mark)
{
	const char *p = at(extents, extents->offset), *end = at(extents, extents->text.len);

	for (; extents->index < mark->index && p < end; extents->index++)
		for (p++; p < end && utf8_is_tail((unsigned char)*p);)
			p++;
	for (; extents->index > mark->index && p > extents->text.data; extents->index--)
		for (p--; p > extents->text.data && utf8_is_tail((unsigned char)*p);)
			p--;
	extents->offset = (size_t)(p - extents->text.data);
	return extents->offset;
}

size_t yaml_break_length(const char *p, const char *end)
{
	size_t left = (size_t)(end - p);

	if (!left)
		return 0;
	if (*p == '\n' || *p == '\r')
		return *p == '\r' && left > 1 && p[1] == '\n' ? 2 : 1;
	if (left > 1 && memcmp(p, "\xC2\x85", 2) == 0)
		return 2;
	if (left > 2 && (memcmp(p, "\xE2\x80\xA8", 3) == 0 || memcmp(p, "\xE2\x80\xA9", 3) == 0))
		return 3;
	return 0;
}

size_t yaml_skip_blank(struct span text, size_t offset)
{
	const char *p = text.data + offset, *end = span_end(text);
	size_t length;

	while (p < end) {
		length = yaml_break_length(p, end);
		if (length)
			p += length;
		else if (*p == ' ' || *p == '\t')
			p++;
		else if (*p == '#')
			while (p < end && !yaml_break_length(p, end))
				p++;
		else if (p == text.data && end - p >= 3 && !memcmp(p, "\xEF\xBB\xBF", 3))
			p += 3;
		else
			break;
	}
	return (size_t)(p - text.data);
}

size_t yaml_skip_properties(struct span text, size_t offset)
{
	const char *end = span_end(text);

	while (offset < text.len && (text.data[offset] == '!' || text.data[offset] == '&')) {
		const char *p = text.data + offset;

		while (p < end && *p != ' ' && *p != '\t' && !yaml_break_length(p, end))
			p++;
		offset = yaml_skip_blank(text, (size_t)(p - text.data));
	}
	return offset;
}

/* Returns the end of a block scalar's text. Its mark is behind its trailing blank lines. */
static size_t trim_lines(const struct yaml_extents *extents, struct range range)
{
	const char *begin = at(extents, range.begin), *end = at(extents, range.end), *p = begin;
	const char *last = begin;

	/* Searches forward: a line break of several bytes is hard to recognize from its end. */
	while (p < end) {
		size_t length = yaml_break_length(p, end);

		if (!length && *p != ' ' && *p != '\t')
			last = p + 1;
		p += length ? length : 1;
	}
	/* Blanks at the end of the last line belong to the text. */
	while (last < end && (*last == ' ' || *last == '\t'))
		last++;
	return (size_t)(last - extents->text.data);
}

static bool is_block(const struct extent *extent)
{
	return extent->node->style != NODE_FLOW;
}

/* Returns whether the event is an empty plain scalar without tag and anchor. The indicators around
 * it determine its place. */
static bool is_nothing(const yaml_event_t *event)
{
	return event->type == YAML_SCALAR_EVENT && !event->data.scalar.length &&
	       event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !event->data.scalar.tag &&
	       !event->data.scalar.anchor;
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor;
	default:
		return NULL;
	}
}

/*
 * Returns where the entry of the next node begins. `begin` is the node's place if it is written.
 * *nothing becomes its place if it is not.
 */
static size_t find_entry(const struct yaml_extents *extents, size_t begin, size_t *nothing)
{
	const struct notes *notes = &extents->builder->notes;
	const struct extent *in = notes->depth ? notes->open[notes->depth - 1].extent : NULL;
	size_t next = yaml_skip_blank(extents->text, extents->behind);

	*nothing = extents->root;
	if (!in)
		return begin;
	if (node_is_map(in->node) && !note_wants_key(notes)) {
		/* The next key may begin with a colon, too. If so, its mark is at that colon, and
		 * not after it. */
		*nothing = is_at(extents, next, ':') && begin > next ? next + 1 : extents->behind;
		return begin;
	}
	if (is_block(in) && node_is_sequence(in->node)) {
		*nothing = next + 1;
		return next;
	}
	if (!is_block(in) && is_at(extents, next, ','))
		next = yaml_skip_blank(extents->text, next + 1);
	*nothing = next;
	if (!node_is_map(in->node) || !is_at(extents, next, '?') || next >= begin)
		return begin;
	*nothing = next + 1;
	return next;
}

static struct extent note_of(struct yaml_extents *extents, const yaml_event_t *event)
{
	struct builder *builder = extents->builder;
	size_t before = (size_t)(extents->text.data - builder->text), nothing;
	struct range range = {
		yaml_offset(extents, &event->start_mark), yaml_offset(extents, &event->end_mark)};
	size_t entry = find_entry(extents, range.begin, &nothing);
	struct extent note = {
		.node = builder->waiting[builder->count - 1],
		.is_alias = event->type == YAML_ALIAS_EVENT,
		.has_anchor = anchor_of(event) != NULL,
	};

	if (is_nothing(event)) {
		range = (struct range){nothing, nothing};
		if (entry > nothing)
			entry = nothing;
	}
	extents->behind = range.end;
	if (event->type == YAML_SCALAR_EVENT &&
		(note.node->style == NODE_LITERAL || note.node->style == NODE_FOLDED))
		range.end = trim_lines(extents, range);
	note.value = (struct range){before + range.begin, before + range.end};
	note.member.begin = before + entry;
	return note;
}

static int open_collection(struct yaml_extents *extents, const yaml_event_t *event)
{
	struct extent note = note_of(extents, event);
	size_t before = (size_t)(extents->text.data - extents->builder->text);
	size_t begin = note.value.begin - before, end = note.value.end - before;

	/* In [a: b] the map has no brackets. */
	bool has_bracket = note.node->style == NODE_FLOW && end > begin &&
			   (is_at(extents, end - 1, '[') || is_at(extents, end - 1, '{'));

	extents->behind = has_bracket ? end : yaml_skip_properties(extents->text, begin);
	if (note.node->style == NODE_FLOW && !has_bracket)
		extents->behind = begin;
	return note_open(extents->builder, &note);
}

static void close_collection(struct yaml_extents *extents, const yaml_event_t *event)
{
	const struct notes *notes = &extents->builder->notes;
	bool is_flow = !is_block(notes->open[notes->depth - 1].extent);
	size_t before = (size_t)(extents->text.data - extents->builder->text);

	if (!is_flow || event->end_mark.index == event->start_mark.index) {
		note_close(extents->builder, NOTE_LAST_ENTRY);
		return;
	}
	extents->behind = yaml_offset(extents, &event->end_mark);
	note_close(extents->builder, before + extents->behind);
}

int yaml_note(struct yaml_extents *extents, const yaml_event_t *event)
{
	struct extent note;

	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		extents->behind = extents->root = yaml_offset(extents, &event->end_mark);
		return 0;
	case YAML_ALIAS_EVENT:
	case YAML_SCALAR_EVENT:
		note = note_of(extents, event);
		return note_add(extents->builder, &note);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return open_collection(extents, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		close_collection(extents, event);
		return 0;
	default:
		return 0;
	}
}
