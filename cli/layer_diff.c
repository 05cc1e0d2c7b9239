#include "layer_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "compared_file.h"
#include "follow.h"
#include "layer_choice.h"
#include "message.h"
#include "path.h"
#include "path_list.h"
#include "shown.h"
#include "traverse.h"
#include "utf8.h"

/* Size of a layer's name in a label, in bytes. */
#define NAME_SIZE 256

/*
 * The file, merged from the layers up to each of them. COMPARED_BROKEN: these layers do not merge
 * without the higher ones.
 */
struct layer_steps {
	struct compared_file *items;
	size_t count;
};

static void steps_fini(struct layer_steps *steps)
{
	for (size_t i = 0; i < steps->count; i++)
		compared_file_fini(&steps->items[i]);
	free(steps->items);
}

/* Warns that the file does not merge without the layer, whose values a lower one may need. */
static int warn(const struct layer *layer, const struct problem *problem)
{
	char text[MESSAGE_MAX], name[NAME_SIZE];
	struct problem note;

	problem_format(problem, text, sizeof(text));
	shown_head(name, sizeof(name), layer->name);
	problem_set(&note, NULL, 0, 0, "without %s it does not merge: %s", name, text);
	message_warning(&note);
	return EXIT_DONE;
}

static int make_step(struct settings *settings, struct source_cache *cache, size_t count,
	const char *path, struct compared_file *step)
{
	CLEANUP(freep) struct settings *lower = malloc(sizeof(*lower));
	CLEANUP(offline_freep) struct offline *offline = NULL;
	struct problem problem = {0};

	if (!lower)
		return layer_choice_complain(settings, path, -ENOMEM, NULL);
	/*
	 * It is a copy whose pointers belong to `settings`, which outlives it: it must not free
	 * them.
	 */
	*lower = *settings;
	lower->references = 1;
	lower->layer_count = count;
	lower->options.header = false;
	int r = offline_new(lower, &offline);
	if (r == 0) {
		offline_share_cache(offline, cache);
		r = compared_file_make(offline, path, step, &problem);
	}
	if (r == -EISDIR && count < settings->layer_count)
		r = 0; /* a higher layer's file may hide the directory */
	if (r != 0)
		step->kind = COMPARED_BROKEN;
	if (r == PROBLEM && count < settings->layer_count)
		return warn(settings->layers[count], &problem);
	if (r != 0)
		return layer_choice_complain(settings, path, r, &problem);
	if (problem.message[0] && count == settings->layer_count)
		message_warning(&problem);
	return EXIT_DONE;
}

static int make_steps(struct settings *settings, const char *path, struct layer_steps *steps)
{
	struct source_cache *cache = NULL;
	int code = EXIT_DONE;
	bool is_there = false;

	steps->items = calloc(settings->layer_count, sizeof(*steps->items));
	/*
	 * A layer keeps its rank, so all steps share the cached sources. The last step needs all of
	 * them: the cache has no limit.
	 */
	if (!steps->items || source_cache_new(SIZE_MAX, false, &cache) < 0)
		return layer_choice_complain(settings, path, -ENOMEM, NULL);
	for (size_t i = 0; code == EXIT_DONE && i < settings->layer_count; i++) {
		code = make_step(settings, cache, i + 1, path, &steps->items[i]);
		steps->count++;
		is_there |= steps->items[i].kind > COMPARED_BROKEN;
	}
	source_cache_free(cache);
	if (code == EXIT_DONE && !is_there)
		return layer_choice_complain(settings, path, -ENOENT, NULL);
	return code;
}

/* Makes "without a, b" or "with a, b (sources)", for the layers from `first` to `last`. */
static char *make_label(const struct settings *settings, const struct layer_steps *steps,
	const char *lead, size_t first, size_t last)
{
	const struct compared_file *compared = &steps->items[last];
	CLEANUP(freep) char *label = NULL;
	size_t size;
	char name[NAME_SIZE];
	FILE *out = open_memstream(&label, &size);

	if (!out)
		return NULL;
	fputs(lead, out);
	for (size_t i = first; i <= last; i++) {
		shown_head(name, sizeof(name), settings->layers[i]->name);
		fprintf(out, "%s%s", i > first ? ", " : " ", name);
	}
	if (strcmp(lead, "with") == 0 && compared->sources && compared->highest >= first)
		fprintf(out, " (%s)", compared->sources);
	return fclose(out) == 0 ? take_ptr(label) : NULL;
}

static int print_steps(struct unified *how, const struct settings *settings,
	const struct layer_steps *steps, const char *path)
{
	struct span before = {NULL, 0};
	bool is_rewritten = false;
	size_t first = 0;

	/* If a step is written anew, all are compared in that form. */
	for (size_t i = 0; i < steps->count; i++)
		is_rewritten |= steps->items[i].kind == COMPARED_WRITTEN;
	for (size_t i = 0; i < steps->count; i++) {
		if (steps->items[i].kind == COMPARED_BROKEN)
			continue;
		CLEANUP(freep) char *without = make_label(settings, steps, "without", first, i);
		CLEANUP(freep) char *with = make_label(settings, steps, "with", first, i);
		if (!without || !with)
			return -ENOMEM;
		struct span after = compared_file_text(&steps->items[i], is_rewritten);
		const struct unified_item item = {.path = path,
			.layers = settings->layers + first,
			.layer_count = i + 1 - first};
		int r = unified_print(how, &item, &(struct unified_side){without, before},
			&(struct unified_side){with, after});
		if (r < 0)
			return r;
		before = after;
		first = i + 1;
	}
	return 0;
}

int layer_diff(struct unified *how, struct settings *settings, const char *path)
{
	CLEANUP(steps_fini) struct layer_steps steps = {0};

	int code = make_steps(settings, path, &steps);
	if (code != EXIT_DONE)
		return code;
	int r = print_steps(how, settings, &steps, path);
	return r < 0 ? layer_choice_complain(settings, path, r, NULL) : EXIT_DONE;
}

struct file_set {
	struct offline *offline;
	char *base;             /* the path to which the compared path leads; NULL: to nothing */
	struct path_list files; /* relative to `base`; "": that is a file itself */
	int code;               /* EXIT_FAILED: a directory could not be listed completely */
};

struct set_comparison {
	struct unified *how;
	struct file_set trees[2];
	int code;
};

static void comparison_fini(struct set_comparison *comparison)
{
	for (size_t i = 0; i < 2; i++) {
		struct file_set *tree = &comparison->trees[i];
		path_list_fini(&tree->files);
		free(tree->base);
		offline_free(tree->offline);
	}
}

static int add_path(void *context, const struct traversed *found)
{
	struct file_set *tree = context;
	const char *rest = found->path + strlen(tree->base);

	if (found->kind == UNION_DIRECTORY) {
		if (found->error)
			tree->code = layer_choice_complain(
				NULL, *found->path ? found->path : ".", -found->error, NULL);
		return 0;
	}
	rest += *rest == '/';
	return path_list_add(&tree->files, rest, strlen(rest));
}

/* Joins as path_join(). `rest` may be "". */
static int join(const char *base, const char *rest, char **ret)
{
	return *rest ? path_join(base, rest, ret) : path_join("", base, ret);
}

static bool needs_quotes(const char *path)
{
	const char *end = path + strlen(path);

	for (size_t len; path < end; path += len) {
		len = utf8_length(path, end);
		if (!len || (unsigned char)*path < ' ' || *path == 0x7F || *path == '"' ||
			*path == '\\' || (len > 1 && utf8_decode(path, len) < 0xA0))
			return true;
	}
	return false;
}

/*
 * Makes a label as in git and patch(1): "a/" or "b/" in front, and quoted as in C if it has unusual
 * bytes.
 */
static char *quote_label(const char *lead, const char *path)
{
	CLEANUP(freep) char *label = NULL;
	size_t size;
	FILE *out = open_memstream(&label, &size);

	if (!out)
		return NULL;
	if (needs_quotes(path)) {
		fprintf(out, "\"%s", lead);
		for (const char *at = path; *at; at++)
			if (*at == '"' || *at == '\\')
				fprintf(out, "\\%c", *at);
			else if ((unsigned char)*at >= ' ' && (unsigned char)*at < 0x7F)
				fputc(*at, out);
			else
				fprintf(out, "\\%03o", (unsigned)(unsigned char)*at);
		fputc('"', out);
	} else {
		/* A tab marks the end of a name with blanks. */
		fprintf(out, "%s%s%s", lead, path, strchr(path, ' ') ? "\t" : "");
	}
	return fclose(out) == 0 ? take_ptr(label) : NULL;
}

static void complain(struct set_comparison *comparison, const struct settings *settings,
	const char *path, int result, const struct problem *problem)
{
	comparison->code = layer_choice_complain(settings, path, result, problem);
}

static int print_difference(
	struct set_comparison *comparison, const char *path, struct compared_file compared[2])
{
	bool is_rewritten =
		compared[0].kind == COMPARED_WRITTEN || compared[1].kind == COMPARED_WRITTEN;
	struct unified_side sides[2];
	CLEANUP(freep) char *old = quote_label("a/", path);
	CLEANUP(freep) char *new = quote_label("b/", path);

	if (!old || !new)
		return -ENOMEM;
	for (size_t i = 0; i < 2; i++) {
		const char *label = i ? new : old;
		sides[i].label = compared[i].kind != COMPARED_ABSENT ? label : UNIFIED_ABSENT;
		sides[i].text = compared_file_text(&compared[i], is_rewritten);
	}
	int r = unified_print(
		comparison->how, &(struct unified_item){.path = path}, &sides[0], &sides[1]);
	return r < 0 ? r : 0;
}

/* Makes one side of a comparison. Returns 0 with *ret, 1 after an error message, or -ENOMEM. */
static int make_side(struct set_comparison *comparison, const struct file_set *tree,
	const char *rest, struct compared_file *ret)
{
	CLEANUP(freep) char *path = NULL;
	struct problem problem = {0};

	if (!tree->base)
		return 0;
	int r = join(tree->base, rest, &path);
	if (r < 0)
		return r;
	r = compared_file_make(tree->offline, path, ret, &problem);
	if (r == 0 && problem.message[0])
		message_warning(&problem);
	/* The path may be a file on the other side. */
	if (r == 0 || r == -EISDIR)
		return 0;
	complain(comparison, offline_settings(tree->offline), path, r, &problem);
	return r == -ENOMEM ? r : 1;
}

/* Compares the files at `path` of both sets, and at `rest` below it. */
static int compare_path(struct set_comparison *comparison, const char *path, const char *rest)
{
	struct compared_file compared[2] = {0};
	CLEANUP(freep) char *label = NULL;

	int r = join(path, rest, &label);
	for (size_t i = 0; r >= 0 && i < 2; i++) {
		int made = make_side(comparison, &comparison->trees[i], rest, &compared[i]);
		r = made == 0 ? r : made;
	}
	if (r == 0)
		r = print_difference(comparison, label, compared);
	compared_file_fini(&compared[0]);
	compared_file_fini(&compared[1]);
	return r < 0 ? r : 0;
}

/* Compares the trees below `path`, whose lists are in the same order. */
static int compare_trees(struct set_comparison *comparison, const char *path)
{
	const struct path_list *old = &comparison->trees[0].files;
	const struct path_list *new = &comparison->trees[1].files;
	int r = 0;

	for (size_t i = 0, j = 0; r == 0 && (i < old->count || j < new->count);) {
		int order = i == old->count   ? 1
			    : j == new->count ? -1
					      : traverse_compare(old->paths[i], new->paths[j]);
		r = compare_path(comparison, path, order <= 0 ? old->paths[i] : new->paths[j]);
		i += order <= 0;
		j += order >= 0;
	}
	return r;
}

/* Lists the files of one set. Returns 0, PROBLEM or -errno. */
static int list_below(struct set_comparison *comparison, struct file_set *tree, const char *path,
	struct problem *problem)
{
	free(take_ptr(tree->base));
	path_list_clear(&tree->files);
	int r = follow_to(tree->offline, path, &tree->base, problem);
	if (r == 0)
		r = offline_traverse(tree->offline, tree->base, add_path, tree);
	if (tree->code != EXIT_DONE)
		comparison->code = tree->code;
	return r;
}

/*
 * Returns the path by which the files are shown: the one to which `path` leads or, if each set has
 * its own, `path` without "." and needless slashes.
 */
static char *shown_path(const struct file_set trees[2], const char *path)
{
	const char *one = trees[0].base, *other = trees[1].base;
	char *shown, *end;

	if (!one || !other || strcmp(one, other) == 0)
		return strdup(one ? one : other);
	shown = end = malloc(strlen(path) + 1);
	for (size_t len; shown && *(path += strspn(path, "/")); path += len) {
		len = strcspn(path, "/");
		if (len == 1 && *path == '.')
			continue;
		if (end > shown)
			*end++ = '/';
		end = mempcpy(end, path, len);
	}
	if (shown)
		*end = '\0';
	return shown;
}

/*
 * With `is_found`, a path that both sets lack is no error, and *is_found becomes true if one has
 * the path.
 */
static int compare_below(struct set_comparison *comparison, const char *path, bool *is_found)
{
	size_t absent = 0;

	for (size_t i = 0; i < 2; i++) {
		struct file_set *tree = &comparison->trees[i];
		struct problem problem = {0};
		int r = list_below(comparison, tree, path, &problem);

		if (r == -ENOENT || r == -ENOTDIR) {
			free(take_ptr(tree->base));
			r = ++absent < 2 || is_found ? 0 : -ENOENT;
		}
		if (r == 0)
			continue;
		complain(comparison, offline_settings(tree->offline), path, r, &problem);
		return 0;
	}
	if (absent == 2)
		return 0;
	if (is_found)
		*is_found = true;
	CLEANUP(freep) char *shown = shown_path(comparison->trees, path);
	return shown ? compare_trees(comparison, shown) : -ENOMEM;
}

static int open_trees(struct set_comparison *comparison, struct settings *sets[2])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2; i++) {
		/* The difference itself shows the sources. Nothing else uses these settings yet. */
		sets[i]->options.header = false;
		r = offline_new(sets[i], &comparison->trees[i].offline);
	}
	return r;
}

int layer_diff_sets(struct unified *how, struct settings *sets[2], char **paths, bool *is_found)
{
	CLEANUP(comparison_fini) struct set_comparison comparison = {.how = how};

	int r = open_trees(&comparison, sets);
	if (r == 0 && !*paths)
		r = compare_below(&comparison, "", NULL);
	for (size_t i = 0; r == 0 && paths[i]; i++)
		r = compare_below(&comparison, paths[i], is_found ? &is_found[i] : NULL);
	return r < 0 ? message_result(r, NULL, NULL) : comparison.code;
}
