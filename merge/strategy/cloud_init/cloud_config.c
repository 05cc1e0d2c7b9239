/*
 * One cloud-config: read, checked for what PyYAML's safe loader refuses, its mergers taken out, and
 * merged into what came before.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "cleanup.h"
#include "cloud.h"
#include "scalar.h"

int cloud_read_part(struct cloud *cloud, const struct cloud_part *part, const struct format *format,
	bool keep_duplicates, const struct document **ret)
{
	const struct merge_request *request = cloud->merge->request;
	struct read_options options = {
		.format = format,
		.schema = request->schema,
		.keep_duplicates = keep_duplicates,
		.limits = request->limits,
		.place = part->place,
	};
	CLEANUP(document_freep) struct document *document = NULL;

	int r = document_read(&part->source, part->text, &options, &document, cloud->problem);
	if (r != 0)
		return r;
	r = merge_adopt(cloud->merge, document);
	if (r == 0)
		*ret = take_ptr(document);
	return r;
}

static bool is_date(const char *text)
{
	struct tm date = {0}, real;

	sscanf(text, "%4d-%2d-%2d", &date.tm_year, &date.tm_mon, &date.tm_mday);
	if (date.tm_year == 0)
		return false;
	date.tm_year -= 1900;
	date.tm_mon--;
	real = date;
	/* A day that there is not becomes another one. */
	(void)timegm(&real);
	return real.tm_mon == date.tm_mon && real.tm_mday == date.tm_mday;
}

/* Looks like a date, and there is no such day: PyYAML raises. */
static bool is_impossible(const struct node *scalar)
{
	struct span text = scalar->text;

	return scalar->style == NODE_PLAIN && text.len == 10 && text.data[4] == '-' &&
	       text.data[7] == '-' && text.data[0] >= '0' && text.data[0] <= '9' &&
	       scalar_type(scalar) == SCALAR_TIMESTAMP && !is_date(text.data);
}

static int check_scalar(struct cloud *cloud, const struct node *scalar, bool is_key)
{
	struct span text = scalar->text;

	if (scalar->tag && scalar_type(scalar) == SCALAR_FOREIGN)
		return problem_at(cloud->problem, scalar,
			"could not determine a constructor for the tag '%s'; cloud-init knows only "
			"YAML's own tags",
			scalar->tag);
	if (scalar->style != NODE_PLAIN || scalar->tag)
		return 0;
	if (!is_key && (span_is(text, "=") || span_is(text, "<<")))
		return problem_at(cloud->problem, scalar,
			"could not determine a constructor for a bare '%s'; quote it", text.data);
	if (is_impossible(scalar))
		return problem_at(cloud->problem, scalar,
			"'%s' looks like a date, and there is no such day; quote it", text.data);
	return 0;
}

static int check_tag(struct cloud *cloud, const struct node *node)
{
	static const char core[] = "tag:yaml.org,2002:";
	static const char *const maps[] = {"map", "set", NULL};
	static const char *const lists[] = {"seq", "omap", "pairs", NULL};

	if (!node->tag || strcmp(node->tag, "!") == 0)
		return 0;
	if (strncmp(node->tag, core, sizeof(core) - 1) == 0)
		for (const char *const *name = node_is_map(node) ? maps : lists; *name; name++)
			if (strcmp(node->tag + sizeof(core) - 1, *name) == 0)
				return 0;
	return problem_at(cloud->problem, node,
		"could not determine a constructor for the tag '%s' on %s; cloud-init knows only "
		"YAML's own tags",
		node->tag, node_kind_name(node));
}

static int check_tree(struct cloud *cloud, const struct node *node, const struct node **ret);

/* `map` has the keys 1 and true, or 0 and false, which are one key in Python: the first stays. */
static int join_twins(struct cloud *cloud, const struct node *map, const struct node **ret)
{
	struct node *joined = node_new_map(cloud->arena, map);
	int r = joined ? 0 : -ENOMEM;

	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];
		const struct pair *found = cloud_find(joined, pair);
		r = found ? node_put(cloud->arena, joined, found->key, pair->value)
			  : node_append(cloud->arena, joined, pair);
	}
	*ret = joined;
	return r;
}

static int check_map(struct cloud *cloud, const struct node *map, const struct node **ret)
{
	struct node *copy = NULL;
	bool needs_join = false;
	int r = check_tag(cloud, map);

	for (uint32_t i = 0; r == 0 && i < map->map.count; i++) {
		const struct pair *pair = &map->map.pairs[i];
		const struct node *value = pair->value;
		if (!node_is_scalar(pair->key))
			return problem_at(cloud->problem, pair->key,
				"found unhashable key: %s can't be a key",
				node_kind_name(pair->key));
		r = check_scalar(cloud, pair->key, true);
		if (r == 0)
			r = check_tree(cloud, value, &value);
		if (r == 0 && value != pair->value)
			r = node_change(cloud->arena, map, &copy, i, value);
		const struct node *twin = needs_join ? NULL : cloud_twin(pair->key);
		needs_join = needs_join || (twin && node_find(map, twin));
	}
	*ret = copy ? copy : map;
	return r == 0 && needs_join ? join_twins(cloud, *ret, ret) : r;
}

static int check_list(struct cloud *cloud, const struct node *list, const struct node **ret)
{
	struct node *copy = NULL;
	int r = check_tag(cloud, list);

	for (uint32_t i = 0; r == 0 && i < list->seq.count; i++) {
		const struct node *item = list->seq.items[i];
		r = check_tree(cloud, item, &item);
		if (r == 0 && item != list->seq.items[i])
			r = node_change(cloud->arena, list, &copy, i, item);
	}
	*ret = copy ? copy : list;
	return r;
}

/* Finds what PyYAML's safe loader refuses; *ret is the tree as Python has it. */
static int check_tree(struct cloud *cloud, const struct node *node, const struct node **ret)
{
	*ret = node;
	if (node_is_scalar(node))
		return check_scalar(cloud, node, false);
	return node_is_map(node) ? check_map(cloud, node, ret) : check_list(cloud, node, ret);
}

/* Remembers of each map and list in `copy` which one in `node` it is a copy of. */
static int remember_copies(struct cloud *cloud, const struct node *copy, const struct node *node)
{
	if (node_is_scalar(node))
		return 0;
	int r = node_memo_add(&cloud->aliased, copy, (struct node *)node);
	for (uint32_t i = 0; r == 0 && i < node_count(node); i++)
		r = remember_copies(cloud, *node_entry(copy, i), *node_entry(node, i));
	return r;
}

static int write_aliases_out(struct cloud *cloud, const struct document **document)
{
	const struct document *given = *document;

	int r = origins_unshare(cloud->origins, given, document);
	for (size_t i = 0; r == 0 && *document != given && i < given->count; i++)
		r = remember_copies(cloud, (*document)->roots[i], given->roots[i]);
	return r;
}

/* The part's tree, or NULL when it is empty. */
static int read_config(struct cloud *cloud, const struct cloud_part *part, const struct node **ret)
{
	const struct document *document = part->document;
	const struct node *root;
	int r = 0;

	if (!document)
		r = cloud_read_part(cloud, part, &format_yaml, false, &document);
	if (r == 0)
		r = write_aliases_out(cloud, &document);
	if (r != 0)
		return r;
	if (document->count > 1)
		return problem_at(cloud->problem, document->roots[1],
			"expected a single document in a part, but found another");
	*ret = NULL;
	if (document->count == 0 || scalar_is_null(document->roots[0]))
		return 0;
	root = document->roots[0];
	if (cloud_kind(root) != CLOUD_DICT)
		return problem_at(cloud->problem, root,
			"a cloud-config is a map at its root, and this is %s",
			scalar_or_kind_name(root));
	r = cloud_spend(cloud, root->weight, root);
	return r == 0 ? check_tree(cloud, root, ret) : r;
}

/* What a part says of how it is merged. */
struct told {
	struct how how;
	const struct pair *taken[2]; /* what said so, out of its root; NULL: no more */
};

/*
 * Takes the key's pair out of `*root`, as Python's dict.pop() does; *ret is the value, or NULL
 * without one.
 */
static int pop(struct cloud *cloud, const struct node **root, const char *name,
	const struct pair **taken, const struct node **ret)
{
	const struct node key = {
		.kind = NODE_SCALAR, .style = NODE_DOUBLE, .weight = 1, .text = span_of(name)};

	*ret = NULL;
	*taken = node_find(*root, &key);
	if (!*taken)
		return 0;
	*ret = (*taken)->value;
	struct node *copy = node_copy(cloud->arena, *root);
	if (!copy)
		return -ENOMEM;
	node_remove(copy, &key);
	*root = copy;
	if (scalar_is_null(*ret))
		*ret = NULL;
	return 0;
}

/* What the part itself and then its header ask for. */
static int take_how(struct cloud *cloud, const struct cloud_part *part, const struct node **root,
	struct told *told)
{
	const struct pair **type = &told->taken[0];
	const struct node *value;

	int r = pop(cloud, root, "merge_how", &told->taken[0], &value);
	if (told->taken[0])
		type = &told->taken[1];
	/* Where both are given, merge_type is a value like any other. */
	if (r == 0 && !value)
		r = pop(cloud, root, "merge_type", type, &value);
	if (r == 0 && value)
		r = how_add_value(&told->how, value, cloud->arena, cloud->problem);
	told->how.by = told->how.count > 0 ? value : part->merge_type_by;
	if (r == 0 && part->merge_type.len > 0)
		r = how_add_text(&told->how, part->merge_type, &part->merge_type_place,
			cloud->arena, cloud->problem);
	return r;
}

/* The mergers for this part; with `mergers: stack`, those for the next are put aside. */
static int choose_mergers(
	struct cloud *cloud, const struct how *how, const struct cloud_dispatch **ret)
{
	bool is_stack = span_is(options_text(cloud->merge->request->options, "mergers"), "stack");
	const struct cloud_dispatch *mergers = NULL;

	if (!is_stack || !cloud->stacked) {
		const struct how *chosen = is_stack || how->count == 0 ? &cloud->fallback : how;
		int r = cloud_dispatch_new(cloud, chosen, &mergers);
		if (r != 0)
			return r;
	}
	*ret = is_stack && cloud->stacked ? cloud->stacked : mergers;
	if (!is_stack)
		return 0;
	if (how->count > 0)
		return cloud_dispatch_new(cloud, how, &cloud->stacked);
	cloud->stacked = *ret;
	return 0;
}

static void note_taken(struct cloud *cloud, const struct told *told)
{
	for (size_t i = 0; i < 2 && told->taken[i]; i++)
		origin_remove(cloud->origins, cloud->root, told->taken[i]->key,
			told->taken[i]->value,
			(struct origin_why){"says how the part is merged", NULL});
}

int cloud_add_config(struct cloud *cloud, const struct cloud_part *part)
{
	const struct cloud_dispatch *mergers;
	struct told told = {0};
	const struct node *root;

	int r = cloud_end_patch(cloud);
	if (r == 0)
		r = read_config(cloud, part, &root);
	if (r != 0 || !root)
		return r;
	r = take_how(cloud, part, &root, &told);
	if (r == 0)
		r = choose_mergers(cloud, &told.how, &mergers);
	if (r == 0)
		r = cloud_merge(cloud, mergers, cloud->root, root, &cloud->root);
	if (r == 0)
		note_taken(cloud, &told);
	return r;
}

/* The text with its first word blanked, so that places stay right. */
static int without_prefix(
	struct cloud *cloud, struct span text, const char *prefix, struct span *ret)
{
	size_t start = 0, len = strlen(prefix);

	while (start < text.len && strchr(" \t\n\v\f\r", text.data[start]) && text.data[start])
		start++;
	if (text.len - start < len || memcmp(text.data + start, prefix, len) != 0) {
		*ret = text;
		return 0;
	}
	char *copy = arena_copy(cloud->arena, text);
	if (!copy)
		return -ENOMEM;
	memset(copy + start, ' ', len);
	*ret = (struct span){copy, text.len};
	return 0;
}

static int begin_patch(struct cloud *cloud)
{
	struct json_patch *patch = arena_alloc(cloud->arena, sizeof(*patch));

	if (!patch)
		return -ENOMEM;
	*patch = (struct json_patch){
		.arena = cloud->arena,
		.work = &cloud->work,
		.problem = cloud->problem,
		.origins = cloud->origins,
		.aliased = &cloud->aliased,
		.depth = cloud->merge->request->limits.depth,
		.root = cloud->root,
	};
	int r = json_patch_open(patch);
	if (r == 0)
		cloud->patch = patch;
	return r;
}

int cloud_add_patch(struct cloud *cloud, const struct cloud_part *part)
{
	const struct document *document = NULL;
	struct cloud_part bare = *part;

	int r = without_prefix(cloud, part->text, "#cloud-config-jsonp", &bare.text);
	if (r == 0)
		r = cloud_read_part(cloud, &bare, &format_json, true, &document);
	if (r == 0 && document->count == 0)
		r = problem_set(cloud->problem, part->source.name,
			part->place.lines + !part->place.is_rewritten, 0,
			"a JSON Patch is a list of operations, and this part is empty");
	/* A patch may leave null as the document, and the next part starts with an empty map. */
	if (r == 0 && cloud->patch && scalar_is_null(cloud->patch->root))
		r = cloud_end_patch(cloud);
	if (r == 0 && !cloud->patch)
		r = begin_patch(cloud);
	if (r == 0)
		r = json_patch_apply(cloud->patch, document->roots[0]);
	return r;
}

int cloud_end_patch(struct cloud *cloud)
{
	if (!cloud->patch)
		return 0;
	int r = json_patch_close(cloud->patch);
	if (r == 0)
		cloud->root = cloud->patch->root;
	cloud->patch = NULL;
	if (r != 0 || !scalar_is_null(cloud->root))
		return r;
	const struct node *map = node_new_map(cloud->arena, NULL);
	if (!map)
		return -ENOMEM;
	origin_replace(cloud->origins, map, cloud->root,
		(struct origin_why){"an empty document becomes a map", NULL});
	cloud->root = map;
	return 0;
}
