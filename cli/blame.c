/* plyfs blame: prints a merged file, each line with its layer, file and line. */
#include "blame.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "colour.h"
#include "column.h"
#include "command.h"
#include "descriptor.h"
#include "explained_file.h"
#include "json_put.h"
#include "message.h"
#include "place.h"
#include "probe.h"
#include "shown.h"
#include "strategy.h"
#include "text.h"

/* In bytes: many small pieces are written. */
#define BUFFER_SIZE (1u << 16)

/* Bytes of an author's name with its NUL, in the text. */
#define AUTHOR_SIZE 32

struct blame_request {
	struct layer_choice choice;
	const char *path;
	const char *page; /* the file for the page, "-" for standard output; NULL: none */
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
	const struct layer *layer = settings_layer(blame->settings, source->layer);
	const char *inner = layer ? place_in_layer(layer, source->name) : NULL;

	return stored ? stored->text : inner ? inner : source->name;
}

struct blame_file {
	const struct store_place *place;
	struct line_authors *authors; /* NULL: they can't be found */
};

/* Reads the history of a file, if it is new. NULL: no memory. */
static const struct blame_file *read_history(
	struct blame_authors *authors, const struct store_place *place)
{
	struct blame_file file = {.place = place};
	struct problem problem;

	for (size_t i = 0; i < authors->count; i++)
		if (authors->files[i].place == place)
			return &authors->files[i];
	if (array_grow(authors->files, authors->count, authors->capacity) < 0)
		return NULL;
	int r = line_authors_read(
		place->store, place->revision, place->name, &file.authors, &problem);
	if (r != 0)
		message_result(r, &problem, place->text);
	authors->files[authors->count] = file;
	return &authors->files[authors->count++];
}

const struct line_author *blame_author(struct blame_authors *authors, const struct line *line)
{
	bool is_stored = authors->places->count > 0 && line->source;
	const struct store_place *place =
		is_stored ? store_places_find(authors->places, line->source) : NULL;

	if (!place || place->store->kind != STORE_GIT || !*place->revision)
		return NULL;
	const struct blame_file *file = read_history(authors, place);
	return file && file->authors ? line_authors_get(file->authors, line->source_line) : NULL;
}

static void authors_fini(struct blame_authors *authors)
{
	for (size_t i = 0; i < authors->count; i++)
		line_authors_freep(&authors->files[i].authors);
	free(authors->files);
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
		message_at(explanation->source.name, "can't be read: %s", text_error(r));
		return r;
	}
	held->source = explanation->source;
	struct span text = {held->text, held->version->size};
	return line_origins_copy(text, &held->source, ret);
}

/* Returns the layer that `path` lies in; it is absolute and has no links. Shortens `path`. */
static const struct layer *layer_of(const struct settings *settings, char *path)
{
	struct stat at;

	do {
		path = dirname(path);
		for (size_t i = 0; stat(path, &at) == 0 && i < settings->layer_count; i++)
			if (layer_is(settings->layers[i], &at))
				return settings->layers[i];
	} while (strcmp(path, "/") != 0);
	return NULL;
}

/*
 * Finds the real path of the file, which need not exist. Returns 0 with *ret for free(3), or
 * -errno.
 */
static int real_path(const char *path, char **ret)
{
	CLEANUP(freep) char *copy = strdup(path), *directory = NULL;

	int r = probe_real_path(PROBE_MS, path, ret);
	if (r != -ENOENT)
		return r;
	if (!copy)
		return -ENOMEM;
	r = probe_real_path(PROBE_MS, dirname(copy), &directory);
	if (r < 0)
		return r;
	/* The last name does not matter: only its directory is examined. */
	return text_format(ret, "%s/.", directory);
}

static int complain_of_page(const char *path, int error)
{
	return message("can't write to '%s': %s", path, text_error(-error));
}

/* Empties the file at `path`, unless it has other names: one may be that of a source. */
static int empty_page(const char *path, int fd)
{
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return complain_of_page(path, errno);
	if (S_ISREG(stat.st_mode) && stat.st_nlink > 1)
		return message("'%s' has other names (hard links), and may be a file in a layer; "
			       "remove it first, or give a file elsewhere",
			path);
	return S_ISREG(stat.st_mode) && ftruncate(fd, 0) < 0 ? complain_of_page(path, errno)
							     : EXIT_DONE;
}

/*
 * Opens the file for the page, unless it is in a layer: an existing file there is a source, which
 * would be lost, and a new file would become one. Returns EXIT_DONE with *ret for fclose(3), or
 * EXIT_FAILED after an error message.
 */
static int open_page(const struct settings *settings, const char *path, mode_t mode, FILE **ret)
{
	CLEANUP(freep) char *real = NULL;
	struct stat link;

	int r = real_path(path, &real);
	if (r < 0)
		return complain_of_page(path, -r);
	if (access(path, F_OK) < 0 && lstat(path, &link) == 0)
		return message("'%s' is a link that leads nowhere; give a file elsewhere", path);
	const struct layer *layer = layer_of(settings, real);
	if (layer)
		return message(
			"'%s' is in the layer '%s'; give a file elsewhere", path, layer->name);
	CLEANUP(closep) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	if (fd >= 0 && empty_page(path, fd) != EXIT_DONE)
		return EXIT_FAILED;
	*ret = fd < 0 ? NULL : fdopen(fd, "w");
	if (!*ret)
		return complain_of_page(path, errno);
	(void)take_fd(&fd);
	return EXIT_DONE;
}

static int print_page(const struct blame *blame, const char *path)
{
	FILE *out = stdout;

	if (strcmp(path, "-") != 0 &&
		open_page(blame->settings, path, blame->mode, &out) != EXIT_DONE)
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

static void print_line(const struct blame *blame, size_t number, struct json *out)
{
	const struct line *line = &blame->lines->lines[number - 1];
	const struct line_author *author = blame_author(blame->authors, line);
	const struct store_place *place =
		line->source ? store_places_find(blame->places, line->source) : NULL;

	json_put(out, ",\n    {'number': %zu, 'text': ", number);
	json_put_span(out, line->text);
	if (line->source) {
		json_put(out, ", 'layer': %s, 'file': %s", line->source->layer, line->source->name);
		if (place)
			store_place_put_json(place, out);
		json_put(out, ", 'line': %" PRIu32 ", 'column': %" PRIu32, line->source_line,
			line->source_column);
	}
	if (author)
		json_put(out,
			", 'changed': {'commit': %s, 'author': %s, 'time': %" PRId64
			", 'summary': %s}",
			author->commit, author->name, author->time, author->summary);
	json_put(out, "}");
}

static void print_json(const struct blame *blame, struct json *out)
{
	const struct line_origins *lines = blame->lines;

	json_put(out, "{\n  'path': %s,\n  'strategy': %s,\n  'lines': [", blame->path,
		blame->strategy);
	for (size_t i = 0; i < lines->count; i++)
		print_line(blame, i + 1, out);
	json_put(out, "\n  ]\n}\n");
}

/*
 * The text has columns:
 *
 *      vendor  app.yaml:2   1) server:
 *      site    app.yaml:3   2)   port: 8080
 *
 * For a layer that is a mirror of git, the commit and the author stand behind the place.
 */
struct widths {
	size_t layer;
	size_t place;
	size_t author; /* 0: no line has an author */
	size_t number;
};

/* Distinct on light and dark terminals. The layers' names distinguish them, too. */
static const char *const layer_colours[] = {
	"\033[36m", "\033[33m", "\033[32m", "\033[35m", "\033[34m", "\033[31m"};

#define LAYER_COLOURS (sizeof(layer_colours) / sizeof(*layer_colours))

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t show_name(const struct line_author *author, char ret[AUTHOR_SIZE])
{
	shown_head(ret, AUTHOR_SIZE, author->name);
	return column_put(NULL, span_of(ret));
}

static struct widths measure(const struct blame *blame)
{
	const struct line_origins *origins = blame->lines;
	struct widths widths = {.layer = 1, .number = column_digits(origins->count)};
	const struct source *last = NULL;
	char name_shown[AUTHOR_SIZE];
	size_t name = 0;

	for (size_t i = 0; i < origins->count; i++) {
		const struct line *line = &origins->lines[i];

		if (!line->source)
			continue;
		if (line->source != last) {
			name = column_put(NULL, span_of(blame_place(blame, line->source)));
			widths.layer = larger(
				widths.layer, column_put(NULL, span_of(line->source->layer)));
		}
		last = line->source;
		const struct line_author *author = blame_author(blame->authors, line);
		if (author)
			widths.author = larger(widths.author, show_name(author, name_shown));
		widths.place = larger(widths.place, name + 1 + column_digits(line->source_line));
	}
	return widths;
}

static void add_blanks(struct output *out, size_t from, size_t to)
{
	output_spaces(out, to > from ? to - from : 0);
}

static void add_author(
	struct output *out, const struct line_author *author, const struct widths *widths)
{
	char name[AUTHOR_SIZE];
	size_t width = 0;

	if (author) {
		width = 3 + BLAME_COMMIT_WIDTH + show_name(author, name);
		output_string(out, "  ");
		output_put(out, author->commit, strnlen(author->commit, BLAME_COMMIT_WIDTH));
		output_char(out, ' ');
		output_string(out, name);
	}
	add_blanks(out, width, 3 + BLAME_COMMIT_WIDTH + widths->author);
}

/* A line up to its number in the source. Most lines are from the source of the line before them. */
struct line_head {
	const struct source *source;
	struct output text;
	size_t place_width;
};

static void line_head_fini(struct line_head *head)
{
	output_fini(&head->text);
}

static void line_head_set(struct line_head *head, const struct blame *blame,
	const struct source *source, const struct widths *widths, bool is_coloured)
{
	struct output *text = &head->text;

	head->source = source;
	text->len = 0;
	if (is_coloured)
		output_string(text, layer_colours[blame_layer(blame, source) % LAYER_COLOURS]);
	add_blanks(text, column_add(text, span_of(source->layer)), widths->layer + 2);
	if (is_coloured)
		output_string(text, COLOUR_DIM);
	head->place_width = column_add(text, span_of(blame_place(blame, source))) + 1;
	output_char(text, ':');
}

static void add_line(struct output *out, const struct blame *blame, size_t i,
	const struct widths *widths, bool is_coloured, struct line_head *head)
{
	const struct line *line = &blame->lines->lines[i];

	if (line->source) {
		if (line->source != head->source)
			line_head_set(head, blame, line->source, widths, is_coloured);
		output_put(out, head->text.data, head->text.len);
		size_t digits = column_add_number(out, line->source_line, 0);
		if (is_coloured)
			output_string(out, COLOUR_NORMAL);
		add_blanks(out, head->place_width + digits, widths->place);
	} else {
		output_string(out, is_coloured ? COLOUR_DIM "-" COLOUR_NORMAL : "-");
		add_blanks(out, 1, widths->layer + 2 + widths->place);
	}
	if (widths->author)
		add_author(out, blame_author(blame->authors, line), widths);
	output_string(out, is_coloured ? "  " COLOUR_DIM : "  ");
	column_add_number(out, i + 1, widths->number);
	output_string(out, is_coloured ? ")" COLOUR_NORMAL : ")");
	if (line->text.len > 0)
		output_char(out, ' ');
	column_add(out, line->text);
	output_char(out, '\n');
}

static int print_text(const struct blame *blame, bool is_coloured, FILE *file)
{
	const struct widths widths = measure(blame);
	CLEANUP(output_fini) struct output out = {.max = SIZE_MAX, .guess = 2 * BUFFER_SIZE};
	CLEANUP(line_head_fini) struct line_head head = {.text.max = SIZE_MAX};

	for (size_t i = 0; i < blame->lines->count; i++) {
		add_line(&out, blame, i, &widths, is_coloured, &head);
		if (out.failure || head.text.failure)
			return message_at(blame->path, "can't be printed: %s", text_error(-ENOMEM));
		if (out.len >= BUFFER_SIZE || i + 1 == blame->lines->count) {
			fwrite(out.data, 1, out.len, file);
			out.len = 0;
		}
	}
	return EXIT_DONE;
}

static int print(const struct blame_request *request, const struct blame *blame)
{
	if (request->page)
		return print_page(blame, request->page);
	setvbuf(stdout, NULL, _IOFBF, BUFFER_SIZE);
	if (!message_is_json())
		return print_text(blame, colour_use(STDOUT_FILENO), stdout);
	print_json(blame, JSON(stdout));
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
			explanation->source.name);
	int r = explanation->kind == VERSION_HELD
			? read_held(subject, &held, &lines)
			: line_origins_read(explanation->request, explanation->result, &lines);
	if (r == -ENOMEM)
		message_at(request->path, "its lines can't be traced: %s", text_error(r));
	if (r != 0)
		return EXIT_FAILED;
	CLEANUP(authors_fini)
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

static int run(const struct command *command, int argc, char **argv)
{
	CLEANUP(explained_file_fini) struct explained_file subject = {0};
	struct blame_request request = {0};
	const struct command_option options[] = {
		LAYER_CHOICE_OPTIONS(&request.choice),
		{0, "json"},
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
	if (message_is_json() && request.page)
		return command_misuse(command, "--json and --html are two things; give one");
	if (request.page && request.page[0] == '-' && request.page[1])
		return command_misuse(command,
			"--html needs a file, and '%s' looks like an option; write ./%s",
			request.page, request.page);
	request.path = argv[optind];
	code = explained_file_open(command, &request.choice, request.path, &subject);
	return code == EXIT_DONE ? print_blame(&request, &subject) : code;
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
