/*
 * A pattern is matched as a finite automaton whose states are places in the pattern: state i means
 * "the text before byte i has matched so far". All possible states go over the path at once, so the
 * time is at most (pattern × path).
 *
 *      a { b , c * } d        link: { → , → }     the next part of the same brace
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

/* Bytes that may have a special meaning. */
#define SPECIAL "*?[]{},\\"

struct automaton {
	const char *pattern;
	size_t len;
	uint16_t link[GLOB_MAX]; /* of "{" and ",": the next "," or "}"; of "}": itself; else 0 */
};

/* Reads one byte of a bracket expression, which may be escaped. Moves *at behind it. */
static unsigned char bracket_byte(const char *pattern, size_t *at)
{
	if (pattern[*at] == '\\' && pattern[*at + 1])
		(*at)++;
	return (unsigned char)pattern[(*at)++];
}

/*
 * Reads the bracket expression at `at`. Returns its end, and in *takes whether it accepts the byte;
 * or 0 with *reason if it is malformed.
 */
static size_t bracket_parse(
	const char *pattern, size_t at, unsigned char byte, bool *takes, const char **reason)
{
	bool negated = pattern[at + 1] == '!' || pattern[at + 1] == '^', is_listed = false;
	size_t first;

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
			*reason = "a slash can't stand in [ ]; write it outside";
			return 0;
		}
		if (low > high) {
			*reason = "a range in [ ] is the wrong way round; write the smaller end "
				  "first";
			return 0;
		}
		is_listed |= low <= byte && byte <= high;
	}
	if (!pattern[at]) {
		*reason = "a [ has no ]; write \\[ for the character itself";
		return 0;
	}
	*takes = is_listed != negated && byte != '/';
	return at + 1;
}

/* Fills the links. `latest` has the place of the last "{" or "," of each open brace. */
static bool link_braces(struct automaton *automaton, const char **reason)
{
	const char *pattern = automaton->pattern;
	uint16_t latest[GLOB_MAX];
	size_t depth = 0;
	bool ignored;

	memset(automaton->link, 0, automaton->len * sizeof(automaton->link[0]));
	for (size_t at = 0; at < automaton->len;) {
		char c = pattern[at];

		if (c == '[') {
			at = bracket_parse(pattern, at, '\0', &ignored, reason);
			if (at == 0)
				return false;
			continue;
		}
		if (c == '\\' && ++at == automaton->len) {
			*reason = "it ends with a lone \\; write \\\\ for the character itself";
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
		*reason = "it is longer than 1024 bytes; shorten it";
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

/* Returns the end of the token at `at`. */
static size_t token_end(const char *pattern, size_t at)
{
	const char *reason;
	bool ignored;

	if (pattern[at] == '[')
		return bracket_parse(pattern, at, '\0', &ignored, &reason);
	if (pattern[at] == '*')
		return at + strspn(pattern + at, "*");
	return at + (pattern[at] == '\\' ? 2 : 1);
}

/* Adds the states to which a brace, or a comma in it, moves. */
static void leave(const struct automaton *automaton, size_t state, bool *states)
{
	const char *pattern = automaton->pattern;

	if (pattern[state] == ',')
		states[automaton->link[state]] = true;
	else if (pattern[state] == '}')
		states[state + 1] = true;
	else
		for (size_t part = state; pattern[part] != '}'; part = automaton->link[part])
			states[part + 1] = true;
}

/*
 * Adds the states that follow without a byte to `states`, and those behind the byte to `next`.
 * `at_name`: a name of the path begins at the byte.
 */
static void move(const struct automaton *automaton, size_t state, bool at_name, unsigned char byte,
	bool *states, bool *next)
{
	const char *token = automaton->pattern + state, *reason;
	size_t len = 1;
	bool takes = (unsigned char)*token == byte;

	if (automaton->link[state]) {
		leave(automaton, state, states);
		return;
	}
	if (*token == '*') {
		while (token[len] == '*')
			len++;
		states[state + len] = true;
		states[state + len + 1] |= len > 1 && at_name && token[len] == '/';
		next[state] |= len > 1 || byte != '/';
		return;
	}
	if (*token == '[') {
		len = bracket_parse(token, 0, byte, &takes, &reason);
	} else if (*token == '?') {
		takes = byte != '/';
	} else if (*token == '\\') {
		len = 2;
		takes = (unsigned char)token[1] == byte;
	}
	next[state + len] |= takes;
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
	/* One state more than bytes: the whole pattern has matched. A star may name one more. */
	bool sets[2][GLOB_MAX + 2] = {{true}};
	bool *states = sets[0], *next = sets[1], is_left = true;
	const char *reason;

	if (!has_texts(pattern, path))
		return false;
	bool is_valid = automaton_init(&automaton, pattern, &reason);
	assert(is_valid);
	if (!is_valid)
		return false;

	for (const char *at = path; is_left; at++) {
		bool at_name = at == path || at[-1] == '/';

		is_left = false;
		for (size_t i = 0; i < automaton.len; i++) {
			if (!states[i])
				continue;
			move(&automaton, i, at_name, (unsigned char)*at, states, next);
			states[i] = false;
			is_left = true;
		}
		if (!*at)
			return states[automaton.len];
		states[automaton.len] = false;
		bool *behind = next;
		next = states;
		states = behind;
	}
	return false;
}
