#include "data_search.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "outside.h"
#include "text.h"

/*
 * Maximum number of directories in a search. A data path with more is most likely wrong, such as /.
 */
#define DATA_SEARCH_DIRECTORIES_MAX 100000

/* A directory with all its subdirectories, in the order of the search. */
struct data_search_tree {
	const char **paths; /* the first is the one asked for; each ends with a slash, but "" */
	uint32_t count;
	uint32_t capacity;
	struct data_search_tree *next;
};

struct data_search_file {
	struct merge_input input; /* `document` NULL: its format is unknown */
	struct data_search_file *next;
};

static bool is_directory(const char *path, const struct dirent *entry)
{
	CLEANUP(freep) char *inner = NULL;
	struct stat found;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return asprintf(&inner, "%s%s", path, entry->d_name) >= 0 && lstat(inner, &found) == 0 &&
	       S_ISDIR(found.st_mode);
}

static int tree_scan(
	struct data_search_tree *tree, uint32_t index, struct arena *arena, struct problem *problem)
{
	const char *path = tree->paths[index];
	struct dirent **entries;
	int r = 0;

	/* The program has no locale: alphasort(3) compares bytes. */
	int count = scandir(*path ? path : ".", &entries, NULL, alphasort);
	if (count < 0 && index > 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0; /* it was removed meanwhile */
	if (count < 0)
		return problem_set(problem, *path ? path : ".", 0, 0, "can't be searched: %s",
			text_error(-errno));

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name, *inner = NULL;

		if (r == 0 && *name != '.' && is_directory(path, entries[i])) {
			inner = arena_printf(arena, "%s%s/", path, name);
			r = inner ? arena_push(
					    arena, tree->paths, tree->count, tree->capacity, inner)
				  : -ENOMEM;
		}
		free(entries[i]);
	}
	free(entries);
	return r;
}

/* Searches a directory. Returns 0, MERGE_ABSENT if it does not exist, PROBLEM or -ENOMEM. */
static int tree_new(struct data_search *search, const char *directory, const char *path,
	const struct data_search_tree **ret, struct problem *problem)
{
	struct data_search_tree *tree = arena_zalloc(search->arena, 1, sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	if (*directory && access(directory, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR))
		return MERGE_ABSENT;
	int r = arena_push(search->arena, tree->paths, tree->count, tree->capacity, path);
	for (uint32_t i = 0; r == 0 && i < tree->count; i++) {
		if (tree->count > DATA_SEARCH_DIRECTORIES_MAX)
			return problem_set(problem, *directory ? directory : ".", 0, 0,
				"has more than %d directories in it; name one that holds the data "
				"only",
				DATA_SEARCH_DIRECTORIES_MAX);
		r = tree_scan(tree, i, search->arena, problem);
	}
	if (r != 0)
		return r;
	tree->next = search->trees;
	*ret = search->trees = tree;
	return 0;
}

static int find_tree(struct data_search *search, const char *directory,
	const struct data_search_tree **ret, struct problem *problem)
{
	const char *path = arena_printf(search->arena, "%s%s", directory, *directory ? "/" : "");

	if (!path)
		return -ENOMEM;
	*ret = search->trees;
	while (*ret && strcmp((*ret)->paths[0], path) != 0)
		*ret = (*ret)->next;
	return *ret ? 0 : tree_new(search, directory, path, ret, problem);
}

/* Takes the file's text. A file that does not parse is kept for its excerpt. */
static int take_file(struct data_search *search, char *text, size_t len, const char *name,
	const struct merge_input **ret, struct problem *problem)
{
	struct data_search_file *file = arena_zalloc(search->arena, 1, sizeof(*file));
	const char *copy = arena_copy(search->arena, span_of(name));
	struct document *document = NULL;

	if (!file || !copy || arena_adopt(search->arena, text, len + 1) < 0) {
		free(text);
		return -ENOMEM;
	}
	file->input = (struct merge_input){
		.source = {.name = copy, .layer = ""},
		.format = format_of_name(name),
		.text = {text, len},
	};
	file->next = search->files;
	search->files = file;
	const struct read_options options = read_options_for(search->request, file->input.format);
	int r = file->input.format ? document_read(&file->input.source, file->input.text, &options,
					     &document, problem)
				   : 0;
	if (r == 0 && document)
		r = typed_documents_take(search->documents, document);
	if (r != 0)
		return r;
	file->input.document = document;
	*ret = &file->input;
	return 0;
}

/* Looks for a regular file. Returns 0 with *ret, MERGE_ABSENT, PROBLEM or -ENOMEM. */
static int find_file(struct data_search *search, const char *path, const struct merge_input **ret,
	struct problem *problem)
{
	struct outside_file found;
	int r = outside_read(path, search->request->limits.source_bytes, &found);

	if (r == 0 && found.text)
		return take_file(search, found.text, found.len, path, ret, problem);
	if (r == 0 || r == -ENOENT || r == -ENOTDIR || r == -ENXIO)
		return MERGE_ABSENT;
	return r == -ENOMEM ? r
			    : problem_set(problem, path, 0, 0, "can't be %s: %s",
				      found.stat.st_mode ? "read" : "opened", text_error(r));
}

int data_search_find(void *context, const char *directory, const char *name,
	const struct merge_input **ret, size_t *count, struct problem *problem)
{
	struct data_search *search = context;
	const struct data_search_tree *tree;

	int r = find_tree(search, directory, &tree, problem);
	if (r != 0)
		return r;
	r = MERGE_ABSENT;
	for (uint32_t i = 0; r == MERGE_ABSENT && i < tree->count; i++) {
		CLEANUP(freep) char *path = NULL;

		r = text_format(&path, "%s%s", tree->paths[i], name);
		if (r == 0)
			r = find_file(search, path, ret, problem);
	}
	*count = r == 0;
	return r;
}

struct span data_search_text(const struct data_search *search, const char *name)
{
	for (const struct data_search_file *file = search->files; file; file = file->next)
		if (strcmp(file->input.source.name, name) == 0)
			return file->input.text;
	return (struct span){NULL, 0};
}
