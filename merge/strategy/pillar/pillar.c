/*
 * pillar: merges as salt_hierarchy_pillar, a module for Salt. A file names the files that it builds
 * on, and is combined with them; docs/merge-rules.md has the rules.
 *
 * A file is built in this order: its markers are removed; the files of its reference keys are built
 * and combined in; its neighbours are built and put under their names. Its lower layers are built
 * in the same way, each from its own references, and combined in last.
 *
 *      host ──_merge──▶ zone ──_parent──▶ site
 *        └──_neighbours──▶ other ──_merge──▶ zone (built already)
 *
 * A file that is being built is put into no file as a neighbour. So a result depends on which other
 * files are being built. The result records them, and is used again while the same ones are being
 * built.
 */
#include <errno.h>

#include "path.h"
#include "pillar_option.h"
#include "pillar_value.h"
#include "scalar.h"
#include "strategy.h"
#include "table.h"

/* Files in the chain of a message. If the chain is longer, its middle is left out. */
#define PILLAR_CHAIN_MAX 8

/* The suffix of all files that references lead to. */
#define PILLAR_SUFFIX ".yaml"

struct pillar_built;

struct pillar_file {
	const char *name;                 /* of the source in the highest layer */
	const struct merge_input *inputs; /* lowest layer first */
	size_t count;
	size_t number;              /* starting at 0, in the order in which files were found */
	struct pillar_built *built; /* the file's results, the newest first */
};

/* A set of files, by their numbers. All zero: empty. */
struct pillar_set {
	uint64_t *words;
	size_t count; /* number of words; numbers beyond them are not in the set */
};

/* A result of a file. */
struct pillar_built {
	struct pillar_built *next;
	const struct node *root;    /* NULL: nothing, an empty file */
	struct pillar_set looked;   /* the files on which the result depends */
	struct pillar_set was_open; /* the files in `looked` that were being built */
};

struct pillar_files {
	struct arena *arena;
	const struct merge_environment *environment; /* NULL: no other file can be found */
	const char *directory;                       /* where files are searched for */
	struct pillar_set open;                      /* the files that are being built */
	size_t count;
	struct table calls; /* from a name that references used to its file */
	struct table files; /* from pillar_file.name to the file */
};

/* A file that is being built, within the file that led to it. */
struct pillar_frame {
	const struct pillar_frame *outer;
	struct pillar_file *file;
	unsigned depth;           /* starting at 1 */
	struct pillar_set looked; /* as in struct pillar_built */
};

struct pillar {
	struct merge *merge;
	struct pillar_values values;
	struct pillar_files files;
	struct pillar_options options;
};

/* Adds the file with the sources `inputs`. If a file with the name of the highest source is there
 * already, *ret is this file. */
static int pillar_files_add(struct pillar_files *files, const struct merge_input *inputs,
	size_t count, struct pillar_file **ret)
{
	const char *name = inputs[count - 1].source.name;
	void **place = table_place(&files->files, files->arena, span_of(name));
	struct pillar_file *file = place ? *place : NULL;

	if (!file)
		file = arena_alloc(files->arena, sizeof(*file));
	if (!place || !file)
		return -ENOMEM;
	if (!*place)
		*file = (struct pillar_file){
			.name = name, .inputs = inputs, .count = count, .number = files->count++};
	*ret = *place = file;
	return 0;
}

/* Asks the environment. "inner/a" below "zones" is "a.yaml" below "zones/inner". */
static int ask(struct pillar_files *files, const char *name, const struct merge_input **ret,
	size_t *count, struct problem *problem)
{
	const struct merge_environment *environment = files->environment;
	const char *slash = strrchr(name, '/');
	const char *directory = files->directory;
	const char *file = arena_printf(files->arena, "%s" PILLAR_SUFFIX, slash ? slash + 1 : name);

	if (slash)
		directory = arena_printf(files->arena, "%s%s%.*s", directory, *directory ? "/" : "",
			(int)(slash - name), name);
	if (!file || !directory)
		return -ENOMEM;
	return environment->find(environment->context, directory, file, ret, count, problem);
}

/*
 * Finds the file for a reference to `name`, which must live as long as `files`. "a" is a.yaml, at
 * any depth in files->directory. "inner/a" is a.yaml, at any depth in its directory "inner".
 * Returns 0, MERGE_ABSENT, PROBLEM or -errno.
 */
static int pillar_files_find(struct pillar_files *files, const char *name, struct pillar_file **ret,
	struct problem *problem)
{
	const struct merge_input *inputs;
	size_t count = 0;

	*ret = table_get(&files->calls, span_of(name));
	if (*ret)
		return 0;
	if (!files->environment)
		return MERGE_ABSENT;
	int r = ask(files, name, &inputs, &count, problem);
	if (r != 0)
		return r;
	if (count == 0)
		return MERGE_ABSENT;
	r = pillar_files_add(files, inputs, count, ret);
	return r == 0 ? table_put(&files->calls, files->arena, span_of(name), *ret) : r;
}

/* Returns a result of `file` valid for files->open, or NULL. Adds the search's steps to *work. */
static struct pillar_built *pillar_file_built(
	const struct pillar_files *files, const struct pillar_file *file, size_t *work)
{
	for (struct pillar_built *built = file->built; built; built = built->next) {
		bool is_same = true;

		for (size_t i = 0; is_same && i < built->looked.count; i++) {
			uint64_t then = i < built->was_open.count ? built->was_open.words[i] : 0;
			uint64_t now = i < files->open.count ? files->open.words[i] : 0;

			is_same = (built->looked.words[i] & now) == then;
		}
		*work += 1 + built->looked.count;
		if (is_same)
			return built;
	}
	return NULL;
}

static bool pillar_set_has(const struct pillar_set *set, const struct pillar_file *file)
{
	size_t word = file->number / 64;

	return word < set->count && set->words[word] >> file->number % 64 & 1;
}

static bool pillar_set_is_empty(const struct pillar_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->words[i])
			return false;
	return true;
}

static int reserve(struct pillar_set *set, size_t count, struct arena *arena)
{
	uint64_t *words;

	if (count <= set->count)
		return 0;
	/* Files get ascending numbers. To grow by one word each time would copy too often. */
	count += count / 2;
	words = arena_zalloc(arena, count, sizeof(*words));
	if (!words)
		return -ENOMEM;
	if (set->count > 0)
		memcpy(words, set->words, set->count * sizeof(*words));
	*set = (struct pillar_set){words, count};
	return 0;
}

static int pillar_set_add(
	struct pillar_set *set, const struct pillar_file *file, struct arena *arena)
{
	int r = reserve(set, file->number / 64 + 1, arena);

	if (r == 0)
		set->words[file->number / 64] |= (uint64_t)1 << file->number % 64;
	return r;
}

static int pillar_set_add_all(
	struct pillar_set *set, const struct pillar_set *other, struct arena *arena)
{
	int r = reserve(set, other->count, arena);

	for (size_t i = 0; r == 0 && i < other->count; i++)
		set->words[i] |= other->words[i];
	return r;
}

/* Sets *ret to the files that are in both sets. */
static int pillar_set_common(const struct pillar_set *a, const struct pillar_set *b,
	struct arena *arena, struct pillar_set *ret)
{
	struct pillar_set common = {0};
	size_t count = a->count < b->count ? a->count : b->count;
	int r = reserve(&common, count, arena);

	if (r != 0)
		return r;
	for (size_t i = 0; i < count; i++)
		common.words[i] = a->words[i] & b->words[i];
	*ret = common;
	return 0;
}

static void pillar_set_remove(struct pillar_set *set, const struct pillar_file *file)
{
	if (file->number / 64 < set->count)
		set->words[file->number / 64] &= ~((uint64_t)1 << file->number % 64);
}

/*
 * Writes "a.yaml -> b.yaml -> LAST": the chain of files that are being built. Returns NULL when
 * there is no memory.
 */
static const char *chain(
	const struct pillar *pillar, const struct pillar_frame *frame, const char *last)
{
	struct arena *arena = pillar->merge->arena;
	const char *text = last;
	unsigned count = frame->depth;

	for (unsigned i = 0; frame && text; frame = frame->outer, i++) {
		if (i < PILLAR_CHAIN_MAX - 1 || !frame->outer)
			text = arena_printf(arena, "%s -> %s", frame->file->name, text);
		else if (i == PILLAR_CHAIN_MAX - 1)
			text = arena_printf(
				arena, "(%u more) -> %s", count - PILLAR_CHAIN_MAX, text);
	}
	return text;
}

static int report_absent(
	struct pillar *pillar, const struct pillar_frame *frame, const struct node *name)
{
	struct problem *problem = pillar->merge->problem;
	const char *text = name->text.data;
	size_t suffix = strlen(PILLAR_SUFFIX);
	const char *references = chain(pillar, frame, text);
	const char *directory = pillar->options.data_path;
	const char *quote = *directory ? "'" : "";

	if (!references)
		return -ENOMEM;
	if (!pillar->files.environment)
		return problem_at(problem, name,
			"'%s' can't be searched, because there are no layers here: name no file, "
			"or merge in a mount (%s)",
			text, references);
	if (name->text.len > suffix && strcmp(text + name->text.len - suffix, PILLAR_SUFFIX) == 0)
		return problem_at(problem, name,
			"there is no file '%s" PILLAR_SUFFIX
			"': write the name without '" PILLAR_SUFFIX "' (%s)",
			text, references);
	return problem_at(problem, name,
		"there is no file '%s" PILLAR_SUFFIX
		"' beneath %s%s%s: create it, or correct the name (%s)",
		text, quote, *directory ? directory : "the root of the layers", quote, references);
}

/* Reports a chain of references that is too deep, or that goes round in a circle. */
static int report_chain(struct pillar *pillar, const struct pillar_frame *frame,
	const struct node *name, const struct pillar_file *file, bool is_cycle)
{
	const char *references = chain(pillar, frame, file->name);

	if (!references)
		return -ENOMEM;
	if (is_cycle)
		return problem_at(pillar->merge->problem, name,
			"the reference '%s' goes round in a circle: remove one of these (%s)",
			name->text.data, references);
	return problem_at(pillar->merge->problem, name,
		"more than %u files refer to each other in a row: shorten the chain, or raise the "
		"limit 'depth' (%s)",
		pillar->values.limits.depth, references);
}

static int build(struct pillar *pillar, const struct pillar_frame *outer, const struct node *name,
	struct pillar_file *file, struct pillar_built **ret);

/* Finds the named file. `key` is the key whose value has the name. */
static int find(struct pillar *pillar, const struct pillar_frame *frame, const struct node *key,
	const struct node *name, struct pillar_file **ret)
{
	struct problem *problem = pillar->merge->problem;
	const char *fault;
	int r;

	if (!pillar_name_is_valid(name))
		return problem_at(problem, name,
			"'%s' takes a file's name or a list of names, and this is %s",
			key->text.data, scalar_or_kind_name(name));
	fault = path_fault(name->text);
	if (fault)
		return problem_at(
			problem, name, "'%s' is no file's name: %s", name->text.data, fault);

	r = pillar_files_find(&pillar->files, name->text.data, ret, problem);
	return r == MERGE_ABSENT ? report_absent(pillar, frame, name) : r;
}

/* Combines the files that `value` names into *root, one after the other. */
static int follow(struct pillar *pillar, struct pillar_frame *frame, const struct node *key,
	const struct node *value, const struct node **root)
{
	for (size_t i = 0; i < pillar_name_count(value); i++) {
		const struct node *name = pillar_name_at(value, i);
		struct pillar_file *file;
		struct pillar_built *built;
		int r = find(pillar, frame, key, name, &file);

		if (r == 0 && pillar_set_has(&pillar->files.open, file))
			r = report_chain(pillar, frame, name, file, true);
		if (r == 0)
			r = build(pillar, frame, name, file, &built);
		if (r == 0)
			r = pillar_set_add_all(
				/* cppcheck-suppress uninitvar ; build() gives it when it returns 0
				 */
				&frame->looked, &built->looked, pillar->merge->arena);
		/* cppcheck-suppress uninitvar ; the same */
		if (r == 0 && built->root)
			r = pillar_combine(&pillar->values, root, built->root,
				(struct origin_why){"the file takes precedence over the files that "
						    "it refers to",
					name});
		if (r != 0)
			return r;
	}
	return 0;
}

/* Puts a neighbour into *root, under its name. */
static int put_neighbour(struct pillar *pillar, struct pillar_frame *frame, const struct node *name,
	const struct node **root)
{
	struct arena *arena = pillar->merge->arena;
	const struct node *value;
	struct pillar_file *file;
	struct pillar_built *built;
	int r = find(pillar, frame, pillar->options.neighbour, name, &file);

	if (r != 0)
		return r;
	if (pillar_options_has(&pillar->options, name->text))
		return problem_at(pillar->merge->problem, name,
			"a neighbour can't be called '%s', which has another meaning as a key: "
			"rename its file",
			name->text.data);
	if (pillar_set_has(&pillar->files.open, file))
		return pillar_set_add(&frame->looked, file, arena);

	r = build(pillar, frame, name, file, &built);
	if (r == 0)
		r = pillar_set_add_all(&frame->looked, &built->looked, arena);
	if (r != 0)
		return r;
	value = built->root ? built->root : node_new_scalar(arena, span_of("null"), NODE_PLAIN);
	if (!value)
		return -ENOMEM;
	return pillar_put(&pillar->values, root, &(struct pair){name, value, node_hash(name)},
		(struct origin_why){"a neighbour stands under its name", name});
}

static int put_neighbours(
	struct pillar *pillar, struct pillar_frame *frame, const struct node **root)
{
	const struct pair *pair =
		pillar->options.neighbour ? node_find(*root, pillar->options.neighbour) : NULL;
	const struct node *value = pair ? pair->value : NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && value && i < pillar_name_count(value); i++)
		r = put_neighbour(pillar, frame, pillar_name_at(value, i), root);
	return r;
}

/* Removes the reference keys from *root, and combines in the files that they name. */
static int follow_all(struct pillar *pillar, struct pillar_frame *frame, const struct node **root)
{
	const struct node *found[PILLAR_KEYS_MAX] = {0};
	int r = 0;

	/*
	 * All keys are removed before the first file comes in: a name that a file brings is no
	 * reference.
	 */
	for (size_t i = 0; i < pillar->options.key_count; i++) {
		const struct pair *pair = node_find(*root, pillar->options.keys[i]);

		found[i] = pair ? pair->value : NULL;
		if (pair)
			r = pillar_remove(&pillar->values, root, pair,
				(struct origin_why){"names the files that are combined in", NULL});
		if (r != 0)
			return r;
	}
	for (size_t i = 0; r == 0 && i < pillar->options.key_count; i++)
		if (found[i])
			r = follow(pillar, frame, pillar->options.keys[i], found[i], root);
	return r;
}

/* Builds one layer of a file, from its own references. */
static int build_layer(struct pillar *pillar, struct pillar_frame *frame, const struct node *layer,
	const struct node **ret)
{
	const struct node *root;
	int r = pillar_strip(&pillar->values, layer, &root);

	if (r == 0 && node_is_map(root)) {
		r = follow_all(pillar, frame, &root);
		if (r == 0)
			r = put_neighbours(pillar, frame, &root);
	}
	if (r == 0)
		*ret = root;
	return r;
}

/* Builds all layers of a file. An empty one adds nothing. */
static int build_layers(struct pillar *pillar, struct pillar_frame *frame, const struct node **ret)
{
	const struct pillar_file *file = frame->file;
	const struct node *root = NULL, *above = NULL;

	for (size_t i = file->count; i-- > 0;) {
		const struct node *said, *layer;
		int r = merge_only_root(pillar->merge, file->inputs[i].document, &said);

		if (r == 0 && !said)
			continue;
		/* A pillar's null overrides any kind. */
		if (r == 0 && above && !scalar_is_null(above))
			r = merge_check_root(pillar->merge, said, above, NULL);
		if (r == 0)
			r = build_layer(pillar, frame, said, &layer);
		if (r == 0 && root)
			r = pillar_combine(&pillar->values, &root, layer,
				(struct origin_why){
					"the earlier pillar's value is not used", NULL});
		if (r != 0)
			return r;
		if (!root)
			root = layer;
		above = said;
	}
	*ret = root;
	return 0;
}

/* With neighbours that name each other, a small pillar can have an endless result. */
static int check_weight(
	struct pillar *pillar, const struct pillar_file *file, const struct node *root)
{
	if (!root || root->weight <= pillar->values.limits.nodes)
		return 0;
	return problem_set(pillar->merge->problem, file->name, 0, 0,
		"this file has more than %lu values with the files that it refers to: refer to "
		"fewer, or raise the limit 'nodes'",
		(unsigned long)pillar->values.limits.nodes);
}

/* Keeps the result of `frame`'s file for the next reference to it. */
static int remember(struct pillar *pillar, struct pillar_frame *frame, const struct node *root,
	struct pillar_built **ret)
{
	struct arena *arena = pillar->merge->arena;
	struct pillar_built *built = arena_zalloc(arena, 1, sizeof(*built));
	int r = 0;

	if (!built)
		return -ENOMEM;
	/*
	 * If a neighbour was left out, it may also matter to others whether this file is being
	 * built.
	 */
	if (!pillar_set_is_empty(&frame->looked))
		r = pillar_set_add(&frame->looked, frame->file, arena);
	if (r == 0)
		r = pillar_set_common(&frame->looked, &pillar->files.open, arena, &built->was_open);
	if (r != 0)
		return r;

	built->root = root;
	built->looked = frame->looked;
	built->next = frame->file->built;
	frame->file->built = built;
	*ret = built;
	return 0;
}

/*
 * Builds a file, unless a result is known. `name` is the reference that led here; NULL for the
 * first.
 */
static int build(struct pillar *pillar, const struct pillar_frame *outer, const struct node *name,
	struct pillar_file *file, struct pillar_built **ret)
{
	struct pillar_frame frame = {outer, file, outer ? outer->depth + 1 : 1, {0}};
	size_t work = 1, since = pillar->values.open_count;
	struct pillar_built *built = pillar_file_built(&pillar->files, file, &work);
	const struct node *root = NULL;
	int r = pillar_work(&pillar->values, work);

	if (r != 0)
		return r;
	if (built) {
		*ret = built;
		return 0;
	}
	if (outer && frame.depth > pillar->values.limits.depth)
		return report_chain(pillar, outer, name, file, false);

	r = pillar_set_add(&pillar->files.open, file, pillar->merge->arena);
	if (r != 0)
		return r;
	pillar->values.file = file->name;
	r = build_layers(pillar, &frame, &root);
	pillar->values.file = outer ? outer->file->name : NULL;
	pillar_seal(&pillar->values, since);
	pillar_set_remove(&pillar->files.open, file);
	if (r == 0)
		r = check_weight(pillar, file, root);
	return r == 0 ? remember(pillar, &frame, root, ret) : r;
}

static int merge_pillar(struct merge *merge, struct merge_output *ret)
{
	const struct merge_request *request = merge->request;
	struct pillar pillar = {
		.merge = merge,
		.values = {.arena = merge->arena,
			.origins = merge->origins,
			.problem = merge->problem,
			.limits = request->limits},
		.files = {.arena = merge->arena, .environment = request->environment},
	};
	struct pillar_file *file;
	struct pillar_built *built;
	int r = pillar_options_read(merge->request->options, merge->arena, &pillar.options);

	if (r != 0)
		return r;
	pillar.files.directory = pillar.options.data_path;
	r = pillar_files_add(&pillar.files, merge->inputs, merge->count, &file);
	if (r == 0)
		r = build(&pillar, NULL, NULL, file, &built);
	if (r == 0)
		*ret = (struct merge_output){.root = built->root};

	pillar_values_fini(&pillar.values);
	return r;
}

const struct strategy strategy_pillar = {
	.name = "pillar",
	.summary = "Salt's hierarchy pillar: a file names the files that it is built on",
	.options = pillar_option_specs,
	.trees = STRATEGY_TREES_READ,
	.check = pillar_options_check,
	.merge = merge_pillar,
};
