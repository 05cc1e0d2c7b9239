#include "section.h"

#include <errno.h>

#include "scalar.h"

/* Notes the section's header. The extents of its pairs are noted later. */
EXTENT_NOTE_RARE static int note_section(
	struct section_reader *reader, struct span name, const struct node *map)
{
	struct line_reader *lines = &reader->lines;
	struct builder *builder = lines->builder;
	const struct node *key = builder->waiting[builder->open[1].first - 2];
	struct extent *extent;
	size_t end;

	extent = lines->in = extent_note_add(builder, builder->document->extents[0]);
	if (!extent)
		return -ENOMEM;
	extent->node = map;
	extent->key = extent_note_range(builder, name.data, span_end(name));
	end = extent->key.end + 1;
	extent->value = (struct range){end, end};
	extent->member = (struct range){extent->key.begin - 1, end};
	return extent_note_set_keys(builder, extent, &key, 1);
}

static int end_section(struct section_reader *reader)
{
	int r = 0;

	if (reader->lines.in && reader->depth)
		extent_note_close(reader->lines.in);
	for (; r == 0 && reader->depth; reader->depth--)
		r = builder_close(reader->lines.builder);
	return r;
}

int section_open(struct section_reader *reader, struct span name, bool is_item)
{
	struct line_reader *lines = &reader->lines;
	struct place place = line_place(lines, name.data - 1);
	struct node *node;

	int r = line_open_root(lines, name.data - 1);
	if (r == 0)
		r = end_section(reader);
	if (r == 0)
		r = reader->fold ? line_add_key(lines, name, name.data, reader->fold)
				 : line_add_scalar(lines, name, name.data);
	if (r == 0 && is_item) {
		r = builder_open(lines->builder, NODE_SEQUENCE, NODE_BLOCK, place, &node);
		reader->depth += r == 0;
	}
	if (r == 0) {
		r = builder_open(lines->builder, NODE_MAP, NODE_BLOCK, place, &node);
		reader->depth += r == 0;
	}
	return r == 0 && lines->in ? note_section(reader, name, node) : r;
}

int section_leave(struct section_reader *reader)
{
	int r = end_section(reader);

	if (reader->lines.in)
		reader->lines.in = reader->lines.builder->document->extents[0];
	return r;
}

int section_close(struct section_reader *reader)
{
	int r = end_section(reader);

	return r == 0 ? line_close_root(&reader->lines) : r;
}

int section_name(const struct section_reader *reader, struct span line, const char *end,
	struct span *ret, struct span *rest)
{
	if (!end)
		return line_problem(&reader->lines, line.data,
			"the section's name does not end; a closing ] is missing");
	*ret = (struct span){line.data + 1, (size_t)(end - line.data) - 1};
	if (!ret->len)
		return line_problem(
			&reader->lines, line.data, "the section has no name; write it in the []");
	*rest = line_trim((struct span){end + 1, (size_t)(span_end(line) - end) - 1});
	return 0;
}

static int put_name(
	struct writer *writer, const struct node *key, const struct section_style *style)
{
	const char *fault = line_text_fault(key->text); /* blanks belong to the name */

	if (!fault)
		fault = line_return_fault(key->text);
	if (!key->text.len)
		return line_refuse(writer, key, "a section in %s needs a name", style->name);
	if (fault)
		return line_refuse(writer, key, "a section's name in %s can't hold %s; rename it",
			style->name, fault);
	if (strpbrk(key->text.data, style->not_in_name))
		return line_refuse(writer, key,
			"a section's name in %s can't hold any of %s; rename it", style->name,
			style->not_in_name);
	fault = style->name_fault ? style->name_fault(key->text) : NULL;
	if (fault)
		return line_refuse(writer, key,
			"a section's name in %s can't be one that %s; rename it", style->name,
			fault);
	if (writer->output->len)
		output_char(writer->output, '\n');
	struct span name = style->fold ? spelling_of(key, style->fold) : key->text;
	output_char(writer->output, '[');
	output_put(writer->output, name.data, name.len);
	output_put(writer->output, "]\n", 2);
	return 0;
}

static int put_section(struct writer *writer, const struct node *key, const struct node *map,
	const struct section_style *style)
{
	int r = line_check_map(writer, map, style->name);

	if (r == 0)
		r = put_name(writer, key, style);
	for (uint32_t i = 0; r == 0 && i < map->map.count; i++)
		r = style->put(writer, &map->map.pairs[i]);
	return r;
}

/* Writes a list of sections. Each item is a map. */
static int put_sections(struct writer *writer, const struct node *key, const struct node *list,
	const struct section_style *style)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < list->seq.count; i++) {
		if (!node_is_map(list->seq.items[i]))
			return line_refuse(writer, list->seq.items[i],
				"a section in %s is a map, and this is %s; write KEY: VALUE pairs",
				style->name, node_kind_name(list->seq.items[i]));
		r = put_section(writer, key, list->seq.items[i], style);
	}
	return r;
}

static int put_root_key(
	struct writer *writer, const struct pair *pair, const struct section_style *style)
{
	if (style->root_keys)
		return line_refuse(writer, pair->key, "%s has no keys before its sections; %s",
			style->name, style->root_keys);
	return style->put(writer, pair);
}

static bool is_section(const struct node *value, const struct section_style *style)
{
	return node_is_map(value) || (style->has_lists && node_is_sequence(value) &&
					     value->seq.count && node_is_map(value->seq.items[0]));
}

int section_write(struct writer *writer, const struct node *root, const struct section_style *style)
{
	int r = line_check_map(writer, root, style->name);

	/* Root keys come first: a key behind a section would belong to it. */
	for (uint32_t i = 0; r == 0 && i < root->map.count; i++)
		if (!is_section(root->map.pairs[i].value, style))
			r = put_root_key(writer, &root->map.pairs[i], style);
	for (uint32_t i = 0; r == 0 && i < root->map.count; i++) {
		const struct pair *pair = &root->map.pairs[i];

		if (!is_section(pair->value, style))
			continue;
		if (writer->depth < 2)
			return writer_too_deep(writer, pair->value);
		r = node_is_map(pair->value) ? put_section(writer, pair->key, pair->value, style)
					     : put_sections(writer, pair->key, pair->value, style);
	}
	return r;
}

int section_check_key(const struct writer *writer, const struct node *key, const char *name,
	const char *not_in, const char *not_first)
{
	const char *fault = line_fault(key->text);

	if (!fault)
		fault = line_return_fault(key->text);
	if (!key->text.len)
		return line_refuse(writer, key, "%s has no empty keys; name it", name);
	if (fault)
		return line_refuse(
			writer, key, "a key in %s can't hold %s; rename it", name, fault);
	if (strpbrk(key->text.data, not_in))
		return line_refuse(writer, key, "a key in %s can't hold '%c'; rename it", name,
			*strpbrk(key->text.data, not_in));
	if (span_begins(key->text, "\xEF\xBB\xBF"))
		return line_refuse(writer, key,
			"a key in %s can't begin with a byte order mark; remove that", name);
	if (strchr(not_first, key->text.data[0]))
		return line_refuse(writer, key, "a key in %s can't begin with '%c'; rename it",
			name, key->text.data[0]);
	return 0;
}
