/*
 * TOML 1.1.0; or 1.0.0, if the program that reads the file supports no more.
 *
 * Headers and dotted keys may return to an earlier table. Each table remembers its maker, which
 * decides who may add to it:
 *
 *                   [it]      [it.more]   it.key = 1
 *      IMPLICIT     once      yes         yes        made on the way to another: [it.inner]
 *      HEADER       no        yes         no         made by its own [it] or [[it]]
 *      DOTTED       no        yes         yes        made by a dotted key
 *      CLOSED       no        no          no         an inline table, or a list of values
 *
 * Dotted keys add to a DOTTED table only from its own section. From elsewhere, the path to it leads
 * through the table with that section's header, which refuses dotted keys.
 */
#include <errno.h>

#include "number.h"
#include "resolve.h"
#include "toml.h"
#include "toml_text.h"

enum maker { IMPLICIT, HEADER, DOTTED, CLOSED };

/* A table, or a list. Each map and list of the document is one. */
struct toml_table {
	struct node node;
	enum maker maker;
};

struct toml_reader {
	struct text_cursor at;
	struct toml_table *table; /* the table that keys are added to */
	unsigned depth;           /* number of maps and lists around the values in `table` */

	/* the extent around the current entry; NULL unless extents are wanted */
	struct extent *in;
	const struct node **keys; /* the parts of the current key … */
	uint32_t key_count;
	uint32_t key_capacity;
	const char *key_end; /* … and the byte behind the last one */
};

/* Returns whether the key's text, without quotes, would be a string as a value in TOML and in YAML,
 * too. */
static bool is_plain_key(struct span text)
{
	if (text.data[0] == '-' || number_is_digit(text.data[0]))
		return false;
	return resolve_plain(text, NODE_TOML) == SCALAR_STRING &&
	       resolve_plain(text, NODE_YAML_1_1) == SCALAR_STRING;
}

/* Notes a part of a key, which ends at p. */
EXTENT_NOTE_RARE static int note_key(struct toml_reader *reader, const struct node *key)
{
	reader->key_end = reader->at.p;
	return arena_push(reader->at.builder->document->arena, reader->keys, reader->key_count,
		reader->key_capacity, key);
}

/* Adds an extent to reader->in. If `key` is set, the extent gets the key parts that were noted. */
EXTENT_NOTE_RARE static int note_entry(
	struct toml_reader *reader, const char *key, struct extent **ret)
{
	struct builder *builder = reader->at.builder;
	struct extent *extent;

	extent = extent_note_add(builder, reader->in);
	if (!extent)
		return -ENOMEM;
	*ret = extent;
	if (!key)
		return 0;
	extent->key = extent_note_range(builder, key, reader->key_end);
	return extent_note_set_keys(builder, extent, reader->keys, reader->key_count);
}

/* Reads one part of a key, without noting it. */
static int read_key(struct toml_reader *reader, struct node **ret)
{
	size_t len = 0;
	int r;

	if (toml_text_is_at(&reader->at, "\"\"\"") || toml_text_is_at(&reader->at, "'''"))
		return text_cursor_fail(
			&reader->at, "a key must be on one line; write it with one pair of quotes");
	if (toml_text_is_at(&reader->at, "\"") || toml_text_is_at(&reader->at, "'"))
		return toml_text_take_string(&reader->at, ret);
	while (reader->at.p + len < reader->at.end && toml_is_bare(reader->at.p[len]))
		len++;
	if (!len && (toml_text_is_at(&reader->at, ";") || toml_text_is_at(&reader->at, "//")))
		return text_cursor_fail(&reader->at, "a comment begins with # in TOML");
	if (!len && reader->at.p < reader->at.end)
		return toml_text_bad_character(&reader->at,
			"a key is missing; put one with other characters than "
			"letters, digits, _ and - in quotes");
	if (!len)
		return text_cursor_fail(&reader->at, "a key is missing");
	r = toml_text_take_word(&reader->at, len, ret);
	if (!r && !is_plain_key((*ret)->text))
		(*ret)->style = NODE_DOUBLE;
	return r;
}

/* Reads one part of a key, and notes it if extents are wanted. */
static int take_key(struct toml_reader *reader, struct node **ret)
{
	int r = read_key(reader, ret);

	return r || !reader->in ? r : note_key(reader, *ret);
}

static bool take_char(struct toml_reader *reader, char c)
{
	if (reader->at.p == reader->at.end || *reader->at.p != c)
		return false;
	reader->at.p++;
	return true;
}

/* After a part of a key, returns whether another part follows. p then stands at it. */
static bool take_dot(struct toml_reader *reader)
{
	toml_text_skip_spaces(&reader->at);
	if (!take_char(reader, '.'))
		return false;
	toml_text_skip_spaces(&reader->at);
	return true;
}

static struct toml_table *table_of(const struct node *node)
{
	return node && !node_is_scalar(node) ? (struct toml_table *)node : NULL;
}

static int new_table(struct toml_reader *reader, enum node_kind kind, struct place place,
	unsigned depth, struct toml_table **ret)
{
	int r = builder_check_depth(reader->at.builder, depth, place);

	if (!r)
		r = builder_count(reader->at.builder, place);
	if (r)
		return r;
	*ret = arena_alloc(reader->at.builder->document->arena, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	builder_init(reader->at.builder, &(*ret)->node, kind, place);
	(*ret)->node.style = NODE_BLOCK;
	(*ret)->maker = CLOSED;
	return 0;
}

/* Completes the weight. A table that is not CLOSED was put into `table` when it was empty, with the
 * weight 1, and has grown since. */
static void weigh(struct toml_table *table)
{
	for (uint32_t i = 0; i < node_count(&table->node); i++) {
		struct toml_table *inner = table_of(*node_entry(&table->node, i));

		if (!inner || inner->maker == CLOSED)
			continue;
		weigh(inner);
		node_reweigh(&table->node, 1, inner->node.weight);
	}
}

/* Adds the pair to a table that does not have its key. */
static int put_pair(struct toml_reader *reader, struct toml_table *in, const struct pair *pair)
{
	int r = builder_count(
		reader->at.builder, (struct place){pair->key->line, pair->key->column});

	return r ? r : node_append(reader->at.builder->document->arena, &in->node, pair);
}

static const struct pair *find(const struct toml_table *in, struct pair *pair)
{
	pair->hash = node_hash(pair->key);
	return node_find_hashed(&in->node, pair->key, pair->hash);
}

/*
 * Finds the pair with the key of a table or list; if there is none, makes an empty one. Sets *found
 * to the pair; NULL: *ret was made. *ret is NULL if the value is a scalar.
 */
static int find_or_make(struct toml_reader *reader, struct toml_table *in, const struct node *key,
	enum node_kind kind, unsigned depth, const struct pair **found, struct toml_table **ret)
{
	struct pair pair = {.key = key};
	int r;

	*found = find(in, &pair);
	*ret = *found ? table_of((*found)->value) : NULL;
	if (*found)
		return 0;
	r = new_table(reader, kind, (struct place){key->line, key->column}, depth, ret);
	if (r)
		return r;
	pair.value = &(*ret)->node;
	return put_pair(reader, in, &pair);
}

/* Reports why a key can't be used in this way, as `found` has it already. */
static int refuse(
	const struct toml_reader *reader, const struct node *key, const struct pair *found)
{
	const struct toml_table *table = table_of(found->value);
	const struct node *there = table && table->maker == HEADER ? found->value : found->key;
	const char *why = "a key must not come twice";

	if (table && table->maker == HEADER)
		why = node_is_map(found->value)
			      ? "a table has one header, and its keys stand behind it"
			      : "a list of tables has [[…]] before each of its tables";
	else if (table && table->maker == CLOSED)
		why = "nothing can be added to a value behind a \"=\"";
	else if (table)
		why = "a table is made either by its header or by dotted keys in one place";
	return builder_problem(reader->at.builder, (struct place){key->line, key->column},
		"\"%.*s\" is there already, at line %u, column %u; %s", TOML_SHOWN_MAX,
		key->text.data, (unsigned)there->line, (unsigned)there->column, why);
}

/* For a dotted key: moves *in to its table of that name, which is made if it does not exist. */
static int enter_dotted(
	struct toml_reader *reader, struct toml_table **in, const struct node *key, unsigned depth)
{
	const struct pair *found;
	struct toml_table *table;
	int r = find_or_make(reader, *in, key, NODE_MAP, depth, &found, &table);

	if (r)
		return r;
	if (!found) {
		table->node.style = NODE_DOTTED;
		table->maker = DOTTED;
	} else if (table && table->maker == IMPLICIT) {
		table->maker = DOTTED;
	} else if (!table || table->maker != DOTTED) {
		return refuse(reader, key, found);
	}
	*in = table;
	return 0;
}

/* For a header: moves *in to its table of that name, which is made if it does not exist. */
static int enter_super(
	struct toml_reader *reader, struct toml_table **in, const struct node *key, unsigned *depth)
{
	const struct pair *found;
	struct toml_table *table;
	int r = find_or_make(reader, *in, key, NODE_MAP, *depth, &found, &table);

	if (r)
		return r;
	if (!found)
		table->maker = IMPLICIT;
	else if (!table || table->maker == CLOSED)
		return refuse(reader, key, found);
	if (node_is_sequence(&table->node)) {
		table = table_of(table->node.seq.items[table->node.seq.count - 1]);
		++*depth;
	}
	++*depth;
	*in = table;
	return 0;
}

/* Opens the table of a header "[…]", whose last key is `key`. Further keys are added to it. */
static int open_table(
	struct toml_reader *reader, struct toml_table *in, const struct node *key, unsigned depth)
{
	const struct pair *found;
	struct toml_table *table;
	int r = find_or_make(reader, in, key, NODE_MAP, depth, &found, &table);

	if (r)
		return r;
	if (found && (!table || table->maker != IMPLICIT))
		return refuse(reader, key, found);
	table->maker = HEADER;
	table->node.style = NODE_HEADER;
	table->node.line = key->line;
	table->node.column = key->column;
	reader->table = table;
	reader->depth = depth + 1;
	return 0;
}

/* Adds a table to the list of a header "[[…]]", which stands at `place`. `key` is its last key. */
static int open_item(struct toml_reader *reader, struct toml_table *in, const struct node *key,
	unsigned depth, struct place place)
{
	const struct pair *found;
	struct toml_table *list, *item;
	int r = find_or_make(reader, in, key, NODE_SEQUENCE, depth, &found, &list);

	if (!r && found && (!list || !node_is_sequence(&list->node) || list->maker != HEADER))
		return refuse(reader, key, found);
	if (!r)
		r = new_table(reader, NODE_MAP, place, depth + 1, &item);
	if (!r)
		r = node_push(reader->at.builder->document->arena, &list->node, &item->node);
	if (r)
		return r;
	list->maker = HEADER;
	item->maker = HEADER;
	reader->table = item;
	reader->depth = depth + 2;
	return 0;
}

/* Closes the extent of a header's section where the next header begins. The root's extent stays
 * open. */
static void close_section(struct toml_reader *reader)
{
	if (reader->in->key_count)
		extent_note_close(reader->in);
}

/* Notes a header that begins at `start`, with its name at `name`. Its extent becomes reader->in. */
EXTENT_NOTE_RARE static int note_header(
	struct toml_reader *reader, const char *start, const char *name)
{
	struct extent *extent;
	int r;

	close_section(reader);
	reader->in = reader->at.builder->document->extents[0];
	r = note_entry(reader, name, &extent);
	if (r)
		return r;
	reader->in = extent;
	extent->node = &reader->table->node;
	extent->member = extent_note_range(reader->at.builder, start, reader->at.p);
	extent->value = (struct range){extent->member.end, extent->member.end};
	return 0;
}

/* Reads a header. The root contains all tables. */
static int take_header(struct toml_reader *reader, struct toml_table *root)
{
	struct place place = text_cursor_place(&reader->at);
	bool is_list = toml_text_is_at(&reader->at, "[[");
	const char *start = reader->at.p, *name;
	struct toml_table *in = root;
	unsigned depth = 1;
	struct node *key;
	int r;

	reader->at.p += is_list ? 2 : 1;
	toml_text_skip_spaces(&reader->at);
	name = reader->at.p;
	reader->key_count = 0;
	r = take_key(reader, &key);
	while (!r && take_dot(reader)) {
		r = enter_super(reader, &in, key, &depth);
		if (!r)
			r = take_key(reader, &key);
	}
	if (r)
		return r;
	if (!toml_text_is_at(&reader->at, is_list ? "]]" : "]"))
		return text_cursor_fail(
			&reader->at, is_list ? "a \"]]\" is missing behind the name of the table"
					     : "a \"]\" is missing behind the name of the table");
	reader->at.p += is_list ? 2 : 1;
	r = is_list ? open_item(reader, in, key, depth, place) : open_table(reader, in, key, depth);
	return r || !reader->in ? r : note_header(reader, start, name);
}

static int take_value(struct toml_reader *reader, unsigned depth, const struct node **ret);

/* Reads a value and notes its extent: with the key at `key`, or of an item if `key` is NULL. */
EXTENT_NOTE_RARE static int take_noted(
	struct toml_reader *reader, const char *key, unsigned depth, const struct node **ret)
{
	const char *start = reader->at.p;
	struct extent *in = reader->in, *extent = NULL;
	int r = note_entry(reader, key, &extent);

	if (r)
		return r;
	reader->in = extent;
	r = take_value(reader, depth, ret);
	reader->in = in;
	if (r)
		return r;
	extent->node = *ret;
	extent->value = extent_note_range(reader->at.builder, start, reader->at.p);
	extent->member = extent->value;
	if (key)
		extent->member.begin = extent->key.begin;
	return 0;
}

/* Reads "key = value" or "a.key = value" in a table inside `depth - 1` others. */
static int take_pair(struct toml_reader *reader, struct toml_table *in, unsigned depth)
{
	const char *start = reader->at.p;
	struct pair pair = {0};
	const struct pair *found;
	struct node *key;
	int r;

	reader->key_count = 0;
	r = take_key(reader, &key);
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
		return text_cursor_fail(&reader->at, "a \"=\" is missing behind the key");
	toml_text_skip_spaces(&reader->at);
	r = reader->in ? take_noted(reader, start, depth, &pair.value)
		       : take_value(reader, depth, &pair.value);
	return r ? r : put_pair(reader, in, &pair);
}

/* TOML 1.0: reports a line end or a comment, or a comma in front of "}", in an inline table. */
static int check_inline(struct toml_reader *reader, bool is_behind_comma)
{
	toml_text_skip_spaces(&reader->at);
	if (!toml_text_is_1_0(&reader->at))
		return 0;
	if (toml_text_newline(&reader->at) || toml_text_is_at(&reader->at, "#"))
		return text_cursor_fail(&reader->at,
			"the rule has toml: \"1.0\", which has an inline table on one line; a "
			"[table] may have many");
	if (is_behind_comma && toml_text_is_at(&reader->at, "}"))
		return text_cursor_fail(&reader->at,
			"the rule has toml: \"1.0\", which has no comma behind the last value of "
			"an inline table");
	return 0;
}

static int take_item(struct toml_reader *reader, struct toml_table *list, unsigned depth)
{
	const struct node *item;
	int r = reader->in ? take_noted(reader, NULL, depth, &item)
			   : take_value(reader, depth, &item);

	return r ? r : node_push(reader->at.builder->document->arena, &list->node, item);
}

/* Reads the entries of a list or an inline table, and the bracket at its end. */
static int take_entries(struct toml_reader *reader, struct toml_table *table, unsigned depth)
{
	bool is_map = node_is_map(&table->node), is_behind_comma = false;
	char close = is_map ? '}' : ']';

	for (;; is_behind_comma = true) {
		int r = is_map ? check_inline(reader, is_behind_comma) : 0;

		if (!r)
			r = toml_text_skip_lines(&reader->at);
		if (r || take_char(reader, close))
			return r;
		r = is_map ? take_pair(reader, table, depth) : take_item(reader, table, depth);
		if (!r && is_map)
			r = check_inline(reader, false);
		if (!r)
			r = toml_text_skip_lines(&reader->at);
		if (r || take_char(reader, close))
			return r;
		if (!take_char(reader, ','))
			return builder_problem(reader->at.builder, text_cursor_place(&reader->at),
				"a \",\" or \"%c\" is missing in the %s that begins on line %u",
				close, is_map ? "inline table" : "list",
				(unsigned)table->node.line);
	}
}

static int take_collection(struct toml_reader *reader, unsigned depth, const struct node **ret)
{
	bool is_map = *reader->at.p == '{';
	uint32_t line = reader->at.line;
	struct toml_table *table;
	int r = new_table(reader, is_map ? NODE_MAP : NODE_SEQUENCE, text_cursor_place(&reader->at),
		depth, &table);

	if (r)
		return r;
	reader->at.p++;
	r = take_entries(reader, table, depth + 1);
	if (is_map)
		weigh(table);
	if (is_map || reader->at.line == line)
		table->node.style = NODE_FLOW;
	*ret = &table->node;
	return r;
}

static int take_value(struct toml_reader *reader, unsigned depth, const struct node **ret)
{
	char first = reader->at.p < reader->at.end ? *reader->at.p : '\0';
	struct node *node;
	int r;

	if (first == '[' || first == '{')
		return take_collection(reader, depth, ret);
	r = first == '"' || first == '\'' ? toml_text_take_string(&reader->at, &node)
					  : toml_text_take_value(&reader->at, &node);
	if (r)
		return r;
	*ret = node;
	return builder_count(reader->at.builder, (struct place){node->line, node->column});
}

/* Reads a line, or all lines of its value. */
static int take_line(struct toml_reader *reader, struct toml_table *root)
{
	size_t length;
	int r;

	if (*reader->at.p == '[')
		r = take_header(reader, root);
	else
		r = take_pair(reader, reader->table, reader->depth);
	if (!r)
		r = toml_text_skip_rest(&reader->at);
	if (r || reader->at.p == reader->at.end)
		return r;
	length = toml_text_newline(&reader->at);
	if (!length)
		return toml_text_bad_character(&reader->at, "put this on a line of its own");
	text_cursor_take_newline(&reader->at, length);
	return 0;
}

int toml_read(struct builder *builder, struct span text)
{
	struct toml_reader reader = {.at = text_cursor_begin(builder, text)};
	struct toml_table *root;
	int r = toml_text_skip_lines(&reader.at);

	if (!r)
		r = new_table(&reader, NODE_MAP, text_cursor_place(&reader.at), 0, &root);
	if (r)
		return r;
	root->maker = HEADER;
	reader.table = root;
	reader.depth = 1;
	if (builder->options->wants_extents) {
		reader.in = extent_note_begin(builder, &root->node);
		if (!reader.in)
			return -ENOMEM;
	}
	while (!r && reader.at.p < reader.at.end) {
		r = take_line(&reader, root);
		if (!r)
			r = toml_text_skip_lines(&reader.at);
	}
	if (r)
		return r;
	weigh(root);
	if (reader.in) {
		close_section(&reader);
		extent_note_close(builder->document->extents[0]);
	}
	return builder_add_root(builder, &root->node);
}
