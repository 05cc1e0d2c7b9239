/* plyfs ls: lists the merged tree without a mount, and says how the layers make each file. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cleanup.h"
#include "colour.h"
#include "column.h"
#include "command.h"
#include "explained_file.h"
#include "hidden.h"
#include "json_put.h"
#include "message.h"
#include "path.h"
#include "strategy.h"
#include "text.h"
#include "word.h"

/* The ways in which the layers make a name: systemd-delta's words, ordered as LS_WORDS. */
enum ls_type {
	LS_UNCHANGED,
	LS_EXTENDED,
	LS_OVERRIDDEN,
	LS_EQUIVALENT,
	LS_REDIRECTED,
	LS_MASKED,
	LS_DIRECTORY
};
#define LS_WORDS "unchanged, extended, overridden, equivalent, redirected, masked"

static const char *const ls_words[][2] = {{"unchanged", ""}, {"extended", COLOUR_GREEN},
	{"overridden", COLOUR_YELLOW}, {"equivalent", ""}, {"redirected", COLOUR_YELLOW},
	{"masked", COLOUR_RED}, {"directory", COLOUR_CYAN}};

struct ls_entry {
	const char *path;
	enum union_kind kind;
	enum ls_type type;
	layer_mask layers;    /* that make it; for a masked name: that have it */
	layer_mask hidden;    /* that have it as well, but do not count */
	const char *strategy; /* NULL: none */
	const char *mark;     /* the object that masks it; NULL: none */
	const char *target;   /* of a link; NULL: it is none */
};

struct ls_job {
	struct layer_choice choice;
	char *const *paths; /* the PATHs; ends with NULL */
	bool shows_all;
	enum { LS_NAMES, LS_LONG, LS_JSON } form;
	int depth;      /* as traversal.depth: 1; or -1: recursive */
	unsigned types; /* bits 1 << enum ls_type that --type wants; 0: it was not given */
	size_t printed; /* number of names and headings, of all PATHs */
	int code;       /* the highest exit code */

	/* of the present PATH: */
	struct settings *settings;
	struct offline *offline;
	const char *root;       /* the PATH in the layers */
	const char *directory;  /* that is searched for masked names */
	struct ls_entry *entry; /* that is examined */
	struct arena *arena;
	struct ls_entry *entries;
	size_t count;
	size_t capacity;
	int strategy_width; /* of -l */
	int layers_width;
};

static void take_code(struct ls_job *job, int code)
{
	job->code = code > job->code ? code : job->code;
}

/* Returns whether the name is listed: not too deep, and not hidden by a dot at its beginning. */
static bool is_listed(const struct ls_job *job, const char *path)
{
	const char *below = path_within(path, job->root);

	if (job->depth > 0 && strchr(below, '/'))
		return false;
	return job->shows_all || (*below != '.' && !strstr(below, "/."));
}

static int add_entry(struct ls_job *job, const struct ls_entry *entry)
{
	struct ls_entry copy = *entry;

	copy.path = arena_copy(job->arena, span_of(entry->path));
	return copy.path ? array_push(job->entries, job->count, job->capacity, copy) : -ENOMEM;
}

/* Adds a name that may be masked: examine_all() drops it if it is not. */
static int add_candidate(void *context, const char *name, unsigned char type)
{
	struct ls_job *job = context;
	struct ls_entry entry = {.kind = UNION_FILE, .type = LS_MASKED};
	CLEANUP(freep) char *path = NULL;

	if (path_join(job->directory, name, &path) < 0)
		return -ENOMEM;
	entry.path = path;
	entry.kind = type == DT_DIR ? UNION_DIRECTORY : UNION_FILE;
	return union_is_mark(name) || !is_listed(job, path) ? 0 : add_entry(job, &entry);
}

/* Reports the layers that can't be listed, and adds the names that may be masked. */
static int search_layers(struct ls_job *job, const struct traversed *found)
{
	if (!found->error && !job->shows_all && !(job->types & 1u << LS_MASKED))
		return 0;
	job->directory = found->path;
	for (size_t i = 0; i < job->settings->layer_count; i++) {
		const struct layer *layer = job->settings->layers[i];

		if (layer->dirfd < 0)
			continue;
		int r = layer_list(layer, found->path, add_candidate, job);
		if (layer_is_shortage(r))
			return r;
		/* A layer that is hidden here does not matter. */
		CLEANUP(freep) char *name = NULL;
		if (r == 0 || union_is_absent(r) || !(found->own & (layer_mask)1 << i))
			continue;
		if (layer_source_name(layer, found->path, &name) < 0)
			return -ENOMEM;
		take_code(job, message_at(name, "can't be listed: %s", text_error(r)));
	}
	return 0;
}

static int add_found(void *context, const struct traversed *found)
{
	struct ls_job *job = context;
	bool is_root = !*path_within(found->path, job->root);
	struct ls_entry entry = {.path = found->path, .kind = found->kind};

	if (!is_root && !is_listed(job, found->path))
		return 0;
	if (found->kind == UNION_DIRECTORY) {
		int r = is_root || job->depth < 0 ? search_layers(job, found) : 0;

		entry.type = LS_DIRECTORY;
		entry.layers = found->own;
		if (r != 0 || is_root)
			return r;
	}
	return add_entry(job, &entry);
}

/* Returns whether all sources, those that count and the others, have the same content. */
static bool is_equivalent(
	const struct composer *composer, const char *path, const struct union_lookup *lookup)
{
	struct loaded *all[LAYERS_MAX] = {NULL};
	struct problem ignored = {0};
	bool is_so = lookup->kind == UNION_FILE && lookup->count > 1;

	for (unsigned i = 0; is_so && i < lookup->count && i < LAYERS_MAX; i++) {
		const struct contributor *found = &lookup->found[i];
		const char *place = found->path ? found->path : path;

		is_so = compose_load(composer, place, found, NULL, &all[i], &ignored) == 0 &&
			span_equal(all[0]->text, all[i]->text);
	}
	for (unsigned i = 0; i < LAYERS_MAX; i++)
		loaded_unref(all[i]);
	return is_so;
}

static layer_mask layers_with(const struct settings *settings, const char *path)
{
	layer_mask layers = 0;
	struct stat found;

	for (size_t i = 0; i < settings->layer_count; i++)
		if (settings->layers[i]->dirfd >= 0 &&
			layer_stat(settings->layers[i], path, &found) == 0 &&
			union_kind_of(found.st_mode) != UNION_NONE)
			layers |= (layer_mask)1 << i;
	return layers;
}

static int examine(void *context, const struct composer *composer, const char *path,
	const struct union_lookup *lookup, struct problem *problem)
{
	struct ls_job *job = context;
	struct ls_entry *entry = job->entry;
	const struct strategy *strategy = compose_options(composer->settings, path)->strategy;
	unsigned first, count;
	int r = 0;

	compose_contributors(strategy, lookup, &first, &count);
	entry->layers = 0;
	for (unsigned i = first; i < first + count; i++) {
		const struct contributor *found = &lookup->found[i];
		struct loaded *loaded = NULL;

		entry->layers |= (layer_mask)1 << found->layer;
		if (found->error && r == 0)
			r = compose_load(composer, found->path ? found->path : path, found, NULL,
				&loaded, problem);
		loaded_unref(loaded);
	}
	entry->hidden = layers_with(composer->settings, path) & ~entry->layers;
	entry->kind = lookup->kind;
	if (count > 1)
		entry->type = LS_EXTENDED;
	else if (!entry->hidden)
		entry->type = LS_UNCHANGED;
	else if (lookup->kind == UNION_LINK)
		entry->type = LS_REDIRECTED;
	else
		entry->type = is_equivalent(composer, path, lookup) ? LS_EQUIVALENT : LS_OVERRIDDEN;
	if (lookup->kind != UNION_LINK) {
		entry->strategy = strategy->name;
		return r;
	}
	CLEANUP(freep) char *target = NULL;
	r = layer_read_link(composer->settings->layers[lookup->found[0].layer], path, &target);
	entry->target = arena_copy(job->arena, span_of(r == 0 ? target : ""));
	return entry->target && !layer_is_shortage(r) ? 0 : -ENOMEM;
}

/* Returns 1 if the candidate is masked, 0 if not, or -errno. */
static int examine_masked(struct ls_job *job, struct ls_entry *entry)
{
	CLEANUP(freep) struct hidden *hidden = malloc(sizeof(*hidden));
	CLEANUP(freep) char *mark = NULL;
	int r = hidden ? hidden_find(job->settings, (unsigned)job->settings->layer_count,
				 entry->path, hidden)
		       : -ENOMEM;

	if (r <= 0)
		return r;
	entry->layers = layers_with(job->settings, entry->path);
	if (hidden_mark_name(job->settings, hidden, &mark) < 0)
		return -ENOMEM;
	entry->mark = arena_copy(job->arena, span_of(mark));
	return entry->mark ? 1 : -ENOMEM;
}

/* Returns 1 if the entry is listed, 0 if not, or -errno. */
static int examine_entry(struct ls_job *job, struct ls_entry *entry)
{
	struct problem problem = {0};

	if (entry->type == LS_MASKED)
		return examine_masked(job, entry);
	if (entry->type == LS_DIRECTORY || (job->form == LS_NAMES && !job->types))
		return 1;
	job->entry = entry;
	int r = offline_look_at(job->offline, entry->path, examine, job, &problem);
	/* After the listing, the name has gone, or has become a directory. */
	if (r == -ENOENT || r == -ENOTDIR || r == -EISDIR)
		return 0;
	if (r == PROBLEM)
		take_code(job, message_problem(&problem));
	return r < 0 ? r : 1;
}

/* Prints "vendor:site" to `out` (NULL: prints nothing). Returns the number of its columns. */
static int put_names(FILE *out, const struct ls_job *job, layer_mask layers)
{
	size_t columns = 0;

	for (size_t i = 0; i < job->settings->layer_count; i++) {
		if (!(layers & (layer_mask)1 << i))
			continue;
		if (columns && out)
			fputc(':', out);
		columns += (columns > 0) + column_put(out, span_of(job->settings->layers[i]->name));
	}
	return (int)columns;
}

/* Widens the columns of -l. */
static void widen(struct ls_job *job, const struct ls_entry *entry)
{
	int strategy = entry->strategy ? (int)strlen(entry->strategy) : 1;
	int layers = put_names(NULL, job, entry->layers);

	job->strategy_width = strategy > job->strategy_width ? strategy : job->strategy_width;
	job->layers_width = layers > job->layers_width ? layers : job->layers_width;
}

/* A shown name comes before candidates of the same path. */
static int compare_entries(const void *a, const void *b)
{
	const struct ls_entry *x = a, *y = b;
	int order = traverse_compare(x->path, y->path);

	return order ? order : (x->type == LS_MASKED) - (y->type == LS_MASKED);
}

/* Sorts the entries, and drops candidates that are not masked, and types that are not wanted. */
static int examine_all(struct ls_job *job)
{
	const char *last = NULL;
	size_t kept = 0;
	int r = 0;

	if (job->count)
		qsort(job->entries, job->count, sizeof(*job->entries), compare_entries);
	for (size_t i = 0; r >= 0 && i < job->count; i++) {
		struct ls_entry *entry = &job->entries[i];
		bool is_known = last && strcmp(last, entry->path) == 0;

		last = entry->path;
		r = is_known ? 0 : examine_entry(job, entry);
		if (r > 0 && job->form == LS_LONG)
			widen(job, entry);
		if (r > 0 && (!job->types || entry->type == LS_DIRECTORY ||
				     job->types & 1u << entry->type))
			job->entries[kept++] = *entry;
	}
	job->count = kept;
	return r < 0 ? r : 0;
}

/* A program gets the bytes; a terminal gets no control characters. */
static void print_name(const char *name)
{
	if (isatty(STDOUT_FILENO))
		column_put(stdout, span_of(name));
	else
		fputs(name, stdout);
}

/* Prints "BEFORE TEXT AFTER"; nothing without a text. */
static void print_part(const char *before, const char *text, const char *after)
{
	if (!text || !*text)
		return;
	fputs(before, stdout);
	print_name(text);
	fputs(after, stdout);
}

static void print_entry(struct ls_job *job, const struct ls_entry *entry, const char *name)
{
	const char *on = colour_use(STDOUT_FILENO) ? ls_words[entry->type][1] : "";
	const char *off = *on ? COLOUR_NORMAL : "";

	if (job->form == LS_LONG) {
		printf("%s%-10s%s  %-*s  ", on, ls_words[entry->type][0], off, job->strategy_width,
			entry->strategy ? entry->strategy : "-");
		printf("%*s  ", job->layers_width - put_names(stdout, job, entry->layers), "");
	}
	print_part(on, name, off);
	if (job->form == LS_LONG) {
		fputs(entry->kind == UNION_DIRECTORY ? "/" : "", stdout);
		print_part(" -> ", entry->target, "");
		print_part("  (hidden by ", entry->mark, ")");
		fputs(entry->hidden ? "  (hides " : "", stdout);
		put_names(stdout, job, entry->hidden);
		fputs(entry->hidden ? ")" : "", stdout);
	}
	putchar('\n');
	job->printed++;
}

/* Returns the entry's name if it is in the directory; NULL: it lies elsewhere. */
static const char *name_in(const struct ls_entry *entry, const char *directory)
{
	const char *name = path_within(entry->path, directory);

	return name && *name && !strchr(name, '/') ? name : NULL;
}

static void print_heading(struct ls_job *job, const char *typed, const char *directory)
{
	const char *below = path_within(directory, job->root);

	if (job->printed++)
		putchar('\n');
	print_name(typed);
	if (*below && typed[strlen(typed) - 1] != '/')
		putchar('/');
	print_name(below);
	puts(":");
}

/* With --type, directories are only headings. */
static void print_directory(struct ls_job *job, const char *typed, const char *directory)
{
	bool has_heading = job->depth > 0 && !job->paths[1];

	if (!has_heading && !job->types) {
		print_heading(job, typed, directory);
		has_heading = true;
	}
	for (size_t i = 0; i < job->count; i++) {
		const char *name = name_in(&job->entries[i], directory);
		if (!name || (job->types && job->entries[i].type == LS_DIRECTORY))
			continue;
		if (!has_heading)
			print_heading(job, typed, directory);
		has_heading = true;
		print_entry(job, &job->entries[i], name);
	}
}

static void put_layers(const struct ls_job *job, const char *name, layer_mask layers)
{
	struct json *out = JSON(stdout);

	json_put(out, ", %s: [", name);
	for (size_t i = 0; i < job->settings->layer_count; i++)
		if (layers & (layer_mask)1 << i)
			json_put(out, ", %s", job->settings->layers[i]->name);
	json_put(out, "]");
}

static void put_entry(struct ls_job *job, const struct ls_entry *entry)
{
	static const char *const kinds[] = {"none", "file", "directory", "link"};

	fputs(job->printed++ ? ",\n  " : "\n  ", stdout);
	json_put(JSON(stdout), "{'path': %s, 'kind': %s", entry->path, kinds[entry->kind]);
	if (entry->type != LS_DIRECTORY)
		json_put(JSON(stdout), ", 'type': %s", ls_words[entry->type][0]);
	if (entry->strategy)
		json_put(JSON(stdout), ", 'strategy': %s", entry->strategy);
	put_layers(job, "layers", entry->layers);
	if (entry->hidden)
		put_layers(job, "hides", entry->hidden);
	if (entry->mark)
		json_put(JSON(stdout), ", 'hidden_by': %s", entry->mark);
	if (entry->target)
		json_put(JSON(stdout), ", 'target': %s", entry->target);
	putchar('}');
}

static void print_all(struct ls_job *job, const char *typed)
{
	size_t count = job->count;

	for (size_t i = 0; job->form == LS_JSON && i < count; i++)
		if (!job->types || job->entries[i].type != LS_DIRECTORY)
			put_entry(job, &job->entries[i]);
	if (job->form == LS_JSON)
		return;
	/* PATH is a file. */
	if (count == 1 && strcmp(job->entries[0].path, job->root) == 0) {
		print_entry(job, &job->entries[0], typed);
		return;
	}
	print_directory(job, typed, job->root);
	for (size_t i = 0; job->depth < 0 && i < count; i++)
		if (job->entries[i].type == LS_DIRECTORY)
			print_directory(job, typed, job->entries[i].path);
}

static int list_path(const struct command *command, struct ls_job *job, const char *typed)
{
	CLEANUP(freep) char *inner = NULL;
	CLEANUP(explained_file_fini) struct explained_file subject = {0};
	int code = explained_file_find(
		command, &job->choice, typed, PREFIXED_PATH_OLD, &subject, &inner);

	if (code == EXIT_DONE && arena_new(&job->arena) < 0)
		code = message_result(-ENOMEM, NULL, NULL);
	if (code == EXIT_DONE) {
		job->settings = subject.settings;
		job->offline = subject.offline;
		const struct traversal traversal = {.settings = job->settings,
			.finder = offline_finder(job->offline),
			/* The names of directories in the directory belong to it. */
			.depth = job->depth,
			.each = add_found,
			.context = job};

		job->root = inner;
		job->strategy_width = job->layers_width = 0;
		int r = traverse(&traversal, inner);
		if (r == 0)
			r = examine_all(job);
		if (r == 0)
			print_all(job, typed);
		else
			code = layer_choice_complain_in(job->settings, typed, inner, r, NULL);
	}
	arena_free(take_ptr(job->arena));
	free(take_ptr(job->entries));
	job->count = job->capacity = 0;
	return code;
}

static int take_types(const struct command *command, void *context, const char *words)
{
	struct ls_job *job = context;

	while (*words) {
		struct span word = {words, strcspn(words, ",")};
		int type = word_index(LS_WORDS, word);

		if (type < 0)
			return command_misuse(command,
				"there is no type '%.*s'; the types are " LS_WORDS, (int)word.len,
				word.data);
		job->types |= 1u << type;
		words += word.len + (words[word.len] == ',');
	}
	return job->types ? EXIT_DONE
			  : command_misuse(command, "--type is one or more of: " LS_WORDS);
}

/* Returns whether -l was meant as other commands have it: "-l LAYER:LAYER". */
static bool is_of_layers(const struct ls_job *job, const char *path)
{
	return !layer_choice_text(&job->choice) && path && strchr(path, ':') &&
	       access(path, F_OK) < 0;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct ls_job job = {0};
	bool is_long = false, is_recursive = false;
	const struct command_option options[] = {
		{'c', "config", .take = command_once, .context = &job.choice.config},
		{0, "layers", .take = command_once, .context = &job.choice.layers},
		LAYER_CHOICE_OTHERS_OPTIONS(&job.choice.around),
		{'a', "all", .flag = &job.shows_all},
		{'l', "long", .flag = &is_long},
		{'R', "recursive", .flag = &is_recursive},
		{'t', "type", .take = take_types, .context = &job},
		{0, "json"},
		{0, "color", .take = command_colour},
		{0},
	};
	char *const here[] = {".", NULL};

	int code = command_options(command, options, argc, argv);
	if (code >= 0)
		return code;
	if (layer_choice_is_double(command, &job.choice))
		return EXIT_WRONG_USE;
	if (is_long && is_of_layers(&job, argv[optind]))
		return command_misuse(command,
			"-l is the long list here; give layers with --layers %s", argv[optind]);
	job.paths = optind < argc ? argv + optind : here;
	job.form = message_is_json() ? LS_JSON : is_long ? LS_LONG : LS_NAMES;
	job.depth = is_recursive ? -1 : 1;
	if (job.form == LS_JSON)
		json_put(JSON(stdout), "{'files': [");
	for (char *const *path = job.paths; *path; path++)
		take_code(&job, list_path(command, &job, *path));
	if (job.form == LS_JSON)
		puts("\n]}");
	return job.code;
}

const struct command command_ls = {
	.name = "ls",
	.synopsis = "[-alR] [-t TYPE,...] [--json] -c CONFIG [PATH...]\n"
		    "[-alR] [-t TYPE,...] [--json] --layers LAYER[:LAYER...] [PATH...]\n"
		    "[-alR] [-t TYPE,...] [--json] [PATH...]",
	.summary = "list the merged tree, and which layers make each file",
	.help = "Lists the directory PATH of the merged tree, without a mount. PATH is relative to "
		"the layers; with neither -c nor --layers it is a path in a mount. Without PATH, "
		"lists the root, or the current directory in a mount. -l says how each file is "
		"made:\n"
		"\n"
		"  unchanged   only one layer has it\n"
		"  extended    it is made of several sources\n"
		"  overridden  one layer's file is shown, and hides those of others\n"
		"  equivalent  overridden, but all have the same content\n"
		"  redirected  a symbolic link hides what lower layers have\n"
		"  masked      a higher layer hides it; listed with -a or -t masked\n"
		"\n"
		"  -a, --all                       also names that begin with '.', and masked "
		"ones\n"
		"  -l, --long                      with type, strategy and layers\n"
		"  -R, --recursive                 also the directories below\n"
		"  -t, --type TYPE,...             only files of these types\n"
		"  -c, --config CONFIG             a plyfs.yaml\n"
		"      --layers LAYER[:LAYER...]   layers, the lowest precedence "
		"first\n" LAYER_CHOICE_OTHERS_HELP
		"      --json                      as JSON, for programs\n"
		"      --color always|auto|never   auto: on a terminal, unless NO_COLOR is set\n",
	.run = run,
};
