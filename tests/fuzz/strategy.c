/*
 * Every strategy, on any bytes: it ends, gives the same bytes each time, and its result can be
 * read. The message of a problem is one line.
 *
 *      byte 0: the strategy. byte 1: bit 0 to JSON, bit 1 the YAML 1.2 schema, bit 2 sources are
 *      JSON, bits 3 and 4 two to five sources. Then texts with a byte 0xFF between them, which no
 *      UTF-8 has: the options, the sources, and files that can be referred to, as a.yaml or
 *      m_a.lua, b.yaml or m_b.lua … A second document of the options has `lock` and `bounds`, as a
 *      rule has them.
 *
 * FUZZ_STRATEGY=NAME selects one strategy.
 */
#include "strategy.h"
#include "cleanup.h"
#include "fuzz.h"
#include "merge.h"
#include "value_bound.h"

#define SOURCES_MAX 5
#define FILES_MAX 8

struct fuzz {
	struct merge_request request;
	struct options options;
	struct document *option_document;
	struct arena *arena; /* of the locks and bounds */
	struct merge_input inputs[SOURCES_MAX];
	struct merge_input files[FILES_MAX];
	struct document *documents[FILES_MAX];
	size_t file_count;
};

/* Returns the number of the file "a.yaml", "m_a.lua" …; FILES_MAX if it is no such name. */
static size_t number_of(const char *name, bool *is_tree)
{
	*is_tree = strncmp(name, "m_", 2) != 0;
	if (!*is_tree)
		name += 2;
	if (name[0] < 'a' || strcmp(name + 1, *is_tree ? ".yaml" : ".lua") != 0)
		return FILES_MAX;
	return (size_t)(name[0] - 'a');
}

static int find(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	struct fuzz *fuzz = context;
	bool is_tree;
	size_t i = number_of(name, &is_tree);

	(void)directory;
	if (i >= fuzz->file_count)
		return MERGE_ABSENT;
	if (is_tree && !fuzz->documents[i]) {
		struct read_options read = read_options_for(&fuzz->request, &format_yaml);
		int r = document_read(&fuzz->files[i].source, fuzz->files[i].text, &read,
			&fuzz->documents[i], problem);
		if (r != 0)
			return r;
		fuzz->files[i].document = fuzz->documents[i];
	}
	*ret = &fuzz->files[i];
	*count = 1;
	return 0;
}

static const struct strategy *choose_strategy(uint8_t byte)
{
	const struct strategy *const *all = strategy_all();
	const char *name = getenv("FUZZ_STRATEGY");
	const struct strategy *chosen = name ? strategy_find(span_of(name)) : NULL;
	size_t count = 0;

	while (all[count])
		count++;
	return chosen ? chosen : all[byte % count];
}

/* Locks and bounds that are not allowed count as none. The first lock is of layer 0, and so on. */
static void read_guards(struct fuzz *fuzz, const struct node *map)
{
	const struct node *lock = node_is_map(map) ? node_get(map, "lock") : NULL;
	const struct node *bound = node_is_map(map) ? node_get(map, "bounds") : NULL;
	struct value_locks *locks = NULL;
	struct value_bounds *bounds = NULL;
	struct problem problem;

	if (lock && value_locks_read(lock, fuzz->arena, &locks, &problem) == PROBLEM)
		fuzz_check_problem(&problem);
	for (size_t i = 0; locks && i < locks->count; i++)
		locks->items[i].rank = (unsigned)(i % SOURCES_MAX);
	if (bound && value_bounds_read(bound, locks, fuzz->arena, &bounds, &problem) == PROBLEM)
		fuzz_check_problem(&problem);
	fuzz->options.locks = locks;
	fuzz->options.bounds = bounds;
}

/* Options that are not allowed count as none. */
static void read_options(struct fuzz *fuzz, struct span text)
{
	const struct source source = {.name = "options", .layer = ""};
	const struct read_options read = {.format = &format_yaml, .limits = FUZZ_LIMITS};
	struct problem problem;

	if (document_read(&source, text, &read, &fuzz->option_document, &problem) == 0 &&
		fuzz->option_document->count > 0) {
		fuzz->options.map = fuzz->option_document->roots[0];
		if (fuzz->option_document->count > 1)
			read_guards(fuzz, fuzz->option_document->roots[1]);
	}
	if (options_check(&fuzz->options, &problem) != 0)
		fuzz->options.map = NULL;
}

/* A result that is written as a tree can be read again, within the same limits. */
static void check_result(const struct fuzz *fuzz, const struct merge_result *result)
{
	const struct source source = {.name = "result", .layer = ""};
	struct read_options read = {
		.format = fuzz->request.to, .schema = fuzz->request.schema, .limits = FUZZ_LIMITS};
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem;
	size_t count;

	if (result->text.data[result->text.len] != '\0')
		fuzz_stop("the text ends with a NUL byte", result->text);
	if (!result->root)
		return;
	if (document_read(&source, result->text, &read, &document, &problem) != 0)
		fuzz_stop(problem.message, result->text);
	node_documents(&result->root, &count);
	if (document->count != count)
		fuzz_stop("a result has the documents of its tree", result->text);
}

static void merge_twice(struct fuzz *fuzz)
{
	CLEANUP(merge_result_freep) struct merge_result *first = NULL, *second = NULL;
	struct problem problem = {.line = 0}, again = {.line = 0};
	int r = merge_run(&fuzz->request, &first, &problem);

	if (r != merge_run(&fuzz->request, &second, &again))
		fuzz_stop("the same input gives the same outcome", span_of(again.message));
	if (r == PROBLEM) {
		fuzz_check_problem(&problem);
		if (strcmp(problem.message, again.message) != 0)
			fuzz_stop("the same input gives the same problem", span_of(again.message));
	} else if (r == 0) {
		if (!span_equal(first->text, second->text))
			fuzz_stop("the same input gives the same bytes", second->text);
		check_result(fuzz, first);
	} else {
		fuzz_stop("the environment did not fail", span_of(strerror(-r)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[FILES_MAX] = {
		"a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml", "f.yaml", "g.yaml", "h.yaml"};
	static const char *const layers[SOURCES_MAX] = {"base", "site", "host", "user", "last"};
	struct fuzz fuzz = {.request.limits = FUZZ_LIMITS};
	struct merge_environment environment = {find, &fuzz};
	struct span texts[1 + SOURCES_MAX + FILES_MAX];
	size_t text_count = 0;
	struct fuzz_input input = {data, size};
	uint8_t flags;

	fuzz.options.strategy = choose_strategy(fuzz_byte(&input));
	flags = fuzz_byte(&input);

	fuzz.request.options = &fuzz.options;
	fuzz.request.inputs = fuzz.inputs;
	fuzz.request.count = 2 + (flags >> 3 & 3);
	fuzz.request.to = flags & 1 ? &format_json : &format_yaml;
	fuzz.request.schema = flags & 2 ? NODE_YAML_1_2 : NODE_YAML_1_1;
	fuzz.request.environment = &environment;

	texts[text_count++] = fuzz_text(&input);
	if (arena_new(&fuzz.arena) != 0)
		abort();
	read_options(&fuzz, texts[0]);
	for (size_t i = 0; i < fuzz.request.count; i++) {
		texts[text_count] = fuzz_text(&input);
		fuzz.inputs[i] = (struct merge_input){
			.source = {.name = layers[i], .layer = layers[i], .rank = (unsigned)i},
			.format = flags & 4 ? &format_json : &format_yaml,
			.text = texts[text_count++],
		};
	}
	while (input.size > 0 && fuzz.file_count < FILES_MAX) {
		size_t i = fuzz.file_count++;

		texts[text_count] = fuzz_text(&input);
		fuzz.files[i] = (struct merge_input){
			.source = {.name = names[i], .layer = ""},
			.format = &format_yaml,
			.text = texts[text_count++],
		};
	}

	merge_twice(&fuzz);
	for (size_t i = 0; i < fuzz.file_count; i++)
		document_free(fuzz.documents[i]);
	document_free(fuzz.option_document);
	arena_free(fuzz.arena);
	for (size_t i = 0; i < text_count; i++)
		free((char *)texts[i].data);
	return 0;
}
