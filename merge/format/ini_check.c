#include "ini_check.h"

#include <errno.h>
#include <stdio.h>

#include "array.h"
#include "number.h"
#include "scalar.h"

/* Size of a buffer for names such as "git, mysql, php". */
#define NAMES_MAX 128

/* A trait of a program that reads the file. The traits decide whether the file is a problem. */
enum ini_trait {
	KEEPS_ALL, /* all values of a key, or all keys of a section, count if it comes again */
	KEEPS_LAST,
	HAS_NO_INDENTS,
	FOLDS_CASE,
	FOLDS_DASHES,
	FOLDS_NOTHING,
	JOINS_LINES,
	HAS_COLON,
	IGNORES_SECTIONS,
	HAS_ROOT_KEYS,
};

static bool keeps_all(const struct ini_dialect *dialect, const struct pair *again)
{
	return node_is_map(again->value)
		       ? dialect->keys == INI_LIST || ini_is_list_section(dialect, again->key->text)
		       : ini_is_list(dialect, again->key->text);
}

/* `again`: for the first two. */
static bool has_trait(
	const struct ini_dialect *dialect, enum ini_trait trait, const struct pair *again)
{
	switch (trait) {
	case KEEPS_ALL:
		return keeps_all(dialect, again);
	case KEEPS_LAST:
		return dialect->keys != INI_REFUSE && !keeps_all(dialect, again);
	case HAS_NO_INDENTS:
		return dialect->value.goes_on != INI_INDENT;
	case FOLDS_CASE:
		return dialect->fold.how & FOLD_CASE;
	case FOLDS_DASHES:
		return dialect->fold.how & FOLD_DASH;
	case FOLDS_NOTHING:
		return !dialect->fold.how;
	case JOINS_LINES:
		return dialect->value.goes_on == INI_BACKSLASH;
	case HAS_COLON:
		return strchr(dialect->separators, ':');
	case IGNORES_SECTIONS:
		return dialect->sections.meaningful;
	case HAS_ROOT_KEYS:
		return dialect->sections.has_root_keys && !dialect->sections.meaningful;
	}
	return false;
}

/* Writes the names of all dialects with the trait, as "git, mysql, php", cut to NAMES_MAX. */
static void put_names(enum ini_trait trait, const struct pair *again, char *out)
{
	static const struct format *const rows[] = {&format_mysql, &format_php, &format_git,
		&format_wireguard, &format_configparser, &format_grafana};
	size_t len = 0;

	*out = '\0';
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (has_trait(rows[i]->dialect, trait, again) && len < NAMES_MAX)
			len += (size_t)snprintf(
				out + len, NAMES_MAX - len, "%s%s", len ? ", " : "", rows[i]->name);
}

static int doubt_line(struct builder *builder, struct place place, const char *what,
	const char *when, enum ini_trait trait)
{
	char names[NAMES_MAX];

	put_names(trait, NULL, names);
	return builder_doubt(builder, place,
		"%s; give the rule the 'format' of the file's program, such as %s if %s, or "
		"'strategy: last'",
		what, names, when);
}

/* Returns whether the last word is a path of Windows, as in "dir=C:\\Temp\\". */
static bool ends_with_windows_path(struct span line)
{
	size_t at = line.len;

	while (at && !line_is_blank(line.data[at - 1]) && line.data[at - 1] != '=')
		at--;
	struct span word = {line.data + at, line.len - at};
	return word.len > 3 &&
	       (memcmp(word.data, "\\\\", 2) == 0 || memcmp(word.data + 1, ":\\", 2) == 0);
}

int ini_check_goes_on(struct builder *builder, struct place place, struct span above)
{
	if (!line_ends_with_backslash(above) || ends_with_windows_path(above))
		return 0;
	return doubt_line(builder, place,
		"the line above ends with a backslash, so some programs continue it here",
		"the line goes on", JOINS_LINES);
}

/* Returns the length of the name of a variable at the text's beginning; 0: there is none. */
static size_t name_length(struct span text)
{
	bool is_number = text.len && number_is_digit(*text.data);

	return is_number ? 0 : ini_plain_length(text, "_0123456789");
}

/* Returns whether the line is "host name=value name=value …"; `rest` begins with the first "=". */
static bool has_assignments(struct span key, struct span rest)
{
	size_t at = key.len, count = 0;

	while (at && !line_is_blank(key.data[at - 1]))
		at--;
	struct span last = {key.data + at, key.len - at};
	if (!at || name_length(last) != last.len || rest.data[1] == '"' || rest.data[1] == '\'')
		return false;
	for (at = 0;; count++) {
		while (at < rest.len && !line_is_blank(rest.data[at]))
			at++;
		while (at < rest.len && line_is_blank(rest.data[at]))
			at++;
		if (at == rest.len)
			return count;
		size_t len = name_length((struct span){rest.data + at, rest.len - at});
		if (!len || at + len == rest.len || rest.data[at + len] != '=')
			return false;
	}
}

int ini_check_line(struct builder *builder, struct place place, struct span key, struct span rest)
{
	if (rest.len < 2 || line_is_blank(rest.data[1]) || rest.data != span_end(key))
		return 0;
	if (*rest.data == ':')
		return doubt_line(builder, place,
			"a ':' without a blank behind it ends the key in some programs only",
			"it does", HAS_COLON);
	if (!has_assignments(key, rest))
		return 0;
	return builder_doubt(builder, place,
		"the line has several assignments, as in an inventory of Ansible's, and a merge "
		"would replace all of them; give the rule 'strategy: last'");
}

static struct place place_of(const struct node *node)
{
	return (struct place){node->line, node->column};
}

/* Without a value, equal keys may be different lines: each "}" and "endif =" ends another block. */
static bool would_lose(const struct node *found, const struct node *again)
{
	if (!node_is_map(found) || !node_is_map(again))
		return !node_equal(found, again) || scalar_is_null(found) || !found->text.len;
	for (uint32_t i = 0; i < again->map.count; i++) {
		const struct pair *other = node_find(found, again->map.pairs[i].key);

		if (other && would_lose(other->value, again->map.pairs[i].value))
			return true;
	}
	return false;
}

static int doubt_again(struct builder *builder, const struct pair *found, const struct pair *again)
{
	char all[NAMES_MAX], last[NAMES_MAX];

	if (!would_lose(found->value, again->value))
		return 0;
	put_names(KEEPS_ALL, again, all);
	put_names(KEEPS_LAST, again, last);
	return builder_doubt(builder, place_of(again->key),
		"the %s '%.64s' comes again, first in line %u, and a merge would lose one of them; "
		"give the rule the 'format' of the file's program: with %s nothing is lost, with "
		"%s the last counts",
		node_is_map(again->value) ? "section" : "key", again->key->text.data,
		(unsigned)found->key->line, all, last);
}

static int refuse_again(struct builder *builder, const struct ini_dialect *dialect,
	const struct pair *found, const struct pair *again)
{
	return builder_problem(builder, place_of(again->key),
		"the %s '%.64s' comes again, first in line %u, which %s may not; remove one",
		node_is_map(again->value) ? "section" : "key", again->key->text.data,
		(unsigned)found->key->line, dialect->title);
}

int ini_repeat(
	struct builder *builder, struct node *map, struct pair *found, const struct pair *again)
{
	const struct ini_dialect *dialect = builder->options->format->dialect;
	bool was_section = builder_is_sections(found->value),
	     is_section = builder_is_sections(again->value);

	if (was_section != is_section)
		return line_repeat(builder, map, found, again);
	if (is_section && dialect->sections.again == INI_REFUSE &&
		!span_is(again->key->text, "DEFAULT"))
		return refuse_again(builder, dialect, found, again);
	if (!is_section && dialect->keys == INI_REFUSE)
		return refuse_again(builder, dialect, found, again);
	int r = dialect->keys == INI_DOUBT ? doubt_again(builder, found, again) : 0;
	if (r != 0)
		return r;
	if (is_section)
		return builder_go_on(builder, map, found, again);
	if (ini_is_list(dialect, again->key->text))
		return builder_push(builder, map, found, again->value);
	builder_override(builder, map, found, again);
	return 0;
}

/* Finds keys that a program takes for the same. */
struct folded_keys {
	const struct fold *fold;
	struct arena *arena;
	struct node *names; /* a map of folded keys to the indexes of the first pairs */
};

/* Finds the pair in `map` before the `i`th whose key is the same to the program. *ret is NULL if
 * there is none. Returns 0 or -ENOMEM. */
static int find_alike(
	struct folded_keys *alike, const struct node *map, uint32_t i, const struct pair **ret)
{
	const struct node bare = {.kind = NODE_SCALAR,
		.schema = NODE_TEXT,
		.weight = 1,
		.text = map->map.pairs[i].key->text};
	const struct node *key = spelling_fold(alike->fold, &bare, alike->arena);
	struct node *number = key ? node_copy(alike->arena, key) : NULL;
	const struct pair *found;

	*ret = NULL;
	if (!number)
		return -ENOMEM;
	found = node_find(alike->names, key);
	if (found) {
		*ret = &map->map.pairs[found->value->line];
		return 0;
	}
	number->line = i;
	return node_put(alike->arena, alike->names, key, number);
}

static int check_spellings(
	const struct writer *writer, const struct node *map, const struct fold *fold)
{
	struct folded_keys alike = {fold, writer->arena, node_new_map(writer->arena, NULL)};
	int r = alike.names ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && fold->how && i < map->map.count; i++) {
		const struct pair *other;

		if (!node_is_scalar(map->map.pairs[i].key))
			continue;
		r = find_alike(&alike, map, i, &other);
		if (r == 0 && other)
			return line_refuse(writer, map->map.pairs[i].key,
				"'%.64s' and '%.64s' are one key in %s; remove one",
				other->key->text.data, map->map.pairs[i].key->text.data,
				writer->format->dialect->title);
	}
	return r;
}

static int check_section(const struct writer *writer, const struct pair *pair)
{
	const struct ini_dialect *dialect = writer->format->dialect;
	const struct node *value = pair->value;
	bool is_list = node_is_sequence(value);
	int r = 0;

	if (!node_is_scalar(pair->key) || !pair->key->text.len)
		return 0;
	if (!ini_has_meaning(dialect, pair->key->text))
		return line_refuse(writer, pair->key,
			"the section '%.64s' has no meaning in %s; give its keys without it",
			pair->key->text.data, dialect->title);
	if (!ini_is_name(dialect, spelling_of(pair->key, &dialect->sections.fold)))
		return line_refuse(writer, pair->key, INI_NO_NAME, dialect->title);
	for (uint32_t i = 0; r == 0 && i < (is_list ? value->seq.count : 1); i++) {
		const struct node *map = is_list ? value->seq.items[i] : value;

		if (node_is_map(map))
			r = check_spellings(writer, map, &dialect->fold);
	}
	return r;
}

int ini_check_tree(const struct writer *writer, const struct node *root)
{
	int r = 0;

	if (!node_is_map(root))
		return 0;
	r = check_spellings(writer, root, &writer->format->dialect->sections.fold);
	for (uint32_t i = 0; r == 0 && i < root->map.count; i++)
		if (builder_is_sections(root->map.pairs[i].value))
			r = check_section(writer, &root->map.pairs[i]);
	return r;
}

/* Refuses two keys that some program takes for the same. */
static int refuse_alike(const struct pair *a, const struct pair *b, struct problem *problem)
{
	char names[NAMES_MAX], others[NAMES_MAX];
	const struct pair *later =
		a->key->source && b->key->source && a->key->source->rank > b->key->source->rank ? a
												: b;
	const struct pair *other = later == a ? b : a;
	const char *x = later->key->text.data, *y = other->key->text.data;
	bool is_case = true; /* they differ only in the case of letters */

	for (; *x && *y && is_case; x++, y++)
		is_case = (*x == '-') == (*y == '-');
	put_names(is_case ? FOLDS_CASE : FOLDS_DASHES, NULL, names);
	put_names(FOLDS_NOTHING, NULL, others);
	return problem_at(problem, later->key,
		"'%.64s' and '%.64s' in %s:%u are one key to some programs and two to others; give "
		"the rule the 'format' of the file's program: %s, or where they are two %s",
		later->key->text.data, other->key->text.data,
		other->key->source ? source_shown(other->key->source) : "the merged file",
		(unsigned)other->key->line, names, others);
}

/* Returns whether the whole pair comes from `source`. The author of one layer knows how the program
 * reads its keys. */
static bool is_of(const struct pair *pair, const struct source *source)
{
	if (!node_is_map(pair->value))
		return pair->value->source == source;
	for (uint32_t i = 0; i < pair->value->map.count; i++)
		if (pair->value->map.pairs[i].value->source != source)
			return false;
	return true;
}

static int check_alike(const struct node *map, struct arena *arena, struct problem *problem)
{
	static const struct fold loose = {.how = FOLD_CASE | FOLD_DASH};
	struct folded_keys alike = {&loose, arena, node_new_map(arena, NULL)};
	int r = alike.names ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i], *other;

		if (!node_is_scalar(pair->key))
			continue;
		r = find_alike(&alike, map, i, &other);
		if (r != 0 || !other || node_equal(other->value, pair->value))
			continue;
		if (!is_of(other, pair->key->source) || !is_of(pair, pair->key->source))
			r = refuse_alike(other, pair, problem);
	}
	return r;
}

/* Returns the key of a line that can only be an option, unlike `name==1` and `http://a?b=c`.
 * Otherwise it is empty. */
static struct span option_of(struct span line)
{
	struct span key = {line.data, 0};
	size_t i;

	while (key.len < line.len &&
		(memchr("_-.", key.data[key.len], 3) ||
			(key.data[key.len] >= '0' && key.data[key.len] <= '9') ||
			((key.data[key.len] | 0x20) >= 'a' && (key.data[key.len] | 0x20) <= 'z')))
		key.len++;
	for (i = key.len; i < line.len && line_is_blank(line.data[i]);)
		i++;
	if (i == line.len || line.data[i] != '=' || (i + 1 < line.len && line.data[i + 1] == '='))
		key.len = 0;
	return key;
}

/*
 * Returns whether the merge loses a line of the value that may be an option of its own. It does if
 * the value is replaced in the merged section, or if another layer has the option, too.
 */
static bool is_option_lost(const struct pair *pair, const struct node *merged)
{
	const struct pair *now = merged ? node_find(merged, pair->key) : NULL;
	const char *end = span_end(pair->value->text);
	bool is_whole = now && node_equal(now->value, pair->value);

	for (const char *p = memchr(pair->value->text.data, '\n', pair->value->text.len); p;) {
		const char *stop = memchr(p + 1, '\n', (size_t)(end - p) - 1);
		const struct node key = {.kind = NODE_SCALAR,
			.schema = NODE_TEXT,
			.weight = 1,
			.text = option_of(
				(struct span){p + 1, (size_t)((stop ? stop : end) - p) - 1})};

		now = key.text.len && is_whole ? node_find(merged, &key) : NULL;
		if (key.text.len &&
			(!is_whole || (now && now->value->source != pair->value->source)))
			return true;
		p = stop;
	}
	return false;
}

/* Returns whether the pair is a "}" that stands in the merged section for that of another layer. */
static bool is_shared_end(const struct pair *pair, const struct node *merged)
{
	const struct pair *now =
		merged && span_is(pair->key->text, "}") ? node_find(merged, pair->key) : NULL;

	return now && now->value->source != pair->value->source;
}

static int check_lines(const struct node *map, const struct node *merged, struct problem *problem)
{
	char names[NAMES_MAX];
	int r = 0;

	if (merged && !node_is_map(merged))
		merged = NULL;
	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];

		if (node_is_map(pair->value)) {
			const struct pair *now = merged ? node_find(merged, pair->key) : NULL;

			r = check_lines(pair->value, now ? now->value : NULL, problem);
		} else if (is_option_lost(pair, merged)) {
			put_names(HAS_NO_INDENTS, NULL, names);
			r = problem_at(problem, pair->key,
				"the lines below '%.64s' are indented and may be options of their "
				"own, which a merge would lose; give the rule the 'format' of the "
				"file's program: %s, or configparser if they continue the value",
				pair->key->text.data, names);
		} else if (is_shared_end(pair, merged)) {
			r = problem_at(problem, pair->key,
				"a '}' ends a block here and in a higher layer, and a merge would "
				"lose one of them; give the rule 'strategy: last'");
		}
	}
	return r;
}

unsigned ini_rank(const struct node *node)
{
	return node->source ? node->source->rank : 0;
}

/*
 * Refuses a key before the first section that a lower layer has in a section: a program for which
 * sections have no meaning takes the lower layer's value, which stands behind it.
 */
static int check_root_key(const struct node *root, const struct pair *pair, struct problem *problem)
{
	char names[NAMES_MAX], others[NAMES_MAX];

	for (uint32_t i = 0; i < root->map.count; i++) {
		const struct pair *section = &root->map.pairs[i];
		const struct pair *found =
			node_is_map(section->value) ? node_find(section->value, pair->key) : NULL;

		if (!found || ini_rank(found->value) >= ini_rank(pair->value) ||
			node_equal(found->value, pair->value))
			continue;
		put_names(IGNORES_SECTIONS, NULL, names);
		put_names(HAS_ROOT_KEYS, NULL, others);
		return problem_at(problem, pair->key,
			"'%.64s' before the first section and '%.64s' in [%.64s] of %s:%u are one "
			"key to some programs and two to others; give the rule the 'format' of "
			"the file's program: %s, or where they are two %s",
			pair->key->text.data, pair->key->text.data, section->key->text.data,
			found->value->source ? source_shown(found->value->source)
					     : "the merged file",
			(unsigned)found->value->line, names, others);
	}
	return 0;
}

/* The lowest layer's author knows how the program reads its keys. */
static int check_root_keys(
	const struct node *root, const struct document *lowest, struct problem *problem)
{
	const struct node *known = lowest->count ? lowest->roots[0] : NULL;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < root->map.count; i++) {
		const struct pair *pair = &root->map.pairs[i];

		if (node_is_scalar(pair->key) && node_is_scalar(pair->value) &&
			!(known && node_is_map(known) && node_find(known, pair->key)))
			r = check_root_key(root, pair, problem);
	}
	return r;
}

int ini_check_merged(const struct format *format, const struct node *root,
	const struct document *document, struct arena *arena, struct problem *problem)
{
	int r = node_is_map(root) ? check_alike(root, arena, problem) : 0;

	(void)format;
	for (uint32_t i = 0; r == 0 && node_is_map(root) && i < root->map.count; i++)
		if (node_is_map(root->map.pairs[i].value))
			r = check_alike(root->map.pairs[i].value, arena, problem);
	if (r == 0 && node_is_map(root))
		r = check_root_keys(root, document, problem);
	if (r == 0 && document->count && node_is_map(document->roots[0]))
		r = check_lines(document->roots[0], root, problem);
	return r;
}
