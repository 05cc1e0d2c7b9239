#include "data_search.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "outside.h"
#include "path_list.h"
#include "text.h"

/*
 * Maximum number of directories in a search. A data path with more is most likely wrong, such as /.
 */
#define DATA_SEARCH_DIRECTORIES_MAX 100000

/* A directory with all its subdirectories, in the order of the search. */
struct data_search_tree {
	struct path_list found; /* the first is the one asked for; each ends with a slash, but "" */
	struct data_search_tree *next;
};

struct data_search_file {
	struct merge_input input;
	char *name;
	char *text;
	struct document *document; /* NULL: its format is unknown */
	struct data_search_file *next;
};

static void tree_freep(struct data_search_tree **tree)
{
	for (struct data_search_tree *next; *tree; *tree = next) {
		next = (*tree)->next;
		path_list_fini(&(*tree)->found);
		free(*tree);
	}
}

static void file_freep(struct data_search_file **file)
{
	for (struct data_search_file *next; *file; *file = next) {
		next = (*file)->next;
		document_free((*file)->document);
		free((*file)->text);
		free((*file)->name);
		free(*file);
	}
}

static bool is_directory(const char *path, const struct dirent *entry)
{
	CLEANUP(freep) char *inner = NULL;
	struct stat found;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return asprintf(&inner, "%s%s", path, entry->d_name) >= 0 && lstat(inner, &found) == 0 &&
	       S_ISDIR(found.st_mode);
}

static int tree_scan(struct path_list *tree, size_t index, struct problem *problem)
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
		CLEANUP(freep) char *inner = NULL;

		if (r == 0 && entries[i]->d_name[0] != '.' && is_directory(path, entries[i]))
			r = text_format(&inner, "%s%s/", path, entries[i]->d_name);
		if (r == 0 && inner)
			r = path_list_add(tree, inner, strlen(inner));
		free(entries[i]);
	}
	free(entries);
	return r;
}

/* Searches a directory. Returns 0, MERGE_ABSENT if it does not exist, PROBLEM or -ENOMEM. */
static int tree_new(const char *directory, const char *path, struct data_search_tree **ret,
	struct problem *problem)
{
	CLEANUP(tree_freep) struct data_search_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	if (*directory && access(directory, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR))
		return MERGE_ABSENT;
	int r = path_list_add(&tree->found, path, strlen(path));
	for (size_t i = 0; r == 0 && i < tree->found.count; i++) {
		if (tree->found.count > DATA_SEARCH_DIRECTORIES_MAX)
			return problem_set(problem, *directory ? directory : ".", 0, 0,
				"has more than %d directories in it; name one that holds the data "
				"only",
				DATA_SEARCH_DIRECTORIES_MAX);
		r = tree_scan(&tree->found, i, problem);
	}
	if (r == 0)
		*ret = take_ptr(tree);
	return r;
}

static int find_tree(struct data_search *search, const char *directory,
	const struct data_search_tree **ret, struct problem *problem)
{
	struct data_search_tree *tree = search->trees;
	CLEANUP(freep) char *path = NULL;
	int r = text_format(&path, "%s%s", directory, *directory ? "/" : "");

	while (r == 0 && tree && strcmp(tree->found.paths[0], path) != 0)
		tree = tree->next;
	if (r == 0 && !tree) {
		r = tree_new(directory, path, &tree, problem);
		if (r != 0)
			return r;
		tree->next = search->trees;
		search->trees = tree;
	}
	*ret = tree;
	return r;
}

/* Takes the file's text. A file that does not parse is kept for its excerpt. */
static int take_file(struct data_search *search, char *text, size_t len, const char *name,
	const struct merge_input **ret, struct problem *problem)
{
	CLEANUP(file_freep) struct data_search_file *file = calloc(1, sizeof(*file));

	if (!file || !(file->name = strdup(name))) {
		free(text);
		return -ENOMEM;
	}
	file->text = text;
	file->input = (struct merge_input){
		.source = {.name = file->name, .layer = ""},
		.format = format_of_name(name),
		.text = {file->text, len},
	};
	const struct read_options options = read_options_for(search->request, file->input.format);
	int r = file->input.format ? document_read(&file->input.source, file->input.text, &options,
					     &file->document, problem)
				   : 0;
	file->input.document = file->document;
	if (r == 0)
		*ret = &file->input;
	file->next = search->files;
	search->files = take_ptr(file);
	return r;
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
	for (size_t i = 0; r == MERGE_ABSENT && i < tree->found.count; i++) {
		CLEANUP(freep) char *path = NULL;

		r = text_format(&path, "%s%s", tree->found.paths[i], name);
		if (r == 0)
			r = find_file(search, path, ret, problem);
	}
	*count = r == 0;
	return r;
}

struct span data_search_text(const struct data_search *search, const char *name)
{
	for (const struct data_search_file *file = search->files; file; file = file->next)
		if (strcmp(file->name, name) == 0)
			return file->input.text;
	return (struct span){NULL, 0};
}

void data_search_fini(struct data_search *search)
{
	file_freep(&search->files);
	tree_freep(&search->trees);
}
