/*
 * The search for loops: a schema that applies to a value because it applies to the same value.
 *
 *      {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}
 *
 * With such a schema, validation would never end. A schema that applies itself to the entries of
 * the value is no loop: the value ends at some depth.
 */
#pragma once

#include "reading.h"

/** Searches for a loop. Returns 0, PROBLEM at a keyword that closes one, or -ENOMEM. */
int loop_find(struct reading *reading);
