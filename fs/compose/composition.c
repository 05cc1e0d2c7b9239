#include "composition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "dropin_name.h"
#include "fallback.h"
#include "strategy.h"

/* A positive result: make the composition again, as a fallback takes the place of a source. */
#define AGAIN 16

int sources_init(struct sources *sources, size_t capacity)
{
	*sources = (struct sources){
		.layers = calloc(capacity + 1, sizeof(struct layer *)),
		.paths = calloc(capacity + 1, sizeof(char *)),
		.loaded = calloc(capacity + 1, sizeof(struct loaded *)),
		.stats = calloc(capacity + 1, sizeof(struct stat)),
	};
	return sources->layers && sources->paths && sources->loaded && sources->stats ? 0 : -ENOMEM;
}

void sources_add(struct sources *sources, const struct layer *layer, const char *path,
	struct loaded *loaded, const struct stat *stat)
{
	sources->layers[sources->count] = layer;
	sources->paths[sources->count] = path;
	sources->loaded[sources->count] = loaded;
	sources->stats[sources->count++] = *stat;
}

/* Removes the source with the index `i`. */
static void sources_drop(struct sources *sources, size_t i)
{
	loaded_unref(sources->loaded[i]);
	sources->count--;
	for (; i < sources->count; i++) {
		sources->layers[i] = sources->layers[i + 1];
		sources->paths[i] = sources->paths[i + 1];
		sources->loaded[i] = sources->loaded[i + 1];
		sources->stats[i] = sources->stats[i + 1];
	}
}

void sources_fini(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		loaded_unref(sources->loaded[i]);
	free(sources->layers);
	free(sources->paths);
	free(sources->loaded);
	free(sources->stats);
}

static bool skips_layers(const struct composer *composer)
{
	return composer->settings->options.on_error == ON_ERROR_SKIP_LAYER;
}

/* A schema may say that the file has secrets. */
static void hide_secret(const struct composer *composer, const char *path, struct problem *problem)
{
	const struct schema_file *schema = settings_rule_for(composer->settings, path)->schema;

	if (schema && schema_has_secrets(schema->schema))
		problem_hide_word(problem);
}

/* Notes that a source is left out because of the problem. */
static void leave_out(
	const struct composer *composer, struct composition *composition, struct problem *problem)
{
	composition->sources.left_out++;
	hide_secret(composer, composition->request.path, problem);
	if (composer->leave_out)
		composer->leave_out(composer->warn_context, problem);
}

/* Loads the sources that the strategy needs, lowest layer first. */
static int load_sources(const struct composer *composer, const struct union_lookup *lookup,
	struct composition *composition, struct problem *problem)
{
	const struct merge_request *request = &composition->request;
	const struct strategy *strategy = request->options->strategy;
	struct sources *sources = &composition->sources;
	const char *path = request->path;
	unsigned first;
	unsigned count;

	compose_contributors(strategy, lookup, &first, &count);
	/* With origins the text is needed as well; then the merge reads the document. */
	bool reads_document = strategy_reads_trees(strategy) &&
			      !(count == 1 && strategy->is_verbatim) && !request->wants_origins;

	for (unsigned i = first + count; i-- > first;) {
		const struct contributor *found = &lookup->found[i];
		struct loaded *loaded;
		const char *place = found->path ? found->path : path;
		struct read_options options = read_options_for(
			request, settings_source_format(composer->settings, path, place));
		const struct layer *layer = composer->settings->layers[found->layer];
		bool is_text = !reads_document || layer == composer->edited;
		const struct read_options *wanted = is_text ? NULL : &options;
		/* The mount's own directories guard a source at the same path. */
		bool is_guarded = strcmp(place, path) == 0 && !layer->follow;
		int r = is_guarded ? compose_load(composer, place, found, wanted, &loaded, problem)
				   : environment_load(&composition->environment, place, found,
					     wanted, &loaded, problem);
		if (r == PROBLEM && skips_layers(composer)) {
			leave_out(composer, composition, problem);
			continue;
		}
		if (r != 0)
			return r;
		sources_add(sources, layer, place, loaded, &loaded->stat);
	}
	return sources->count ? 0 : PROBLEM;
}

/* Returns the index of the source that the problem names; sources->count: it names none. */
static size_t blamed_source(const struct sources *sources, const struct problem *problem)
{
	size_t i = 0;

	while (i < sources->count && !problem_is_in(problem, &sources->loaded[i]->source))
		i++;
	return i;
}

/* Parses the source as the merge would. */
static int parse(const struct merge_request *request, const struct loaded *loaded,
	const struct format *format, struct problem *problem)
{
	const struct read_options options = read_options_for(request, format);
	CLEANUP(document_freep) struct document *document = NULL;

	return document_read(&loaded->source, loaded->text, &options, &document, problem);
}

/* All other sources were left out, so the remaining one may be served byte for byte, if it can be
 * parsed. That needs its text, if so far only its document is loaded. */
static int load_text(const struct composer *composer, const struct merge_request *request,
	struct sources *sources, struct problem *problem)
{
	struct loaded *loaded = sources->loaded[0];

	if (!loaded->document && sources->left_out &&
		strategy_reads_trees(request->options->strategy))
		return parse(request, loaded,
			settings_source_format(
				composer->settings, request->path, sources->paths[0]),
			problem);
	if (!loaded->document)
		return 0;
	/* The file has the broken text, so the last good version stays. */
	if (loaded->of)
		return PROBLEM;
	const struct contributor found = {
		.layer = sources->layers[0]->rank, .stat = sources->stats[0]};
	int r = compose_load(composer, sources->paths[0], &found, NULL, &loaded, problem);
	if (r != 0)
		return r;
	loaded_unref(sources->loaded[0]);
	sources->loaded[0] = loaded;
	sources->stats[0] = loaded->stat;
	return 0;
}

static void set_inputs(const struct composer *composer, struct composition *composition)
{
	struct merge_request *request = &composition->request;
	const struct sources *sources = &composition->sources;

	for (size_t i = 0; i < sources->count; i++)
		composition->inputs[i] = (struct merge_input){
			.source = sources->loaded[i]->source,
			.format = settings_source_format(
				composer->settings, request->path, sources->paths[i]),
			.text = sources->loaded[i]->text,
			.document = sources->loaded[i]->document,
		};
	request->inputs = composition->inputs;
	request->count = sources->count;
}

static int merge_sources(
	const struct composer *composer, struct composition *composition, struct problem *problem)
{
	struct merge_request *request = &composition->request;
	struct sources *sources = &composition->sources;
	bool is_text_needed = request->options->strategy->is_verbatim;

	for (;;) {
		int r = 0;
		if (sources->count == 1 && is_text_needed)
			r = load_text(composer, request, sources, problem);
		if (r != 0)
			return r;
		set_inputs(composer, composition);
		r = merge_run(request, &composition->result, problem);
		/* A source that ever was good is not left out. */
		if (r == PROBLEM && composer->fallbacks &&
			fallbacks_blame(composer->fallbacks, problem))
			return AGAIN;
		if (r != PROBLEM || !skips_layers(composer))
			return r;
		size_t blamed = blamed_source(sources, problem);
		if (blamed == sources->count || sources->count == 1)
			return r;
		leave_out(composer, composition, problem);
		sources_drop(sources, blamed);
	}
}

/*
 * Sets the options of a file. A drop-in that no rule matches is a file of the tree, too: its tags
 * may need the rules for lists of the file that it belongs to.
 */
static void set_options(struct options *ret, const struct settings *settings, const char *path)
{
	const char *slash = strrchr(path, '/');
	CLEANUP(freep) char *directory = slash ? strndup(path, (size_t)(slash - path)) : NULL;
	CLEANUP(freep) char *owner = directory ? dropin_owner(settings, directory) : NULL;
	const struct rule *rule = settings_rule_for(settings, path);

	*ret = rule->options;
	if (!owner || rule->match || settings_file(settings, path))
		return;
	const struct options *whole = compose_options(settings, owner);
	if (ret->strategy == whole->strategy)
		ret->map = whole->map;
}

/* Returns as composition_make(), but -EAGAIN for COMPOSE_MOVED; or AGAIN. */
static int make(struct composition *composition, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct path_list *asked, enum composition_want want,
	struct problem *problem)
{
	composition->request = (struct merge_request){
		.options = &composition->options,
		.path = path,
		.to = settings_format(composer->settings, path),
		.schema = settings_yaml(composer->settings, path),
		.limits = composer->settings->options.limits,
		.is_cancelled = composer->is_cancelled,
		.environment = &composition->environment.callbacks,
		.wants_origins = want == COMPOSITION_ORIGINS,
		.warn = composer->warn,
		.warn_context = composer->warn_context,
		.wants_header = settings_header(composer->settings, path),
	};
	set_options(&composition->options, composer->settings, path);
	composition->result = NULL;
	composition->inputs = NULL;
	environment_init(&composition->environment, composer, &composition->request, asked);
	int r = sources_init(&composition->sources, lookup->count);
	if (r == 0)
		r = load_sources(composer, lookup, composition, problem);
	if (r == 0) {
		composition->inputs =
			calloc(composition->sources.count, sizeof(*composition->inputs));
		r = composition->inputs ? 0 : -ENOMEM;
	}
	if (r == 0 && want == COMPOSITION_SOURCES)
		set_inputs(composer, composition);
	else if (r == 0)
		r = merge_sources(composer, composition, problem);
	/* With fallbacks, `problem` is filled or empty. */
	if (r == PROBLEM || composer->fallbacks)
		hide_secret(composer, path, problem);
	return r;
}

int composition_make(struct composition *composition, const struct composer *composer,
	const char *path, const struct union_lookup *lookup, struct path_list *asked,
	enum composition_want want, struct problem *problem)
{
	int r;

	while ((r = make(composition, composer, path, lookup, asked, want, problem)) == AGAIN)
		composition_fini(composition);
	return r == -EAGAIN ? COMPOSE_MOVED : r;
}

void composition_fini(struct composition *composition)
{
	merge_result_free(composition->result);
	environment_fini(&composition->environment);
	sources_fini(&composition->sources);
	free(composition->inputs);
}
