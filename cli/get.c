/* plyfs get: prints one value of a merged file, as text, for scripts. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "edit/edit_tree.h"
#include "explained_file.h"
#include "follow.h"
#include "json_put.h"
#include "key_match.h"
#include "message.h"
#include "nearest_key.h"
#include "scalar.h"

struct get_job {
	struct layer_choice choice;
	const char *path;
	const char *asked; /* the KEY */
	struct arena *arena;
	struct key key;
	struct document *whole; /* of a file that the strategy does not read as a tree; or NULL */
};

static void job_fini(struct get_job *job)
{
	document_free(job->whole);
	arena_free(job->arena);
}

/* Reads the arguments. Returns an exit code, or -1: continue. */
static int read_arguments(const struct command *command, int argc, char **argv, struct get_job *job)
{
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&job->choice),
		{0, "json"},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a path is missing");
	if (optind + 1 == argc)
		return command_misuse(
			command, "a KEY is missing; 'plyfs cat' prints the whole file");
	if (optind + 2 < argc)
		return command_misuse(
			command, "'%s' is one too many; give a path and a KEY", argv[optind + 2]);
	if (layer_choice_is_double(command, &job->choice))
		return EXIT_WRONG_USE;
	job->path = argv[optind];
	job->asked = argv[optind + 1];
	return -1;
}

static bool has_texts_alone(const struct node *list)
{
	bool is_so = node_is_sequence(list);

	for (uint32_t i = 0; is_so && i < node_count(list); i++)
		is_so = node_is_scalar(list->seq.items[i]);
	return is_so;
}

/* Wraps the value in its maps, as its format can't write it alone. NULL: no memory. */
static const struct node *wrap(const struct get_job *job, const struct node *in)
{
	const struct key *key = &job->key;
	struct edit_step *steps = arena_zalloc(job->arena, key->count + 1, sizeof(*steps));
	struct key_step found = {.value = in};

	for (size_t i = 0; steps && i < key->count; i++) {
		if (!key_find(found.value, &key->parts[i], &found))
			return NULL;
		steps[i] = (struct edit_step){.key = found.key};
	}
	return steps ? edit_tree_wrap(steps, key->count, found.value, job->arena) : NULL;
}

/*
 * Prints a map or list in the file's format. For a format without lists, a list of texts is printed
 * one a line, without a unit's empty assignments. TOML can't write a list by itself, so it is
 * printed as its key's value.
 */
static int print_collection(const struct get_job *job, const struct merge_request *request,
	const struct node *root, const struct node *value)
{
	const struct format *format = format_of_tree(request->to);
	struct problem problem;
	struct span text;

	if (!format_has_lists(format) && has_texts_alone(value)) {
		for (uint32_t i = 0; i < value->seq.count; i++)
			if (format->repeats != FORMAT_REPEATS_UNITS ||
				value->seq.items[i]->text.len)
				printf("%s\n", value->seq.items[i]->text.data);
		return EXIT_DONE;
	}
	if (!format_has_lists(format) || (format_is_toml(format) && node_is_sequence(value)))
		value = wrap(job, root);
	if (!value)
		return message_result(-ENOMEM, NULL, NULL);
	int r = document_write(value, format, &request->limits, job->arena, &text, &problem);
	return r == 0 ? command_print(text.data, text.len) : message_result(r, &problem, job->path);
}

/* Returns the last value of a repeated key, if only that one counts. */
static const struct node *take_last(
	const struct get_job *job, const struct merge_request *request, const struct node *value)
{
	const struct format *format = format_of_tree(request->to);
	const struct key *key = &job->key;
	bool is_last = key->count == 2 && node_is_sequence(value) && node_count(value) > 0 &&
		       !format_counts_all(format, key->parts[0].name, key->parts[1].name);

	return is_last ? value->seq.items[value->seq.count - 1] : value;
}

/* Returns the first tag in `value` that is part of it, and that neither JSON nor a text has. */
static const char *find_tag(const struct node *value)
{
	const char *tag = NULL;

	if (node_is_scalar(value))
		return scalar_type(value) == SCALAR_FOREIGN ? value->tag : NULL;
	tag = node_foreign_tag(value);
	for (uint32_t i = 0; !tag && i < node_count(value); i++)
		tag = find_tag(*node_entry(value, i));
	return tag;
}

static void warn_of_tag(const struct get_job *job, const struct node *value)
{
	const char *tag = message_is_json() || node_is_scalar(value) ? find_tag(value) : NULL;
	const char *core = scalar_core_name(tag);
	struct problem warning;

	if (!tag)
		return;
	problem_set(&warning, job->path, 0, 0,
		"the tag %s%s at '%s' is not printed; 'plyfs cat' shows it", core ? "!!" : "",
		core ? core : tag, job->asked);
	message_warning(&warning);
}

static int print(const struct get_job *job, const struct merge_request *request,
	const struct node *root, const struct node *value)
{
	struct span text = span_of("null");

	value = take_last(job, request, value);
	warn_of_tag(job, value);
	if (message_is_json()) {
		int r = json_put_value(JSON(stdout), value, request->to, job->arena);
		putchar('\n');
		return r < 0 ? message_result(r, NULL, NULL) : EXIT_DONE;
	}
	if (!node_is_scalar(value))
		return print_collection(job, request, root, value);
	if (!scalar_is_null(value))
		text = value->text;
	fwrite(text.data, 1, text.len, stdout);
	putchar('\n');
	return EXIT_DONE;
}

static int complain(const struct get_job *job, const struct explained_file *subject)
{
	CLEANUP(explained_value_fini) struct explained found = {0};
	struct problem problem;
	size_t depth = 0;

	int r = explained_value_find(subject->explanation, &job->key, &found, &depth, &problem);
	if (r < 0 || r == PROBLEM)
		return message_result(r, &problem, NULL);
	if (r != EXPLAINED_ABSENT)
		return message_at(job->path,
			"has no '%s' any more; 'plyfs explain' shows what removed it", job->asked);
	if (!job->whole)
		return nearest_key_report(job->path, &job->key, subject, &found, depth);
	if (!job->whole->count)
		return message_at(job->path,
			"holds no values, so it has no '%s'; 'plyfs cat' prints it", job->asked);
	return message_at(job->path, "has no '%s'", job->asked);
}

/* Parses the merged text of a file that is no tree in its strategy, as plyfs set does. */
static int read_whole(struct get_job *job, const struct explanation *explanation)
{
	struct problem problem;

	if (!explanation->result || !explanation->request->to)
		return message_at(job->path,
			"is not read as values, so it has no '%s'; 'plyfs cat' prints it",
			job->asked);
	int r = explained_file_read(explanation, job->path, &job->whole, &problem);
	return r == 0 ? EXIT_DONE : message_result(r, &problem, NULL);
}

static int print_key(
	const struct command *command, struct get_job *job, const struct explained_file *subject)
{
	const struct explanation *explanation = subject->explanation;
	struct key_ground ground = {
		.stream = explanation->stream, .format = explanation->request->to};
	struct problem problem;
	int r;

	if (!ground.stream.count) {
		int code = read_whole(job, explanation);
		if (code != EXIT_DONE)
			return code;
		ground.stream.roots = job->whole->roots;
		ground.stream.count = job->whole->count;
	}
	r = job->whole
		    ? key_match(job->asked, &ground, job->arena, &job->key, &problem)
		    : explained_value_key(explanation, job->asked, job->arena, &job->key, &problem);
	if (r == PROBLEM && problem.column)
		return command_misuse(command, "%s", problem.message);
	if (r < 0 || r == PROBLEM)
		return message_result(r, &problem, NULL);
	const struct node *root = job->key.document < ground.stream.count
					  ? ground.stream.roots[job->key.document]
					  : NULL;
	const struct node *value = root ? key_follow(&job->key, 0, root) : NULL;
	if (value)
		return print(job, explanation->request, root, value);
	return complain(job, subject);
}

/* If the file is a link, explains the file to which it leads in its place. */
static int follow_link(const char *path, struct explained_file *subject)
{
	CLEANUP(freep) char *inner = NULL;
	struct problem problem = {0};

	if (subject->explanation->kind != VERSION_LINK)
		return EXIT_DONE;
	int r = follow(subject->offline, subject->explanation->path, &inner, &problem);
	explanation_free(take_ptr(subject->explanation));
	if (r == 0)
		r = explain(subject->offline, inner, &subject->explanation, &problem);
	/* A layer is left out (on_error: skip-layer). */
	if (r == 0 && problem.message[0])
		message_warning(&problem);
	return r == 0 ? EXIT_DONE
		      : layer_choice_complain_in(
				subject->settings, path, inner ? inner : path, r, &problem);
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct get_job job = {0};
	CLEANUP(explained_file_fini) struct explained_file subject = {0};

	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	code = explained_file_open(command, &job.choice, job.path, &subject);
	if (code == EXIT_DONE)
		code = follow_link(job.path, &subject);
	if (code != EXIT_DONE)
		return code;
	int r = arena_new(&job.arena);
	return r == 0 ? print_key(command, &job, &subject) : message_result(r, NULL, NULL);
}

const struct command command_get = {
	.name = "get",
	.synopsis = "[--json] -c CONFIG PATH KEY\n"
		    "[--json] -l LAYER[:LAYER...] PATH KEY\n"
		    "[--json] PATH KEY",
	.summary = "print one value of a merged file",
	.help = "Prints the value at KEY in a merged file: a text as it is, a map or list in the "
		"file's format. Exits with 1 if there is none. PATH is relative to the layers; "
		"with neither -c nor -l it is a path in a mount. KEY is as for plyfs explain.\n"
		"\n" LAYER_CHOICE_HELP "      --json                      as JSON, for programs\n",
	.run = run,
};
