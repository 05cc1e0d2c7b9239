#include "cloud_how.h"

#include <errno.h>

#include "scalar.h"
#include "utf8.h"

#define WORD_FORM "write NAME(OPTION,OPTION)+NAME(…), such as list(append)+dict(recurse_list)+str()"

struct how_place how_place_of(const struct node *node)
{
	return (struct how_place){
		.source = node->source ? node->source->name : NULL,
		.line = node->line,
		.column = node->column,
	};
}

static int add_entry(struct how *how, const struct how_entry *entry, struct arena *arena)
{
	if (arena_grow(arena, how->entries, how->count, how->capacity) < 0)
		return -ENOMEM;
	how->entries[how->count] = *entry;
	if (span_begins(entry->name, "m_")) {
		/* cloud-init finds `m_list` and `list` in the same module. */
		how->entries[how->count].name.data += 2;
		how->entries[how->count].name.len -= 2;
	}
	how->count++;
	return 0;
}

/* Returns whether Python's str.strip() removes the character. */
static bool is_space(uint32_t code)
{
	if (code <= 0x20)
		return code == ' ' || (code >= '\t' && code <= '\r') ||
		       (code >= 0x1C && code <= 0x1F);
	return utf8_is_blank(code);
}

static struct span strip(struct span text)
{
	const char *end = span_end(text);

	while (text.len > 0) {
		size_t n = utf8_length(text.data, end);
		if (n == 0 || !is_space(utf8_decode(text.data, n)))
			break;
		text.data += n;
		text.len -= n;
	}
	while (text.len > 0) {
		size_t n = 1;
		while (n < text.len && n < 4 && utf8_is_tail((unsigned char)end[-(ptrdiff_t)n]))
			n++;
		if (utf8_length(end - n, end) != n || !is_space(utf8_decode(end - n, n)))
			break;
		end -= n;
		text.len -= n;
	}
	return text;
}

/* Cuts the text up to the next `separator` from `rest`, and the separator too. */
static struct span cut(struct span *rest, char separator)
{
	const char *at = rest->len ? memchr(rest->data, separator, rest->len) : NULL;
	struct span piece = {rest->data, at ? (size_t)(at - rest->data) : rest->len};
	size_t used = piece.len + (at ? 1 : 0);

	rest->data += used;
	rest->len -= used;
	return piece;
}

/*
 * Copies the text with `_` for `-`, in lower case if `is_lower`: users write names in various ways.
 */
static int canonical(struct span text, bool is_lower, struct arena *arena, struct span *ret)
{
	char *copy = arena_copy(arena, text);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < text.len; i++) {
		if (is_lower && copy[i] >= 'A' && copy[i] <= 'Z')
			copy[i] = (char)(copy[i] - 'A' + 'a');
		else if (copy[i] == '-')
			copy[i] = '_';
	}
	*ret = (struct span){copy, text.len};
	return 0;
}

static size_t name_length(struct span text)
{
	size_t len = 0;

	while (len < text.len) {
		char c = text.data[len];
		bool is_digit = c >= '0' && c <= '9';
		if (!(c == '_' || (c >= 'a' && c <= 'z') || (is_digit && len > 0)))
			break;
		len++;
	}
	return len;
}

static int read_options(
	struct span text, struct arena *arena, const struct span **ret, size_t *ret_count)
{
	struct span *options = arena_zalloc(arena, span_count(text, ',') + 1, sizeof(*options));
	if (!options)
		return -ENOMEM;

	size_t count = 0;
	while (text.len > 0) {
		struct span option = strip(cut(&text, ','));
		if (option.len > 0)
			options[count++] = option;
	}
	*ret = options;
	*ret_count = count;
	return 0;
}

static int add_word(struct how *how, struct span word, const struct how_place *place,
	struct arena *arena, struct problem *problem)
{
	struct how_entry entry = {.place = *place};

	int r = canonical(strip(word), true, arena, &word);
	if (r != 0)
		return r;
	if (word.len == 0)
		return 0;

	size_t len = name_length(word);
	if (len == 0 || word.len < len + 2 || word.data[len] != '(' ||
		word.data[word.len - 1] != ')' || memchr(word.data, '\n', word.len))
		return problem_set(problem, place->source, place->line, place->column,
			"matcher identifier '%s' is not in the right format; %s", word.data,
			WORD_FORM);

	entry.name = (struct span){word.data, len};
	r = read_options((struct span){word.data + len + 1, word.len - len - 2}, arena,
		&entry.options, &entry.count);
	if (r != 0)
		return r;
	return add_entry(how, &entry, arena);
}

int how_add_text(struct how *how, struct span text, const struct how_place *place,
	struct arena *arena, struct problem *problem)
{
	while (text.len > 0) {
		int r = add_word(how, cut(&text, '+'), place, arena, problem);
		if (r != 0)
			return r;
	}
	return 0;
}

static int word_of(const struct node *node, struct problem *problem, struct span *ret)
{
	if (!scalar_is_string(node))
		return problem_at(problem, node,
			"a merger's name and its options are words, and this is %s",
			scalar_or_kind_name(node));
	*ret = node->text;
	return 0;
}

/* Takes a list's items from `first` on, or a map's keys: where Python's `in` searches. */
static int take_settings(struct how_entry *entry, const struct node *settings, uint32_t first,
	struct arena *arena, struct problem *problem)
{
	bool is_map = node_is_map(settings);
	uint32_t count = node_count(settings);
	struct span *options = arena_zalloc(arena, count, sizeof(*options));

	if (!options && count > 0)
		return -ENOMEM;
	for (uint32_t i = first; i < count; i++) {
		const struct node *option =
			is_map ? settings->map.pairs[i].key : settings->seq.items[i];
		int r = word_of(option, problem, &options[i - first]);
		if (r != 0)
			return r;
	}
	entry->options = options;
	entry->count = count - first;
	return 0;
}

static int take_text(struct how_entry *entry, struct span text, struct arena *arena)
{
	struct span *option = arena_zalloc(arena, 1, sizeof(*option));
	if (!option)
		return -ENOMEM;
	*option = text;
	entry->options = option;
	entry->count = 1;
	entry->is_text = true;
	return 0;
}

/* Adds a merger of the form {name: list, settings: [append]}. */
static int add_map(
	struct how *how, const struct node *map, struct arena *arena, struct problem *problem)
{
	struct how_entry entry = {.place = how_place_of(map)};
	const struct node *name = node_get(map, "name");
	const struct node *settings = node_get(map, "settings");

	if (!name || !settings)
		return problem_at(problem, map,
			"a merger is a map of 'name' and 'settings'; '%s' is "
			"missing",
			name ? "settings" : "name");

	int r = word_of(name, problem, &entry.name);
	if (r == 0)
		r = canonical(strip(entry.name), false, arena, &entry.name);
	if (r != 0)
		return r;
	if (scalar_is_string(settings))
		r = take_text(&entry, settings->text, arena);
	else if (!node_is_scalar(settings))
		r = take_settings(&entry, settings, 0, arena, problem);
	else
		r = problem_at(problem, settings, "a merger's settings are a list, and this is %s",
			scalar_type_name(scalar_type(settings)));
	if (r != 0)
		return r;
	return entry.name.len > 0 ? add_entry(how, &entry, arena) : 0;
}

/* Adds a merger of the form [list, append]. */
static int add_items(
	struct how *how, const struct node *items, struct arena *arena, struct problem *problem)
{
	struct how_entry entry = {.place = how_place_of(items)};

	if (items->seq.count == 0)
		return problem_at(problem, items, "a merger has a name, and this list is empty");

	/* In this form, unlike the other, cloud-init takes the name as written. */
	int r = word_of(items->seq.items[0], problem, &entry.name);
	if (r == 0)
		r = take_settings(&entry, items, 1, arena, problem);
	if (r != 0)
		return r;
	return entry.name.len > 0 ? add_entry(how, &entry, arena) : 0;
}

int how_add_value(
	struct how *how, const struct node *value, struct arena *arena, struct problem *problem)
{
	if (scalar_is_string(value)) {
		struct how_place place = how_place_of(value);
		return how_add_text(how, value->text, &place, arena, problem);
	}
	if (node_is_map(value) && value->map.count == 0)
		return 0;
	if (!node_is_sequence(value))
		return problem_at(problem, value,
			"mergers are a text or a list of {name, settings}, and this is %s; %s",
			scalar_or_kind_name(value), WORD_FORM);

	for (uint32_t i = 0; i < value->seq.count; i++) {
		const struct node *item = value->seq.items[i];
		int r;
		if (node_is_map(item))
			r = add_map(how, item, arena, problem);
		else if (node_is_sequence(item))
			r = add_items(how, item, arena, problem);
		else
			r = problem_at(problem, item,
				"a merger in a list is a map {name: list, settings: [append]}");
		if (r != 0)
			return r;
	}
	return 0;
}

bool how_has(const struct how_entry *entry, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < entry->count; i++) {
		struct span option = entry->options[i];
		if (span_is(option, name))
			return true;
		if (entry->is_text && option.len > len &&
			memmem(option.data, option.len, name, len))
			return true;
	}
	return false;
}
