/*
 * The check of files in which a program reads several groups (MySQL's): all assignments of an
 * option are one to the program, in whatever group and spelling, and the last one counts.
 */
#include "ini_check.h"

#include <errno.h>

/* Returns whether the name is one of the groups, or a group with a version: "mysqld-10.11". */
static bool is_group(const char *groups, struct span name)
{
	const char *dash = memrchr(name.data, '-', name.len);
	struct span first = {name.data, dash ? (size_t)(dash - name.data) : 0};

	if (span_is_in(name, groups, ","))
		return true;
	return dash && dash[1] >= '0' && dash[1] <= '9' && span_is_in(first, groups, ",");
}

static bool is_group_of(const char *groups, const struct pair *pair)
{
	return node_is_scalar(pair->key) && node_is_map(pair->value) &&
	       is_group(groups, pair->key->text);
}

/*
 * Returns the option that a key is about. A beginning turns the option on or off, as in
 * skip-innodb; and plugin-load takes back what plugin-load-add has added.
 */
static struct span option_of_key(struct span key)
{
	static const char *const beginnings[] = {"skip_", "disable_", "enable_"};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		size_t len = strlen(beginnings[i]);

		if (key.len > len && memcmp(key.data, beginnings[i], len) == 0)
			return (struct span){key.data + len, key.len - len};
	}
	return span_is(key, "plugin_load_add") ? span_of("plugin_load") : key;
}

static const struct pair *find_value(
	const struct node *root, const struct node *value, const struct pair **group)
{
	for (uint32_t i = 0; i < root->map.count; i++) {
		*group = &root->map.pairs[i];
		for (uint32_t j = 0; node_is_map((*group)->value) && j < (*group)->value->map.count;
			j++)
			if ((*group)->value->map.pairs[j].value == value)
				return &(*group)->value->map.pairs[j];
	}
	return NULL;
}

/* Refuses the assignment, unless `last`, which stands behind it, assigns the same. */
static int refuse_overruled(const struct node *root, const struct pair *group,
	const struct pair *pair, const struct node *last, struct problem *problem)
{
	const struct pair *later = NULL, *overruling = find_value(root, last, &later);
	bool is_same = overruling && node_equal(overruling->key, pair->key);
	const struct node *value = node_is_scalar(pair->value)
					   ? pair->value
					   : pair->value->seq.items[pair->value->seq.count - 1];
	const char *key = overruling ? overruling->key->text.data : "";
	const char *name = later ? later->key->text.data : "";
	const char *file = last->source ? source_shown(last->source) : "the merged file";

	if (is_same && node_equal(last, pair->value))
		return 0;
	if (is_same)
		return problem_at(problem, value,
			"'%.64s' in [%.64s] would have no effect, as the same program reads that "
			"in [%.64s] of %s:%u behind it; set it in [%.64s]",
			key, group->key->text.data, name, file, (unsigned)last->line, name);
	return problem_at(problem, value,
		"'%.64s' in [%.64s] would have no effect, as the same program reads '%.64s' of "
		"%s:%u behind it; set '%.64s'%s%.64s%s instead",
		pair->key->text.data, group->key->text.data, key, file, (unsigned)last->line, key,
		later == group ? "" : " in [", later == group ? "" : name,
		later == group ? "" : "]");
}

static unsigned highest_rank(const struct node *value)
{
	unsigned rank = ini_rank(value);

	for (uint32_t i = 0; node_is_sequence(value) && i < value->seq.count; i++)
		if (ini_rank(value->seq.items[i]) > rank)
			rank = ini_rank(value->seq.items[i]);
	return rank;
}

/*
 * Checks an assignment. All are checked from the last one on: `last` has the options that are set
 * behind it, with the values that count.
 */
static int check_assignment(const struct node *root, const struct pair *group,
	const struct pair *pair, struct arena *arena, struct node *last, struct problem *problem)
{
	struct span about =
		node_is_scalar(pair->key) ? option_of_key(pair->key->text) : (struct span){NULL, 0};
	struct node *option = about.len ? node_new_scalar(arena, about, NODE_PLAIN) : NULL;
	bool is_list = node_is_sequence(pair->value) && pair->value->seq.count;

	if (about.len && !option)
		return -ENOMEM;
	if (!option || !(node_is_scalar(pair->value) || is_list))
		return 0;
	option->schema = NODE_TEXT;
	const struct pair *found = node_find(last, option);
	if (!found)
		return is_list ? 0 : node_put(arena, last, option, pair->value);
	if (ini_rank(found->value) >= highest_rank(pair->value))
		return 0;
	return refuse_overruled(root, group, pair, found->value, problem);
}

static int check_group(const struct node *root, const struct pair *group, struct arena *arena,
	struct node *last, struct problem *problem)
{
	int r = 0;

	for (uint32_t i = group->value->map.count; r == 0 && i-- > 0;)
		r = check_assignment(
			root, group, &group->value->map.pairs[i], arena, last, problem);
	return r;
}

/* Checks the groups that one program reads, or if `groups` is NULL, the i-th group alone. */
static int check_together(const struct node *root, const char *groups, uint32_t alone,
	struct arena *arena, struct problem *problem)
{
	struct node *last = node_new_map(arena, NULL);
	int r = last ? 0 : -ENOMEM;

	for (uint32_t i = root->map.count; r == 0 && i-- > 0;) {
		const struct pair *pair = &root->map.pairs[i];

		if (groups ? is_group_of(groups, pair) : i == alone && node_is_map(pair->value))
			r = check_group(root, pair, arena, last, problem);
	}
	return r;
}

int ini_check_groups(const struct format *format, const struct node *root,
	const struct document *document, struct arena *arena, struct problem *problem)
{
	int r = 0;

	(void)document;
	if (!node_is_map(root))
		return 0;
	for (const char *const *groups = format->dialect->sections.together; r == 0 && *groups;
		groups++)
		r = check_together(root, *groups, 0, arena, problem);
	for (uint32_t i = 0; r == 0 && i < root->map.count; i++)
		r = check_together(root, NULL, i, arena, problem);
	return r;
}
