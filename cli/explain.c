/*
 * plyfs explain: prints where each value of a merged file comes from, and what it has overridden.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "column.h"
#include "command.h"
#include "explain.h"
#include "explain_text.h"
#include "explained_file.h"
#include "host_list.h"
#include "json_put.h"
#include "message.h"
#include "nearest_key.h"
#include "proposal.h"
#include "resolve.h"
#include "strategy.h"

/* Size of the output buffer, in bytes. */
#define BUFFER_SIZE (1u << 16)

struct explain_job {
	struct layer_choice choice;
	const char *path;
	const char *asked; /* a KEY; NULL: the whole file */
	struct arena *arena;
	struct key key;
	const char *hosts_file; /* NULL: this host, or the choice's */
	/* the most that was found on a host */
	enum { FOUND_NOTHING, FOUND_FILE, FOUND_VALUE } found;
	const struct command *command;
};

static void job_fini(struct explain_job *job)
{
	arena_free(job->arena);
}

/* Returns whether the file is made of values; a file without documents may be. */
static bool is_read_as_values(const struct explanation *explanation)
{
	const struct merge_request *request = explanation->request;

	return explanation->stream.count > 0 ||
	       (explanation->kind == VERSION_BYTES && request->to &&
		       strategy_reads_trees(request->options->strategy));
}

static int read_key(const struct command *command, struct explain_job *job,
	const struct explanation *explanation)
{
	struct problem problem = {0};

	if (!is_read_as_values(explanation))
		return message_at(job->path,
			"is not read as values, so it has no '%s'; without a KEY, explain shows "
			"its sources",
			job->asked);
	int r = arena_new(&job->arena);
	if (r == 0)
		r = explained_value_key(explanation, job->asked, job->arena, &job->key, &problem);
	if (r == PROBLEM && problem.column)
		return command_misuse(command, "%s", problem.message);
	return r == 0 ? EXIT_DONE : message_result(r, &problem, NULL);
}

/* Reads the arguments. Returns an exit code, or -1: continue. */
static int read_arguments(
	const struct command *command, int argc, char **argv, struct explain_job *job)
{
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&job->choice),
		{0, "json"},
		{0, "hosts", .path = &job->hosts_file},
		{0, "color", .take = command_colour},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a path is missing");
	if (argc - optind > 2)
		return command_misuse(
			command, "'%s' is one too many; give a path and a KEY", argv[optind + 2]);
	if (layer_choice_is_double(command, &job->choice))
		return EXIT_WRONG_USE;
	if (job->hosts_file && (job->choice.around.host || job->choice.layers))
		return command_misuse(command,
			"--hosts replaces %%H in a plyfs.yaml; it goes with neither -H nor -l");
	job->path = argv[optind];
	job->asked = argv[optind + 1];
	if (job->hosts_file && !job->asked)
		return command_misuse(
			command, "a KEY is missing: --hosts shows its value on each host");
	return -1;
}

static int print(const struct explain_job *job, const struct explanation *explanation,
	const struct explained *only)
{
	static char buffer[BUFFER_SIZE];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	int r = message_is_json() ? explain_json(explanation, only, stdout)
				  : explain_text(explanation, only, job->asked);
	/* The buffer and its contents are lost when we end. */
	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

static int print_key(const struct command *command, struct explain_job *job,
	const struct explained_file *subject)
{
	const struct explanation *explanation = subject->explanation;
	CLEANUP(explained_value_fini) struct explained found = {0};
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem;
	size_t depth = 0;

	int code = read_key(command, job, explanation);
	if (code != EXIT_DONE)
		return code;
	int r = explained_value_find(explanation, &job->key, &found, &depth, &problem);
	if (r == EXPLAINED_ABSENT && explanation->stream.count)
		return nearest_key_report(job->path, &job->key, subject, &found, depth);
	if (r == EXPLAINED_ABSENT) {
		/* A source that is the only one is shown even if it does not parse. */
		r = explained_file_read(explanation, job->path, &document, &problem);
		if (r == 0)
			return message_at(job->path,
				"holds no values, so it has no '%s'; leave the KEY out",
				job->asked);
	}
	if (r < 0 || r == PROBLEM)
		return message_result(r, &problem, NULL);
	code = print(job, explanation, &found);
	if (code != EXIT_DONE || message_is_json() ||
		settings_environment_is_other(&job->choice.around))
		return code;
	const struct proposal proposal = {.choice = &job->choice,
		.path = job->path,
		.asked = job->asked,
		.key = &job->key,
		.subject = subject,
		.found = &found,
		.arena = job->arena};
	r = proposal_print(&proposal);
	return r == 0 ? EXIT_DONE : message_result(r, NULL, NULL);
}

/* Returns whether the scalar without quotes would look as another value. */
static bool needs_quotes(const struct node *scalar)
{
	const struct span text = scalar->text;

	return scalar_is_string(scalar) && (resolve_plain(text, scalar->schema) != SCALAR_STRING ||
						   (text.len && strchr("\"[{!", *text.data)));
}

static bool mark_layer(const struct settings *settings, const struct node *value, bool *marks)
{
	const struct layer *layer =
		value->source ? settings_layer(settings, value->source->layer) : NULL;

	if (layer)
		marks[layer->rank] = true;
	return layer != NULL;
}

/*
 * Marks the layers of the scalars, and the empty maps and lists, in the value, and of their parts;
 * if none of these has a layer, those of the value itself. Returns whether there are any.
 */
static bool mark_layers(const struct explained_file *subject, const struct node *value, bool *marks)
{
	const struct origin_step *step = NULL;
	bool is_marked = false;

	for (uint32_t i = 0; i < node_count(value); i++)
		is_marked |= mark_layers(subject, *node_entry(value, i), marks);
	if (is_marked)
		return true;
	const struct merge_result *result = subject->explanation->result;
	const struct origin *origin = result ? origin_of(result->origins, value) : NULL;
	is_marked = mark_layer(subject->settings, value, marks);
	while (origin && (step = origin_next(origin, step)))
		if (step->fate == ORIGIN_PART)
			is_marked |= mark_layer(subject->settings, step->value, marks);
	return is_marked;
}

/* Writes the layers that set the value: as "  site:host", or as members of a JSON object. */
static int write_layers(const struct explained_file *subject, const struct node *value, FILE *out)
{
	bool is_json = message_is_json();
	const struct settings *settings = subject->settings;
	CLEANUP(freep) bool *marks = calloc(settings->layer_count + 1, sizeof(*marks));
	const char *before = is_json ? "" : "  ", *only = NULL;
	size_t count = 0;

	if (!marks)
		return -ENOMEM;
	if (value)
		mark_layers(subject, value, marks);
	for (size_t i = 0; i < settings->layer_count; i++)
		if (marks[i])
			only = count++ ? NULL : settings->layers[i]->name;
	if (is_json)
		json_put(JSON(out), ", 'layer': %s, 'layers': [", only);
	for (size_t i = 0; i < settings->layer_count; i++) {
		if (!marks[i])
			continue;
		fputs(before, out);
		if (is_json)
			json_put_string(JSON(out), settings->layers[i]->name);
		else
			column_put(out, span_of(settings->layers[i]->name));
		before = is_json ? ", " : ":";
	}
	fputs(is_json ? "]" : "", out);
	return 0;
}

/* Writes a value and its layers: as one line, or as members of a JSON object. */
static int write_value(const struct explain_job *job, const struct explained_file *subject,
	const struct explained *found, FILE *out)
{
	const struct explanation *explanation = subject->explanation;
	const struct node *value = found->at.value;
	/* "!" alone says only that the value is text. */
	bool is_tagged = value && value->tag && value->tag[0] == '!' && value->tag[1];
	const char *tag = is_tagged ? value->tag : NULL;
	struct json *json = JSON(out);
	int r = 0;

	json_put(json, message_is_json() ? "'value': " : "");
	if (tag && !message_is_json()) {
		column_put(out, span_of(tag));
		putc(' ', out);
	}
	if (!value && message_is_json())
		json_put(json, "null, 'absent': true");
	else if (!value)
		fputs("(no value)", out);
	else if (message_is_json() || !node_is_scalar(value))
		r = json_put_value(json, value,
			explanation->request ? explanation->request->to : NULL, job->arena);
	else if (needs_quotes(value))
		json_put_span(json, value->text);
	else
		column_put(out, value->text);
	if (tag && message_is_json())
		json_put(json, ", 'tag': %s", tag);
	return r < 0 ? r : write_layers(subject, value, out);
}

/* Finds the value of the present host, NULL if it has none. Returns an exit code. */
static int find_value(
	struct explain_job *job, const struct explanation *explanation, struct explained *ret)
{
	CLEANUP(document_freep) struct document *document = NULL;
	struct problem problem = {0};
	size_t depth = 0;

	int code = read_key(job->command, job, explanation);
	if (code != EXIT_DONE)
		return code;
	int r = explained_value_find(explanation, &job->key, ret, &depth, &problem);
	if (r == EXPLAINED_ABSENT) {
		ret->at.value = NULL;
		/* A source that is the only one is shown even if it does not parse. */
		r = explanation->stream.count
			    ? 0
			    : explained_file_read(explanation, job->path, &document, &problem);
	}
	return r == 0 ? EXIT_DONE : message_result(r, &problem, NULL);
}

/* Makes the value and the layer of the present host, as each_host.make. */
static int make_value(void *context, char **ret)
{
	struct explain_job *job = context;
	CLEANUP(explained_file_fini) struct explained_file subject = {0};
	CLEANUP(explained_value_fini) struct explained found = {0};
	size_t size;

	arena_free(take_ptr(job->arena));
	int code = explained_file_open(job->command, &job->choice, job->path, &subject);
	if (code == EXIT_DONE && subject.explanation)
		code = find_value(job, subject.explanation, &found);
	if (code != EXIT_DONE)
		return code;
	if (found.at.value)
		job->found = FOUND_VALUE;
	else if (subject.explanation && job->found == FOUND_NOTHING)
		job->found = FOUND_FILE;
	FILE *out = open_memstream(ret, &size);
	if (!out)
		return message_result(-ENOMEM, NULL, NULL);
	int r = write_value(job, &subject, &found, out);
	return fclose(out) == 0 && r == 0 ? EXIT_DONE : message_result(-ENOMEM, NULL, NULL);
}

static int explain_hosts(struct explain_job *job)
{
	const struct each_host each = {
		job->hosts_file, "explaining", make_value, job, &job->choice.around};
	CLEANUP(host_groups_fini) struct host_groups groups = {0};

	job->choice.is_of_list = true;
	int code = each_host_run(job->command, &each, &groups);

	if (code == EXIT_WRONG_USE || (code != EXIT_DONE && groups.count == 0))
		return code;
	if (code == EXIT_DONE && job->found == FOUND_NOTHING)
		return layer_choice_complain(NULL, job->path, -ENOENT, NULL);
	json_put(JSON(stdout), message_is_json() ? "{'values': [" : "");
	for (size_t i = 0; i < groups.count; i++) {
		if (message_is_json())
			printf("%s\n  {%s, \"hosts\": ", i ? "," : "", groups.items[i].text);
		else
			printf("%s  on ", groups.items[i].text);
		host_group_print(&groups.items[i]);
		fputs(message_is_json() ? "}" : "\n", stdout);
	}
	fputs(message_is_json() ? "\n]}\n" : "", stdout);
	return job->found == FOUND_VALUE ? code : EXIT_FAILED;
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(job_fini) struct explain_job job = {0};
	CLEANUP(explained_file_fini) struct explained_file subject = {0};

	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	job.command = command;
	if (job.hosts_file)
		return explain_hosts(&job);
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
		    "[--json] PATH [KEY]\n[--json] --hosts FILE -c CONFIG PATH KEY",
	.summary = "show where each value comes from and what it overrode",
	.help = "Shows, for a merged file or the value at KEY in it, the file, line and column "
		"that each value comes from, and the values that it overrode. PATH is relative to "
		"the layers; with neither -c nor -l it is a path in a mount. KEY is like "
		"server.hosts[0], \"a.b\".c or hosts[name=web]; in a file of several documents, "
		"[0].port or [kind=Service,metadata.name=web].port.\n"
		"\n" LAYER_CHOICE_HELP
		"      --hosts FILE                show which hosts in FILE have which value\n"
		"      --json                      as JSON, for programs\n"
		"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n",
	.run = run,
};
