/*
 * INI, which has no standard. The value is the text behind the "=", with its quotes, as no two
 * programs agree on their meaning. All other differences are in the rows of ini_dialect.h.
 *
 *      key = value     in the root, or in the section above it
 *      key             no value: null, which differs from an empty value
 *          more        continues the value, if the dialect allows it
 */
#include "ini_dialect.h"

#include <errno.h>

#include "edit/text_lines.h"
#include "ini_check.h"
#include "scalar.h"
#include "section.h"

struct ini_reader {
	const struct ini_dialect *dialect;
	struct section_reader section;
	struct span key;    /* of the last line that has a key; its data is NULL before the first */
	struct place place; /* of the value … */
	struct span value;  /* … and its first line */
	struct output more; /* the following lines, each with "\n" before it */
	const char *end;    /* the end of the last line that is not blank */
	size_t indent;      /* the key's, in bytes */
	size_t empty_lines; /* since the last line of the value */
	struct ini_scan scan; /* of the value's last line */
	bool has_included;    /* a line has included files */
};

/* Returns whether the last key has a separator. Without one, the value is at the key's end. */
static bool has_value(const struct ini_reader *reader)
{
	return reader->value.data > span_end(reader->key);
}

static int add_value(struct ini_reader *reader)
{
	static const struct span null = {"null", 4};
	struct line_reader *lines = &reader->section.lines;
	struct span value = has_value(reader) ? reader->value : null;
	struct node *node;
	char *text;

	if (reader->more.failure)
		return -ENOMEM;
	node = builder_new_scalar(
		lines->builder, reader->place, value.len + reader->more.len, &text);
	if (!node)
		return -ENOMEM;
	if (value.len)
		memcpy(text, value.data, value.len);
	if (reader->more.len)
		memcpy(text + value.len, reader->more.data, reader->more.len);
	node->schema = has_value(reader) ? NODE_TEXT : NODE_JSON;
	struct ini_fault fault;
	if (ini_value_has_fault(&reader->dialect->value, node->text, &fault))
		return builder_problem(lines->builder, reader->place,
			"the value has %s, which %s can't hold; %s", fault.what,
			reader->dialect->title, fault.remedy);
	int r = builder_add(lines->builder, node, reader->place);
	if (r != 0 || !lines->in)
		return r;
	return line_note_pair(lines, reader->key,
		(struct span){reader->value.data, (size_t)(reader->end - reader->value.data)});
}

/* Ends the open key, and adds it with its value. */
static int end_key(struct ini_reader *reader)
{
	int r = 0;

	if (reader->key.data && reader->scan.quote &&
		reader->dialect->value.quoting != INI_QUOTE_OPEN)
		r = builder_problem(reader->section.lines.builder, reader->place,
			"a quote does not end in its line; end it, or put the value in one line");
	else if (reader->key.data)
		r = add_value(reader);
	reader->key.data = NULL;
	reader->scan = (struct ini_scan){0};
	reader->more.len = 0;
	reader->empty_lines = 0;
	return r;
}

/* Returns the "]" that ends the section's name; NULL: there is none. */
static const char *end_of_name(const struct ini_dialect *dialect, struct span line)
{
	const char *last = NULL;
	bool is_quoted = false;

	for (size_t i = 1; i < line.len; i++) {
		char c = line.data[i];

		if (dialect->sections.header == INI_HEADER_JOINED && c == '\\')
			i++;
		else if (dialect->sections.header == INI_HEADER_JOINED && c == '"')
			is_quoted = !is_quoted;
		else if (c == ']' && !is_quoted)
			last = line.data + i;
		if (last && dialect->sections.header != INI_HEADER_LONG)
			break;
	}
	return last;
}

static int read_key(struct ini_reader *reader, struct span line);

static int read_section(struct ini_reader *reader, struct span line)
{
	const struct ini_dialect *dialect = reader->dialect;
	const struct line_reader *lines = &reader->section.lines;
	struct span name, rest;
	int r = section_name(&reader->section, line, end_of_name(dialect, line), &name, &rest);

	if (r != 0)
		return r;
	if (!ini_is_name(dialect, name))
		return line_problem(lines, line.data, INI_NO_NAME, dialect->title);
	bool is_comment = rest.len && strchr(dialect->comments, *rest.data);
	if (rest.len && !is_comment && dialect->sections.header != INI_HEADER_JOINED)
		return line_problem(lines, rest.data,
			"something stands behind the section's ]; put it on a line of its own");
	if (reader->has_included)
		r = builder_doubt(lines->builder, line_place(lines, line.data),
			"the section stands behind a line that includes files, and would stand "
			"before it in a merged file; put such lines at the end");
	if (r == 0 && dialect->sections.root && span_is(name, dialect->sections.root))
		r = section_leave(&reader->section);
	else if (r == 0 && ini_has_meaning(dialect, name))
		r = section_open(&reader->section, name, ini_is_list_section(dialect, name));
	return r == 0 && rest.len && !is_comment ? read_key(reader, rest) : r;
}

static const char *find_separator(const struct ini_dialect *dialect, struct span line)
{
	const char *stop = memchr(line.data, '=', line.len);

	if (stop && dialect->keys == INI_DOUBT)
		return stop;
	for (size_t i = 0; i < line.len; i++)
		if (strchr(dialect->separators, line.data[i]))
			return line.data + i;
	return NULL;
}

static int check_key(struct ini_reader *reader, struct span line, const char *stop)
{
	const struct ini_dialect *dialect = reader->dialect;
	const struct line_reader *lines = &reader->section.lines;

	if (!reader->key.len)
		return line_problem(lines, line.data, "there is no key before the '%c'; write one",
			stop ? *stop : '=');
	if (!ini_is_key(dialect, reader->key))
		return line_problem(lines, line.data, INI_NO_KEY, dialect->title);
	if (!stop && !dialect->has_null)
		return line_problem(lines, line.data,
			"is no section, no comment and no KEY = VALUE, which %s must be; a '=' is "
			"missing, or a '%c' in front",
			dialect->title, *dialect->comments);
	if (!reader->section.depth && !dialect->sections.has_root_keys)
		return line_problem(lines, line.data,
			"stands before the first section, where %s has no keys; put it behind one",
			dialect->title);
	return 0;
}

static int read_key(struct ini_reader *reader, struct span line)
{
	const struct ini_dialect *dialect = reader->dialect;
	struct line_reader *lines = &reader->section.lines;
	const char *stop;

	if (dialect->value.quoting != INI_QUOTE_LEADS) {
		reader->scan = ini_value_scan(&dialect->value, line, 0, NULL);
		line.len = reader->scan.len;
	}
	const char *end = span_end(line);
	stop = find_separator(dialect, line);
	reader->key =
		line_trim_end((struct span){line.data, (size_t)((stop ? stop : end) - line.data)});
	int r = check_key(reader, line, stop);
	if (r != 0)
		return r;
	reader->value = (struct span){span_end(reader->key), 0};
	if (stop)
		reader->value = line_trim_start((struct span){stop + 1, (size_t)(end - stop) - 1});
	if (stop && dialect->value.quoting == INI_QUOTE_LEADS) {
		size_t begin = (size_t)(reader->value.data - line.data);

		reader->scan = ini_value_scan(&dialect->value, line, begin, NULL);
		reader->value.len = reader->scan.len > begin ? reader->scan.len - begin : 0;
	}
	/* The value is empty, and a comment follows: `key =   # none` */
	if (stop && !reader->value.len)
		reader->value.data = stop + 1;
	reader->end = span_end(reader->value);
	reader->place = line_place(lines, stop ? reader->value.data : reader->key.data);
	r = line_open_root(lines, line.data);
	if (r == 0 && dialect->keys == INI_DOUBT)
		r = ini_check_line(lines->builder, line_place(lines, line.data), reader->key,
			(struct span){stop ? stop : end, stop ? (size_t)(end - stop) : 0});
	return r == 0 ? line_add_key(lines, reader->key, reader->key.data, &dialect->fold) : r;
}

/* Reads `!includedir /etc/mysql/conf.d/`: a key of the root whose value is the path. */
static int read_include(struct ini_reader *reader, struct span line)
{
	struct line_reader *lines = &reader->section.lines;
	size_t len = 1;

	while (len < line.len && !line_is_blank(line.data[len]))
		len++;
	reader->key = (struct span){line.data, len};
	reader->value = line_trim((struct span){line.data + len, line.len - len});
	if (!reader->value.len)
		return line_problem(lines, line.data, "the path of the included file is missing");
	reader->has_included = true;
	reader->end = span_end(reader->value);
	reader->place = line_place(lines, reader->value.data);
	int r = line_open_root(lines, line.data);
	if (r == 0)
		r = section_leave(&reader->section);
	return r == 0 ? line_add_scalar(lines, reader->key, reader->key.data) : r;
}

static void go_on(struct ini_reader *reader, struct span line)
{
	for (size_t i = 0; i <= reader->empty_lines; i++)
		output_char(&reader->more, '\n');
	output_put(&reader->more, line.data, line.len);
	if (line.len)
		reader->end = span_end(line);
	reader->empty_lines = 0;
}

/* Refuses a line that is several to the program, or to some programs. */
static int check_line(struct ini_reader *reader)
{
	const struct line_reader *lines = &reader->section.lines;
	const char *end = ini_value_find_return(&reader->dialect->value, lines->line);

	if (!end)
		return 0;
	if (reader->dialect->keys == INI_DOUBT)
		return builder_doubt(lines->builder, line_place(lines, end), LINE_RETURN);
	return line_problem(lines, end, LINE_RETURN);
}

static int read_line(struct ini_reader *reader)
{
	const struct ini_dialect *dialect = reader->dialect;
	struct span whole = reader->section.lines.line, line = line_trim(whole);
	size_t indent = (size_t)(line.data - whole.data);
	int r;

	/* The line before ends with a backslash. */
	if (reader->key.data && reader->scan.goes_on) {
		struct ini_scan before = reader->scan;

		reader->scan = ini_value_scan(&dialect->value, whole, 0, &before);
		go_on(reader, (struct span){whole.data, reader->scan.len});
		return 0;
	}
	if (!line.len) {
		reader->empty_lines++;
		return 0;
	}
	if (strchr(dialect->comments, *line.data))
		return 0;
	if (dialect->value.goes_on == INI_INDENT && reader->key.data && has_value(reader) &&
		indent > reader->indent) {
		go_on(reader, line);
		return 0;
	}
	r = 0;
	if (dialect->keys == INI_DOUBT && reader->key.data && !reader->empty_lines)
		r = ini_check_goes_on(reader->section.lines.builder,
			line_place(&reader->section.lines, line.data),
			(struct span){reader->key.data, (size_t)(reader->end - reader->key.data)});
	if (r == 0)
		r = end_key(reader);
	if (r != 0)
		return r;
	reader->indent = indent;
	if (dialect->includes && strchr(dialect->includes, *line.data))
		return read_include(reader, line);
	return *line.data == '[' ? read_section(reader, line) : read_key(reader, line);
}

int ini_read(struct builder *builder, struct span text)
{
	const struct ini_dialect *dialect = builder->options->format->dialect;
	struct ini_reader reader = {
		.dialect = dialect,
		.section = {.lines = line_begin(builder, text), .fold = &dialect->sections.fold},
		.more.max = SIZE_MAX,
	};

	builder->repeat = ini_repeat;
	int r = line_check_text(builder, text);
	while (r == 0 && line_next(&reader.section.lines)) {
		r = check_line(&reader);
		if (r == 0)
			r = read_line(&reader);
	}
	if (r == 0)
		r = end_key(&reader);
	if (r == 0)
		r = section_close(&reader.section);
	output_fini(&reader.more);
	return r;
}

/* Writes a line of a value after the first one. */
static int put_more(struct writer *writer, const struct node *value, struct span line)
{
	const struct ini_dialect *dialect = writer->format->dialect;
	const char *fault = ini_value_line_fault(&dialect->value, line);

	if (!fault && line.len && strchr(dialect->comments, *line.data))
		fault = "a line that begins like a comment";
	if (fault)
		return line_refuse(writer, value,
			"a value of several lines in %s can't hold %s; remove that, or write the "
			"value in one line",
			dialect->title, fault);
	if (line.len)
		output_char(writer->output, '\t');
	output_put(writer->output, line.data, line.len);
	output_char(writer->output, '\n');
	return 0;
}

/* Writes a value of several lines, all indented after the first. */
static int put_indented(struct writer *writer, const struct node *value, const char *equals)
{
	const struct ini_dialect *dialect = writer->format->dialect;
	const char *p = value->text.data, *end = p + value->text.len;
	const char *stop = memchr(p, '\n', value->text.len);
	struct span first = {p, (size_t)(stop - p)};
	const char *fault = ini_value_line_fault(&dialect->value, first);

	if (fault)
		return line_refuse(writer, value,
			"a value in %s can't hold %s; quote it as the program reads it",
			dialect->title, fault);
	if (end[-1] == '\n')
		return line_refuse(writer, value,
			"a value in %s can't end with a line break; remove it (in YAML, '|-' for "
			"'|')",
			dialect->title);
	output_string(writer->output, first.len ? equals : "=");
	output_put(writer->output, first.data, first.len);
	output_char(writer->output, '\n');
	for (int r; stop; stop = memchr(p, '\n', (size_t)(end - p))) {
		const char *next;

		p = stop + 1;
		next = memchr(p, '\n', (size_t)(end - p));
		r = put_more(writer, value, (struct span){p, (size_t)((next ? next : end) - p)});
		if (r != 0)
			return r;
	}
	return 0;
}

/*
 * Returns why the program could not read the value; NULL: it could. In a value of no source, which
 * a user gives, operators are text.
 */
static const char *program_fault(const struct ini_value *program, const struct node *value)
{
	struct ini_fault fault;

	if (ini_value_has_fault(program, value->text, &fault))
		return fault.what;
	return !value->source && ini_value_is_computed(program, value->text)
		       ? "an operator outside of quotes"
		       : NULL;
}

static int put_value(struct writer *writer, const struct node *value, const char *equals)
{
	const struct ini_dialect *dialect = writer->format->dialect;
	struct span text = value->text;
	bool has_lines = memchr(text.data, '\n', text.len);
	const char *fault, *quote = "";

	if (has_lines && dialect->value.goes_on == INI_INDENT)
		return put_indented(writer, value, equals);
	fault = has_lines && dialect->value.goes_on == INI_BACKSLASH
			? ini_value_joined_fault(&dialect->value, text)
			: ini_value_line_fault(&dialect->value, text);
	if (!fault)
		fault = program_fault(&dialect->value, value);
	if (fault && ini_value_can_be_quoted(&dialect->value, text))
		quote = dialect->value.quote;
	else if (fault)
		return line_refuse(writer, value, "a value in %s can't hold %s; %s", dialect->title,
			fault,
			dialect->value.quote || !*dialect->value.comments
				? "quote it as the program reads it"
				: "no quotes can hold it");
	output_string(writer->output, text.len || *quote ? equals : "=");
	output_string(writer->output, quote);
	output_put(writer->output, text.data, text.len);
	output_string(writer->output, quote);
	output_char(writer->output, '\n');
	return 0;
}

static int put_one(struct writer *writer, const struct node *key, const struct node *value)
{
	const struct ini_dialect *dialect = writer->format->dialect;
	struct span name = spelling_of(key, &dialect->fold);
	bool is_null = scalar_is_null(value), is_tight = false;

	/* To some programs, such a line is no key and value: http://x/?a=b, host1 port=22. */
	for (size_t i = 0; dialect->keys == INI_DOUBT && i < name.len; i++)
		is_tight |= line_is_blank(name.data[i]) || name.data[i] == ':';
	int r = line_check_scalar(writer, value, dialect->title,
		"join its items in one text, as the program reads them");
	if (r == 0 && !dialect->has_null)
		r = line_check_null(writer, value, dialect->title);
	if (r != 0)
		return r;
	output_put(writer->output, name.data, name.len);
	/* Programs read x+=1 otherwise than x + = 1. */
	if (!is_null && !is_tight && name.len && !strchr("+-?", name.data[name.len - 1]))
		output_char(writer->output, ' ');
	if (!is_null)
		return put_value(writer, value, is_tight ? "=" : "= ");
	output_char(writer->output, '\n');
	return 0;
}

/* Returns the characters that a key can't contain. */
static const char *not_in_key(const struct ini_dialect *dialect, bool is_null)
{
	static char sets[] = "=:#;\"'";

	if (dialect->value.quoting == INI_QUOTE_LEADS)
		return "=:";
	if (*dialect->value.comments || *dialect->value.quotes)
		return sets;
	return is_null || dialect->keys != INI_DOUBT ? "=:" : "=";
}

static int put_pair(struct writer *writer, const struct pair *pair)
{
	const struct ini_dialect *dialect = writer->format->dialect;
	const struct node *value = pair->value;
	bool is_list = node_is_sequence(value) && ini_is_list(dialect, pair->key->text);

	int r = section_check_key(writer, pair->key, dialect->title,
		not_in_key(dialect, node_is_scalar(value) && scalar_is_null(value)),
		dialect->includes ? "[;#!" : "[;#");
	if (r == 0 && !ini_is_key(dialect, pair->key->text))
		r = line_refuse(writer, pair->key, INI_NO_KEY, dialect->title);
	if (r != 0)
		return r;
	if (!is_list)
		return put_one(writer, pair->key, value);
	for (uint32_t i = 0; r == 0 && i < value->seq.count; i++)
		r = put_one(writer, pair->key, value->seq.items[i]);
	return r;
}

/* Writes the lines that include files. They come last. */
static int put_includes(struct writer *writer, const struct pair *pair)
{
	bool is_list = node_is_sequence(pair->value);
	uint32_t count = is_list ? pair->value->seq.count : 1;
	int r = 0;

	if (writer->output->len && count)
		output_char(writer->output, '\n');
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct node *path = is_list ? pair->value->seq.items[i] : pair->value;

		if (!node_is_scalar(path) || !path->text.len || line_fault(path->text))
			return line_refuse(
				writer, path, "an included file must be given by its path");
		output_put(writer->output, pair->key->text.data, pair->key->text.len);
		output_char(writer->output, ' ');
		output_put(writer->output, path->text.data, path->text.len);
		output_char(writer->output, '\n');
	}
	return r;
}

static bool is_include(const struct ini_dialect *dialect, const struct pair *pair)
{
	struct span key = node_is_scalar(pair->key) ? pair->key->text : (struct span){NULL, 0};

	return dialect->includes && key.len && !node_is_map(pair->value) &&
	       (span_is(key, "!include") || span_is(key, "!includedir"));
}

/* Returns the map without the lines that include files. NULL: no memory. */
static const struct node *without_includes(
	const struct writer *writer, const struct ini_dialect *dialect, const struct node *root)
{
	struct node *map = node_new_map(writer->arena, root);

	for (uint32_t i = 0; map && i < root->map.count; i++)
		if (!is_include(dialect, &root->map.pairs[i]) &&
			node_append(writer->arena, map, &root->map.pairs[i]) < 0)
			map = NULL;
	return map;
}

int ini_write(struct writer *writer, const struct node *root)
{
	const struct ini_dialect *dialect = writer->format->dialect;
	const struct section_style style = {
		.name = dialect->title,
		.root_keys = dialect->sections.has_root_keys
				     ? NULL
				     : "put it in one, such as 'section: {...}'",
		.not_in_name = dialect->sections.header == INI_HEADER_ALONE ? "]" : "",
		.has_lists = dialect->lists.section,
		.fold = &dialect->sections.fold,
		.put = put_pair,
	};
	const struct node *rest = root;

	int r = ini_check_tree(writer, root);
	if (r == 0 && node_is_map(root) && dialect->includes)
		rest = without_includes(writer, dialect, root);
	if (!rest)
		return -ENOMEM;
	if (r == 0)
		r = section_write(writer, rest, &style);
	for (uint32_t i = 0; r == 0 && rest != root && i < root->map.count; i++)
		if (is_include(dialect, &root->map.pairs[i]))
			r = put_includes(writer, &root->map.pairs[i]);
	return r;
}

int ini_edit(struct edit *edit, const struct edit_op *op)
{
	const struct ini_dialect *ini = edit->options->format->dialect;
	bool is_indented = ini->value.goes_on == INI_INDENT;

	return line_edit(edit, op,
		&(const struct line_dialect){.comments = ini->comments,
			.more = is_indented ? LINE_MORE_INDENTED : LINE_MORE_NONE});
}
