/*
 * cloud-init: each source is user data, merged part by part as cloud-init merges it on an instance
 * (cloud.h shows the way from a source to the result).
 */
#include <errno.h>

#include "cloud.h"
#include "lua_merger.h"
#include "mime.h"

/*
 * cloud-init's own default for user data. Its documentation describes another one, which applies
 * only to conf.d.
 */
#define DEFAULT_MERGERS "dict(replace)+list()+str()"

/* Values that may be copied or moved, per value of limits.nodes. */
#define WORK_PER_NODE 8

static const struct option_spec option_specs[] = {
	{"default", OPTION_VALUE, DEFAULT_MERGERS, NULL,
		"the mergers, such as list()+dict()+str(), for a part that names no mergers"},
	{"mergers", OPTION_CHOICE, "part", "part|stack",
		"whether a part's mergers merge that part, or the parts after it"},
	{"mergers_path", OPTION_TEXT, "", NULL,
		"the directory of the programs of custom mergers: m_NAME.lua for the merger NAME"},
	{0},
};

static int read_default(const struct options *options, struct arena *arena, struct problem *problem,
	struct how *ret)
{
	const struct node *value = options_get(options, "default");
	const struct how_place nowhere = {0};

	if (value)
		return how_add_value(ret, value, arena, problem);
	return how_add_text(ret, span_of(DEFAULT_MERGERS), &nowhere, arena, problem);
}

static int check(const struct options *options, struct problem *problem)
{
	struct arena *arena;
	struct how how = {0};

	int r = arena_new(&arena);
	if (r != 0)
		return r;
	r = read_default(options, arena, problem, &how);
	if (r == 0)
		r = cloud_dispatch_check(
			&how, options_text(options, "mergers_path").len == 0, problem);
	arena_free(arena);
	return r;
}

static int add_sources(struct cloud *cloud)
{
	int r = read_default(
		cloud->merge->request->options, cloud->arena, cloud->problem, &cloud->fallback);

	for (size_t i = 0; r == 0 && i < cloud->merge->count; i++)
		r = cloud_add_source(cloud, &cloud->merge->inputs[i]);
	return r == 0 ? cloud_end_patch(cloud) : r;
}

static int merge_cloud_init(struct merge *merge, struct merge_output *ret)
{
	struct cloud cloud = {
		.merge = merge,
		.arena = merge->arena,
		.problem = merge->problem,
		.origins = merge->origins,
		.root = node_new_map(merge->arena, NULL),
		.work = {.left = (uint64_t)merge->request->limits.nodes * WORK_PER_NODE},
	};

	if (!cloud.root)
		return -ENOMEM;
	int r = add_sources(&cloud);
	lua_free(cloud.lua);
	if (r == 0)
		*ret = (struct merge_output){
			.root = cloud.root, .head = span_of("#cloud-config\n")};
	return r;
}

const struct strategy strategy_cloud_init = {
	.name = "cloud-init",
	.summary = "user data merged as cloud-init does it, with merge_how in the parts",
	.options = option_specs,
	.trees = STRATEGY_TREES_GIVEN,
	.reads = STRATEGY_READS_PYYAML,
	.check = check,
	.load = mime_load,
	.merge = merge_cloud_init,
};
