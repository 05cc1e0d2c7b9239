/*
 * A pattern is matched as a finite automaton whose states are its tokens: state i means "the text
 * before token i has matched so far".
 *
 * The possible states at one byte of the path are bits. A word of them is moved over the byte by a
 * few operations: states that accept the byte move on by one (a shift), and stars stay as well. So
 * the time is at most (pattern × path), and a fraction of that for patterns without braces.
 *
 *      a { b , c * } d        next: { → , → }     the next part of the same brace
 *      0 1 2 3 4 5 6 7        a state on "," or "}" means that an alternative has ended there
 *
 * Braces and stars also move on without a byte, always forward. One pass from the first to the last
 * follows them all.
 */
#include "glob.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WORD_BITS 64

/* Bytes that may have a special meaning. */
#define SPECIAL "*?[]{},\\"

/* One state more than tokens: the last one means that the whole pattern has matched. */
#define WORDS_MAX (GLOB_MAX / WORD_BITS + 1)

struct automaton {
	const char *pattern;
	size_t len;
	uint16_t link[GLOB_MAX]; /* of "{" and ",": the next "," or "}"; of "}": itself; else 0 */
};

/* A set of bytes. */
struct byte_set {
	uint64_t words[256 / WORD_BITS];
};

/* The states of a pattern, with a set of the states of each kind. All sets have `words` words. */
struct states {
	size_t count;
	size_t words;
	/* first byte of the token; for an escaped byte, the backslash */
	char kinds[GLOB_MAX + 1];
	uint16_t nexts[GLOB_MAX + 1]; /* of "{" and ",": the token of the next "," or "}" */
	uint64_t stars[WORDS_MAX];
	uint64_t double_stars[WORDS_MAX];
	uint64_t leads[WORDS_MAX];  /* "**" and a slash: where a name begins, both may be skipped */
	uint64_t movers[WORDS_MAX]; /* braces, and the stars to which braces move */
	uint64_t name_movers[WORDS_MAX]; /* those, and the stars to which leads move */
	uint64_t any[WORDS_MAX];         /* accepts any byte but a slash */
	/* `words` words for each byte: the states that accept it */
	uint64_t takes[256 * WORDS_MAX];
};

static void byte_set_add(struct byte_set *set, unsigned low, unsigned high)
{
	for (unsigned word = low / WORD_BITS; word <= high / WORD_BITS; word++) {
		uint64_t bits = UINT64_MAX;

		if (word == low / WORD_BITS)
			bits &= UINT64_MAX << low % WORD_BITS;
		if (word == high / WORD_BITS)
			bits &= UINT64_MAX >> (WORD_BITS - 1 - high % WORD_BITS);
		set->words[word] |= bits;
	}
}

/* Reads one byte of a bracket expression, which may be escaped. Moves *at behind it. */
static unsigned char bracket_byte(const char *pattern, size_t *at)
{
	if (pattern[*at] == '\\' && pattern[*at + 1])
		(*at)++;
	return (unsigned char)pattern[(*at)++];
}

/*
 * Reads the bracket expression at `at`. Returns its end, and its bytes in *ret; or 0 with *reason
 * if it is malformed.
 */
static size_t bracket_parse(
	const char *pattern, size_t at, struct byte_set *ret, const char **reason)
{
	bool negated = pattern[at + 1] == '!' || pattern[at + 1] == '^';
	struct byte_set slash = {0};
	size_t first;

	*ret = (struct byte_set){0};

	at += negated ? 2 : 1;
	for (first = at; pattern[at] && (pattern[at] != ']' || at == first);) {
		unsigned char low, high;

		if (pattern[at] == '[' && pattern[at + 1] == ':') {
			*reason = "classes such as [:alpha:] are not known; write [a-zA-Z]";
			return 0;
		}
		low = high = bracket_byte(pattern, &at);
		if (pattern[at] == '-' && pattern[at + 1] && pattern[at + 1] != ']') {
			at++;
			high = bracket_byte(pattern, &at);
		}
		if (low == '/' || high == '/') {
			*reason = "a slash can't stand in [ ]";
			return 0;
		}
		if (low > high) {
			*reason = "a range in [ ] is the wrong way round";
			return 0;
		}
		byte_set_add(ret, low, high);
	}
	if (!pattern[at]) {
		*reason = "a [ has no ]; write \\[ for the character itself";
		return 0;
	}

	byte_set_add(&slash, '/', '/');
	for (size_t i = 0; i < sizeof(ret->words) / sizeof(ret->words[0]); i++)
		ret->words[i] = (negated ? ~ret->words[i] : ret->words[i]) & ~slash.words[i];
	return at + 1;
}

/* Fills the links. `latest` has the place of the last "{" or "," of each open brace. */
static bool link_braces(struct automaton *automaton, const char **reason)
{
	const char *pattern = automaton->pattern;
	uint16_t latest[GLOB_MAX];
	size_t depth = 0;
	struct byte_set unused;

	memset(automaton->link, 0, automaton->len * sizeof(automaton->link[0]));
	for (size_t at = 0; at < automaton->len;) {
		char c = pattern[at];

		if (c == '[') {
			at = bracket_parse(pattern, at, &unused, reason);
			if (at == 0)
				return false;
			continue;
		}
		if (c == '\\' && ++at == automaton->len) {
			*reason = "it ends with a lone \\";
			return false;
		}
		if (c == '}' && depth == 0) {
			*reason = "a } has no {; write \\} for the character itself";
			return false;
		}
		if (c == '{') {
			latest[depth++] = (uint16_t)at;
		} else if ((c == ',' && depth > 0) || c == '}') {
			automaton->link[latest[depth - 1]] = (uint16_t)at;
			latest[depth - 1] = (uint16_t)at;
		}
		if (c == '}') {
			automaton->link[at] = (uint16_t)at;
			depth--;
		}
		at++;
	}
	if (depth > 0)
		*reason = "a { has no }; write \\{ for the character itself";
	return depth == 0;
}

static bool automaton_init(struct automaton *automaton, const char *pattern, const char **reason)
{
	automaton->pattern = pattern;
	automaton->len = strnlen(pattern, GLOB_MAX + 1);
	if (automaton->len > GLOB_MAX) {
		*reason = "it is longer than 1024 bytes";
		return false;
	}
	return link_braces(automaton, reason);
}

bool glob_is_valid(const char *pattern, const char **reason)
{
	struct automaton automaton;
	size_t len = strlen(pattern);

	if (len == 0)
		*reason = "it is empty";
	else if (pattern[0] == '/')
		*reason = "it begins with a slash; paths are relative to the mount's root";
	else if (strncmp(pattern, "./", 2) == 0)
		*reason = "it begins with ./; leave that out";
	else if (pattern[len - 1] == '/')
		*reason = "it ends with a slash; write DIRECTORY/** for all that is in a directory";
	else
		return automaton_init(&automaton, pattern, reason);
	return false;
}

static void bit_set(uint64_t *bits, size_t state)
{
	bits[state / WORD_BITS] |= UINT64_C(1) << state % WORD_BITS;
}

static bool bit_is_set(const uint64_t *bits, size_t state)
{
	return bits[state / WORD_BITS] >> state % WORD_BITS & 1;
}

/* Returns the end of the token at `at`. */
static size_t token_end(const char *pattern, size_t at)
{
	struct byte_set unused;
	const char *reason;

	if (pattern[at] == '[')
		return bracket_parse(pattern, at, &unused, &reason);
	if (pattern[at] == '*')
		return at + strspn(pattern + at, "*");
	return at + (pattern[at] == '\\' ? 2 : 1);
}

static void set_star(struct states *states, size_t state, const char *pattern, size_t at)
{
	size_t len = strspn(pattern + at, "*");

	bit_set(states->stars, state);
	if (len > 1)
		bit_set(states->double_stars, state);
	if (len > 1 && pattern[at + len] == '/')
		bit_set(states->leads, state);
	if (state > 0 && states->nexts[state - 1] != 0)
		bit_set(states->movers, state);
	if (state > 1 && bit_is_set(states->leads, state - 2))
		bit_set(states->name_movers, state);
}

/* Sets which bytes a token accepts. Only the bytes of the path, `bytes`, matter. */
static void set_taker(struct states *states, size_t state, const char *pattern, size_t at,
	const struct byte_set *bytes)
{
	size_t escape = pattern[at] == '\\';
	struct byte_set set;
	const char *reason;

	if (pattern[at] == '?') {
		bit_set(states->any, state);
		return;
	}
	if (pattern[at] != '[') {
		bit_set(states->takes + (unsigned char)pattern[at + escape] * states->words, state);
		return;
	}
	bracket_parse(pattern, at, &set, &reason);
	for (size_t i = 0; i < sizeof(set.words) / sizeof(set.words[0]); i++)
		for (uint64_t left = set.words[i] & bytes->words[i]; left; left &= left - 1)
			bit_set(states->takes + (i * WORD_BITS + (size_t)__builtin_ctzll(left)) *
							states->words,
				state);
}

static void states_init(
	struct states *states, const struct automaton *automaton, const struct byte_set *bytes)
{
	const char *pattern = automaton->pattern;
	uint16_t tokens[GLOB_MAX]; /* indexed by place */
	size_t count = 0;

	for (size_t at = 0; at < automaton->len; at = token_end(pattern, at))
		tokens[at] = (uint16_t)count++;
	states->count = count;
	states->words = count / WORD_BITS + 1;
	memset(states->takes, 0, 256 * states->words * sizeof(*states->takes));
	for (uint64_t *const *set = (uint64_t *const[]){states->stars, states->double_stars,
		     states->leads, states->movers, states->name_movers, states->any, NULL};
		*set; set++)
		memset(*set, 0, states->words * sizeof(**set));

	for (size_t at = 0, state = 0; at < automaton->len; at = token_end(pattern, at), state++) {
		states->kinds[state] = pattern[at];
		states->nexts[state] = 0;
		if (automaton->link[at] != 0) {
			states->nexts[state] = tokens[automaton->link[at]];
			bit_set(states->movers, state);
		} else if (pattern[at] == '*') {
			set_star(states, state, pattern, at);
		} else {
			set_taker(states, state, pattern, at, bytes);
		}
	}
}

/* Adds the states to which `state`, a mover, moves. */
static void move(const struct states *states, size_t state, bool at_name, uint64_t *bits)
{
	switch (states->kinds[state]) {
	case '{':
		for (size_t part = state; states->kinds[part] != '}'; part = states->nexts[part])
			bit_set(bits, part + 1);
		break;
	case ',':
		bit_set(bits, states->nexts[state]);
		break;
	case '*':
		if (at_name && bit_is_set(states->leads, state))
			bit_set(bits, state + 2);
		bit_set(bits, state + 1);
		break;
	default:
		bit_set(bits, state + 1);
	}
}

/* Adds all states that follow without a byte. `at_name`: a name of the path begins here. */
static void follow(const struct states *states, bool at_name, uint64_t *bits)
{
	uint64_t carry_one = 0, carry_two = 0;

	for (size_t i = 0; i < states->words; i++) {
		uint64_t stars = bits[i] & states->stars[i];
		uint64_t leads = at_name ? bits[i] & states->leads[i] : 0;

		bits[i] |= stars << 1 | leads << 2 | carry_one | carry_two;
		carry_one = stars >> (WORD_BITS - 1);
		carry_two = leads >> (WORD_BITS - 2);
	}
	for (size_t i = 0; i < states->words; i++) {
		uint64_t movers = states->movers[i] | (at_name ? states->name_movers[i] : 0);
		uint64_t left;

		/* Each move may add further movers, but only behind the present one. */
		while ((left = bits[i] & movers)) {
			unsigned bit = (unsigned)__builtin_ctzll(left);

			move(states, i * WORD_BITS + bit, at_name, bits);
			movers &= ~(UINT64_C(1) << bit);
		}
	}
}

/* Moves over `byte`. Returns whether any state is left. */
static bool step(const struct states *states, unsigned char byte, uint64_t *bits)
{
	const uint64_t *takes = states->takes + byte * states->words;
	uint64_t in_name = byte == '/' ? 0 : UINT64_MAX;
	uint64_t carry = 0, any = 0;

	for (size_t i = 0; i < states->words; i++) {
		uint64_t taken = bits[i] & (takes[i] | (states->any[i] & in_name));
		uint64_t kept = bits[i] & (states->double_stars[i] | (states->stars[i] & in_name));

		bits[i] = taken << 1 | carry | kept;
		carry = taken >> (WORD_BITS - 1);
		any |= bits[i];
	}
	return any;
}

/*
 * Returns whether the path has the pattern's texts in their order, the first at its beginning and
 * the last at its end. Braces, brackets and escaped bytes count as any text. Most paths that don't
 * match fail this quick test.
 */
static bool has_texts(const char *pattern, const char *path)
{
	const char *at = pattern;
	unsigned depth = 0;

	for (bool is_first = true;; is_first = false) {
		size_t len = strcspn(at, SPECIAL), left = strlen(path);
		const char *text = at;

		at += len;
		/* "**" and "/" may match nothing. */
		if (!is_first && text[-1] == '*' && *text == '/') {
			text++;
			len--;
		}
		if (!*at)
			return len <= left && (!is_first || len == left) &&
			       memcmp(path + left - len, text, len) == 0;
		const char *found = is_first ? path : memmem(path, left, text, len);
		if (!found || strncmp(found, text, len) != 0)
			return false;
		path = found + len;
		do {
			depth += *at == '{';
			depth -= *at == '}';
			at += token_end(at, 0);
		} while (depth > 0);
	}
}

bool glob_match(const char *pattern, const char *path)
{
	struct automaton automaton;
	struct byte_set bytes = {0};
	struct states states;
	uint64_t bits[WORDS_MAX] = {1};
	const char *reason;
	bool is_left = true;

	if (!has_texts(pattern, path))
		return false;
	bool is_valid = automaton_init(&automaton, pattern, &reason);
	assert(is_valid);
	if (!is_valid)
		return false;

	for (const char *at = path; *at; at++)
		byte_set_add(&bytes, (unsigned char)*at, (unsigned char)*at);
	states_init(&states, &automaton, &bytes);
	follow(&states, true, bits);
	for (const char *at = path; *at && is_left; at++) {
		is_left = step(&states, (unsigned char)*at, bits);
		follow(&states, *at == '/', bits);
	}
	return bit_is_set(bits, states.count);
}
