/*
 * The names of a version's sources as one text, lowest precedence first:
 * "vendor/app.yaml:site/app.yaml". "\:" stands for a colon in a name, "\\" for a backslash.
 */
#pragma once

#include <stddef.h>

/* Maximum length in bytes: an extended attribute has at most 65536. ":…" replaces further names. */
#define SOURCE_LIST_MAX 60000

struct source_list {
	char *text; /* for free(3); NULL: nothing was added */
	size_t len;
	size_t capacity;
	int failure; /* 0; -ENOMEM; -E2BIG: further names are left out */
};

/** Adds a name. If memory is short, source_list_take() will return -ENOMEM. */
void source_list_add(struct source_list *list, const char *name);

/** Empties the list. Returns 0 with its text in *ret (may be ""), for free(3); or -ENOMEM. */
int source_list_take(struct source_list *list, char **ret);
