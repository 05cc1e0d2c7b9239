#include "layer_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "compared_file.h"
#include "layer_choice.h"
#include "message.h"
#include "shown.h"

/* Size of a layer's name in a label, in bytes. */
#define NAME_SIZE 256

/* The file, merged from the layers up to one of them. */
struct layer_step {
	struct compared_file compared;
	bool is_broken; /* these layers do not merge without the higher ones */
};

struct layer_steps {
	struct layer_step *items;
	size_t count;
	bool is_rewritten; /* a step is written anew, so all are compared in that form */
};

static void steps_fini(struct layer_steps *steps)
{
	for (size_t i = 0; i < steps->count; i++)
		compared_file_fini(&steps->items[i].compared);
	free(steps->items);
}

static void source_cache_freep(struct source_cache **cache)
{
	if (*cache)
		source_cache_free(*cache);
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
	const char *path, struct layer_step *step)
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
		r = compared_file_make(offline, path, &step->compared, &problem);
	}
	if (r == -EISDIR && count < settings->layer_count)
		r = 0; /* a higher layer's file may hide the directory */
	step->is_broken = r != 0;
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
	CLEANUP(source_cache_freep) struct source_cache *cache = NULL;
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
		steps->is_rewritten |= steps->items[i].compared.is_tree;
		is_there |= steps->items[i].compared.is_there;
	}
	if (code == EXIT_DONE && !is_there)
		return layer_choice_complain(settings, path, -ENOENT, NULL);
	return code;
}

/* Makes "without a, b" or "with a, b (sources)", for the layers from `first` to `last`. */
static char *make_label(const struct settings *settings, const struct layer_steps *steps,
	const char *lead, size_t first, size_t last)
{
	const struct compared_file *compared = &steps->items[last].compared;
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
	size_t first = 0;

	for (size_t i = 0; i < steps->count; i++) {
		if (steps->items[i].is_broken)
			continue;
		CLEANUP(freep) char *without = make_label(settings, steps, "without", first, i);
		CLEANUP(freep) char *with = make_label(settings, steps, "with", first, i);
		if (!without || !with)
			return -ENOMEM;
		struct span after =
			compared_file_text(&steps->items[i].compared, steps->is_rewritten);
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
