#include "explain.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "composition.h"
#include "dropin_name.h"
#include "hidden.h"
#include "strategy.h"

/* The explanation that explain() returns, with the data that it points into. */
struct explain_state {
	struct explanation explanation; /* must be first */
	struct settings *settings;
	struct composer composer;
	struct composition composition;
	struct dependencies asked;
};

static void made_freep(struct explain_state **place)
{
	struct explain_state *made = *place;

	if (!made)
		return;
	composition_fini(&made->composition);
	dependencies_fini(&made->asked);
	settings_unref(made->settings);
	for (size_t i = 0; i < made->explanation.passed_count; i++) {
		free((char *)made->explanation.passed[i].source.name);
		free(made->explanation.passed[i].why);
	}
	free(made->explanation.passed);
	store_places_fini(&made->explanation.places);
	free(made->explanation.source);
	free(made->explanation.path);
	free(made);
}

static int pass_over(const struct composer *composer, const struct contributor *found,
	const char *path, struct explanation *explanation)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	struct passed *passed = &explanation->passed[explanation->passed_count++];
	char *name;
	int r = layer_source_name(layer, found->path ? found->path : path, &name);

	if (r < 0)
		return r;
	passed->source = (struct source){.name = name, .layer = layer->name, .rank = layer->rank};
	if (found->is_ignored)
		r = dropin_refusal(
			composer->settings, path, strrchr(found->path, '/') + 1, &passed->why);
	else if (found->why)
		r = (passed->why = strdup(found->why)) ? 0 : -ENOMEM;
	if (r < 0)
		return r;
	return store_places_add(&explanation->places, layer, found->path ? found->path : path,
		&found->stat, &passed->source);
}

/*
 * Adds the lower layers' files that a higher layer hides, each with the reason ("hidden by
 * site/.wh.motd").
 */
static int tell_hidden(
	const struct composer *composer, const char *path, struct explanation *explanation)
{
	CLEANUP(freep) struct hidden *hidden = malloc(sizeof(*hidden));
	const struct settings *settings = composer->settings;
	unsigned below = (unsigned)settings->layer_count;
	int r;

	if (!hidden)
		return -ENOMEM;
	while ((r = hidden_find(settings, below, path, hidden)) > 0) {
		/* The list begins with the lowest layer. */
		struct passed *passed = explanation->passed;
		CLEANUP(freep) char *mark = NULL;
		char *name = NULL;

		memmove(passed + 1, passed, explanation->passed_count++ * sizeof(*passed));
		*passed = (struct passed){0};
		below = hidden->layer;
		r = layer_source_name(settings->layers[below], path, &name);
		passed->source = (struct source){
			.name = name, .layer = settings->layers[below]->name, .rank = below};
		if (r == 0)
			r = hidden_mark_name(settings, hidden, &mark);
		if (r == 0 && asprintf(&passed->why, "hidden by %s", mark) < 0)
			r = -ENOMEM;
		if (r < 0)
			return r;
	}
	return r;
}

/* Adds the files that the strategy did not read, or that a layer hides. */
static int tell_passed(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct explanation *explanation)
{
	const struct strategy *strategy = compose_options(composer->settings, path)->strategy;
	unsigned first, count;

	compose_contributors(strategy, lookup, &first, &count);
	explanation->passed =
		calloc(lookup->count + lookup->left_out_count + composer->settings->layer_count,
			sizeof(*explanation->passed));
	if (!explanation->passed)
		return -ENOMEM;
	int r = tell_hidden(composer, path, explanation);
	if (r < 0)
		return r;
	for (unsigned i = lookup->count + lookup->left_out_count; i-- > 0;) {
		bool is_taken = i >= first && i < first + count;
		r = is_taken ? 0 : pass_over(composer, &lookup->found[i], path, explanation);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Fills in the only source of a link, or of a file that is too large to be read. */
static int tell_source(const struct composer *composer, const struct contributor *found,
	const char *path, struct explain_state *made)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	const char *in_layer = found->path ? found->path : path;
	struct explanation *explanation = &made->explanation;

	explanation->layer = layer->name;
	int r = layer_source_name(layer, in_layer, &explanation->source);
	if (r < 0)
		return r;
	explanation->rank = layer->rank;
	const struct source source = {.name = explanation->source, .rank = layer->rank};
	return store_places_add(&explanation->places, layer, in_layer, &found->stat, &source);
}

/* Adds the places that the sources have in stores. */
static int tell_places(const struct sources *sources, struct store_places *places)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < sources->count; i++)
		r = store_places_add(places, sources->layers[i], sources->paths[i],
			&sources->stats[i], &sources->loaded[i]->source);
	return r;
}

static int take(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	struct explain_state **ret = context;
	CLEANUP(made_freep) struct explain_state *made = calloc(1, sizeof(*made));
	const struct contributor *only = &lookup->found[0];

	if (!made)
		return -ENOMEM;
	made->composer = *composer;
	made->settings = settings_ref(composer->settings);
	made->explanation.path = strdup(path);
	made->explanation.kind = VERSION_BYTES;
	if (!made->explanation.path)
		return -ENOMEM;

	int r;
	if (lookup->kind == UNION_LINK || (only = compose_held_source(composer, path, lookup))) {
		made->explanation.kind = lookup->kind == UNION_LINK ? VERSION_LINK : VERSION_HELD;
		r = tell_source(composer, only, path, made);
	} else {
		r = composition_make(&made->composition, &made->composer, made->explanation.path,
			lookup, &made->asked, true, problem);
		if (r == 0)
			r = tell_places(&made->composition.sources, &made->explanation.places);
	}
	if (r == 0)
		r = tell_passed(composer, made->explanation.path, lookup, &made->explanation);
	if (r != 0)
		return r;
	made->explanation.request = &made->composition.request;
	made->explanation.result = made->composition.result;
	*ret = take_ptr(made);
	return 0;
}

int explain(const struct offline *offline, const char *path, struct explanation **ret,
	struct problem *problem)
{
	struct explain_state *made = NULL;
	int r = offline_look_at(offline, path, take, &made, problem);

	if (r == 0)
		*ret = &made->explanation;
	return r;
}

void explanation_free(struct explanation *explanation)
{
	made_freep(&(struct explain_state *){(struct explain_state *)explanation});
}
