/*
 * Splits a source into parts. The type of a part comes from the MIME message or the archive, or
 * else from its first line.
 */
#include <errno.h>
#include <strings.h>

#include "cloud.h"
#include "mime.h"
#include "pyyaml.h"
#include "scalar.h"

enum part_type {
	PART_CONFIG,
	PART_PATCH,
	PART_ARCHIVE,
	PART_INCLUDE,
	PART_JINJA,
	PART_OTHER, /* scripts and the like: not part of the merged cloud-config */
	PART_UNKNOWN,
};

/* The first lines that cloud-init knows, in small letters. The longest match counts. */
static const struct {
	const char *start;
	const char *mime;
	enum part_type type;
} types[] = {
	{"#cloud-config-archive", "text/cloud-config-archive", PART_ARCHIVE},
	{"#cloud-config-jsonp", "text/cloud-config-jsonp", PART_PATCH},
	{"## template: jinja", "text/jinja2", PART_JINJA},
	{"#cloud-boothook", "text/cloud-boothook", PART_OTHER},
	{"#include-once", "text/x-include-once-url", PART_INCLUDE},
	{"#part-handler", "text/part-handler", PART_OTHER},
	{"#cloud-config", "text/cloud-config", PART_CONFIG},
	{"#include", "text/x-include-url", PART_INCLUDE},
	{"#!", "text/x-shellscript", PART_OTHER},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
}

static enum part_type type_of_text(struct span text)
{
	while (text.len > 0 && is_space(text.data[0])) {
		text.data++;
		text.len--;
	}
	for (size_t i = 0; i < COUNT(types); i++) {
		size_t len = strlen(types[i].start);
		if (text.len >= len && strncasecmp(text.data, types[i].start, len) == 0)
			return types[i].type;
	}
	return PART_UNKNOWN;
}

static enum part_type type_of_mime(const char *mime)
{
	for (size_t i = 0; i < COUNT(types); i++)
		if (strcmp(mime, types[i].mime) == 0)
			return types[i].type;
	return PART_OTHER;
}

static int refuse(struct cloud *cloud, const struct cloud_part *part, const char *message)
{
	uint32_t line = part->place.is_rewritten ? part->place.lines : part->place.lines + 1;

	return problem_set(cloud->problem, part->source.name, line, 0, "%s", message);
}

/* Bytes in which cloud-init searches for "MIME-Version:". */
#define MESSAGE_HEAD 4096

/*
 * cloud-init reads a cloud-config with "MIME-Version:" in its first lines as a message without
 * headers, with the same result. So a first line that is no header means that it is no message.
 */
static bool is_message(struct span text)
{
	static const char name[] = "mime-version:";
	size_t header = 0;

	while (header < text.len && text.data[header] >= '!' && text.data[header] <= '~' &&
		text.data[header] != ':')
		header++;
	bool is_mbox = span_begins(text, "From ");
	if (!is_mbox && (header == 0 || header == text.len || text.data[header] != ':'))
		return false;
	size_t last = text.len < MESSAGE_HEAD ? text.len : MESSAGE_HEAD;
	for (size_t i = 0; i + sizeof(name) - 1 <= last; i++)
		if (strncasecmp(text.data + i, name, sizeof(name) - 1) == 0)
			return true;
	return false;
}

static int add_archive(struct cloud *cloud, const struct cloud_part *part);

static int add_part(struct cloud *cloud, const struct cloud_part *part, enum part_type type)
{
	if (++cloud->parts > CLOUD_PARTS_MAX)
		return refuse(cloud, part, "there are too many parts; join some of them");
	switch (type) {
	case PART_CONFIG:
		return cloud_add_config(cloud, part);
	case PART_PATCH:
		return cloud_add_patch(cloud, part);
	case PART_ARCHIVE:
		return add_archive(cloud, part);
	case PART_INCLUDE:
		return refuse(cloud, part,
			"an #include of other addresses is not followed; make them layers");
	case PART_JINJA:
		return refuse(cloud, part,
			"a jinja template needs the data of a running instance; render it first");
	case PART_OTHER:
	case PART_UNKNOWN:
		break;
	}
	return 0;
}

/* Takes Merge-Type or X-Merge-Type. A header has no node, so one is made that has its place. */
static int take_header(struct cloud *cloud, struct cloud_part *part, const struct mime_part *mime,
	const struct source *source)
{
	if (!mime->merge_type)
		return 0;
	part->merge_type = span_of(mime->merge_type);
	if (!cloud->origins)
		return 0;
	struct node *by = node_new_scalar(cloud->arena, part->merge_type, NODE_PLAIN);
	if (!by)
		return -ENOMEM;
	by->source = source;
	by->line = mime->merge_type_line;
	by->column = 1;
	part->merge_type_by = by;
	return 0;
}

static int add_message(struct cloud *cloud, const struct merge_input *input)
{
	struct mime_part *parts;
	size_t count;

	int r = mime_read(&input->source, input->text, CLOUD_PARTS_MAX, cloud->arena, &parts,
		&count, cloud->problem);
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct mime_part *mime = &parts[i];
		struct cloud_part part = {
			.source = input->source,
			.text = mime->text,
			.place = mime->place,
			.merge_type_place = {input->source.name, mime->merge_type_line, 0},
		};
		r = take_header(cloud, &part, mime, &input->source);
		if (r != 0)
			return r;
		enum part_type type = type_of_mime(mime->type);
		/* Mail programs know no better types than these, so they carry no information. */
		if (strcmp(mime->type, "text/plain") == 0 ||
			strcmp(mime->type, "text/x-not-multipart") == 0 ||
			strcmp(mime->type, "text/x-shellscript") == 0)
			type = type_of_text(mime->text);
		r = add_part(cloud, &part, type);
	}
	return r;
}

int cloud_add_source(struct cloud *cloud, const struct merge_input *input)
{
	struct cloud_part part = {.source = input->source, .text = input->text};
	enum part_type type;

	/* The work on a part may grow with its text, but not faster. */
	cloud->work.left += 2 * (uint64_t)input->text.len;
	if (is_message(input->text))
		return add_message(cloud, input);
	type = type_of_text(input->text);
	/* A file in a layer is meant to be merged, even without the first line. */
	if (type == PART_UNKNOWN)
		type = PART_CONFIG;
	if (type == PART_CONFIG && format_of_tree(input->format) == &format_yaml)
		part.document = input->document;
	return add_part(cloud, &part, type);
}

/* A cursor that finds lines of an archive's text in order. */
struct archive_lines {
	struct span text;
	uint32_t line; /* of `at`, starting at 1 */
	const char *at;
};

/* Returns the line without its end. Empty for an earlier line, which only an alias can refer to. */
static struct span line_at(struct archive_lines *lines, uint32_t line)
{
	const char *end = span_end(lines->text), *newline;

	if (line < lines->line)
		return (struct span){end, 0};
	while ((newline = memchr(lines->at, '\n', (size_t)(end - lines->at))) &&
		lines->line < line) {
		lines->at = newline + 1;
		lines->line++;
	}
	if (lines->line < line)
		return (struct span){end, 0};
	return (struct span){lines->at, (size_t)((newline ? newline : end) - lines->at)};
}

static struct span without_return(struct span line)
{
	if (line.len > 0 && line.data[line.len - 1] == '\r')
		line.len--;
	return line;
}

/*
 * Finds the place of `content`. A literal block is written as it is, below its `|` and indented.
 * Any other content was folded or unescaped: all of it gets the place where it begins.
 */
static struct text_place place_of(
	const struct cloud_part *archive, struct archive_lines *lines, const struct node *content)
{
	struct text_place rewritten = {content->line, content->column, true};
	struct span inner = content->text;
	uint32_t line = content->line - archive->place.lines + 1;

	if (content->style != NODE_LITERAL || archive->place.is_rewritten ||
		content->line < archive->place.lines)
		return rewritten;
	while (inner.len > 0 && inner.data[0] == '\n') {
		inner.data++;
		inner.len--;
		line++;
	}
	const char *end = inner.len > 0 ? memchr(inner.data, '\n', inner.len) : NULL;
	if (end)
		inner.len = (size_t)(end - inner.data);
	struct span outer = without_return(line_at(lines, line));
	if (outer.len < inner.len || inner.len == 0 ||
		memcmp(span_end(outer) - inner.len, inner.data, inner.len) != 0)
		return rewritten;
	return (struct text_place){
		.lines = content->line,
		.columns = archive->place.columns + (uint32_t)(outer.len - inner.len),
	};
}

/* Returns whether the key of an entry is a header whose value must be a text. */
static bool is_header(const struct node *key)
{
	static const char *const others[] = {"content", "filename", "type", "launch-index",
		"content-disposition", "number-attachments", "content-type"};

	for (size_t i = 0; i < COUNT(others); i++)
		if (key->text.len == strlen(others[i]) &&
			strcasecmp(key->text.data, others[i]) == 0)
			return false;
	return true;
}

static int check_headers(struct cloud *cloud, const struct node *entry)
{
	for (uint32_t i = 0; i < entry->map.count; i++) {
		const struct pair *pair = &entry->map.pairs[i];
		if (!scalar_is_string(pair->key))
			return problem_at(cloud->problem, pair->key,
				"a key of a part is a text, such as content or Merge-Type");
		if (is_header(pair->key) && !scalar_is_string(pair->value) &&
			!scalar_is_null(pair->value))
			return problem_at(cloud->problem, pair->value,
				"%s is a header, a text; quote the value", pair->key->text.data);
	}
	return 0;
}

/* Takes the first of the two headers that cloud-init reads, in this order. */
static void take_merge_type(const struct node *entry, struct cloud_part *part)
{
	static const char *const names[] = {"Merge-Type", "X-Merge-Type"};

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct node *value = node_get(entry, names[i]);
		if (!value || scalar_is_null(value) || value->text.len == 0)
			continue;
		part->merge_type = value->text;
		part->merge_type_place = how_place_of(value);
		part->merge_type_by = value;
		return;
	}
}

/* Returns false if Python's `not mtype` is true. */
static bool is_given(const struct node *type)
{
	if (!node_is_scalar(type))
		return node_count(type) > 0;
	switch (scalar_type(type)) {
	case SCALAR_NULL:
		return false;
	case SCALAR_BOOL:
		return scalar_bool(type);
	case SCALAR_INT:
	case SCALAR_FLOAT:
		return scalar_number(type) != 0;
	default:
		return type->text.len > 0;
	}
}

/* An entry of an archive. */
struct archive_entry {
	const struct node *content;
	const struct node *type; /* as written; NULL: the part's first line decides */
};

static int read_entry(struct cloud *cloud, const struct node *node, struct archive_entry *ret)
{
	const struct node *type = node_get(node, "type");

	ret->content = node_get(node, "content");
	if (!type || !is_given(type))
		return 0;
	if (!scalar_is_string(type) || !memchr(type->text.data, '/', type->text.len))
		return problem_at(cloud->problem, type,
			"the type of a part is a MIME type, such as text/cloud-config");
	ret->type = type;
	return 0;
}

static enum part_type type_of_entry(const struct archive_entry *entry, struct span text)
{
	bool is_binary = !scalar_is_string(entry->content);
	enum part_type type = PART_OTHER;
	char name[64] = "";

	if (!entry->type) {
		type = type_of_text(text);
		/* An unknown first line means a cloud-config, or a program if it is binary. */
		if (type == PART_UNKNOWN)
			type = is_binary ? PART_OTHER : PART_CONFIG;
	} else {
		struct span written = entry->type->text;
		for (size_t i = 0;
			i < written.len && i + 1 < sizeof(name) && written.data[i] != ';'; i++) {
			char c = written.data[i];
			name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		}
		type = type_of_mime(name);
	}
	/*
	 * If an archive contains an archive or an #include, cloud-init passes it on, and no handler
	 * takes it.
	 */
	return type == PART_ARCHIVE || type == PART_INCLUDE ? PART_OTHER : type;
}

/* Takes the content's text. *ret is false if it has none: then it is for a program. */
static int take_content(struct cloud *cloud, const struct archive_entry *entry,
	struct archive_lines *lines, struct cloud_part *part, const struct cloud_part *archive,
	bool *ret)
{
	const struct node *content = entry->content;

	*ret = true;
	if (scalar_is_string(content)) {
		part->text = content->text;
		part->place = place_of(archive, lines, content);
		return 0;
	}
	if (node_is_scalar(content) && scalar_type(content) == SCALAR_BINARY) {
		part->place = (struct text_place){content->line, content->column, true};
		return pyyaml_binary(content, cloud->arena, &part->text);
	}
	*ret = false;
	/* Python treats a list as the parts of a multipart, but its items are not parts. */
	if (entry->type && !span_begins(entry->type->text, "text/") &&
		!(node_is_sequence(content) && content->seq.count > 0))
		return 0;
	return problem_at(cloud->problem, content, "the content of a part is a text, or !!binary");
}

/* Adds an entry: a text, or a map with `content`, `type` and headers. cloud-init skips others. */
static int add_entry(struct cloud *cloud, const struct cloud_part *archive,
	struct archive_lines *lines, const struct node *node)
{
	struct cloud_part part = {.source = archive->source};
	struct archive_entry entry = {.content = node};
	bool has_text;
	int r = 0;

	if (node_is_map(node)) {
		r = check_headers(cloud, node);
		if (r == 0)
			r = read_entry(cloud, node, &entry);
		if (r != 0 || !entry.content)
			return r;
		take_merge_type(node, &part);
	} else if (!scalar_is_string(node)) {
		return 0;
	}
	r = take_content(cloud, &entry, lines, &part, archive, &has_text);
	if (r != 0 || !has_text)
		return r;
	/* With aliases, the texts may be larger than the archive. */
	r = cloud_spend(cloud, part.text.len, entry.content);
	return r == 0 ? add_part(cloud, &part, type_of_entry(&entry, part.text)) : r;
}

/* Adds a list of entries; or a set of texts, which has no order in Python. */
static int add_entries(
	struct cloud *cloud, const struct cloud_part *archive, const struct node *entries)
{
	struct archive_lines lines = {.text = archive->text, .line = 1, .at = archive->text.data};
	bool is_set = node_is_map(entries);
	int r = 0;

	/* In Python the items of !!omap and !!pairs are pairs, which are no entries. */
	if (!is_set && node_foreign_tag(entries))
		return 0;
	for (uint32_t i = 0; r == 0 && i < node_count(entries); i++)
		r = add_entry(cloud, archive, &lines,
			is_set ? entries->map.pairs[i].key : entries->seq.items[i]);
	return r;
}

static int add_archive(struct cloud *cloud, const struct cloud_part *part)
{
	const struct document *document;
	const struct node *list;

	int r = cloud_read_part(cloud, part, &format_yaml, false, &document);
	if (r != 0 || document->count == 0)
		return r;
	list = document->roots[0];
	if (document->count > 1)
		return problem_at(cloud->problem, document->roots[1],
			"a second document begins here, and an archive has one; put all parts into "
			"one list");
	if (node_is_scalar(list) || cloud_kind(list) == CLOUD_DICT)
		return problem_at(cloud->problem, list,
			"a cloud-config-archive is a list of parts, and this is %s",
			node_kind_name(list));
	r = cloud_spend(cloud, list->weight, list);
	if (r == 0)
		r = pyyaml_load(list, cloud->arena, &list, cloud->problem);
	return r == 0 ? add_entries(cloud, part, list) : r;
}
