#include "settings_options.h"

#include "memory.h"
#include "settings_make.h"
#include "value.h"

/* The words of plyfs.yaml. Messages show these lists. */
#define OPTION_KEYS                                                                                \
	"coherence, on_error, state, header, yaml, schema, poll_interval, answer_timeout, "        \
	"cache_mib, watches, "                                                                     \
	"on_change, "                                                                              \
	"limits"
#define LIMIT_KEYS "source, result, depth, nodes, time"
#define COHERENCE_WORDS "cached, strict"             /* enum settings_coherence */
#define ON_ERROR_WORDS "last-good, skip-layer, fail" /* enum settings_on_error */

#define CACHE_MIB 64

/* The cache gets one part in this many of the memory, which others need, too. */
#define CACHE_SHARE_OF_MEMORY 4

static unsigned default_cache_mib(void)
{
	uint64_t share_mib = (memory_max() >> 20) / CACHE_SHARE_OF_MEMORY;

	return share_mib < CACHE_MIB ? (unsigned)share_mib : CACHE_MIB;
}

struct settings_options settings_options_default(void)
{
	return (struct settings_options){.yaml = NODE_YAML_1_1,
		.header = true,
		.poll_ms = 1000,
		.answer_ms = 5000,
		.cache_mib = default_cache_mib(),
		.limits = LIMITS_DEFAULT};
}

int settings_options_read_limits(
	const struct node *map, struct limits *limits, struct problem *problem)
{
	static const struct {
		const char *name;
		struct value_range range;
	} amounts[] = {{"source", {&value_size, 1, 1u << 30}},
		{"result", {&value_size, 1, 1u << 30}},
		{"depth", {&value_number, 1, LIMIT_DEPTH_MAX}},
		{"nodes", {&value_number, 1, 100u * 1000 * 1000}},
		{"time", {&value_time_ms, 1, 60u * 60 * 1000}}};
	uint64_t values[] = {limits->source_bytes, limits->result_bytes, limits->depth,
		limits->nodes, limits->time_ms};
	int r = 0;

	if (!value_is_given(map))
		return 0;
	r = value_map(map, "limits", LIMIT_KEYS, problem);
	for (size_t i = 0; r == 0 && i < sizeof(amounts) / sizeof(*amounts); i++)
		r = value_amount(node_get(map, amounts[i].name), amounts[i].name, &amounts[i].range,
			&values[i], problem);
	if (r == 0)
		*limits = (struct limits){.source_bytes = (size_t)values[0],
			.result_bytes = (size_t)values[1],
			.depth = (unsigned)values[2],
			.nodes = (uint32_t)values[3],
			.time_ms = values[4]};
	return r;
}

/* Reads `state`, which must not depend on the user or the working directory. */
static int read_state(const struct node *node, const char **ret, struct problem *problem)
{
	int r = value_text(node, "state", ret, problem);

	if (r == 0 && *ret && **ret != '/')
		return problem_at(problem, node, "state must be an absolute path, not '%s'", *ret);
	return r;
}

/* Reads the YAML version. `schema` is the older name of `yaml`. */
static int read_version(const struct node *map, const enum node_schema **ret,
	struct problem *warning, struct problem *problem)
{
	const struct node *old = node_get(map, "schema"), *new = node_get(map, "yaml");

	if (!value_is_given(old))
		return settings_read_yaml(new, "yaml", ret, problem);
	if (value_is_given(new))
		return problem_at(
			problem, old, "'schema' is the older name of 'yaml'; give 'yaml' alone");
	int r = settings_read_yaml(old, "schema", ret, problem);
	if (r == 0)
		problem_at(warning, old,
			"warning: the option 'schema' is called 'yaml' now: rename it");
	return r;
}

static int read_amounts(
	const struct node *map, struct settings_options *options, struct problem *problem)
{
	const struct {
		const char *name;
		struct value_range range;
		unsigned *place;
	} amounts[] = {{"poll_interval", {&value_time_ms, 10, 60u * 60 * 1000}, &options->poll_ms},
		{"answer_timeout", {&value_time_ms, 1000, 60u * 60 * 1000}, &options->answer_ms},
		{"cache_mib", {&value_number, 0, 1u << 20}, &options->cache_mib},
		{"watches", {&value_number, 16, 1u << 30}, &options->watches}};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(amounts) / sizeof(*amounts); i++) {
		uint64_t amount = *amounts[i].place;
		r = value_amount(node_get(map, amounts[i].name), amounts[i].name, &amounts[i].range,
			&amount, problem);
		*amounts[i].place = (unsigned)amount;
	}
	return r;
}

int settings_options_read(struct settings_options *options, const struct node *map,
	struct arena *arena, struct problem *warning, struct problem *problem)
{
	unsigned coherence = options->coherence, on_error = options->on_error;
	const enum node_schema *yaml = NULL;
	int r;

	if (!value_is_given(map))
		return 0;
	r = value_map(map, "options", OPTION_KEYS, problem);
	if (r == 0)
		r = value_choice(node_get(map, "coherence"), "coherence", COHERENCE_WORDS,
			&coherence, problem);
	if (r == 0)
		r = value_choice(
			node_get(map, "on_error"), "on_error", ON_ERROR_WORDS, &on_error, problem);
	if (r == 0)
		r = read_state(node_get(map, "state"), &options->state, problem);
	if (r == 0)
		r = read_version(map, &yaml, warning, problem);
	if (r == 0)
		r = value_bool(node_get(map, "header"), "header", &options->header, problem);
	if (r == 0)
		r = read_amounts(map, options, problem);
	if (r == 0)
		r = program_read(node_get(map, "on_change"), "on_change",
			&(struct program){.timeout_ms = PROGRAM_TIMEOUT_MS}, arena,
			&options->on_change, problem);
	if (r == 0)
		r = settings_options_read_limits(
			node_get(map, "limits"), &options->limits, problem);
	if (r != 0)
		return r;

	options->coherence = (enum settings_coherence)coherence;
	options->on_error = (enum settings_on_error)on_error;
	if (yaml)
		options->yaml = *yaml;
	return 0;
}
