#include "line.h"

#include <assert.h>
#include <errno.h>

#include "scalar.h"
#include "utf8.h"

/* For tests of eight bytes at once: no byte is NUL or above 0x7F. */
#define LOW_BITS UINT64_C(0x0101010101010101)
#define HIGH_BITS UINT64_C(0x8080808080808080)

struct span line_trim_start(struct span text)
{
	while (text.len && line_is_blank(*text.data)) {
		text.data++;
		text.len--;
	}
	return text;
}

struct span line_trim_end(struct span text)
{
	while (text.len && line_is_blank(text.data[text.len - 1]))
		text.len--;
	return text;
}

struct span line_trim(struct span text)
{
	return line_trim_end(line_trim_start(text));
}

struct line_reader line_begin(struct builder *builder, struct span text)
{
	return (struct line_reader){
		.builder = builder,
		.next = text.data,
		.end = span_end(text),
	};
}

bool line_next(struct line_reader *reader)
{
	const char *start = reader->next, *newline;

	if (start == reader->end)
		return false;
	newline = memchr(start, '\n', (size_t)(reader->end - start));
	reader->next = newline ? newline + 1 : reader->end;
	if (!newline)
		newline = reader->end;
	reader->line = (struct span){start, (size_t)(newline - start)};
	if (reader->line.len && newline[-1] == '\r')
		reader->line.len--;
	reader->number++;
	return true;
}

struct place line_place(const struct line_reader *reader, const char *at)
{
	return builder_place(
		reader->builder, reader->number, 1 + (uint32_t)utf8_count(reader->line.data, at));
}

/* Returns the first byte that is NUL or begins no character; `end` if there is none. */
static const char *find_fault(const char *p, const char *end)
{
	while (p < end) {
		uint64_t bytes;
		size_t length;

		if (end - p >= (ptrdiff_t)sizeof(bytes)) {
			memcpy(&bytes, p, sizeof(bytes));
			if (!((bytes | (bytes - LOW_BITS)) & HIGH_BITS)) {
				p += sizeof(bytes);
				continue;
			}
		}
		length = *p ? utf8_length(p, end) : 0;
		if (!length)
			return p;
		p += length;
	}
	return end;
}

bool line_is_utf8(struct span text)
{
	const char *end = span_end(text), *fault = find_fault(text.data, end);

	while (fault < end && !*fault)
		fault = find_fault(fault + 1, end);
	return fault == end;
}

int line_check_text(struct builder *builder, struct span text)
{
	const char *end = span_end(text), *fault = find_fault(text.data, end);
	struct line_reader reader = line_begin(builder, text);

	if (fault == end)
		return 0;
	while (line_next(&reader) && reader.next <= fault)
		;
	return line_problem(&reader, fault, "is not UTF-8; save it as UTF-8");
}

struct node *line_scalar(const struct line_reader *reader, struct span text, struct place place)
{
	struct node *node;
	char *copy;

	node = builder_new_scalar(reader->builder, place, text.len, &copy);
	if (!node)
		return NULL;
	if (text.len)
		memcpy(copy, text.data, text.len);
	node->schema = NODE_TEXT;
	return node;
}

int line_add_scalar(struct line_reader *reader, struct span text, const char *at)
{
	struct place place = line_place(reader, at);
	struct node *node = line_scalar(reader, text, place);

	return node ? builder_add(reader->builder, node, place) : -ENOMEM;
}

int line_add_key(
	struct line_reader *reader, struct span text, const char *at, const struct fold *fold)
{
	struct place place = line_place(reader, at);
	const struct node *node = line_scalar(reader, text, place);

	if (node)
		node = spelling_fold(fold, node, reader->builder->document->arena);
	return node ? builder_add(reader->builder, node, place) : -ENOMEM;
}

int line_open_root(struct line_reader *reader, const char *at)
{
	struct node *root;

	if (reader->builder->depth)
		return 0;
	int r = builder_open(reader->builder, NODE_MAP, NODE_BLOCK, line_place(reader, at), &root);
	if (r || !reader->builder->options->wants_extents)
		return r;
	reader->in = extent_note_begin(reader->builder, root);
	return reader->in ? 0 : -ENOMEM;
}

int line_close_root(struct line_reader *reader)
{
	if (reader->in)
		extent_note_close(reader->builder->document->extents[0]);
	return reader->builder->depth ? builder_close(reader->builder) : 0;
}

int line_note_pair(struct line_reader *reader, struct span key, struct span value)
{
	struct builder *builder = reader->builder;
	struct extent *extent;

	assert(reader->in);
	extent = extent_note_add(builder, reader->in);
	if (!extent)
		return -ENOMEM;
	extent->node = builder->waiting[builder->count - 1];
	extent->key = extent_note_range(builder, key.data, span_end(key));
	extent->value = extent_note_range(builder, value.data, span_end(value));
	extent->member = (struct range){extent->key.begin, extent->value.end};
	return extent_note_set_keys(builder, extent, &builder->waiting[builder->count - 2], 1);
}

int line_repeat(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again)
{
	if (node_is_map(found->value) && node_is_map(again->value))
		return builder_go_on(builder, map, found, again);
	if (found->value->kind != again->value->kind)
		return builder_problem(builder,
			(struct place){again->key->line, again->key->column},
			"the section has the name of the key in line %u, and a path can't lead to "
			"both; rename one",
			(unsigned)found->key->line);
	builder_override(builder, map, found, again);
	return 0;
}

const struct node *line_source(const struct node *node)
{
	while (!node->source && node_count(node))
		node = *node_entry(node, 0);
	return node;
}

const char *line_text_fault(struct span text)
{
	if (memchr(text.data, '\n', text.len))
		return "a line break";
	if (memchr(text.data, '\0', text.len))
		return "a NUL byte";
	if (find_fault(text.data, span_end(text)) != span_end(text))
		return "a byte that is not UTF-8";
	return NULL;
}

bool line_ends_with_backslash(struct span line)
{
	size_t count = 0;

	while (count < line.len && line.data[line.len - 1 - count] == '\\')
		count++;
	return count % 2;
}

const char *line_return_fault(struct span text)
{
	return memchr(text.data, '\r', text.len) ? "a carriage return" : NULL;
}

const char *line_fault(struct span text)
{
	const char *fault = line_text_fault(text);

	if (fault)
		return fault;
	if (text.len && line_is_blank(text.data[0]))
		return "a blank in front";
	if (text.len && line_is_blank(text.data[text.len - 1]))
		return "a blank at the end";
	return NULL;
}

int line_check_map(const struct writer *writer, const struct node *map, const char *name)
{
	if (!node_is_map(map))
		return line_refuse(writer, map,
			"%s is a map at its root, and this is %s; write KEY: VALUE pairs", name,
			node_kind_name(map));
	if (writer->depth < 1)
		return writer_too_deep(writer, map);
	return text_key_check(writer, map, name, TEXT_KEY_AS_WRITTEN);
}

int line_check_scalar(
	const struct writer *writer, const struct node *value, const char *name, const char *remedy)
{
	if (node_is_map(value))
		return line_refuse(writer, value,
			"%s has no map here; give each key in this one a name of its own", name);
	if (node_is_sequence(value))
		return line_refuse(writer, value, "%s has no lists; %s", name, remedy);
	return line_check_tag(writer, value, name);
}

int line_check_tag(const struct writer *writer, const struct node *value, const char *name)
{
	/* A tag of YAML's own only repeats what the value's text says. */
	if (!value->tag || value->tag[0] != '!')
		return 0;
	return line_refuse(
		writer, value, "\"%s\" is a tag, and %s has none; remove it", value->tag, name);
}

int line_check_null(const struct writer *writer, const struct node *value, const char *name)
{
	if (!scalar_is_null(value))
		return 0;
	return line_refuse(writer, value,
		"%s has no null; write \"\" for an empty text, or '!delete' for no value at all",
		name);
}
