/*
 * Keyfiles as GLib's GKeyFile reads them, such as desktop entries and NetworkManager's connections.
 * Values are raw, as g_key_file_get_value() returns them: "\s", "\n" and the ";" of lists stay
 * unchanged.
 */
#include <strings.h>

#include "edit/text_lines.h"
#include "scalar.h"
#include "section.h"
#include "utf8.h"

#define NAME "a keyfile"

static bool is_locale_char(char c)
{
	char small = (char)(c | 0x20);

	return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) ||
	       (c && strchr("-_.@", c));
}

/* Returns why GKeyFile refuses the key; NULL: it accepts it. */
static const char *key_fault(struct span key)
{
	const char *end = span_end(key), *at = key.data;

	while (at < end && *at != '[' && *at != ']' && *at != '=')
		at++;
	if (at == key.data || *key.data == ' ' || at[-1] == ' ')
		return "is empty, or has a blank in front or at its end";
	if (at < end && *at == '[') {
		for (at++; at < end && is_locale_char(*at);)
			at++;
		at = at + 1 == end && *at == ']' ? end : key.data;
	}
	return at == end ? NULL : "has a bracket that is none of a locale, as in Name[de]";
}

/* Returns why GKeyFile refuses the name of a group; NULL: it accepts it. */
static const char *name_fault(struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.data[i] == '[')
			return "has a '[' in it";
		if ((unsigned char)name.data[i] < 0x20 || name.data[i] == 0x7F)
			return "has a control character in it";
	}
	return NULL;
}

/* Returns whether GKeyFile takes the value of Encoding in the first group for UTF-8. */
static bool is_utf8(struct span value)
{
	return value.len == strlen("UTF-8") && strncasecmp(value.data, "UTF-8", value.len) == 0;
}

struct keyfile_reader {
	struct section_reader section;
	struct span first; /* the name of the first group */
	struct span name;  /* of the open group */
};

static int read_group(struct keyfile_reader *keyfile, struct span line)
{
	struct section_reader *reader = &keyfile->section;
	struct span name, rest;

	int r = section_name(reader, line, memchr(line.data, ']', line.len), &name, &rest);
	if (r != 0)
		return r;
	if (rest.len)
		return line_problem(&reader->lines, rest.data,
			"something stands behind the group's ]; put it on a line of its own");
	if (name_fault(name))
		return line_problem(
			&reader->lines, line.data, "the group's name %s", name_fault(name));
	if (!keyfile->first.data)
		keyfile->first = name;
	keyfile->name = name;
	return section_open(reader, name, false);
}

static int read_pair(struct keyfile_reader *keyfile, struct span line)
{
	struct section_reader *reader = &keyfile->section;
	struct line_reader *lines = &reader->lines;
	const char *end = span_end(line), *stop = memchr(line.data, '=', line.len);
	struct span key, value;

	if (!stop)
		return line_problem(lines, line.data,
			"is no [group], no # comment and no KEY=VALUE; a '=' is missing, or a '#' "
			"in front");
	if (!reader->depth)
		return line_problem(lines, line.data,
			"stands before the first group; put it behind a line such as [Desktop "
			"Entry]");
	key = line_trim_end((struct span){line.data, (size_t)(stop - line.data)});
	value = line_trim_start((struct span){stop + 1, (size_t)(end - stop) - 1});
	if (key_fault(key))
		return line_problem(lines, line.data, "the key %s", key_fault(key));
	if (span_is(key, "Encoding") && !is_utf8(value) &&
		span_equal(keyfile->name, keyfile->first))
		return line_problem(lines, value.data,
			"no program reads a keyfile that declares another encoding than UTF-8; "
			"save it as UTF-8 and remove the line");
	int r = line_add_scalar(lines, key, key.data);
	if (r == 0)
		r = line_add_scalar(lines, value, value.data);
	return r == 0 && lines->in ? line_note_pair(lines, key, value) : r;
}

static int keyfile_read(struct builder *builder, struct span text)
{
	struct keyfile_reader reader = {.section.lines = line_begin(builder, text)};
	struct line_reader *lines = &reader.section.lines;

	builder->repeat = line_repeat;
	int r = line_check_text(builder, text);
	while (r == 0 && line_next(lines)) {
		struct span line = line_trim_start(lines->line);

		if (!line.len || *line.data == '#')
			continue;
		r = *line.data == '[' ? read_group(&reader, line) : read_pair(&reader, line);
	}
	return r == 0 ? section_close(&reader.section) : r;
}

/* Returns why a value can't be written; NULL: it can. */
static const char *value_fault(struct span value)
{
	const char *fault = line_text_fault(value);

	if (fault || !value.len)
		return fault;
	if (line_is_blank(value.data[0]))
		return "a blank in front";
	return value.data[value.len - 1] == '\r' ? "a carriage return at its end" : NULL;
}

static int put_pair(struct writer *writer, const struct pair *pair)
{
	struct span key = pair->key->text, value = pair->value->text;

	int r = section_check_key(writer, pair->key, NAME, "=", "#");
	if (r == 0 && key_fault(key))
		r = line_refuse(writer, pair->key, "a key in " NAME " %s", key_fault(key));
	if (r == 0)
		r = line_check_scalar(writer, pair->value, NAME,
			"join its items in one text, with a ';' behind each");
	if (r == 0)
		r = line_check_null(writer, pair->value, NAME);
	if (r != 0)
		return r;
	if (value_fault(value))
		return line_refuse(writer, pair->value,
			"a value in " NAME
			" can't hold %s; write \\n for a line break, \\r for a carriage return and "
			"\\s for a blank",
			value_fault(value));
	output_put(writer->output, key.data, key.len);
	output_char(writer->output, '=');
	output_put(writer->output, value.data, value.len);
	output_char(writer->output, '\n');
	return 0;
}

static int check_encoding(const struct writer *writer, const struct node *root)
{
	const struct node *first =
		node_is_map(root) && node_count(root) ? *node_entry(root, 0) : NULL;
	const struct node *encoding =
		first && node_is_map(first) ? node_get(first, "Encoding") : NULL;

	if (!encoding || !node_is_scalar(encoding) || is_utf8(encoding->text))
		return 0;
	return line_refuse(writer, encoding,
		NAME " is in UTF-8, and no program reads one whose first group declares another "
		     "encoding; remove the key");
}

static int keyfile_write(struct writer *writer, const struct node *root)
{
	static const struct section_style style = {
		.name = NAME,
		.root_keys = "put it in one, such as '\"Desktop Entry\": {...}'",
		.not_in_name = "[]",
		.name_fault = name_fault,
		.put = put_pair,
	};

	int r = check_encoding(writer, root);
	return r == 0 ? section_write(writer, root, &style) : r;
}

static int keyfile_edit(struct edit *edit, const struct edit_op *op)
{
	return line_edit(edit, op, &(const struct line_dialect){.comments = "#"});
}

const struct format format_keyfile = {
	.name = "keyfile",
	.summary = "keyfiles as GLib's GKeyFile reads them: desktop entries, connections of "
		   "NetworkManager; values are texts with their escapes",
	.suffixes = "desktop,nmconnection",
	.comment = "#",
	.nothing = "",
	.has_sections = true,
	.divider = "",
	.read = keyfile_read,
	.write = keyfile_write,
	.edit = keyfile_edit,
};
