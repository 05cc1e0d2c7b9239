#include "lua_pattern.h"

#include <ctype.h>
#include <stdbool.h>

/* A pattern up to this length takes little more time to compare than one step. */
#define SHORT_PATTERN 32

/* A character or class of a pattern: "a", "%a", "[^a-z%d]" or ".". */
struct pattern_item {
	const char *at;
	const char *end;
};

/*
 * Returns whether class "a" has the character: "a" is letters, "A" all others. An unknown class is
 * the character itself.
 */
static bool class_has(char class, int c)
{
	static const struct {
		char name;
		int (*has)(int c);
	} classes[] = {{'a', isalpha}, {'c', iscntrl}, {'d', isdigit}, {'g', isgraph},
		{'l', islower}, {'p', ispunct}, {'s', isspace}, {'u', isupper}, {'w', isalnum},
		{'x', isxdigit}};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].name == tolower((unsigned char)class))
			return (classes[i].has(c) != 0) != (isupper((unsigned char)class) != 0);
	return (unsigned char)class == c;
}

/*
 * Returns whether the set "[...]", without a "^", has the character. Lua itself refuses a set
 * without an end.
 */
static bool set_has(const char *at, const char *end, int c)
{
	while (at < end) {
		if (*at == '%' && at + 1 < end) {
			if (class_has(at[1], c))
				return true;
			at += 2;
		} else if (at + 2 < end && at[1] == '-') {
			if ((unsigned char)at[0] <= c && c <= (unsigned char)at[2])
				return true;
			at += 3;
		} else if ((unsigned char)*at++ == c) {
			return true;
		}
	}
	return false;
}

static bool item_has(const struct pattern_item *item, int c)
{
	switch (*item->at) {
	case '.':
		return true;
	case '%':
		return item->end - item->at < 2 || class_has(item->at[1], c);
	case '[':
		if (item->end - item->at > 2 && item->at[1] == '^')
			return !set_has(item->at + 2, item->end - 1, c);
		return set_has(item->at + 1, item->end - 1, c);
	default:
		return (unsigned char)*item->at == c;
	}
}

static struct pattern_item read_item(const char *at, const char *end)
{
	const char *next = at + 1;

	if (*at == '%' && next < end)
		next += *next == 'b' && end - next > 2 ? 3 : 1;
	if (*at == '[') {
		if (next < end && *next == '^')
			next++;
		/* A "]" in the first place is an ordinary character. */
		do
			next += next < end && *next == '%' ? 2 : 1;
		while (next < end && *next != ']');
		next = next < end ? next + 1 : end;
	}
	return (struct pattern_item){at, next};
}

/* Returns the longest run of characters that a repetition of the item can match. */
static double longest_run(const struct pattern_item *item, struct span text)
{
	bool has[256];
	size_t longest = 0, run = 0;

	for (int c = 0; c < 256; c++)
		has[c] = item_has(item, c);
	for (size_t i = 0; i < text.len; i++) {
		run = has[(unsigned char)text.data[i]] ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return (double)longest;
}

/* Returns the factor by which an item multiplies the steps of the items before it. */
static double item_factor(
	const struct pattern_item *item, const char *end, struct span text, unsigned *repeats)
{
	double text_len = (double)text.len;
	char second = item->end - item->at > 1 ? item->at[1] : '\0';

	/*
	 * "%bxy" counts from each position on; "%1" compares as many characters as a repetition
	 * matched.
	 */
	if (*item->at == '%' && second == 'b')
		return text_len + 1;
	if (*item->at == '%' && isdigit((unsigned char)second))
		return 1 + text_len / SHORT_PATTERN;
	if (item->end >= end)
		return 1;
	if (*item->end == '?')
		return 2;
	if (*item->end != '*' && *item->end != '+' && *item->end != '-')
		return 1;
	/*
	 * For each choice of the repetitions before it, a repetition can try every possible length.
	 * Repetitions that could match the whole text share it.
	 */
	double run = longest_run(item, text);
	return run < text_len ? run + 1 : (text_len + 1) / ++*repeats;
}

double lua_pattern_steps(struct span pattern, struct span text)
{
	const char *end = pattern.data + pattern.len;
	bool is_anchored = pattern.len > 0 && *pattern.data == '^';
	double steps = is_anchored ? 1 : (double)text.len + 1;
	unsigned repeats = 0;

	/* At each position literal text is compared again, and sets are searched. */
	if (pattern.len > SHORT_PATTERN)
		steps *= (double)pattern.len;
	for (const char *at = pattern.data; at < end && steps <= LUA_PATTERN_STEPS_MAX;) {
		const struct pattern_item item = read_item(at, end);
		steps *= item_factor(&item, end, text, &repeats);
		at = item.end;
	}
	return steps;
}
