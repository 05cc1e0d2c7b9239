/*
 * The search for loops: a schema that applies to a value because it applies to the same value.
 *
 *      {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}
 *
 * There, no validation would end. A schema may refer to itself for the entries of the value.
 */
#pragma once

#include "reading.h"

/** Searches for a loop. Returns 0, PROBLEM at a keyword that closes one, or -ENOMEM. */
int loop_find(struct reading *reading);
