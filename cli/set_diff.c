#include "set_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "compared_file.h"
#include "follow.h"
#include "layer_choice.h"
#include "message.h"
#include "path_list.h"
#include "traverse.h"
#include "utf8.h"

struct file_set {
	struct settings *settings;
	struct offline *offline;
	struct path_list files;
	int code; /* EXIT_FAILED: a directory could not be listed completely */
};

struct set_comparison {
	struct unified *how;
	struct file_set trees[2];
	int code;
};

static void comparison_fini(struct set_comparison *comparison)
{
	for (size_t i = 0; i < 2; i++) {
		struct file_set *tree = &comparison->trees[i];
		path_list_fini(&tree->files);
		offline_free(tree->offline);
	}
}

static int add_path(void *context, const struct traversed *found)
{
	struct file_set *tree = context;

	if (found->kind == UNION_DIRECTORY) {
		if (found->error)
			tree->code = layer_choice_complain(
				NULL, *found->path ? found->path : ".", -found->error, NULL);
		return 0;
	}
	return path_list_add(&tree->files, found->path, strlen(found->path));
}

static bool needs_quotes(const char *path)
{
	const char *end = path + strlen(path);

	for (size_t len; path < end; path += len) {
		len = utf8_length(path, end);
		if (!len || (unsigned char)*path < ' ' || *path == 0x7F || *path == '"' ||
			*path == '\\' || (len > 1 && utf8_decode(path, len) < 0xA0))
			return true;
	}
	return false;
}

/*
 * Makes a label as in git and patch(1): "a/" or "b/" in front, and quoted as in C if it has unusual
 * bytes.
 */
static char *make_label(const char *lead, const char *path)
{
	CLEANUP(freep) char *label = NULL;
	size_t size;
	FILE *out = open_memstream(&label, &size);

	if (!out)
		return NULL;
	if (needs_quotes(path)) {
		fprintf(out, "\"%s", lead);
		for (const char *at = path; *at; at++)
			if (*at == '"' || *at == '\\')
				fprintf(out, "\\%c", *at);
			else if ((unsigned char)*at >= ' ' && (unsigned char)*at < 0x7F)
				fputc(*at, out);
			else
				fprintf(out, "\\%03o", (unsigned)(unsigned char)*at);
		fputc('"', out);
	} else {
		/* A tab marks the end of a name with blanks. */
		fprintf(out, "%s%s%s", lead, path, strchr(path, ' ') ? "\t" : "");
	}
	return fclose(out) == 0 ? take_ptr(label) : NULL;
}

static void complain(struct set_comparison *comparison, const struct settings *settings,
	const char *path, int result, const struct problem *problem)
{
	comparison->code = layer_choice_complain(settings, path, result, problem);
}

static int print_difference(
	struct set_comparison *comparison, const char *path, struct compared_file compared[2])
{
	bool is_rewritten = compared[0].is_tree || compared[1].is_tree;
	struct unified_side sides[2];
	CLEANUP(freep) char *old = make_label("a/", path);
	CLEANUP(freep) char *new = make_label("b/", path);

	if (!old || !new)
		return -ENOMEM;
	for (size_t i = 0; i < 2; i++) {
		const char *label = i ? new : old;
		sides[i].label = compared[i].is_there ? label : UNIFIED_ABSENT;
		sides[i].text = compared_file_text(&compared[i], is_rewritten);
	}
	int r = unified_print(
		comparison->how, &(struct unified_item){.path = path}, &sides[0], &sides[1]);
	return r < 0 ? r : 0;
}

static int compare_path(struct set_comparison *comparison, const char *path)
{
	struct compared_file compared[2] = {0};
	bool is_complete = true;
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2; i++) {
		struct problem problem = {0};
		r = compared_file_make(comparison->trees[i].offline, path, &compared[i], &problem);
		if (r == 0 && problem.message[0])
			message_warning(&problem);
		if (r == -EISDIR)
			r = 0; /* the path is a file on the other side */
		if (r == 0)
			continue;
		complain(comparison, comparison->trees[i].settings, path, r, &problem);
		is_complete = false;
		r = r == -ENOMEM ? r : 0;
	}
	if (r == 0 && is_complete)
		r = print_difference(comparison, path, compared);
	compared_file_fini(&compared[0]);
	compared_file_fini(&compared[1]);
	return r;
}

/* Compares the trees, whose lists are in the same order. */
static int compare_trees(struct set_comparison *comparison)
{
	const struct path_list *old = &comparison->trees[0].files;
	const struct path_list *new = &comparison->trees[1].files;
	int r = 0;

	for (size_t i = 0, j = 0; r == 0 && (i < old->count || j < new->count);) {
		int order = i == old->count   ? 1
			    : j == new->count ? -1
					      : traverse_compare(old->paths[i], new->paths[j]);
		r = compare_path(comparison, order <= 0 ? old->paths[i] : new->paths[j]);
		i += order <= 0;
		j += order >= 0;
	}
	return r;
}

static bool is_absent(int result)
{
	return result == -ENOENT || result == -ENOTDIR;
}

/* Resolves `path` in the first set that has it. */
static int find_path(struct set_comparison *comparison, const char *path, char **ret)
{
	struct problem problem;

	int r = follow_to(comparison->trees[0].offline, path, ret, &problem);
	if (is_absent(r))
		r = follow_to(comparison->trees[1].offline, path, ret, &problem);
	if (r != 0)
		complain(comparison, comparison->trees[0].settings, path, r, &problem);
	return r;
}

static int compare_below(struct set_comparison *comparison, const char *path)
{
	CLEANUP(freep) char *inner = NULL;
	bool is_found = false;

	int r = find_path(comparison, path, &inner);
	if (r != 0)
		return 0;
	for (size_t i = 0; r == 0 && i < 2; i++) {
		struct file_set *tree = &comparison->trees[i];
		path_list_clear(&tree->files);
		r = offline_traverse(tree->offline, inner, add_path, tree);
		is_found |= r == 0;
		if (tree->code != EXIT_DONE)
			comparison->code = tree->code;
		r = is_absent(r) ? 0 : r;
	}
	if (r == 0 && !is_found)
		complain(comparison, NULL, path, -ENOENT, NULL);
	return r == 0 ? compare_trees(comparison) : r;
}

static int open_trees(struct set_comparison *comparison, struct settings *sets[2])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2; i++) {
		/* The difference itself shows the sources. Nothing else uses these settings yet. */
		sets[i]->options.header = false;
		comparison->trees[i].settings = sets[i];
		r = offline_new(sets[i], &comparison->trees[i].offline);
	}
	return r;
}

int set_diff(struct unified *how, struct settings *sets[2], char **paths)
{
	CLEANUP(comparison_fini) struct set_comparison comparison = {.how = how};

	int r = open_trees(&comparison, sets);
	if (r == 0 && !*paths)
		r = compare_below(&comparison, "");
	for (; r == 0 && *paths; paths++)
		r = compare_below(&comparison, *paths);
	return r < 0 ? message_result(r, NULL, NULL) : comparison.code;
}
