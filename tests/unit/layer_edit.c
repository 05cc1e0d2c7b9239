/*
 * A change of a value costs two merges, before and after it, reads each source once, and passes
 * each gate once. The tests of the command (tests/cli) say what is written.
 */
#include "layer_edit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "key.h"
#include "place.h"
#include "settings.h"
#include "strategy.h"
#include "test.h"

static struct settings *settings;
static struct source_cache *cache;
static struct offline *offline;
static struct strategy counted; /* deep, but counts the merges */
static unsigned merges, reads;

static int count_merge(struct merge *merge, struct merge_output *ret)
{
	merges++;
	return strategy_find(span_of("deep"))->merge(merge, ret);
}

static void count_read(void *context, const struct source *source)
{
	(void)context;
	(void)source;
	reads++;
}

static void ignore_read(void *context, const struct loaded *loaded, struct span text)
{
	(void)context;
	(void)loaded;
	(void)text;
}

static int set_up(void **state)
{
	static const struct source_observer observer = {count_read, ignore_read, NULL};
	struct problem problem = {0};
	char yaml[512];

	if (enter_place(state))
		return -1;
	/* The check may run as another user. */
	run("chmod 755 . && mkdir a b && touch ran && chmod 666 ran");
	write_file("schema.json", "{\"properties\": {\"x\": {\"type\": \"integer\"}}}");
	write_file("a/f.yaml", "x: 1\ny: [1]\n");
	write_file("b/f.yaml", "z: 1\n");
	snprintf(yaml, sizeof(yaml),
		"layers: [a, b]\n"
		"rules:\n"
		"- match: f.yaml\n"
		"  schema: schema.json\n"
		"  check: [sh, -c, 'echo run >>%s/ran', sh, '%%f']\n",
		place);
	write_file("plyfs.yaml", yaml);
	if (settings_read(NULL, "plyfs.yaml", &settings, &problem) != 0)
		fail_msg("%s", problem.message);
	counted = *strategy_find(span_of("deep"));
	counted.merge = count_merge;
	((struct rule *)(uintptr_t)settings_rule_for(settings, "f.yaml"))->options.strategy =
		&counted;
	assert_int_equal(source_cache_new(1 << 20, false, &cache), 0);
	source_cache_observe(cache, &observer);
	assert_int_equal(offline_new(settings, &offline), 0);
	offline_share_cache(offline, cache);
	merges = reads = 0;
	return 0;
}

static int tear_down(void **state)
{
	offline_free(take_ptr(offline));
	source_cache_free(take_ptr(cache));
	settings_unref(take_ptr(settings));
	return leave_place(state);
}

/* Plans that `x` becomes the value. */
static int plan(void *context, const struct stream *present, const struct read_options *options,
	struct arena *arena, struct edit_op **ops, size_t *count, struct problem *problem)
{
	struct edit_step *step = arena_zalloc(arena, 1, sizeof(*step));

	(void)present;
	(void)options;
	(void)problem;
	*ops = arena_zalloc(arena, 1, sizeof(**ops));
	assert_non_null(*ops);
	assert_non_null(step);
	step->key = node_new_scalar(arena, span_of("x"), NODE_PLAIN);
	**ops = (struct edit_op){
		.kind = EDIT_SET,
		.steps = step,
		.count = 1,
		.value = node_new_scalar(arena, span_of(context), NODE_PLAIN),
	};
	*count = 1;
	return 0;
}

static int set(const char *value, enum layer_edit_mode mode, struct problem *problem)
{
	CLEANUP(layer_edit_freep) struct layer_edit *edit = NULL;
	const struct layer_edit_request request = {
		.path = "f.yaml", .mode = mode, .plan = plan, .context = (void *)(uintptr_t)value};

	*problem = (struct problem){0};
	return layer_edit_make(offline, &request, &edit, problem);
}

TEST_WITH(change_merges_twice_and_passes_each_gate_once, set_up, tear_down)
{
	struct problem problem;

	if (set("2", LAYER_EDIT_WRITES, &problem) != 0)
		fail_msg("%s", problem.message);
	run("grep -qx 'x: 2' b/f.yaml");
	assert_int_equal(merges, 2);
	assert_int_equal(reads, 2);
	run("[ \"$(cat ran)\" = run ]");
}

TEST_WITH(change_that_shows_already_merges_once, set_up, tear_down)
{
	struct problem problem;

	assert_int_equal(set("1", LAYER_EDIT_WRITES, &problem), 0);
	assert_int_equal(merges, 1);
	assert_int_equal(reads, 2);
	run("[ ! -s ran ]");
}

TEST_WITH(change_that_the_schema_refuses_is_not_checked, set_up, tear_down)
{
	struct problem problem;

	assert_int_equal(set("no", LAYER_EDIT_WRITES, &problem), PROBLEM);
	run("[ ! -s ran ] && [ \"$(cat b/f.yaml)\" = 'z: 1' ]");
}
