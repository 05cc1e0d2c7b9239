/*
 * A pattern is matched as a finite automaton whose states are the pattern's own bytes: state p
 * means "what stands before byte p has matched so far". All states that are possible at one byte of
 * the path are kept together, each once, so the time is at most (pattern × path) whatever the
 * pattern.
 *
 *      a { b , c * } d        link: { → , → }     the next part of the same brace
 *      0 1 2 3 4 5 6 7        a state on "," or "}" says that an alternative has ended there
 */
#include "glob.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct automaton {
	const char *pattern;
	size_t len;
	uint16_t link[GLOB_MAX]; /* of "{" and ",": the next "," or "}"; of "}": itself; else 0 */
};

/* The states that are possible at one place of the path. */
struct states {
	size_t count;
	uint16_t list[GLOB_MAX + 1]; /* len is the state in which all of the pattern has matched */
	bool is_in[GLOB_MAX + 1];
};

/* One byte of a bracket expression, which may be escaped; moves *at behind it. */
static unsigned char bracket_byte(const char *pattern, size_t *at)
{
	if (pattern[*at] == '\\' && pattern[*at + 1])
		(*at)++;
	return (unsigned char)pattern[(*at)++];
}

/*
 * The place behind the bracket expression that begins at `at`; 0 with *reason when it is malformed.
 * *has says whether `byte` is one of those it stands for.
 */
static size_t bracket_parse(
	const char *pattern, size_t at, unsigned char byte, bool *has, const char **reason)
{
	bool negated = pattern[at + 1] == '!' || pattern[at + 1] == '^';
	bool found = false;
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
			*reason = "a slash can't stand in [ ]";
			return 0;
		}
		if (low > high) {
			*reason = "a range in [ ] is the wrong way round";
			return 0;
		}
		found |= low <= byte && byte <= high;
	}
	if (!pattern[at]) {
		*reason = "a [ has no ]; write \\[ for the character itself";
		return 0;
	}

	*has = found != negated && byte != '/';
	return at + 1;
}

/* Fills links. `latest` holds, for each brace that is open, the place of its last "{" or ",". */
static bool link_braces(struct automaton *automaton, const char **reason)
{
	const char *pattern = automaton->pattern;
	uint16_t latest[GLOB_MAX];
	size_t depth = 0;
	bool unused;

	memset(automaton->link, 0, automaton->len * sizeof(automaton->link[0]));
	for (size_t at = 0; at < automaton->len;) {
		char c = pattern[at];

		if (c == '[') {
			at = bracket_parse(pattern, at, 0, &unused, reason);
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

static void states_add(struct states *states, size_t state)
{
	if (states->is_in[state])
		return;
	states->is_in[state] = true;
	states->list[states->count++] = (uint16_t)state;
}

static void states_clear(struct states *states)
{
	for (size_t i = 0; i < states->count; i++)
		states->is_in[states->list[i]] = false;
	states->count = 0;
}

/* Adds every state that follows without taking a byte. `at_name`: here begins a name of the path.
 */
static void states_complete(const struct automaton *automaton, struct states *states, bool at_name)
{
	const char *pattern = automaton->pattern;

	/* The list grows under way; a state is in it at most once. */
	for (size_t i = 0; i < states->count; i++) {
		size_t state = states->list[i], stars;

		if (state == automaton->len)
			continue;
		if (pattern[state] == '*') {
			stars = strspn(pattern + state, "*");
			states_add(states, state + stars);
			if (stars > 1 && at_name && pattern[state + stars] == '/')
				states_add(states, state + stars + 1);
		} else if (automaton->link[state] == 0) {
			continue;
		} else if (pattern[state] == '{') {
			for (size_t part = state; pattern[part] != '}';
				part = automaton->link[part])
				states_add(states, part + 1);
		} else if (pattern[state] == ',') {
			states_add(states, automaton->link[state]);
		} else {
			states_add(states, state + 1);
		}
	}
}

/* Adds to `next` what follows `state` when `byte` comes. */
static void states_step(
	const struct automaton *automaton, size_t state, unsigned char byte, struct states *next)
{
	const char *pattern = automaton->pattern;
	const char *reason;
	size_t behind;
	bool has = false;

	if (state == automaton->len || automaton->link[state] != 0)
		return;

	switch (pattern[state]) {
	case '*':
		if (byte != '/' || pattern[state + 1] == '*')
			states_add(next, state);
		break;
	case '?':
		if (byte != '/')
			states_add(next, state + 1);
		break;
	case '[':
		behind = bracket_parse(pattern, state, byte, &has, &reason);
		if (has)
			states_add(next, behind);
		break;
	case '\\':
		if ((unsigned char)pattern[state + 1] == byte)
			states_add(next, state + 2);
		break;
	default:
		if ((unsigned char)pattern[state] == byte)
			states_add(next, state + 1);
	}
}

bool glob_match(const char *pattern, const char *path)
{
	struct automaton automaton;
	struct states a = {0}, b = {0}, *now = &a, *next = &b;
	const char *reason;
	bool is_valid = automaton_init(&automaton, pattern, &reason);

	assert(is_valid);
	if (!is_valid)
		return false;

	states_add(now, 0);
	states_complete(&automaton, now, true);
	for (const char *at = path; *at && now->count > 0; at++) {
		struct states *spare = now;

		states_clear(next);
		for (size_t i = 0; i < now->count; i++)
			states_step(&automaton, now->list[i], (unsigned char)*at, next);
		states_complete(&automaton, next, *at == '/');
		now = next;
		next = spare;
	}

	return now->is_in[automaton.len];
}
