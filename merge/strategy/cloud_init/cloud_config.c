/*
 * One cloud-config: reads it, refuses what PyYAML's safe loader refuses, takes its mergers out, and
 * merges it into the result so far.
 */
#include <errno.h>

#include "cleanup.h"
#include "cloud.h"
#include "pyyaml.h"
#include "scalar.h"

int cloud_read_part(struct cloud *cloud, const struct cloud_part *part, const struct format *format,
	bool keep_duplicates, const struct document **ret)
{
	const struct merge_request *request = cloud->merge->request;
	struct read_options options = {
		.format = format,
		.schema = request->schema,
		.as_pyyaml = true,
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

/* Records for each map and list in `copy` which one in `node` it is a copy of. */
static int remember_copies(struct cloud *cloud, const struct node *copy, const struct node *node)
{
	if (node_is_scalar(node))
		return 0;
	int r = table_put_address(&cloud->aliased, cloud->arena, copy, node);
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

/* Reads the part's tree; *ret is NULL if it is empty. */
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
			"a second document begins here, and a part has one; give each document a "
			"file of its own, or make it an entry of a '#cloud-config-archive'");
	*ret = NULL;
	if (document->count == 0 || scalar_is_null(document->roots[0]))
		return 0;
	root = document->roots[0];
	if (cloud_kind(root) != CLOUD_DICT)
		return problem_at(cloud->problem, root,
			"a cloud-config is a map at its root, and this is %s; put it behind a key",
			scalar_or_kind_name(root));
	r = cloud_spend(cloud, root->weight, root);
	return r == 0 ? pyyaml_load(root, cloud->arena, ret, cloud->problem) : r;
}

/* How a part says that it is merged. */
struct part_how {
	struct how how;
	const struct pair *taken[2]; /* the pairs of its root that said so; NULL: unused */
};

/*
 * Takes the key's pair out of `*root`, as Python's dict.pop() does. *ret is the value; NULL if
 * there is none, or it is null.
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

/* Takes the mergers from the part itself, then from its header. */
static int take_how(struct cloud *cloud, const struct cloud_part *part, const struct node **root,
	struct part_how *found)
{
	const struct pair **type = &found->taken[0];
	const struct node *value;

	int r = pop(cloud, root, "merge_how", &found->taken[0], &value);
	if (found->taken[0])
		type = &found->taken[1];
	/* If both are given, merge_type is an ordinary value. */
	if (r == 0 && !value)
		r = pop(cloud, root, "merge_type", type, &value);
	if (r == 0 && value)
		r = how_add_value(&found->how, value, cloud->arena, cloud->problem);
	found->how.by = found->how.count > 0 ? value : part->merge_type_by;
	if (r == 0 && part->merge_type.len > 0)
		r = how_add_text(&found->how, part->merge_type, &part->merge_type_place,
			cloud->arena, cloud->problem);
	return r;
}

/*
 * Chooses the mergers for this part. With `mergers: stack`, stores the mergers for the parts after
 * it.
 */
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

static void note_taken(struct cloud *cloud, const struct part_how *found)
{
	for (size_t i = 0; i < 2 && found->taken[i]; i++)
		origin_remove(cloud->origins, cloud->root, found->taken[i]->key,
			found->taken[i]->value,
			(struct origin_why){"says how the part is merged", NULL});
}

int cloud_add_config(struct cloud *cloud, const struct cloud_part *part)
{
	const struct cloud_dispatch *mergers;
	struct part_how found = {0};
	const struct node *root;

	int r = cloud_end_patch(cloud);
	if (r == 0)
		r = read_config(cloud, part, &root);
	if (r != 0 || !root)
		return r;
	r = take_how(cloud, part, &root, &found);
	if (r == 0)
		r = choose_mergers(cloud, &found.how, &mergers);
	if (r == 0)
		r = cloud_merge(cloud, mergers, cloud->root, root, &cloud->root);
	if (r == 0)
		note_taken(cloud, &found);
	return r;
}

/* Blanks the first word of the text, so that places stay right. */
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
	int r = json_patch_copy(patch, patch->root, &patch->root);
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
	/* A patch may leave null as the document. Then the next part starts with an empty map. */
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
