/*
 * Origins by table: a merge, one value of its result, and the origin of that value. Each row also
 * checks that noting origins changes nothing else.
 */
#pragma once

#include <stdio.h>

#include "merge.h"
#include "reading.h"
#include "strategy.h"
#include "test.h"

#define SOURCES_MAX 4

/* A merge, a value of its result, and the expected origin of that value. */
struct row {
	const char *decision;
	const char *options; /* YAML; NULL: none */
	/* In order; their names are a, b, c, d. */
	const char *sources[SOURCES_MAX];
	const char *path; /* keys and offsets with a dot between them; "": the root */
	/*
	 * The value's place, then for each contributor "FATE SOURCE:LINE:COLUMN RULE", with
	 * "(SOURCE:LINE:COLUMN)" for the place of the rule, if there is one; then the keys that the
	 * value no longer has, as "-KEY".
	 */
	const char *expected;
};

static const char script[] =
	"local M = {}\n"
	"function M:on_dict(value, with)\n"
	"  if with.keep then return value end\n"
	"  if with.take then return with end\n"
	"  if with.change then\n"
	"    local r = dict(value); r.x = with.x; r.y = with.x; return r\n"
	"  end\n"
	"  if with.make then return dict({made = with.x}) end\n"
	"  local r = dict(value)\n"
	"  if with.turns then\n"
	"    local a, b = r.k, with.k\n"
	"    for i = 1, with.turns do a, b = self.merger:merge(a, b), a end\n"
	"    r.k = a\n"
	"    return r\n"
	"  end\n"
	"  for k, v in pairs(with) do\n"
	"    r[k] = r[k] == nil and v or self.merger:merge(r[k], v)\n"
	"  end\n"
	"  return r\n"
	"end\n"
	"function M:on_list(value, with) return self.merger:merge(value[1], with[1]) end\n"
	"function M:on_str(value, with)\n"
	"  if with == 'keep' then return value end\n"
	"  if with == 'join' then return value .. with end\n"
	"  return with\n"
	"end\n"
	"return M\n";

static inline int find_script(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	static const struct merge_input input = {
		.source = {.name = "mergers/m_mine.lua", .layer = "site"},
		.text = {script, sizeof(script) - 1},
	};

	(void)context;
	(void)directory;
	(void)problem;
	if (strcmp(name, "m_mine.lua") != 0)
		return MERGE_ABSENT;
	*ret = &input;
	*count = 1;
	return 0;
}

static inline const struct node *step_to(const struct node *node, const char *name)
{
	if (node_is_sequence(node))
		return node->seq.items[strtoul(name, NULL, 10)];
	for (uint32_t i = 0; node_is_map(node) && i < node->map.count; i++)
		if (span_is(node->map.pairs[i].key->text, name))
			return node->map.pairs[i].value;
	return NULL;
}

static inline const struct node *walk(const struct node *node, const char *path)
{
	char copy[64], *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *name = strtok_r(copy, ".", &rest); node && name;
		name = strtok_r(NULL, ".", &rest))
		node = step_to(node, name);
	return node;
}

static inline void show_place(FILE *out, const struct node *node)
{
	fprintf(out, "%s:%u:%u", node->source ? node->source->name : "?", (unsigned)node->line,
		(unsigned)node->column);
}

static inline void show_step(FILE *out, const struct origin_step *step)
{
	static const char *const fates[] = {"LOST", "PART", "REMOVED"};

	fprintf(out, "\n%s ", fates[step->fate]);
	show_place(out, step->value);
	fprintf(out, " %s", step->why.rule);
	if (step->why.by) {
		fprintf(out, " (");
		show_place(out, step->why.by);
		fprintf(out, ")");
	}
}

/* As in struct row. */
static inline char *describe(const struct origins *origins, const struct node *value)
{
	const struct origin *origin = origin_of(origins, value);
	const struct origin_step *step = NULL;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	show_place(out, value);
	while (origin && (step = origin_next(origin, step)))
		show_step(out, step);
	for (const struct origin_removed *gone = origin ? origin->removed : NULL; gone;
		gone = gone->next) {
		fprintf(out, "\n-%s", gone->key->text.data);
		while ((step = origin_removed_next(gone, step)))
			show_step(out, step);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

/* A merge, and the memory that it borrows. */
struct setting {
	struct options options;
	struct document *given;
	struct merge_input inputs[SOURCES_MAX];
	struct merge_environment environment;
	struct merge_request request;
};

static inline void set(struct setting *setting, const char *strategy, const struct row *row)
{
	static const char *const names[] = {"a", "b", "c", "d"};

	*setting = (struct setting){.options = {.strategy = strategy_find(span_of(strategy))},
		.environment = {.find = find_script},
		.request = {.to = &format_yaml, .wants_origins = true}};
	if (row->options) {
		setting->given = read_yaml(row->options);
		setting->options.map = setting->given->roots[0];
	}
	setting->request.options = &setting->options;
	setting->request.inputs = setting->inputs;
	setting->request.environment = &setting->environment;
	while (setting->request.count < SOURCES_MAX && row->sources[setting->request.count]) {
		size_t i = setting->request.count++;
		setting->inputs[i] =
			(struct merge_input){.source = {names[i], names[i], (unsigned)i},
				.format = &format_yaml,
				.text = span_of(row->sources[i])};
	}
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* `layer`: the layer of all sources; NULL: each source has its own. */
static inline void check_row_in_layers(
	const char *strategy, const struct row *row, const char *layer)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL, *plain = NULL;
	struct problem problem = {0};
	struct setting setting;

	set(&setting, strategy, row);
	for (size_t i = 0; layer && i < SOURCES_MAX; i++)
		setting.inputs[i].source.layer = layer;
	if (merge_run(&setting.request, &result, &problem) != 0)
		fail_msg("%s: %s:%u: %s", row->decision, problem.source, problem.line,
			problem.message);
	const struct node *value = walk(result->root, row->path);
	if (!value)
		fail_msg("%s: there is no '%s' in:\n%s", row->decision, row->path,
			result->text.data);
	CLEANUP(freep) char *got = describe(result->origins, value);
	if (strcmp(got, row->expected) != 0)
		fail_msg("%s:\n%s\n--- and not\n%s", row->decision, got, row->expected);

	setting.request.wants_origins = false;
	assert_int_equal(merge_run(&setting.request, &plain, &problem), 0);
	assert_string_equal(plain->text.data, result->text.data);
	assert_null(plain->origins);
	document_free(setting.given);
}

#define CHECK(strategy, rows)                                                                      \
	for (size_t i = 0; i < COUNT(rows); i++)                                                   \
	check_row_in_layers(strategy, &(rows)[i], NULL)

/* Whether the core was built with a reader of the text; without one the text is refused. */
static inline bool is_built_in(const struct row *row)
{
	struct merge_result *result = NULL;
	struct problem problem = {0};
	struct setting setting;

	set(&setting, "cloud-init", row);
	int r = merge_run(&setting.request, &result, &problem);
	merge_result_free(result);
	document_free(setting.given);
	return r == 0 || !strstr(problem.message, "plyfs was built without");
}
