/*
 * PyYAML's constructor.py, where it differs from its resolver.py: it refuses some values that the
 * resolver accepts, and accepts some that the resolver does not. One function per type; the names
 * are those of YAML's tags.
 */
#include "pyyaml.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/toml_value.h"
#include "json_patch.h"
#include "scalar.h"

/* Digits of a number that is rewritten. A longer one is refused. A double needs far fewer. */
#define NUMBER_MAX 400

struct pyyaml {
	struct arena *arena;
	struct problem *problem;
};

/* A scalar's text as int() and float() get it: without "_", surrounding blanks and its sign. */
struct number_text {
	char room[NUMBER_MAX + 1];
	const char *at; /* in `room`, behind the sign */
};

static bool has_tag(const struct node *node, const char *name)
{
	const char *core = scalar_core_name(node->tag);

	return core && strcmp(core, name) == 0;
}

static char *skip_blanks(char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

static void cut_blanks(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
}

/*
 * Returns false if nothing is left, if there is a NUL byte, or if there are more than NUMBER_MAX
 * bytes.
 */
static bool take_number_text(struct span text, struct number_text *ret)
{
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '_')
			continue;
		if (text.data[i] == '\0' || len == NUMBER_MAX)
			return false;
		ret->room[len++] = text.data[i];
	}
	ret->room[len] = '\0';
	ret->at = ret->room + (ret->room[0] == '-' || ret->room[0] == '+');
	return *ret->at != '\0';
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/*
 * Does int(text, base); the text ends at `end`. Returns false if it is no number, or does not fit.
 */
static bool parse_digits(const char *text, const char *end, int base, int64_t *ret)
{
	static const char letters[] = {[2] = 'b', [8] = 'o', [16] = 'x'};
	bool is_negative;
	int64_t value = 0;

	while (text < end && isspace((unsigned char)*text))
		text++;
	while (text < end && isspace((unsigned char)end[-1]))
		end--;
	is_negative = text < end && *text == '-';
	text += text < end && (*text == '-' || *text == '+');
	if (base != 10 && end - text > 2 && text[0] == '0' &&
		tolower((unsigned char)text[1]) == letters[base])
		text += 2;
	if (text == end)
		return false;
	for (; text < end; text++) {
		int digit = digit_of(*text);
		if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
			__builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret = is_negative ? -value : value;
	return true;
}

/*
 * Reads base 60: "1:60" is 120. Each part counts sixty times the next one, and may be of any size.
 */
static bool parse_base_60(const char *text, int64_t *ret)
{
	int64_t value = 0, part;

	for (;;) {
		const char *end = strchrnul(text, ':');
		if (!parse_digits(text, end, 10, &part) ||
			__builtin_mul_overflow(value, 60, &value) ||
			__builtin_add_overflow(value, part, &value))
			return false;
		if (!*end)
			break;
		text = end + 1;
	}
	*ret = value;
	return true;
}

/* SafeConstructor.construct_yaml_int() */
static bool parse_int(struct span text, int64_t *ret)
{
	struct number_text number;

	if (!take_number_text(text, &number))
		return false;

	const char *at = number.at, *end = at + strlen(at);
	bool is_number;
	if (strncmp(at, "0b", 2) == 0)
		is_number = parse_digits(at + 2, end, 2, ret);
	else if (strncmp(at, "0x", 2) == 0)
		is_number = parse_digits(at + 2, end, 16, ret);
	else if (at[0] == '0')
		is_number = parse_digits(at, end, 8, ret);
	else
		is_number = parse_base_60(at, ret);
	if (is_number && *number.room == '-')
		*ret = -*ret;
	return is_number;
}

/* Reads what float() accepts: all that strtod() does, except 0x1p3 and nan(…). */
static bool parse_real(char *text, double *ret)
{
	char *end;

	text = skip_blanks(text);
	cut_blanks(text);
	if (strpbrk(text, "xX(") || !*text)
		return false;
	*ret = strtod(text, &end);
	return !*end;
}

/* SafeConstructor.construct_yaml_float() */
static bool parse_float(struct span text, double *ret)
{
	struct number_text number;
	double value = 0, part = 0;

	if (!take_number_text(text, &number))
		return false;
	char *at = number.room + (number.at - number.room);
	if (strcasecmp(at, ".inf") == 0) {
		value = INFINITY;
	} else if (strcasecmp(at, ".nan") == 0) {
		value = NAN;
	} else {
		for (char *rest = at; rest;) {
			char *one = strsep(&rest, ":");
			if (!parse_real(one, &part))
				return false;
			value = one == at ? part : value * 60 + part;
		}
	}
	*ret = *number.room == '-' ? -value : value;
	return true;
}

static int write_anew(struct pyyaml *pyyaml, const struct node *scalar, struct span text,
	const char *tag, const struct node **ret)
{
	struct node *copy = node_copy(pyyaml->arena, scalar);

	if (!copy)
		return -ENOMEM;
	copy->text = (struct span){arena_copy(pyyaml->arena, text), text.len};
	copy->style = NODE_PLAIN;
	copy->tag = tag;
	*ret = copy;
	return copy->text.data ? 0 : -ENOMEM;
}

/* A message quotes no value, as it may be a secret. */
static int refuse_value(struct pyyaml *pyyaml, const struct node *scalar, const char *what)
{
	return problem_at(pyyaml->problem, scalar,
		"this is tagged as %s, and can't be read as one; correct it, or leave the tag out",
		what);
}

static int load_int(struct pyyaml *pyyaml, const struct node *scalar, const struct node **ret)
{
	char text[32];
	int64_t value;

	if (!parse_int(scalar->text, &value))
		return refuse_value(pyyaml, scalar, "an integer");
	snprintf(text, sizeof(text), "%lld", (long long)value);
	return write_anew(pyyaml, scalar, span_of(text), NULL, ret);
}

static int load_float(struct pyyaml *pyyaml, const struct node *scalar, const struct node **ret)
{
	char text[64];
	double value;

	if (!parse_float(scalar->text, &value))
		return refuse_value(pyyaml, scalar, "a float");
	if (isnan(value))
		snprintf(text, sizeof(text), ".nan");
	else if (isinf(value))
		snprintf(text, sizeof(text), "%s.inf", value < 0 ? "-" : "");
	else
		snprintf(text, sizeof(text), "%.17g", value);
	return write_anew(pyyaml, scalar, span_of(text), scalar->tag, ret);
}

static int load_bool(struct pyyaml *pyyaml, const struct node *scalar, const struct node **ret)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == scalar->text.len &&
			strcasecmp(scalar->text.data, words[i]) == 0)
			return write_anew(pyyaml, scalar, span_of(words[i]), NULL, ret);
	return refuse_value(pyyaml, scalar, "a boolean");
}

/* Handles a tag that the text does not fit by the grammar of YAML 1.1, or an unknown tag. */
static int load_tagged(struct pyyaml *pyyaml, const struct node *scalar, const struct node **ret)
{
	if (has_tag(scalar, "int"))
		return load_int(pyyaml, scalar, ret);
	if (has_tag(scalar, "float"))
		return load_float(pyyaml, scalar, ret);
	if (has_tag(scalar, "bool"))
		return load_bool(pyyaml, scalar, ret);
	if (has_tag(scalar, "timestamp"))
		return refuse_value(pyyaml, scalar, "a timestamp");
	/* cloud-init adds this tag, for output of Python 2. */
	if (has_tag(scalar, "python/unicode"))
		return write_anew(pyyaml, scalar, scalar->text, SCALAR_CORE_PREFIX "str", ret);
	return problem_at(pyyaml->problem, scalar,
		"\"%s\" is a tag: could not determine a constructor for it; cloud-init knows only "
		"YAML's own tags",
		scalar->tag);
}

static int take_number(const char **p)
{
	int number = 0;

	for (; **p >= '0' && **p <= '9'; (*p)++)
		number = number < 10000 ? number * 10 + (**p - '0') : number;
	return number;
}

static bool is_day(int year, int month, int day)
{
	return year > 0 && month >= 1 && month <= 12 && day >= 1 &&
	       day <= toml_value_days(year, month);
}

/*
 * Returns whether the rest of a time is valid: nothing, Z, or an offset from UTC of less than a
 * day.
 */
static bool is_zone(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	if (*p != '+' && *p != '-')
		return true;
	p++;
	int minutes = take_number(&p) * 60;
	if (*p == ':')
		p++;
	return minutes + take_number(&p) < 24 * 60;
}

/*
 * Returns whether the day and time exist. The text is a timestamp already, so only the numbers are
 * checked.
 */
static bool is_possible(const char *p)
{
	int year = take_number(&p);
	p++;
	int month = take_number(&p);
	p++;
	if (!is_day(year, month, take_number(&p)))
		return false;
	if (!*p)
		return true;
	p += strcspn(p, "0123456789");
	int hour = take_number(&p);
	p++;
	int minute = take_number(&p);
	p++;
	int second = take_number(&p);
	if (*p == '.') {
		p++;
		(void)take_number(&p);
	}
	return hour < 24 && minute < 60 && second < 60 && is_zone(p);
}

/* Decodes base64 as binascii.a2b_base64() does: other characters are skipped. `to` may be NULL. */
static bool decode_base64(struct span text, char *to, size_t *len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, pads = 0;
	size_t at = 0;

	*len = 0;
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.data[i];
		if (c >= 0x80)
			return false;
		if (c == '=') {
			if (at % 4 >= 2 && at % 4 + ++pads >= 4)
				return true;
			continue;
		}
		const char *digit = c ? strchr(digits, c) : NULL;
		if (!digit)
			continue;
		pads = 0;
		bits = (bits << 6 | (unsigned)(digit - digits)) & 0xFFFFFF;
		if (at % 4 > 0 && to)
			to[*len] = (char)(bits >> (6 - 2 * (at % 4)) & 0xFF);
		*len += at++ % 4 > 0;
	}
	return at % 4 == 0;
}

int pyyaml_binary(const struct node *binary, struct arena *arena, struct span *ret)
{
	char *bytes = arena_alloc(arena, binary->text.len + 1);
	size_t len = 0;

	if (!bytes)
		return -ENOMEM;
	(void)decode_base64(binary->text, bytes, &len);
	bytes[len] = '\0';
	*ret = (struct span){bytes, len};
	return 0;
}

static int check_binary(struct pyyaml *pyyaml, const struct node *scalar)
{
	size_t len;

	if (decode_base64(scalar->text, NULL, &len))
		return 0;
	return problem_at(pyyaml->problem, scalar,
		"failed to decode base64 data; it is cut short, or lacks the '=' at its end");
}

/* Returns whether the integer has no digit, such as `0x_`. */
static bool is_hollow(const struct node *integer)
{
	struct span text = integer->text;
	size_t start = text.data[0] == '-' || text.data[0] == '+';

	if (text.len < start + 3 || text.data[start] != '0' || !strchr("bx", text.data[start + 1]))
		return false;
	return strspn(text.data + start + 2, "_") == text.len - start - 2;
}

static int load_scalar(struct pyyaml *pyyaml, const struct node *scalar, const struct node **ret)
{
	const char *text = scalar->text.data;

	switch (scalar_type(scalar)) {
	case SCALAR_FOREIGN:
		return load_tagged(pyyaml, scalar, ret);
	case SCALAR_BINARY:
		return check_binary(pyyaml, scalar);
	case SCALAR_INT:
		return is_hollow(scalar) ? problem_at(pyyaml->problem, scalar,
						   "this looks like a number, and has no digit; "
						   "quote it")
					 : 0;
	case SCALAR_TIMESTAMP:
		return is_possible(text)
			       ? 0
			       : problem_at(pyyaml->problem, scalar,
					 "this looks like a date, and there is no such %s; quote "
					 "it",
					 strpbrk(text, ":") ? "day or time" : "day");
	default:
		return 0;
	}
}

static int check_bare(struct pyyaml *pyyaml, const struct node *scalar)
{
	if (scalar->style != NODE_PLAIN || scalar->tag ||
		(!span_is(scalar->text, "=") && !span_is(scalar->text, "<<")))
		return 0;
	return problem_at(pyyaml->problem, scalar,
		"could not determine a constructor for a bare '%s'; quote it", scalar->text.data);
}

static int check_tag(struct pyyaml *pyyaml, const struct node *node)
{
	const char *name = scalar_core_name(node->tag);
	const char *names = node_is_map(node) ? "map,set" : "seq,omap,pairs";

	if (!node->tag || strcmp(node->tag, "!") == 0 ||
		(name && span_is_in(span_of(name), names, ",")))
		return 0;
	return problem_at(pyyaml->problem, node,
		"\"%s\" is a tag: could not determine a constructor for it on %s; cloud-init knows "
		"only YAML's own tags",
		node->tag, node_kind_name(node));
}

/*
 * Removes a bare `!` before a scalar, even a quoted one: PyYAML then resolves its text as if it
 * were plain.
 */
static int without_bang(struct pyyaml *pyyaml, const struct node *scalar, const struct node **ret)
{
	if (!scalar->tag || strcmp(scalar->tag, "!") != 0)
		return 0;
	return write_anew(pyyaml, scalar, scalar->text, NULL, ret);
}

static int load_key(struct pyyaml *pyyaml, const struct node *key)
{
	const struct node *loaded = key;

	if (!node_is_scalar(key))
		return problem_at(pyyaml->problem, key, "found unhashable key: %s can't be a key",
			node_kind_name(key));
	int r = without_bang(pyyaml, key, &loaded);
	if (r == 0)
		r = load_scalar(pyyaml, loaded, &loaded);
	if (r != 0 || loaded == key)
		return r;
	/* Which keys are equal was decided when the map was read. */
	return problem_at(
		pyyaml->problem, key, "write this key as its value: %s", loaded->text.data);
}

/*
 * Turns the items of !!omap and !!pairs, maps of one key, into lists of a key and a value, as in
 * Python.
 */
static int load_pairs(struct pyyaml *pyyaml, const struct node *list, const struct node **ret)
{
	struct node *pairs = node_new_sequence(pyyaml->arena, list);
	int r = pairs ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < list->seq.count; i++) {
		const struct node *item = list->seq.items[i];
		if (!node_is_map(item) || item->map.count != 1)
			return problem_at(pyyaml->problem, item,
				"expected a map of one key in a list tagged '%s'", list->tag);
		struct node *pair = node_new_sequence(pyyaml->arena, item);
		if (!pair)
			return -ENOMEM;
		pair->mark = MARK_TUPLE;
		r = node_push(pyyaml->arena, pair, item->map.pairs[0].key);
		if (r == 0)
			r = node_push(pyyaml->arena, pair, item->map.pairs[0].value);
		if (r == 0)
			r = node_push(pyyaml->arena, pairs, pair);
	}
	if (r == 0)
		pairs->tag = NULL;
	*ret = pairs;
	return r;
}

static int load(struct pyyaml *pyyaml, const struct node *node, const struct node **ret)
{
	struct node *copy = NULL;
	int r;

	*ret = node;
	if (node_is_scalar(node)) {
		r = without_bang(pyyaml, node, ret);
		if (r == 0)
			r = check_bare(pyyaml, *ret);
		return r == 0 ? load_scalar(pyyaml, *ret, ret) : r;
	}
	r = check_tag(pyyaml, node);
	for (uint32_t i = 0; r == 0 && i < node_count(node); i++) {
		const struct node *value = *node_entry(node, i);
		if (node_is_map(node))
			r = load_key(pyyaml, node->map.pairs[i].key);
		if (r == 0)
			r = load(pyyaml, value, &value);
		if (r == 0 && value != *node_entry(node, i))
			r = node_change(pyyaml->arena, node, &copy, i, value);
	}
	*ret = copy ? copy : node;
	return r == 0 && (has_tag(node, "omap") || has_tag(node, "pairs"))
		       ? load_pairs(pyyaml, *ret, ret)
		       : r;
}

int pyyaml_load(const struct node *node, struct arena *arena, const struct node **ret,
	struct problem *problem)
{
	struct pyyaml pyyaml = {.arena = arena, .problem = problem};

	return load(&pyyaml, node, ret);
}
