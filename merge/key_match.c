#include "key_match.h"

#include <errno.h>
#include <stdio.h>

#include "cleanup.h"
#include "edit/edit_tree.h"
#include "scalar.h"
#include "strategy/json_patch/json_pointer.h"

/* Maximum of the paths into a tree that are tried: aliases can make their number very large. */
#define TRIES_MAX 100000

/* Maximum of the values that are counted if a KEY fits several, and of those that are named. */
#define FOUND_MAX 8
#define NAMED_MAX 4

/* The end of a path into the tree that goes no further. The rest of the KEY begins at `at`. */
struct dead_end {
	const struct node *in;  /* NULL: there is no tree */
	struct key_part *parts; /* that lead to `in` */
	size_t count;
	size_t at;
	struct dead_end *other; /* another map, where a new value would fit as well; or NULL */
};

struct key_matcher {
	const char *text;
	const struct format *format;
	struct arena *arena;
	struct problem *problem;
	struct problem *ignored;
	const struct stream *stream;
	const struct node *root;
	size_t document;        /* of the root; KEY_ANY_DOCUMENT: of another tree */
	size_t start;           /* bytes of the KEY that name the document */
	struct key_part *parts; /* of the path that is tried */
	size_t capacity;
	size_t tries;
	struct key found[FOUND_MAX];
	const struct node *values[FOUND_MAX]; /* of `found` */
	size_t count;
	struct dead_end end;
};

static struct key_part *copy_parts(const struct key_matcher *matcher, size_t count)
{
	struct key_part *parts = arena_zalloc(matcher->arena, count + 1, sizeof(*parts));

	if (parts && count)
		memcpy(parts, matcher->parts, count * sizeof(*parts));
	return parts;
}

/* git's section [remote "origin"] is found by two of its spellings, which are one value. */
static bool is_found(const struct key_matcher *matcher, const struct node *value, size_t depth)
{
	for (size_t i = 0; i < matcher->count; i++)
		if (matcher->values[i] == value && matcher->found[i].count == depth &&
			matcher->format->dialect)
			return true;
	return false;
}

static int take_found(struct key_matcher *matcher, const struct node *value, size_t depth)
{
	struct key *found = &matcher->found[matcher->count];

	if (is_found(matcher, value, depth))
		return 0;
	matcher->values[matcher->count] = value;

	*found = (struct key){.text = matcher->text,
		.parts = copy_parts(matcher, depth),
		.count = depth,
		.document = matcher->document,
		.start = matcher->start};
	if (!found->parts)
		return -ENOMEM;
	matcher->count++;
	return 0;
}

static bool is_open(const struct node *in)
{
	return in && (!node_is_scalar(in) || scalar_is_null(in));
}

/*
 * Keeps the better of two ends. An end that a new value can be put into is better than another;
 * otherwise the end that lies later in the KEY is better.
 */
static int take_end(struct key_matcher *matcher, const struct node *in, size_t at, size_t depth)
{
	struct dead_end *end = &matcher->end;
	bool is_better = is_open(in) == is_open(end->in) ? at > end->at : is_open(in);

	if (end->parts && !is_better) {
		if (!is_open(in) || at != end->at || in == end->in || end->other)
			return 0;
		end->other = arena_zalloc(matcher->arena, 1, sizeof(*end));
		if (!end->other)
			return -ENOMEM;
		end = end->other;
	}
	*end = (struct dead_end){in, copy_parts(matcher, depth), depth, at, NULL};
	return end->parts ? 0 : -ENOMEM;
}

static bool is_plain_word(const struct key_matcher *matcher, const struct key_part *part)
{
	size_t begin = part->end - part->name.len;

	return !part->is_quoted && !part->is_bracket && part->name.data == matcher->text + begin;
}

static int match(struct key_matcher *matcher, const struct node *in, size_t at, size_t depth);

/* Goes into `in` by the part, if it leads to a value. */
static int match_part(struct key_matcher *matcher, const struct node *in,
	const struct key_part *part, size_t depth)
{
	struct key_step step;
	struct key_part meant = *part;
	bool is_found = key_find(in, part, &step);

	/* For [name==web]. */
	if (!is_found && part->value.len > 1 && *part->value.data == '=' &&
		!part->is_value_quoted) {
		meant.value = (struct span){part->value.data + 1, part->value.len - 1};
		is_found = key_find(in, &meant, &step);
	}
	if (!is_found)
		return 0;
	matcher->parts[depth] = meant;
	return match(matcher, step.value, part->end, depth + 1);
}

/* Returns whether git's section [remote "a.b"] has the name remote.a.b in the KEY. */
static bool is_subsection(struct span section, struct span name)
{
	const char *dot = memchr(name.data, '.', name.len);
	size_t first = dot ? (size_t)(dot - name.data) : 0;

	return dot && section.len == name.len + 2 && memcmp(section.data, name.data, first) == 0 &&
	       memcmp(section.data + first, " \"", 2) == 0 &&
	       memcmp(section.data + first + 2, dot + 1, name.len - first - 1) == 0 &&
	       section.data[section.len - 1] == '"';
}

static int match_subsection(struct key_matcher *matcher, const struct node *map,
	const struct key_part *part, size_t depth)
{
	struct key_part meant = *part;
	int r = 0;

	if (depth > 0 || !matcher->format->has_sections)
		return 0;
	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		const struct node *key = map->map.pairs[i].key;

		if (!node_is_scalar(key) || !is_subsection(key->text, part->name))
			continue;
		meant.name = key->text;
		r = match_part(matcher, map, &meant, depth);
	}
	return r;
}

/* Tries each beginning of the rest of the KEY that may be a name, as it is written. */
static int match_names(struct key_matcher *matcher, const struct node *map, size_t begin,
	size_t parsed, size_t depth)
{
	const char *text = matcher->text;
	bool is_last = !text[begin];
	int r = 0;

	for (size_t end = begin; r == 0 && !is_last;) {
		end += 1 + strcspn(text + end + 1, ".[");
		is_last = !text[end];
		struct key_part part = {.name = {text + begin, end - begin}, .end = end};

		if (end != parsed)
			r = match_part(matcher, map, &part, depth);
		if (r == 0 && end != parsed)
			r = match_subsection(matcher, map, &part, depth);
	}
	return r;
}

static bool are_tries_spent(const struct key_matcher *matcher)
{
	return matcher->tries > TRIES_MAX + 10 * matcher->stream->count;
}

static int refuse_tries(const struct key_matcher *matcher)
{
	return problem_set(matcher->problem, NULL, 0, 0,
		"the KEY '%s' can be read in too many ways in this file; write its names "
		"as [\"name\"]",
		matcher->text);
}

static int match(struct key_matcher *matcher, const struct node *in, size_t at, size_t depth)
{
	size_t count = matcher->count;
	bool has_dot = matcher->text[at] == '.';
	struct key_part part;
	size_t parsed = 0;
	int r;

	if (matcher->count == FOUND_MAX)
		return 0;
	if (matcher->text[at] == '\0')
		return take_found(matcher, in, depth);
	matcher->tries++;
	if (are_tries_spent(matcher))
		return matcher->count > 1 ? 0 : refuse_tries(matcher);
	if (depth == matcher->capacity)
		return 0;
	r = key_parse_part(matcher->text, at, matcher->arena, &part, matcher->ignored);
	if (r < 0)
		return r;
	if (r == 0)
		parsed = is_plain_word(matcher, &part) ? part.end : 0;
	r = r == 0 ? match_part(matcher, in, &part, depth) : 0;
	if (r == 0 && node_is_map(in))
		r = match_names(matcher, in, at + has_dot, parsed, depth);
	/* A name may also begin with a dot. */
	if (r == 0 && node_is_map(in) && has_dot && depth == 0 && !matcher->start)
		r = match_names(matcher, in, at, 0, depth);
	return r == 0 && matcher->count == count ? take_end(matcher, in, at, depth) : r;
}

/*
 * Reads one name of "a/b" or "/a/b", up to the next slash; ~1 is a slash in it. Returns NULL when
 * there is no memory.
 */
static const char *next_token(const struct key_matcher *matcher, const char **at, size_t *len)
{
	const char *from = *at + (**at == '/');
	size_t count = strcspn(from, "/");
	char *token = arena_copy(matcher->arena, (struct span){from, count});

	if (!token)
		return NULL;
	*at = from + count;
	*len = json_pointer_unescape(token, count);
	token[*len] = '\0';
	return token;
}

static int name_pointer(const struct key_matcher *matcher, size_t from, struct key_text *ret)
{
	const char *at = matcher->text + from;

	for (at += !from && *at == '#'; *at;) {
		size_t len;
		const char *token = next_token(matcher, &at, &len);
		struct node *name = token ? node_new_scalar(matcher->arena,
						    (struct span){token, len}, NODE_PLAIN)
					  : NULL;

		if (!name)
			return -ENOMEM;
		if (len > 0 && len < 9 && strspn(token, "0123456789") == len)
			key_text_put_text(
				ret, span_of(arena_printf(matcher->arena, "[%s]", token)));
		else
			key_text_put(ret, name);
	}
	return ret->has_failed ? -ENOMEM : 0;
}

/* Refuses the rest of the KEY from `from` on, after a dot: it has a slash in it. */
static int refuse_pointer(struct key_matcher *matcher, size_t from)
{
	CLEANUP(key_text_fini) struct key_text form = {0};
	const char *text = matcher->text;
	int r = name_pointer(matcher, from, &form), before = (int)(from ? from - 1 : 0);

	if (r < 0)
		return r;
	return problem_set(matcher->problem, NULL, 0, 0,
		"the KEY '%s' fits nothing; plyfs writes a path as '%.*s%.*s', and a name with a "
		"slash as '%.*s[\"%s\"]'",
		text, (int)from, text, (int)key_text_span(&form).len, key_text_span(&form).data,
		before, text, text + from);
}

/* Follows a JSON Pointer, or a/b. Returns 0 with nothing found if it leads to no value. */
static int match_pointer(struct key_matcher *matcher, const struct node *root)
{
	const struct node *in = root;
	size_t depth = 0;

	for (const char *at = matcher->text + (*matcher->text == '#'); *at; depth++) {
		struct key_part part = {0};
		struct key_step step;
		const char *token = next_token(matcher, &at, &part.name.len);

		if (!token)
			return -ENOMEM;
		part.name.data = token;
		part.end = (size_t)(at - matcher->text);
		if (depth == matcher->capacity || !key_find(in, &part, &step))
			return 0;
		part.is_bracket = !step.key;
		matcher->parts[depth] = part;
		in = step.value;
	}
	return take_found(matcher, in, depth);
}

/* Returns the length of JSONPath's and JMESPath's root, "$" or "@"; 0 if there is none. */
static size_t prefix_of(const char *text)
{
	return (text[0] == '$' || text[0] == '@') && (text[1] == '.' || text[1] == '[');
}

/* Returns whether the KEY is a JSON Pointer, or one in a fragment of a URI: "#/a/b". */
static bool is_pointer(const char *text)
{
	return *text == '/' || strncmp(text, "#/", 2) == 0;
}

/* Returns the KEY in kubectl's braces, {.a.b}; without them *text itself. NULL: no memory. */
static const char *without_braces(const char *text, struct arena *arena)
{
	size_t len = strlen(text);

	if (len < 4 || *text != '{' || !strchr(".$@", text[1]) || text[len - 1] != '}')
		return text;
	return arena_copy(arena, (struct span){text + 1, len - 2});
}

/* The style of the names in a map. */
struct manners {
	uint32_t dotted; /* names with a dot, of values that are not maps */
	uint32_t same;   /* names that begin with the same word and a dot */
	uint32_t slashed;
	uint32_t maps;
	uint32_t subsections; /* of git */
};

static struct manners find_manners(const struct node *map, struct span word)
{
	struct manners manners = {0};

	for (uint32_t i = 0; map && node_is_map(map) && i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];
		struct span key = node_is_scalar(pair->key) ? pair->key->text : span_of("");
		const char *rest = key.data + word.len;
		bool is_same = key.len > word.len && memcmp(key.data, word.data, word.len) == 0;

		manners.maps += node_is_map(pair->value);
		manners.dotted += !node_is_map(pair->value) && memchr(key.data, '.', key.len);
		manners.same += is_same && *rest == '.';
		manners.slashed += memchr(key.data, '/', key.len) != NULL;
		manners.subsections += is_same && *rest == ' ' && rest[1] == '"';
	}
	return manners;
}

static int refuse_both(struct key_matcher *matcher, size_t at, const struct key_part *first,
	const struct key_part *run)
{
	const char *text = matcher->text;
	const char *dot = at ? "." : "";
	size_t begin = run->end - run->name.len, middle = first->end;

	return problem_set(matcher->problem, NULL, 0, 0,
		"there is no '%s', and a new one can be read in two ways: '%.*s[\"%.*s\"]%s', and "
		"'%.*s%s%.*s[\"%.*s\"]%s'",
		text, (int)at, text, (int)run->name.len, text + begin, text + run->end, (int)at,
		text, dot, (int)(middle - begin), text + begin, (int)(run->end - middle - 1),
		text + middle + 1, text + run->end);
}

/* As refuse_both(), for a section and its keys. The section's first word ends at `first`. */
static int refuse_sections(struct key_matcher *matcher, size_t first, const struct key_part *run)
{
	const char *text = matcher->text;
	size_t last = run->end;

	while (text[last - 1] != '.')
		last--;
	return problem_set(matcher->problem, NULL, 0, 0,
		"there is no '%s', and a new one can be read in two ways: '[\"%.*s\"].%s' in the "
		"section [%.*s], and '%.*s[\"%.*s\"]%s' in [%.*s]",
		text, (int)last - 1, text, text + last, (int)last - 1, text, (int)first, text,
		(int)(run->end - first - 1), text + first + 1, text + run->end, (int)first, text);
}

/* Makes git's [remote "a.b"] from its name remote.a.b. Returns NULL when there is no memory. */
static const char *name_of_subsection(const struct key_matcher *matcher, struct span name)
{
	const char *dot = memchr(name.data, '.', name.len);

	return arena_printf(matcher->arena, "%.*s \"%.*s\"", (int)(dot - name.data), name.data,
		(int)(name.len - (size_t)(dot - name.data) - 1), dot + 1);
}

/* Returns whether the name begins like that of a section in php.ini: [PHP], [Date], [HOST=x] */
static bool begins_big(struct span name)
{
	return *name.data >= 'A' && *name.data <= 'Z';
}

/*
 * In a file with sections: joins the words of the section's name or of the key in it. Returns 0
 * also if there is nothing to join.
 */
static int join_in_sections(
	struct key_matcher *matcher, struct key_part *first, struct key_part *run, size_t words)
{
	struct dead_end *end = &matcher->end;
	struct span section = end->count ? end->parts[0].name : first->name;
	struct manners manners = find_manners(matcher->root, section);

	/* The sections of a php.ini have no meaning, and names have dots: session.save_path */
	if (matcher->format == &format_php && !end->count && !begins_big(first->name)) {
		*first = *run;
		return 0;
	}
	/* In a section the whole rest is one name; at the root, all but the last word. */
	if (end->count > 0 && (manners.same || manners.subsections))
		return refuse_sections(matcher, end->parts[0].end, run);
	if (end->count > 0) {
		*first = *run;
		return 0;
	}
	if (words < 3)
		return 0;
	if (!manners.subsections && !manners.same)
		return refuse_sections(matcher, first->end, run);
	while (matcher->text[--run->end] != '.')
		run->name.len--;
	run->name.len--;
	if (manners.subsections) {
		const char *name = name_of_subsection(matcher, run->name);

		if (!name)
			return -ENOMEM;
		run->name = span_of(name);
	}
	*first = *run;
	return 0;
}

/* Reads the next part of a new value. It may consist of several words. */
static int join(struct key_matcher *matcher, const struct node *in, struct key_part *part)
{
	struct key_part run = *part, next;
	size_t words = 1;

	if (!is_plain_word(matcher, part))
		return 0;
	while (matcher->text[run.end] == '.' &&
		key_parse_part(matcher->text, run.end, matcher->arena, &next, matcher->ignored) ==
			0 &&
		is_plain_word(matcher, &next)) {
		run.end = next.end;
		run.name.len = run.end - (size_t)(run.name.data - matcher->text);
		words++;
	}
	const struct manners manners = find_manners(in, part->name);
	if (memchr(run.name.data, '/', run.name.len) &&
		(is_pointer(matcher->text) || !manners.slashed))
		return refuse_pointer(matcher, (size_t)(run.name.data - matcher->text));
	if (words == 1)
		return 0;
	if (!format_has_lists(matcher->format))
		return join_in_sections(matcher, part, &run, words);
	uint32_t count = in && node_is_map(in) ? in->map.count : 0;
	if (manners.same || 2 * manners.dotted > count)
		*part = run;
	else if (manners.dotted && !manners.maps)
		return refuse_both(matcher, matcher->end.at, part, &run);
	return 0;
}

/*
 * Returns whether the brackets select an item. Otherwise, in a format without lists, they are part
 * of the name: Name[de]
 */
static bool is_item(const struct key_part *part)
{
	return part->value.data || part->is_quoted || span_is(part->name, "+") ||
	       strspn(part->name.data, "0123456789") >= part->name.len;
}

/*
 * Reads the section and the key of a new value as `git config` does: the section ends at the first
 * dot, its subsection at the last one. Returns 0; *count 0: the KEY has another form, or is in a
 * subsection that is there. Or returns -ENOMEM.
 */
static int take_git(struct key_matcher *matcher, size_t begin, size_t *count)
{
	const struct dead_end *end = &matcher->end;
	const char *text = matcher->text, *key = text + begin + (text[begin] == '.');
	struct span name = {key, strcspn(key, "[\"'")};
	const char *first = memchr(key, '.', name.len), *last = memrchr(key, '.', name.len);

	*count = 0;
	if (matcher->format != &format_git || !first || first == last ||
		(end->count && memchr(end->parts[0].name.data, '"', end->parts[0].name.len)))
		return 0;
	name.len = (size_t)(last - key);
	const char *section = name_of_subsection(matcher, name);
	if (!section)
		return -ENOMEM;
	size_t stop = (size_t)(last - text) + 1 + strcspn(last + 1, "[");
	matcher->parts[0] =
		(struct key_part){.name = span_of(section), .end = (size_t)(last - text)};
	matcher->parts[1] = (struct key_part){
		.name = {last + 1, stop - (size_t)(last - text) - 1}, .end = stop};
	*count = 2;
	return 0;
}

/* Returns whether the bare name is the syntax of another tool: a pipe, a placeholder … */
static bool is_foreign(const struct node *in, struct span name)
{
	static const char never[] = "|`(){}";
	const char *colon = memchr(name.data, ':', name.len);
	const struct key_part before = {
		.name = {name.data, colon ? (size_t)(colon - name.data) : 0}};
	struct key_step step;

	for (size_t i = 0; i < name.len; i++)
		if (strchr(never, name.data[i]) ||
			(name.data[i] == '-' && i + 1 < name.len && name.data[i + 1] == '>'))
			return true;
	/* ASP.NET writes Logging:Level. */
	return span_is(name, "*") || span_is(name, "**") ||
	       (colon && in && node_is_map(in) && key_find(in, &before, &step));
}

/* Returns whether the bare word in brackets is the syntax of another tool: [*], [-1], [0:1] … */
static bool is_foreign_bracket(const struct key_part *part)
{
	if (part->value.data)
		return false;
	return span_is(part->name, "*") || span_is(part->name, "last") ||
	       strspn(part->name.data, "0123456789:-,") >= part->name.len;
}

/* Refuses a new name, from `begin` on, that is the syntax of another tool. */
static int check_foreign(const struct key_matcher *matcher, const struct node *in,
	const struct key_part *part, size_t begin)
{
	const char *text = matcher->text + begin;
	size_t len = part->end - begin;

	if (part->is_quoted || !format_has_lists(matcher->format))
		return 0;
	/* VS Code has such names: "[python]". */
	if (part->is_bracket && !is_item(part) && !is_foreign_bracket(part) &&
		!(in && node_is_sequence(in)))
		return problem_set(matcher->problem, NULL, 0, 0,
			"there is no '%s'; write a new name in brackets with quotes: [\"%.*s\"], "
			"or "
			"[\"[%.*s]\"] if the brackets belong to it",
			matcher->text, (int)part->name.len, part->name.data, (int)part->name.len,
			part->name.data);
	if (part->is_bracket && (!is_foreign_bracket(part) || (!part->value.data && is_item(part))))
		return 0;
	if (!part->is_bracket && !is_foreign(in, part->name))
		return 0;
	len -= *text == '.';
	text += *text == '.';
	return problem_set(matcher->problem, NULL, 0, 0,
		"there is no '%s', and '%.*s', unless it is quoted, is the syntax of another tool; "
		"plyfs writes a path as a.b[0].c[name=web], and such a name as [\"%.*s\"]",
		matcher->text, (int)len, text, (int)part->name.len, part->name.data);
}

static int make_new(struct key_matcher *matcher, struct key *ret)
{
	const struct dead_end *end = &matcher->end;
	const struct node *in = is_open(end->in) ? end->in : NULL;
	size_t at = end->at, count = end->count, section;

	for (size_t i = 0; i < count; i++)
		matcher->parts[i] = end->parts[i];
	if (take_git(matcher, matcher->start ? matcher->start : prefix_of(matcher->text),
		    &section) < 0)
		return -ENOMEM;
	count = section ? section : count;
	at = section ? matcher->parts[1].end : at;
	for (bool is_first = !section; matcher->text[at]; is_first = false) {
		struct key_part *part = &matcher->parts[count];

		if (count == matcher->capacity)
			return problem_set(matcher->problem, NULL, 0, 1,
				"the KEY has more than %d parts", KEY_PARTS_MAX);
		int r = key_parse_part(matcher->text, at, matcher->arena, part, matcher->problem);
		if (r == 0)
			r = check_foreign(matcher, is_first ? in : NULL, part, at);
		if (r == 0 && is_first)
			r = join(matcher, in, part);
		if (r != 0)
			return r;
		if (part->value.len > 1 && *part->value.data == '=' && !part->is_value_quoted)
			part->value = (struct span){part->value.data + 1, part->value.len - 1};
		at = part->end;
		if (!format_has_lists(matcher->format) && part->is_bracket && !is_item(part) &&
			count > 0 && is_plain_word(matcher, part - 1)) {
			if (matcher->format->repeats == FORMAT_REPEATS_UNITS)
				return problem_set(matcher->problem, NULL, 0, 0,
					"there is no '%s'; the values of a key are counted from "
					"[0], and [+] adds one",
					matcher->text);
			part[-1].name.len += at - part[-1].end;
			part[-1].end = at;
			continue;
		}
		count++;
	}
	ret->parts = copy_parts(matcher, count);
	ret->count = count;
	return ret->parts ? KEY_NEW : -ENOMEM;
}

/* Makes the whole KEY one name, unless it is in quotes. */
static int make_flat(struct key_matcher *matcher, size_t begin, struct key *ret)
{
	const char *text = matcher->text;
	struct key_part *part = &matcher->parts[0];
	bool is_quoted = key_parse_part(text, 0, matcher->arena, part, matcher->ignored) == 0 &&
			 part->is_quoted && !text[part->end];

	if (!is_quoted && strchr(text, '/') &&
		(is_pointer(text) || !find_manners(matcher->root, span_of("")).slashed))
		return refuse_pointer(matcher, 0);
	if (!is_quoted)
		*part = (struct key_part){.name = span_of(text + begin), .end = strlen(text)};
	ret->parts = copy_parts(matcher, 1);
	ret->count = 1;
	return ret->parts ? KEY_NEW : -ENOMEM;
}

/* Writes the KEY of `found` with each name in an unambiguous form. */
static void name_found(
	const struct key_matcher *matcher, const struct key *found, struct key_text *ret)
{
	struct key_text part = {0};
	size_t start = ret->len;

	if (found->document < matcher->stream->count)
		stream_put(matcher->stream, found->document, ret);

	for (size_t i = 0; i < found->count; i++) {
		const struct node name = {.kind = NODE_SCALAR,
			.style = NODE_DOUBLE,
			.schema = NODE_JSON,
			.text = found->parts[i].name};
		bool is_item = found->parts[i].value.data || found->parts[i].is_bracket;
		bool is_index = strspn(name.text.data, "0123456789") >= name.text.len;
		size_t begin = i ? found->parts[i - 1].end : found->start;

		if (is_item) {
			key_text_put_text(ret,
				(struct span){found->text + begin, found->parts[i].end - begin});
			continue;
		}
		key_text_cut(&part, 0);
		key_text_put(&part, &name);
		struct span text = key_text_span(&part);
		if (i == 0 && *text.data != '"') {
			if (ret->len > start)
				key_text_put_text(ret, span_of("."));
			key_text_put_text(ret, text);
			continue;
		}
		bool is_bare = *text.data == '"' || is_index;
		key_text_put_text(ret, span_of(is_bare ? "[" : "[\""));
		key_text_put_text(ret, text);
		key_text_put_text(ret, span_of(is_bare ? "]" : "\"]"));
	}
	ret->has_failed |= part.has_failed;
	key_text_fini(&part);
}

static void put_between(size_t i, size_t count, struct key_text *ret)
{
	if (i)
		key_text_put_text(ret, span_of(i + 1 < count ? ", " : " or "));
}

static int refuse_values(const struct key_matcher *matcher)
{
	bool is_every = matcher->count < FOUND_MAX && !are_tries_spent(matcher);
	CLEANUP(key_text_fini) struct key_text keys = {0};
	size_t i = 0;

	for (; i < matcher->count && i < NAMED_MAX; i++) {
		put_between(i, matcher->count, &keys);
		name_found(matcher, &matcher->found[i], &keys);
	}
	if (keys.has_failed)
		return -ENOMEM;
	return problem_set(matcher->problem, NULL, 0, 0,
		"the KEY '%s' fits %s%zu values; write %.*s%s", matcher->text,
		is_every ? "" : "at least ", matcher->count, (int)key_text_span(&keys).len,
		key_text_span(&keys).data, i < matcher->count ? " …" : "");
}

/* Refuses a new value that fits into two maps: it gives a KEY for each. */
static int refuse_ends(const struct key_matcher *matcher, const struct key *named)
{
	CLEANUP(key_text_fini) struct key_text keys = {0};

	for (const struct dead_end *end = &matcher->end; end; end = end->other) {
		struct key key = *named;

		key.parts = end->parts;
		key.count = end->count;
		name_found(matcher, &key, &keys);
		key_text_put_text(&keys, span_of(matcher->text + end->at));
		key_text_put_text(&keys, span_of(end->other ? "', and '" : ""));
	}
	if (keys.has_failed)
		return -ENOMEM;
	return problem_set(matcher->problem, NULL, 0, 0,
		"there is no '%s', and a new one can be read in two ways: '%.*s'; write one of "
		"them",
		matcher->text, (int)key_text_span(&keys).len, key_text_span(&keys).data);
}

/* Tries one tree. Returns 0, whether a value is found or not; PROBLEM or -ENOMEM. */
static int match_root(struct key_matcher *matcher, const struct node *root)
{
	size_t prefix = prefix_of(matcher->text);

	matcher->root = root;
	int r = match(matcher, root, matcher->start, 0);
	if (matcher->start)
		return r;
	if (r == 0 && !matcher->count && prefix)
		r = match(matcher, root, prefix, 0);
	if (r == 0 && !matcher->count && strchr(matcher->text, '/'))
		r = match_pointer(matcher, root);
	return r;
}

static void put_form(const struct key_matcher *matcher, size_t document, struct key_text *ret)
{
	const char *rest = matcher->text + prefix_of(matcher->text);

	rest += *rest == '.';
	rest += *rest == '$';
	stream_put(matcher->stream, document, ret);
	key_text_put_text(ret, span_of(*rest == '[' || !*rest ? "" : "."));
	key_text_put_text(ret, span_of(rest));
}

/* Refuses a KEY that several documents have, or could get: it gives its form in each. */
static int refuse_documents(
	const struct key_matcher *matcher, const struct key *found, size_t count, bool is_new)
{
	CLEANUP(key_text_fini) struct key_text forms = {0};
	const char *text = matcher->text;
	size_t i = 0;

	for (; i < count && forms.len < PROBLEM_MESSAGE_MAX / 2; i++) {
		put_between(i, count, &forms);
		if (!is_new && (*text == '.' || strchr(text, '/')))
			name_found(matcher, &found[i], &forms);
		else
			put_form(matcher, found[i].document, &forms);
	}
	if (forms.has_failed)
		return -ENOMEM;
	return problem_set(matcher->problem, NULL, 0, 0,
		is_new ? "there is no '%s', and the file has %zu documents; write %.*s%s"
		       : "the KEY '%s' is in %zu documents; write %.*s%s",
		text, count, (int)key_text_span(&forms).len, key_text_span(&forms).data,
		i < count ? " …" : "");
}

static int refuse_all(const struct key_matcher *matcher, bool is_new)
{
	size_t count = matcher->stream->count;
	struct key *all = arena_zalloc(matcher->arena, count, sizeof(*all));

	for (size_t i = 0; all && i < count; i++)
		all[i].document = i;
	return all ? refuse_documents(matcher, all, count, is_new) : -ENOMEM;
}

/* Matches the KEY in each document. Returns 0 with *ret if one has it; KEY_NEW; PROBLEM … */
static int match_documents(struct key_matcher *matcher, struct dead_end *ends, struct key *ret)
{
	const struct stream *stream = matcher->stream;
	struct key *found = arena_zalloc(matcher->arena, stream->count + 1, sizeof(*found));
	bool is_named = ret->document != KEY_ANY_DOCUMENT;
	size_t count = 0;
	int r = found ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < stream->count; i++) {
		if (is_named && i != ret->document)
			continue;
		matcher->document = i;
		matcher->count = 0;
		matcher->end = (struct dead_end){0};
		r = match_root(matcher, stream->roots[i]);
		if (r == 0 && matcher->count > 1)
			return refuse_values(matcher);
		if (r == 0 && matcher->count)
			found[count++] = matcher->found[0];
		ends[i] = matcher->end;
	}
	if (r == 0 && count > 1)
		r = refuse_documents(matcher, found, count, false);
	if (r == 0 && count)
		*ret = found[0];
	return r == 0 && !count ? KEY_NEW : r;
}

static int match_others(
	struct key_matcher *matcher, const struct key_ground *ground, struct key *ret)
{
	int r = 0;

	matcher->document = ret->document;
	matcher->count = 0;
	for (size_t i = 0; r == 0 && !matcher->count && i < ground->count; i++)
		r = match_root(matcher, ground->roots[i]);
	if (r == 0 && matcher->count > 1)
		return refuse_values(matcher);
	if (r == 0 && matcher->count) {
		matcher->found[0].named = ret->named;
		*ret = matcher->found[0];
	}
	return r == 0 && !matcher->count ? KEY_NEW : r;
}

/*
 * Chooses the document for a new value: the one that alone has the longest part of the KEY. Returns
 * 0, PROBLEM or -ENOMEM.
 */
static int choose_document(struct key_matcher *matcher, const struct dead_end *ends, size_t *ret)
{
	const struct stream *stream = matcher->stream;
	size_t most = 0, count = 0;

	*ret = 0;
	if (stream->count < 2)
		return 0;
	for (size_t i = 0; i < stream->count; i++) {
		size_t depth = ends[i].parts && is_open(ends[i].in) ? ends[i].count : 0;

		if (depth > most) {
			most = depth;
			count = 0;
			*ret = i;
		}
		count += depth == most;
	}
	return most && count == 1 ? 0 : refuse_all(matcher, true);
}

/* Names a new value. `ends` are those of the stream's documents. */
static int name_new(struct key_matcher *matcher, const struct dead_end *ends, struct key *ret)
{
	const struct stream *stream = matcher->stream;
	size_t prefix = matcher->start ? matcher->start : prefix_of(matcher->text);
	int r = 0;

	if (ret->document == KEY_ANY_DOCUMENT)
		r = choose_document(matcher, ends, &ret->document);
	if (r != 0)
		return r;
	bool is_there = ret->document < stream->count;
	matcher->root = is_there ? stream->roots[ret->document] : NULL;
	matcher->end = is_there ? ends[ret->document] : (struct dead_end){0};
	if (!format_has_lists(matcher->format) && !matcher->format->has_sections)
		return make_flat(matcher, prefix + (matcher->text[prefix] == '.'), ret);
	if (matcher->end.other)
		return refuse_ends(matcher, ret);
	if (!matcher->end.parts)
		matcher->end = (struct dead_end){.at = prefix};
	return make_new(matcher, ret);
}

static int name_document(struct key_matcher *matcher, bool wants_new, struct key *ret)
{
	struct stream_place place;
	size_t begin = prefix_of(matcher->text);
	int r = stream_find(
		matcher->stream, matcher->text, begin, matcher->arena, &place, matcher->problem);

	if (r == STREAM_UNKNOWN && wants_new)
		return stream_refuse_unknown(
			matcher->stream, matcher->text, begin, place.end, matcher->problem);
	if (r == STREAM_NONE || r == STREAM_UNKNOWN)
		return 0;
	if (r != 0 && r != STREAM_NEW)
		return r;
	matcher->start = ret->start = place.end;
	ret->document = place.document;
	ret->named = place.named;
	return 0;
}

int key_match(const char *text, const struct key_ground *ground, struct arena *arena,
	struct key *ret, struct problem *problem)
{
	text = without_braces(text, arena);
	if (!text)
		return -ENOMEM;
	struct key_matcher matcher = {
		.text = text,
		.format = format_of_tree(ground->format),
		.arena = arena,
		.problem = problem,
		.ignored = arena_zalloc(arena, 1, sizeof(struct problem)),
		.stream = &ground->stream,
		.parts = arena_zalloc(arena, KEY_PARTS_MAX, sizeof(struct key_part)),
		.capacity = KEY_PARTS_MAX,
	};
	struct dead_end *ends =
		arena_zalloc(arena, ground->stream.count + 1, sizeof(struct dead_end));
	size_t count;

	*ret = (struct key){.text = text, .document = KEY_ANY_DOCUMENT};
	if (strcmp(text, ".") == 0 || strcmp(text, "$") == 0) {
		ret->document = 0;
		return ground->stream.count < 2 ? 0 : refuse_all(&matcher, false);
	}
	if (!*text)
		return key_parse(text, arena, ret, problem);
	if (key_count_parts(text, &count, problem) != 0)
		return PROBLEM;
	if (!matcher.parts || !matcher.ignored || !ends)
		return -ENOMEM;
	int r = name_document(&matcher, ground->wants_new, ret);
	if (r == 0)
		r = match_documents(&matcher, ends, ret);
	if (r == KEY_NEW)
		r = match_others(&matcher, ground, ret);
	if (r != KEY_NEW)
		return r;
	if (ground->wants_new)
		return name_new(&matcher, ends, ret);
	const struct key named = *ret;
	r = key_parse_from(text, matcher.start, arena, ret, problem);
	ret->document = named.document;
	ret->named = named.named;
	return r == 0 ? KEY_NEW : r;
}
