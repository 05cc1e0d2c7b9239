#include "explain.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "composition.h"
#include "descriptor.h"
#include "dropin_name.h"
#include "dropin_unread.h"
#include "hidden.h"
#include "path.h"
#include "path_list.h"
#include "strategy.h"
#include "text.h"

/* The explanation that explain() returns, with the data that it points into. */
struct explain_state {
	struct explanation explanation; /* must be first */
	struct settings *settings;
	struct composer composer;
	struct composition composition;
	struct merge_request request; /* the composition's, with the documents that it read */
	struct path_list asked;
};

static void made_freep(struct explain_state **place)
{
	struct explain_state *made = *place;

	if (!made)
		return;
	composition_fini(&made->composition);
	path_list_fini(&made->asked);
	settings_unref(made->settings);
	for (size_t i = 0; i < made->explanation.passed_count; i++) {
		free((char *)made->explanation.passed[i].source.name);
		free(made->explanation.passed[i].why);
	}
	free(made->explanation.passed);
	store_places_fini(&made->explanation.places);
	free((char *)made->explanation.source.name);
	free(made->explanation.path);
	free(made);
}

/* Adds a layer's file that is no source. `why` (or NULL) is copied. Returns 0 or -errno. */
static int add(struct explanation *explanation, const struct layer *layer, const char *path,
	const char *why)
{
	struct passed passed = {.source = {.layer = layer->name, .rank = layer->rank}};
	CLEANUP(freep) char *name = NULL;
	int r = layer_source_name(layer, path, &name);

	if (r < 0)
		return r;
	if (why && !(passed.why = strdup(why)))
		return -ENOMEM;
	passed.source.name = name;
	if (array_push(explanation->passed, explanation->passed_count, explanation->passed_capacity,
		    passed) < 0) {
		free(passed.why);
		return -ENOMEM;
	}
	take_ptr(name);
	return 0;
}

static int pass_over(const struct composer *composer, const struct contributor *found,
	const char *path, struct explanation *explanation)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	const char *place = found->path ? found->path : path;
	CLEANUP(freep) char *why = NULL;
	int r = found->why == dropin_not_named
			? dropin_refusal(composer->settings, path, path_name(found->path), &why)
			: 0;

	if (r == 0)
		r = add(explanation, layer, place, why ? why : found->why);
	if (r < 0)
		return r;
	const struct passed *passed = &explanation->passed[explanation->passed_count - 1];
	return store_places_add(&explanation->places, layer, place, &found->stat, &passed->source);
}

/* Returns whether the lookup names the layer's file among those that are left out. */
static bool is_left_out(const struct union_lookup *lookup, unsigned layer, const char *path)
{
	const struct contributor *found = lookup->found + lookup->count;
	const struct contributor *end = found + lookup->left_out_count;

	while (found < end && (found->layer != layer || strcmp(found->path, path) != 0))
		found++;
	return found < end;
}

/*
 * Adds the lower layers' files that a higher layer hides, each with the reason ("hidden by
 * site/.wh.motd"), except those that the lookup leaves out for another reason.
 */
static int add_hidden(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct explanation *explanation)
{
	CLEANUP(freep) struct hidden *hidden = malloc(sizeof(*hidden));
	const struct settings *settings = composer->settings;
	unsigned below = (unsigned)settings->layer_count;
	int r;

	if (!hidden)
		return -ENOMEM;
	while ((r = hidden_find(settings, below, path, hidden)) > 0) {
		below = hidden->layer;
		if (is_left_out(lookup, below, path))
			continue;
		CLEANUP(freep) char *mark = NULL;
		CLEANUP(freep) char *why = NULL;
		r = hidden_mark_name(settings, hidden, &mark);
		if (r == 0)
			r = text_format(&why, "hidden by %s", mark);
		if (r == 0)
			r = add(explanation, settings->layers[below], path, why);
		if (r < 0)
			return r;
		/* The list begins with the lowest layer. */
		struct passed *passed = explanation->passed;
		const struct passed last = passed[explanation->passed_count - 1];
		memmove(passed + 1, passed, (explanation->passed_count - 1) * sizeof(*passed));
		*passed = last;
	}
	return r;
}

/* Adds a link or a directory among the drop-ins. */
static int add_unread(void *context, const struct layer *layer, const char *path, const char *why)
{
	return add(context, layer, path, why);
}

/* The names of drop-ins that the layers have, shown or not. */
struct name_search {
	const struct settings *settings;
	const char *path; /* of the file that they belong to */
	struct path_list *names;
};

static int add_dropin(void *context, const char *name, unsigned char type)
{
	struct name_search *search = context;

	return type != DT_DIR && dropin_is_named(search->settings, search->path, name)
		       ? path_list_add(search->names, name, strlen(name))
		       : 0;
}

/* Finds the drop-ins that any layer has, in byte order and once each. */
static int find_dropins(struct name_search *search)
{
	CLEANUP(freep) char *directory = NULL;
	int r = 0;

	if (settings_rule(search->settings, search->path)->dropins == DROPINS_NONE)
		return 0;
	if (asprintf(&directory, "%s" DROPIN_SUFFIX, search->path) < 0)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < search->settings->layer_count; i++) {
		const struct layer *layer = search->settings->layers[i];
		r = layer->dirfd < 0 ? 0 : layer_list(layer, directory, add_dropin, search);
		r = r == -ENOMEM || layer_is_shortage(r) ? r : 0;
	}
	path_list_sort(search->names);
	return r;
}

/* Adds the files that the strategy did not read, or that a layer hides. */
static int add_passed(const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct explanation *explanation)
{
	const struct strategy *strategy = compose_options(composer->settings, path)->strategy;
	CLEANUP(path_list_fini) struct path_list names = {0};
	struct name_search dropins = {composer->settings, path, &names};
	unsigned first, count;

	compose_contributors(strategy, lookup, &first, &count);
	int r = find_dropins(&dropins);
	for (size_t i = names.count; r == 0 && i-- > 0;) {
		CLEANUP(freep) char *dropin = NULL;
		r = asprintf(&dropin, "%s" DROPIN_SUFFIX "/%s", path, names.paths[i]) < 0
			    ? -ENOMEM
			    : add_hidden(composer, dropin, lookup, explanation);
	}
	if (r == 0)
		r = add_hidden(composer, path, lookup, explanation);
	if (r < 0)
		return r;
	for (unsigned i = lookup->count + lookup->left_out_count; i-- > 0;) {
		bool is_taken = i >= first && i < first + count;
		r = is_taken ? 0 : pass_over(composer, &lookup->found[i], path, explanation);
		if (r < 0)
			return r;
	}
	return dropin_unread_each(composer->settings, path, add_unread, explanation);
}

/* Fills in the only source of a link, or of a file that is too large to be read. */
static int add_source(const struct composer *composer, const struct contributor *found,
	const char *path, struct explain_state *made)
{
	const struct layer *layer = composer->settings->layers[found->layer];
	const char *in_layer = found->path ? found->path : path;
	struct source *source = &made->explanation.source;
	char *name;

	int r = layer_source_name(layer, in_layer, &name);
	if (r < 0)
		return r;
	*source = (struct source){.name = name, .layer = layer->name, .rank = layer->rank};
	return store_places_add(&made->explanation.places, layer, in_layer, &found->stat, source);
}

static int add_places(const struct sources *sources, struct store_places *places)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < sources->count; i++)
		r = store_places_add(places, sources->layers[i], sources->paths[i],
			&sources->stats[i], &sources->loaded[i]->source);
	return r;
}

/* Returns the document of the input, which the merge may have read; NULL: it has none. */
static const struct document *document_of(
	const struct merge_input *input, const struct merge_result *result)
{
	for (uint32_t i = 0; !input->document && i < result->owned_count; i++)
		if (strcmp(result->owned[i]->source.name, input->source.name) == 0)
			return result->owned[i];
	return input->document;
}

static int add_documents(struct explain_state *made)
{
	struct explanation *explanation = &made->explanation;
	const struct merge_result *result = explanation->result;
	const struct document *verbatim = result ? result->verbatim : NULL;
	struct merge_input *inputs;

	made->request = made->composition.request;
	if (!result)
		return 0;
	inputs = arena_zalloc(result->arena, made->request.count, sizeof(*inputs));
	if (!inputs)
		return -ENOMEM;
	for (size_t i = 0; i < made->request.count; i++) {
		inputs[i] = made->request.inputs[i];
		inputs[i].document = document_of(&inputs[i], result);
	}
	made->request.inputs = inputs;
	if (result->root)
		return stream_of(
			explanation->request, &result->root, result->arena, &explanation->stream);
	if (!verbatim)
		return 0;
	return stream_make(explanation->request, verbatim->roots, verbatim->count, result->arena,
		&explanation->stream);
}

/* Returns whether all users may search the directories above the path that are there. */
static bool is_reachable(const struct layer *layer, const char *path)
{
	CLEANUP(freep) char *above = strdup(path);
	char root[PATH_MAX];
	struct stat stat;

	bool is_so = above && descriptor_path(layer->dirfd, root) == 0;
	while (is_so && *above) {
		path_cut(above);
		int r = layer_stat(layer, above, &stat);
		is_so = r == 0 ? (stat.st_mode & 0111) == 0111 : r == -ENOENT || r == -ENOTDIR;
	}
	for (char *slash; is_so && (slash = strrchr(root, '/'));) {
		*slash = '\0';
		is_so = lstat(*root ? root : "/", &stat) == 0 && (stat.st_mode & 0111) == 0111;
	}
	return is_so;
}

static mode_t mode_of(const struct composer *composer, const char *path,
	const struct composition *composition, const struct union_lookup *lookup)
{
	const struct sources *sources = &composition->sources;
	mode_t all = 0444;

	for (unsigned i = 0; i < lookup->count; i++) {
		const struct contributor *found = &lookup->found[i];
		const struct layer *layer = composer->settings->layers[found->layer];

		all &= is_reachable(layer, found->path ? found->path : path) ? found->stat.st_mode
									     : 0;
	}
	/* Another file that the merge has read may lie in any layer. */
	for (size_t i = 0; composition->environment.given && i < composer->settings->layer_count;
		i++) {
		const struct layer *layer = composer->settings->layers[i];

		all &= layer->dirfd < 0 || is_reachable(layer, path) ? 0444 : 0;
	}
	for (size_t i = 0; i < sources->count; i++)
		all &= sources->stats[i].st_mode;
	for (size_t i = 0; i < composition->environment.stat_count; i++)
		all &= composition->environment.stats[i].st_mode;
	return all == 0444 ? 0666 : 0600;
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
		r = add_source(composer, only, path, made);
	} else {
		r = composition_make(&made->composition, &made->composer, made->explanation.path,
			lookup, &made->asked, COMPOSITION_ORIGINS, problem);
		if (r == 0)
			r = add_places(&made->composition.sources, &made->explanation.places);
	}
	if (r == 0)
		r = add_passed(composer, made->explanation.path, lookup, &made->explanation);
	if (r != 0)
		return r;
	made->explanation.mode = mode_of(composer, path, &made->composition, lookup);
	made->explanation.request = &made->request;
	made->explanation.result = made->composition.result;
	r = add_documents(made);
	if (r == 0)
		*ret = take_ptr(made);
	return r;
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
