/*
 * The sources of a version as one text: "vendor/app.yaml:site/app.yaml", lowest layer first, with
 * "\:" for a colon in a name and "\\" for a backslash, as the command takes layers.
 */
#pragma once

#include <stddef.h>

/* Bytes; an extended attribute holds at most 65536. ":…" stands for sources that do not fit. */
#define SOURCE_LIST_MAX 60000

struct source_list {
	char *text; /* for free(3); NULL: nothing was added */
	size_t len;
	size_t capacity;
	int failure; /* 0, -ENOMEM, or -E2BIG: it is full */
};

/** Adds a name; a lack of memory shows in source_list_take(). */
void source_list_add(struct source_list *list, const char *name);

/**
 * Gives the text, for free(3); "" for an empty list. Returns 0 or -ENOMEM. The list is then empty.
 */
int source_list_take(struct source_list *list, char **ret);
