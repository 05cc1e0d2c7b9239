/*
 * A line map: for each line of a merged text, the place in a source that the line comes from. A map
 * is made from line origins (line_origin.h), and needs no source or tree afterwards.
 */
#pragma once

#include "line_origin.h"
#include "record.h"

struct line_map;

struct line_place {
	const char *source; /* lives as long as the map */
	unsigned line;      /* starting at 1 */
	unsigned column;    /* starting at 1; 0: not known */
};

/** Maps `result`, which must have origins. Returns 0 with *ret for line_map_freep(), or -ENOMEM. */
int line_map_make(const struct merge_request *request, const struct merge_result *result,
	struct line_map **ret);
void line_map_freep(struct line_map **place); /* NULL is fine */

/**
 * Finds the place in a source that `line` and `column` of the merged text come from. Both start at
 * 1; column 0: not known. Returns false if the line comes from no source, or `map` is NULL.
 */
bool line_map_find(
	const struct line_map *map, unsigned line, unsigned column, struct line_place *ret);

/** Writes the map; NULL: there is none. */
void line_map_put(struct record *record, const struct line_map *map);

/** Reads a map, the record's last value. Returns 0 with *ret (NULL: none), -ENOMEM or -EBADMSG. */
int line_map_take(struct record *record, struct line_map **ret);
