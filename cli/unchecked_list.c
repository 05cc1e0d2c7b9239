#include "unchecked_list.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include "json_put.h"
#include "run_result.h"

/* Finds or adds the program. NULL: no memory. */
static struct unchecked_program *find(
	struct unchecked_list *list, const char *program, const char *why)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].program, program) == 0 && list->items[i].why == why)
			return &list->items[i];
	if ((!list->arena && arena_new(&list->arena) < 0) ||
		arena_grow(list->arena, list->items, list->count, list->capacity) < 0)
		return NULL;
	struct unchecked_program *found = &list->items[list->count];
	*found = (struct unchecked_program){
		.program = arena_copy(list->arena, span_of(program)), .why = why};
	list->count += found->program != NULL;
	return found->program ? found : NULL;
}

int unchecked_list_add(
	struct unchecked_list *list, const char *program, const char *why, size_t files)
{
	struct unchecked_program *unchecked = find(list, program, why);

	assert(!unchecked || !unchecked->paths);
	if (unchecked)
		unchecked->files += files;
	return unchecked ? 0 : -ENOMEM;
}

int unchecked_list_add_path(
	struct unchecked_list *list, const char *program, const char *why, const char *path)
{
	struct unchecked_program *unchecked = find(list, program, why);

	assert(!unchecked || unchecked->paths || !unchecked->files);
	for (size_t i = 0; unchecked && i < unchecked->files; i++)
		if (strcmp(unchecked->paths[i], path) == 0)
			return 0;
	const char *copy = unchecked ? arena_copy(list->arena, span_of(path)) : NULL;
	return copy ? arena_push(list->arena, unchecked->paths, unchecked->files,
			      unchecked->capacity, copy)
		    : -ENOMEM;
}

void unchecked_list_describe(const struct unchecked_program *unchecked, struct problem *ret)
{
	problem_set(ret, NULL, 0, 0, "%zu %s not checked: %s %s; %s", unchecked->files,
		unchecked->files == 1 ? "file" : "files", unchecked->program, unchecked->why,
		run_missing_remedy(unchecked->why));
}

void unchecked_list_print_json(const struct unchecked_list *list)
{
	struct json *out = JSON(stdout);

	if (!list->count)
		return;
	json_put(out, "  'not_checked': [");
	for (size_t i = 0; i < list->count; i++) {
		const struct unchecked_program *unchecked = &list->items[i];

		json_put(out, ", {'program': %s, 'reason': %s, 'files': %zu", unchecked->program,
			unchecked->why, unchecked->files);
		for (size_t j = 0; unchecked->paths && j < unchecked->files; j++)
			json_put(out, j ? ", %s" : ", 'paths': [%s", unchecked->paths[j]);
		json_put(out, unchecked->paths ? "]}" : "}");
	}
	json_put(out, "],\n");
}
