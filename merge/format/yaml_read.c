/*
 * The reader of YAML, on libyaml's events.
 *
 * libyaml's own document building is not used: it loses the order of duplicate keys and the tags as
 * they were written, and costs a second tree.
 */
#include <errno.h>
#include <inttypes.h>
#include <yaml.h>

#include "scalar.h"
#include "table.h"
#include "utf8.h"
#include "yaml_read.h"
#include "yaml_text.h"

/*
 * libyaml compares every %TAG with all others, and every tag with every %TAG, and copies the prefix
 * into each tag. Without these limits a small file could take hours.
 */
#define TAG_DIRECTIVES_MAX 64
#define TAG_DIRECTIVE_MAX 512 /* bytes */

struct yaml_reader {
	yaml_parser_t parser;
	struct builder *builder;
	struct span text;
	size_t given;         /* bytes of the text that libyaml has got */
	struct table anchors; /* of this YAML document, which lead to nodes */
	struct table tags;    /* which lead to one copy of each … */
	size_t tag_bytes;     /* … and the size of these copies */
	/* that of this YAML document: from its %YAML, or else from the options */
	enum node_schema schema;
	struct yaml_extents extents;
	size_t passed;      /* bytes of the text before … */
	struct place place; /* … this place, which place_of() moves */
	/* a line break that is none for grep and git; NULL: none is there, and marks are right */
	const char *other_break;
};

/* The marks of successive calls must not descend. */
static struct place place_of(struct yaml_reader *reader, const yaml_mark_t *mark)
{
	if (reader->other_break) {
		size_t offset = yaml_offset(&reader->extents, mark);

		for (; reader->passed < offset; reader->passed++)
			yaml_pass(&reader->place, reader->text.data[reader->passed]);
		return builder_place(reader->builder, reader->place.line, reader->place.column);
	}
	/* limits.source_bytes may exceed 4 GiB, and then the line number may wrap. */
	return builder_place(reader->builder, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1);
}

/*
 * Gives libyaml the next bytes. libyaml may read much without an event, in a long comment or a long
 * text, so the budget is checked here.
 */
static int give_text(void *context, unsigned char *buffer, size_t size, size_t *ret)
{
	struct yaml_reader *reader = context;
	size_t left = reader->text.len - reader->given;

	if (reader->given > 0 && budget_is_spent(arena_budget(reader->builder->document->arena)))
		return 0;
	if (size > left)
		size = left;
	if (size)
		memcpy(buffer, reader->text.data + reader->given, size);
	reader->given += size;
	*ret = size;
	return 1;
}

static int parse_problem(struct yaml_reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;

	/* For some failures while it scans a tag, libyaml gives no error at all: they are lack of
	 * memory, too. */
	if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR ||
		budget_is_spent(arena_budget(reader->builder->document->arena)))
		return -ENOMEM;
	return yaml_fault(reader->builder, reader->text, parser);
}

static int take_tag(struct yaml_reader *reader, const yaml_char_t *written, struct place place,
	const char **ret)
{
	struct builder *builder = reader->builder;
	const char *text = (const char *)written;

	builder->document->has_local_tags |= text[0] == '!';
	*ret = table_get(&reader->tags, span_of(text));
	if (*ret)
		return 0;
	/* A short tag may stand for a long one. */
	reader->tag_bytes += strlen(text);
	if (reader->tag_bytes > builder->options->limits.source_bytes)
		return builder_problem(builder, place,
			"the tags, written out, are larger than %zu bytes; raise the limit "
			"'source'",
			builder->options->limits.source_bytes);
	char *copy = arena_copy(builder->document->arena, span_of(text));
	*ret = copy;
	return copy ? table_put(&reader->tags, builder->document->arena, span_of(copy), copy)
		    : -ENOMEM;
}

static int take_anchor(
	struct yaml_reader *reader, const yaml_char_t *written, const struct node *node)
{
	struct arena *arena = reader->builder->document->arena;
	const char *text = arena_copy(arena, span_of((const char *)written));
	void **place = text ? table_place(&reader->anchors, arena, span_of(text)) : NULL;

	if (!place)
		return -ENOMEM;
	if (*place && reader->builder->options->as_pyyaml) {
		const struct node *other = *place;

		return builder_problem(reader->builder, (struct place){node->line, node->column},
			"\"&%s\" is an anchor in line %" PRIu32
			" already, and PyYAML refuses a second one; give it another name",
			text, other->line);
	}
	*place = (void *)node; /* never changed through this pointer */
	return 0;
}

/* Inline: few nodes have a tag or an anchor, so most need no call. */
static inline int take_properties(struct yaml_reader *reader, const yaml_char_t *tag,
	const yaml_char_t *anchor, struct node *node)
{
	int r = tag ? take_tag(reader, tag, (struct place){node->line, node->column}, &node->tag)
		    : 0;

	return r || !anchor ? r : take_anchor(reader, anchor, node);
}

static enum node_style scalar_style(yaml_scalar_style_t style)
{
	switch (style) {
	case YAML_SINGLE_QUOTED_SCALAR_STYLE:
		return NODE_SINGLE;
	case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
		return NODE_DOUBLE;
	case YAML_LITERAL_SCALAR_STYLE:
		return NODE_LITERAL;
	case YAML_FOLDED_SCALAR_STYLE:
		return NODE_FOLDED;
	default:
		return NODE_PLAIN;
	}
}

/* Gives the node the schema of its YAML document, which declares another version than the file's
 * format. */
static int take_as_written(const struct yaml_reader *reader, struct node *node)
{
	if (node->style == NODE_PLAIN && !node->tag)
		return scalar_translate(node, reader->schema, reader->builder->document->arena);
	node->schema = (uint8_t)reader->schema;
	return 0;
}

/* Sets the schema by %YAML. PyYAML, and with it Salt, accepts the directive and reads every file as
 * YAML 1.1. */
static void take_version(struct yaml_reader *reader, const yaml_version_directive_t *version)
{
	static const enum node_schema versions[] = {NODE_YAML_1_1, NODE_YAML_1_2};
	const struct read_options *options = reader->builder->options;

	reader->schema = options->schema;
	if (!version || options->as_pyyaml || options->schema == NODE_SALT)
		return;
	reader->builder->document->yaml = &versions[version->minor == 1 ? 0 : 1];
	reader->schema = *reader->builder->document->yaml;
}

#define UNSTRUCTURED                                                                               \
	"the file is one text of several lines, such as an encrypted file, and a merge would "     \
	"join its lines; give it a rule of its own with 'strategy: last'"

/* Returns whether the document is one text of several lines, whose line breaks the tree loses. */
static bool is_unstructured(const struct builder *builder, const yaml_event_t *event)
{
	return !builder->depth && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       !event->data.scalar.tag && event->end_mark.line > event->start_mark.line;
}

static int on_scalar(struct yaml_reader *reader, const yaml_event_t *event)
{
	struct builder *builder = reader->builder;
	struct place place = place_of(reader, &event->start_mark);
	struct node *node;
	char *text;
	int r;

	if (is_unstructured(builder, event) && builder_doubt(builder, place, UNSTRUCTURED) < 0)
		return -ENOMEM;
	node = builder_new_scalar(builder, place, event->data.scalar.length, &text);
	if (!node)
		return -ENOMEM;
	memcpy(text, event->data.scalar.value, event->data.scalar.length);
	node->style = (uint8_t)scalar_style(event->data.scalar.style);
	node->schema = (uint8_t)builder->options->schema;
	r = take_properties(reader, event->data.scalar.tag, event->data.scalar.anchor, node);
	if (!r && reader->schema != builder->options->schema)
		r = take_as_written(reader, node);
	return r ? r : builder_add(builder, node, place);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Cuts spaces off the end, and comments between the lines. */
static struct span cut_spaces(struct span text)
{
	for (;;) {
		size_t line, hash;

		while (text.len && is_space(text.data[text.len - 1]))
			text.len--;
		for (line = text.len; line && text.data[line - 1] != '\n'; line--)
			;
		for (hash = line; hash < text.len; hash++)
			if (text.data[hash] == '#' &&
				(hash == line || is_space(text.data[hash - 1])))
				break;
		if (hash == text.len)
			return text;
		text.len = hash;
	}
}

/* Returns whether "? " stands before the mark: it allows any value as a key. */
static bool is_explicit_key(struct yaml_reader *reader, const yaml_mark_t *mark)
{
	struct span text =
		cut_spaces((struct span){reader->text.data, yaml_offset(&reader->extents, mark)});

	return text.len && text.data[text.len - 1] == '?' &&
	       (text.len == 1 || is_space(text.data[text.len - 2]) ||
		       strchr("{[,", text.data[text.len - 2]));
}

/*
 * Refuses a map or list as a key without "? ". It is seldom meant: `port: {{ app_port }}` is a
 * template, and most programs can't read such keys.
 */
static int check_key(struct yaml_reader *reader, const yaml_mark_t *mark, bool is_map)
{
	const struct builder *builder = reader->builder;
	const struct open_node *open = builder->depth ? &builder->open[builder->depth - 1] : NULL;

	if (!open || !node_is_map(open->node) || (builder->count - open->first) % 2 ||
		is_explicit_key(reader, mark))
		return 0;
	return builder_problem(builder, place_of(reader, mark),
		"%s can't be a key; quote it, if it is a template, or put '? ' before it",
		is_map ? "a map" : "a list");
}

static int on_alias(struct yaml_reader *reader, const yaml_event_t *event)
{
	const char *anchor = (const char *)event->data.alias.anchor;
	struct place place = place_of(reader, &event->start_mark);
	const struct node *node = table_get(&reader->anchors, span_of(anchor));

	if (!node)
		return builder_problem(reader->builder, place,
			"\"*%s\" is an alias, and its anchor does not stand before it; a text that "
			"begins with '*' stands in quotes",
			anchor);
	if (node->mark == BUILDER_OPEN)
		return builder_problem(reader->builder, place,
			"\"*%s\" is an alias inside the value that it refers to; remove it",
			anchor);
	if (!node_is_scalar(node)) {
		int r = check_key(reader, &event->start_mark, node_is_map(node));
		if (r)
			return r;
	}
	reader->builder->document->has_aliases = true;
	return builder_add(reader->builder, node, place);
}

static int on_collection(struct yaml_reader *reader, const yaml_event_t *event)
{
	bool is_map = event->type == YAML_MAPPING_START_EVENT;
	bool is_flow = is_map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
			      : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	const yaml_char_t *tag =
		is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
	const yaml_char_t *anchor =
		is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
	struct place place = place_of(reader, &event->start_mark);
	struct node *node;
	int r;

	r = check_key(reader, &event->start_mark, is_map);
	if (r)
		return r;
	r = builder_open(reader->builder, is_map ? NODE_MAP : NODE_SEQUENCE,
		is_flow ? NODE_FLOW : NODE_BLOCK, place, &node);
	return r ? r : take_properties(reader, tag, anchor, node);
}

static int on_event(struct yaml_reader *reader, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		table_clear(&reader->anchors);
		take_version(reader, event->data.document_start.version_directive);
		return 0;
	case YAML_ALIAS_EVENT:
		return on_alias(reader, event);
	case YAML_SCALAR_EVENT:
		return on_scalar(reader, event);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return on_collection(reader, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return builder_close(reader->builder);
	default:
		return 0;
	}
}

static int read_events(struct yaml_reader *reader)
{
	bool wants_extents = reader->builder->options->wants_extents;
	yaml_event_type_t type;
	yaml_event_t event;
	int r;

	do {
		if (!yaml_parser_parse(&reader->parser, &event))
			return parse_problem(reader);
		type = event.type;
		r = on_event(reader, &event);
		if (!r && wants_extents)
			r = yaml_note(&reader->extents, &event);
		yaml_event_delete(&event);
	} while (!r && type != YAML_STREAM_END_EVENT);
	return r;
}

static bool begins_line(struct span text, const char *p)
{
	for (size_t length = 1; length <= 3 && length <= (size_t)(p - text.data); length++)
		if (yaml_break_length(p - length, p) == length)
			return true;
	return p == text.data;
}

static bool is_too_long(const char *p, const char *end)
{
	if (end - p <= TAG_DIRECTIVE_MAX)
		return false;
	for (end = p + TAG_DIRECTIVE_MAX; p < end; p++)
		if (*p == '\n' || *p == '\r')
			return false;
	return true;
}

static int check_tag_directives(const struct yaml_reader *reader)
{
	struct span text = reader->text;
	const char *end = span_end(text);
	unsigned count = 0;

	if (!text.len)
		return 0;
	for (const char *p = text.data; (p = memchr(p, '%', (size_t)(end - p))); p++) {
		struct place place;

		if (end - p < 4 || memcmp(p, "%TAG", 4) != 0 || !begins_line(text, p))
			continue;
		if (++count <= TAG_DIRECTIVES_MAX && !is_too_long(p, end))
			continue;
		place = yaml_place(reader->builder, text, (size_t)(p - text.data));
		if (count > TAG_DIRECTIVES_MAX)
			return builder_problem(reader->builder, place,
				"more than %d %%TAG directives; write the tags out",
				TAG_DIRECTIVES_MAX);
		return builder_problem(reader->builder, place,
			"a %%TAG directive is longer than %d bytes; shorten it", TAG_DIRECTIVE_MAX);
	}
	return 0;
}

/* Returns a break that only libyaml takes for one; NULL: there is none. */
static const char *find_other_break(struct span text)
{
	const char *end = span_end(text);

	/* Few files have any of the first bytes, and one byte is found fastest. */
	for (const char *first = "\r\xC2\xE2"; text.len && *first; first++)
		for (const char *p = text.data; (p = memchr(p, *first, (size_t)(end - p))); p++) {
			size_t length = yaml_break_length(p, end);

			if (length && p[length - 1] != '\n')
				return p;
		}
	return NULL;
}

int yaml_read(struct builder *builder, struct span text)
{
	struct yaml_reader reader = {.builder = builder,
		.text = text,
		.extents = {.builder = builder, .text = text},
		.place = {1, 1},
		.other_break = find_other_break(text)};
	int r;

	r = check_tag_directives(&reader);
	if (r)
		return r;
	if (!yaml_parser_initialize(&reader.parser))
		return -ENOMEM;
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input(&reader.parser, give_text, &reader);
	r = read_events(&reader);
	yaml_parser_delete(&reader.parser);
	return r;
}
