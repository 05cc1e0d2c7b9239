/*
 * A report: the map in which a mount, a rendered tree or a mirror describes itself, as JSON.
 * A process of any version or user may have written it. So any field may be missing, and any text
 * may contain control characters for a terminal.
 *
 * A `path` names a value in the map: "pid", or "sandbox.landlock" for a value in an inner map. The
 * path "" names the map itself. `map` and `list` may be NULL.
 */
#pragma once

#include "node.h"

/* Size of a path, in bytes. */
#define REPORT_PATH_SIZE 64

/** Returns the value at `path`; NULL: there is none. */
const struct node *report_get(const struct node *map, const char *path);

/** Returns the text of the scalar at `path`; "": there is none, or it is null. */
const char *report_text(const struct node *map, const char *path);

/** Returns whether the text of the scalar at `path` is `text`. */
bool report_is(const struct node *map, const char *path, const char *text);

/** Returns the number at `path`; 0: there is none, or it is not finite. */
double report_number(const struct node *map, const char *path);

/** Returns the length of a list; 0 for anything else. */
uint32_t report_count(const struct node *list);
