/* plyfs merge: merges files, without a mount and without layers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "data_search.h"
#include "input.h"
#include "message.h"
#include "path.h"
#include "place.h"
#include "plyfs_mount.h"
#include "settings.h"
#include "strategy.h"
#include "text.h"
#include "typed_value.h"
#include "validity.h"
#include "word.h"

/* The command line's parameters, and the merge with them. */
struct merge_job {
	const struct strategy *strategy;
	struct node *set; /* of --set: the strategy's options; NULL: none was given */
	struct limits limits;
	struct node *limits_set; /* the limits that --limit has set; NULL: none */
	struct arena *arena;
	struct typed_documents documents; /* of `set` and `limits_set`, and of the search */
	const struct format *to;          /* NULL: the files' own format */
	enum node_schema yaml;            /* the YAML version of files that name none */
	const char *schema; /* the file with the schema of the result; NULL: any result is valid */
	const char **schema_refs; /* files that the schema refers to; ends with NULL */
	size_t schema_ref_count;
	bool validates_formats; /* the schema's `format` keywords are checked */
	bool has_header;
	char **files; /* [NAME=]FILE, lowest precedence first, ends with NULL */

	/* of the merge: */
	struct settings *schemas;   /* the files of the schema; NULL: none was read */
	struct merge_input *inputs; /* lowest precedence first, in `arena` */
	uint32_t input_count;
	uint32_t input_capacity;
	struct data_search search;
	struct merge_result *result; /* NULL: the merge failed */
	struct validity validity;    /* the places where the result violates `schema` */
};

static void merge_job_fini(struct merge_job *job)
{
	merge_result_free(job->result);
	validity_fini(&job->validity);
	typed_documents_fini(&job->documents);
	arena_free(job->arena);
	settings_unref(job->schemas);
	free(job->schema_refs);
}

/* Parses the value; an empty one is null, as in a YAML file. */
static int read_value(struct merge_job *job, const struct source *source, const char *text,
	const struct node **ret, struct problem *problem)
{
	const struct read_options options = {.format = &format_yaml};
	struct document *document;
	int r = document_read(source, span_of(text), &options, &document, problem);

	if (r == 0)
		r = typed_documents_take(&job->documents, document);
	if (r != 0)
		return r;
	if (document->count > 1)
		return problem_at(
			problem, document->roots[1], "a value is one document; take this one out");
	*ret = document->count ? document->roots[0]
			       : node_new_scalar(job->arena, span_of(""), NODE_PLAIN);
	return *ret ? 0 : -ENOMEM;
}

/*
 * Sets NAME to VALUE, which is YAML, in the map at `map` (&job->set or &job->limits_set).
 * `argument` is "NAME=VALUE". Messages call the option `option`, such as "--set".
 */
static int set_in_map(struct merge_job *job, struct node **map, const char *option,
	const char *argument, struct problem *problem)
{
	const struct span name = {argument, strcspn(argument, "=")};
	const struct node *value = NULL;

	if (!argument[name.len] || name.len == 0)
		return problem_set(problem, option, 0, 0, "'%s' is not NAME=VALUE", argument);
	if (!*map)
		*map = node_new_map(job->arena, NULL);

	struct source *source = arena_zalloc(job->arena, 1, sizeof(*source));
	const char *copy = arena_copy(job->arena, name);
	struct node *key = copy ? node_new_scalar(job->arena, span_of(copy), NODE_PLAIN) : NULL;
	if (!*map || !source || !key)
		return -ENOMEM;
	source->name = arena_printf(job->arena, "%s %s", option, copy);
	source->layer = "";
	/* The place of the name is the option itself. */
	key->source = source;
	if (!source->name)
		return -ENOMEM;
	int r = read_value(job, source, argument + name.len + 1, &value, problem);
	return r != 0 ? r : node_put(job->arena, *map, key, value);
}

static int choose_strategy(const struct command *command, void *context, const char *name)
{
	struct merge_job *job = context;
	struct span nearest;

	job->strategy = strategy_find(span_of(name));
	if (job->strategy)
		return EXIT_DONE;
	if (word_nearest(strategy_names(), span_of(name), &nearest))
		return command_misuse(command, "there is no strategy '%s' (did you mean '%.*s'?)",
			name, (int)nearest.len, nearest.data);
	return command_misuse(
		command, "there is no strategy '%s'; there are: %s", name, strategy_names());
}

static int choose_format(const struct command *command, void *context, const char *name)
{
	struct merge_job *job = context;

	job->to = format_find(span_of(name));
	if (job->to)
		return EXIT_DONE;
	return command_misuse(
		command, "there is no format '%s'; there are: %s", name, format_names());
}

static int complain_of_option(int result, const struct problem *problem)
{
	int code = message_result(result, problem, NULL);

	return result == PROBLEM ? EXIT_WRONG_USE : code;
}

static int set_option(const struct command *command, void *context, const char *argument)
{
	struct merge_job *job = context;
	struct problem problem;
	const char *equals = strchr(argument, '=');
	int r = set_in_map(job, &job->set, "--set", argument, &problem);

	(void)command;
	/* The value may be a directory to look in: data_path, mergers_path. */
	if (r == 0)
		return equals ? plyfs_mount_await(equals + 1) : EXIT_DONE;
	return complain_of_option(r, &problem);
}

static int choose_yaml(const struct command *command, void *context, const char *argument)
{
	struct merge_job *job = context;

	if (strcmp(argument, "1.1") != 0 && strcmp(argument, "1.2") != 0)
		return command_misuse(command, "--yaml is 1.1 or 1.2, not '%s'", argument);
	job->yaml = argument[2] == '1' ? NODE_YAML_1_1 : NODE_YAML_1_2;
	return EXIT_DONE;
}

static int add_schema_ref(const struct command *command, void *context, const char *argument)
{
	struct merge_job *job = context;

	(void)command;
	if (plyfs_mount_await(argument) != EXIT_DONE)
		return EXIT_FAILED;
	const char **larger = reallocarray(
		job->schema_refs, job->schema_ref_count + 2, sizeof(*job->schema_refs));
	if (!larger)
		return complain_of_option(-ENOMEM, NULL);
	job->schema_refs = larger;
	job->schema_refs[job->schema_ref_count++] = argument;
	job->schema_refs[job->schema_ref_count] = NULL;
	return EXIT_DONE;
}

static int set_limit(const struct command *command, void *context, const char *argument)
{
	struct merge_job *job = context;
	struct problem problem;
	int r = set_in_map(job, &job->limits_set, "--limit", argument, &problem);

	(void)command;
	if (r == 0)
		r = settings_options_read_limits(job->limits_set, &job->limits, &problem);
	return r == 0 ? EXIT_DONE : complain_of_option(r, &problem);
}

/* Reads the arguments. Returns an exit code, or -1: continue. */
static int read_arguments(
	const struct command *command, int argc, char **argv, struct merge_job *job)
{
	bool is_watched = false;
	const struct command_option options[] = {
		{'s', "strategy", .take = choose_strategy, .context = job},
		{0, "set", .take = set_option, .context = job},
		{0, "to", .take = choose_format, .context = job},
		{0, "yaml", .take = choose_yaml, .context = job},
		{0, "schema", .path = &job->schema},
		{0, "schema-ref", .take = add_schema_ref, .context = job},
		{0, "validate-formats", .flag = &job->validates_formats},
		{0, "header", .flag = &job->has_header},
		{0, "limit", .take = set_limit, .context = job},
		/* Former options. */
		{'w', "watch", .flag = &is_watched},
		{'0', "null", .flag = &is_watched},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (is_watched)
		return command_misuse(command,
			"--watch was removed; 'plyfs render --watch' keeps merged files up to "
			"date, and so does a mount");
	if (optind == argc)
		return command_misuse(command, "a file is missing");
	/* Such a strategy copies whole files, and does not write a format. */
	if (job->to && !strategy_reads_trees(job->strategy) && job->strategy->is_verbatim)
		return command_misuse(command,
			"the strategy '%s' copies whole files; --to can't convert them",
			job->strategy->name);
	return -1;
}

/* Returns the FILE of NAME=FILE, or NULL. A NAME has no slash, so "./a=b.yaml" is a file. */
static char *behind_name(char *argument)
{
	size_t len = strcspn(argument, "=/");

	return len > 0 && argument[len] == '=' ? argument + len + 1 : NULL;
}

/* Returns the FILE of [NAME=]FILE. */
static const char *file_of(char *argument)
{
	char *named = behind_name(argument);

	return named ? named : argument;
}

/* Returns the layer's name: "site" for "a/site.yaml". */
static struct span layer_of(const char *file)
{
	const char *start = path_name(file), *dot = strrchr(start, '.');

	return dot && dot > start ? (struct span){start, (size_t)(dot - start)} : span_of(start);
}

/* Reads the file of `argument` ([NAME=]FILE), and adds it as the highest layer. */
static int add_input(struct merge_job *job, char *argument, struct problem *problem)
{
	const char *named = behind_name(argument), *file = file_of(argument);
	bool is_stdin = strcmp(file, "-") == 0;
	struct span layer = named      ? (struct span){argument, (size_t)(named - argument) - 1}
			    : is_stdin ? span_of("stdin")
				       : layer_of(file);
	struct merge_input input = {
		.source = {.name = is_stdin ? INPUT_STDIN : file,
			.layer = arena_copy(job->arena, layer),
			.rank = job->input_count},
		.format = is_stdin ? &format_yaml : format_of_name(file),
	};
	char *text;
	size_t len, limit = job->limits.source_bytes;

	if (!input.source.layer)
		return -ENOMEM;
	int r = input_read(is_stdin ? NULL : file, limit, &text, &len, problem);
	if (r == -EFBIG)
		return problem_set(problem, input.source.name, 0, 0,
			"is larger than the limit of %zu bytes; raise it with '--limit source=64M'",
			limit);
	if (r != 0)
		return r;
	if (arena_adopt(job->arena, text, len + 1) < 0) {
		free(text);
		return -ENOMEM;
	}
	input.text = (struct span){text, len};
	return arena_push(job->arena, job->inputs, job->input_count, job->input_capacity, input);
}

/*
 * Returns job->to. If job->to is NULL, returns the format that the files' names imply; if they
 * imply no format, or different formats, YAML. Files without a suffix, and standard input, do not
 * count.
 */
static const struct format *format_to_write(const struct merge_job *job)
{
	const struct format *format = job->to;

	for (size_t i = 0; !job->to && i < job->input_count; i++) {
		const struct format *own = format_of_name(job->inputs[i].source.name);

		if (own && format && own != format)
			return format_of_tree(NULL);
		format = own ? own : format;
	}
	return format_of_tree(format);
}

/*
 * Reads a file without a known suffix in the format of the merged file, INI in its dialect, and
 * JSON with comments if the merged file may have them. Standard input is YAML, but for a dialect,
 * which no file's name tells.
 */
static void choose_formats(struct merge_job *job, const struct format *to)
{
	bool is_dialect = to->dialect && to != &format_ini;

	for (size_t i = 0; i < job->input_count; i++) {
		struct merge_input *input = &job->inputs[i];
		const struct format *own = format_of_name(input->source.name);

		if (own)
			input->format = format_within(to, own);
		else if (to != &format_json && (is_dialect || !input->format))
			input->format = to;
	}
}

static void complain(const struct merge_job *job, const struct problem *problem)
{
	message_problem(problem);
	if (place_is_secret(job->schemas))
		return;
	struct span text = data_search_text(&job->search, problem->source);
	for (uint32_t i = job->input_count; i-- > 0;)
		if (strcmp(job->inputs[i].source.name, problem->source) == 0)
			text = job->inputs[i].text;
	message_excerpt(stderr, MESSAGE_INDENT, problem, text);
}

/* Reports `result`, a failure of merge_files(); for PROBLEM, `problem`. Returns EXIT_FAILED. */
static int complain_of_merge(const struct merge_job *job, int result, const struct problem *problem)
{
	if (result != PROBLEM)
		return message_result(result, problem, NULL);
	for (size_t i = 0; i < job->validity.count; i++)
		complain(job, &job->validity.problems[i]);
	if (job->validity.count == 0)
		complain(job, problem);
	if (job->validity.more)
		message("%" PRIu64 " more places do not match the schema", job->validity.more);
	return EXIT_FAILED;
}

static int read_schema(
	struct merge_job *job, const struct schema_file **file, struct problem *problem)
{
	static const char *const none[] = {NULL};

	return job->schema ? settings_from_schema(job->schema,
				     job->schema_refs ? job->schema_refs : none,
				     job->validates_formats, &job->schemas, file, problem)
			   : 0;
}

/* A single file is copied unchanged, but it must be valid. */
static int parse_copied(const struct merge_request *request, const struct merge_result *result,
	struct problem *problem)
{
	const struct merge_input *only = &request->inputs[0];
	CLEANUP(document_freep) struct document *document = NULL;

	if (request->count > 1 || result->root || !strategy_reads_trees(request->options->strategy))
		return 0;
	const struct read_options options = read_options_for(request, only->format);
	return document_read(&only->source, only->text, &options, &document, problem);
}

/*
 * Reads the files, merges them and validates the result. Returns 0 with job->result; PROBLEM if a
 * step fails, or the result is not valid; or -errno.
 */
static int merge_files(struct merge_job *job, struct problem *problem)
{
	const struct options options = {job->strategy, job->set};
	const struct merge_environment environment = {
		.find = data_search_find, .context = &job->search};

	int r = 0;

	for (char **file = job->files; r == 0 && *file; file++)
		r = add_input(job, *file, problem);
	if (r != 0)
		return r;
	const struct format *to = format_to_write(job);
	choose_formats(job, to);
	const struct merge_request request = {
		.options = &options,
		.inputs = job->inputs,
		.count = job->input_count,
		.to = to,
		.schema = job->yaml,
		.limits = job->limits,
		.environment = &environment,
		.wants_header = job->has_header,
	};
	job->search = (struct data_search){
		.request = &request, .arena = job->arena, .documents = &job->documents};
	const struct schema_file *file;
	/* First: it says which words of the sources no message may show. */
	r = read_schema(job, &file, problem);
	if (r == 0)
		r = merge_run(&request, &job->result, problem);
	if (r == 0)
		r = parse_copied(&request, job->result, problem);
	if (r == PROBLEM && place_is_secret(job->schemas))
		problem_hide_word(problem);
	if (r == 0 && job->schema)
		r = validity_check_by(file->schema, &request, job->result, &job->validity, problem);
	job->search.request = NULL;
	return r;
}

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(merge_job_fini)
	struct merge_job job = {
		.strategy = strategy_find(span_of("deep")), .limits = LIMITS_DEFAULT};
	struct problem problem;

	if (arena_new(&job.arena) < 0)
		return message_result(-ENOMEM, NULL, NULL);
	int code = read_arguments(command, argc, argv, &job);
	if (code >= 0)
		return code;
	job.files = argv + optind;
	for (char **file = job.files; *file; file++)
		if (plyfs_mount_await(file_of(*file)) != EXIT_DONE)
			return EXIT_FAILED;
	int r = options_check(&(struct options){job.strategy, job.set}, &problem);
	if (r != 0)
		return complain_of_option(r, &problem);
	r = merge_files(&job, &problem);
	return r == 0 ? command_print(job.result->text.data, job.result->text.len)
		      : complain_of_merge(&job, r, &problem);
}

/* Widths, in columns. */
#define OPTION_INDENT 4
#define TEXT_INDENT 8

static void print_wrapped(const char *text, size_t indent)
{
	command_print_words(text, strlen(text), indent, indent);
	putchar('\n');
}

static void print_option(const struct option_spec *spec)
{
	printf("%*s%s=", OPTION_INDENT, "", spec->name);
	if (spec->choices) {
		printf("%s", spec->choices);
	} else {
		printf("%s", spec->type == OPTION_BOOL   ? "true|false"
			     : spec->type == OPTION_TEXT ? "TEXT"
							 : "VALUE");
	}
	if (*spec->fallback)
		printf("  (default: %s)", spec->fallback);
	printf("\n%*s", TEXT_INDENT, "");
	print_wrapped(spec->summary, TEXT_INDENT);
}

static void print_formats(void)
{
	printf("\nFormats (--to), most of them known by the names of files:\n\n");
	for (const struct format *const *at = format_all(); *at; at++) {
		printf("  %-12s ", (*at)->name);
		print_wrapped((*at)->summary, 15);
	}
}

/* Prints the strategies and their options from the table, so that the help is always right. */
static void print_tables(void)
{
	print_formats();
	printf("\n"
	       "Strategies (-s), and the options of each (--set):\n");
	for (const struct strategy *const *at = strategy_all(); *at; at++) {
		printf("\n  %-10s ", (*at)->name);
		print_wrapped((*at)->summary, 13);
		for (const struct option_spec *spec = (*at)->options; spec && spec->name; spec++)
			print_option(spec);
	}
}

const struct command command_merge = {
	.name = "merge",
	.synopsis = "[-s STRATEGY] [--set OPT=VALUE]... [--to FORMAT] [--header]\n"
		    "[--yaml VERSION] [--schema FILE] [--schema-ref FILE]... [--validate-formats] "
		    "[--limit NAME=VALUE]... [NAME=]FILE...",
	.summary = "merge files, without a mount",
	.help = "Merges the files, the lowest precedence first, and writes the result to standard "
		"output. A FILE of '-' is standard input. NAME is the file's name for the "
		"strategies; by default, it is the file name without its suffix.\n"
		"\n"
		"  -s, --strategy STRATEGY  how to merge; default: deep\n"
		"      --set OPT=VALUE      an option of the strategy; VALUE is YAML\n"
		"      --to FORMAT          the format to write; default: that of the files' "
		"names, else YAML. A dialect of INI is also the format of standard input and of "
		"files named *.ini or without a known suffix, jsonc that of files named *.json\n"
		"      --yaml VERSION       1.1 (default): yes is true; 1.2: yes is a text; a line "
		"%YAML in a file overrides it\n"
		"      --header             begin with a comment that names the files, if the "
		"format has comments\n"
		"      --schema FILE        validate the result by this JSON Schema; if it is not "
		"valid, up to a hundred errors are reported, and nothing is written\n"
		"      --schema-ref FILE    add a schema to which that of --schema refers by its "
		"$id or path\n"
		"      --validate-formats   check the formats that the schema demands, too\n"
		"      --limit NAME=VALUE   set source, result, depth, nodes or time, as in "
		"plyfs.yaml, such as source=64M\n",
	.print_more = print_tables,
	.run = run,
};
