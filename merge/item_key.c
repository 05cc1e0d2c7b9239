#include "item_key.h"

#include <errno.h>
#include <string.h>

#include "key.h"
#include "scalar.h"
#include "stream.h"

#define MEANING                                                                                    \
	"'by' names the key that items are matched by, such as {by: name}, or several keys, such " \
	"as {by: [name, url]}: the first that an item has counts"

#define WAYS                                                                                       \
	"a map in 'by' is {all: [KEY, KEY]}, {before: TEXT} or {after: TEXT}, such as {all: "      \
	"[containerPort, protocol]} or {before: \"=\"}"

static bool is_key(const struct node *value)
{
	return node_is_scalar(value) && !scalar_is_null(value);
}

static int check_way(const struct node *way, struct problem *problem)
{
	if (!node_is_map(way))
		return is_key(way) ? 0 : problem_at(problem, way, MEANING);
	const struct node *all = node_get(way, "all"), *text = node_get(way, "before");

	text = text ? text : node_get(way, "after");
	if (way->map.count != 1 || !(all ? node_is_sequence(all) && all->seq.count
					 : text && is_key(text) && text->text.len))
		return problem_at(problem, way, WAYS);
	for (uint32_t i = 0; all && i < all->seq.count; i++)
		if (!is_key(all->seq.items[i]))
			return problem_at(problem, all->seq.items[i], WAYS);
	return 0;
}

static const struct node *const *ways_of(const struct node *const *by, uint32_t *count)
{
	bool is_list = node_is_sequence(*by);

	*count = is_list ? (*by)->seq.count : 1;
	return is_list ? (*by)->seq.items : by;
}

int item_key_check(const struct node *by, struct problem *problem)
{
	uint32_t count;
	const struct node *const *ways = ways_of(&by, &count);
	int r = count ? 0 : problem_at(problem, by, MEANING);

	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = check_way(ways[i], problem);
	return r;
}

/* Makes the list of the values at all keys. A missing value is null, but one must be there. */
static int find_all(
	const struct node *item, const struct node *all, struct arena *arena, struct item_key *ret)
{
	static const struct node nothing = {
		.kind = NODE_SCALAR, .weight = 1, .schema = NODE_YAML_1_2, .text = {"null", 4}};
	struct node *values = node_new_sequence(arena, item);
	bool has_any = false;

	if (!values)
		return -ENOMEM;
	values->tag = NULL;
	for (uint32_t i = 0; i < all->seq.count; i++) {
		const struct pair *pair = node_match(item, all->seq.items[i]);
		bool is_there = pair && !scalar_is_null(pair->value);

		has_any |= is_there;
		ret->count += pair != NULL;
		if (node_push(arena, values, is_there ? pair->value : &nothing) < 0)
			return -ENOMEM;
	}
	if (has_any)
		ret->value = values;
	return 0;
}

void item_key_split(struct span text, struct span separator, struct span *head, struct span *tail)
{
	const char *at = memmem(text.data, text.len, separator.data, separator.len);
	const char *behind = at ? at + separator.len : NULL;

	*head = at ? (struct span){text.data, (size_t)(at - text.data)} : text;
	*tail = (struct span){behind, behind ? (size_t)(span_end(text) - behind) : 0};
}

static int find_part(const struct node *item, const struct node *separator, bool is_after,
	struct arena *arena, struct item_key *ret)
{
	struct span part, tail;

	item_key_split(item->text, separator->text, &part, &tail);
	if (is_after && tail.data)
		item_key_split(tail, separator->text, &part, &tail);
	if (!part.len)
		return 0;
	struct node *value = node_copy(arena, item);
	if (!value)
		return -ENOMEM;
	value->tag = NULL;
	value->schema = NODE_TEXT;
	/* Not copied: an alias may make a thousand items of one long text. */
	value->text = part;
	ret->value = value;
	return 0;
}

static int find_way(
	const struct node *item, const struct node *way, struct arena *arena, struct item_key *ret)
{
	const struct node *all = node_get(way, "all"), *before = node_get(way, "before");

	if (all)
		return node_is_map(item) ? find_all(item, all, arena, ret) : 0;
	if (!node_is_scalar(item) || scalar_is_null(item))
		return 0;
	return find_part(item, before ? before : node_get(way, "after"), !before, arena, ret);
}

int item_key_find(
	const struct node *item, const struct node *by, struct arena *arena, struct item_key *ret)
{
	uint32_t count;
	const struct node *const *ways = ways_of(&by, &count);
	int r = 0;

	*ret = (struct item_key){0};
	for (uint32_t i = 0; r == 0 && !ret->value && i < count; i++) {
		*ret = (struct item_key){.way = ways[i]};
		if (node_is_map(ways[i])) {
			r = find_way(item, ways[i], arena, ret);
			continue;
		}
		const struct pair *pair = node_match(item, ways[i]);
		bool is_last = i + 1 == count;
		ret->count = 1;
		if (pair && (is_last || (pair->value->text.len && !scalar_is_null(pair->value))))
			ret->value = pair->value;
	}
	return r;
}

/* Adds the item's value at the key, which may be a path, to `map`. */
static int put_key(
	const struct node *item, const struct node *at, struct arena *arena, struct node *map)
{
	const struct pair *pair = node_match(item, at), *own = node_find(item, at);
	struct problem ignored;
	struct key path;

	if (!pair || own)
		return pair ? node_put(arena, map, own->key, own->value) : 0;
	/* A path that is no KEY makes another item, which the caller notices. */
	int r = key_parse(at->text.data, arena, &path, &ignored);
	return r == 0 ? stream_put_at(arena, map, &path, pair->value) : r < 0 ? r : 0;
}

int item_key_alone(
	const struct node *item, const struct node *by, struct arena *arena, struct node **ret)
{
	struct item_key key;
	int r = item_key_find(item, by, arena, &key);

	*ret = NULL;
	if (r == 0)
		*ret = key.count ? node_new_map(arena, NULL) : node_copy(arena, key.value);
	if (!*ret)
		return -ENOMEM;
	if (!key.count) {
		(*ret)->text.data = arena_copy(arena, key.value->text);
		return (*ret)->text.data ? 0 : -ENOMEM;
	}
	const struct node *all = node_is_map(key.way) ? node_get(key.way, "all") : NULL;
	const struct node *const *keys = all ? all->seq.items : &key.way;
	for (uint32_t i = 0; r == 0 && i < (all ? all->seq.count : 1); i++)
		r = put_key(item, keys[i], arena, *ret);
	return r;
}

const struct node *item_key_before(const struct node *by)
{
	uint32_t count;
	const struct node *const *ways = ways_of(&by, &count);
	const struct node *before = NULL;

	for (uint32_t i = 0; !before && i < count; i++)
		before = node_is_map(ways[i]) ? node_get(ways[i], "before") : NULL;
	return before;
}

static const char *join(const struct node *list, const char *comma, struct arena *arena)
{
	const char *text = "";

	for (uint32_t i = 0; text && i < list->seq.count; i++) {
		const char *name = item_key_write(list->seq.items[i], arena);
		text = name ? arena_printf(arena, "%s%s%s", text, i ? comma : "", name) : NULL;
	}
	return text;
}

const char *item_key_write(const struct node *by, struct arena *arena)
{
	if (node_is_scalar(by))
		return by->text.data;
	if (node_is_sequence(by)) {
		const char *ways = join(by, ", ", arena);
		return ways ? arena_printf(arena, "[%s]", ways) : NULL;
	}
	const struct pair *pair = &by->map.pairs[0];
	bool is_text = node_is_scalar(pair->value);
	const char *value = item_key_write(pair->value, arena);
	return value ? arena_printf(arena, is_text ? "{%s: \"%s\"}" : "{%s: %s}",
			       pair->key->text.data, value)
		     : NULL;
}

const char *item_key_name(const struct node *way, struct arena *arena)
{
	if (node_is_scalar(way))
		return arena_copy(arena, way->text);
	if (node_is_sequence(way))
		return join(way, ", ", arena);
	const struct pair *pair = &way->map.pairs[0];
	if (node_is_sequence(pair->value))
		return join(pair->value, " and ", arena);
	return arena_printf(arena, "part %s '%s'", pair->key->text.data, pair->value->text.data);
}

static int hash_key(
	const struct node *item, const struct node *by, struct arena *arena, uint32_t *ret)
{
	struct item_key key;
	int r = item_key_find(item, by, arena, &key);

	*ret = r == 0 && key.value ? node_hash(key.value) : 0;
	return r;
}

static bool has_item(const struct node *list, const struct node *item)
{
	for (uint32_t i = 0; i < list->seq.count; i++)
		if (list->seq.items[i] == item)
			return true;
	return false;
}

int item_key_place(const struct node *list, const struct node *merged, uint32_t index,
	const struct node *by, struct arena *arena, uint32_t *ret)
{
	uint32_t count = list->seq.count, hash;
	uint32_t *hashes = arena_zalloc(arena, count + 1, sizeof(*hashes));
	int r = hashes ? 0 : -ENOMEM;

	*ret = count;
	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = hash_key(list->seq.items[i], by, arena, &hashes[i]);
	for (uint32_t j = index + 1; r == 0 && *ret == count && j < merged->seq.count; j++) {
		if (has_item(list, merged->seq.items[j]))
			continue;
		r = hash_key(merged->seq.items[j], by, arena, &hash);
		for (*ret = 0; *ret < count && (!hash || hashes[*ret] != hash);)
			++*ret;
	}
	return r;
}
