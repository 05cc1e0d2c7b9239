/*
 * Loops: a schema that is applied to a value because it is applied to that value.
 *
 *      {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}
 *
 * No value comes to an end there. A schema that refers to itself for what lies in the value is
 * fine.
 */
#pragma once

#include "reading.h"

/** Returns 0, PROBLEM at a keyword that closes a loop, or -ENOMEM. */
int loop_find(struct reading *reading);
