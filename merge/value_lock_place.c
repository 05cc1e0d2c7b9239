#include "value_lock_place.h"

#include <errno.h>
#include <stdio.h>

#include "scalar.h"
#include "spelling.h"

#define FORM "'lock' is a map of layers to places such as {policy: [\"hosts.*\"]}"

/*
 * Maxima of the places of one layer, and of the keys in all of them: each value of a file is
 * compared with them.
 */
#define PLACES_MAX 256
#define WORDS_MAX 4096

/* A reader of the places of one layer. */
struct place_reader {
	struct arena *arena;
	struct value_lock_word *words;
	uint32_t count;
	uint32_t capacity;
	struct problem *problem;
};

/* Reads the digits of an index. Returns UINT32_MAX if the key is none. */
static uint32_t index_of(struct span key)
{
	uint64_t index = 0;

	if (key.len == 0 || key.len > 9 || (key.data[0] == '0' && key.len > 1))
		return UINT32_MAX;
	for (size_t i = 0; i < key.len; i++) {
		if (key.data[i] < '0' || key.data[i] > '9')
			return UINT32_MAX;
		index = 10 * index + (uint64_t)(key.data[i] - '0');
	}
	return (uint32_t)index;
}

bool value_lock_next_word(const char **at, const char *end, char *out, struct value_lock_word *ret)
{
	const char *from = *at;
	size_t len = 0, stars = 0;

	for (; from < end && *from != '.'; from++) {
		if (*from == '\\' && from + 1 < end)
			from++;
		else if (*from == '*')
			stars++;
		out[len++] = *from;
	}
	out[len] = '\0';
	*at = from < end ? from + 1 : NULL;
	*ret = (struct value_lock_word){.kind = VALUE_LOCK_KEY, .key = {out, len}};
	if (stars > 0)
		ret->kind = stars == 1 ? VALUE_LOCK_ONE : VALUE_LOCK_MANY;
	ret->index = index_of(ret->key);
	return len > 0 && (stars == 0 || (stars == len && stars <= 2));
}

static int read_place(struct place_reader *reader, const struct node *place)
{
	if (!node_is_scalar(place) || scalar_is_null(place))
		return problem_at(reader->problem, place, FORM);

	const char *at = place->text.data, *end = at + place->text.len;
	char *out = arena_alloc(reader->arena, 2 * place->text.len + 2);
	if (!out)
		return -ENOMEM;
	while (at) {
		struct value_lock_word word;

		if (!value_lock_next_word(&at, end, out, &word))
			return problem_at(reader->problem, place,
				"'%s' is no place: between dots stands a key, an index, '*' or "
				"'**'; in a key write '\\.' for a dot and '\\*' for an asterisk",
				place->text.data);
		out += word.key.len + 1;
		if (arena_push(reader->arena, reader->words, reader->count, reader->capacity,
			    word) < 0)
			return -ENOMEM;
	}
	if (reader->count >= WORDS_MAX)
		return problem_at(reader->problem, place,
			"these places have more than %d keys up to here; name a place above them, "
			"or use '*'",
			WORDS_MAX);
	return arena_push(reader->arena, reader->words, reader->count, reader->capacity,
		(struct value_lock_word){.kind = VALUE_LOCK_END, .place = place});
}

int value_lock_read_places(const struct node *places, struct arena *arena, struct value_lock *ret,
	struct problem *problem)
{
	struct place_reader reader = {.arena = arena, .problem = problem};
	bool is_list = node_is_sequence(places);
	uint32_t count = is_list ? places->seq.count : 1;
	int r = 0;

	if (count > PLACES_MAX)
		return problem_at(problem, places,
			"there are %u places; at most %d are allowed: name a place above them, or "
			"use '*'",
			(unsigned)count, PLACES_MAX);
	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = read_place(&reader, is_list ? places->seq.items[i] : places);
	ret->words = reader.words;
	ret->word_count = reader.count;
	return r;
}

int value_locks_read(const struct node *map, struct arena *arena, struct value_locks **ret,
	struct problem *problem)
{
	if (!node_is_map(map))
		return problem_at(problem, map, FORM);

	struct value_locks *locks = arena_zalloc(arena, 1, sizeof(*locks));
	if (!locks)
		return -ENOMEM;
	locks->map = map;
	locks->items = arena_zalloc(arena, map->map.count + 1, sizeof(*locks->items));
	if (!locks->items)
		return -ENOMEM;
	for (uint32_t i = 0; i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];
		struct value_lock *lock = &locks->items[locks->count];

		if (!node_is_scalar(pair->key))
			return problem_at(problem, pair->key, FORM);
		int r = value_lock_read_places(pair->value, arena, lock, problem);
		if (r != 0)
			return r;
		lock->layer = pair->key;
		locks->count++;
	}
	*ret = locks;
	return 0;
}

/*
 * Computes one row of value_lock_places_meet(): from[j] becomes whether a path can match the words
 * from `a` and from b[j] on. `next` is the row of the word after `a`.
 */
static void meet_row(const struct value_lock_word *a, const struct value_lock_word *b, size_t count,
	bool covers, const bool *next, bool *row)
{
	for (size_t j = count; j-- > 0;) {
		bool is_end = b[j].kind == VALUE_LOCK_END;

		if (a->kind == VALUE_LOCK_END)
			row[j] = is_end || covers || (b[j].kind == VALUE_LOCK_MANY && row[j + 1]);
		else if (a->kind == VALUE_LOCK_MANY)
			row[j] = next[j] || (!is_end && row[j + 1]);
		else if (b[j].kind == VALUE_LOCK_MANY)
			row[j] = row[j + 1] || next[j];
		else
			row[j] = !is_end && next[j + 1] &&
				 (a->kind == VALUE_LOCK_ONE || b[j].kind == VALUE_LOCK_ONE ||
					 span_equal(a->key, b[j].key));
	}
}

static size_t count_place(const struct value_lock_word *place)
{
	size_t count = 1;

	while (place[count - 1].kind != VALUE_LOCK_END)
		count++;
	return count;
}

int value_lock_places_meet(const struct value_lock_word *a, const struct value_lock_word *b,
	bool covers, struct arena *arena, bool *ret)
{
	size_t rows = count_place(a), count = count_place(b);
	bool *next = arena_zalloc(arena, count + 1, sizeof(*next));
	bool *row = arena_zalloc(arena, count + 1, sizeof(*row));

	if (!next || !row)
		return -ENOMEM;
	for (size_t i = rows; i-- > 0;) {
		bool *last = next;

		meet_row(&a[i], b, count, covers, next, row);
		next = row;
		row = last;
	}
	*ret = next[0];
	return 0;
}

size_t value_lock_set_size(const struct value_lock *lock)
{
	return lock->word_count / 64 + 1;
}

/* Adds the word `i`; after a word that matches nothing as well, adds the next one, too. */
static void add(const struct value_lock *lock, uint64_t *set, size_t i)
{
	for (set[i / 64] |= (uint64_t)1 << i % 64; lock->words[i].kind == VALUE_LOCK_MANY;) {
		i++;
		set[i / 64] |= (uint64_t)1 << i % 64;
	}
}

void value_lock_set_begin(const struct value_lock *lock, uint64_t *set)
{
	for (size_t i = 0; i < lock->word_count; i++)
		if (i == 0 || lock->words[i - 1].kind == VALUE_LOCK_END)
			add(lock, set, i);
}

/*
 * Returns how many words of a place a step matches; 0: it does not match. A key may contain dots:
 * the key `editor.fontSize` matches two words, which may be all of the place or its beginning.
 */
static size_t count_words(const struct value_lock_word *word, const struct value_lock_step *step)
{
	size_t count = 0;

	if (word->kind != VALUE_LOCK_KEY)
		return 1;
	if (!step->key)
		return word->index == step->index;
	if (spelling_is(step->key, word->key))
		return 1;
	struct span rest = node_is_scalar(step->key) ? step->key->text : (struct span){NULL, 0};
	for (; rest.data && word[count].kind == VALUE_LOCK_KEY; count++) {
		struct span key = word[count].key;

		if (rest.len < key.len || memcmp(rest.data, key.data, key.len) != 0)
			return 0;
		if (rest.len == key.len)
			return count + 1;
		if (rest.data[key.len] != '.')
			return 0;
		rest = (struct span){rest.data + key.len + 1, rest.len - key.len - 1};
	}
	return 0;
}

void value_lock_set_step(const struct value_lock *lock, const uint64_t *from,
	const struct value_lock_step *step, uint64_t *ret)
{
	size_t size = value_lock_set_size(lock);

	memset(ret, 0, size * sizeof(*ret));
	for (size_t word = 0; word < size; word++)
		for (uint64_t left = from[word]; left; left &= left - 1) {
			size_t i = 64 * word + (size_t)__builtin_ctzll(left);
			const struct value_lock_word *at = &lock->words[i];

			size_t count = at->kind != VALUE_LOCK_END ? count_words(at, step) : 0;

			if (count > 0)
				add(lock, ret, at->kind == VALUE_LOCK_MANY ? i : i + count);
		}
}

bool value_lock_set_is_empty(const struct value_lock *lock, const uint64_t *set)
{
	for (size_t i = 0; i < value_lock_set_size(lock); i++)
		if (set[i])
			return false;
	return true;
}

/*
 * Returns the set that `step` leads to, in the arena, or NULL when there is no memory. Sets
 * *is_locked if the value or a value around it is locked.
 */
static const uint64_t *follow(const struct value_lock *lock, const struct value_lock_step *step,
	struct arena *arena, bool *is_locked)
{
	uint64_t *set = arena_zalloc(arena, value_lock_set_size(lock), sizeof(*set));
	const uint64_t *up = step && set ? follow(lock, step->up, arena, is_locked) : NULL;

	if (!set || (step && !up))
		return NULL;
	if (step)
		value_lock_set_step(lock, up, step, set);
	else
		value_lock_set_begin(lock, set);
	*is_locked |= value_lock_set_reached(lock, set) != NULL;
	return set;
}

int value_lock_of_place(const struct value_locks *locks, const struct value_lock_step *step,
	struct arena *arena, const struct value_lock **ret)
{
	const struct value_lock *found = NULL;

	for (size_t i = 0; i < locks->count; i++) {
		const struct value_lock *lock = &locks->items[i];
		bool is_locked = false;

		if (!follow(lock, step, arena, &is_locked))
			return -ENOMEM;
		if (is_locked && (!found || lock->rank < found->rank))
			found = lock;
	}
	*ret = found;
	return 0;
}

const struct node *value_lock_set_reached(const struct value_lock *lock, const uint64_t *set)
{
	for (size_t word = 0; word < value_lock_set_size(lock); word++)
		for (uint64_t left = set[word]; left; left &= left - 1) {
			const struct value_lock_word *at =
				&lock->words[64 * word + (size_t)__builtin_ctzll(left)];

			if (at->kind == VALUE_LOCK_END)
				return at->place;
		}
	return NULL;
}

/* Appends the character if it fits. *len grows in any case. */
static void put(char *name, size_t size, size_t *len, char c)
{
	if (*len + 1 < size)
		name[*len] = c;
	++*len;
}

static void put_key(char *name, size_t size, size_t *len, const struct node *key)
{
	if (!node_is_scalar(key)) {
		put(name, size, len, '?');
		return;
	}
	for (size_t i = 0; i < key->text.len && *len < size; i++) {
		if (strchr(".*\\", key->text.data[i]) && key->text.data[i])
			put(name, size, len, '\\');
		put(name, size, len, key->text.data[i]);
	}
}

static void put_steps(const struct value_lock_step *step, char *name, size_t size, size_t *len)
{
	char index[16];

	if (step->up)
		put_steps(step->up, name, size, len);
	if (step->up)
		put(name, size, len, '.');
	if (step->key) {
		put_key(name, size, len, step->key);
		return;
	}
	snprintf(index, sizeof(index), "%u", (unsigned)step->index);
	for (const char *at = index; *at; at++)
		put(name, size, len, *at);
}

void value_lock_step_name(const struct value_lock_step *step, char *name, size_t size)
{
	size_t len = 0;

	if (step)
		put_steps(step, name, size, &len);
	else
		put(name, size, &len, '.');
	name[len < size ? len : size - 1] = '\0';
}
