#include "case.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "scalar.h"
#include "strategy.h"
#include "value_bound.h"

static void file_fini(struct case_file *file)
{
	free(file->name);
	free(file->layer);
	free(file->text);
}

static void files_fini(struct case_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		file_fini(&files->data[i]);
	free(files->data);
}

/* Returns "site" for "10-site.yaml". */
static char *layer_of(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *start = slash ? slash + 1 : name;
	const char *dot = strrchr(start, '.');
	size_t digits = strspn(start, "0123456789");

	if (digits > 0 && start[digits] == '-')
		start += digits + 1;
	return dot && dot > start ? strndup(start, (size_t)(dot - start)) : strdup(start);
}

static int read_text(FILE *stream, struct case_file *file)
{
	size_t size = 0;
	FILE *copy = open_memstream(&file->text, &file->len);
	char buffer[4096];

	if (!copy)
		return -errno;
	while ((size = fread(buffer, 1, sizeof(buffer), stream)) > 0)
		fwrite(buffer, 1, size, copy);
	return fclose(copy) == 0 && !ferror(stream) ? 0 : -EIO;
}

static int read_file(const char *folder, const char *name, struct case_file *ret)
{
	CLEANUP(freep) char *path = NULL;
	struct case_file file = {.name = strdup(name), .layer = layer_of(name)};

	if (!file.name || !file.layer || asprintf(&path, "%s/%s", folder, name) < 0) {
		file_fini(&file);
		return -ENOMEM;
	}
	FILE *stream = fopen(path, "r");
	int r = stream ? read_text(stream, &file) : -errno;
	if (stream)
		fclose(stream);
	if (r < 0)
		file_fini(&file);
	else
		*ret = file;
	return r;
}

static int add_file(struct case_files *files, const char *folder, const char *name)
{
	struct case_file *data = realloc(files->data, (files->count + 1) * sizeof(*data));
	if (!data)
		return -ENOMEM;
	files->data = data;

	int r = read_file(folder, name, &data[files->count]);
	if (r == 0)
		files->count++;
	return r;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool is_directory(const char *folder, const char *name)
{
	CLEANUP(freep) char *path = NULL;
	struct stat stat_buffer;

	return asprintf(&path, "%s/%s", folder, name) >= 0 && stat(path, &stat_buffer) == 0 &&
	       S_ISDIR(stat_buffer.st_mode);
}

/*
 * Reads the files `depth` directories below `name`, in byte order. *ret: whether there are deeper
 * ones.
 */
static int read_level(struct golden *golden, const char *name, unsigned depth, bool *has_deeper)
{
	CLEANUP(freep) char *path = NULL;
	struct dirent **entries;
	int r = 0;

	if (asprintf(&path, "%s/%s", golden->folder, name) < 0)
		return -ENOMEM;
	int count = scandir(path, &entries, is_visible, by_bytes);
	if (count < 0)
		return errno == ENOENT ? 0 : -errno;

	for (int i = 0; i < count; i++) {
		CLEANUP(freep) char *inner = NULL;
		bool is_file;

		if (r == 0 && asprintf(&inner, "%s/%s", name, entries[i]->d_name) < 0)
			r = -ENOMEM;
		free(entries[i]);
		if (r < 0)
			continue;
		is_file = !is_directory(golden->folder, inner);
		if (is_file && depth == 0)
			r = add_file(&golden->tree, golden->folder, inner);
		else if (!is_file && depth == 0)
			*has_deeper = true;
		else if (!is_file)
			r = read_level(golden, inner, depth - 1, has_deeper);
	}
	free(entries);
	return r;
}

static int read_tree(struct golden *golden)
{
	bool has_deeper = true;
	int r = 0;

	for (unsigned depth = 0; r == 0 && has_deeper; depth++) {
		has_deeper = false;
		r = read_level(golden, "tree", depth, &has_deeper);
	}
	return r;
}

static int read_entry(struct golden *golden, const char *name)
{
	if (is_directory(golden->folder, name))
		return 0;
	if (strcmp(name, "rule.yaml") == 0)
		return read_file(golden->folder, name, &golden->rule);
	if (strncmp(name, "expect.", strlen("expect.")) != 0)
		return add_file(&golden->sources, golden->folder, name);
	if (golden->expect.name) {
		golden->has_second_expect = true;
		return 0;
	}
	return read_file(golden->folder, name, &golden->expect);
}

int golden_read(const char *folder, struct golden **ret)
{
	CLEANUP(golden_freep) struct golden *golden = calloc(1, sizeof(*golden));
	struct dirent **entries;
	int r = 0;

	if (!golden)
		return -ENOMEM;
	golden->folder = strdup(folder);
	if (!golden->folder)
		return -ENOMEM;

	int count = scandir(folder, &entries, is_visible, by_bytes);
	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		if (r == 0)
			r = read_entry(golden, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (r == 0)
		r = read_tree(golden);
	if (r == 0)
		*ret = take_ptr(golden);
	return r;
}

/* Returns NULL if the rule does not have it. */
static const struct node *rule_get(const struct node *map, const char *name)
{
	return map ? node_get(map, name) : NULL;
}

/* Returns the strategy whose name stands first in the name of the folder, or else deep. */
static const struct strategy *strategy_of(const char *folder)
{
	static const char begin[] = "should-fail-";
	const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;

	if (strncmp(name, begin, strlen(begin)) == 0)
		name += strlen(begin);
	for (const struct strategy *const *at = strategy_all(); *at; at++) {
		size_t len = strlen((*at)->name);
		if (strncmp(name, (*at)->name, len) == 0 && name[len] == '-')
			return *at;
	}
	return strategy_find(span_of("deep"));
}

static int read_words(struct golden *golden, const struct node *map, struct problem *problem)
{
	const struct node *strategy = rule_get(map, "strategy"), *to = rule_get(map, "to");
	const struct node *schema = rule_get(map, "schema"), *path = rule_get(map, "path");
	const struct node *needs = rule_get(map, "needs"), *header = rule_get(map, "header");
	struct merge_request *request = &golden->request;

	golden->options.strategy =
		strategy ? strategy_find(strategy->text) : strategy_of(golden->folder);
	if (!golden->options.strategy)
		return problem_at(problem, strategy, "there is no strategy '%s', only %s",
			strategy->text.data, strategy_names());
	golden->options.map = rule_get(map, "options");
	golden->refuses = rule_get(map, "refuses");
	golden->needs = needs ? strdup(needs->text.data) : NULL;

	request->options = &golden->options;
	request->path = path ? path->text.data : NULL;
	request->wants_header = header && span_is(header->text, "true");
	if (schema && span_is(schema->text, "1.2"))
		request->schema = NODE_YAML_1_2;
	if (to)
		request->to = format_find(to->text);
	else if (path)
		request->to = format_of_name(path->text.data);
	else if (golden->sources.count > 0)
		request->to = format_of_name(golden->sources.data[golden->sources.count - 1].name);
	return 0;
}

static void read_limits(struct golden *golden, const struct node *map)
{
	const struct node *limits = rule_get(map, "limits");
	struct limits *to = &golden->request.limits;
	const struct node *value;

	*to = LIMITS_DEFAULT;
	if ((value = rule_get(limits, "source_bytes")))
		to->source_bytes = (size_t)scalar_number(value);
	if ((value = rule_get(limits, "result_bytes")))
		to->result_bytes = (size_t)scalar_number(value);
	if ((value = rule_get(limits, "depth")))
		to->depth = (unsigned)scalar_number(value);
	if ((value = rule_get(limits, "nodes")))
		to->nodes = (uint32_t)scalar_number(value);
}

/* A lock names the files as the strategies do; the first file with the name counts. */
static int read_lock(struct golden *golden, const struct node *map, struct problem *problem)
{
	struct value_locks *locks;

	if (!map)
		return 0;
	int r = value_locks_read(map, golden->arena, &locks, problem);
	for (size_t i = 0; r == 0 && i < locks->count; i++)
		while (locks->items[i].rank < golden->sources.count &&
			!span_is(locks->items[i].layer->text,
				golden->sources.data[locks->items[i].rank].layer))
			locks->items[i].rank++;
	if (r == 0)
		golden->options.locks = locks;
	return r;
}

static int read_guards(struct golden *golden, const struct node *map, struct problem *problem)
{
	const struct node *bounds = rule_get(map, "bounds");
	struct value_bounds *read = NULL;

	int r = arena_new(&golden->arena);
	if (r == 0)
		r = read_lock(golden, rule_get(map, "lock"), problem);
	if (r == 0 && bounds)
		r = value_bounds_read(bounds, golden->options.locks, golden->arena, &read, problem);
	golden->options.bounds = read;
	return r;
}

int golden_read_rule(struct golden *golden, struct problem *problem)
{
	const struct source source = {.name = "rule.yaml", .layer = ""};
	const struct read_options read = {.format = &format_yaml};
	const struct node *map = NULL;
	int r;

	if (golden->rule.name) {
		struct span text = {golden->rule.text, golden->rule.len};
		r = document_read(&source, text, &read, &golden->rule_document, problem);
		if (r != 0)
			return r;
		if (golden->rule_document->count > 0)
			map = golden->rule_document->roots[0];
		if (map && !node_is_map(map))
			return problem_at(problem, map, "a rule is a map");
	}
	r = read_words(golden, map, problem);
	if (r != 0)
		return r;
	read_limits(golden, map);
	r = options_check(&golden->options, problem);
	return r == 0 ? read_guards(golden, map, problem) : r;
}

const char *golden_ending(const struct golden *golden)
{
	bool reads_trees =
		golden->options.strategy && strategy_reads_trees(golden->options.strategy);

	return golden->request.to || reads_trees ? format_of_tree(golden->request.to)->name : "txt";
}

struct finder {
	struct golden *golden;
	struct merge_input *inputs; /* one for each file of the tree */
	struct document **documents;
};

/* Whether `path` is a file `name` somewhere under tree/`directory`. */
static bool is_under(const char *path, const char *directory, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t len = strlen(directory);

	path += strlen("tree/");
	if (strcmp(slash + 1, name) != 0)
		return false;
	return len == 0 || (strncmp(path, directory, len) == 0 && path[len] == '/');
}

static int find(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	struct finder *finder = context;
	struct case_files *tree = &finder->golden->tree;

	for (size_t i = 0; i < tree->count; i++) {
		struct merge_input *input = &finder->inputs[i];

		if (!is_under(tree->data[i].name, directory, name))
			continue;
		struct read_options read =
			read_options_for(&finder->golden->request, input->format);
		if (!finder->documents[i] && read.format) {
			int r = document_read(
				&input->source, input->text, &read, &finder->documents[i], problem);
			if (r != 0)
				return r;
			input->document = finder->documents[i];
		}
		*ret = input;
		*count = 1;
		return 0;
	}
	return MERGE_ABSENT;
}

static struct merge_input *inputs_of(const struct case_files *files, const struct format *to)
{
	struct merge_input *inputs = calloc(files->count + 1, sizeof(*inputs));

	for (size_t i = 0; inputs && i < files->count; i++) {
		const struct case_file *file = &files->data[i];

		inputs[i] = (struct merge_input){
			.source = {.name = file->name, .layer = file->layer, .rank = (unsigned)i},
			.format = format_within(to, format_of_name(file->name)),
			.text = {file->text, file->len},
		};
	}
	return inputs;
}

/*
 * A mount keeps the parsed source and not its text. The result must be the same: merges the case
 * again, from the documents alone. Returns 0, or PROBLEM if the result is different.
 */
static int check_documents_alone(const struct golden *golden, const struct merge_input *inputs,
	const struct merge_result *expected, struct problem *problem)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	size_t count = golden->request.count;
	CLEANUP(freep) struct merge_input *alone = calloc(count, sizeof(*alone));
	CLEANUP(freep) struct document **documents = calloc(count, sizeof(*documents));
	struct merge_request request = golden->request;
	struct problem ignored;
	int r = alone && documents ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < count; i++) {
		struct read_options options = read_options_for(&request, inputs[i].format);
		r = document_read(
			&inputs[i].source, inputs[i].text, &options, &documents[i], &ignored);
		alone[i] = inputs[i];
		alone[i].text = (struct span){0};
		alone[i].document = documents[i];
	}
	request.inputs = alone;
	if (r == 0)
		r = merge_run(&request, &result, &ignored);
	bool is_same = r == 0 && span_equal(result->text, expected->text);
	merge_result_free(take_ptr(result));
	for (size_t i = 0; documents && i < count; i++)
		document_free(documents[i]);
	if (r < 0)
		return r;
	return is_same ? 0
		       : problem_set(problem, NULL, 0, 0,
				 "another result comes out of documents without their text");
}

/* The lock must refuse exactly what the case names, in that order. */
static int check_refusals(
	const struct golden *golden, const struct merge_result *result, struct problem *problem)
{
	const struct node *refuses = golden->refuses;
	size_t count = !refuses ? 0 : node_is_sequence(refuses) ? refuses->seq.count : 1;
	char place[PROBLEM_SOURCE_MAX + 64];

	for (size_t i = 0; i < result->refusals.count; i++) {
		const struct problem *refusal = &result->refusals.items[i];
		const struct node *expected = i >= count ? NULL
					      : count > 1 || node_is_sequence(refuses)
						      ? refuses->seq.items[i]
						      : refuses;
		snprintf(place, sizeof(place), "%s:%u:%u", refusal->source, refusal->line,
			refusal->column);
		if (!expected || !span_is(expected->text, place))
			return problem_set(
				problem, "refuses", 0, 0, "%s: %s", place, refusal->message);
	}
	return result->refusals.count >= count ? 0
					       : problem_set(problem, "refuses", 0, 0,
							 "only %zu times", result->refusals.count);
}

/* The caller's look at a result, as golden_look() describes it. */
struct looker {
	golden_look_fn *look;
	void *context;
};

static int run(struct golden *golden, struct finder *finder, const struct looker *looker,
	struct problem *problem)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	CLEANUP(freep) struct merge_input *inputs = inputs_of(&golden->sources, golden->request.to);
	const struct merge_environment environment = {.find = find, .context = finder};

	if (!inputs || !finder->inputs || !finder->documents)
		return -ENOMEM;
	golden->request.inputs = inputs;
	golden->request.count = golden->sources.count;
	golden->request.environment = &environment;

	int r = merge_run(&golden->request, &result, problem);
	if (r == 0 && strategy_reads_trees(golden->request.options->strategy) &&
		golden->request.count > 1)
		r = check_documents_alone(golden, inputs, result, problem);
	if (r == 0)
		r = check_refusals(golden, result, problem);
	return r == 0 ? looker->look(looker->context, &golden->request, result, problem) : r;
}

int golden_look(struct golden *golden, golden_look_fn *look, void *context, struct problem *problem)
{
	const struct looker looker = {look, context};
	struct finder finder = {
		.golden = golden,
		.inputs = inputs_of(&golden->tree, golden->request.to),
		.documents = calloc(golden->tree.count + 1, sizeof(struct document *)),
	};

	int r = run(golden, &finder, &looker, problem);
	for (size_t i = 0; finder.documents && i < golden->tree.count; i++)
		document_free(finder.documents[i]);
	free(finder.documents);
	free(finder.inputs);
	return r;
}

struct copy {
	char *text;
	size_t len;
};

static int copy_text(void *context, const struct merge_request *request,
	const struct merge_result *result, struct problem *problem)
{
	struct copy *copy = context;

	(void)request;
	(void)problem;
	copy->len = result->text.len;
	copy->text = malloc(copy->len + 1);
	if (!copy->text)
		return -ENOMEM;
	memcpy(copy->text, result->text.data, copy->len + 1);
	return 0;
}

int golden_merge(struct golden *golden, char **ret, size_t *ret_len, struct problem *problem)
{
	struct copy copy;

	int r = golden_look(golden, copy_text, &copy, problem);
	if (r != 0)
		return r;
	*ret = copy.text;
	*ret_len = copy.len;
	return 0;
}

void golden_free(struct golden *golden)
{
	if (!golden)
		return;
	files_fini(&golden->sources);
	files_fini(&golden->tree);
	file_fini(&golden->rule);
	file_fini(&golden->expect);
	document_free(golden->rule_document);
	arena_free(golden->arena);
	free(golden->needs);
	free(golden->folder);
	free(golden);
}

void golden_freep(struct golden **golden)
{
	golden_free(*golden);
}
