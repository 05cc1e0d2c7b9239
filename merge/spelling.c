#include "spelling.h"

#include <errno.h>

/* Bytes by which a folded key may be longer, with its NUL: [a.b] becomes [a "b"]. */
#define ROOM 3

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_alike(struct span a, struct span b)
{
	size_t i = 0;

	while (i < a.len && i < b.len && small(a.data[i]) == small(b.data[i]))
		i++;
	return a.len == b.len && i == a.len;
}

/* Returns the name among `names` that differs from `key` in case alone; otherwise `key`. */
static struct span known_name(const char *names, struct span key)
{
	while (names && *names) {
		struct span name = {names, strcspn(names, ",")};

		if (is_alike(name, key))
			return name;
		names += name.len + (names[name.len] == ',');
	}
	return key;
}

/* Writes git's form of a section: its first word in small letters, and a subsection in quotes. */
static size_t fold_head(struct span key, char *out)
{
	size_t i = 0, len = 0;

	while (i < key.len && key.data[i] != '.' && key.data[i] != '"' && !is_blank(key.data[i]))
		out[len++] = small(key.data[i++]);
	if (i == key.len)
		return len;
	if (key.data[i] == '.') {
		out[len++] = ' ';
		out[len++] = '"';
		for (i++; i < key.len; i++)
			out[len++] = small(key.data[i]);
		out[len++] = '"';
		return len;
	}
	while (i < key.len && is_blank(key.data[i]))
		i++;
	out[len++] = ' ';
	for (; i < key.len; i++)
		out[len++] = key.data[i];
	return len;
}

/*
 * Writes the folded key to `out`, which has room for key.len + ROOM bytes. Returns its length
 * without the NUL.
 */
static size_t fold_into(const struct fold *fold, struct span key, char *out)
{
	static const char prefixes[][7] = {"loose-", "loose_"};
	struct span name = known_name(fold->names, key);
	size_t len = 0;

	while (fold->how & FOLD_BLANKS && name.len && is_blank(name.data[name.len - 1]))
		name.len--;
	for (bool again = fold->how & FOLD_PREFIX; again;) {
		again = false;
		for (size_t i = 0; i < 2; i++)
			if (name.len > strlen(prefixes[i]) && span_begins(name, prefixes[i])) {
				name.data += strlen(prefixes[i]);
				name.len -= strlen(prefixes[i]);
				again = true;
			}
	}
	if (fold->how & FOLD_HEAD)
		len = fold_head(name, out);
	else
		for (; len < name.len; len++) {
			bool is_name = name.data != key.data && fold->names;
			char c = name.data[len];

			out[len] = fold->how & FOLD_CASE && !is_name ? small(c) : c;
			if (fold->how & FOLD_DASH && c == '-')
				out[len] = '_';
		}
	out[len] = '\0';
	return len;
}

const struct node *spelling_fold(
	const struct fold *fold, const struct node *node, struct arena *arena)
{
	struct span written = node->spelling ? span_of(node->spelling->text) : node->text;
	struct spelling *spelling;
	struct node *copy;
	char *text;

	/* A key that a program reads has no NUL byte. */
	if (!fold->how || memchr(written.data, '\0', written.len))
		return node;
	text = arena_alloc(arena, written.len + ROOM + 1);
	spelling = arena_alloc(arena, sizeof(*spelling) + written.len + 1);
	copy = node_copy(arena, node);
	if (!text || !spelling || !copy)
		return NULL;
	spelling->fold = fold;
	memcpy(spelling->text, written.data, written.len);
	spelling->text[written.len] = '\0';
	copy->text = (struct span){text, fold_into(fold, written, text)};
	copy->spelling = spelling;
	return copy;
}

struct span spelling_of(const struct node *key, const struct fold *fold)
{
	return key->spelling && key->spelling->fold == fold ? span_of(key->spelling->text)
							    : key->text;
}

bool spelling_means(const struct fold *fold, struct span written, struct span text)
{
	char folded[SPELLING_MAX + ROOM + 1];

	if (span_equal(written, text))
		return true;
	if (!fold->how || written.len > SPELLING_MAX)
		return false;
	size_t len = fold_into(fold, written, folded);
	return span_equal(text, (struct span){folded, len});
}

bool spelling_is(const struct node *key, struct span name)
{
	if (!node_is_scalar(key))
		return false;
	return key->spelling ? spelling_means(key->spelling->fold, name, key->text)
			     : span_equal(key->text, name);
}

static int fold_map(const struct fold *sections, const struct fold *keys, const struct node *map,
	struct arena *arena, const struct node **ret);

/* Folds a section, or a list of sections with one name. */
static int fold_sections(const struct fold *keys, const struct node *value, struct arena *arena,
	const struct node **ret)
{
	*ret = value;
	if (node_is_map(value))
		return fold_map(NULL, keys, value, arena, ret);
	if (!node_is_sequence(value))
		return 0;
	struct node *list = node_copy_head(arena, value, 0);
	int r = list ? 0 : -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < value->seq.count; i++) {
		const struct node *item = value->seq.items[i];
		r = node_is_map(item) ? fold_map(NULL, keys, item, arena, &item) : 0;
		if (r == 0)
			r = node_push(arena, list, item);
	}
	*ret = list;
	return r;
}

/* Folds a map. `sections` is NULL if it is a section itself. */
static int fold_map(const struct fold *sections, const struct fold *keys, const struct node *map,
	struct arena *arena, const struct node **ret)
{
	struct node *folded = node_copy_head(arena, map, 0);
	int r = folded ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		const struct node *value = map->map.pairs[i].value, *key = map->map.pairs[i].key;
		bool is_section = sections && !node_is_scalar(value);
		const struct fold *fold = is_section ? sections : keys;
		const struct node *name =
			node_is_scalar(key) ? spelling_fold(fold, key, arena) : key;

		if (!name)
			return -ENOMEM;
		if (is_section)
			r = fold_sections(keys, value, arena, &value);
		if (r == 0)
			r = node_put(arena, folded, node_find(folded, name) ? key : name, value);
	}
	*ret = folded;
	return r;
}

int spelling_fold_tree(const struct fold *sections, const struct fold *keys,
	const struct node *root, struct arena *arena, const struct node **ret)
{
	*ret = root;
	return root && node_is_map(root) ? fold_map(sections, keys, root, arena, ret) : 0;
}
