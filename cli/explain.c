/*
 * plyfs explain: prints where each value of a merged file comes from, and what it has overridden.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "absent_layer.h"
#include "cleanup.h"
#include "colour.h"
#include "command.h"
#include "explain_json.h"
#include "explain_text.h"
#include "explained_file.h"
#include "message.h"
#include "nearest_key.h"
#include "report.h"
#include "store.h"
#include "value_lock_place.h"

/* Size of the output buffer, in bytes. */
#define BUFFER_SIZE (1u << 16)

/* The state of a command line. */
struct explain_job {
	struct layer_choice choice;
	bool is_json;
	const char *path;
	const char *asked; /* a KEY; NULL: the whole file */
	struct arena *arena;
	struct key key;
};

static void job_fini(struct explain_job *job)
{
	arena_free(job->arena);
}

static int read_key(const struct command *command, struct explain_job *job,
	const struct explanation *explanation)
{
	struct problem problem = {0};
	int r = arena_new(&job->arena);

	if (r == 0)
		r = explained_value_key(explanation, job->asked, job->arena, &job->key, &problem);
	if (r == PROBLEM && problem.column)
		return command_misuse(command, "%s", problem.message);
	if (r == PROBLEM)
		return message_result(r, &problem, NULL);
	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

/* Takes the arguments. Returns an exit code, or -1: continue. */
static int take_arguments(
	const struct command *command, int count, char **arguments, struct explain_job *job)
{
	if (count == 0)
		return command_misuse(command, "a path is missing");
	if (count > 2)
		return command_misuse(
			command, "'%s' is too much; give a path and a KEY", arguments[2]);
	if (layer_choice_is_double(command, &job->choice))
		return EXIT_WRONG_USE;
	job->path = arguments[0];
	job->asked = count > 1 ? arguments[1] : NULL;
	return -1;
}

static int read_arguments(
	const struct command *command, int argc, char **argv, struct explain_job *job)
{
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&job->choice),
		{0, "json", .flag = &job->is_json},
		{0, "color", .take = command_colour},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	return take_arguments(command, argc - optind, argv + optind, job);
}

static int print(const struct explain_job *job, const struct explanation *explanation,
	const struct explained *only)
{
	static char buffer[BUFFER_SIZE];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	int r = job->is_json ? explain_json(explanation, only, stdout)
			     : explain_text(explanation, only, job->asked,
				       colour_use(STDOUT_FILENO), stdout);
	/* The buffer and its contents are lost when we end. */
	if (r < 0)
		message_result(r, NULL, NULL);
	return r == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* Prints a word, quoted for a shell. */
static void print_word(const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "_-./:,%@+";

	if (word[strspn(word, safe)] == '\0') {
		printf(" %s", word);
		return;
	}
	fputs(" '", stdout);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stdout);
	putchar('\'');
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
static int binding_layer(const struct explain_job *job, const struct explanation *explanation,
	const struct explained *found, const struct layer *target, const char **ret)
{
	const struct value_locks *locks = explanation->request->options->locks;
	const struct value_lock_step *step;
	const struct value_lock *lock = NULL;
	int r = locks ? steps_to(found->at.place, job->arena, &step) : 0;

	if (r == 0 && locks)
		r = value_lock_of_place(locks, step, job->arena, &lock);
	*ret = lock && target && target->rank > lock->rank ? lock->layer->text.data : NULL;
	return r;
}

/* Prints how to change a file in a git repository: by a commit. */
static int print_commit(const struct store *git, const char *path)
{
	CLEANUP(freep) char *name = NULL;

	if (store_name(git, path, &name) < 0)
		return message_result(-ENOMEM, NULL, NULL);
	fputs("change it: commit to", stdout);
	print_word(name);
	fputs(" of", stdout);
	print_word(git->endpoint);
	printf(" (");
	report_print(git->ref);
	puts(")");
	return EXIT_DONE;
}

/* Prints a command line that changes the value; `layer` NULL: in the highest layer. */
static void print_command(
	const struct explain_job *job, const char *what, const char *layer, const char *behind)
{
	fputs(what, stdout);
	if (layer) {
		fputs(" -L", stdout);
		print_word(layer);
	}
	if (job->choice.config)
		fputs(" -c", stdout);
	if (job->choice.layers)
		fputs(" -l", stdout);
	if (job->choice.config || job->choice.layers)
		print_word(job->choice.config ? job->choice.config : job->choice.layers);
	print_word(job->path);
	print_word(job->asked);
	puts(behind);
}

/* Prints how to change the value. */
static int print_remedy(const struct explain_job *job, const struct explained_file *subject,
	const struct explained *found)
{
	const char *layer = locking_layer(found);
	struct problem problem;
	/* The layer that plyfs set would change. */
	const struct layer *target = settings_layer(subject->settings, layer);

	if (!layer && binding_layer(job, subject->explanation, found, target, &layer) < 0)
		return message_result(-ENOMEM, NULL, NULL);
	if (layer)
		target = settings_layer(subject->settings, layer);
	/* If a higher layer is absent, plyfs set must name the layer. */
	if (!layer && target && absent_layer_refuse(subject->settings, &problem) != 0)
		layer = target->name;
	if (target && target->store && target->store->kind == STORE_GIT)
		return print_commit(target->store, subject->explanation->path);
	print_command(job, "change it: plyfs set", layer, " VALUE");
	return EXIT_DONE;
}

/* The sources of an origin with the highest and the lowest rank; both NULL: none is in a layer. */
struct span_of_sources {
	const struct source *highest;
	const struct source *lowest;
};

static void take_source(struct span_of_sources *span, const struct node *value)
{
	const struct source *source = value ? value->source : NULL;

	/* A lock's source is plyfs.yaml. */
	if (!source || !source->layer || !*source->layer)
		return;
	if (!span->highest || source->rank > span->highest->rank)
		span->highest = source;
	if (!span->lowest || source->rank < span->lowest->rank)
		span->lowest = source;
}

/*
 * Returns the source of the highest layer that takes part in the value, if a lower layer does, too.
 * NULL: there is nothing below.
 */
static const struct source *find_highest(const struct explained *found)
{
	const struct origin *origin = found->at.value ? found->at.origin : NULL;
	const struct origin_step *step = NULL;
	struct span_of_sources span = {0};

	take_source(&span, found->at.value);
	while (origin && (step = origin_next(origin, step)))
		take_source(&span, step->value);
	while (found->removed && (step = origin_removed_next(found->removed, step)))
		take_source(&span, step->value);
	if (!span.highest || (found->at.value && span.highest->rank == span.lowest->rank))
		return NULL;
	return span.highest;
}

/* Prints how to make the lower layers' value show again, if there is one. */
static void print_reset(const struct explain_job *job, const struct explained_file *subject,
	const struct explained *found)
{
	const struct source *source = find_highest(found);
	const struct layer *layer =
		source && source->layer ? settings_layer(subject->settings, source->layer) : NULL;

	if (layer && !(layer->store && layer->store->kind == STORE_GIT))
		print_command(job, "take it back: plyfs reset", layer->name, "");
}

static int print_key(const struct command *command, struct explain_job *job,
	const struct explained_file *subject)
{
	const struct explanation *explanation = subject->explanation;
	CLEANUP(explained_value_fini) struct explained found = {0};
	const struct node *const *roots;
	size_t depth = 0;

	if (explained_value_roots(explanation, &roots) == 0) {
		message_at(job->path,
			"is not read as values, so it has no '%s'; without a KEY its sources "
			"are told",
			job->asked);
		return EXIT_FAILED;
	}
	int code = read_key(command, job, explanation);
	if (code != EXIT_DONE)
		return code;
	int r = explained_value_find(explanation, &job->key, &found, &depth);
	if (r == EXPLAINED_ABSENT) {
		nearest_key_tell(job->path, &job->key, explanation, &found, depth);
		return EXIT_FAILED;
	}
	if (r < 0)
		return message_result(r, NULL, NULL);
	code = print(job, explanation, &found);
	if (code != EXIT_DONE || job->is_json || surroundings_are_others(&job->choice.around))
		return code;
	print_reset(job, subject, &found);
	return print_remedy(job, subject, &found);
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct explain_job job = {0};
	CLEANUP(explained_file_fini) struct explained_file subject = {0};

	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	code = explained_file_open(command, &job.choice, job.path, &subject);
	if (code != EXIT_DONE)
		return code;
	return job.asked ? print_key(command, &job, &subject)
			 : print(&job, subject.explanation, NULL);
}

const struct command command_explain = {
	.name = "explain",
	.synopsis = "[--json] -c CONFIG PATH [KEY]\n"
		    "[--json] -l LAYER[:LAYER...] PATH [KEY]\n"
		    "[--json] PATH [KEY]",
	.summary = "tell where each value comes from and what it overrode",
	.help = "Tells of a merged file, or of the value at KEY in it, which file, line and "
		"column\n"
		"each value comes from and what it overrode. PATH is relative to the layers. With\n"
		"neither -c nor -l it is a path in a mount. KEY is like server.hosts[0],\n"
		"\"a.b\".c or hosts[name=web].\n"
		"\n" LAYER_CHOICE_HELP "      --json                      as JSON, for programs\n"
		"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n",
	.run = run,
};
