#include "explain.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "composition.h"
#include "strategy.h"

/* What explain() gives, and what it rests on. */
struct made {
	struct explanation explanation; /* first */
	struct settings *settings;
	struct composer composer;
	struct composition composition;
	struct dependencies asked;
};

static void made_free(struct made *made)
{
	if (!made)
		return;
	composition_fini(&made->composition);
	dependencies_fini(&made->asked);
	settings_unref(made->settings);
	for (size_t i = 0; i < made->explanation.passed_count; i++)
		free((char *)made->explanation.passed[i].source.name);
	free(made->explanation.passed);
	free(made->explanation.source);
	free(made->explanation.path);
	free(made);
}

static void made_freep(struct made **made)
{
	made_free(*made);
}

static int pass_over(const struct composer *composer, const struct contributor *found,
	const char *path, struct explanation *explanation)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	char *name;

	int r = layer_source_name(layer, found->path ? found->path : path, &name);
	if (r == 0)
		explanation->passed[explanation->passed_count++] = (struct passed){
			{.name = name, .layer = layer->name, .rank = layer->rank}, found->why};
	return r;
}

/* What the strategy has not even looked at, or a link has hidden. */
static int tell_passed(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct explanation *explanation)
{
	const struct strategy *strategy = compose_options(composer->settings, path)->strategy;
	unsigned first, count;

	compose_contributors(strategy, lookup, &first, &count);
	explanation->passed =
		calloc(lookup->count + lookup->left_out_count, sizeof(*explanation->passed));
	if (!explanation->passed)
		return -ENOMEM;
	for (unsigned i = lookup->count + lookup->left_out_count; i-- > 0;) {
		bool is_taken = i >= first && i < first + count;
		int r = is_taken ? 0 : pass_over(composer, &lookup->found[i], path, explanation);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A link, or a file that is too large to be looked into: its one source says it all. */
static int tell_source(const struct composer *composer, const struct contributor *found,
	const char *path, struct made *made)
{
	made->explanation.layer = composer->settings->layers[found->layer]->name;
	return layer_source_name(composer->settings->layers[found->layer],
		found->path ? found->path : path, &made->explanation.source);
}

static int take(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	struct made **ret = context;
	CLEANUP(made_freep) struct made *made = calloc(1, sizeof(*made));
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
	struct made *made = NULL;
	int r = offline_look_at(offline, path, &(struct offline_look){take, &made}, problem);

	if (r == 0)
		*ret = &made->explanation;
	return r;
}

void explanation_free(struct explanation *explanation)
{
	made_free((struct made *)explanation);
}
