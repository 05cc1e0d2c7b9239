/*
 * TOML 1.0.0: nothing more is understood, so that what passes here passes anywhere.
 *
 * Headers and dotted keys go back to tables that were begun before, so each table remembers who
 * made it, which decides who may add to it:
 *
 *                   [it]      [it.more]   it.key = 1
 *      IMPLICIT     once      yes         yes        as the way to another: [it.inner]
 *      HEADER       no        yes         no         by its own [it] or [[it]]
 *      DOTTED       no        yes         in the same section
 *      CLOSED       no        no          no         an inline table, or a list of values
 */
#include <errno.h>

#include "number.h"
#include "resolve.h"
#include "toml.h"
#include "toml_value.h"
#include "utf8.h"

/* Bytes of a key or a wrong word that a message shows. */
#define SHOWN_MAX_BYTES 64

enum maker { IMPLICIT, HEADER, DOTTED, CLOSED };

/* A table, or a list; every map and list of the document is one. */
struct table {
	struct node node;
	struct table *in;       /* NULL: the root, or not there yet */
	struct table *previous; /* that was made; so, one that `in` is made before */
	uint32_t counted;       /* of node.weight, in that of `in` */
	uint32_t section;       /* the number of headers in front, when it was last defined */
	enum maker maker;
};

struct toml_reader {
	struct builder *builder;
	const char *p;
	const char *end;
	uint32_t line;          /* of p */
	const char *counted;    /* on p's line, at or before p … */
	uint32_t counted_place; /* … its column */
	uint32_t section;
	struct table *last;  /* that was made */
	struct table *table; /* that keys go to */
	unsigned depth;      /* maps and lists around what is in `table` */
};

/* Columns count characters; each is counted once, so that one endless line costs no more. */
static struct place place_of(struct toml_reader *reader)
{
	for (; reader->counted < reader->p; reader->counted++)
		reader->counted_place += !utf8_is_tail((unsigned char)*reader->counted);
	return builder_place(reader->builder, reader->line, reader->counted_place);
}

static int fail(struct toml_reader *reader, const char *message)
{
	return builder_problem(reader->builder, place_of(reader), "%s", message);
}

static bool is_at(const struct toml_reader *reader, const char *text)
{
	return span_begins((struct span){reader->p, (size_t)(reader->end - reader->p)}, text);
}

/* Bytes of the end of a line at p; 0 where there is none. */
static size_t newline_length(const struct toml_reader *reader)
{
	if (is_at(reader, "\n"))
		return 1;
	return is_at(reader, "\r\n") ? 2 : 0;
}

static void take_newline(struct toml_reader *reader, size_t length)
{
	reader->p += length;
	reader->line++;
	reader->counted = reader->p;
	reader->counted_place = 1;
}

static void skip_spaces(struct toml_reader *reader)
{
	while (reader->p < reader->end && (*reader->p == ' ' || *reader->p == '\t'))
		reader->p++;
}

/* p stands where no string, key or comment goes on. */
static int bad_character(struct toml_reader *reader, const char *otherwise)
{
	char c = *reader->p;

	if (!utf8_length(reader->p, reader->end))
		return fail(reader, "is not UTF-8; save it as UTF-8");
	if (c == '\r')
		return fail(
			reader, "a carriage return without a newline; end lines with a newline");
	if (toml_is_control(c) && c != '\n')
		return builder_problem(reader->builder, place_of(reader),
			"the control character 0x%02X; in double quotes it is written \\u%04X",
			(unsigned)c, (unsigned)c);
	return fail(reader, otherwise);
}

/* Behind characters that may stand in comments and strings, up to `stop` or another one. */
static const char *skip_text(const struct toml_reader *reader, char stop, char other_stop)
{
	const char *p = reader->p;

	while (p < reader->end) {
		size_t length = 1;

		if ((unsigned char)*p >= 0x80)
			length = utf8_length(p, reader->end);
		else if (*p == stop || *p == other_stop || *p == '\n' || toml_is_control(*p))
			break;
		if (!length)
			break;
		p += length;
	}
	return p;
}

/* Spaces and a comment, up to the end of the line. */
static int skip_rest(struct toml_reader *reader)
{
	skip_spaces(reader);
	if (!is_at(reader, "#"))
		return 0;
	reader->p = skip_text(reader, '\n', '\n');
	if (reader->p == reader->end || newline_length(reader))
		return 0;
	return bad_character(reader, "");
}

/* Spaces, comments and ends of lines. */
static int skip_lines(struct toml_reader *reader)
{
	size_t length;

	for (;;) {
		int r = skip_rest(reader);

		if (r)
			return r;
		length = newline_length(reader);
		if (!length)
			return 0;
		take_newline(reader, length);
	}
}

/* How a string is quoted. */
struct quote {
	char c;
	bool is_long;  /* three of them, and it may have many lines */
	bool is_basic; /* has escapes */
	enum node_style style;
};

static struct quote quote_of(const struct toml_reader *reader)
{
	if (*reader->p == '"') {
		bool is_long = is_at(reader, "\"\"\"");

		return (struct quote){'"', is_long, true, is_long ? NODE_FOLDED : NODE_DOUBLE};
	}
	bool is_long = is_at(reader, "'''");
	return (struct quote){'\'', is_long, false, is_long ? NODE_LITERAL : NODE_SINGLE};
}

static size_t count_quotes(const struct toml_reader *reader, const char *p, char quote)
{
	size_t count = 0;

	while (p + count < reader->end && p[count] == quote)
		count++;
	return count;
}

/* At most so many bytes the string has, of which p stands at the first. */
static size_t raw_length(const struct toml_reader *reader, const struct quote *quote)
{
	const char *p = reader->p;

	for (; p < reader->end && (quote->is_long || *p != '\n'); p++) {
		if (*p == '\\' && quote->is_basic) {
			p += p + 1 < reader->end;
		} else if (*p == quote->c) {
			if (!quote->is_long)
				break;
			/* Two more may stand in front of the three that end it. */
			if (count_quotes(reader, p, quote->c) >= 3)
				return (size_t)(p - reader->p) + 2;
		}
	}
	return (size_t)(p - reader->p);
}

/* Behind "\u" or "\U". */
static int take_code_point(struct toml_reader *reader, int digits, char **out)
{
	int32_t high = 0, low = utf8_hex4(reader->p, reader->end);

	if (digits == 8) {
		high = low;
		low = high < 0 ? -1 : utf8_hex4(reader->p + 4, reader->end);
	}
	if (low < 0)
		return fail(reader,
			digits == 4
				? "\\u wants four hexadecimal digits; a backslash is written \\\\"
				: "\\U wants eight hexadecimal digits; a backslash is written "
				  "\\\\");
	if (high > 0x10 || (high == 0 && low >= 0xD800 && low <= 0xDFFF))
		return fail(reader, "there is no such character; surrogates are none, and the last "
				    "is \\U0010FFFF");
	reader->p += digits;
	*out += utf8_encode((uint32_t)high << 16 | (uint32_t)low, *out);
	return 0;
}

/* Behind a backslash at the end of a line: what follows up to the next text is left out. */
static int skip_line_end(struct toml_reader *reader)
{
	const char *start = reader->p;
	size_t length;

	skip_spaces(reader);
	if (!newline_length(reader)) {
		reader->p = start;
		return fail(reader, "TOML has no such escape; a backslash is written \\\\");
	}
	while ((length = newline_length(reader))) {
		take_newline(reader, length);
		skip_spaces(reader);
	}
	return 0;
}

static int take_escape(struct toml_reader *reader, const struct quote *quote, char **out)
{
	static const char names[] = "\"\\bfnrt", values[] = "\"\\\b\f\n\r\t";
	char c = reader->end - reader->p > 1 ? reader->p[1] : '\0';
	const char *name = c ? strchr(names, c) : NULL;

	if (c == 'u' || c == 'U') {
		reader->p += 2;
		return take_code_point(reader, c == 'u' ? 4 : 8, out);
	}
	if (name) {
		*(*out)++ = values[name - names];
		reader->p += 2;
		return 0;
	}
	if (quote->is_long && c && strchr(" \t\r\n", c)) {
		reader->p++;
		return skip_line_end(reader);
	}
	return fail(reader, "TOML has no such escape; a backslash is written \\\\");
}

/* p stands at quotes in a long string. Returns whether they end it. */
static bool take_quotes(struct toml_reader *reader, const struct quote *quote, char **out)
{
	size_t count = count_quotes(reader, reader->p, quote->c);
	bool is_end = count >= 3;

	/* The last three end it, and in front of these two may stand. */
	if (count > 5)
		count = 5;
	reader->p += count;
	count -= is_end ? 3 : 0;
	memset(*out, quote->c, count);
	*out += count;
	return is_end;
}

static int take_text(struct toml_reader *reader, const struct quote *quote, char **out)
{
	const char *from = reader->p;
	size_t length;

	reader->p = skip_text(reader, quote->c, quote->is_basic ? '\\' : quote->c);
	memcpy(*out, from, (size_t)(reader->p - from));
	*out += reader->p - from;
	if (reader->p == reader->end || *reader->p == quote->c)
		return 0;
	if (*reader->p == '\\')
		return take_escape(reader, quote, out);
	length = newline_length(reader);
	if (!length || !quote->is_long)
		return bad_character(reader, "a string must end on its line; one of many lines has "
					     "three quotes at both ends");
	*(*out)++ = '\n';
	take_newline(reader, length);
	return 0;
}

/* What is between the quotes. *end is set behind the text. */
static int take_content(struct toml_reader *reader, const struct quote *quote, char **end)
{
	bool is_end = false;
	int r = 0;

	while (!r && !is_end && reader->p < reader->end) {
		if (*reader->p != quote->c) {
			r = take_text(reader, quote, end);
		} else if (quote->is_long) {
			is_end = take_quotes(reader, quote, end);
		} else {
			reader->p++;
			is_end = true;
		}
	}
	if (!r && !is_end)
		return fail(
			reader, "the file ends inside a string; its closing quotes are missing");
	return r;
}

static int take_string(struct toml_reader *reader, struct node **ret)
{
	struct quote quote = quote_of(reader);
	struct place place = place_of(reader);
	struct node *node;
	char *text, *end;
	int r;

	reader->p += quote.is_long ? 3 : 1;
	if (quote.is_long && newline_length(reader))
		take_newline(reader, newline_length(reader));
	node = builder_new_scalar(reader->builder, place, raw_length(reader, &quote), &text);
	if (!node)
		return -ENOMEM;
	end = text;
	r = take_content(reader, &quote, &end);
	if (r)
		return r;
	*end = '\0';
	node->text.len = (size_t)(end - text);
	node->style = (uint8_t)quote.style;
	node->schema = NODE_TOML;
	*ret = node;
	return 0;
}

static int copy_word(struct toml_reader *reader, size_t len, struct node **ret)
{
	char *text;

	*ret = builder_new_scalar(reader->builder, place_of(reader), len, &text);
	if (!*ret)
		return -ENOMEM;
	memcpy(text, reader->p, len);
	(*ret)->schema = NODE_TOML;
	reader->p += len;
	return 0;
}

/* Whether a key without quotes would be a string as a value, too, and in YAML. */
static bool is_plain_key(struct span text)
{
	if (text.data[0] == '-' || number_is_digit(text.data[0]))
		return false;
	return resolve_plain(text, NODE_TOML) == SCALAR_STRING &&
	       resolve_plain(text, NODE_YAML_1_1) == SCALAR_STRING;
}

/* One part of a key. */
static int take_key(struct toml_reader *reader, struct node **ret)
{
	size_t len = 0;
	int r;

	if (is_at(reader, "\"\"\"") || is_at(reader, "'''"))
		return fail(reader, "a key must be on one line; write it with one pair of quotes");
	if (is_at(reader, "\"") || is_at(reader, "'"))
		return take_string(reader, ret);
	while (reader->p + len < reader->end && toml_is_bare(reader->p[len]))
		len++;
	if (!len && reader->p < reader->end)
		return bad_character(reader,
			"a key is missing; one with other characters than letters, digits, _ and - "
			"wants quotes");
	if (!len)
		return fail(reader, "a key is missing");
	r = copy_word(reader, len, ret);
	if (!r && !is_plain_key((*ret)->text))
		(*ret)->style = NODE_DOUBLE;
	return r;
}

static bool take_char(struct toml_reader *reader, char c)
{
	if (reader->p == reader->end || *reader->p != c)
		return false;
	reader->p++;
	return true;
}

/* Behind a part of a key: whether another one follows, at which p stands then. */
static bool take_dot(struct toml_reader *reader)
{
	skip_spaces(reader);
	if (!take_char(reader, '.'))
		return false;
	skip_spaces(reader);
	return true;
}

static struct table *table_of(const struct node *node)
{
	return node && !node_is_scalar(node) ? (struct table *)node : NULL;
}

/* A new map or list that lies in `depth` others. */
static int new_table(struct toml_reader *reader, enum node_kind kind, struct place place,
	unsigned depth, struct table **ret)
{
	int r = builder_check_depth(reader->builder, depth, place);

	if (!r)
		r = builder_count(reader->builder, place);
	if (r)
		return r;
	*ret = arena_alloc(reader->builder->document->arena, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	builder_init(reader->builder, &(*ret)->node, kind, place);
	(*ret)->node.style = NODE_BLOCK;
	(*ret)->in = NULL;
	(*ret)->previous = reader->last;
	(*ret)->section = reader->section;
	(*ret)->maker = CLOSED;
	reader->last = *ret;
	return 0;
}

/* `node` is put into `in` as it is now; a table may be added to afterwards. */
static void note_place(struct table *in, const struct node *node)
{
	struct table *table = table_of(node);

	if (!table)
		return;
	table->in = in;
	table->counted = node->weight;
}

/* What is in them is known: each weighs as much more as what was added to those in it. */
static void weigh(const struct toml_reader *reader)
{
	for (struct table *table = reader->last; table; table = table->previous)
		if (table->in)
			node_reweigh(&table->in->node, table->counted, table->node.weight);
}

/* Puts the pair into a table that has no such key. */
static int put_pair(struct toml_reader *reader, struct table *in, const struct pair *pair)
{
	int r = builder_count(reader->builder, (struct place){pair->key->line, pair->key->column});

	if (r)
		return r;
	note_place(in, pair->value);
	return node_append(reader->builder->document->arena, &in->node, pair);
}

static int push_item(struct toml_reader *reader, struct table *list, const struct node *item)
{
	note_place(list, item);
	return node_push(reader->builder->document->arena, &list->node, item);
}

/* A new table in `in`, which is in `depth` others. */
static int put_table(struct toml_reader *reader, struct table *in, struct pair *pair,
	enum node_kind kind, unsigned depth, struct table **ret)
{
	struct place place = {pair->key->line, pair->key->column};
	int r = new_table(reader, kind, place, depth, ret);

	if (r)
		return r;
	pair->value = &(*ret)->node;
	return put_pair(reader, in, pair);
}

/* The pair of that key, or NULL. */
static const struct pair *find(const struct table *in, struct pair *pair)
{
	pair->hash = node_hash(pair->key);
	return node_find_hashed(&in->node, pair->key, pair->hash);
}

/* Why a key can't be what it is meant to be, as `found` has it already. */
static int refuse(
	const struct toml_reader *reader, const struct node *key, const struct pair *found)
{
	const struct table *table = table_of(found->value);
	const struct node *there = table && table->maker == HEADER ? found->value : found->key;
	int shown = key->text.len < SHOWN_MAX_BYTES ? (int)key->text.len : SHOWN_MAX_BYTES;
	const char *why = "a key must not come twice";

	if (table && table->maker == HEADER)
		why = node_is_map(found->value)
			      ? "a table has one header, and its keys stand behind it"
			      : "a list of tables has [[…]] before each of its tables";
	else if (table && table->maker == CLOSED)
		why = "nothing can be added to what stands behind a \"=\"";
	else if (table)
		why = "a table is made either by its header or by dotted keys in one place";
	return builder_problem(reader->builder, (struct place){key->line, key->column},
		"\"%.*s\" is there already, at line %u, column %u; %s", shown, key->text.data,
		(unsigned)there->line, (unsigned)there->column, why);
}

/* Goes on, in a dotted key, from *in to the table of that name, made at need. */
static int enter_dotted(
	struct toml_reader *reader, struct table **in, const struct node *key, unsigned depth)
{
	struct pair pair = {.key = key};
	const struct pair *found = find(*in, &pair);
	struct table *table = found ? table_of(found->value) : NULL;
	int r;

	if (!found) {
		r = put_table(reader, *in, &pair, NODE_MAP, depth, &table);
		if (r)
			return r;
		table->node.style = NODE_DOTTED;
		table->maker = DOTTED;
	} else if (table && table->maker == IMPLICIT) {
		table->maker = DOTTED;
		table->section = reader->section;
	} else if (!table || table->maker != DOTTED || table->section != reader->section) {
		return refuse(reader, key, found);
	}
	*in = table;
	return 0;
}

/* Goes on, in a header, from *in to the table of that name, made at need. */
static int enter_super(
	struct toml_reader *reader, struct table **in, const struct node *key, unsigned *depth)
{
	struct pair pair = {.key = key};
	const struct pair *found = find(*in, &pair);
	struct table *table = found ? table_of(found->value) : NULL;
	int r;

	if (!found) {
		r = put_table(reader, *in, &pair, NODE_MAP, *depth, &table);
		if (r)
			return r;
		table->maker = IMPLICIT;
	} else if (!table || table->maker == CLOSED) {
		return refuse(reader, key, found);
	}
	if (node_is_sequence(&table->node)) {
		table = table_of(table->node.seq.items[table->node.seq.count - 1]);
		++*depth;
	}
	++*depth;
	*in = table;
	return 0;
}

/* Behind "[" and the last key in it: the table that keys go to from now on. */
static int open_table(
	struct toml_reader *reader, struct table *in, const struct node *key, unsigned depth)
{
	struct pair pair = {.key = key};
	const struct pair *found = find(in, &pair);
	struct table *table = found ? table_of(found->value) : NULL;
	int r = 0;

	if (!found)
		r = put_table(reader, in, &pair, NODE_MAP, depth, &table);
	else if (!table || table->maker != IMPLICIT)
		return refuse(reader, key, found);
	if (r)
		return r;
	table->maker = HEADER;
	table->node.line = key->line;
	table->node.column = key->column;
	reader->table = table;
	reader->depth = depth + 1;
	return 0;
}

/* Behind "[[", which stands at `place`, and the last key: one more table of the list. */
static int open_item(struct toml_reader *reader, struct table *in, const struct node *key,
	unsigned depth, struct place place)
{
	struct pair pair = {.key = key};
	const struct pair *found = find(in, &pair);
	struct table *list = found ? table_of(found->value) : NULL, *item;
	int r = 0;

	if (!found)
		r = put_table(reader, in, &pair, NODE_SEQUENCE, depth, &list);
	else if (!list || !node_is_sequence(&list->node) || list->maker != HEADER)
		return refuse(reader, key, found);
	if (!r)
		r = new_table(reader, NODE_MAP, place, depth + 1, &item);
	if (!r)
		r = push_item(reader, list, &item->node);
	if (r)
		return r;
	list->maker = HEADER;
	item->maker = HEADER;
	reader->table = item;
	reader->depth = depth + 2;
	return 0;
}

/* The root of the document is the table in which all others are. */
static int take_header(struct toml_reader *reader, struct table *root)
{
	struct place place = place_of(reader);
	bool is_list = is_at(reader, "[[");
	struct table *in = root;
	unsigned depth = 1;
	struct node *key;
	int r;

	reader->section++;
	reader->p += is_list ? 2 : 1;
	skip_spaces(reader);
	r = take_key(reader, &key);
	while (!r && take_dot(reader)) {
		r = enter_super(reader, &in, key, &depth);
		if (!r)
			r = take_key(reader, &key);
	}
	if (r)
		return r;
	if (!is_at(reader, is_list ? "]]" : "]"))
		return fail(reader, is_list ? "a \"]]\" is missing behind the name of the table"
					    : "a \"]\" is missing behind the name of the table");
	reader->p += is_list ? 2 : 1;
	return is_list ? open_item(reader, in, key, depth, place)
		       : open_table(reader, in, key, depth);
}

static int take_value(struct toml_reader *reader, unsigned depth, const struct node **ret);

/* "key = value" or "a.key = value", in a table that `depth - 1` others are around. */
static int take_pair(struct toml_reader *reader, struct table *in, unsigned depth)
{
	struct pair pair = {0};
	const struct pair *found;
	struct node *key;
	int r = take_key(reader, &key);

	while (!r && take_dot(reader)) {
		r = enter_dotted(reader, &in, key, depth++);
		if (!r)
			r = take_key(reader, &key);
	}
	if (r)
		return r;
	pair.key = key;
	found = find(in, &pair);
	if (found)
		return refuse(reader, key, found);
	if (!take_char(reader, '='))
		return fail(reader, "a \"=\" is missing behind the key");
	skip_spaces(reader);
	r = take_value(reader, depth, &pair.value);
	return r ? r : put_pair(reader, in, &pair);
}

/* Behind "[". */
static int take_items(struct toml_reader *reader, struct table *list, unsigned depth)
{
	const struct node *item;
	int r;

	for (;;) {
		r = skip_lines(reader);
		if (r || take_char(reader, ']'))
			return r;
		r = take_value(reader, depth + 1, &item);
		if (!r)
			r = push_item(reader, list, item);
		if (!r)
			r = skip_lines(reader);
		if (r || take_char(reader, ']'))
			return r;
		if (!take_char(reader, ','))
			return builder_problem(reader->builder, place_of(reader),
				"a \",\" or \"]\" is missing in the list that begins on line %u",
				(unsigned)list->node.line);
	}
}

/* Behind "{". */
static int take_pairs(struct toml_reader *reader, struct table *map, unsigned depth)
{
	int r;

	skip_spaces(reader);
	if (take_char(reader, '}'))
		return 0;
	do {
		skip_spaces(reader);
		if (is_at(reader, "}"))
			return fail(reader, "TOML allows no comma behind the last value of an "
					    "inline table");
		if (newline_length(reader) || is_at(reader, "#"))
			return fail(reader, "an inline table must be on one line; a [table] may "
					    "have many");
		r = take_pair(reader, map, depth + 1);
		if (r)
			return r;
		skip_spaces(reader);
	} while (take_char(reader, ','));
	if (take_char(reader, '}'))
		return 0;
	return fail(reader, newline_length(reader)
				    ? "an inline table must be on one line; a [table] may have many"
				    : "a \",\" or \"}\" is missing here");
}

static int take_collection(struct toml_reader *reader, unsigned depth, const struct node **ret)
{
	bool is_map = *reader->p == '{';
	uint32_t line = reader->line;
	struct table *table;
	int r = new_table(
		reader, is_map ? NODE_MAP : NODE_SEQUENCE, place_of(reader), depth, &table);

	if (r)
		return r;
	reader->p++;
	r = is_map ? take_pairs(reader, table, depth) : take_items(reader, table, depth);
	if (is_map || reader->line == line)
		table->node.style = NODE_FLOW;
	*ret = &table->node;
	return r;
}

static bool is_word_char(char c)
{
	return toml_is_bare(c) || c == '+' || c == '.' || c == ':';
}

/* Bytes of the word at p; between a date and a time may be a space. */
static size_t word_length(const struct toml_reader *reader)
{
	const char *p = reader->p;

	while (p < reader->end && is_word_char(*p))
		p++;
	if (p - reader->p == strlen("1979-05-27") && reader->p[4] == '-' && reader->end - p > 3 &&
		p[0] == ' ' && p[3] == ':')
		for (p++; p < reader->end && is_word_char(*p);)
			p++;
	return (size_t)(p - reader->p);
}

static int take_word(struct toml_reader *reader, const struct node **ret)
{
	struct span word = {reader->p, word_length(reader)};
	struct place place = place_of(reader);
	int shown = word.len < SHOWN_MAX_BYTES ? (int)word.len : SHOWN_MAX_BYTES;
	struct node *node;
	int r;

	if (!word.len && reader->p < reader->end)
		return bad_character(reader, "a value is missing here");
	if (!word.len)
		return fail(reader, "the file ends where a value is missing");
	if (resolve_plain(word, NODE_TOML) == SCALAR_STRING)
		return builder_problem(reader->builder, place, "\"%.*s\" %s", shown, word.data,
			toml_value_fault(word));
	r = copy_word(reader, word.len, &node);
	*ret = node;
	return r ? r : builder_count(reader->builder, place);
}

/* A value that `depth` maps and lists are around. */
static int take_value(struct toml_reader *reader, unsigned depth, const struct node **ret)
{
	struct node *node;
	int r;

	switch (reader->p < reader->end ? *reader->p : '\0') {
	case '"':
	case '\'':
		r = take_string(reader, &node);
		*ret = node;
		return r ? r
			 : builder_count(reader->builder, (struct place){node->line, node->column});
	case '[':
	case '{':
		return take_collection(reader, depth, ret);
	}
	return take_word(reader, ret);
}

/* One line, or all the lines of its value. */
static int take_line(struct toml_reader *reader, struct table *root)
{
	size_t length;
	int r;

	if (*reader->p == '[')
		r = take_header(reader, root);
	else
		r = take_pair(reader, reader->table, reader->depth);
	if (!r)
		r = skip_rest(reader);
	if (r || reader->p == reader->end)
		return r;
	length = newline_length(reader);
	if (!length)
		return bad_character(reader, "what stands here belongs on a line of its own");
	take_newline(reader, length);
	return 0;
}

static int take_root(struct toml_reader *reader)
{
	struct table *root;
	int r = skip_lines(reader);

	if (!r)
		r = new_table(reader, NODE_MAP, place_of(reader), 0, &root);
	if (r)
		return r;
	root->maker = HEADER;
	reader->table = root;
	reader->depth = 1;
	while (!r && reader->p < reader->end) {
		r = take_line(reader, root);
		if (!r)
			r = skip_lines(reader);
	}
	if (r)
		return r;
	weigh(reader);
	return builder_add_root(reader->builder, &root->node);
}

int toml_read(struct builder *builder, struct span text)
{
	struct toml_reader reader = {.builder = builder,
		.p = text.data,
		.end = text.data + text.len,
		.line = 1,
		.counted = text.data,
		.counted_place = 1};

	return take_root(&reader);
}
