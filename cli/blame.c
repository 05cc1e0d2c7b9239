/* plyfs blame: prints a merged file, each line with its layer, file and line. */
#include "blame.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "colour.h"
#include "command.h"
#include "explained_file.h"
#include "message.h"
#include "output_file.h"
#include "strategy.h"
#include "text.h"

/* In bytes: many small pieces are written. */
#define BUFFER_SIZE (1u << 16)

struct blame_request {
	struct layer_choice choice;
	const char *path;
	const char *page; /* the file for the page, "-" for standard output; NULL: none */
	bool is_json;
};

/*
 * The text of a file that one layer has and that is too large to be merged; read as a mount would.
 */
struct held {
	struct version *version;
	char *text;
	struct source source;
};

static void held_fini(struct held *held)
{
	version_unref(held->version);
	free(held->text);
}

size_t blame_layer(const struct blame *blame, const struct source *source)
{
	const struct layer *layer = settings_layer(blame->settings, source->layer);

	return layer ? layer->rank : blame->settings->layer_count;
}

const char *blame_place(const struct blame *blame, const struct source *source)
{
	const struct store_place *stored = store_places_find(blame->places, source);
	size_t layer = blame_layer(blame, source), len;

	if (stored)
		return stored->text;
	if (layer == blame->settings->layer_count)
		return source->name;
	const char *root = blame->settings->layers[layer]->path;
	len = strlen(root);
	if (strncmp(source->name, root, len) != 0)
		return source->name;
	const char *place = source->name + len + strspn(source->name + len, "/");
	return place > source->name + len || root[len - 1] == '/' ? place : source->name;
}

static int read_held(
	const struct explained_file *subject, struct held *held, struct line_origins **ret)
{
	const struct explanation *explanation = subject->explanation;
	struct problem problem;

	int r = offline_read(subject->offline, explanation->path, &held->version, &problem);
	if (r == PROBLEM) {
		message_problem(&problem);
		return r;
	}
	if (r == 0 && held->version->size > subject->settings->options.limits.result_bytes)
		r = -EFBIG;
	if (r == 0)
		r = version_read_all(held->version, &held->text);
	if (r < 0) {
		message_at(explanation->source, "can't be read: %s", text_error(r));
		return r;
	}
	held->source = (struct source){.name = explanation->source,
		.layer = held->version->layers,
		.rank = explanation->rank};
	struct span text = {held->text, held->version->size};
	return line_origins_copy(text, &held->source, ret);
}

static int read_lines(
	const struct explained_file *subject, struct held *held, struct line_origins **ret)
{
	const struct explanation *explanation = subject->explanation;

	if (explanation->kind == VERSION_HELD)
		return read_held(subject, held, ret);
	return line_origins_read(explanation->request, explanation->result, ret);
}

static int print_page(const struct blame *blame, const char *path)
{
	FILE *out = stdout;

	if (strcmp(path, "-") != 0 &&
		output_file_open(blame->settings, path, blame->mode, &out) != EXIT_DONE)
		return EXIT_FAILED;
	int r = blame_print_page(blame, out);
	if (r < 0)
		message_at(blame->path, "its page can't be made: %s", text_error(r));
	if (out == stdout)
		return r < 0 ? EXIT_FAILED : EXIT_DONE;
	bool has_failed = ferror(out);
	if (fclose(out) != 0 || has_failed)
		return message("can't write to '%s': %s", path, text_error(-errno));
	return r < 0 ? EXIT_FAILED : EXIT_DONE;
}

static int print(const struct blame_request *request, const struct blame *blame)
{
	if (request->page)
		return print_page(blame, request->page);
	setvbuf(stdout, NULL, _IOFBF, BUFFER_SIZE);
	if (request->is_json)
		blame_print_json(blame, stdout);
	else
		blame_print_text(blame, colour_use(STDOUT_FILENO), stdout);
	return EXIT_DONE;
}

static int print_blame(const struct blame_request *request, const struct explained_file *subject)
{
	const struct explanation *explanation = subject->explanation;
	CLEANUP(line_origins_freep) struct line_origins *lines = NULL;
	CLEANUP(held_fini) struct held held = {0};

	if (explanation->kind == VERSION_LINK)
		return message_at(request->path,
			"is a symbolic link (%s); give the path that it leads to",
			explanation->source);
	int r = read_lines(subject, &held, &lines);
	if (r == -ENOMEM)
		message_at(request->path, "its lines can't be traced: %s", text_error(r));
	if (r != 0)
		return EXIT_FAILED;
	CLEANUP(blame_authors_fini)
	struct blame_authors authors = {.places = &explanation->places};
	const struct blame blame = {
		.path = explanation->path,
		.strategy = compose_options(subject->settings, explanation->path)->strategy->name,
		.settings = subject->settings,
		.mode = explanation->mode,
		.lines = lines,
		.places = &explanation->places,
		.authors = &authors,
		.origins = explanation->kind == VERSION_BYTES ? explanation->result->origins : NULL,
	};
	return print(request, &blame);
}

static int run_request(const struct command *command, const struct blame_request *request)
{
	CLEANUP(explained_file_fini) struct explained_file subject;
	int code = explained_file_open(command, &request->choice, request->path, &subject);

	return code == EXIT_DONE ? print_blame(request, &subject) : code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct blame_request request = {0};
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&request.choice),
		{0, "json", .flag = &request.is_json},
		{0, "html", .text = &request.page},
		{0, "color", .take = command_colour},
		{0},
	};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return command_misuse(command, "a path is missing");
	if (argc - optind > 1)
		return command_misuse(command, "one path at a time");
	if (layer_choice_is_double(command, &request.choice))
		return EXIT_WRONG_USE;
	if (request.is_json && request.page)
		return command_misuse(command, "--json and --html are two things; give one");
	if (request.page && request.page[0] == '-' && request.page[1])
		return command_misuse(command,
			"--html needs a file, and '%s' looks like an option; write ./%s",
			request.page, request.page);
	request.path = argv[optind];
	return run_request(command, &request);
}

const struct command command_blame = {
	.name = "blame",
	.synopsis = "[OPTION...] -c CONFIG PATH\n[OPTION...] -l LAYER[:LAYER...] PATH\n"
		    "[OPTION...] PATH",
	.summary = "print a merged file, each line with the place that it comes from",
	.help = "Prints the merged file, each line with the layer, file and line that it comes "
		"from. PATH is relative to the layers; with neither -c nor -l it is a path in a "
		"mount.\n"
		"\n" LAYER_CHOICE_HELP
		"      --html FILE                 a page for a browser; - is standard output\n"
		"      --json                      JSON, for programs\n"
		"      --color always|auto|never   colours; auto: on a terminal\n",
	.run = run,
};
