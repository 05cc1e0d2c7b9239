/*
 * The search for loops. A loop is a schema that applies itself once more to the same value,
 * directly or through other schemas.
 *
 *      {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}
 *
 * Validation by a loop would never end. A schema that applies itself only to entries of the value
 * is no loop, because the value ends at some depth.
 */
#pragma once

#include "reading.h"

/**
 * Searches for a loop. Does not follow dynamic references, as their targets are known only during
 * validation. Returns 0, PROBLEM at a keyword that closes a loop, or -ENOMEM.
 */
int loop_find(struct reading *reading);
