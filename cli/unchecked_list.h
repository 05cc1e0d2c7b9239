/* The check commands that can't be run, and the files that stay unchecked for that reason. */
#pragma once

#include "arena.h"
#include "problem.h"

struct unchecked_program {
	const char *program;
	const char *why; /* a static text from run_is_missing() */
	size_t files;
	const char **paths; /* of the files; NULL: the list only counts the files */
	uint32_t capacity;
};

/*
 * All zero: empty. Programs are in the order in which they were added. For one list, either count
 * the files or add their paths.
 */
struct unchecked_list {
	struct unchecked_program *items;
	size_t count;
	uint32_t capacity;
	struct arena *arena; /* of all that the list has, for arena_free() */
};

/** Counts `files` more files for the program. Returns 0 or -ENOMEM. */
int unchecked_list_add(
	struct unchecked_list *list, const char *program, const char *why, size_t files);

/** Adds `path` to the program's paths, unless it is there already. Returns 0 or -ENOMEM. */
int unchecked_list_add_path(
	struct unchecked_list *list, const char *program, const char *why, const char *path);

/** Makes the warning about one program. */
void unchecked_list_describe(const struct unchecked_program *unchecked, struct problem *ret);

/** Prints the JSON member "not_checked" and a comma; for an empty list, prints nothing. */
void unchecked_list_print_json(const struct unchecked_list *list);
