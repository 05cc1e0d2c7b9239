#include "layer_edit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "backoff.h"
#include "cleanup.h"
#include "composition.h"
#include "descriptor.h"
#include "dropin.h"
#include "hash.h"
#include "hidden.h"
#include "layer_file.h"
#include "line_map.h"
#include "path.h"
#include "rights.h"
#include "runner.h"
#include "scalar.h"
#include "strategy.h"
#include "table.h"
#include "text.h"
#include "validity.h"
#include "value_lock.h"

/* Attempts, as a program that takes no lock may change the source; then the edit fails. */
#define TRIES 5

/* Attempts for a key that other machines write at the same time. Each lets one of them succeed. */
#define STORE_TRIES 100
static const struct backoff store_pause_ms = {10, 100};

/* The name of a new drop-in for directives that the file itself can't hold. */
#define DROPIN_NAME "90-set.yaml"

/* The edit that layer_edit_make() returns, with the data that it points into. */
struct layer_edit_state {
	struct layer_edit edit; /* must be first */
	const struct layer_edit_request *request;
	struct settings *settings;
	struct composer composer;
	struct composition composition;
	struct path_list asked;
	const struct union_lookup *lookup; /* NULL: no layer has the path */
	struct arena *arena;

	struct merge_request merge; /* with the target among its inputs */
	struct merge_input *inputs;
	size_t target;
	struct layer_store *store; /* NULL: the target is a file. Lent */
	const char *path;          /* of the target, in its layer */
	struct loaded *loaded;     /* a text that the composition lacks; or NULL */
	/* of the highest source, if there is one, less the rights that another denies */
	struct stat like;

	struct put_result *put;
	struct edit_result *edited;
	struct document *document;    /* of a file that is no tree, before the edit */
	struct merge_result *shown;   /* the merged text before the edit; NULL: not needed so far */
	struct merge_result *changed; /* … and after it, if `put` does not have it */
};

static void made_freep(struct layer_edit_state **place)
{
	struct layer_edit_state *made = *place;

	if (!made)
		return;
	put_result_free(made->put);
	edit_result_free(made->edited);
	document_free(made->document);
	merge_result_freep(&made->shown);
	merge_result_freep(&made->changed);
	loaded_unref(made->loaded);
	composition_fini(&made->composition);
	path_list_fini(&made->asked);
	settings_unref(made->settings);
	arena_free(made->arena);
	free(made);
}

/* Finds the source to edit among the layer's: the file itself, else its highest drop-in. */
static size_t find_target(const struct layer_edit_state *made, const struct sources *sources)
{
	size_t found = sources->count;

	/* A reset edits all of them, one a call, the highest first. */
	if (made->request->resets_below) {
		while (found > 0 && (sources->layers[found - 1] != made->edit.layer ||
					    found - 1 >= made->request->resets_below))
			found--;
		return found ? found - 1 : sources->count;
	}
	for (size_t i = 0; i < sources->count; i++) {
		if (sources->layers[i] != made->edit.layer)
			continue;
		if (found == sources->count || !made->path ||
			strcmp(sources->paths[found], made->path) != 0)
			found = i;
	}
	return found;
}

/* Returns the index of a new source: behind all those of its layer and of lower ones. */
static size_t place_of_new(const struct layer_edit_state *made, const struct sources *sources)
{
	size_t i = sources->count;

	while (i > 0 && sources->layers[i - 1]->rank > made->edit.layer->rank)
		i--;
	return i;
}

/* Does the same for a new drop-in, which goes between the layer's others by its name. */
static size_t place_of_dropin(const struct layer_edit_state *made, const struct sources *sources)
{
	size_t i = place_of_new(made, sources);

	while (i > 0 && sources->layers[i - 1] == made->edit.layer &&
		strcmp(sources->paths[i - 1], made->request->path) != 0 &&
		strcmp(sources->paths[i - 1], made->path) > 0)
		i--;
	return i;
}

/* Loads the target from the store, whatever the mirror's copy holds. */
static int load_stored(struct layer_edit_state *made, struct problem *problem)
{
	struct merge_input *input = &made->inputs[made->target];
	struct span text;

	int r = layer_store_read(made->store, made->path, made->arena, &text, problem);
	if (r != 0)
		return r;
	made->edit.is_new = !text.data;
	input->text = text;
	input->document = NULL;
	input->source.name = arena_copy(made->arena, span_of(layer_store_name(made->store)));
	input->source.original = input->source.place = NULL;
	return input->source.name ? 0 : -ENOMEM;
}

/* Restores the inputs as they were found, without the target that was tried. */
static void forget_target(struct layer_edit_state *made)
{
	const struct sources *sources = &made->composition.sources;

	made->merge.count = sources->count;
	if (sources->count)
		memcpy(made->inputs, made->composition.request.inputs,
			sources->count * sizeof(*made->inputs));
}

/* Refuses a path at which the layer has an object that no lookup shows. Returns 0 or PROBLEM. */
static int refuse_object(const struct layer *layer, const char *path, struct problem *problem)
{
	struct stat itself, stat;
	bool leads = layer_stat(layer, path, &stat) == 0;

	if (layer_file_look(layer, path, &itself) < 0 ||
		S_ISREG(leads ? stat.st_mode : itself.st_mode))
		return 0;
	if (S_ISDIR(itself.st_mode))
		return problem_set(problem, path, 0, 0,
			"the layer '%s' has a directory there, so it can't have the file; name "
			"another layer (--layer)",
			layer->name);
	return problem_set(problem, path, 0, 0,
		"the layer '%s' has %s there; to remove it: plyfs reset -L %s %s", layer->name,
		S_ISLNK(itself.st_mode)             ? leads ? "a link" : "a link that leads nowhere"
		: union_is_whiteout_device(&itself) ? "a whiteout"
						    : "a device, FIFO or socket",
		layer->name, path);
}

/* Refuses a new source that would not show. Returns 0, PROBLEM or -errno. */
static int refuse_unshown(const struct layer_edit_state *made, struct problem *problem)
{
	const struct layer *layer = made->edit.layer;
	struct hidden *hidden = arena_alloc(made->arena, sizeof(*hidden));
	CLEANUP(freep) char *mark = NULL;

	if (layer_excludes(layer, made->path))
		return problem_set(problem, made->path, 0, 0,
			"is excluded from the layer '%s', so a change would not show; change the "
			"layer's 'exclude' in plyfs.yaml, or name a layer that does not exclude it",
			layer->name);
	int r = hidden ? hidden_by(made->settings, layer->rank, made->path, S_IFREG, hidden)
		       : -ENOMEM;
	if (r == 1)
		r = hidden_mark_name(made->settings, hidden, &mark);
	if (!mark)
		return r;
	const char *remedy =
		made->request->resets_below
			? arena_printf(made->arena,
				  "to remove the layer's whole file: plyfs reset -L %s %s",
				  layer->name, made->path)
			: arena_printf(made->arena,
				  "change the layer '%s', or remove what hides it there",
				  made->settings->layers[hidden->by]->name);
	const char *letters = made->settings->specs[hidden->by].specifiers;
	return problem_set(problem, made->path, 0, 0,
		"is hidden by %s, so a change of the layer '%s' would not show; %s%s", mark,
		layer->name, remedy ? remedy : "",
		!made->request->resets_below && letters && strchr(letters, 'H')
			? ", or choose another host (-H OTHER)"
			: "");
}

/* Inserts the source at made->path, which does not exist yet, as the input `at`. */
static int add_input(struct layer_edit_state *made, size_t at, struct problem *problem)
{
	const struct layer *layer = made->edit.layer;
	struct merge_input *input = &made->inputs[at];
	CLEANUP(freep) char *name = NULL;
	int r = refuse_unshown(made, problem);
	if (r == 0)
		r = layer_source_name(layer, made->path, &name);
	if (r != 0)
		return r;
	forget_target(made);
	memmove(input + 1, input, (made->merge.count - at) * sizeof(*input));
	made->merge.count++;
	*input = (struct merge_input){
		.source = {.name = arena_copy(made->arena, span_of(name)),
			.layer = layer->name,
			.rank = layer->rank},
		.format = settings_source_format(made->settings, made->request->path, made->path),
	};
	made->target = at;
	made->edit.is_new = true;
	if (!input->source.name)
		return -ENOMEM;
	return made->store ? load_stored(made, problem) : refuse_object(layer, made->path, problem);
}

/* Makes an existing source the target. The composition has the texts of the layer's sources. */
static int load_target(struct layer_edit_state *made, size_t i, struct problem *problem)
{
	const struct sources *sources = &made->composition.sources;
	struct merge_input *input = &made->inputs[i];

	forget_target(made);
	made->target = i;
	/* The path in `sources` lives only as long as the lookup. */
	made->path = arena_copy(made->arena, span_of(sources->paths[made->target]));
	if (!made->path)
		return -ENOMEM;
	if (made->store)
		return load_stored(made, problem);
	made->edit.is_new = false;
	if (!input->text.data)
		input->text = (struct span){"", 0};
	return 0;
}

/* Loads the text of the only source that is left: it is shown byte for byte. */
static int load_other(struct layer_edit_state *made, struct problem *problem)
{
	const struct sources *sources = &made->composition.sources;
	size_t i = !made->target;

	if (sources->count != 2 || made->inputs[i].text.data)
		return 0;
	const struct contributor found = {.layer = sources->layers[i]->rank,
		.stat = sources->stats[i],
		.path = sources->paths[i]};
	int r = compose_load(
		&made->composer, sources->paths[i], &found, NULL, &made->loaded, problem);
	if (r == 0)
		made->inputs[i].text = made->loaded->text;
	return r;
}

/*
 * Returns the path of a new source: the file, or of a virtual file the first pattern without a
 * wildcard; NULL: it has none.
 */
static const char *path_of_new(const struct layer_edit_state *made)
{
	const struct virtual_file *file = settings_file(made->settings, made->request->path);

	for (size_t i = 0; file && i < file->from_count; i++)
		if (!strpbrk(file->from[i], "*?[{\\"))
			return file->from[i];
	return file ? NULL : made->request->path;
}

/*
 * Sets made->path to a drop-in in PATH.d that comes behind all existing ones (`dropins: uapi`) and
 * would show. Returns 0; PROBLEM if there is no such name, with a message if one would not show; or
 * -errno.
 */
static int name_last_dropin(struct layer_edit_state *made, struct problem *problem)
{
	static const char *const names[] = {"90-set", "99-set", "zz-set", NULL};
	const struct sources *sources = &made->composition.sources;
	const char *path = made->request->path, *last = "";
	const char *dot = strrchr(path_name(path), '.');
	struct stat found;
	int r = PROBLEM;

	problem->message[0] = '\0';
	for (size_t i = 0; i < sources->count; i++)
		if (strcmp(sources->paths[i], path) != 0 &&
			strcmp(path_name(sources->paths[i]), last) > 0)
			last = path_name(sources->paths[i]);
	for (size_t i = 0; r == PROBLEM && names[i / 2]; i++) {
		const char *name = arena_printf(
			made->arena, "%s%s", names[i / 2], i % 2 && dot ? dot : ".conf");

		if (name &&
			(strcmp(name, last) <= 0 || !dropin_is_named(made->settings, path, name)))
			continue;
		made->path = name ? arena_printf(made->arena, "%s" DROPIN_SUFFIX "/%s", path, name)
				  : NULL;
		if (!made->path)
			return -ENOMEM;
		if (layer_file_look(made->edit.layer, made->path, &found) < 0)
			r = refuse_unshown(made, problem);
	}
	if (r == 0)
		problem->message[0] = '\0';
	return r;
}

/* Checks that a new source would be one of the file's. Returns 0 or PROBLEM. */
static int check_new(const struct layer_edit_state *made, struct problem *problem)
{
	const struct layer *layer = made->edit.layer;
	const char *path = made->request->path;

	if (settings_is_own(path) || union_has_mark(path))
		return problem_set(problem, path, 0, 0,
			"is never shown: '.wh.' begins the name of a whiteout, which 'plyfs hide' "
			"makes, and '.plyfs' at the root is plyfs's own; choose another name");
	if (!made->path)
		return problem_set(problem, path, 0, 0,
			"is made of files whose names are patterns, and the layer '%s' has none "
			"yet; "
			"make one by hand",
			layer->name);
	return 0;
}

/*
 * Adds a new source. With `dropins: uapi` only the highest main file counts: if there is one
 * already, a new main file would hide it; and one that masks would hide the new one, or is there
 * itself. So the new source is a drop-in.
 */
static int add_new(struct layer_edit_state *made, struct problem *problem)
{
	const struct sources *sources = &made->composition.sources;
	const char *path = made->request->path;
	bool is_uapi = settings_rule(made->settings, path)->dropins == DROPINS_UAPI;
	bool is_hiding = false;
	int r = check_new(made, problem);

	if (r != 0)
		return r;
	const struct union_lookup *lookup = made->lookup;
	for (size_t i = 0; is_uapi && lookup && i < lookup->count + lookup->left_out_count; i++) {
		const struct contributor *found = &lookup->found[i];

		if (i < lookup->count || found->layer >= made->edit.layer->rank)
			is_hiding |= strcmp(found->path ? found->path : path, made->path) == 0;
	}
	if (!is_hiding)
		return add_input(made, is_uapi ? 0 : place_of_new(made, sources), problem);
	r = name_last_dropin(made, problem);
	if (r == 0)
		return add_input(made, sources->count, problem);
	return r < 0 || problem->message[0]
		       ? r
		       : problem_set(problem, path, 0, 0,
				 "only the highest of its main files counts ('dropins: uapi'): one "
				 "in the layer '%s' would hide it, or be hidden, and no drop-in "
				 "that plyfs could name comes last and is free; make one by hand",
				 made->edit.layer->name);
}

/* Takes away the rights that a file, or the directory of one, with these attributes denies. */
static void narrow(struct stat *like, const struct stat *from)
{
	const struct mounter mounter = {geteuid(), getegid()};
	mode_t mode =
		S_ISDIR(from->st_mode) ? rights_of_files_in(from->st_mode) : from->st_mode & 0555;
	const struct rights own = {like->st_mode & 0555, like->st_uid, like->st_gid};
	const struct rights others = {mode, from->st_uid, from->st_gid};
	const struct rights both = rights_both(&own, &others, &mounter);

	*like = (struct stat){.st_mode = both.mode, .st_uid = both.uid, .st_gid = both.gid};
}

/* Takes away the rights that the source `i`, or a directory in which it lies, denies. */
static int narrow_by(struct stat *like, const struct sources *sources, size_t i)
{
	CLEANUP(freep) char *path = strdup(sources->paths[i]);
	struct stat directory;

	if (!path)
		return -ENOMEM;
	narrow(like, &sources->stats[i]);
	while (*path) {
		path_cut(path);
		if (layer_stat(sources->layers[i], path, &directory) == 0)
			narrow(like, &directory);
	}
	return 0;
}

/*
 * Finds the attributes that a new source takes after. It may get values of every other source, as
 * when an item of a list changes. So a user that can't read one of them, or can't search a
 * directory in which it lies, must not read the new one. Returns 0 or -ENOMEM.
 */
static int find_like(struct layer_edit_state *made)
{
	const struct sources *sources = &made->composition.sources;
	size_t count = sources->count;
	int r = 0;

	if (count)
		made->like = sources->stats[count - 1];
	for (size_t i = count; r == 0 && i-- > 0;)
		r = narrow_by(&made->like, sources, i);
	if (count)
		made->like.st_mode |= sources->stats[count - 1].st_mode & 0700;
	return r;
}

static int take_inputs(struct layer_edit_state *made, struct problem *problem)
{
	const struct sources *sources = &made->composition.sources;

	made->merge = made->composition.request;
	made->edit.format = made->merge.to;
	made->inputs = arena_zalloc(made->arena, sources->count + 2, sizeof(*made->inputs));
	if (!made->inputs)
		return -ENOMEM;
	made->merge.inputs = made->inputs;
	forget_target(made);
	int r = find_like(made);
	if (r < 0)
		return r;
	made->path = path_of_new(made);
	made->target = find_target(made, sources);
	made->edit.source = made->target < sources->count ? made->target : 0;
	made->edit.is_new = true;
	if (made->target < sources->count)
		return load_target(made, made->target, problem);
	return made->request->resets_below ? 0 : add_new(made, problem);
}

static struct put_request put_request_of(const struct layer_edit_state *made)
{
	return (struct put_request){
		.merge = &made->merge,
		.target = made->target,
		.plan = made->request->plan,
		.context = made->request->context,
		.is_reset = made->request->resets_below,
	};
}

static bool is_tree(const struct layer_edit_state *made)
{
	return strategy_gives_trees(made->merge.options->strategy);
}

static void take_text(struct layer_edit_state *made, struct span text)
{
	struct span old = made->inputs[made->target].text;

	made->edit.old = old;
	made->edit.new = text;
	if (!span_equal(old, text) || (made->edit.is_new && text.len))
		made->edit.effect = PUT_CHANGED;
}

static int put_values(struct layer_edit_state *made, struct problem *problem)
{
	const struct put_request request = put_request_of(made);
	int r = put_run(&request, &made->put, problem);

	if (r != 0)
		return r;
	made->edit.before = made->put->before;
	made->edit.after = made->put->after;
	made->edit.below = made->put->below;
	take_text(made, made->put->text);
	/* Several ops may undo each other, so that the text is the same in the end. */
	if (made->put->effect != PUT_CHANGED)
		made->edit.effect = made->put->effect;
	if (made->edit.effect != PUT_EMPTIED)
		return 0;
	made->edit.new = (struct span){NULL, 0};
	return load_other(made, problem);
}

/*
 * Makes the request in which the target has `text`; NULL: in which it is not there. *ret lives as
 * long as `made`.
 */
static int request_with(
	struct layer_edit_state *made, const struct span *text, struct merge_request *ret)
{
	struct merge_input *target = &made->inputs[made->target];
	size_t size = made->merge.count * sizeof(*target);

	target->text = text ? *text : (struct span){NULL, 0};
	target->document = NULL;
	*ret = made->merge;
	if (text)
		return 0;
	struct merge_input *others = arena_alloc(made->arena, size);
	if (!others)
		return -ENOMEM;
	memcpy(others, made->inputs, size);
	ret->inputs = others;
	ret->count--;
	others += made->target;
	memmove(others, others + 1, (ret->count - made->target) * sizeof(*target));
	return 0;
}

/* Finds the shown text; if the target is in a store, that with the text there. */
static int show(struct layer_edit_state *made, struct span *ret, struct problem *problem)
{
	const struct span *text = made->edit.is_new ? NULL : &made->inputs[made->target].text;
	struct merge_request merge;
	int r = request_with(made, text, &merge);

	/* If the store has no source left, the user saw the mirror's copy. */
	if (!merge.count)
		merge = made->composition.request;
	if (r == 0 && merge.count)
		r = merge_run(&merge, &made->shown, problem);
	*ret = made->shown ? made->shown->text : (struct span){"", 0};
	return r;
}

/* Returns the only source of the shown text; NULL: it has several, or none. */
static const struct source *shown_source(const struct layer_edit_state *made)
{
	const struct merge_result *result = made->shown;

	return result && result->source_count == 1 ? result->sources[0] : NULL;
}

/* Edits the values of a file that the strategy does not read as a tree, as its format reads it. */
static int edit_whole(
	struct layer_edit_state *made, struct span shown, struct span *ret, struct problem *problem)
{
	const struct format *format = settings_format(made->settings, made->request->path);
	struct read_options options = read_options_for(&made->merge, format);
	const struct source *source = shown_source(made);
	struct edit_request edit = {
		.source = {.name = source ? source->name : made->request->path,
			.layer = source ? source->layer : ""},
		.text = shown,
		.options = &options,
	};
	struct edit_op *ops = NULL;
	struct document **old = &made->document;

	if (!format)
		return problem_set(problem, made->request->path, 0, 0,
			made->merge.options->strategy->remover
				? "'%s' reads no values; change its text: plyfs edit"
				: "'%s' shows it whole, and its name is that of no format with "
				  "values; give its rule a 'format', or edit its text",
			made->merge.options->strategy->name);
	options.wants_extents = true;
	int r = document_read(&edit.source, edit.text, &options, old, problem);
	if (r != 0)
		return r;
	made->edit.before = (struct stream){.roots = (*old)->roots, .count = (*old)->count};
	options.edited = document_schema(*old, options.schema);
	r = made->request->plan(made->request->context, &made->edit.before, &options, made->arena,
		&ops, &edit.count, problem);
	edit.ops = ops;
	edit.document = *old;
	if (r == 0)
		r = edit_run(&edit, &made->edited, problem);
	if (r != 0)
		return r == PUT_UNCLEAR ? PROBLEM : r;
	const struct document *new = made->edited->document;
	made->edit.after = made->edit.before;
	if (new)
		made->edit.after = (struct stream){.roots = new->roots, .count = new->count};
	*ret = made->edited->text;
	return 0;
}

static int put_whole(struct layer_edit_state *made, struct problem *problem)
{
	const struct put_request request = put_request_of(made);
	struct span shown, wanted, text = made->inputs[made->target].text;
	bool is_so = false;

	int r = show(made, &shown, problem);
	/* The text has changed since the user began: only the values can be put there. */
	if (r == 0 && made->request->text && made->request->shown &&
		!span_equal(shown, *made->request->shown))
		return is_tree(made) ? put_values(made, problem)
				     : problem_set(problem, made->request->path, 0, 0,
					       "the file has changed meanwhile; edit it again as "
					       "it is now");
	if (r == 0 && made->request->text)
		wanted = *made->request->text;
	else if (r == 0)
		r = edit_whole(made, shown, &wanted, problem);
	if (r == 0)
		/* cppcheck-suppress uninitStructMember ; edit_whole() sets it when it returns 0 */
		is_so = span_equal(wanted, shown);
	if (r == 0 && !is_so)
		r = put_text(&request, wanted, made->arena, &text, problem);
	if (r != 0)
		return r;
	if (made->edit.is_new && shown_source(made) && span_equal(text, wanted))
		made->edit.copies = shown_source(made)->name;
	take_text(made, text);
	/* A new file that is empty is a change, too. */
	if (!is_so && made->edit.is_new)
		made->edit.effect = PUT_CHANGED;
	return 0;
}

/*
 * Retargets to the layer's source that overrides the target; or else, with `dropins: uapi`, to the
 * last drop-in; or else to a drop-in that can hold directives, if the target can't.
 */
static int retarget(struct layer_edit_state *made, struct problem *problem)
{
	const struct sources *sources = &made->composition.sources;
	const char *path = made->request->path;
	const struct rule *rule = settings_rule(made->settings, path);
	const struct layer *layer = made->edit.layer;
	bool needs_tags = made->merge.options->strategy->tags &&
			  !format_has_tags(format_of_tree(made->inputs[made->target].format));
	size_t count = sources->count, i, behind = made->target + (made->merge.count == count);

	if (!made->lookup)
		return PROBLEM;
	const struct merge_input *inputs = made->composition.request.inputs;
	for (i = behind; i < count && !problem_is_in(problem, &inputs[i].source);)
		i++;
	if (i < count && sources->layers[i] == layer)
		return load_target(made, i, problem);
	if (settings_file(made->settings, path) || !rule->dropins || (i == count && !needs_tags))
		return PROBLEM;
	if (rule->dropins == DROPINS_UAPI) {
		if (behind >= count || sources->layers[count - 1] == layer)
			return behind < count ? load_target(made, count - 1, problem) : PROBLEM;
		const struct problem before = *problem;
		int r = name_last_dropin(made, problem);
		if (r == PROBLEM && !problem->message[0])
			*problem = before;
		return r == 0 ? add_input(made, count, problem) : r;
	}
	for (i = count; needs_tags && i-- > behind;)
		if (sources->layers[i] == layer &&
			format_has_tags(format_of_tree(made->inputs[i].format)))
			return load_target(made, i, problem);
	if (!needs_tags || !dropin_is_named(made->settings, path, DROPIN_NAME))
		return PROBLEM;
	made->path = arena_printf(made->arena, "%s" DROPIN_SUFFIX "/" DROPIN_NAME, path);
	return made->path ? add_input(made, place_of_dropin(made, sources), problem) : -ENOMEM;
}

/* Returns whether the shown text is the target's own text. */
static bool is_alone(const struct layer_edit_state *made)
{
	const struct merge_request *merge = &made->merge;
	const struct strategy *strategy = merge->options->strategy;

	return merge->count == 1 && merge->inputs[0].format == merge->to && strategy->is_verbatim &&
	       !value_locks_bind(merge) && strategy->is_verbatim(&merge->inputs[0]);
}

/*
 * Returns 1 if the layer has a file that is no source, and that has values to reset, or of which
 * that can't be found out; 0; or -errno.
 */
static int has_unshown_values(struct layer_edit_state *made)
{
	CLEANUP(put_result_freep) struct put_result *result = NULL;
	const struct layer *layer = made->edit.layer;
	const char *path = made->request->path;
	struct contributor found = {.layer = layer->rank, .path = path};
	struct merge_input input = {
		.source = {.name = path, .layer = layer->name, .rank = layer->rank},
		.format = settings_source_format(made->settings, path, path)};
	struct merge_request merge = made->merge;
	struct put_request request = put_request_of(made);
	struct problem ignored = {.message = ""};

	if (made->request->resets_below != SIZE_MAX || settings_file(made->settings, path) ||
		layer->dirfd < 0 || layer_excludes(layer, path) ||
		layer_stat(layer, path, &found.stat) < 0 || !S_ISREG(found.stat.st_mode))
		return 0;
	if (!is_tree(made))
		return 1;
	int r = compose_load(&made->composer, path, &found, NULL, &made->loaded, &ignored);
	if (r == 0) {
		input.text = made->loaded->text.data ? made->loaded->text : (struct span){"", 0};
		merge.inputs = &input;
		merge.count = 1;
		request.merge = &merge;
		request.target = 0;
		r = put_run(&request, &result, &ignored);
	}
	return r < 0 ? r : r > 0 || result->effect >= PUT_CHANGED;
}

/*
 * Sets the effect PUT_ABSENT, with the problem, if the merged file lacks a value of `plan`, and no
 * higher source removes one: the merges of the lower sources alone lack it, too.
 */
static int find_absent(struct layer_edit_state *made, struct problem *problem)
{
	const struct merge_input none = {
		.source = {.name = made->request->path, .layer = made->edit.layer->name},
		.format = settings_source_format(
			made->settings, made->request->path, made->request->path)};
	struct put_request request = put_request_of(made);
	struct merge_request merge = made->merge;
	struct merge_input *inputs = arena_zalloc(made->arena, merge.count + 1, sizeof(*inputs));
	struct problem absent, *reason = problem;
	int r = 0;

	if (!inputs)
		return -ENOMEM;
	memcpy(inputs, merge.inputs, merge.count * sizeof(*inputs));
	merge.inputs = inputs;
	request.merge = &merge;
	for (size_t count = merge.count; count > 0; count--) {
		CLEANUP(put_result_freep) struct put_result *result = NULL;

		inputs[count] = none;
		request.target = count;
		merge.count = count + 1;
		r = put_run(&request, &result, reason);
		/* Below the top, any other answer means that the value may be there. */
		if (r != 0 || result->effect != PUT_ABSENT)
			return r > 0 && reason == &absent ? 0 : r;
		reason = &absent;
	}
	made->edit.effect = PUT_ABSENT;
	return 0;
}

/* Resets where the layer has no source, and so nothing to remove. */
static int put_nothing(struct layer_edit_state *made, struct problem *problem)
{
	const struct settings *settings = made->settings;
	struct hidden *hidden = arena_alloc(made->arena, sizeof(*hidden));

	/* The layer had a source, which an earlier request has reset. */
	if (made->request->resets_below != SIZE_MAX)
		return 0;
	if (!hidden)
		return -ENOMEM;
	/* A value may also be in a file that a higher layer hides. */
	int r = hidden_find(settings, (unsigned)settings->layer_count, made->request->path, hidden);
	if (r != 0)
		return r < 0 ? r : 0;
	return made->merge.count ? find_absent(made, problem) : -ENOENT;
}

/* Resets values. Without a source in the layer there is nothing to remove. */
static int put_reset(struct layer_edit_state *made, struct problem *problem)
{
	bool is_there = made->target < made->composition.sources.count;
	int r = is_there ? 0 : has_unshown_values(made);

	if (r != 0)
		return r == 1 ? refuse_unshown(made, problem) : r;
	if (!is_tree(made) && made->composition.sources.count)
		return problem_set(problem, made->request->path, 0, 0,
			"'%s' shows it whole, so no value of it can be reset; reset the file, "
			"without a KEY",
			made->merge.options->strategy->name);
	problem->source[0] = '\0';
	r = is_there ? put_values(made, problem) : put_nothing(made, problem);
	bool has_problem = r == PROBLEM || (r == 0 && made->edit.effect == PUT_ABSENT);
	if (has_problem && !problem->source[0])
		problem_set(problem, made->request->path, 0, 0, "%s", problem->message);
	return r;
}

static int put(struct layer_edit_state *made, struct problem *problem)
{
	if (made->request->resets_below)
		return put_reset(made, problem);
	if (!is_tree(made) || (made->request->text && is_alone(made)))
		return put_whole(made, problem);
	int r = put_values(made, problem);
	const struct problem first = *problem;
	size_t tries = made->composition.sources.count + 1;
	while (r == PROBLEM && tries-- > 0 && (r = retarget(made, problem)) == 0)
		r = put_values(made, problem);
	if (r == PROBLEM && made->edit.is_new)
		*problem = first;
	return r;
}

/* Returns 1 if users who may read the target can't read the source `i`; 0; or -ENOMEM. */
static int source_is_closed(const struct layer_edit_state *made, size_t i)
{
	const struct sources *sources = &made->composition.sources;
	struct stat own = sources->stats[made->target], both;

	if (i == made->target)
		return 0;
	int r = narrow_by(&own, sources, made->target);
	both = own;
	if (r == 0)
		r = narrow_by(&both, sources, i);
	const struct rights before = {own.st_mode, own.st_uid, own.st_gid};
	const struct rights after = {both.st_mode, both.st_uid, both.st_gid};
	return r < 0 ? r : rights_take_away(&before, &after);
}

/* Scalars with the same text, at the same path but for the indexes of items and documents. */
struct copy {
	const struct merge_input *from; /* the lowest closed source that had one */
	int64_t missing;                /* those that closed sources had, less those that show */
};

/* Searches for values that the target got from sources that are closed to users who may read it. */
struct copy_search {
	struct arena *arena;
	const struct merge_input *target;
	enum { COPY_NOTE, COPY_FORGET, COPY_SHOWN, COPY_JUDGE } pass;
	struct table closed; /* from a source's name to its input */
	struct table copies; /* from the path's hash, with the text behind it, to struct copy */
	const struct merge_input *found; /* as `from`, of all copies; or NULL */
};

static int search_text(struct copy_search *search, const struct merge_input *input, uint64_t path,
	struct span text)
{
	size_t len = sizeof(path) + text.len;
	char *key = arena_alloc(search->arena, len);

	if (!key)
		return -ENOMEM;
	memcpy(key, &path, sizeof(path));
	if (text.len)
		memcpy(key + sizeof(path), text.data, text.len);
	struct copy *copy = table_get(&search->copies, (struct span){key, len});
	if (!copy && search->pass == COPY_NOTE) {
		copy = arena_zalloc(search->arena, 1, sizeof(*copy));
		if (!copy || table_put(&search->copies, search->arena, (struct span){key, len},
				     copy) < 0)
			return -ENOMEM;
	}
	if (!copy)
		return 0;
	if (search->pass == COPY_NOTE) {
		copy->missing++;
		if (!copy->from || input < copy->from)
			copy->from = input;
	} else if (search->pass == COPY_FORGET) {
		copy->missing = 0;
	} else if (search->pass == COPY_SHOWN) {
		copy->missing--;
	} else if (copy->missing > 0 && (!search->found || copy->from < search->found)) {
		search->found = copy->from;
	}
	return 0;
}

/* The target's format decides whether it gets the text that the source has, or that of JSON. */
static int search_scalar(struct copy_search *search, const struct node *node, uint64_t path)
{
	bool wants_closed = search->pass == COPY_NOTE || search->pass == COPY_SHOWN;
	const struct merge_input *input = search->target;
	struct span text = node->text;

	if (node->source && wants_closed)
		input = table_get(&search->closed, span_of(node->source->name));
	if (!node->source || !input ||
		(!wants_closed && strcmp(node->source->name, input->source.name) != 0))
		return 0;
	int r = text.len ? search_text(search, input, path, text) : 0;
	if (r == 0)
		r = scalar_json(node, search->arena, &text);
	if (r == 0 && !span_equal(text, node->text))
		r = search_text(search, input, path, text);
	return r == -ERANGE ? 0 : r;
}

static int search_node(struct copy_search *search, const struct node *node, uint64_t path)
{
	int r = node_is_scalar(node) ? search_scalar(search, node, path) : 0;

	for (uint32_t i = 0; r == 0 && i < node_count(node); i++) {
		const struct pair *pair = node_is_map(node) ? &node->map.pairs[i] : NULL;
		uint64_t below = !pair                       ? path
				 : node_is_scalar(pair->key) ? hash_bytes(path, pair->key->text)
							     : hash_add(path, pair->hash);

		r = search_node(search, *node_entry(node, i), below);
	}
	return r;
}

static int search_stream(struct copy_search *search, const struct stream *stream)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < stream->count; i++)
		if (stream->roots[i])
			r = search_node(search, stream->roots[i], hash_seed());
	return r;
}

/* A new source is as closed as the others; one that is there must be so, to get their values. */
static int check_copies(struct layer_edit_state *made, struct problem *problem)
{
	const struct stream *before = &made->edit.before, *after = &made->edit.after;
	const struct merge_input *target = &made->inputs[made->target];
	struct copy_search search = {.arena = made->arena, .target = target};
	int r = 0;

	if (made->edit.is_new || made->merge.count != made->composition.sources.count)
		return 0;
	for (size_t i = 0; r == 0 && i < made->merge.count; i++) {
		struct merge_input *input = &made->inputs[i];

		r = source_is_closed(made, i);
		if (r > 0)
			r = table_put(
				&search.closed, made->arena, span_of(input->source.name), input);
	}
	if (!search.closed.count)
		return r;
	for (; r == 0 && search.pass <= COPY_JUDGE; search.pass++)
		r = search_stream(&search, search.pass <= COPY_FORGET ? before : after);
	if (r < 0 || !search.found)
		return r;
	return problem_set(problem, target->source.name, 0, 0,
		"would get values of %s, for users who can't read them there; close it to these "
		"users, or change another layer",
		source_shown(&search.found->source));
}

static int take(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	struct layer_edit_state *made = context;

	if (lookup->kind == UNION_LINK)
		return problem_set(problem, path, 0, 0,
			"is a symbolic link; change the file that it leads to");
	composition_fini(&made->composition);
	path_list_fini(&made->asked);
	made->composition = (struct composition){0};
	made->composer = *composer;
	made->lookup = lookup;
	made->composer.edited = made->edit.layer;
	int r = composition_make(&made->composition, &made->composer, made->request->path, lookup,
		&made->asked, COMPOSITION_SOURCES, problem);
	/* With `on_error: skip-layer` a source may have been left out. */
	if (r == 0 && problem->message[0])
		r = PROBLEM;
	if (r == 0)
		r = take_inputs(made, problem);
	if (r == 0)
		r = put(made, problem);
	return r == 0 ? check_copies(made, problem) : r;
}

/* Handles a path that no layer has: the file begins in this layer. */
static int take_nothing(struct layer_edit_state *made, struct problem *problem)
{
	const char *path = made->request->path;

	/* An earlier attempt may have found a source that has gone, and its lookup with it. */
	composition_fini(&made->composition);
	made->composition = (struct composition){0};
	made->lookup = NULL;
	made->composition.request = (struct merge_request){
		.options = compose_options(made->settings, path),
		.path = path,
		.to = settings_format(made->settings, path),
		.schema = settings_yaml(made->settings, path),
		.limits = made->settings->options.limits,
	};
	int r = take_inputs(made, problem);
	return r == 0 ? put(made, problem) : r;
}

static int remove_file(
	const struct layer_edit_state *made, const struct layer_file *file, struct problem *problem)
{
	int r = layer_file_remove(file, problem);

	if (r == 0 && strcmp(made->path, made->request->path) != 0)
		layer_file_remove_dropins(made->edit.layer, made->request->path);
	if (r < 0 && r != -ENOMEM)
		return problem_set(
			problem, made->edit.file, 0, 0, "can't be removed: %s", text_error(r));
	return r;
}

static int write_file(struct layer_edit_state *made, struct problem *problem)
{
	const struct layer_edit *edit = &made->edit;
	const struct sources *sources = &made->composition.sources;
	const struct layer_file file = {
		.layer = edit->layer,
		.path = made->path,
		.old = edit->old,
		.new = edit->new,
		.like = sources->count ? &made->like : NULL,
		.model = sources->count ? sources->layers[sources->count - 1] : NULL,
	};
	if (edit->effect == PUT_EMPTIED)
		return remove_file(made, &file, problem);
	return target_layer_write(made->settings, file, edit->file, problem);
}

/* Finds the errors of the unchanged file; none if it can't be checked. Returns 0 or -errno. */
static int find_old_errors(struct layer_edit_state *made, struct validity *ret)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	const struct span *old = made->edit.is_new ? NULL : &made->edit.old;
	struct merge_request merge;
	struct problem ignored;

	int r = request_with(made, old, &merge);
	merge.wants_origins = true;
	if (r == 0 && merge.count)
		r = merge_run(&merge, &result, &ignored);
	if (r == 0 && result)
		r = validity_check(made->settings, &merge, result, ret, &ignored);
	return r < 0 ? r : 0;
}

/* Returns the first error that is, perhaps in another line, none of `old`. NULL: there is none. */
static const struct problem *first_new(const struct validity *validity, const struct validity *old)
{
	for (size_t i = 0; i < validity->count; i++) {
		const struct problem *at = &validity->problems[i];
		size_t j = 0;

		while (j < old->count &&
			(strcmp(old->problems[j].source, at->source) != 0 ||
				strcmp(old->problems[j].message, at->message) != 0))
			j++;
		if (j == old->count)
			return at;
	}
	return NULL;
}

/*
 * Reports the first of the errors that the change would make, or if all listed ones are there
 * already, the first of these; without any, *problem. Returns PROBLEM or -errno.
 */
static int refuse_change(
	struct layer_edit_state *made, const struct validity *validity, struct problem *problem)
{
	CLEANUP(validity_fini) struct validity old = {0};
	uint64_t others = validity->count ? validity->count - 1 + validity->more : 0;
	char more[48] = "";

	int r = validity->count ? find_old_errors(made, &old) : 0;
	if (r < 0)
		return r;
	const struct problem *found = first_new(validity, &old);
	/* Errors that are not listed may be old or new. */
	const char *when = !validity->count || (found && !old.more) ? "with"
			   : found || validity->more                ? "after"
								    : "with or without";
	if (validity->count)
		*problem = found ? *found : validity->problems[0];
	if (others)
		snprintf(more, sizeof(more), "; and %" PRIu64 " more%s", others,
			found && old.count ? ", perhaps old ones" : "");
	/* The line would be one of a text that the user never sees. */
	if (problem_is_in(problem, &made->inputs[made->target].source))
		problem->line = problem->column = 0;
	return problem_reword(
		problem, problem, "%s this change %s%s", when, problem->message, more);
}

/*
 * Checks that the file can be written as it will be shown, within the limits, and is valid. *ret
 * NULL: no source is left. The put has merged the sources already, but the bytes of an only source
 * may be shown as they are.
 */
static int check_merge(struct layer_edit_state *made, struct merge_request *merge,
	const struct merge_result **ret, struct problem *problem)
{
	CLEANUP(validity_fini) struct validity validity = {0};
	bool is_gone = made->edit.effect == PUT_EMPTIED;
	int r = request_with(made, is_gone ? NULL : &made->edit.new, merge);

	if (r == 0 && made->put && merge->count > 1) {
		r = put_write(made->put, merge, ret, problem);
	} else if (r == 0 && merge->count) {
		r = merge_run(merge, &made->changed, problem);
		*ret = made->changed;
	}
	if (r == 0 && *ret)
		r = validity_check(made->settings, merge, *ret, &validity, problem);
	return r == PROBLEM ? refuse_change(made, &validity, problem) : r;
}

static int note_unchecked(struct layer_edit_state *made, const struct run_result *end)
{
	char name[PROGRAM_NAME_MAX];
	const char *why;

	if (!run_is_missing(end, settings_check(made->settings, made->request->path), name, &why))
		return 0;
	made->edit.unchecked = arena_printf(made->arena, "%s %s", name, why);
	return made->edit.unchecked ? 0 : -ENOMEM;
}

/* Names the lines that the failed check has named as those of the sources. The merge is made again,
 * as origins double its time and memory, and most checks succeed. */
static int place_in_sources(const struct layer_edit_state *made, const struct merge_request *merge,
	const struct run_result *end, struct problem *said)
{
	CLEANUP(merge_result_freep) struct merge_result *result = NULL;
	CLEANUP(line_map_freep) struct line_map *lines = NULL;
	struct run_subject subject = {.path = made->request->path,
		.what = "the check",
		.program = settings_check(made->settings, made->request->path)};
	struct merge_request with_origins = *merge;
	struct problem ignored;

	with_origins.wants_origins = true;
	int r = merge_run(&with_origins, &result, &ignored);
	if (r == 0)
		r = line_map_make(&with_origins, result, &lines);
	subject.map = lines;
	return r < 0 ? r : run_problem(end, &subject, said);
}

/* Lets the command of the file's rule check the merge. */
static int check_result(struct layer_edit_state *made, const struct merge_request *merge,
	const struct merge_result *result, struct problem *problem)
{
	CLEANUP(runner_freep) struct runner *runner = NULL;
	struct run_result end;
	struct problem said;
	char text[PROBLEM_MESSAGE_MAX];

	if (!settings_check(made->settings, made->request->path))
		return 0;
	int r = runner_new(&runner);
	if (r == 0)
		r = runner_check(runner, made->settings, made->request->path, result->text, NULL,
			&end, &said);
	if (r == RUNNER_UNCHECKED)
		return note_unchecked(made, &end);
	if (r == PROBLEM)
		r = place_in_sources(made, merge, &end, &said);
	if (r != PROBLEM)
		return r;
	/* The line is one of the edited source, which is not written: put it into the message. */
	problem_format(&said, text, sizeof(text));
	return problem_set(problem, made->request->path, 0, 0, "%s written, as %s",
		made->request->made ? "this step is not" : "nothing is",
		said.program[0] ? text : said.message);
}

static int write_target(struct layer_edit_state *made, struct problem *problem)
{
	struct layer_edit *edit = &made->edit;

	if (!target_layer_is_current(made->settings))
		return -ESTALE;
	return made->store ? layer_store_write(made->store, edit->new, &edit->revision,
				     &edit->unseen, problem)
			   : write_file(made, problem);
}

/* Finds the layer, and opens its store, if a mirror fills it. */
static int begin(const struct offline *offline, const struct layer_edit_request *request,
	struct layer_store **store, struct layer_edit_state **ret, struct problem *problem)
{
	CLEANUP(made_freep) struct layer_edit_state *made = calloc(1, sizeof(*made));

	if (!made || arena_new(&made->arena) < 0)
		return -ENOMEM;
	made->request = request;
	made->composer = *offline_composer(offline);
	made->settings = settings_ref(offline_settings(offline));
	const struct schema_file *schema = settings_rule_for(made->settings, request->path)->schema;
	made->edit.schema = schema ? schema->schema : NULL;
	int r = target_layer_find(made->settings, request->layer, request->access,
		&made->edit.layer, request->mode == LAYER_EDIT_TRIAL ? NULL : store, problem);
	made->store = *store;
	if (r == 0)
		*ret = take_ptr(made);
	return r;
}

/* Makes one attempt: lookup, merge, edit. Returns LAYER_FILE_MOVED if another attempt is needed. */
static int make_once(const struct offline *offline, const struct layer_edit_request *request,
	struct layer_store **store, struct layer_edit_state **ret, struct problem *problem)
{
	CLEANUP(made_freep) struct layer_edit_state *made = NULL;
	const struct merge_result *changed = NULL;
	CLEANUP(closep) int lock = -1;
	struct merge_request merge;

	int r = begin(offline, request, store, &made, problem);
	if (r == 0)
		r = request->mode != LAYER_EDIT_WRITES || made->store
			    ? 0
			    : target_layer_lock(made->edit.layer, &lock, problem);
	if (r != 0)
		return r;
	r = offline_look_at(offline, request->path, take, made, problem);
	if (r == -ENOENT)
		r = take_nothing(made, problem);
	bool has_change = r == 0 && made->edit.effect >= PUT_CHANGED;
	if (has_change && request->mode != LAYER_EDIT_TRIAL)
		r = check_merge(made, &merge, &changed, problem);
	if (r == PROBLEM && schema_has_secrets(made->edit.schema))
		problem_hide_word(problem);
	if (r != 0)
		return target_layer_is_current(made->settings) ? r : -ESTALE;
	if (made->target < made->merge.count)
		made->edit.file = made->inputs[made->target].source.name;
	if (changed)
		r = check_result(made, &merge, changed, problem);
	if (r == 0 && has_change && request->mode == LAYER_EDIT_WRITES)
		r = write_target(made, problem);
	if (r == 0)
		*ret = take_ptr(made);
	return r;
}

/* Pauses before the next attempt for a key. A random part keeps writers from colliding again. */
static void pause_randomly(int try)
{
	unsigned most = backoff_pause(&store_pause_ms, (unsigned)try);
	uint32_t number = 0;

	(void)!getrandom(&number, sizeof(number), GRND_NONBLOCK);
	nanosleep(&(struct timespec){.tv_nsec = (long)(number % most) * 1000000}, NULL);
}

int layer_edit_make(const struct offline *offline, const struct layer_edit_request *request,
	struct layer_edit **ret, struct problem *problem)
{
	CLEANUP(layer_store_freep) struct layer_store *store = NULL;
	struct layer_edit_state *made = NULL;
	int r = LAYER_FILE_MOVED;

	for (int try = 0; r == LAYER_FILE_MOVED && try < (store ? STORE_TRIES : TRIES); try++) {
		if (try && store)
			pause_randomly(try);
		problem->message[0] = '\0';
		r = make_once(offline, request, &store, &made, problem);
	}
	if (r == LAYER_FILE_MOVED)
		return problem_set(problem, request->path, 0, 0,
			"keeps changing while plyfs tries to change it; try again");
	if (r == 0)
		*ret = &made->edit;
	return r;
}

int layer_edit_check(const struct offline *offline, const struct layer_edit_request *request,
	struct problem *problem)
{
	CLEANUP(layer_store_freep) struct layer_store *store = NULL;
	CLEANUP(made_freep) struct layer_edit_state *made = NULL;

	int r = begin(offline, request, &store, &made, problem);
	return r == 0 && store ? layer_store_check(store, request->path, problem) : r;
}

void layer_edit_freep(struct layer_edit **edit)
{
	struct layer_edit_state *made = (struct layer_edit_state *)*edit;

	made_freep(&made);
}
