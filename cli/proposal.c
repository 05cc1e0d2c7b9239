#include "proposal.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "absent_layer.h"
#include "assignment.h"
#include "cleanup.h"
#include "format.h"
#include "layer_edit.h"
#include "report_print.h"
#include "store.h"
#include "text.h"
#include "value_lock_place.h"

void proposal_put_word(FILE *out, const char *word)
{
	fputc(' ', out);
	text_put_word(out, word);
}

/*
 * Returns the layer whose lock has kept the value, from the reason of a step; NULL: there is none.
 */
static const char *locking_layer(const struct explained *found)
{
	const struct origin *origin = found->at.value ? found->at.origin : NULL;
	const struct origin_step *last = found->removed ? found->removed->last : NULL;
	size_t len = strlen(VALUE_LOCK_RULE);

	if (origin)
		last = origin->last;
	if (!last || !last->why.by || strncmp(last->why.rule, VALUE_LOCK_RULE, len) != 0)
		return NULL;
	return last->why.rule + len;
}

/* Makes the steps to a place; *ret NULL: the root. Returns 0 or -ENOMEM. */
static int steps_to(const struct explained_place *place, struct arena *arena,
	const struct value_lock_step **ret)
{
	struct value_lock_step *step;
	int r;

	*ret = NULL;
	if (!place)
		return 0;
	step = arena_zalloc(arena, 1, sizeof(*step));
	r = step ? steps_to(place->up, arena, &step->up) : -ENOMEM;
	if (r < 0)
		return r;
	step->key = place->step.key;
	step->index = place->step.index;
	*ret = step;
	return 0;
}

/*
 * Finds the layer whose lock would refuse a change in `target`; *ret NULL: there is none. Returns 0
 * or -ENOMEM.
 */
static int binding_layer(
	const struct proposal *proposal, const struct layer *target, const char **ret)
{
	const struct value_locks *locks = proposal->subject->explanation->request->options->locks;
	const struct value_lock_step *step;
	const struct value_lock *lock = NULL;
	int r = locks ? steps_to(proposal->found->at.place, proposal->arena, &step) : 0;

	if (r == 0 && locks)
		r = value_lock_of_place(locks, step, proposal->arena, &lock);
	*ret = lock && target && target->rank > lock->rank ? lock->layer->text.data : NULL;
	return r;
}

/* Prints how to change a file in a git repository: by a commit. Returns 0 or -ENOMEM. */
static int print_commit(const struct store *git, const char *path)
{
	CLEANUP(freep) char *name = NULL;

	if (store_name(git, path, &name) < 0)
		return -ENOMEM;
	fputs("change it: commit to", stdout);
	proposal_put_word(stdout, name);
	fputs(" of", stdout);
	proposal_put_word(stdout, git->endpoint);
	printf(" (");
	report_print(git->ref);
	puts(")");
	return 0;
}

/* A command line; `layer` NULL: the highest layer; `key` NULL: the whole file. */
struct proposed {
	const char *what;
	const char *layer;
	const char *key;
	const char *behind;
};

static void print_command(const struct proposal *proposal, const struct proposed *line)
{
	const struct layer_choice *choice = proposal->choice;

	fputs(line->what, stdout);
	if (line->layer) {
		fputs(" -L", stdout);
		proposal_put_word(stdout, line->layer);
	}
	if (choice->config)
		fputs(" -c", stdout);
	if (choice->layers)
		fputs(" -l", stdout);
	if (layer_choice_text(choice))
		proposal_put_word(stdout, layer_choice_text(choice));
	if (*proposal->path == '-' || (line->key && *line->key == '-'))
		fputs(" --", stdout);
	proposal_put_word(stdout, proposal->path);
	if (line->key)
		proposal_put_word(stdout, line->key);
	puts(line->behind);
}

/*
 * Tries to set the value at `key` to the text `value`; NULL: to reset `key` in all sources of the
 * layer. Returns 0, PROBLEM or -errno; PROBLEM also if nothing changes, as that proves nothing.
 */
static int try_value(
	const struct proposal *proposal, const char *layer, const char *key, const char *value)
{
	CLEANUP(assignments_fini) struct assignments assignments = {0};
	struct layer_edit_request request = {
		.path = proposal->subject->explanation->path,
		.layer = layer,
		.mode = LAYER_EDIT_TRIAL,
		.plan = assignments_plan,
		.context = &assignments,
		.resets_below = value ? 0 : SIZE_MAX,
	};
	struct problem problem;
	bool is_changed = false;
	int r = assignments_add(&assignments, key, value, &problem);

	if (r != 0)
		return r;
	do {
		CLEANUP(layer_edit_freep) struct layer_edit *edit = NULL;

		r = layer_edit_make(proposal->subject->offline, &request, &edit, &problem);
		request.resets_below = r == 0 && !value ? edit->source : 0;
		is_changed |= r == 0 && edit->effect >= PUT_CHANGED;
	} while (request.resets_below > 0);
	return r == 0 && !is_changed ? PROBLEM : r;
}

/* Returns 0 if the layer can set `key` to some value; PROBLEM or -errno. */
static int try_set(const struct proposal *proposal, const char *layer, const char *key)
{
	static const char *const values[] = {"x", "1", "[x]", "{x: 1}", "{x: {x: 1}}"};
	int r = PROBLEM;

	for (size_t i = 0; r == PROBLEM && i < sizeof(values) / sizeof(*values); i++)
		r = try_value(proposal, layer, key, values[i]);
	return r;
}

static bool is_whole_file(const struct proposal *proposal)
{
	return proposal->found->at.value && !proposal->found->at.place &&
	       proposal->subject->explanation->stream.count < 2;
}

/*
 * Returns the KEY for a command line: a KEY with "=" would be read as KEY=VALUE, so the form that
 * explain prints, with quotes, takes its place. NULL: no memory.
 */
static const char *key_of(const struct proposal *proposal)
{
	const struct explained *found = proposal->found;
	struct key_text *key = found->at.key;
	size_t len = key->len;

	if (!assignment_equals(proposal->asked))
		return proposal->asked;
	if (found->removed)
		explained_value_put_removed(found->removed, found->in, key);
	const char *copy = key->has_failed ? NULL : arena_copy(proposal->arena, key_text_span(key));
	key_text_cut(key, len);
	return copy;
}

/*
 * Makes the KEY that is set, in `arena`. Formats without nested maps have maps only as sections,
 * which no single value replaces: there the KEY is that of an entry. NULL: no memory.
 */
static const char *key_to_set(const struct proposal *proposal)
{
	const struct format *format = format_of_tree(proposal->subject->explanation->request->to);
	const struct node *value = proposal->found->at.value;

	if (format_has_lists(format) || !value || !node_is_map(value))
		return key_of(proposal);
	if (is_whole_file(proposal))
		return format->has_sections ? "SECTION.NAME" : "NAME";
	const char *key = key_of(proposal);
	return key ? arena_printf(proposal->arena, "%s.NAME", key) : NULL;
}

/* The sources of an origin with the highest and the lowest rank; both NULL: none is in a layer. */
struct span_of_sources {
	const struct source *highest;
	const struct source *lowest;
	const struct node *node; /* the highest source's value */
};

static void take_source(struct span_of_sources *span, const struct node *value)
{
	const struct source *source = value ? value->source : NULL;

	/* A lock's source is plyfs.yaml. */
	if (!source || !source->layer || !*source->layer)
		return;
	if (!span->highest || source->rank > span->highest->rank) {
		span->highest = source;
		span->node = value;
	}
	if (!span->lowest || source->rank < span->lowest->rank)
		span->lowest = source;
}

/* Returns whether another value around it has replaced the value. */
static bool is_replaced(const struct explained *found)
{
	return !found->at.value && !found->removed;
}

static struct span_of_sources sources_of(const struct explained *found)
{
	const struct origin *origin = found->at.value ? found->at.origin : NULL;
	const struct origin_step *step = NULL;
	struct span_of_sources span = {0};

	take_source(&span, found->at.value);
	while (origin && (step = origin_next(origin, step)))
		take_source(&span, step->value);
	if (is_replaced(found))
		take_source(&span, found->in);
	for (size_t i = 0; is_replaced(found) && i < found->also_count; i++)
		take_source(&span, found->also[i].value);
	while (found->removed && (step = origin_removed_next(found->removed, step)))
		take_source(&span, step->value);
	return span;
}

/*
 * Returns whether a layer or a lock has taken the value away: only then a reset helps, as a rule or
 * the strategy would take it away again.
 */
static bool is_taken_by_layer(const struct explained *found, const struct span_of_sources *span)
{
	const struct origin_step *last = found->removed ? found->removed->last : NULL;
	const struct source *source = last ? last->value->source : NULL;

	if (is_replaced(found))
		return span->node == found->in && span->highest->rank > span->lowest->rank;
	return locking_layer(found) ||
	       (last && last->fate == ORIGIN_REMOVED && source && source->layer && *source->layer);
}

/* Names the place of the value, as no command can make the change. */
static void print_place(const struct proposal *proposal)
{
	const struct node *node = proposal->found->at.value;
	struct span_of_sources span = sources_of(proposal->found);

	if (!node || !node->source || !*node->source->layer)
		node = span.node;
	if (!node)
		return;
	fputs("change it by hand in ", stdout);
	report_print(store_places_name(&proposal->subject->explanation->places, node->source));
	printf(":%u:%u\n", node->line, node->column);
}

/* Prints the command that sets the value: in `layer` or, if that is impossible, where it is set. */
static int print_set(const struct proposal *proposal, const char *layer)
{
	const struct source *own = sources_of(proposal->found).highest;
	struct proposed line = {"change it: plyfs set", layer, key_to_set(proposal), " VALUE"};
	int r = line.key ? try_set(proposal, line.layer, line.key) : -ENOMEM;

	if (r == PROBLEM && own) {
		line.layer = own->layer;
		r = try_set(proposal, line.layer, line.key);
	}
	if (r == 0)
		print_command(proposal, &line);
	else if (r != -ENOMEM)
		print_place(proposal);
	return r == -ENOMEM ? r : 0;
}

static int print_remedy(const struct proposal *proposal)
{
	const struct settings *settings = proposal->subject->settings;
	const char *layer = locking_layer(proposal->found);
	struct problem problem;
	/* The layer that plyfs set would change. */
	const struct layer *target = settings_layer(settings, layer);

	if (!layer && binding_layer(proposal, target, &layer) < 0)
		return -ENOMEM;
	if (layer)
		target = settings_layer(settings, layer);
	/* If a higher layer is absent, plyfs set must name the layer. */
	if (!layer && target && absent_layer_refuse(settings, &problem) != 0)
		layer = target->name;
	if (target && target->store && target->store->kind == STORE_GIT)
		return print_commit(target->store, proposal->subject->explanation->path);
	return print_set(proposal, layer);
}

/*
 * Prints how to make the lower layers' value show again, if there is one. The command names the
 * highest layer that takes part in the value.
 */
static int print_reset(const struct proposal *proposal)
{
	const struct origin_removed *removed = proposal->found->removed;
	struct span_of_sources span = sources_of(proposal->found);
	const struct layer *layer =
		span.highest ? settings_layer(proposal->subject->settings, span.highest->layer)
			     : NULL;
	struct proposed line = {"take it back: plyfs reset", NULL, key_of(proposal), ""};
	int r = 0;

	if (!layer || (layer->store && layer->store->kind == STORE_GIT) ||
		(proposal->found->at.value ? span.highest->rank == span.lowest->rank
					   : !is_taken_by_layer(proposal->found, &span)))
		return 0;
	line.layer = layer->name;
	if (is_replaced(proposal->found)) {
		line.key = arena_copy(
			proposal->arena, (struct span){key_text_span(proposal->found->at.key).data,
						 proposal->found->in_len});
		if (!line.key || !*line.key)
			return line.key ? 0 : -ENOMEM;
	}
	/* A document that was deleted is reset as a whole. */
	if (removed && !removed->key)
		line.key = key_text_span(proposal->found->at.key).data;
	if (is_whole_file(proposal))
		line.key = NULL;
	else if (!line.key)
		r = -ENOMEM;
	else
		r = try_value(proposal, line.layer, line.key, NULL);
	if (r == 0)
		print_command(proposal, &line);
	return r == -ENOMEM ? r : 0;
}

int proposal_print(const struct proposal *proposal)
{
	const struct key *key = proposal->key;
	int r = print_reset(proposal);

	/* If a whole document was deleted, its text is too long for a VALUE on a command line. */
	if (key->start && !key->count && !proposal->found->at.value)
		return r;
	return r == 0 ? print_remedy(proposal) : r;
}
